import json, sys

TOOL = {"name": "find_ticket", "description": "Finds support tickets of customers by their words.", "annotations": {"readOnlyHint": True},
        "inputSchema": {"type": "object", "properties": {"words": {"type": "string"}}, "required": ["words"]}}
for line in sys.stdin:
    m = json.loads(line)
    if m.get("method") == "initialize":
        result = {"protocolVersion": "2025-11-25", "serverInfo": {"name": "tickets", "version": "1"}, "capabilities": {"tools": {}}}
    elif m.get("method") == "tools/list":
        result = {"tools": [TOOL]}
    elif m.get("method") == "tools/call":
        sys.exit("tickets: TICKETS_URL is not set")
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
