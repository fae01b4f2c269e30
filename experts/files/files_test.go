package files_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/experts/expertstest"
	"github.com/yaap-chat/yaap/experts/files"
)

func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		b.WriteString("row " + string(rune('a'+i%26)) + "\n")
	}
	return b.String()
}

// project is a directory like a real one.
func project(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	expertstest.Write(t, dir, map[string]string{
		"README.md":                  "# Demo\n\nA lease is kept for 2 s.\nTODO: write more\n",
		"main.go":                    "package main\n\nfunc main() {\n\trun()\n}\n",
		"go.mod":                     "module demo\n\ngo 1.26\n",
		"config.yaml":                "port: 8080\nlease: 2s\n",
		"long.txt":                   numbered(1, 300),
		".env":                       "SECRET=1\n",
		".git/config":                "TODO in git\n",
		"node_modules/x/index.js":    "TODO vendored\n",
		"core/hub.go":                "package core\n\n// Join takes a lease.\nfunc Join() {}\n",
		"core/hub_test.go":           "package core\n\nfunc TestJoin() {} // TODO\n",
		"core/deep/settings.yaml":    "foo bar: 1\n",
		"docs/guide.md":              "# Guide\nfoo bar\n",
		"docs/with space.txt":        "spaced\n",
		"web/app.py":                 "import os\nprint('hi')\n",
		"web/config.go":              "package web\n",
		"assets/logo.png":            "\x89PNG\x00\x00",
		"assets/latin1.txt":          "caf\xe9 au lait\n",
		"empty.txt":                  "",
		"LICENSE":                    "Permission is granted\n",
		"scripts/deploy_prod-2.sh":   "echo deploy\n",
		"core/sub/one/two/Target.go": "package two\n\ntype Target struct{}\n",
	})
	return dir
}

func TestPlainQuestionsAreAnswered(t *testing.T) {
	expertstest.Answers(t, files.New(project(t)), "plain.txt", 54)
}

func TestWhatIsNotUnderstoodIsAskedBack(t *testing.T) {
	e := files.New(project(t))
	for _, prompt := range []string{
		"", "   ", "?", "what is 12% of 840?", "tell me a joke about herons", "🦜🦜🦜", "how are you", strings.Repeat("a b ", 5000),
		"what's the module name in go.mod?", "which country is the biggest?", "show main.go and README.md", "list core and docs", "where is it?", "how big is the universe",
		"what is the length of the Nile", "is it raining in Tokyo", "list the elephant files", "how many planets are there", "the last day of May", "where is Tokyo", "when does the shop open", "show the last 5 lines", "first 3 lines", "lines 1-3 and 5 of long.txt", "lines 2 and 5 of long.txt",
		"what changed in main.go yesterday?", "who wrote main.go", "first line", "how many rows does data.csv have", "give me an overview of the files in this project",
	} {
		got := expertstest.Ask(t, e, prompt)
		if got.Status != core.StatusClarification {
			t.Errorf("%.40q: status %s, want clarification_needed: %s", prompt, got.Status, got.Message)
		}
		if opts, _ := got.Data["options"].([]string); len(opts) < 2 {
			t.Errorf("%.40q: no examples: %v", prompt, got.Data)
		}
	}
}

func TestNothingLeadsOutOfTheDirectory(t *testing.T) {
	outside := t.TempDir()
	expertstest.Write(t, outside, map[string]string{"secret.txt": "hunter2 lease", "in/x": "y"})
	dir := filepath.Join(outside, "in")
	expertstest.Write(t, dir, map[string]string{"a.txt": "lease\n"})
	for name, target := range map[string]string{"link.txt": "../secret.txt", "up": "..", "abs": filepath.Join(outside, "secret.txt"), "loop": "loop"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	e := files.New(dir)
	for _, prompt := range []string{
		"show ../secret.txt", "cat " + outside + "/secret.txt", "show link.txt", "show up/secret.txt", "cat abs", "show loop",
		"list ..", "ls /", "list up", "find 'hunter2' in ../secret.txt", "grep hunter2", "which files mention hunter2?", "grep hunter2 in up",
		"how big is ../secret.txt", "first 3 lines of link.txt", "where is secret.txt", "find files named ../*", "find files named *.txt in ..",
		"show ./x/../../secret.txt", "show ~/.bashrc", "cat /etc/passwd", "show a.txt/../../secret.txt", "how many lines does abs have",
		"show file:///etc/passwd", "show \x00../secret.txt", "show %2e%2e/secret.txt", `show ..\secret.txt`, "largest files in ..", "largest files in up",
	} {
		got := expertstest.Ask(t, e, prompt)
		if s := expertstest.Text(t, got); strings.Contains(s, "hunter2 lease") || strings.Contains(s, "root:") || strings.Contains(s, `secret.txt"]`) {
			t.Errorf("%q: %s", prompt, s)
		}
	}
	if got := expertstest.Ask(t, e, "show ../secret.txt"); got.Status != core.StatusFailure || !strings.Contains(got.Message, "outside") {
		t.Errorf("a path out of the directory: %s %s", got.Status, got.Message)
	}
	if got := expertstest.Ask(t, e, "show "+filepath.Join(dir, "a.txt")); got.Status != core.StatusSuccess {
		t.Errorf("an absolute path into the directory: %s %s", got.Status, got.Message)
	}
}

func TestALinkSwappedInWhileReadingLeadsNowhere(t *testing.T) {
	outside := t.TempDir()
	expertstest.Write(t, outside, map[string]string{"secret.txt": "hunter2\n", "in/x": "fine\n", "in/y": "fine\n"})
	dir := filepath.Join(outside, "in")
	e := files.New(dir)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { // swap the file and the link for as long as it is read
		defer close(done)
		tmp := filepath.Join(dir, "tmp")
		for ctx.Err() == nil {
			_ = os.Symlink("../secret.txt", tmp)
			_ = os.Rename(tmp, filepath.Join(dir, "x"))
			_ = os.WriteFile(tmp, []byte("fine\n"), 0o600)
			_ = os.Rename(tmp, filepath.Join(dir, "x"))
		}
	}()
	for range 300 {
		if got := expertstest.Ask(t, e, "show x"); strings.Contains(expertstest.Text(t, got), "hunter2") {
			t.Fatalf("read a file outside: %s", expertstest.Text(t, got))
		}
	}
	cancel()
	<-done
}

func TestSpecialAndBinaryFilesAreNamedNotRead(t *testing.T) {
	dir := project(t)
	must.Fifo(t, filepath.Join(dir, "pipe"))
	e := files.New(dir)
	for _, prompt := range []string{"show pipe", "how many lines does pipe have", "last 3 lines of pipe", "find 'x' in pipe"} {
		if got := expertstest.Ask(t, e, prompt); strings.Contains(prompt, "show") && !strings.Contains(got.Message, "not a plain file") {
			t.Errorf("%q: %s", prompt, got.Message)
		}
	}
	if got := expertstest.Ask(t, e, "show assets/logo.png"); got.Status != core.StatusFailure || !strings.Contains(got.Message, "binary") || strings.Contains(got.Message, "PNG\x00") {
		t.Errorf("a binary file: %s %s", got.Status, got.Message)
	}
	if got := expertstest.Ask(t, e, "which files mention PNG?"); got.Data["total"] != 0.0 {
		t.Errorf("a binary file was searched: %s", expertstest.Text(t, got))
	}
	if got := expertstest.Ask(t, e, "how big is assets/logo.png"); !strings.Contains(got.Message, "binary") {
		t.Errorf("size of a binary file: %s", got.Message)
	}
}

func TestHowManyIsAnsweredWithTheNumberAlone(t *testing.T) {
	e := files.New(project(t))
	for prompt, want := range map[string]string{
		"how many go files are there?":         "**5 files** like `*.go` in this directory.",
		"how many files mention TODO?":         "**2 files** mention `TODO` (2 lines).",
		"count the markdown files in docs":     "**1 file** like `*.md` in `docs/`.",
		"how many files contain nothing-alike": "**Nothing** in this directory mentions `nothing-alike`.",
	} {
		if got := expertstest.Ask(t, e, prompt); got.Message != want {
			t.Errorf("%q: got %q, want %q", prompt, got.Message, want)
		}
	}
}

func TestLongAnswersAreCutAndSaySo(t *testing.T) {
	dir := t.TempDir()
	tree := map[string]string{"wide.txt": strings.Repeat("x", 1<<20) + "needle\n", "many.txt": strings.Repeat("needle\n", 500)}
	for i := range 312 {
		tree[filepath.Join("d", "f"+string(rune('a'+i/26))+string(rune('a'+i%26))+".go")] = "package d\n"
	}
	expertstest.Write(t, dir, tree)
	e := files.New(dir)
	for prompt, want := range map[string]string{
		"list the go files":                 "showing 50 of 312",
		"show many.txt":                     "lines 1-200** of 500",
		"grep needle in many.txt":           "showing 50 of 500",
		"read lines 5-400 of many.txt":      "lines 5-204** of 500",
		"show wide.txt":                     "…",
		"read lines 900-910 of many.txt":    "there is no line 900",
		"how many lines does many.txt have": "500 lines",
	} {
		got := expertstest.Ask(t, e, prompt)
		if !strings.Contains(got.Message, want) {
			t.Errorf("%q: want %q in %.300s", prompt, want, got.Message)
		}
		if b := expertstest.JSON(t, got); len(b) > 256<<10 {
			t.Errorf("%q: the reply has %d bytes", prompt, len(b))
		}
	}
}

func TestAHugeFileIsRefusedAtOnce(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "huge.log"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("first\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("\nlast\n"), 8<<30); err != nil { // sparse
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	e := files.New(dir)
	if got := expertstest.Ask(t, e, "grep last in huge.log"); got.Status != core.StatusFailure || !strings.Contains(got.Message, "too large") {
		t.Errorf("a search of what is not searched: %s %s", got.Status, got.Message)
	}
	start := time.Now()
	for _, prompt := range []string{"show huge.log", "how many lines does huge.log have", "last 2 lines of huge.log", "grep last", "how big is huge.log"} {
		expertstest.Ask(t, e, prompt)
	}
	if d := time.Since(start); d > 8*time.Second {
		t.Errorf("took %v", d)
	}
}

func TestACancelledQuestionEndsWithItsContext(t *testing.T) {
	expertstest.Cancelled(t, files.New(project(t)), "which files mention TODO")
}

func TestANameOfSeveralFilesIsAskedBack(t *testing.T) {
	dir := t.TempDir()
	expertstest.Write(t, dir, map[string]string{"a/x.go": "", "b/x.go": ""})
	got := expertstest.Ask(t, files.New(dir), "show x.go")
	if diff := cmp.Diff([]string{"a/x.go", "b/x.go"}, got.Data["options"]); diff != "" || got.Status != core.StatusClarification {
		t.Errorf("%s %s", got.Status, diff)
	}
}

func TestAMissingDirectoryAndFileAreSaidInWords(t *testing.T) {
	if got := expertstest.Ask(t, files.New(filepath.Join(t.TempDir(), "gone")), "list files"); got.Status != core.StatusFailure {
		t.Errorf("%+v", got)
	}
	for _, name := range []string{"nosuch.txt", "NOTICE"} {
		if got := expertstest.Ask(t, files.New(project(t)), "read "+name); got.Status != core.StatusFailure || !strings.Contains(got.Message, "no `"+name+"`") {
			t.Errorf("%+v", got)
		}
	}
}

func FuzzAnyPromptGetsALegalReply(f *testing.F) {
	dir := f.TempDir()
	expertstest.Write(f, dir, map[string]string{"a.txt": "one\ntwo\n"})
	expertstest.Fuzz(f, files.New(dir), math.MaxInt, "list files", "show ../x", "grep /(/ in *", "lines 1-99999999999 of a", "find files named [", "a.txt:9", "last 5 lines of", "line 00", "``", `"`)
}
