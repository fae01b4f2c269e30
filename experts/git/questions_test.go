package git

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"yaap/core"
	"yaap/experts"
)

// What the half of the questions that nobody tunes to must reach, of as many.
const (
	heldOutQuestions = 170
	heldOutOthers    = 48
)

var wednesday = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

// desk is a repository whose commits are known: three authors, two tags, two
// branches beside main, a stash, a remote, and files that are staged, changed
// and untracked. fix is the commit of the lease.
func desk(tb testing.TB) (e expert, fix string) {
	dir := tb.TempDir()
	tb.Setenv("HOME", tb.TempDir())
	tb.Setenv("XDG_CONFIG_HOME", "")
	run := func(author, date string, args ...string) string {
		cmd := exec.CommandContext(tb.Context(), "git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+date+"T10:00:00Z", "GIT_COMMITTER_DATE="+date+"T10:00:00Z",
			"GIT_AUTHOR_NAME="+author, "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=Carol Jones", "GIT_COMMITTER_EMAIL=c@example.org")
		out, err := cmd.CombinedOutput()
		if err != nil {
			tb.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	write := func(name, text string) {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	commit := func(author, date, subject string, files ...string) string {
		for i := 0; i < len(files); i += 2 {
			write(files[i], files[i+1])
		}
		run(author, date, "add", "-A")
		run(author, date, "commit", "-q", "-m", subject)
		return run(author, date, "rev-parse", "HEAD")
	}
	const day = "2026-11-17"
	run("Carol Jones", day, "init", "-q", "-b", "main")
	run("Carol Jones", day, "config", "user.name", "Carol Jones")
	run("Carol Jones", day, "remote", "add", "origin", "https://example.org/demo.git")
	commit("Ann Miller", "2026-08-03", "start the project", "README.md", "# Demo\n", "main.go", "package main\n\nfunc main() {\n}\n")
	commit("Bob Stone", "2026-09-14", "add the parser", "parse/parse.go", "package parse\n\nfunc parseConfig() {}\n")
	run("Bob Stone", "2026-09-14", "tag", "v1.0")
	run("Bob Stone", "2026-09-14", "branch", "old")
	fix = commit("Ann Miller", "2026-10-05", "fix the lease timeout", "core/hub.go", "package core\n\nconst Lease = 2\n")
	run("Bob Stone", "2026-10-20", "checkout", "-q", "-b", "feature")
	commit("Bob Stone", "2026-10-20", "try a feature", "feature.go", "package main\n")
	run("Bob Stone", "2026-10-20", "checkout", "-q", "main")
	commit("Carol Jones", "2026-10-28", "remove parseConfig", "parse/parse.go", "package parse\n")
	run("Carol Jones", "2026-10-28", "tag", "-a", "v1.1", "-m", "one")
	commit("Bob Stone", "2026-11-10", "speed up the hub", "core/hub.go", "package core\n\nconst Lease = 3\n")
	commit("Ann Miller", "2026-11-16", "say hello", "main.go", "package main\n\nfunc main() {\n\tprintln(1)\n}\n", "docs/guide.md", "guide\n")
	commit("Carol Jones", "2026-11-17", "write the guide", "docs/guide.md", "guide\nmore\n")
	write("main.go", "package main\n")
	run("Carol Jones", day, "stash")
	write("app.go", "package main\n")
	run("Carol Jones", day, "add", "app.go")
	write("README.md", "# Demo\n\nMore.\n")
	write("new.txt", "new\n")
	e = newExpert(dir)
	e.now = func() time.Time { return wednesday }
	return e, fix[:9]
}

// halvesOf reads a file of questions: those of the half that the code is tuned to
// first, the others second. FIX is the commit of the lease.
func halvesOf(tb testing.TB, name, fix string) (halves [2][]string) {
	tb.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") {
			halves[n%2] = append(halves[n%2], strings.ReplaceAll(line, "FIX", fix))
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
		has := false
		for _, p := range strings.Split(part, "|") {
			has = has || strings.Contains(said, p)
		}
		if has == not {
			return "want " + part + ", not: " + toJSON(tb, not) + "\n" + bid.Reads + "\n" + said
		}
	}
	if reply.Status == core.StatusClarification && len(bid.Needs) == 0 {
		return "it is asked back, and the bid did not say so: " + said
	}
	return ""
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
	e, fix := desk(t)
	halves := halvesOf(t, "questions.txt", fix)
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
	e, fix := desk(t)
	halves := halvesOf(t, "others.txt", fix)
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
	e, _ := desk(t)
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
