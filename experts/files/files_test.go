package files_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"yaap/core"
	"yaap/experts"
	"yaap/experts/files"
)

// write puts files below dir: name to content.
func write(t *testing.T, dir string, tree map[string]string) {
	t.Helper()
	for name, content := range tree {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

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
	write(t, dir, map[string]string{
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

func ask(t *testing.T, e experts.Expert, prompt string) core.Reply {
	t.Helper()
	reply, err := e.Answer(t.Context(), experts.Question{Prompt: prompt})
	if err != nil {
		t.Fatalf("%q: %v", prompt, err)
	}
	if _, err := json.Marshal(reply); err != nil {
		t.Fatalf("%q: the reply is not JSON: %v", prompt, err)
	}
	return reply
}

// text is all that a reply says.
func text(r core.Reply) string {
	b, _ := json.Marshal(r.Data) // it was marshalled before
	return r.Message + "\n" + string(b)
}

// plain are questions in plain language about the files of project.
var plain = []struct {
	prompt string
	want   string // in the message or the data
	not    string
}{
	{"what files are here?", `core/`, "hub.go"},
	{"list files", "README.md", ".env"},
	{"ls", "main.go", ""},
	{"ls core", "core/hub.go", "README"},
	{"list the go files in core", "core/hub.go", "main.go"},
	{"list *.md", "docs/guide.md", "main.go"},
	{"list all markdown files", "docs/guide.md", "main.go"},
	{"show me all yaml files", "core/deep/settings.yaml", "main.go"},
	{"what's in docs?", "docs/guide.md", "main.go"},
	{"what is in the core directory", "core/hub.go", "main.go"},
	{"which python files are there", "web/app.py", "main.go"},
	{"list .git", ".git/config", "README"},
	{"show README.md", "A lease is kept", ""},
	{"please show me the readme", "A lease is kept", ""},
	{"cat main.go", "package main", ""},
	{"what is in go.mod?", "module demo", ""},
	{"can you open config.yaml for me?", "port: 8080", ""},
	{"read the file core/hub.go", "Join takes", ""},
	{"main.go", "package main", ""},
	{`read "docs/with space.txt"`, "spaced", ""},
	{"show hub_test.go", "TestJoin", ""},
	{"read lines 2-3 of long.txt", `"lines":["row c","row d"]`, ""},
	{"show lines 2 to 3 from long.txt", `"lines":["row c","row d"]`, ""},
	{"line 3 of main.go", "func main", "package"},
	{"main.go:3-4", "run()", "package"},
	{"main.go lines 1-2", "package main", "run()"},
	{"first 2 lines of README.md", `"lines":["# Demo",""]`, ""},
	{"show the first line of go.mod", `"lines":["module demo"]`, ""},
	{"last 2 lines of config.yaml", `"lines":["port: 8080","lease: 2s"]`, ""},
	{"tail -n 1 long.txt", `"first":300`, ""},
	{"head long.txt", `row k`, "row l"},
	{"show the top three lines of long.txt", `"lines":["row b","row c","row d"]`, ""},
	{"find files named *.yaml", "core/deep/settings.yaml", "main.go"},
	{"where is config.go?", "web/config.go", ""},
	{"where is the file settings.yaml", "core/deep/settings.yaml", ""},
	{"find Target.go", "core/sub/one/two/Target.go", ""},
	{"locate target.go", "core/sub/one/two/Target.go", ""},
	{"is there a file called guide.md?", "docs/guide.md", ""},
	{"does go.mod exist?", "go.mod", ""},
	{"find 'lease' in README.md", `"line":3`, "hub.go"},
	{"which files mention TODO?", "README.md", "node_modules"},
	{"which go files mention lease", "core/hub.go", "README.md"},
	{"grep func main", `"path":"main.go"`, ""},
	{"grep -rn lease core", `"path":"core/hub.go"`, "README"},
	{`search for "foo bar" in *.yaml`, "core/deep/settings.yaml", "docs"},
	{"search for lease", "core/hub.go", ""},
	{"where is Join defined?", "core/hub.go", ""},
	{"find all occurrences of TODO in core", "core/hub_test.go", "README"},
	{"show lines containing lease in config.yaml", `"line":2`, "README"},
	{"does README.md mention lease?", `"line":3`, "hub"},
	{"look for the word lease in core", "core/hub.go", "README"},
	{"search core for TODO", "core/hub_test.go", "README"},
	{"what does the README say about lease?", `"line":3`, "hub"},
	{"how big is README.md", `"bytes":`, ""},
	{"how many lines does long.txt have?", `"lines":300`, ""},
	{"count the lines in main.go", `"lines":5`, ""},
	{"wc -l long.txt", `"lines":300`, ""},
	{"how many lines are in go.mod", `"lines":3`, ""},
	{"what is the size of config.yaml?", `"bytes":21`, ""},
	{"how many go files are there?", `"total":5`, ""},
	{"how many lines of code are in core", `"files":4`, ""},
	{"show empty.txt", "empty", ""},
	{"show assets/latin1.txt", "caf\ufffd", ""},
	{"could you list everything in the docs folder?", "docs/guide.md", "main.go"},
	{"I want to read the beginning of long.txt", "row k", "row l"},
	{"what's on line 2 of config.yaml?", "lease: 2s", "port"},
	{"show me line 5 to line 8 of long.txt", "lines 5-8", ""},
	{"any python code in here?", "web/app.py", "main.go"},
	{"how many markdown files do we have?", `"total":2`, ""},
	{"where do we use TODO in the go code?", "core/hub_test.go", "README"},
	{"print the contents of web/app.py", "import os", ""},
	{"do any yaml files mention port?", "config.yaml", "settings"},
	{"what does config.yaml contain", "port: 8080", ""},
	{"look in core for Join", "core/hub.go", ""},
	{"what kind of files are in the assets folder?", "assets/logo.png", "main.go"},
	{"in main.go, what does line 3 say?", "func main", "package"},
	{"hey, what have we got in this folder?", "README.md", ""},
	{`does any file contain the phrase "foo bar"?`, "docs/guide.md", "main.go"},
	{"find me the logo", "assets/logo.png", ""},
	{"are there any csv files?", `"total":0`, ""},
	{"list files in core recursively", "core/sub/one/two/Target.go", "main.go"},
	{"tail -5 README.md", "# Demo", ""},
	{"can you find the definition of Join?", "core/hub.go", ""},
	{"whats in the core dir", "core/hub.go", "main.go"},
	{`find "TODO" but only in markdown files`, "README.md", "hub_test"},
	{"show main.go from line 2 to 4", "lines 2-4", "package"},
	{"how large is the assets directory?", `"files":2`, ""},
	{"list the folders", "core/", ""},
	{"read LICENSE", "Permission is granted", ""},
	{"read license", "Permission is granted", ""},
	{"cat README.md", "A lease is kept", ""},
	{"list files matching *.md", "docs/guide.md", "main.go"},
	{"which files have more than 9 lines", "long.txt", "README"},
	{"which of the files here is the biggest?", "long.txt", ""},
	{"look up where Join is declared", "core/hub.go", "hub_test"},
	{`is the word "lease" anywhere in core?`, "core/hub.go", "README"},
	{"show me everything that ends with .yaml", "settings.yaml", "README"},
	{"I'm looking for a file called settings", "settings.yaml", ""},
	{`is "port" set in config.yaml?`, "port: 8080", ""},
	{"does the readme talk about lease", "A lease is kept", ""},
	{"which file has the most lines", "**`long.txt`**", ""},
	{"which files contain both TODO and lease", "all of them are in `README.md`", ""},
	{"files without TODO", "main.go", "README"},
	{"is hub.go in core", "**Yes**", ""},
	{"does core contain hub.go", "**Yes**", "Nothing"},
	{"is there a main.go in core", "**No**", "Yes"},
	{"second line of config.yaml", "lease: 2s", "port"},
	{"how many times does lease appear in README.md?", "**1 time**", ""},
}

func TestPlainQuestionsAreAnswered(t *testing.T) {
	e := files.New(project(t))
	for _, tt := range plain {
		t.Run(tt.prompt, func(t *testing.T) {
			got := ask(t, e, tt.prompt)
			if got.Status != core.StatusSuccess {
				t.Fatalf("status %s, want success: %s", got.Status, got.Message)
			}
			if !strings.Contains(text(got), tt.want) {
				t.Errorf("want %q in\n%s", tt.want, text(got))
			}
			if tt.not != "" && strings.Contains(text(got), tt.not) {
				t.Errorf("want no %q in\n%s", tt.not, text(got))
			}
			if got.Thought == "" {
				t.Error("no thought")
			}
		})
	}
}

func TestWhatIsNotUnderstoodIsAskedBack(t *testing.T) {
	e := files.New(project(t))
	for _, prompt := range []string{
		"", "   ", "?", "what is 12% of 840?", "tell me a joke about herons", "🦜🦜🦜", "how are you", strings.Repeat("a b ", 5000),
		"what's the module name in go.mod?", "which country is the biggest?", "show main.go and README.md", "list core and docs", "where is it?", "how big is the universe",
		"what is the length of the Nile", "is it raining in Tokyo", "list the elephant files", "how many planets are there", "the last day of May", "where is Tokyo", "when does the shop open", "show the last 5 lines", "first 3 lines", "lines 1-3 and 5 of long.txt", "lines 2 and 5 of long.txt",
		"what changed in main.go yesterday?", "who wrote main.go", "first line", "how many rows does data.csv have", "give me an overview of the files in this project",
	} {
		got := ask(t, e, prompt)
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
	write(t, outside, map[string]string{"secret.txt": "hunter2 lease", "in/x": "y"})
	dir := filepath.Join(outside, "in")
	write(t, dir, map[string]string{"a.txt": "lease\n"})
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
		got := ask(t, e, prompt)
		if s := text(got); strings.Contains(s, "hunter2 lease") || strings.Contains(s, "root:") || strings.Contains(s, `secret.txt"]`) {
			t.Errorf("%q: %s", prompt, s)
		}
	}
	if got := ask(t, e, "show ../secret.txt"); got.Status != core.StatusFailure || !strings.Contains(got.Message, "outside") {
		t.Errorf("a path out of the directory: %s %s", got.Status, got.Message)
	}
	if got := ask(t, e, "show "+filepath.Join(dir, "a.txt")); got.Status != core.StatusSuccess {
		t.Errorf("an absolute path into the directory: %s %s", got.Status, got.Message)
	}
}

func TestALinkSwappedInWhileReadingLeadsNowhere(t *testing.T) {
	outside := t.TempDir()
	write(t, outside, map[string]string{"secret.txt": "hunter2\n", "in/x": "fine\n", "in/y": "fine\n"})
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
		if got := ask(t, e, "show x"); strings.Contains(text(got), "hunter2") {
			t.Fatalf("read a file outside: %s", text(got))
		}
	}
	cancel()
	<-done
}

func TestSpecialAndBinaryFilesAreNamedNotRead(t *testing.T) {
	dir := project(t)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := files.New(dir)
	for _, prompt := range []string{"show pipe", "how many lines does pipe have", "last 3 lines of pipe", "find 'x' in pipe"} {
		if got := ask(t, e, prompt); strings.Contains(prompt, "show") && !strings.Contains(got.Message, "not a plain file") {
			t.Errorf("%q: %s", prompt, got.Message)
		}
	}
	if got := ask(t, e, "show assets/logo.png"); got.Status != core.StatusFailure || !strings.Contains(got.Message, "binary") || strings.Contains(got.Message, "PNG\x00") {
		t.Errorf("a binary file: %s %s", got.Status, got.Message)
	}
	if got := ask(t, e, "which files mention PNG?"); got.Data["total"] != 0.0 {
		t.Errorf("a binary file was searched: %s", text(got))
	}
	if got := ask(t, e, "how big is assets/logo.png"); !strings.Contains(got.Message, "binary") {
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
		if got := ask(t, e, prompt); got.Message != want {
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
	write(t, dir, tree)
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
		got := ask(t, e, prompt)
		if !strings.Contains(got.Message, want) {
			t.Errorf("%q: want %q in %.300s", prompt, want, got.Message)
		}
		if b, _ := json.Marshal(got); len(b) > 256<<10 {
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
	if got := ask(t, e, "grep last in huge.log"); got.Status != core.StatusFailure || !strings.Contains(got.Message, "too large") {
		t.Errorf("a search of what is not searched: %s %s", got.Status, got.Message)
	}
	start := time.Now()
	for _, prompt := range []string{"show huge.log", "how many lines does huge.log have", "last 2 lines of huge.log", "grep last", "how big is huge.log"} {
		ask(t, e, prompt)
	}
	if d := time.Since(start); d > 8*time.Second {
		t.Errorf("took %v", d)
	}
}

func TestACancelledQuestionEndsWithItsContext(t *testing.T) {
	e := files.New(project(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Answer(ctx, experts.Question{Prompt: "which files mention TODO"}); err == nil {
		t.Error("no error")
	}
}

func TestANameOfSeveralFilesIsAskedBack(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a/x.go": "", "b/x.go": ""})
	got := ask(t, files.New(dir), "show x.go")
	if diff := cmp.Diff([]string{"a/x.go", "b/x.go"}, got.Data["options"]); diff != "" || got.Status != core.StatusClarification {
		t.Errorf("%s %s", got.Status, diff)
	}
}

func TestAMissingDirectoryAndFileAreSaidInWords(t *testing.T) {
	if got := ask(t, files.New(filepath.Join(t.TempDir(), "gone")), "list files"); got.Status != core.StatusFailure {
		t.Errorf("%+v", got)
	}
	for _, name := range []string{"nosuch.txt", "NOTICE"} {
		if got := ask(t, files.New(project(t)), "read "+name); got.Status != core.StatusFailure || !strings.Contains(got.Message, "no `"+name+"`") {
			t.Errorf("%+v", got)
		}
	}
}

func FuzzAnyPromptGetsALegalReply(f *testing.F) {
	for _, s := range []string{"list files", "show ../x", "grep /(/ in *", "lines 1-99999999999 of a", "find files named [", "a.txt:9", "last 5 lines of", "line 00", "``", `"`} {
		f.Add(s)
	}
	dir := f.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\n"), 0o600); err != nil {
		f.Fatal(err)
	}
	e := files.New(dir)
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
