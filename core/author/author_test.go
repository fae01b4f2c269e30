package author_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/author"
	"github.com/yaap-chat/yaap/core/must"
)

// limit is for an expert that answers, or for one that does not.
func limit(late bool) time.Duration {
	if late {
		return 4 * time.Second
	}
	return time.Minute
}

func check(t *testing.T, dir string, late bool, command ...string) (all []string) {
	t.Helper()
	findings := must.Get(author.Check(t.Context(), command, dir, limit(late)))(t)
	for _, f := range findings {
		all = append(all, string(f.Level)+": "+f.Text)
		if (f.Level == author.Fine) != (f.Fix == "") {
			t.Errorf("what to mend in %q is %q", f.Text, f.Fix)
		}
	}
	return all
}

func TestAnExpertThatIsMadeHasNothingToMend(t *testing.T) {
	for _, language := range author.Languages() {
		t.Run(language.Name, func(t *testing.T) {
			dir := t.TempDir()
			made := must.Get(author.New(dir, "greeter", language.Name))(t)
			if language.Name == "typescript" { // an older Node.js reads it by another name
				must.Do(t, os.Rename(filepath.Join(dir, made.File), filepath.Join(dir, "greeter.mjs")))
				made.Command[len(made.Command)-1] = "greeter.mjs"
			}
			all := strings.Join(check(t, dir, false, made.Command...), "\n")
			if strings.Contains(all, "fault: ") || strings.Contains(all, "advice: ") || !strings.Contains(all, "Hello, Ada!") || !strings.HasSuffix(all, "ok: it ends with its input") {
				t.Error(all)
			}
			if _, err := author.New(dir, "greeter", language.Name); language.Name != "typescript" && core.CodeOf(err) != core.CodeConflict {
				t.Errorf("it is written over: %v", err)
			}
		})
	}
	for name, language := range map[string]string{"Greeter": "python", "greeter": "cobol"} {
		if _, err := author.New(t.TempDir(), name, language); core.CodeOf(err) != core.CodeInvalid || core.HintOf(err) == "" {
			t.Errorf("%s in %s: %v", name, language, err)
		}
	}
}

// mended changes a line of the expert in Python.
func mended(t *testing.T, before, after string, late bool) []string {
	t.Helper()
	dir := t.TempDir()
	made := must.Get(author.New(dir, "greeter", "python"))(t)
	path := filepath.Join(dir, made.File)
	source, err := os.ReadFile(path)
	if err != nil || strings.Count(string(source), before) == 0 {
		t.Fatal(before, err)
	}
	must.Do(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(source), before, after)), 0o600))
	return check(t, dir, late, made.Command...)
}

func TestWhatAuthorsGetWrongIsNamed(t *testing.T) {
	for _, c := range []struct{ before, after, says string }{
		{`, "id": message["id"]}`, "}", "fault: it answers without an id"},
		{`"id": message["id"]`, `"id": str(message["id"])`, `fault: it answers with the id "1", which no request has`},
		{", flush=True)", ")", "fault: it does not flush"},
		{"print(json.dumps(response)", `print("ready")
    print(json.dumps(response)`, `fault: it prints "ready" to standard output while it is called`},
		{"for line in sys.stdin:", "print('ready', flush=True)\nfor line in sys.stdin:", `advice: it prints "ready" to standard output, which a room passes over`},
		{"print(json.dumps(response)", "print(json.dumps(response, indent=1)", "fault: its answer takes several lines"},
		{"print(json.dumps(response)", `print("got", message["method"]`, `fault: it prints "got initialize" to standard output`},
		{"for line in sys.stdin:", "sys.exit(7)\nfor line in sys.stdin:", "fault: it ended before it answered hello: exit status 7"},
		{"for line in sys.stdin:", "raise SystemExit('no fish today')\nfor line in sys.stdin:", "fault: it ended before it answered hello: no fish today"},
		{"for line in sys.stdin:", "raise SystemExit('Error: no fish\\n    at pond\\n\\nNode.js v20.20.2')\nfor line in sys.stdin:", "fault: it ended before it answered hello: Error: no fish"},
		{"for line in sys.stdin:", "import time\nwhile True:\n    time.sleep(60)\nfor line in sys.stdin:", "fault: it does not answer hello"},
		{`reply = answer(`, "import time\n        time.sleep(60)\n        reply = answer(", `fault: it does not answer "say hello to Ada"`},
		{`f"Hello, {who}!"`, `"x" * 9_000_000`, "fault: it writes a line of more than 8 MiB"},
		{`"protocolVersion": "2025-11-25",`, "", "fault: its answer to initialize has no protocolVersion"},
		{`"v": 1,`, `"v": 2,`, "fault: its hello has v 2"},
		{`"name": "greeter",
    "description"`, `"name": "The Greeter",
    "description"`, "fault: the name \"The Greeter\" is not allowed"},
		{`"examples": ["say hello to Ada"],`, "", "advice: its hello has no examples"},
		{`"capabilities": {"tools": {}, `, `"capabilities": {`, "fault: it does not say that it has tools"},
		{`{"tools": [TOOL]}`, `{"tools": []}`, "fault: it lists no tools"},
		{`[bid(t) for t in params["arguments"]["texts"]]`, "[]", "fault: its answer to 2 texts has 0 bids"},
		{"if who else None", "", "fault: it bids 0.95 on nonsense"},
		{`"score": 0.95`, `"score": 95`, "fault: it bids 95 on"},
		{"return words[3]", "return None", "advice: it declines its own example"},
		{"json.dumps(reply)", "str(reply)", "fault: it promised SACP and answers"},
		{`{"code": -32601`, `{"code": -1`, "advice: it refuses a method that does not exist with -1"},
		{`if "id" not in message:`, `if message["method"] == "notifications/cancelled":
        sys.exit()
    if "id" not in message:`, "fault: after a call that was cancelled it answers no more"},
		{"for line in sys.stdin:", "import time\nasked = 0\nfor line in sys.stdin:\n    asked += 1\n    if asked > 40: sys.exit()", "fault: of 50 requests at once some are not answered"},
		{"print(json.dumps(response), flush=True)", "print(json.dumps(response), flush=True)\nimport time\nwhile not sys.stdin.read(): time.sleep(60)\nif True: pass", "fault: it goes on when its input has ended"},
	} {
		t.Run(c.says, func(t *testing.T) {
			t.Parallel() // most wait for an answer that does not come
			all := strings.Join(mended(t, c.before, c.after, strings.Contains(c.says, "flush") || strings.Contains(c.says, "does not answer") || strings.Contains(c.says, "goes on")), "\n")
			if !strings.Contains(all, c.says) || strings.HasPrefix(c.says, "advice") && strings.Contains(all, "fault") {
				t.Errorf("%q for %q: no %q in\n%s", c.after, c.before, c.says, all)
			}
		})
	}
}

func TestAQuestionIsPutToAnExpertAlone(t *testing.T) {
	dir := t.TempDir()
	for language, want := range map[string]author.TryResult{
		"sh":     {Answer: "Hello, Grace!"},
		"python": {Bid: &core.Bid{Score: 0.95, Reads: "hello to Grace"}, Answer: "Hello, Grace!", Status: "success"},
	} {
		made := must.Get(author.New(dir, "greeter", language))(t)
		got := must.Get(author.Try(t.Context(), made.Command, dir, "say hello to Grace", limit(false)))(t)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", language, diff)
		}
	}
	if _, err := author.Try(t.Context(), []string{"false"}, dir, "x", limit(false)); err == nil || core.HintOf(err) == "" {
		t.Errorf("got %v", err)
	}
}

func TestACommandThatCannotBeStartedIsRefused(t *testing.T) {
	for _, command := range [][]string{nil, {"/no/such/program"}} {
		if _, err := author.Check(t.Context(), command, "", limit(true)); core.CodeOf(err) != core.CodeInvalid || core.HintOf(err) == "" {
			t.Errorf("%v: %v", command, err)
		}
	}
}
