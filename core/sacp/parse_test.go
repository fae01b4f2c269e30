package sacp_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/sacp"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

// replyCase is one case of testdata/*.txt: after "=== name" the raw text, after
// "---" how it is read, or the error.
type replyCase struct{ name, raw, want string }

func readCases(t testing.TB, file string) []replyCase {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases []replyCase
	for part := range strings.SplitSeq("\n"+string(text), "\n=== ") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		name, rest, _ := strings.Cut(part, "\n")
		raw, want, _ := strings.Cut(rest, "\n---\n")
		cases = append(cases, replyCase{name, strings.TrimSuffix(raw, "\n"), strings.TrimSpace(want)})
	}
	return cases
}

func files(t testing.TB) []string {
	t.Helper()
	names, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("no test data: %v", err)
	}
	return names
}

func outcome(t *testing.T, raw string) string {
	t.Helper()
	res, err := sacp.Parse(raw)
	if err != nil {
		return "error: " + err.Error()
	}
	var b bytes.Buffer
	if err := json.Indent(&b, sacp.Marshal(res.Reply), "", "  "); err != nil {
		t.Fatal(err)
	}
	if len(res.Steps) > 0 {
		b.WriteString("\nsteps: " + strings.Join(res.Steps, ", "))
	}
	for _, w := range res.Warnings {
		b.WriteString("\nwarning: " + w)
	}
	return b.String()
}

func TestEveryReplyIsReadAsItsAuthorMeantIt(t *testing.T) {
	for _, file := range files(t) {
		cases := readCases(t, file)
		var out strings.Builder
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				got := outcome(t, c.raw)
				out.WriteString("=== " + c.name + "\n" + c.raw + "\n---\n" + got + "\n\n")
				if diff := cmp.Diff(c.want, got); diff != "" && !*update {
					t.Errorf("%s\n(-want +got)\n%s", c.raw, diff)
				}
			})
		}
		if *update {
			if err := os.WriteFile(file, []byte(out.String()), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestAnErrorIsOfTheModel(t *testing.T) {
	_, err := sacp.Parse("no")
	var e *core.Error
	if !errors.As(err, &e) || e.Code != core.CodeModelBehavior || e.Err != nil {
		t.Errorf("got %#v", err)
	}
}
