package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm/ollama/ollamatest"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/tui"
)

// lineTalk is a chat in lines, and what it has printed.
type lineTalk struct {
	t     *testing.T
	home  string
	in    *io.PipeWriter
	ended chan error

	mu      sync.Mutex
	printed bytes.Buffer
	seen    int // of what was printed
	more    chan struct{}
}

// Write implements [io.Writer].
func (s *lineTalk) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.more)
	s.more = make(chan struct{})
	return s.printed.Write(b)
}

// openLines opens a chat in lines with that configuration.
func openLines(t *testing.T, config string) *lineTalk {
	t.Helper()
	home := t.TempDir()
	write(t, filepath.Join(home, "config", "yaap", "config.yaml"), config)
	env := map[string]string{"HOME": home, "XDG_STATE_HOME": filepath.Join(home, "state"), "XDG_RUNTIME_DIR": filepath.Join(home, "run"), "XDG_CONFIG_HOME": filepath.Join(home, "config"), "YAAP_BID_MS": "10000"}
	in, keys := io.Pipe()
	s := &lineTalk{t: t, home: home, in: keys, ended: make(chan error, 1), more: make(chan struct{})}
	p := &program{stdin: in, stdout: s, stderr: s, env: func(name string) string { return env[name] }}
	p.options.Dir = home
	ctx, cancel := context.WithCancel(t.Context())
	go func() { s.ended <- p.plain(ctx) }()
	t.Cleanup(func() {
		cancel()
		_ = keys.Close()
		must.Report(t, <-s.ended)
	})
	return s
}

func (s *lineTalk) enter(line string) { _, _ = io.WriteString(s.in, line+"\n") }

// see waits until it prints what matches, behind what was seen before.
func (s *lineTalk) see(pattern string) {
	s.t.Helper()
	wanted, timer := regexp.MustCompile(pattern), time.NewTimer(patience)
	defer timer.Stop()
	for {
		s.mu.Lock()
		text, more := s.printed.String(), s.more
		at := wanted.FindStringIndex(text[s.seen:])
		if at != nil {
			s.seen += at[1]
		}
		s.mu.Unlock()
		if at != nil {
			return
		}
		select {
		case <-more:
		case <-timer.C:
			s.t.Fatalf("no %q in\n%s", pattern, text)
		}
	}
}

func TestAChatInLinesAnswersWhatIsTyped(t *testing.T) {
	s := openLines(t, "memory: false\nbuiltin: [calc, clock]\n")
	s.see(`Type a question`)
	s.enter("what is 12% of 840?")
	s.see(`✓ calc`)
	s.see(`(?m)^yaap: 100\.8 = 12% × 840`)
	s.enter("and of 50?")
	s.see(`(?m)^yaap: 6 = 12% × 50`)
	s.enter("/experts")
	s.see(`calc +ready`)
	s.enter("/nonsense")
	s.see(`there is no command /nonsense`)
	s.enter("/new")
	s.see(`You are in a new conversation`)
	s.enter("/stop")
	s.see(`Nothing is in progress`)
	s.enter("/quit")
	s.see(`Go on with it: yaap --plain --thread \S+`)
	if strings.Contains(s.printed.String(), "calc joined") {
		t.Errorf("who is always here is told to join in %q", s.printed.String())
	}
	if strings.ContainsAny(s.printed.String(), "\x1b\r") {
		t.Errorf("something is drawn again in %q", s.printed.String())
	}
}

func TestAnAnswerInLinesIsWrappedAtWordsBehindItsName(t *testing.T) {
	var out strings.Builder
	p := &program{stdout: &out, terminal: tui.Options{Output: &out, Width: 26}}
	p.options.lines, p.options.output = true, asText
	must.Do(t, p.print(core.Reply{Status: core.StatusSuccess, Message: "**Drain** lets running calls.\n\n| n |\n|---|\n| 1 |"}))
	want := "yaap: Drain lets running\n      calls.\n\n      n\n      ─\n      1\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestAnAnswerIsPlainTextInATerminalAndMarkdownInAPipe(t *testing.T) {
	for output, want := range map[string][2]string{"": {"100.8", "**100.8**"}, asMarkdown: {"**100.8**", "**100.8**"}, asText: {"100.8", "100.8"}} {
		for i, terminal := range []bool{true, false} {
			var out strings.Builder
			p := &program{stdout: &out}
			if p.options.output = output; terminal {
				p.terminal = tui.Options{Output: &out, Width: 80}
			}
			must.Do(t, p.print(core.Reply{Status: core.StatusSuccess, Message: "**100.8**"}))
			if got := out.String(); got != want[i]+"\n" {
				t.Errorf("--output %q, terminal %v: %q", output, terminal, got)
			}
		}
	}
}

func TestAChatInLinesAllowsOnlyWhatWasOffered(t *testing.T) {
	s := openLines(t, "memory: false\nbuiltin: [calc]\napprove: [calc]\n")
	s.enter("what is 6 * 7?")
	s.see(`(?s)calc.*1  Allow once.*Deny`)
	s.enter("maybe")
	s.see(`(?s)none of the answers.*1  Allow once`)
	s.enter("1")
	s.see(`(?m)^yaap: 42`)
	s.see(`you: maybe`) // which was typed before the answer
	s.see(`do not understand`)
	s.enter("what is 12345 * 6789?")
	s.see(`1  Allow once`)
	s.enter("deny")
	s.see(`yaap: calc .*it was not allowed, so nothing was done`)
	if strings.Contains(s.printed.String(), "83810205") {
		t.Error("what was denied was done")
	}
}

func TestWhatWasSaidIsCorrectedAndForgottenInTheWordsOfTheUser(t *testing.T) {
	s := openLines(t, "builtin: [calc]\n")
	s.enter("my printer is lp-3")
	s.see(`Noted`)
	s.enter("that is wrong, it is lp-4")
	s.see(`“my printer is lp-4” instead of “my printer is lp-3”`)
	s.enter("no, it's lp-5")
	s.see(`“my printer is lp-5” instead of “my printer is lp-4”`)
	s.enter("what is my printer?")
	s.see(`Your printer is lp-5`)
	s.enter("forget that")
	s.see(`(?s)Forget this for good.*lp-5.*1  Forget it.*2  Keep it`)
	s.enter("2")
	s.see(`It stays`)
	s.enter("forget what I said about the printer")
	s.see(`1  Forget it`)
	s.enter("1")
	s.see(`It is forgotten`)
	s.enter("what is my printer?")
	s.see(`Nothing was said about printer`)
	s.enter("/memory show")
	s.see(`(?s)## Entries.*`)
	_, shown, _ := strings.Cut(s.printed.String(), "## Entries")
	if left := strings.Count(shown, "lp-"); left > 2 { // the two questions
		t.Errorf("it is in %d entries:\n%s", left, shown)
	}
	s.enter("my fax is lp-7")
	s.enter("forget that")
	s.see(`Forget this for good. “my fax is lp-7”`)
	s.enter("what is 4 * 5?")
	s.see(`\nyaap: 20 = `)
	s.enter("@recall what is my fax?")
	s.see(`Your fax is lp-7`)
	s.enter("forget that")
	s.see(`1  Forget it`)
	s.enter("yes")
	s.see(`It is forgotten`)
	s.enter("forget the zebra")
	s.see(`Nothing was said about the zebra`)
	s.enter("what is 2 + 2?")
	s.see(`\nyaap: 4 = `)
	s.enter("no, 2 + 3")
	s.see(`\nyaap: 5 = `)
}

func TestWhatIsForgottenIsForgottenWithWhatItReplaced(t *testing.T) {
	s := openLines(t, "builtin: [calc]\n")
	for _, told := range []string{"the gate code is 4471", "actually the gate code is 4472", "my name is Wiebke", "I'm allergic to lanolin", "Tom is the shepherd", "Tom will ask the bank"} {
		s.enter(told)
		s.see(`Noted`)
	}
	for _, c := range []struct{ asks, shows string }{
		{"forget that the gate code is 4472", `“actually the gate code is 4472” and “the gate code is 4471”`},
		{"forget my name", `“my name is Wiebke”`},
		{"forget I'm allergic to lanolin", `“I'm allergic to lanolin”`},
		{"forget everything about Tom", `“Tom will ask the bank” and “Tom is the shepherd”`},
	} {
		s.enter(c.asks)
		s.see(`Forget this for good. ` + c.shows)
		s.enter("1")
		s.see(`It is forgotten`)
	}
	s.enter("what is the gate code?")
	s.see(`nothing was said of it`)
	s.enter("forget the bird")
	s.see(`Nothing was said about the bird`)
	s.enter("actually the bird is a heron") // no part of the question before
	s.see(`Noted`)
	s.enter("what is the bird?")
	s.see(`bird is a heron`)
}

func TestPromptsAndResourcesOfAnExpertAreTakenInLines(t *testing.T) {
	s := openLines(t, "memory: false\nbuiltin: [calc]\n")
	s.see(`Type a question`)
	write(t, filepath.Join(s.home, "sums.py"), `import json, sys
for line in sys.stdin:
    m = json.loads(line)
    result = {
        "initialize": {"protocolVersion": "2025-11-25", "serverInfo": {"name": "sums", "version": "1"}, "capabilities": {"tools": {}, "prompts": {}, "resources": {}}},
        "resources/read": {"contents": [{"uri": "sums://log", "text": "# a line\n  *another*"}]},
        "tools/list": {"tools": []},
        "prompts/list": {"prompts": [{"name": "add", "arguments": [{"name": "to", "required": True}]}, {"name": "trick"}]},
        "prompts/get": {"messages": [{"role": "user", "content": {"type": "text", "text": "what is 40 + 2?" if m.get("params", {}).get("arguments") else "/quit"}}]},
    }.get(m.get("method"))
    if result:
        print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
`)
	s.enter("/experts add python3 sums.py")
	s.see(`sums`)
	s.see(`joined`)
	s.enter("/sums:add to=2")
	s.see(`1 sends it; to change it, type it anew: what is 40 \+ 2\?`)
	s.enter("1")
	s.see(`(?m)^yaap: 42`)
	s.enter("/resources read sums sums://log")
	s.see(`(?m)^ *# a line\n *  \*another\*$`)
	s.enter("/sums:trick")
	s.see(`type it anew: /quit`)
	s.enter("1")
	s.see(`(?m)^yaap: `)
}

func TestAFormIsFilledInAsArgumentsAreTyped(t *testing.T) {
	s := openLines(t, "memory: false\nbuiltin: []\n")
	s.see(`Type a question`)
	write(t, filepath.Join(s.home, "inn.py"), `import json, sys
asked = None
for line in sys.stdin:
    m = json.loads(line)
    send = lambda **m: print(json.dumps({"jsonrpc": "2.0", **m}), flush=True)
    if m.get("method") == "initialize":
        send(id=m["id"], result={"protocolVersion": "2025-11-25", "serverInfo": {"name": "inn", "version": "1"}, "capabilities": {"tools": {}}})
    elif m.get("method") == "tools/list":
        send(id=m["id"], result={"tools": [{"name": "book", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}]})
    elif m.get("method") == "tools/call":
        asked = m["id"]
        send(id="e", method="elicitation/create", params={"message": "For whom?", "requestedSchema": {"type": "object", "required": ["guest"],
             "properties": {"guest": {"type": "string"}, "nights": {"type": "integer"}}}})
    elif m.get("id") == "e":
        send(id=asked, result={"content": [{"type": "text", "text": "Booked: " + json.dumps(m["result"].get("content"), sort_keys=True)}]})
`)
	s.enter("/experts add python3 inn.py")
	s.see(`joined`)
	s.enter("@inn book")
	s.see(`inn asks: For whom\? Type guest=TEXT \[nights=NUMBER\]`)
	s.enter("nights=2")
	s.see(`missing property 'guest'`)
	s.see(`inn asks: For whom\?`)
	s.enter(`guest="Ada Lovelace" nights=2`)
	s.see(`Booked: {"guest": "Ada Lovelace", "nights": 2}`)
}

func TestAChatInLinesEndsWithItsInputWhenAllIsAnswered(t *testing.T) {
	s := openLines(t, "memory: false\nbuiltin: [calc]\n")
	for _, line := range []string{"what is 1 + 1?", "what is 2 + 2?", "what is 3 + 3?"} {
		s.enter(line)
	}
	must.Do(t, s.in.Close())
	s.see(`(?s)\nyaap: 2 = .*you: what is 2 \+ 2\?.*\nyaap: 4 = .*\nyaap: 6 = .*Go on with it`)
}

func TestAChatInLinesGivesTheRunInProgressMore(t *testing.T) {
	models := must.Get(url.Parse(ollamatest.New(t).URL))(t)
	asked, gate := make(chan struct{}, 1), make(chan struct{})
	mux := http.NewServeMux()
	mux.Handle("/", httputil.NewSingleHostReverseProxy(models))
	mux.HandleFunc("POST /api/chat", func(w http.ResponseWriter, r *http.Request) {
		select {
		case asked <- struct{}{}:
			<-gate
		default:
		}
		message := `"content": "", "tool_calls": [{"function": {"name": "calc", "arguments": {"prompt": "2 + 2"}}}]`
		if body, _ := io.ReadAll(r.Body); bytes.Contains(body, []byte("and in euros")) {
			message = `"content": "{\"thought\": \"\", \"status\": \"success\", \"data\": {}, \"message\": \"4 euros.\"}"`
		}
		_, _ = io.WriteString(w, `{"model": "`+ollamatest.Name+`", "created_at": "1970-01-01T00:00:00Z", "message": {"role": "assistant", `+message+`}, "done": true, "done_reason": "stop"}`+"\n")
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s := openLines(t, "memory: false\nbuiltin: [calc]\nmodel: ollama/"+ollamatest.Name+"\nproviders: {ollama: {url: "+server.URL+"}}\n")
	s.enter("what is the price?")
	<-asked
	s.enter("/steer and in euros")
	s.see(`given to what is in progress`)
	close(gate)
	s.see(`→ taken in: and in euros`)
	s.see(`(?m)^yaap: 4 euros\.`)
	s.enter("/steer 6 * 7, and in euros?")
	s.see(`(?m)^yaap: 4 euros\.`) // asked: nothing went on
}

func TestWhatNoRunTakesInIsAskedInLinesAfterIt(t *testing.T) {
	s := openLines(t, "memory: false\nbuiltin: [calc]\napprove: [calc]\n")
	s.enter("what is 6 * 7?")
	s.see(`1  Allow once`)
	s.enter("/steer what is 3 + 3?")
	s.enter("1")
	s.see(`(?m)^yaap: 42`)
	s.see(`(?s)you: what is 3 \+ 3\?.*1  Allow once`)
	s.enter("/stop")
	s.see(`not answered, it waits`)
}

func TestAChatInLinesTellsWhatIsNotAskedAnyMore(t *testing.T) {
	for _, ends := range []string{"/stop", "/quit"} {
		s := openLines(t, "memory: false\nbuiltin: [calc]\napprove: [calc]\n")
		s.enter("what is 6 * 7?")
		s.see(`1  Allow once`)
		s.enter("what is 3 + 3?")
		s.see(`none of the answers`)
		s.enter(ends)
		s.see(`not asked: what is 3 \+ 3\?`)
		s.see(`not answered, it waits: /chain answer \S+ ANSWER`)
		if ends == "/quit" {
			s.see(`Go on with it`)
			continue
		}
		s.enter("/stop")
		s.see(`Nothing is in progress`)
	}
}

func TestAChatInLinesWhoseInputEndsLeavesWhatWaits(t *testing.T) {
	s := openLines(t, "memory: false\nbuiltin: [calc]\napprove: [calc]\n")
	for _, line := range []string{"what is 2 + 2?", "1", "what is 3 + 3?"} { // too early to be an answer
		s.enter(line)
	}
	must.Do(t, s.in.Close())
	s.see(`not asked: 1\nnot asked: what is 3 \+ 3\?\nnot answered, it waits: /chain answer`)
	s.see(`Go on with it`)
}

func TestAChatInLinesGoesOnWhileSomebodyWantsToJoin(t *testing.T) {
	s := openLines(t, "memory: false\nbuiltin: [calc]\n")
	write(t, filepath.Join(s.home, ".mcp.json"), `{"mcpServers": {"Heron": {"command": "heron"}}}`)
	s.see(`\? Let heron in\?`)
	s.enter("what is 6 * 7?")
	s.see(`\nyaap: 42 = `)
	s.enter("1")
	s.see(`→ heron joined`)
}
