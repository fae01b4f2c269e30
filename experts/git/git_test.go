package git

import (
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/processes"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/expertstest"
)

// repository is a real one that a test writes to.
type repository struct {
	tb  testing.TB
	dir string
}

func newRepository(tb testing.TB) repository {
	tb.Helper()
	expertstest.Tool(tb, "git")
	r := repository{tb, tb.TempDir()}
	tb.Setenv("HOME", tb.TempDir())
	tb.Setenv("XDG_CONFIG_HOME", "")
	r.git("", time.Now(), "init", "-q", "-b", "main")
	r.git("", time.Now(), "config", "user.name", "Carol Jones")
	r.git("", time.Now(), "config", "user.email", "carol@example.org")
	return r
}

func (r repository) git(author string, at time.Time, args ...string) string {
	r.tb.Helper()
	cmd := exec.CommandContext(r.tb.Context(), "git", args...)
	cmd.Dir = r.dir
	date := at.Format(time.RFC3339)
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	if author != "" {
		mail := strings.ToLower(strings.Fields(author)[0]) + "@example.org"
		cmd.Env = append(cmd.Env, "GIT_AUTHOR_NAME="+author, "GIT_AUTHOR_EMAIL="+mail)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.tb.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit writes a tree and commits it; the hash comes back.
func (r repository) commit(author, subject string, at time.Time, tree map[string]string) string {
	r.tb.Helper()
	expertstest.Write(r.tb, r.dir, tree)
	r.git("", at, "add", "-A")
	r.git(author, at, "commit", "-q", "--no-gpg-sign", "-m", subject)
	return r.git("", at, "rev-parse", "HEAD")
}

// history is a repository with three authors, two tags, two branches and some
// uncommitted work. The hashes are of the second and the last commit.
func history(tb testing.TB) (r repository, second, last string) {
	r = newRepository(tb)
	now := time.Now()
	r.commit("Alice Smith", "start the project", now.AddDate(0, 0, -60), map[string]string{"README.md": "# Demo\n", "main.go": "package main\n\nfunc main() {\n}\n"})
	second = r.commit("Bob", "add the hub\n\nIt keeps leases.", now.AddDate(0, 0, -40), map[string]string{"core/hub/hub.go": "package hub\n", "README.md": "# Demo\n\nHub.\n"})
	r.git("", now.AddDate(0, 0, -40), "tag", "v1.0")
	r.commit("Alice Smith", "fix the lease timeout", now.AddDate(0, 0, -20), map[string]string{"core/hub/hub.go": "package hub\n\nconst Timeout = 2\n"})
	r.git("", now, "checkout", "-q", "-b", "feature")
	r.commit("Bob", "try a feature", now.AddDate(0, 0, -15), map[string]string{"feature.go": "package main\n\nvar x = 1\n"})
	r.git("", now, "checkout", "-q", "main")
	r.commit("Bob", "remove nothing much", now.AddDate(0, 0, -10), map[string]string{"core/hub/hub.go": "package hub\n\nconst Timeout = 3\n"})
	r.git("", now.AddDate(0, 0, -9), "tag", "-a", "v1.1", "-m", "one one")
	last = r.commit("Alice Smith", "say hello", now.Add(-time.Minute), map[string]string{"main.go": "package main\n\nfunc main() {\n\tprintln(\"hello\")\n}\n", "docs/guide.md": "guide\n"})
	expertstest.Write(r.tb, r.dir, map[string]string{"README.md": "# Demo\n\nHub and more.\n", "new.txt": "new\n"})
	return r, second, last
}

func TestPlainQuestionsAreAnswered(t *testing.T) {
	r, second, last := history(t)
	expertstest.Answers(t, New(r.dir), "plain.txt", 55, "SECOND40", second, "SECOND10", second[:10], "SECOND8", second[:8], "LAST7", last[:7])
}

func TestWhoRemovedAFileWithoutAnEndingIsNotWhoAddedIt(t *testing.T) {
	r := newRepository(t)
	now := time.Now()
	r.commit("Alice Smith", "add Dockerfile", now.AddDate(0, 0, -9), map[string]string{"Dockerfile": "FROM scratch\n", "main.go": "package main\n"})
	r.git("", now, "rm", "-q", "Dockerfile")
	r.commit("Bob", "run it without Docker", now.AddDate(0, 0, -2), nil)
	for prompt, want := range map[string]string{"who removed the Dockerfile?": "Bob", "who added the Dockerfile?": "Alice", "when was the Dockerfile deleted": "without Docker"} {
		if got := expertstest.Ask(t, New(r.dir), prompt).Message; !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", prompt, got, want)
		}
	}
}

func TestAPeriodMayBeginOrEndInAnyYear(t *testing.T) {
	r, _, _ := history(t)
	e := New(r.dir)
	for prompt, some := range map[string]bool{
		"commits since 0001-01-01": true, "commits since 1969-12-31": true, "commits since 2100-01-02": false, "commits since 9999-12-31": false,
		"commits before 0001-01-01": false, "commits before 1969-12-31": false, "commits before 2100-01-02": true, "commits before 9999-12-31": true,
	} {
		if got := expertstest.Text(t, expertstest.Ask(t, e, prompt)); strings.Contains(got, "say hello") != some {
			t.Errorf("%s: got %s", prompt, got)
		}
	}
}

func TestWhatIsNotUnderstoodIsAskedBack(t *testing.T) {
	r, _, _ := history(t)
	e := New(r.dir)
	for _, prompt := range []string{
		"", "?", "what is 12% of 840?", "tell me a joke", "🦜", strings.Repeat("x ", 5000),
		"commits by Al?ce", "commits by A[l]ice", "commits by lic", "commits by Zed", "what changed in the kitchen?", "who changed it last?",
		"who wrote the Iliad?", "who was the last king of France?", "commits in the last 5 minutes", "who deleted everything?", "when did the war change?", "blame the weather", "what is new in Paris?",
		"recent news about herons in Kenya", "first 3 commits", "what changed?", "new files since v1.0", "who wrote lines 2 and 4 of main.go", "commits on 2024-13-45",
	} {
		got := expertstest.Ask(t, e, prompt)
		if opts, _ := got.Data["options"].([]string); got.Status != core.StatusClarification || len(opts) < 2 {
			t.Errorf("%.30q: %s %s", prompt, got.Status, got.Message)
		}
	}
}

func TestWhatIsNotThereIsSaidInWords(t *testing.T) {
	r, _, _ := history(t)
	e := New(r.dir)
	for prompt, want := range map[string]string{
		"show commit deadbeef1":                "no commit",
		"what changed between main and nosuch": "no commit",
		"commits since v9.9":                   "no commit",
		"who changed it last?":                 "",
		"who wrote line 3 of nosuch.go":        "",
		"who wrote line 9999 of main.go":       "no such line",
		"diff --output=/tmp/x..main":           "",
	} {
		got := expertstest.Ask(t, e, prompt)
		if want != "" && (got.Status != core.StatusFailure || !strings.Contains(got.Message, want)) {
			t.Errorf("%q: %s %s", prompt, got.Status, got.Message)
		}
	}
	if got := expertstest.Ask(t, New(t.TempDir()), "last 5 commits"); got.Status != core.StatusFailure || !strings.Contains(got.Message, "not in a git repository") {
		t.Errorf("no repository: %s %s", got.Status, got.Message)
	}
	empty := newRepository(t)
	for _, prompt := range []string{"last 5 commits", "list branches", "status", "contributors", "what changed in the last commit", "how many commits", "first commit", "tags", "show HEAD"} {
		if got := expertstest.Ask(t, New(empty.dir), prompt); got.Message == "" || strings.Contains(got.Message, "exit status") {
			t.Errorf("empty repository, %q: %s %s", prompt, got.Status, got.Message)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if got := expertstest.Ask(t, e, "last 5 commits"); got.Status != core.StatusFailure || !strings.Contains(got.Message, "not installed") {
		t.Errorf("no git: %s %s", got.Status, got.Message)
	}
}

// everyPrompt walks through all that the expert can do.
func everyPrompt() []string {
	return []string{
		"last 5 commits", "git status", "uncommitted changes in a.txt", "blame a.txt", "who wrote line 1 of a.txt", "who changed a.txt last", "who touched a.txt most",
		"what changed in the last commit", "show me the diff of the last commit", "diff HEAD~1..HEAD", "list branches", "list tags", "show HEAD", "who added a.txt",
		"commits about two", "what changed today", "how many commits",
		"git diff", "git diff --staged", `who removed "two"`, `which commit added "one"`, "stash list", "remotes", "which branches are not merged", "first commit", "current branch",
		"commits by Eve since yesterday",
	}
}

func TestNothingThatARepositoryConfiguresIsRun(t *testing.T) {
	r := newRepository(t)
	ran := filepath.Join(t.TempDir(), "ran")
	r.commit("Eve", "one", time.Now().Add(-time.Hour), map[string]string{"a.txt": "one\n", ".gitattributes": "* filter=evil diff=evil merge=evil\n", ".mailmap": "A <a@x> <b@x>\n"})
	r.commit("Eve", "two", time.Now().Add(-time.Minute), map[string]string{"a.txt": "two\n"})
	evil := filepath.Join(t.TempDir(), "evil.sh")
	if err := os.WriteFile(evil, []byte("#!/bin/sh\necho \"$0 $@\" >> "+ran+"\ncat\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{
		"core.fsmonitor", "core.pager", "pager.log", "pager.diff", "core.editor", "core.sshCommand", "core.gitProxy", "core.askPass", "core.alternateRefsCommand",
		"diff.external", "diff.evil.textconv", "diff.evil.command", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "merge.evil.driver", "gpg.program", "gpg.ssh.program", "credential.helper",
		"alias.log", "alias.status", "uploadpack.packObjectsHook", "interactive.diffFilter", "sequence.editor", "browser.evil.cmd", "trailer.evil.command",
	} {
		r.git("", time.Now(), "config", key, evil)
	}
	r.git("", time.Now(), "config", "filter.evil.required", "true")
	r.git("", time.Now(), "config", "log.showSignature", "true")
	hooks := filepath.Join(r.dir, ".git", "hooks")
	for _, hook := range []string{"post-index-change", "fsmonitor-watchman", "pre-commit", "post-checkout", "reference-transaction"} {
		if err := os.WriteFile(filepath.Join(hooks, hook), []byte("#!/bin/sh\necho hook >> "+ran+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	expertstest.Write(t, r.dir, map[string]string{"a.txt": "three\n"})
	index, err := os.ReadFile(filepath.Join(r.dir, ".git", "index"))
	if err != nil {
		t.Fatal(err)
	}
	e := New(r.dir)
	for _, prompt := range everyPrompt() {
		if got := expertstest.Ask(t, e, prompt); got.Status != core.StatusSuccess {
			t.Errorf("%q: %s %s", prompt, got.Status, got.Message)
		}
		if what, err := os.ReadFile(ran); err == nil {
			t.Fatalf("%q ran something: %s", prompt, what)
		}
	}
	if after, err := os.ReadFile(filepath.Join(r.dir, ".git", "index")); err != nil || string(after) != string(index) {
		t.Error("the index was written")
	}
	// The same repository does run programs for a git that is not told otherwise.
	cmd := exec.CommandContext(t.Context(), "git", "diff")
	cmd.Dir = r.dir
	_ = cmd.Run() // it fails: the filter's protocol is not spoken
	if _, err := os.Stat(ran); err != nil {
		t.Error("the trap does not work")
	}
}

func TestARepositoryWhoseFilesAreElsewhereIsRefused(t *testing.T) {
	r, _, _ := history(t)
	elsewhere := t.TempDir()
	expertstest.Write(t, elsewhere, map[string]string{"private.txt": "x"})
	r.git("", time.Now(), "config", "core.worktree", elsewhere)
	if got := expertstest.Ask(t, New(r.dir), "git status"); got.Status != core.StatusFailure || strings.Contains(expertstest.Text(t, got), "private.txt") {
		t.Errorf("%s %s", got.Status, got.Message)
	}
}

func TestAPromptIsNeverAnOption(t *testing.T) {
	r, _, _ := history(t)
	e := New(r.dir)
	out := filepath.Join(t.TempDir(), "out")
	for _, prompt := range []string{
		"diff --output=" + out, "log --output=" + out, "show commit --output=" + out, "what changed between --output=" + out + " and main", "compare main with --output=" + out,
		"commits by --output=" + out, "commits touching --output=" + out, "blame --contents=/etc/passwd", "who changed --output=" + out + " last", "commits about --output=" + out,
		`commits mentioning "--output=` + out + `"`, "show --upload-pack=" + out, "diff main..--output=" + out, "commits since --output=" + out, "show HEAD:../../etc/passwd", "commits on @{-1}",
		"blame /etc/passwd", "who wrote line 1 of ../../../../etc/passwd", "commits in :(exclude)*", "log -O/etc/passwd", "diff --no-index /etc/passwd /dev/null",
	} {
		got := expertstest.Ask(t, e, prompt)
		if _, err := os.Stat(out); err == nil {
			t.Fatalf("%q wrote a file", prompt)
		}
		if strings.Contains(expertstest.Text(t, got), "root:") {
			t.Fatalf("%q read a file: %s", prompt, got.Message)
		}
	}
}

func TestACancelledQuestionEndsWithItsContext(t *testing.T) {
	expertstest.Cancelled(t, New(newRepository(t).dir), "last 5 commits")
}

func TestGitIsKilledWhenTheQuestionIsCancelled(t *testing.T) {
	bin := t.TempDir()
	started := filepath.Join(bin, "started")
	must.Fifo(t, started)
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\necho $$ > "+started+"\nexec sleep 600\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := New(bin).Answer(ctx, experts.Question{Prompt: "last 5 commits"})
		done <- err
	}()
	said, err := os.ReadFile(started) // returns once it runs
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-done; err == nil {
		t.Error("no error")
	}
	for _, s := range strings.Fields(string(said)) {
		pid, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		if processes.Alive(pid) {
			t.Error("it is still running")
		}
	}
}

func TestAPathWhoseSmallLettersAreLongerIsFound(t *testing.T) {
	r := newRepository(t)
	r.commit("Alice", "one", time.Now(), map[string]string{"İİİİ/b.txt": "x\n", "c/Ⱥ.txt": "x\n"})
	for _, name := range []string{"İİİİ", "b.txt", "Ⱥ.txt", "C"} {
		if got := expertstest.Ask(t, New(r.dir), "who changed "+name+" last?"); got.Status != core.StatusSuccess {
			t.Errorf("%s: %s %s", name, got.Status, got.Message)
		}
	}
}

func TestHugeOutputIsCut(t *testing.T) {
	r := newRepository(t)
	tree := map[string]string{}
	for i := range 400 {
		tree["dir/"+strings.Repeat("n", 200)+time.Duration(i).String()] = "x\n"
	}
	r.commit("Alice", strings.Repeat("long ", 5000), time.Now(), tree)
	r.commit("Bob", "wide", time.Now(), map[string]string{"wide.txt": strings.Repeat("y", 8<<20)})
	e := New(r.dir)
	for _, prompt := range []string{"last 5 commits", "what changed in HEAD~1", "show me the diff of the last commit", "blame wide.txt", "status"} {
		got := expertstest.Ask(t, e, prompt)
		if got.Status != core.StatusSuccess {
			t.Errorf("%q: %s %s", prompt, got.Status, got.Message)
		}
		if n := len(expertstest.Text(t, got)); n > 200<<10 {
			t.Errorf("%q: %d bytes", prompt, n)
		}
	}
}

func FuzzAnyPromptGetsALegalReply(f *testing.F) {
	r, _, _ := history(f)
	expertstest.Fuzz(f, New(r.dir), math.MaxInt, "last 5 commits", "diff a..b", "who wrote line 1 of --x", "between and", "since", "commits by", "on 2024-13-45", "last 999999999999 days", "`", "show HEAD^{}")
}

func TestWithoutARepositoryOnlyWhatNamesGitIsBidOn(t *testing.T) {
	e := New(t.TempDir())
	for text, bids := range map[string]bool{"who works on Wednesday?": false, "what changed yesterday?": false, "show the last 5 commits": true, "which branches are there?": true} {
		if got := e.Bid(t.Context(), text, nil).Score > 0; got != bids {
			t.Errorf("%s: it bids: %t", text, got)
		}
	}
}
