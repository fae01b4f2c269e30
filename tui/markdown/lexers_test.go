package markdown

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
	all "github.com/alecthomas/chroma/v2/lexers"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the files of lexers anew; an empty file asks for a language")

func TestTheLexersAreThoseOfChroma(t *testing.T) {
	files, err := fs.Glob(lexerFiles, "lexers/*.xml")
	if err != nil || len(files) == 0 {
		t.Fatal("no lexers:", err)
	}
	for _, file := range files {
		lang := strings.TrimSuffix(filepath.Base(file), ".xml")
		want := fileOf(t, chromas(t, lang))
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := fs.ReadFile(lexerFiles, file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s is not chroma's: go test ./tui/markdown -update (-want +got):\n%s", file, diff)
		}
		if lexers().Get(lang) == nil {
			t.Errorf("%s colours no code of %q", file, lang)
		}
	}
}

// fileOf is the file of a lexer, its states by their names.
func fileOf(t *testing.T, lexer *chroma.RegexLexer) string {
	text, err := chroma.Marshal(lexer)
	if err != nil {
		t.Fatal(lexer.Config().Name, err)
	}
	state := regexp.MustCompile(`(?s) *<state name=.*?</state>\n`)
	states := state.FindAllString(string(text), -1)
	slices.Sort(states)
	at := state.FindStringIndex(string(text))[0]
	return string(text[:at]) + strings.Join(states, "") + state.ReplaceAllString(string(text[at:]), "") + "\n"
}

// chromas returns chroma's lexer of a language. The text between the backquotes of Go
// is a string; chroma reads a template in it, by a function that no file can hold.
func chromas(t *testing.T, lang string) *chroma.RegexLexer {
	lexer, ok := all.Get(lang).(*chroma.RegexLexer)
	if !ok {
		t.Fatalf("chroma has no lexer of %s that a file can hold", lang)
	}
	if lang != "go" {
		return lexer
	}
	return chroma.MustNewLexer(lexer.Config(), func() chroma.Rules {
		rules := lexer.MustRules()
		for i, rule := range rules["root"] {
			if strings.HasPrefix(rule.Pattern, "(`)") {
				rules["root"][i] = chroma.Rule{Pattern: rule.Pattern, Type: chroma.LiteralString}
			}
		}
		return rules
	})
}

func TestCodeIsColouredAsChromaTellsIt(t *testing.T) {
	for lang, code := range map[string]string{
		"go":         "package main\n\n// x\nfunc main() { s := `raw`; println(len(s), 1.5, \"a\") }\n",
		"python":     "def f(x: int) -> str:\n    # why\n    return f\"{x!r} {1.5}\"\n",
		"html":       "<p class=\"a\">x</p><script>let a = 1</script><style>p { color: red }</style>\n",
		"dockerfile": "FROM alpine:3\nRUN apk add git && echo \"$HOME\"\n",
		"tsx":        "const a: number = <div>{x}</div>;\n",
		"yml":        "a: [1, true] # why\n",
		"sh":         "for f in *.go; do echo \"$f\"; done\n",
	} {
		want, err := chroma.Tokenise(chroma.Coalesce(all.Get(lang)), nil, code)
		if err != nil {
			t.Fatal(lang, err)
		}
		got, err := chroma.Tokenise(chroma.Coalesce(lexers().Get(lang)), nil, code)
		if err != nil {
			t.Fatal(lang, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-chroma +here):\n%s", lang, diff)
		}
	}
}
