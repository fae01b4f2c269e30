package git

import (
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/expertstest"
)

var wednesday = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

// desk is a repository whose commits are known: three authors, two tags, two
// branches beside main, a stash, a remote, and files that are staged, changed
// and untracked. fix is the commit of the lease.
func desk(tb testing.TB) (e expert, fix string) {
	r := newRepository(tb)
	at := func(date string) time.Time {
		day, err := time.Parse(time.DateOnly, date)
		if err != nil {
			tb.Fatal(err)
		}
		return day.Add(9 * time.Hour)
	}
	run := func(author, date string, args ...string) { r.git(author, at(date), args...) }
	commit := func(author, date, subject string, tree map[string]string) string {
		return r.commit(author, subject, at(date), tree)
	}
	const day = "2026-11-17"
	run("Carol Jones", day, "remote", "add", "origin", "https://example.org/demo.git")
	commit("Ann Miller", "2026-08-03", "start the project", map[string]string{"README.md": "# Demo\n", "main.go": "package main\n\nfunc main() {\n}\n"})
	commit("Bob Stone", "2026-09-14", "add the parser", map[string]string{"parse/parse.go": "package parse\n\nfunc parseConfig() {}\n"})
	run("Bob Stone", "2026-09-14", "tag", "v1.0")
	run("Bob Stone", "2026-09-14", "branch", "old")
	fix = commit("Ann Miller", "2026-10-05", "fix the lease timeout", map[string]string{"core/hub.go": "package core\n\nconst Lease = 2\n"})
	run("Bob Stone", "2026-10-20", "checkout", "-q", "-b", "feature")
	commit("Bob Stone", "2026-10-20", "try a feature", map[string]string{"feature.go": "package main\n"})
	run("Bob Stone", "2026-10-20", "checkout", "-q", "main")
	commit("Carol Jones", "2026-10-28", "remove parseConfig", map[string]string{"parse/parse.go": "package parse\n"})
	run("Carol Jones", "2026-10-28", "tag", "-a", "v1.1", "-m", "one")
	commit("Bob Stone", "2026-11-10", "speed up the hub", map[string]string{"core/hub.go": "package core\n\nconst Lease = 3\n"})
	commit("Ann Miller", "2026-11-16", "say hello", map[string]string{"main.go": "package main\n\nfunc main() {\n\tprintln(1)\n}\n", "docs/guide.md": "guide\n"})
	commit("Carol Jones", "2026-11-17", "write the guide", map[string]string{"docs/guide.md": "guide\nmore\n"})
	expertstest.Write(tb, r.dir, map[string]string{"main.go": "package main\n"})
	run("Carol Jones", day, "stash")
	expertstest.Write(tb, r.dir, map[string]string{"app.go": "package main\n"})
	run("Carol Jones", day, "add", "app.go")
	expertstest.Write(tb, r.dir, map[string]string{"README.md": "# Demo\n\nMore.\n"})
	expertstest.Write(tb, r.dir, map[string]string{"new.txt": "new\n"})
	e = newExpert(r.dir)
	e.now = func() time.Time { return wednesday }
	return e, fix[:9]
}

func TestWhatUsersTypeIsBidOnAndAnsweredWhereItIsNotForOthers(t *testing.T) {
	e, fix := desk(t)
	expertstest.Answers(t, asked(e), "questions.txt", 178, "FIX", fix)
	expertstest.Answers(t, asked(e), "asked.txt", 41, "FIX", fix)
	expertstest.Answers(t, asked(e), "project.txt", 9)
	expertstest.Declines(t, asked(e), "others.txt", 50)
	expertstest.Declines(t, asked(e), "askedothers.txt", 11)
	expertstest.Doubts(t, asked(e), "two.txt")
}

func TestWhyAThingWasChangedIsAllThatItsOnlyCommitSays(t *testing.T) {
	r := newRepository(t)
	r.commit("Ann Miller", "Raise the threshold\n\nGhosts were counted at night.", wednesday, map[string]string{"a.txt": "1\n"})
	if got := expertstest.Ask(t, asked(newExpert(r.dir)), "why was the threshold raised?"); !strings.Contains(got.Message, "Ghosts were counted at night.") {
		t.Error(got.Message)
	}
}

func TestEveryAnswerIsGivenInEveryLanguage(t *testing.T) {
	expertstest.Replies(t, translators())
}

func asked(e expert) experts.Expert { return experts.Expert{Answer: e.answer, Bid: e.bid} }
