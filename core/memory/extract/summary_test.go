package extract_test

import (
	_ "embed"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core/memory/extract"
)

//go:embed testdata/messages.txt
var messages string

type message struct{ role, title, text string }

// developerMessages returns the messages in testdata: a line "=== role title"
// begins each.
func developerMessages(t testing.TB) []message {
	t.Helper()
	var all []message
	for part := range strings.SplitSeq("\n"+messages, "\n=== ") {
		head, text, ok := strings.Cut(part, "\n")
		if !ok || head == "" {
			continue
		}
		role, title, _ := strings.Cut(head, " ")
		all = append(all, message{role, title, text})
	}
	if len(all) < 40 {
		t.Fatalf("%d messages are not enough", len(all))
	}
	return all
}

// truncated is what a summary is measured against.
func truncated(text string, max int) string {
	r := []rune(strings.Join(strings.Fields(text), " "))
	return string(r[:min(max, len(r))])
}

func TestASummaryKeepsTheFactsThatTruncationLoses(t *testing.T) {
	var ours, plain float64
	all := developerMessages(t)
	for _, m := range all {
		if utf8.RuneCountInString(m.text) <= extract.DefaultSummary {
			t.Errorf("%s: fits as it is", m.title)
		}
		summary := extract.Summary(m.role, m.text, 0)
		kept, cut := extract.FactCoverage(m.text, summary), extract.FactCoverage(m.text, truncated(m.text, extract.DefaultSummary))
		t.Logf("%-22s %4d characters, %2d facts: summary keeps %3.0f %%, truncation %3.0f %%",
			m.title, utf8.RuneCountInString(m.text), len(extract.Facts(m.text)), 100*kept, 100*cut)
		ours += kept
		plain += cut
	}
	ours, plain = ours/float64(len(all)), plain/float64(len(all))
	t.Logf("%d messages at %d characters: summaries keep %.1f %% of the facts, truncation %.1f %%", len(all), extract.DefaultSummary, 100*ours, 100*plain)
	if ours < 0.9 || plain > ours-0.2 {
		t.Errorf("summaries keep %.3f of the facts, truncation %.3f", ours, plain)
	}
}

// figures and capitals find numbers and names in a way that shares nothing with
// the package: they take words for names that are none, and miss others.
var (
	figures  = regexp.MustCompile(`(?:^|[^\pL\d_.,:/-])(\d+(?:[.,:/-]\d+)*)(?:$|[^\pL\d_])`)
	capitals = regexp.MustCompile(`[\p{Ll},] (\p{Lu}\p{L}+)(?:$|[^\pL\d])`)
)

func TestASummaryKeepsWhatAPlainPatternHoldsForNumbersAndNames(t *testing.T) {
	var found, ours, plain int
	for _, m := range developerMessages(t) {
		matches := figures.FindAllStringSubmatch(m.text, -1)
		if !strings.Contains(m.title, "german") { // where all nouns have capital letters
			matches = append(matches, capitals.FindAllStringSubmatch(m.text, -1)...)
		}
		summary, cut := extract.Summary(m.role, m.text, 0), truncated(m.text, extract.DefaultSummary)
		for _, match := range matches {
			w := match[1]
			whole := regexp.MustCompile(`(^|[^\p{L}\d])` + regexp.QuoteMeta(w) + `($|[^\p{L}\d])`)
			found++
			if whole.MatchString(summary) {
				ours++
			}
			if whole.MatchString(cut) {
				plain++
			}
		}
	}
	kept, truncation := float64(ours)/float64(found), float64(plain)/float64(found)
	t.Logf("of %d numbers and names summaries keep %.1f %%, truncation %.1f %%", found, 100*kept, 100*truncation)
	if kept < 0.9 || truncation > kept-0.15 {
		t.Errorf("summaries keep %.3f, truncation %.3f", kept, truncation)
	}
}

func TestATextThatFitsIsOnlyFolded(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "",
		" \n\t ":                             "",
		"  one\r\n\n two\tthree \u00a0four ": "one two three four",
		"a\x00b\x1b[31mc":                    "a b [31mc",
		"cut \xff here":                      "cut \uFFFD here",
		strings.Repeat("ä", 512):             strings.Repeat("ä", 512),
		strings.Repeat("ä", 511) + "\n\n  ":  strings.Repeat("ä", 511),
	} {
		if got := extract.Summary("user", text, 0); got != want {
			t.Errorf("the summary of %q is %q, want %q", text, got, want)
		}
	}
}

func TestNothingButAMarkStandsForAWordThatIsTooLong(t *testing.T) {
	if got := extract.Summary("user", strings.Repeat("x", 600), 0); got != "…" {
		t.Errorf("the summary is %q", got)
	}
}

// runs are the runs of letters, digits and marks of a text. Scripts without
// blanks are left out, as their words may be parted anywhere.
func runs(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.In(r, unicode.Letter, unicode.Nd, unicode.Mark) ||
			unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
	})
}

// checkSummary fails for a summary that is too long, not valid, has a word that
// is not in the text, or is not its own summary.
func checkSummary(t *testing.T, role, text string, max int) {
	t.Helper()
	summary := extract.Summary(role, text, max)
	if n := utf8.RuneCountInString(summary); n > max {
		t.Errorf("%d characters of %d: %q", n, max, summary)
	}
	if !utf8.ValidString(summary) {
		t.Errorf("not valid: %q", summary)
	}
	if again := extract.Summary(role, summary, max); again != summary {
		t.Errorf("the summary of %q is %q", summary, again)
	}
	known := map[string]bool{"also": true}
	for _, word := range runs(strings.ToValidUTF8(text, "\uFFFD")) {
		known[word] = true
	}
	for _, word := range runs(summary) {
		if !known[word] {
			t.Errorf("%q of %q is no word of %q", word, summary, text)
		}
	}
}

func TestASummaryOfAnyLengthHasWholeWordsOfTheTextOnly(t *testing.T) {
	for _, m := range developerMessages(t) {
		for _, max := range []int{1, 2, 7, 20, 41, 80, 160, 333, 512, 700} {
			checkSummary(t, m.role, m.text, max)
		}
	}
}

func FuzzSummary(f *testing.F) {
	for _, m := range developerMessages(f) {
		f.Add(m.text, 200)
	}
	for _, text := range []string{"", "``", "\"", "a\"b c\"", "1 000 000 €", "4. März 2026, 5.", "| a |", "- [ ] ", "x(((((", "'a'b", "a@b:c", "١٢ ab", "\u200b", "e\u0301 1:2:3"} {
		f.Add(text, 5)
	}
	f.Fuzz(func(t *testing.T, text string, max int) {
		checkSummary(t, "user", text, 1+(max&1023))
		if kept := extract.FactCoverage(text, text); kept < 0 || kept > 1 {
			t.Errorf("Kept says %f", kept)
		}
	})
}

func TestTheFactsOfAText(t *testing.T) {
	for text, want := range map[string][]string{
		"We lost 1,234.5 rows in 12 ms, 3 % of 4 GB":                   {"1,234.5 rows", "12 ms", "3 %", "4 GB"},
		"On March 4, 2026 and 2026-03-05, 4. März 2026, 13 July":       {"March 4, 2026", "2026-03-05", "4. März 2026", "13 July"},
		"see core/hub/link.go:42 and ~/.config or C:\\tmp\\x.txt":      {"core/hub/link.go:42", "~/.config", "C:\\tmp\\x.txt"},
		"call parseHeader() with --max-size in MAX_FRAME, fooBar":      {"parseHeader()", "--max-size", "MAX_FRAME", "fooBar"},
		"ask Anna Schmidt (anna@example.org), see https://x.io/a?b=1.": {"Anna Schmidt", "anna@example.org", "https://x.io/a?b=1"},
		"it said \"no route to host\" for `eth0`":                      {"no route to host", "eth0"},
		"Anna's laptop and/or the one that Bob has":                    {"Anna", "Bob"},
		"The cache is cold. Caches help. Restarting does not.":         nil,
		"Wir haben mit Jürgen über die Datenbank gesprochen":           {"Jürgen"},
		"Deepak fixed v1.2.3 on PR #2217":                              {"Deepak", "v1.2.3", "PR", "#2217"},
	} {
		if diff := cmp.Diff(want, extract.Facts(text)); diff != "" {
			t.Errorf("%s:\n%s", text, diff)
		}
	}
}

func TestAFactIsKeptOnlyAsAWhole(t *testing.T) {
	for summary, want := range map[string]float64{
		"15 ms and 1.5 GB for Annabel": 0,
		"5 ms for Annabel":             0.5,
		"Anna took 5 ms":               1,
	} {
		if got := extract.FactCoverage("it took Anna 5 ms", summary); got != want {
			t.Errorf("Kept is %v in %q, want %v", got, summary, want)
		}
	}
	if extract.FactCoverage("nothing to see", "") != 1 {
		t.Error("a text without facts lost some")
	}
}

// hostile are texts that a careless scanner takes quadratic time for.
func hostile(size int) map[string]string {
	all := map[string]string{}
	for name, unit := range map[string]string{
		"letters": "x", "words": "heron ", "digits": "7", "quotes": "\"", "apostrophes": "'a ", "brackets": "f(", "commas": "a,", "dots": "a. ",
		"lines": "\n", "fences": "```\n", "rows": "| a | b |\n", "names": "Anna ", "numbers": "12 345 ", "at": "@a:", "wrapped": strings.Repeat("word ", 12) + "\n",
		"json": "{\"id\":42,\"name\":\"Ada\"},", "invalid": "\xff", "han": "数据库",
	} {
		all[name] = strings.Repeat(unit, 1+size/len(unit))
	}
	return all
}

// A quadratic step would make this run into the time limit of the tests.
func TestTheLongestMessageOfAnythingIsSummedUp(t *testing.T) {
	for name, text := range hostile(256 << 10) {
		summary := extract.Summary("user", text, 0)
		if n := utf8.RuneCountInString(summary); n > extract.DefaultSummary {
			t.Errorf("%s: %d characters", name, n)
		}
		extract.Context("", []extract.Turn{{Role: "user", Text: text[:len(text)/8]}}, 0)
	}
}

func TestTheImportantPartOfALongTextIsFound(t *testing.T) {
	filler := strings.Repeat("It goes on and on without telling anything at all. ", 5000)
	summary := extract.Summary("user", filler+"We decided to move Kestrel to PostgreSQL 16 on 2026-05-01. "+filler, 0)
	if !strings.Contains(summary, "We decided to move Kestrel to PostgreSQL 16 on 2026-05-01.") {
		t.Errorf("the summary is %q", summary)
	}
}

func BenchmarkSummary(b *testing.B) {
	all := developerMessages(b)
	b.Run("message", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			m := all[i%len(all)]
			extract.Summary(m.role, m.text, 0)
		}
	})
	for _, size := range []int{16 << 10, 128 << 10, 1 << 20} {
		text := strings.Repeat(messages, 1+size/len(messages))[:size]
		b.Run(strconv.Itoa(size>>10)+"KiB", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(size))
			for b.Loop() {
				extract.Summary("user", text, 0)
			}
		})
	}
}
