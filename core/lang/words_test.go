package lang_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/must"
)

func TestALanguageIsKnownByItsWords(t *testing.T) {
	for text, want := range map[string]string{
		"what is the staging host?": "en", "wann ist mein Flug?": "de", "¿cuándo es mi vuelo?": "es", "": "en", "kestrel-3": "en",
		"die Besprechung ist um 15 Uhr": "de", "was the fence green": "en", "trabajo en Acme": "es",
	} {
		if got := lang.Of(text).ID; got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestSentencesEndWhereAnotherBegins(t *testing.T) {
	text := "Hi! my dentist is Dr. Meyer. He is at 3.5 Hill St. on v1.2. What time is it? ok\nam 3. Mai\n\n"
	want := []string{"Hi!", "my dentist is Dr. Meyer.", "He is at 3.5 Hill St. on v1.2.", "What time is it?", "ok", "am 3. Mai"}
	if diff := cmp.Diff(want, lang.Sentences(text)); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsToldIsToldWithoutItsPreface(t *testing.T) {
	for text, want := range map[string]string{
		"remember that the gate is 4471": "the gate is 4471", "no, the gate is 4471": "the gate is 4471", "note: the gate is 4471": "the gate is 4471",
		"merk dir, dass das Tor offen ist": "das Tor offen ist", "the gate is 4471": "the gate is 4471", "remember to close the gate": "close the gate",
	} {
		if got := lang.TrimStatementPrefix(text); got != want {
			t.Errorf("%q tells %q, want %q", text, got, want)
		}
	}
}

// The files of all languages have the same sections.
func TestEveryLanguageHasTheSameSections(t *testing.T) {
	sections := func(id string) (list []string) {
		for line := range strings.Lines(lang.File(id)) {
			if name, _, ok := strings.Cut(strings.TrimPrefix(line, "["), "]"); ok && strings.HasPrefix(line, "[") {
				list = append(list, name)
			}
		}
		return list
	}
	want := sections("en")
	for _, id := range []string{"de", "es"} {
		if diff := cmp.Diff(want, sections(id)); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
	}
}

func FuzzAnythingCanBeRead(f *testing.F) {
	f.Add("no, remember that … the host is “kestrel”.")
	f.Add("¿\xff? 's 'm I'm")
	f.Add(": , . !")
	f.Add("no, make that 45 nodes")
	f.Fuzz(func(t *testing.T, text string) {
		_, told := lang.Statement(text)
		if told && strings.Contains(text, "?") {
			t.Errorf("%q is taken for a statement", text)
		}
		for _, s := range append(lang.Sentences(text), lang.TrimStatementPrefix(text)) {
			if utf8.ValidString(text) && !utf8.ValidString(s) {
				t.Errorf("%q has the sentence %q", text, s)
			}
		}
		l := lang.Of(text)
		lang.IsQuestion(text)
		l.Subject(text)
		l.Without(text, lang.Memory, lang.Function)
		l.WordAfter(text, lang.Class)
		lang.UnnotedStatements(text, lang.Notes(text))
		lang.HasReplaceableValue(text, "it is 45 nodes")
		lang.HasReplaceableValue("the farm has 40 nodes and 3 hosts", text)
	})
}

func BenchmarkStatement(b *testing.B) {
	for b.Loop() {
		lang.Statement("remember that the staging host of the shop is kestrel-3, behind the old proxy in Leeds")
	}
}

func TestWhatWasCountedIsAskedFor(t *testing.T) {
	for _, c := range [][3]string{
		{"how many rows of a.csv are over 40", "which are they", "which rows of a.csv are over 40"},
		{"how many orders came in today", "Which ones?", "Which orders came in today"},

		{"wie viele Dateien sind hier", "welche sind das", "welche Dateien sind hier"},
		{"¿cuántos libros hay", "cuáles son", "cuáles libros hay"},
		{"how many rows are over 40", "which is the highest", ""},
		{"what is 2 + 2", "which are they", ""},
	} {
		must.Equal(t, c[2], lang.WhichQuestion(c[0], c[1]))
	}
}

func TestWhatIsContractedIsToldFromWhatIsOwned(t *testing.T) {
	for statement, want := range map[string]string{
		"rent's 115 a month":               "rent is 115 a month",
		"Chidi's the meteorologist":        "chidi is the meteorologist",
		"company's Tidepool, 28 of us":     "company is tidepool 28 of us",
		"Marianne's coming over in June":   "marianne is coming over in june",
		"docker's not allowed":             "docker is not allowed",
		"the liferaft's service is in May": "the liferaft's service is in may",
		"Ada's Toyota is red":              "ada's toyota is red",
		"Tom's meeting moved":              "tom's meeting moved",
		"it's the port of the gateway":     "it's the port of the gateway",
	} {
		must.Equal(t, want, strings.Join(lang.Expanded(statement), " "))
	}
}

func TestWhatIsNotWorthKeepingIsHeardAllTheSame(t *testing.T) {
	for text, want := range map[string][]string{
		"cat food comes from Zooplus":                       {"cat food comes from Zooplus"},
		"play store account belongs to Roderick":            {"play store account belongs to Roderick"},
		"Hay 64 gallinas instaladas en la finca de Tudela.": {"Hay 64 gallinas instaladas en la finca de Tudela."},
		"clocks are DGT, we own twelve":                     {"clocks are DGT, we own twelve"}, // half of it is a note
		"cat notes.txt":                                     nil,
		"npm run build":                                     nil,
		"play some jazz":                                    nil,
		"hay gallinas en Tudela?":                           nil,
	} {
		must.Equal(t, want, lang.UnnotedStatements(text, lang.Notes(text)))
	}
}

func TestALineThatTellsIsNoneOfAMachine(t *testing.T) {
	for line, want := range map[string]bool{
		"node moved to 2.0.0.61":       false,
		"cat food comes from Zooplus":  false,
		"head office is in Leeds":      false,
		"node app.js":                  true,
		"npm run build":                true,
		"cat notes.txt":                true,
		"ERROR db: connection refused": true,
	} {
		if got := lang.IsMachineText(line); got != want {
			t.Errorf("%q is a machine's: %v", line, got)
		}
	}
}
