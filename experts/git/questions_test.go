package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"yaap/experts"
	"yaap/experts/expertstest"
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

func TestWhatUsersTypeIsBidOnAndAnswered(t *testing.T) {
	e, fix := desk(t)
	expertstest.Answers(t, asked(e), "questions.txt", 178, "FIX", fix)
	expertstest.Answers(t, asked(e), "asked.txt", 41, "FIX", fix)
}

func TestWhatBelongsToOthersIsDeclined(t *testing.T) {
	e, _ := desk(t)
	expertstest.Declines(t, asked(e), "others.txt", 50)
	expertstest.Declines(t, asked(e), "askedothers.txt", 11)
}

func TestTwoQuestionsAreNotReadAsOne(t *testing.T) {
	e, _ := desk(t)
	expertstest.Doubts(t, asked(e), "two.txt")
}

func TestEveryAnswerIsGivenInEveryLanguage(t *testing.T) {
	expertstest.Replies(t, voices())
}

func asked(e expert) experts.Expert { return experts.Expert{Answer: e.answer, Bid: e.bid} }
