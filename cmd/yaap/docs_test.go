package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/docs"
)

// fence is a block of a document: what stands behind the three ticks, and the text.
var fence = regexp.MustCompile("(?ms)^```([^\n]*)\n(.*?)^```$")

// exits is what a command of a document says of its exit code.
var exits = regexp.MustCompile(`# exit (\d+)`)

// A document is followed from its first line to its last, in an empty directory: a
// block with the name of a file is that file, those of a shell are run, and each line of
// a block of output has to be in what they said, where … stands for anything.
func TestTheDocumentsAreTrue(t *testing.T) {
	for _, topic := range docs.Topics() {
		t.Run(topic, func(t *testing.T) {
			t.Parallel()
			text, _ := docs.Read(topic)
			follow(t, text)
		})
	}
	t.Run("README", func(t *testing.T) {
		t.Parallel()
		raw := must.Get(os.ReadFile("../../README.md"))(t)
		if n := strings.Count(string(raw), "\n"); n > 150 {
			t.Errorf("it has %d lines, and is for the first five minutes", n)
		}
		follow(t, string(raw))
	})
}

func follow(t *testing.T, text string) {
	dir, said := t.TempDir(), ""
	run := shellIn(t, dir)
	for _, at := range fence.FindAllStringSubmatchIndex(text, -1) {
		before, block := text[:at[0]], []string{text[at[0]:at[1]], text[at[2]:at[3]], text[at[4]:at[5]]}
		language, name, _ := strings.Cut(block[1], " ")
		body := block[2]
		if strings.Contains(name, ".") && !strings.Contains(before, name+"`") { // what stands behind the ticks is not shown
			t.Errorf("nothing before the block of %s says that it is that file", name)
		}
		switch {
		case language == "sh" && name == "":
			said = ""
			for _, script := range scripts(body) {
				said += run(script)
			}
		case language == "output":
			for line := range strings.Lines(body) {
				if want := strings.TrimSpace(line); !like(want).MatchString(said) {
					t.Errorf("%q is not in what the commands said:\n%s", want, said)
				}
			}
		case name == "config.yaml":
			write(t, filepath.Join(dir, ".config", "yaap", name), body)
			run("yaap config list")
		case strings.HasPrefix(name, "agents/"):
			write(t, filepath.Join(dir, ".config", "yaap", name), body)
			run(`yaap run "2+2"`)
		case name == "canned.yaml":
			write(t, filepath.Join(dir, name), body)
		case language == "yaml":
			write(t, filepath.Join(dir, name), body)
			run("yaap chain check " + name)
		case language == "go":
			write(t, filepath.Join(dir, name), body)
			compile(t, filepath.Join(dir, filepath.Dir(name)))
		case strings.Contains(name, "."):
			write(t, filepath.Join(dir, name), body)
		case language == "text", language == "" && name == "", language == "sh", language == "json", language == "python" && name == "", language == "js" && name == "sdk":
			// A picture, what is not run here, the frames of the wire, which its own tests read, and
			// what needs packages of npm.
		default:
			t.Errorf("the block ```%s is of no known kind", block[1])
		}
	}
}

// scripts are the commands of a block: one script, or one for each line where a line
// says what it exits with.
func scripts(block string) []string {
	if exits.MatchString(block) {
		return strings.Split(strings.TrimSpace(block), "\n")
	}
	return []string{"set -e\n" + block}
}

// like is a line of which … may be anything.
func like(line string) *regexp.Regexp {
	return regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(strings.ReplaceAll(line, "**", "")), "…", ".*"))
}

// shellIn returns a shell in a directory that is its home, with this program as yaap.
// What a command says is returned; the test fails where its exit code is not 0 or what
// the line says.
func shellIn(t *testing.T, dir string) func(line string) string {
	t.Helper()
	self := must.Get(os.Executable())(t)
	bin := t.TempDir()
	must.Do(t, os.Symlink(self, filepath.Join(bin, "yaap")))
	return func(line string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
		cmd.Dir = dir
		cmd.Env = []string{"HOME=" + dir, "PATH=" + bin + ":" + os.Getenv("PATH"), "LANG=C.UTF-8", "YAAP_BID_MS=10000", "GORACE=atexit_sleep_ms=10"}
		out, err := cmd.CombinedOutput()
		want := 0
		if m := exits.FindStringSubmatch(line); m != nil {
			want = int(m[1][0] - '0')
		}
		if code := cmd.ProcessState.ExitCode(); code != want {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
		return strings.ReplaceAll(string(out), "**", "")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
}

// compile builds a program of a document as one of this module. It is put into the
// directory, under its name.
func compile(t *testing.T, of string) {
	t.Helper()
	dir := must.Get(os.MkdirTemp(".", "document"))(t) //nolint:usetesting // it has to be within the module
	defer os.RemoveAll(dir)                           //nolint:errcheck // it is a directory for a while
	must.Do(t, os.CopyFS(dir, os.DirFS(of)))
	for _, args := range [][]string{{"build", "-o", filepath.Join(of, filepath.Base(of))}, {"test"}} {
		if out, err := exec.CommandContext(t.Context(), "go", append(args, "./"+dir)...).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}
