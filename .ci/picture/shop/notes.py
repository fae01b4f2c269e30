import json, pathlib, sys
TOOLS = [{"name": "write_note", "description": "Writes a note into a file of the notes directory.", "inputSchema":
          {"type": "object", "properties": {"file": {"type": "string"}, "text": {"type": "string"}}, "required": ["file", "text"]}}]
for line in sys.stdin:
    m = json.loads(line)
    if m.get("method") == "initialize":
        result = {"protocolVersion": "2025-11-25", "serverInfo": {"name": "notes", "version": "1"}, "capabilities": {"tools": {}}}
    elif m.get("method") == "tools/list":
        result = {"tools": TOOLS}
    elif m.get("method") == "tools/call":
        a = m["params"]["arguments"]
        pathlib.Path(a["file"]).write_text(a["text"] + "\n")
        result = {"content": [{"type": "text", "text": f"Written to {a['file']}."}]}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
