"""A model of the pictures, as OpenAI serves one: it says one thing of each subject.

python3 model.py FILE writes its port into FILE.
"""
import http.server, json, re, sys, time

CODE = """Reverse it by runes, so that é stays whole:

```go
func reverse(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}
```"""
DEPLOY = "Run **`make release`** on main, then wait for the health check of port 8081."
DRAIN = ("Drain lets running calls end before an expert leaves: it is given no new ones, and has 5 s. "
         "What has not ended by then is cancelled, and the room says whose call that was.")
NOTE = {"file": "todo.txt", "text": "call Grace about order 2"}


def reply(message):
    return {"content": json.dumps({"thought": "", "status": "success", "data": {}, "message": message})}


def answer(messages, tools):
    last = messages[-1]
    if last["role"] == "tool":
        return reply("Written to todo.txt.")
    asked = str(last["content"])
    write = [t["function"]["name"] for t in tools if "write_note" in t["function"]["name"]]
    if "note that" in asked and write:
        call = {"name": write[0], "arguments": json.dumps(NOTE)}
        return {"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": call}]}
    for word, text in (("deploy", DEPLOY), ("drain", DRAIN)):
        if word in asked:
            return reply(text)
    return reply(CODE)


class Model(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def send(self, kind, body):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        try:
            self.wfile.write(body.encode())
        except BrokenPipeError:
            pass  # yaap has ended

    def slowly(self, head, text):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        try:
            for piece in re.findall(r"\S+\s*", text):
                delta = {"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]}
                self.wfile.write(("data: " + json.dumps(head | delta) + "\n\n").encode())
                time.sleep(0.15)
            self.wfile.write(b"data: [DONE]\n\n")
        except OSError:
            pass  # it was stopped

    def do_GET(self):
        models = [{"id": name, "object": "model"} for name in ("small", "large")]
        self.send("application/json", json.dumps({"object": "list", "data": models}))

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        delta = answer(asked["messages"], asked.get("tools", []))
        end = "tool_calls" if "tool_calls" in delta else "stop"
        head = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": asked["model"]}
        if DRAIN in delta.get("content", ""):
            return self.slowly(head, delta["content"])
        chunks = [
            {"choices": [{"index": 0, "delta": {"role": "assistant"} | delta, "finish_reason": None}]},
            {"choices": [{"index": 0, "delta": {}, "finish_reason": end}],
             "usage": {"prompt_tokens": 300, "completion_tokens": 60, "total_tokens": 360}},
        ]
        lines = ["data: " + json.dumps(head | chunk) for chunk in chunks] + ["data: [DONE]"]
        self.send("text/event-stream", "\n\n".join(lines) + "\n\n")


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
with open(sys.argv[1], "w") as port:
    port.write(str(server.server_port))
server.serve_forever()
