package git_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"yaap/core"
	"yaap/experts"
	"yaap/experts/git"
)

// repository is a real one that a test writes to.
type repository struct {
	tb  testing.TB
	dir string
}

func newRepository(tb testing.TB) repository {
	tb.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		tb.Skip("git is not installed")
	}
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

func (r repository) write(tree map[string]string) {
	r.tb.Helper()
	for name, content := range tree {
		p := filepath.Join(r.dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			r.tb.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
			r.tb.Fatal(err)
		}
	}
}

// commit writes a tree and commits it; the hash comes back.
func (r repository) commit(author, subject string, at time.Time, tree map[string]string) string {
	r.tb.Helper()
	r.write(tree)
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
	r.write(map[string]string{"README.md": "# Demo\n\nHub and more.\n", "new.txt": "new\n"})
	return r, second, last
}

func ask(t *testing.T, e experts.Expert, prompt string) core.Reply {
	t.Helper()
	reply, err := e.Answer(t.Context(), experts.Question{Prompt: prompt})
	if err != nil {
		t.Fatalf("%q: %v", prompt, err)
	}
	return reply
}

func text(t *testing.T, r core.Reply) string {
	t.Helper()
	b, err := json.Marshal(r.Data)
	if err != nil {
		t.Fatal(err)
	}
	return r.Message + "\n" + string(b)
}

// question is one in plain language about history.
type question struct {
	prompt string
	want   string // in the answer
	not    string
}

// plain are questions about the commits that history makes, of which those two
// are the second and the last.
func plain(second, last string) []question {
	return []question{
		{"show the last 5 commits", "say hello", ""},
		{"last 2 commits", "remove nothing much", "fix the lease"},
		{"git log", "start the project", "try a feature"},
		{"recent commits", "say hello", ""},
		{"tell me about the git log", "start the project", "0 commits"},
		{"who committed last?", "say hello", "remove nothing"},
		{"list the three latest commits", "fix the lease", "add the hub"},
		{"recent commits touching core/hub", "fix the lease timeout", "say hello"},
		{"commits touching hub.go", "add the hub", "say hello"},
		{"history of README.md", "add the hub", "fix the lease"},
		{"commits touching *.md", "add the hub", "fix the lease"},
		{"commits by Alice", "say hello", "add the hub"},
		{"commits by Alice since yesterday", "say hello", "fix the lease"},
		{"commits by bob", "add the hub", "say hello"},
		{"Alice's commits", "fix the lease", "add the hub"},
		{"what did Bob do?", "remove nothing", "say hello"},
		{"what did Alice Smith commit in the last 30 days?", "fix the lease", "start the project"},
		{"what happened today?", "say hello", "remove nothing"},
		{"what happened in the last 2 weeks", "remove nothing", "fix the lease"},
		{"what happened since v1.0?", "fix the lease", "add the hub"},
		{"commits since v1.1", "say hello", "remove nothing"},
		{"commits before yesterday", "remove nothing", "say hello"},
		{"commits about the lease", "fix the lease", "say hello"},
		{`commits mentioning "hub"`, "add the hub", "say hello"},
		{"commits on the feature branch", "try a feature", "say hello"},
		{"log of main..feature", "try a feature", "say hello"},
		{"how many commits are there?", `"count":5`, ""},
		{"how many commits did Alice make?", `"count":3`, ""},
		{"how many commits since v1.0", `"count":3`, ""},
		{"who wrote line 3 of core/hub/hub.go?", "Bob", "Alice"},
		{"who wrote line 4 of main.go", "say hello", "start the project"},
		{"blame main.go", "start the project", ""},
		{"blame README.md line 1", `"author":"Alice Smith"`, ""},
		{"who is responsible for main.go:4?", "say hello", ""},
		{"who changed lines 1-3 in hub.go", "remove nothing", ""},
		{"who changed README.md last?", "Bob", "Alice"},
		{"who last touched main.go", "Alice Smith", ""},
		{"when was core/hub/hub.go last changed?", "remove nothing", ""},
		{"who created README.md?", "Alice Smith", "Bob"},
		{"when was hub.go added", "add the hub", "fix"},
		{"who touched core/hub most?", `"author":"Bob","commits":2`, ""},
		{"list the contributors", "**Alice Smith**: 3 commits", ""},
		{"who works on this project?", "Bob", ""},
		{"who are the authors of main.go", "Alice", "Bob"},
		{"what changed in the last commit?", `"path":"docs/guide.md"`, "hub.go"},
		{"what changed in " + second[:8], `"path":"core/hub/hub.go"`, "guide.md"},
		{"what changed between main and feature?", `"path":"feature.go"`, ""},
		{"diff v1.0..v1.1", `"added":2`, "main.go"},
		{"compare v1.0 with main", "main.go", "feature.go"},
		{"what changed since v1.0 in core/hub", "hub.go", "main.go"},
		{"what changed in the last 2 commits", "hub.go", "README"},
		{"which files changed in the last commit", "docs/guide.md", "hub.go"},
		{"what changed today?", "docs/guide.md", "hub.go"},
		{"show commit " + second, "It keeps leases", ""},
		{second[:10], "add the hub", ""},
		{"show HEAD~1", "remove nothing", ""},
		{"show me the diff of the last commit", "docs/guide.md", "hub.go"},
		{"what is in commit " + last[:7], "say hello", ""},
		{"describe the latest commit", "say hello", ""},
		{"uncommitted changes?", `"path":"README.md"`, ""},
		{"git status", "new.txt", ""},
		{"is the working tree clean?", `"clean":false`, ""},
		{"what have I changed?", "README.md", ""},
		{"are there any untracked files", "untracked", ""},
		{"list branches", "feature", ""},
		{"what branch am I on?", `"current":"main"`, ""},
		{"list tags", "v1.1", ""},
		{"what is the latest release?", "v1.1", ""},
		{"who committed most recently?", "Alice Smith", "Bob"},
		{"what was the last thing Bob committed?", "remove nothing", "add the hub"},
		{"show me what Alice did in the last month", "fix the lease", "add the hub"},
		{"which files did the last commit touch?", "docs/guide.md", "hub.go"},
		{"how many lines were added since v1.0?", `"added":4`, ""},
		{"list all commits that changed main.go", "start the project", "hub"},
		{"when did we last touch the README?", "Bob", "Alice"},
		{"who is the most active contributor?", `"author":"Alice Smith","commits":3`, ""},
		{"did I forget to commit anything?", "new.txt", ""},
		{"how many people have worked on this?", `"total":2`, ""},
		{"what was changed by Bob?", "add the hub", "say hello"},
		{"show the history of the hub package", "add the hub", "say hello"},
		{"what did I miss since yesterday?", "say hello", "remove nothing"},
		{"which commit last changed line 4 of main.go?", "say hello", "start"},
		{"when did Bob last commit?", "remove nothing", "add the hub"},
		{"git log --oneline -3", "fix the lease", "add the hub"},
		{"anything new since yesterday?", "say hello", "remove"},
		{"which branch has the newest commit?", `"current":"main"`, ""},
		{"did Bob touch main.go?", "0 commits", "say hello"},
		{"show the commit that added docs/guide.md", "say hello", ""},
		{"when was docs/guide.md created and by whom?", "say hello", ""},
		{"what's Bob been up to?", "add the hub", "say hello"},
		{"who wrote feature.go on feature?", "try a feature", ""},
		{"is everything committed?", "new.txt", ""},
		{"how many files did the last commit change?", `"files":2`, ""},
		{"did anyone change docs this month?", "say hello", "hub"},
		{"how active was the project in the last 3 weeks?", "remove nothing", "add the hub"},
		{"commits by Alice and Bob", "**5 commits**", ""},
		{"diff main...feature", `"path":"feature.go"`, "guide.md"},
	}
}

// more are questions that need more than a list of commits.
func more() []question {
	return []question{
		{"who was the first to commit?", "Alice Smith", ""},
		{"when was this repository created?", "start the project", ""},
		{"who introduced the Timeout constant?", "fix the lease", ""},
		{"what's new on the feature branch compared to main?", "try a feature", "say hello"},
		{"what are the unmerged changes on feature?", "try a feature", "say hello"},
		{"show the previous commit", "remove nothing much", "say hello"},
		{"commits since March 3", "start the project", ""},
		{"commits between 2024-01-01 and 2024-02-01", "**0 commits**", ""},
		{"show the patch of the last commit", "docs/guide.md", ""},
		{"how many people changed README.md", "**2 authors**", ""},
		{"anything to commit", "new.txt", "say hello"},
		{"what's on feature that's not on main", "try a feature", "say hello"},
		{"who wrote the function main in main.go", "**Alice Smith**: 3 lines", "package"},
	}
}

func TestPlainQuestionsAreAnswered(t *testing.T) {
	r, second, last := history(t)
	e := git.New(r.dir)
	for _, tt := range append(plain(second, last), more()...) {
		t.Run(tt.prompt, func(t *testing.T) {
			got := ask(t, e, tt.prompt)
			if got.Status != core.StatusSuccess {
				t.Fatalf("status %s, want success: %s", got.Status, got.Message)
			}
			s := text(t, got)
			if !strings.Contains(s, tt.want) {
				t.Errorf("want %q in\n%s\n%s", tt.want, got.Thought, s)
			}
			if tt.not != "" && strings.Contains(s, tt.not) {
				t.Errorf("want no %q in\n%s\n%s", tt.not, got.Thought, s)
			}
			if got.Thought == "" {
				t.Error("no thought")
			}
		})
	}
}

func TestAPeriodMayBeginOrEndInAnyYear(t *testing.T) {
	r, _, _ := history(t)
	e := git.New(r.dir)
	for prompt, some := range map[string]bool{
		"commits since 0001-01-01": true, "commits since 1969-12-31": true, "commits since 2100-01-02": false, "commits since 9999-12-31": false,
		"commits before 0001-01-01": false, "commits before 1969-12-31": false, "commits before 2100-01-02": true, "commits before 9999-12-31": true,
	} {
		if got := text(t, ask(t, e, prompt)); strings.Contains(got, "say hello") != some {
			t.Errorf("%s: got %s", prompt, got)
		}
	}
}

func TestWhatIsNotUnderstoodIsAskedBack(t *testing.T) {
	r, _, _ := history(t)
	e := git.New(r.dir)
	for _, prompt := range []string{
		"", "?", "what is 12% of 840?", "tell me a joke", "🦜", strings.Repeat("x ", 5000),
		"commits per week", "commits by Al?ce", "commits by A[l]ice", "commits by lic", "commits by Zed", "what changed in the kitchen?", "who changed it last?",
		"who wrote the Iliad?", "who was the last king of France?", "commits in the last 5 minutes", "who deleted everything?", "when did the war change?", "blame the weather", "what is new in Paris?",
		"recent news about herons in Kenya", "first 3 commits", "what changed?", "new files since v1.0", "who wrote lines 2 and 4 of main.go", "commits on 2024-13-45",
	} {
		got := ask(t, e, prompt)
		if opts, _ := got.Data["options"].([]string); got.Status != core.StatusClarification || len(opts) < 2 {
			t.Errorf("%.30q: %s %s", prompt, got.Status, got.Message)
		}
	}
}

func TestWhatIsNotThereIsSaidInWords(t *testing.T) {
	r, _, _ := history(t)
	e := git.New(r.dir)
	for prompt, want := range map[string]string{
		"show commit deadbeef1":                "no commit",
		"what changed between main and nosuch": "no commit",
		"commits since v9.9":                   "no commit",
		"who changed it last?":                 "",
		"who wrote line 3 of nosuch.go":        "",
		"who wrote line 9999 of main.go":       "no such line",
		"diff --output=/tmp/x..main":           "",
	} {
		got := ask(t, e, prompt)
		if want != "" && (got.Status != core.StatusFailure || !strings.Contains(got.Message, want)) {
			t.Errorf("%q: %s %s", prompt, got.Status, got.Message)
		}
	}
	if got := ask(t, git.New(t.TempDir()), "last 5 commits"); got.Status != core.StatusFailure || !strings.Contains(got.Message, "not in a git repository") {
		t.Errorf("no repository: %s %s", got.Status, got.Message)
	}
	empty := newRepository(t)
	for _, prompt := range []string{"last 5 commits", "list branches", "status", "contributors", "what changed in the last commit", "how many commits", "first commit", "tags", "show HEAD"} {
		if got := ask(t, git.New(empty.dir), prompt); got.Message == "" || strings.Contains(got.Message, "exit status") {
			t.Errorf("empty repository, %q: %s %s", prompt, got.Status, got.Message)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if got := ask(t, e, "last 5 commits"); got.Status != core.StatusFailure || !strings.Contains(got.Message, "not installed") {
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
	if err := os.WriteFile(filepath.Join(r.dir, "a.txt"), []byte("three\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(filepath.Join(r.dir, ".git", "index"))
	if err != nil {
		t.Fatal(err)
	}
	e := git.New(r.dir)
	for _, prompt := range everyPrompt() {
		if got := ask(t, e, prompt); got.Status != core.StatusSuccess {
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
	if err := os.WriteFile(filepath.Join(elsewhere, "private.txt"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.git("", time.Now(), "config", "core.worktree", elsewhere)
	if got := ask(t, git.New(r.dir), "git status"); got.Status != core.StatusFailure || strings.Contains(text(t, got), "private.txt") {
		t.Errorf("%s %s", got.Status, got.Message)
	}
}

func TestAPromptIsNeverAnOption(t *testing.T) {
	r, _, _ := history(t)
	e := git.New(r.dir)
	out := filepath.Join(t.TempDir(), "out")
	for _, prompt := range []string{
		"diff --output=" + out, "log --output=" + out, "show commit --output=" + out, "what changed between --output=" + out + " and main", "compare main with --output=" + out,
		"commits by --output=" + out, "commits touching --output=" + out, "blame --contents=/etc/passwd", "who changed --output=" + out + " last", "commits about --output=" + out,
		`commits mentioning "--output=` + out + `"`, "show --upload-pack=" + out, "diff main..--output=" + out, "commits since --output=" + out, "show HEAD:../../etc/passwd", "commits on @{-1}",
		"blame /etc/passwd", "who wrote line 1 of ../../../../etc/passwd", "commits in :(exclude)*", "log -O/etc/passwd", "diff --no-index /etc/passwd /dev/null",
	} {
		got := ask(t, e, prompt)
		if _, err := os.Stat(out); err == nil {
			t.Fatalf("%q wrote a file", prompt)
		}
		if strings.Contains(text(t, got), "root:") {
			t.Fatalf("%q read a file: %s", prompt, got.Message)
		}
	}
}

func TestACancelledQuestionEndsWithItsContext(t *testing.T) {
	r, _, _ := history(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := git.New(r.dir).Answer(ctx, experts.Question{Prompt: "last 5 commits"}); err == nil {
		t.Error("no error")
	}
}

func TestGitIsKilledWhenTheQuestionIsCancelled(t *testing.T) {
	bin := t.TempDir()
	started := filepath.Join(bin, "started")
	if err := syscall.Mkfifo(started, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\necho $$ > "+started+"\nexec sleep 600\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := git.New(bin).Answer(ctx, experts.Question{Prompt: "last 5 commits"})
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
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("it is still running: %v", err)
		}
	}
}

func TestAPathWhoseSmallLettersAreLongerIsFound(t *testing.T) {
	r := newRepository(t)
	r.commit("Alice", "one", time.Now(), map[string]string{"İİİİ/b.txt": "x\n", "c/Ⱥ.txt": "x\n"})
	for _, name := range []string{"İİİİ", "b.txt", "Ⱥ.txt", "C"} {
		if got := ask(t, git.New(r.dir), "who changed "+name+" last?"); got.Status != core.StatusSuccess {
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
	e := git.New(r.dir)
	for _, prompt := range []string{"last 5 commits", "what changed in HEAD~1", "show me the diff of the last commit", "blame wide.txt", "status"} {
		got := ask(t, e, prompt)
		if got.Status != core.StatusSuccess {
			t.Errorf("%q: %s %s", prompt, got.Status, got.Message)
		}
		if n := len(text(t, got)); n > 200<<10 {
			t.Errorf("%q: %d bytes", prompt, n)
		}
	}
}

func FuzzAnyPromptGetsALegalReply(f *testing.F) {
	for _, s := range []string{"last 5 commits", "diff a..b", "who wrote line 1 of --x", "between and", "since", "commits by", "on 2024-13-45", "last 999999999999 days", "`", "show HEAD^{}"} {
		f.Add(s)
	}
	r, _, _ := history(f)
	e := git.New(r.dir)
	f.Fuzz(func(t *testing.T, prompt string) {
		reply, err := e.Answer(t.Context(), experts.Question{Prompt: prompt})
		if err != nil {
			t.Fatalf("%q: %v", prompt, err)
		}
		if _, ok := core.ParseStatus(string(reply.Status)); !ok || reply.Message == "" {
			t.Fatalf("%q: %+v", prompt, reply)
		}
	})
}
