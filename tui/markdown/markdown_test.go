package markdown

import (
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	xansi "github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

var dark = Style{Color: true, Dark: true}

func everything() map[string]string {
	all := maps.Clone(constructs)
	maps.Copy(all, linked)
	return all
}

// texts strips the rows of colours and links.
func texts(rows []string) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i] = xansi.Strip(row)
	}
	return out
}

func TestRenderLaysOutMarkdown(t *testing.T) {
	for name, want := range map[string]string{
		"headings":          "One\n\nTwo\n\ntext\n\nThree\n\nFour",
		"inline":            "Some emph, strong, both, gone,\ncode, &lt; and a * star.",
		"hard breaks":       "one\ntwo\nthree",
		"nested list":       "• one\n  • two\n    • three\n  • two\n• one",
		"loose ordered":     "1. one\n\n   more\n\n2. two",
		"list continuation": "• one\n\n  more of one\n\n    code in one\n\n• two\n  lazy",
		"task list":         "☑ done\n☐ open",
		"fence":             "  func main() {\n\n      println(\"hi\") // there\n  }",
		"fence after text":  "text\n\n  code\n\ntext",
		"fence in a list":   "• one\n\n    ls\n\n    pwd\n\n• two",
		"quote with a list": "│ • one\n│   two\n│\n│ │ deeper",
		"table":             "a           b\none         1\ntwo words   2",
		"rule":              "one\n\n" + strings.Repeat("─", 34) + "\n\ntwo\n\n" + strings.Repeat("─", 34) + "\n\n" + strings.Repeat("─", 34),
		"definition list":   "Term\n  one\n  two\n\nTerm two\n  three\n\n  more",
		"inline html":       "a b bold & <tag> ©",
		"CJK":               "日本語のテキストはとても長いので、\nここで折り返す必要があります。한국\n어도 있습니다.",
		"definition after":  "A ref https://example.org/after, a\ntext https://example.org/after and\n[none].\n\nMore.",
	} {
		t.Run(name, func(t *testing.T) {
			got := strings.Join(texts(Render(everything()[name], 34, dark)), "\n")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("of %q (-want +got):\n%s", everything()[name], diff)
			}
		})
	}
}

func TestRenderKeepsPlainTextPlain(t *testing.T) {
	for name, src := range everything() {
		for _, row := range Render(src, 60, Style{}) {
			if strings.ContainsRune(row, '\x1b') {
				t.Errorf("%s: %q has an escape sequence", name, row)
			}
		}
	}
	if diff := cmp.Diff([]string{"## Two", "", "is `code`, strong"}, Render("## Two\nis `code`, **strong**", 60, Style{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What a program writes is no Markdown: names, globs and formulas have its marks.
func TestMarksWithinNamesGlobsAndFormulasStay(t *testing.T) {
	for _, src := range []string{
		"[FILE] __init__.py", "def __init__(self):", `if __name__ == "__main__":`, "tests/__pycache__/a.pyc", "__all__ = []", "__slots__[0]",
		"2*3*4", "2**3**4", "src/*/foo/*.go", "a*b*c", "10~20 or 20~30", "/_next/_app", "~/a~b",
	} {
		if diff := cmp.Diff([]string{src}, Render(src, 60, dark)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	for src, want := range map[string]string{
		"**Daten**bank":             "\x1b[1mDaten\x1b[mbank",
		"*one*, (_two_) __Bold__.":  "\x1b[3mone\x1b[m, (\x1b[3mtwo\x1b[m) \x1b[1mBold\x1b[m.",
		"这是*重要*的":                   "这是\x1b[3m重要\x1b[m的",
		"__very bold__ ~gone~":      "\x1b[1mvery bold\x1b[m \x1b[9mgone\x1b[m",
		"***both***":                "\x1b[1;3mboth\x1b[m",
		"**`code` of __init__.py**": "\x1b[38;2;227;179;65;1mcode\x1b[m\x1b[1m of __init__.py\x1b[m",
	} {
		if diff := cmp.Diff([]string{want}, Render(src, 60, dark)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", src, diff)
		}
	}
}

func TestRowsFitEveryWidth(t *testing.T) {
	for name, src := range everything() {
		for _, width := range []int{1, 2, 3, 7, 12, 20, 33, 80, 200} {
			for _, style := range []Style{{}, dark} {
				checkRows(t, name, Render(src, width, style), width)
			}
		}
	}
}

func checkRows(t *testing.T, name string, rows []string, width int) {
	t.Helper()
	for _, row := range rows {
		if w := xansi.StringWidth(row); w > width {
			t.Errorf("%s: %q has %d cells, not %d", name, row, w, width)
		}
		if bare := xansi.Strip(row); strings.TrimRight(bare, " ") != bare {
			t.Errorf("%s: %q ends in blanks", name, row)
		}
		if left := allowed.ReplaceAllString(row, ""); strings.ContainsFunc(left, func(r rune) bool { return r < ' ' || 0x7f <= r && r < 0xa0 }) {
			t.Errorf("%s: %q has controls", name, row)
		}
		for _, m := range links.FindAllStringSubmatch(row, -1) {
			if shown := xansi.Strip(m[2]); !strings.Contains(m[1], shown) {
				t.Errorf("%s: %q leads to %q", name, shown, m[1])
			}
		}
	}
}

var allowed = regexp.MustCompile(`\x1b\[[0-9;:]*m|\x1b\]8;[!-:<-~]*;((https?://|mailto:)[!-~]*)?\x1b\\`)

func TestNarrowTablesKeepAllTheirCells(t *testing.T) {
	for _, width := range []int{20, 33, 80} {
		got := strings.Join(texts(Render(constructs["wide table"], width, dark)), " ")
		for _, cell := range []string{"1", "8", "nine", "ten"} {
			if !strings.Contains(got, cell) {
				t.Errorf("at %d cells %q is missing:\n%s", width, cell, got)
			}
		}
	}
}

func TestNoMarkdownReachesTheTerminalAsASequence(t *testing.T) {
	for name, src := range map[string]string{
		"an entity that is an escape":      "a &#27;]52;c;cm0gLXJm&#7; b",
		"a hexadecimal entity":             "a &#x1b;]0;pwned&#x9c; b &#x9b;2J",
		"entities in code":                 "`&#27;]52;c;eA==&#7;` and\n\n    &#27;[2J",
		"entities in a table":              "| &#27;[2J | b |\n|-|-|\n| &#27;]0;x&#7; | &#8238;x |",
		"entities in a link":               "[&#27;[2J](https://example.org/&#27;[2J)",
		"entities in a link target":        "[a](https://example.org/&#27;]52;c;eA==&#7;)",
		"entities with too many parameter": "&#27;[" + strings.Repeat(";1", 60) + "m x",
		"a bidi entity":                    "a &#8238; b &#x200b; c &#xE0041; d",
		"sequences in code":                "```\n\x1b]52;c;eA==\x07\x1b[2J\n```",
		"sequences in text":                "\x1b]52;c;eA==\x07\u009b2J\x9b2J *\x1bc*",
		"links that run programs":          "[a](javascript:x) [b](file:///x) [c](ssh://x) <vbscript:x>",
		"an info string":                   "```\x1b]0;x\x07go&#27;[2J\nx\n```",
	} {
		t.Run(name, func(t *testing.T) {
			rows := Render(src, 60, dark)
			checkRows(t, name, rows, 60)
			for _, row := range rows {
				if strings.ContainsAny(row, "\u202e\u200b\U000e0041") {
					t.Errorf("%q hides something", row)
				}
			}
		})
	}
}

func TestOnlyMarkdownStylesText(t *testing.T) {
	for name, tt := range map[string]struct{ src, want string }{
		"hidden by a reference":   {"a &#27;[8mb&#x1b;[0m &#155;31mc", "a [8mb[0m ›31mc"},
		"a link by a reference":   {"&#27;]8;;https://evil.example&#27;\\bank&#7;", "]8;;https://evil.example\\bank"},
		"in strong words":         {"**&#27;[8mb** ~~&#27;[8mc~~ _&#27;[7md_", "\x1b[1m[8mb\x1b[m \x1b[9m[8mc\x1b[m \x1b[3m[7md\x1b[m"},
		"in code":                 {"`&#27;[8mb`", "\x1b[38;2;227;179;65m&#27;[8mb\x1b[m"},
		"in a heading":            {"### &#27;[8mb", "\x1b[1m[8mb\x1b[m"},
		"in markup":               {"<p>&#27;[8mb</p>", "\x1b[38;2;157;167;179m&#27;[8mb\x1b[m"},
		"in a table":              {"|a|\n|-|\n|&#27;[8mb|", "\x1b[38;2;157;167;179ma\x1b[m\n[8mb"},
		"of two references":       {"&amp;#27;[8mb", "&#27;[8mb"},
		"invisible characters":    {"a&shy;b&zwnj;c&#xE0041;d&#xFE0F;e&NoBreak;f", "abcdef"},
		"direction":               {"a&#x202e;b&#x2066;c&rlm;", "a\ufffdb\ufffdc"},
		"line breaks":             {"a&#10;b&#x2028;c", "a b c"},
		"a mark on nothing":       {"&#x301;a", "a"},
		"comments are seen":       {"a <!-- do as I say --> b", "a \x1b[38;2;157;167;179m<!-- do as I say -->\x1b[m b"},
		"attributes are seen":     {"<b><a href=https://evil.example>bank</a></b>", "\x1b[38;2;157;167;179m<a href=https://evil.example>\x1b[mbank"},
		"an escaped mark":         {`\&#27;\[8mb`, "&#27;[8mb"},
		"backslashes":             {"C:\\dir\\_x \\\\\\\\* `\\*` ~~\\\\_~~", "C:\\dir_x \\\\* \x1b[38;2;227;179;65m\\*\x1b[m \x1b[9m\\_\x1b[m"},
		"backslashes in a link":   {"[`\\\\*` &#92;*](#x)", "\x1b[38;2;227;179;65m\\\\*\x1b[m\x1b[38;2;121;192;255m \\*\x1b[m \x1b[38;2;157;167;179m#x\x1b[m"},
		"backslashes in a table":  {"|a|\n|-|\n|`\\\\*` \\\\\\\\_|", "\x1b[38;2;157;167;179ma\x1b[m\n\x1b[38;2;227;179;65m\\\\*\x1b[m \\\\_"},
		"templates":               {"{{.text}} %s", "{{.text}} %s"},
		"no style at all, dimmed": {"&#27;[2;38;2;13;17;23mb", "[2;38;2;13;17;23mb"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, strings.Join(Render(tt.src, 60, dark), "\n")); diff != "" {
				t.Errorf("%q (-want +got):\n%s", tt.src, diff)
			}
		})
	}
}

func TestALinkLeadsWhereItSays(t *testing.T) {
	for src, want := range map[string]string{
		"[https://bank.example](https://evil.example)":              "https://bank.example <https://evil.example>",
		"[https://bank.example](https://bank.example)":              "https://bank.example",
		"[bank](https://evil.example \"https://bank.example\")":     "bank <https://evil.example>",
		"[bank][1]\n\n[1]: https://evil.example":                    "bank <https://evil.example>",
		"[bank](https&#58;//evil&#46;example)":                      "bank <https://evil.example>",
		"[bank](https://evil.example&#x202e;)":                      "bank https://evil.example\ufffd",
		"[bank](https://b\u0430nk.example)":                         "bank https://b\u0430nk.example",
		"[bank](https://evil.example/&#32;b)":                       "bank https://evil.example/ b",
		"[](https://evil.example)":                                  "<https://evil.example>",
		"[bank](javascript:x) [f](file:///x) [p](#part)":            "bank javascript:x f file:///x p #part",
		"![https://bank.example](https://evil.example)":             "image: https://bank.example <https://evil.example>",
		"[![bank](https://a.example)](https://b.example)":           "image: bank <https://a.example> <https://b.example>",
		"<https://evil.example> www.evil.example lena@bank.example": "<https://evil.example> <http://www.evil.example> lena@bank.example",
		"| [bank](https://evil.example) |\n|-|":                     "bank[1]\n\n[1]: <https://evil.example>",
		"<a href=\"https://evil.example\">bank</a>":                 "<a href=\"https://evil.example\">bank",
		"[bank](https://evil.example/a;b;c?d&amp;e=&#37;s)":         "bank <https://evil.example/a;b;c?d&e=%s>",
		"[bank](https://evil.example/\\\\_x) [b](http://[::1)":      "bank https://evil.example/\\_x b <http://[::1>",
		"~~[bank](https://evil.example)~~":                          "bank <https://evil.example>",
		"&lt;https://evil.example&gt;":                              "<https://evil.example>",
	} {
		rows := strings.Join(Render(src, 80, dark), "\n")
		shown := links.ReplaceAllStringFunc(rows, func(link string) string {
			m := links.FindStringSubmatch(link)
			if text := xansi.Strip(m[2]); text != m[1] {
				t.Errorf("%q: %q leads to %q", src, text, m[1])
			}
			return "<" + m[1] + ">"
		})
		if diff := cmp.Diff(want, strings.TrimSpace(xansi.Strip(shown))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", src, diff)
		}
	}
}

var links = regexp.MustCompile(`\x1b\]8;[^;\x1b]*;([^\x1b]+)\x1b\\(.*?)\x1b\]8;;\x1b\\`)

func TestALinkOverSeveralRowsLeadsToItsWholeTarget(t *testing.T) {
	for _, target := range []string{
		"https://evil.example/" + strings.Repeat("bank.example/", 9),
		"https://evil.example/;a;" + strings.Repeat("b-c;", 20) + "#d",
	} {
		for _, src := range []string{"[bank](" + target + ")", "| [bank](" + target + ") |\n|-|", "> - <" + target + ">"} {
			shown := ""
			for _, row := range Render(src, 20, dark) {
				for _, m := range links.FindAllStringSubmatch(row, -1) {
					if m[1] != target {
						t.Errorf("%q: %q leads to %q", src, m[2], m[1])
					}
					shown += xansi.Strip(m[2])
				}
			}
			if shown != target {
				t.Errorf("%q: followed is %q", src, shown)
			}
		}
	}
}

func TestTextThatCannotBeRenderedIsShownPlain(t *testing.T) {
	e := newEngine(20, dark)
	e.parser = failing{e.parser}
	if diff := cmp.Diff([]string{"**one** two three", "four five six seven"}, e.render(block{text: "**one** two three four five six seven"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

type failing struct{ parser.Parser }

func (failing) Parse(text.Reader, ...parser.ParseOption) ast.Node { panic("index out of range") }

func TestHugeTextIsShownWhole(t *testing.T) {
	repeat := strings.Repeat
	for name, src := range map[string]string{
		"a line without end":   repeat("word ", 1<<16),
		"a word without end":   repeat("x", 1<<18),
		"many paragraphs":      repeat("some **bold** text\n\n", 3_000),
		"deep quotes":          repeat(">", 10_000) + " x",
		"deep lists":           deepList(500),
		"brackets":             repeat("[a](", 10_000),
		"images":               repeat("![", 10_000),
		"nested images":        repeat("![", 5_000) + "a" + repeat("](b)", 5_000),
		"emphasis":             repeat("**a *b ", 10_000),
		"nested emphasis":      repeat("*a **b ", 2_000) + repeat("c** d*", 2_000),
		"a table of nothing":   "|" + repeat("a|", 500) + "\n|" + repeat("-|", 500) + "\n" + repeat("|\n", 10_000),
		"code without end":     "```go\n" + repeat("func add() { x := 1 }\n", 20_000),
		"a long line of code":  "```json\n" + repeat("[{", 100_000),
		"many pieces of code":  repeat("```go\nx := 1\n```\n", 2_000),
		"sequences":            repeat("\x1b]8;;", 100_000),
		"marks":                "e" + repeat("\u0301", 100_000),
		"joined emoji":         repeat("👩\u200d", 20_000),
		"entities of escapes":  repeat("&#27;[31m", 5_000),
		"link definitions":     repeat("[a]: http://x\n[a]\n\n", 2_000),
		"definitions of terms": repeat("a\n: b\n", 2_000),
	} {
		t.Run(name, func(t *testing.T) {
			rows := Render(src+"\n\nthe end", 80, dark)
			checkRows(t, name, rows, 80)
			if last := rows[len(rows)-1]; strings.TrimSpace(last) != "the end" {
				t.Errorf("the last row is %q", last)
			}
			for _, word := range []string{"word", "bold", "add("} {
				want := strings.Count(src, word)
				if got := strings.Count(strings.Join(texts(rows), " "), word); got != want {
					t.Errorf("%q is there %d times, not %d", word, got, want)
				}
			}
		})
	}
}

func deepList(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", 2*i) + "- x\n")
	}
	return b.String()
}

func TestEveryColourCanBeReadOnItsBackground(t *testing.T) {
	for _, tt := range []struct {
		style      Style
		background string
	}{{Style{Color: true, Dark: true}, "#0d1117"}, {Style{Color: true}, "#ffffff"}} {
		seen := map[string]bool{}
		for _, src := range everything() {
			src = strings.ReplaceAll(src, "```md", "```diff\n- old\n+ new\n# x\n```\n```md")
			for _, row := range Render(src, 80, tt.style) {
				for _, m := range regexp.MustCompile(`38;2;(\d+);(\d+);(\d+)`).FindAllStringSubmatch(row, -1) {
					seen[m[0]] = true
					if c := contrast(luminance(m[1:]), luminance(hex(t, tt.background))); c < 4.5 {
						t.Errorf("%v: %s has a contrast of %.1f", tt.style, m[0], c)
					}
				}
			}
		}
		if len(seen) < 5 {
			t.Errorf("%v: saw the colours %v only", tt.style, seen)
		}
	}
}

func contrast(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }

func luminance(rgb []string) float64 {
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, _ := strconv.Atoi(rgb[i])
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

func hex(t *testing.T, color string) []string {
	t.Helper()
	var rgb []string
	for i := 1; i < 7; i += 2 {
		n, err := strconv.ParseUint(color[i:i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		rgb = append(rgb, strconv.FormatUint(n, 10))
	}
	return rgb
}

// whole renders a text as one block, without cutting it.
func whole(src string, width int) []string {
	e := newEngine(width, dark)
	return texts(trimRows(e.fit(e.markdown(strings.ReplaceAll(strings.ReplaceAll(src, "\r", ""), "\t", "    ")))))
}

func TestCuttingATextChangesNothing(t *testing.T) {
	for name, src := range everything() {
		if diff := cmp.Diff(whole(src, 50), texts(Render(src, 50, dark))); diff != "" {
			t.Errorf("%s (-whole +cut):\n%s", name, diff)
		}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 150 {
		src := randomDocument(rnd)
		if diff := cmp.Diff(whole(src, 50), texts(Render(src, 50, dark))); diff != "" {
			t.Fatalf("%q (-whole +cut):\n%s", src, diff)
		}
	}
}

// randomDocument puts some constructs together that end with themselves.
func randomDocument(rnd *rand.Rand) string {
	names := slices.Sorted(maps.Keys(constructs))
	var b strings.Builder
	for range 3 + rnd.IntN(4) {
		if name := names[rnd.IntN(len(names))]; name != "open fence" {
			b.WriteString(strings.TrimRight(constructs[name], "\r\n") + "\n\n")
		}
	}
	return b.String()
}

func TestRenderersDoNotShareAnything(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			style := Style{Color: true, Dark: i%2 == 0}
			for _, src := range everything() {
				if len(Render(src, 40+i, style)) == 0 && strings.TrimSpace(src) != "```\n```" {
					t.Errorf("%q has no rows", src)
				}
			}
		})
	}
	wg.Wait()
}

func TestALineThatWasBrokenBeforeItWasFullStaysALine(t *testing.T) {
	const width = 200
	for name, c := range map[string]struct{ text, want string }{
		"two sentences":  {"Nobody here reads “who wrote Hamlet, and when did he write it at all”.\nHere are calc and clock.", "Nobody here reads “who wrote Hamlet, and when did he write it at all”.\nHere are calc and clock."},
		"bold sentences": {"**It was written by somebody whose name is Ann.**\nShe is here.", "It was written by somebody whose name is Ann.\nShe is here."},
		"an address":     {"12 Main Street\nSpringfield\nUSA", "12 Main Street\nSpringfield\nUSA"},
		"a log": {
			"2026-11-22 10:00 Ann  read what the others had written before\n2026-11-23 11:00 Bea  wrote it down for those who came later",
			"2026-11-22 10:00 Ann  read what the others had written before\n2026-11-23 11:00 Bea  wrote it down for those who came later",
		},
		"a wrapped paragraph": {
			"A paragraph that somebody has wrapped by hand, at a little less than\nseventy cells, so that every line but the last is about as long as the\nothers are",
			"A paragraph that somebody has wrapped by hand, at a little less than seventy cells, so that every line but the last is about as long as the others are",
		},
		"a wrapped item": {
			"- an item that somebody has wrapped by hand, at a little less than\n  seventy cells, as one does",
			"• an item that somebody has wrapped by hand, at a little less than seventy cells, as one does",
		},
	} {
		if got := strings.Join(Render(c.text, width, Style{}), "\n"); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestALineThatIsIndentedStaysSo(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"JSON": {"{\n  \"name\": \"Ada\",\n  \"likes\": [\n    \"owls\"\n  ]\n}", "{\n  \"name\": \"Ada\",\n  \"likes\": [\n    \"owls\"\n  ]\n}"},
		"a program": {
			"def f(x):\n    if x:\n        return x\n    return a_name_that_is_rather_long_and_still_one_line(x)\n    # which is all",
			"def f(x):\n    if x:\n        return x\n    return a_name_that_is_rather_long_and_still_one_line(x)\n    # which is all",
		},
		"tabs":                {"a:\n\tb", "a:\n    b"},
		"in an item":          {"- {\n    \"a\": 1\n  }\n- two", "• {\n    \"a\": 1\n  }\n• two"},
		"in a quote":          {"> one:\n>   two", "│ one:\n│   two"},
		"hard breaks":         {"one  \n  two", "one\n  two"},
		"less than the first": {"  one\ntwo", "one\ntwo"},
	} {
		if got := strings.Join(Render(c.text, 200, Style{}), "\n"); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestATableThatIsTooWideBreaksItsWidestCellsBetweenWords(t *testing.T) {
	const src = "| name | amount | what it is |\n|---|---|---|\n| boiler | 1 204 | keeps the house warm all winter long |\n| pump | 8 | moves water |\n"
	want := "name     amount   what it is\nboiler    1 204   keeps the house\n                  warm all winter\n                  long\npump          8   moves water"
	if got := strings.Join(texts(Render(src, 34, dark)), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := strings.Join(Render(src, 80, Style{}), "\n"); !strings.Contains(got, "\n──────   ──────   ──────") {
		t.Errorf("without colours nothing parts the header from the rows:\n%s", got)
	}
}
