package files

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"yaap/core"
	"yaap/experts"
)

// What the half of the questions that nobody tunes to must reach, of as many.
const (
	heldOutQuestions = 150
	heldOutOthers    = 46
)

var wednesday = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

// desk is a directory of files whose sizes and times are known.
func desk(tb testing.TB) expert {
	dir := tb.TempDir()
	app := ""
	for i := range 40 {
		app += "line " + string(rune('0'+(i+1)/10)) + string(rune('0'+(i+1)%10))
		if i == 6 || i == 32 {
			app += " ERROR disk full"
		}
		app += "\n"
	}
	app = strings.ReplaceAll(app, "line 0", "line ")
	for _, f := range []struct{ name, text, time string }{
		{"README.md", "# Demo\n\nA lease lasts for 2 s.\nTODO: write more\n", "2026-10-01T10:00:00Z"},
		{"main.go", "package main\n\nimport \"net/http\"\n\nfunc main() {\n\tc := parseConfig() // FIXME\n\thttp.ListenAndServe(\"\", nil)\n\t_ = c\n}\n", "2026-11-18T09:00:00Z"},
		{"config.go", "package main\n\n// It reads the port from the file.\nfunc parseConfig() Config {\n\treturn Config{Port: 8080, Name: \"the server that listens to all of the requests\"}\n}\n\ntype Config struct {\n\tPort int\n\tName string\n\tLimits map[string]int\n\tAddresses []string\n}\n", "2026-10-02T10:00:00Z"},
		{"app.log", app, "2026-10-03T10:00:00Z"},
		{"docs/guide.md", "# Guide\nfoo bar\nsee main.go\n", "2026-11-17T10:00:00Z"},
		{"docs/notes.txt", "connection refused\nTODO call\n", "2026-10-04T10:00:00Z"},
		{"core/hub.go", "package core\n\nimport \"net/http\"\n\n// Join takes a lease.\nfunc Join(r *http.Request) {}\n\ntype Hub struct{}\n", "2026-11-16T10:00:00Z"},
		{"core/hub_test.go", "package core\n\nfunc TestJoin() {} // TODO\n", "2026-10-05T10:00:00Z"},
		{"core/deep/settings.yaml", "port: 8080\n", "2026-10-06T10:00:00Z"},
		{"web/app.py", "import os\n\ndef load(path):\n    return open(path)\n", "2026-10-07T10:00:00Z"},
		{"web/index.js", "function render() {}\nclass View {}\n", "2026-10-08T10:00:00Z"},
		{"a.txt", "one\ntwo\nthree\n", "2026-10-09T10:00:00Z"},
		{"b.txt", "one\n2\nthree\n", "2026-10-10T10:00:00Z"},
		{"data.csv", "name,amount\nx,1\n", "2026-10-11T10:00:00Z"},
		{"empty.txt", "", "2026-10-12T10:00:00Z"},
		{"LICENSE", strings.Repeat("Permission is granted. ", 20) + "\n", "2020-01-01T10:00:00Z"},
		{"big.bin", strings.Repeat("\x00", 70000), "2026-10-13T10:00:00Z"},
		{".env", "SECRET=1\n", "2026-10-14T10:00:00Z"},
	} {
		p := filepath.Join(dir, f.name)
		at, err := time.Parse(time.RFC3339, f.time)
		if err != nil {
			tb.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(f.text), 0o600); err != nil {
			tb.Fatal(err)
		}
		if err := os.Chtimes(p, at, at); err != nil {
			tb.Fatal(err)
		}
	}
	e := newExpert(dir)
	e.now = func() time.Time { return wednesday }
	return e
}

// table reads a file of questions: those of the half that the code is tuned to
// first, the others second.
func table(tb testing.TB, name string) (halves [2][]string) {
	tb.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") {
			halves[n%2] = append(halves[n%2], line)
			n++
		}
	}
	return halves
}

// wrong says what is wrong with the bid on a question and its answer.
func wrong(tb testing.TB, e expert, line string) string {
	tb.Helper()
	prompt, want, _ := strings.Cut(line, " => ")
	bid := e.bid(tb.Context(), prompt, nil)
	if bid.Score < 0.5 || bid.Reads == "" || len([]rune(bid.Reads)) > 120 {
		return "the bid is " + toJSON(tb, bid)
	}
	reply, err := e.answer(tb.Context(), experts.Question{Prompt: prompt})
	if err != nil {
		return err.Error()
	}
	said := string(reply.Status) + " " + reply.Message + toJSON(tb, reply.Data)
	for _, part := range strings.Split(want, "; ") {
		part, not := strings.CutPrefix(part, "!")
		if any := containsAny(said, strings.Split(part, "|")); any == not {
			return "want " + part + ", not: " + toJSON(tb, not) + "\n" + bid.Reads + "\n" + said
		}
	}
	if reply.Status == core.StatusClarification && len(bid.Needs) == 0 {
		return "it is asked back, and the bid did not say so: " + said
	}
	return ""
}

func containsAny(s string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

func toJSON(tb testing.TB, v any) string {
	tb.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

func TestWhatUsersTypeIsBidOnAndAnswered(t *testing.T) {
	e := desk(t)
	halves := table(t, "questions.txt")
	for _, line := range halves[0] {
		if why := wrong(t, e, line); why != "" {
			t.Errorf("%s\n%.600s\n", line, why)
		}
	}
	right := 0
	for _, line := range halves[1] {
		if wrong(t, e, line) == "" {
			right++
		}
	}
	t.Logf("the other half: %d of %d", right, len(halves[1]))
	if right < heldOutQuestions {
		t.Errorf("%d of the other %d questions are right, want %d", right, len(halves[1]), heldOutQuestions)
	}
}

func TestWhatBelongsToOthersIsDeclined(t *testing.T) {
	e := desk(t)
	halves := table(t, "others.txt")
	for _, text := range halves[0] {
		if bid := e.bid(t.Context(), text, nil); !bid.Declines() {
			t.Errorf("%s: %+v", text, bid)
		}
	}
	right := 0
	for _, text := range halves[1] {
		if e.bid(t.Context(), text, nil).Declines() {
			right++
		}
	}
	t.Logf("the other half: %d of %d", right, len(halves[1]))
	if right < heldOutOthers {
		t.Errorf("%d of the other %d texts are declined, want %d", right, len(halves[1]), heldOutOthers)
	}
}

func TestTwoQuestionsAreNotReadAsOne(t *testing.T) {
	e := desk(t)
	for _, text := range []string{
		"which files mention TODO, and who committed last?",
		"how many files are there and what is 3+4",
		"show README.md and what time is it in Tokyo",
		"last commit and largest file",
		"who changed main.go and how many lines does it have",
		"how many commits and how many files are there",
		"status and the list of files",
		"what is in core and who wrote it",
		"list files then the last 3 commits",
		"last 5 lines of app.log and the largest file",
		"commits by ann and the files changed today",
		"grep TODO and show the last commit",
	} {
		if bid := e.bid(t.Context(), text, nil); bid.Score > experts.Understood {
			t.Errorf("%s: %+v", text, bid)
		}
	}
}
