import json, sys

HELLO = {"v": 1, "name": "weather", "description": "UK forecasts", "examples": ["will it rain in Leeds?"]}
TOOL = {"name": "weather", "description": "Tells whether it will rain in a place of the UK.", "annotations": {"readOnlyHint": True},
        "inputSchema": {"type": "object", "properties": {"prompt": {"type": "string"}}, "required": ["prompt"]}}
for line in sys.stdin:
    m = json.loads(line)
    if m.get("method") == "initialize":
        result = {"protocolVersion": "2025-11-25", "serverInfo": {"name": "weather", "version": "1"},
                  "capabilities": {"tools": {}, "experimental": {"yaap": HELLO}}}
    elif m.get("method") == "tools/list":
        result = {"tools": [TOOL]}
    elif m.get("method") == "tools/call":
        result = {"content": [{"type": "text", "text": "Light rain from about **15:00**, clearing by **18:00**."}]}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
