// Package expertstest is what the tests of experts share, for tests only: an
// expert is asked, and held to tables of questions.
package expertstest

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/plain"
)

// Ask returns the reply of an expert, which must not fail and must be JSON.
func Ask(tb testing.TB, e experts.Expert, prompt string, said ...core.Message) core.Reply {
	tb.Helper()
	reply, err := e.Answer(tb.Context(), experts.Question{Prompt: prompt, Context: said, Progress: func(string, float64) {}})
	if err != nil {
		tb.Fatalf("%.80q: %v", prompt, err)
	}
	JSON(tb, reply)
	return reply
}

// Text is all that a reply says, its data as JSON.
func Text(tb testing.TB, r core.Reply) string {
	tb.Helper()
	return r.Message + "\n" + JSON(tb, r.Data)
}

// JSON is a value as JSON.
func JSON(tb testing.TB, v any) string {
	tb.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		tb.Fatalf("it is not JSON: %v", err)
	}
	return string(b)
}

// Said is a conversation in which the user speaks first, and an expert answers.
func Said(texts ...string) (said []core.Message) {
	for i, text := range texts {
		said = append(said, core.Message{Role: []core.Role{core.RoleUser, core.RoleAssistant}[i%2], Text: text})
	}
	return said
}

// Write writes a tree of files below dir: from name to content.
func Write(tb testing.TB, dir string, tree map[string]string) {
	tb.Helper()
	for name, content := range tree {
		p := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(content), 0o600)); err != nil {
			tb.Fatal(err)
		}
	}
}

// Tool returns the path of a program that a test needs. Where there is none the
// test is skipped, in CI it fails.
func Tool(tb testing.TB, name string) string {
	tb.Helper()
	p, err := exec.LookPath(name)
	switch {
	case err != nil && os.Getenv("YAAP_CI") == "1":
		tb.Fatal(err)
	case err != nil:
		tb.Skip(err)
	}
	return p
}

// Introduction checks that an expert's introduction keeps its bounds, and that
// its examples are answered.
func Introduction(t *testing.T, e experts.Expert, name string) {
	t.Helper()
	if e.Name != name || len(e.Description) > 1024 || len(e.Examples) > 5 {
		t.Errorf("%q, %d characters, %d examples", e.Name, len(e.Description), len(e.Examples))
	}
	for _, example := range e.Examples {
		if reply := Ask(t, e, example); reply.Status != core.StatusSuccess {
			t.Errorf("example %q: %s", example, reply.Message)
		}
	}
}

// Cancelled checks that a question which was cancelled has no answer.
func Cancelled(t *testing.T, e experts.Expert, prompt string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Answer(ctx, experts.Question{Prompt: prompt, Progress: func(string, float64) {}}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// Fuzz checks that any prompt gets a legal reply, whose message has so many bytes
// at most.
func Fuzz(f *testing.F, e experts.Expert, most int, seeds ...string) {
	f.Helper()
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, prompt string) {
		reply := Ask(t, e, prompt)
		if _, ok := core.ParseStatus(string(reply.Status)); !ok || reply.Message == "" || len(reply.Message) > most {
			t.Fatalf("%q: status %q, a message of %d bytes", prompt, reply.Status, len(reply.Message))
		}
	})
}

// Bids times the bids on the questions of questions.txt, on the texts of
// others.txt, and on texts that a careless reader would spend seconds on.
func Bids(b *testing.B, e experts.Expert, hostile []string, names ...string) {
	b.Helper()
	asked := Lines(b, "questions.txt")
	for i, line := range asked {
		asked[i], _, _ = strings.Cut(strings.NewReplacer(names...).Replace(line), " => ")
	}
	for name, texts := range map[string][]string{"questions": asked, "others": Lines(b, "others.txt"), "hostile": hostile} {
		b.Run(name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				e.Bid(b.Context(), texts[i%len(texts)], nil)
			}
		})
	}
}

// Replies checks that what the package says has words in every language, and
// that they are filled in alike.
func Replies(t *testing.T, translators map[string]plain.Translator) {
	t.Helper()
	said := map[string]bool{}
	names, err := filepath.Glob("*.go")
	for _, name := range names {
		source, readErr := os.ReadFile(name)
		err = errors.Join(err, readErr)
		for _, m := range regexp.MustCompile(`\b(?:[tv]|translator)\.(?:Say|Count)\((?:[\w.()]+, )?"((?:[^"\\]|\\.)+)"`).FindAllStringSubmatch(string(source), -1) {
			said[m[1]] = !strings.HasSuffix(name, "_test.go")
		}
	}
	if err != nil || len(said) == 0 {
		t.Fatal(err, said)
	}
	for id, translator := range translators {
		for text := range said {
			if other, ok := translator.Words[text]; !ok {
				t.Errorf("%s has no words for %q", id, text)
			} else if blanks(other) != blanks(text) && !strings.Contains(other, "%[") {
				t.Errorf("%s fills in %q otherwise than %q", id, other, text)
			}
		}
	}
}

func blanks(text string) string {
	return strings.Join(regexp.MustCompile(`%[a-z]`).FindAllString(text, -1), "")
}
