"""NAME: an expert of yaap. It reads a line of JSON-RPC, and writes one.

    yaap expert check -- python3 FILE
    yaap expert try "QUESTION" -- python3 FILE
    /experts add python3 FILE        (in the chat)
"""
import json
import sys

HELLO = {
    "v": 1,
    "name": "NAME",
    "description": "Says hello to people by their names.",  # what you know, in words that people use
    "examples": ["QUESTION"],
    "bids": True,
    "output": "sacp",
}
TOOL = {
    "name": "NAME",
    "description": HELLO["description"],
    "inputSchema": {"type": "object", "properties": {"prompt": {"type": "string"}}, "required": ["prompt"]},
    "annotations": {"readOnlyHint": True},  # it changes nothing: without this the user is asked before each call
}


def read(text):
    """What is asked, or None where the text is for somebody else."""
    words = text.strip().rstrip("?!.").split()
    if len(words) == 4 and [w.lower() for w in words[:3]] == ["say", "hello", "to"]:
        return words[3]
    return None


def bid(text):
    """How much of the text you read, 0 to 1, and as what. None: it is not for you."""
    who = read(text)
    return {"score": 0.95, "reads": f"hello to {who}"} if who else None


def answer(prompt):
    who = read(prompt)
    if who is None:
        return {"status": "clarification_needed", "message": "To whom shall I say hello?"}
    return {"status": "success", "message": f"Hello, {who}!", "data": {"name": who}}


def handle(method, params):
    if method == "initialize":
        return {
            "protocolVersion": "2025-11-25",
            "serverInfo": {"name": "NAME", "version": "1"},
            "capabilities": {"tools": {}, "experimental": {"yaap": HELLO}},
        }
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call" and params["name"] == "yaap_bid":
        return {"content": [], "structuredContent": {"bids": [bid(t) for t in params["arguments"]["texts"]]}}
    if method == "tools/call" and params["name"] == "NAME":
        reply = answer(params["arguments"]["prompt"])
        return {"content": [{"type": "text", "text": json.dumps(reply)}]}
    if method == "ping":
        return {}
    return None


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue  # a notification wants no answer
    result = handle(message["method"], message.get("params", {}))
    response = {"jsonrpc": "2.0", "id": message["id"]}
    if result is None:
        response["error"] = {"code": -32601, "message": f"there is no {message['method']} here"}
    else:
        response["result"] = result
    print(json.dumps(response), flush=True)  # standard output is for messages alone; log to standard error
