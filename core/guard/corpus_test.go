package guard_test

import (
	_ "embed"
	"regexp"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/guard"
)

//go:embed testdata/secrets.tsv
var secretsCorpus string

// corpusLine is a labelled line: plain[0] secrets[0] plain[1] secrets[1] … plain[n]. A line without secrets only looks
// like one that has some.
type corpusLine struct {
	half, lang   string
	plain        []string
	kinds, value []string
}

func (l corpusLine) text() string {
	var b strings.Builder
	for i, p := range l.plain {
		b.WriteString(p)
		if i < len(l.value) {
			b.WriteString(l.value[i])
		}
	}
	return b.String()
}

var corpusPlaceholder = regexp.MustCompile(`\[secret: [a-z_]+\]`)

var corpusMark = regexp.MustCompile(`(?s)⟦([a-z0-9_]+):(.*?)⟧`)

func readCorpus(t testing.TB) []corpusLine {
	t.Helper()
	var lines []corpusLine
	for row := range strings.Lines(secretsCorpus) {
		if strings.HasPrefix(row, "#") {
			continue
		}
		f := strings.SplitN(strings.TrimSuffix(row, "\n"), "\t", 3)
		if len(f) != 3 {
			t.Fatalf("not a line of the corpus: %q", row)
		}
		l, text := corpusLine{half: f[0], lang: f[1]}, strings.ReplaceAll(f[2], "⏎", "\n")
		end := 0
		for _, m := range corpusMark.FindAllStringSubmatchIndex(text, -1) {
			l.plain = append(l.plain, text[end:m[0]])
			l.kinds = append(l.kinds, text[m[2]:m[3]])
			l.value = append(l.value, strings.ReplaceAll(text[m[4]:m[5]], "·", ""))
			end = m[1]
		}
		l.plain = append(l.plain, text[end:])
		lines = append(lines, l)
	}
	return lines
}

func TestTheCorpusHasTwoHundredLinesOfFortyKinds(t *testing.T) {
	kinds, langs, with, halves := map[string]bool{}, map[string]int{}, 0, map[string]int{}
	lines := readCorpus(t)
	for _, l := range lines {
		halves[l.half]++
		if len(l.kinds) == 0 {
			continue
		}
		with++
		langs[l.lang]++
		for _, k := range l.kinds {
			kinds[k] = true
		}
	}
	if len(lines) != 200 || with != 120 || halves["tune"] != 100 || halves["held"] != 100 {
		t.Errorf("%d lines, %d with a secret, halves %v; want 200, 120, 100 each", len(lines), with, halves)
	}
	if len(kinds) < 40 || len(langs) != 4 {
		t.Errorf("%d kinds in %v; want 40 in 4 languages", len(kinds), langs)
	}
}

// corpusScore counts secrets masked whole, secrets masked at all, lines where more than the secrets is masked, and
// look-alikes with a mark.
type corpusScore struct{ secrets, whole, over, lookalikes, falsely int }

func (s *corpusScore) add(t *testing.T, l corpusLine) {
	t.Helper()
	text := l.text()
	masked, n := guard.Mask(text)
	if len(l.value) == 0 {
		s.lookalikes++
		if n > 0 {
			s.falsely++
			t.Logf("false (%s): %q -> %q", l.half, text, masked)
		}
		return
	}
	s.secrets += len(l.value)
	for i, v := range l.value {
		if piece := survivor(masked, l.plain, v); piece == "" {
			s.whole++
		} else {
			t.Logf("leak (%s, %s): %q of %q in %q", l.half, l.kinds[i], piece, v, masked)
		}
	}
	pattern := make([]string, len(l.plain))
	for i, p := range l.plain {
		pattern[i] = regexp.QuoteMeta(p)
	}
	if !regexp.MustCompile(`^(?s:` + strings.Join(pattern, `.*?`) + `)$`).MatchString(masked) {
		s.over++
		t.Logf("over (%s): %q -> %q", l.half, text, masked)
	}
}

// survivor returns a run of four bytes of a secret that is in the masked text and not in the text around the secret.
func survivor(masked string, plain []string, secret string) string {
	around := strings.Join(plain, "\n")
	masked = corpusPlaceholder.ReplaceAllString(masked, "")
	for i := 0; i+4 <= len(secret); i++ {
		if p := secret[i : i+4]; strings.Contains(masked, p) && !strings.Contains(around, p) {
			return p
		}
	}
	return ""
}

func TestSecretsInDevelopersChatAreMaskedWhole(t *testing.T) {
	lines := readCorpus(t)
	for _, half := range []string{"tune", "held"} {
		var s corpusScore
		for _, l := range lines {
			if l.half == half {
				s.add(t, l)
			}
		}
		t.Logf("%s: %d of %d secrets whole, %d lines masked beyond them; %d of %d look-alikes masked",
			half, s.whole, s.secrets, s.over, s.falsely, s.lookalikes)
		if half == "tune" && (s.whole < s.secrets || s.falsely > 0 || s.over > 0) {
			t.Error("tune: what the detectors are made with is not masked as it was")
		}
		if s.whole*100 < s.secrets*95 || s.falsely > 1 || s.over > 2 {
			t.Errorf("%s: want 95 %% of the secrets masked whole, one look-alike at most, and hardly anything beside them", half)
		}
	}
}
