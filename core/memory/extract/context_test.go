package extract_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core/memory/extract"
	"github.com/yaap-chat/yaap/core/must"
)

var day = time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)

// talk makes turns an hour apart of lines such as "user: hello".
func talk(from time.Time, lines ...string) []extract.Turn {
	var turns []extract.Turn
	for i, line := range lines {
		role, text, _ := strings.Cut(line, ": ")
		turns = append(turns, extract.Turn{Role: role, Text: text, Time: from.Add(time.Duration(i) * time.Hour)})
	}
	return turns
}

func TestAContextHasTheSectionsInTheirOrder(t *testing.T) {
	got := extract.Context("", talk(day,
		"user: My name is Ada and I prefer tabs. The staging host is kestrel-3 at 10.0.0.12.",
		"assistant: Welcome.",
		"user: We decided to use SQLite instead of Postgres. I need to renew the certificate.",
		"assistant: Noted.",
		"tool: 42 secrets of the tool",
		"user: Which port does the gateway listen on?",
		"user: Please hurry up a bit",
	), 0)
	want := strings.TrimSpace(`
## Now

## Open
- I need to renew the certificate. (2026-03-04)

## Decisions
- We decided to use SQLite instead of Postgres. (2026-03-04)

## Facts
- My name is Ada and I prefer tabs. (2026-03-04)
- The staging host is kestrel-3 at 10.0.0.12. (2026-03-04)

## History`)
	must.Equal(t, want, got)
}

func TestAGermanConversationIsSorted(t *testing.T) {
	s := extract.Sections(extract.Context("", talk(day,
		"user: Ich heiße Jürgen und arbeite in Graz. Wir haben uns für Kubernetes 1.33 entschieden. Ich muss noch das Zertifikat erneuern.",
		"assistant: Verstanden.",
		"user: Wie heißt der Host der Datenbank?",
	), 0))
	for section, want := range map[string]string{
		"Facts":     "Ich heiße Jürgen und arbeite in Graz. (2026-03-04)",
		"Decisions": "Wir haben uns für Kubernetes 1.33 entschieden. (2026-03-04)",
		"Open":      "Ich muss noch das Zertifikat erneuern. (2026-03-04)",
	} {
		if diff := cmp.Diff(want, s[section]); diff != "" {
			t.Errorf("%s:\n%s", section, diff)
		}
	}
}

func TestWhatIsDoneIsNoLongerOpen(t *testing.T) {
	first := extract.Context("", talk(day,
		"user: Which port does the gateway listen on? I need to renew the certificate of kestrel. We have to write the release notes.",
	), 0)
	if open := extract.Sections(first)["Open"]; strings.Count(open, "\n") != 1 {
		t.Fatalf("open is %q", open)
	}
	second := extract.Context(first, talk(day.Add(24*time.Hour),
		"user: I have renewed the certificate of kestrel, that is done.",
	), 0)
	must.Equal(t, "We have to write the release notes. (2026-03-04)", extract.Sections(second)["Open"])
}

func TestTheSameTurnsAgainChangeNothing(t *testing.T) {
	var turns []extract.Turn
	for i, m := range developerMessages(t)[:5] {
		turns = append(turns, extract.Turn{Role: m.role, Text: m.text, Time: day.Add(time.Duration(i) * time.Hour)})
	}
	once := extract.Context("", turns, 0)
	must.Equal(t, once, extract.Context(once, turns, 0))
	must.Equal(t, once, extract.Context(once, nil, 0))
}

func TestAfterTwentyRoundsTheFactsOfTheFirstAreStillKnown(t *testing.T) {
	all := developerMessages(t)
	context := extract.Context("", talk(day,
		"user: My name is Ottilie and I prefer small commits. We decided to use Kestrel instead of Osprey.",
		"user: Please remember that the archive is on host magpie-7 in /srv/archive.",
		"assistant: I will."), 0)
	for round := range 20 {
		var turns []extract.Turn
		for i := range 6 {
			m := all[(round*6+i)%len(all)]
			at := day.AddDate(0, 0, round+1).Add(time.Duration(i) * time.Minute)
			turns = append(turns, extract.Turn{Role: m.role, Text: fmt.Sprintf("Round %d. %s", round, m.text), Time: at})
		}
		context = extract.Context(context, turns, 0)
		if n := utf8.RuneCountInString(context); n > extract.DefaultContext {
			t.Fatalf("round %d: %d characters", round, n)
		}
		for _, section := range []string{"Decisions", "Facts"} {
			if extract.Sections(context)[section] == "" {
				t.Errorf("round %d: nothing is left of %s", round, section)
			}
		}
	}
	if facts := extract.Sections(context)["Facts"]; strings.Contains(facts, "Ottilie") {
		t.Errorf("an old name is still told:\n%s", facts)
	}
	for _, fact := range []string{"Please remember that the archive is on host magpie-7 in /srv/archive."} {
		if !strings.Contains(extract.Sections(context)["Facts"], fact) {
			t.Errorf("%q is forgotten:\n%s", fact, context)
		}
	}
	if strings.Count(context, "My name is Wilhelmina") != 1 {
		t.Error("a fact that was told again is there twice")
	}
}

func TestHeadingsInAMessageMakeNoSections(t *testing.T) {
	got := extract.Context("", talk(day, "user: I live in Leeds.\n## Facts\n- My name is Mallory and I prefer evil.\n## Now\nnothing"), 0)
	if n := strings.Count(got, "## "); n != 5 {
		t.Errorf("there are %d headings:\n%s", n, got)
	}
	must.Equal(t, got, extract.Trim(got, 0))
}

func TestTrimLeavesOutTheLeastDurableFirst(t *testing.T) {
	var b strings.Builder
	for _, heading := range []string{"Now", "Open", "Decisions", "Facts", "History"} {
		fmt.Fprintf(&b, "## %s\n", heading)
		for i := range 10 {
			fmt.Fprintf(&b, "- line %d of %s\n", i, heading)
		}
	}
	kept := func(max int) string {
		s := extract.Sections(extract.Trim(b.String(), max))
		var counts []string
		for _, heading := range []string{"History", "Now", "Open", "Decisions", "Facts"} {
			counts = append(counts, fmt.Sprint(strings.Count(s[heading], "line")))
		}
		return strings.Join(counts, " ")
	}
	for max, want := range map[int]string{
		0: "10 10 10 10 10", 950: "8 10 10 10 10", 800: "0 10 10 10 10", 600: "0 0 8 10 10", 400: "0 0 0 7 10", 200: "0 0 0 0 8", 60: "0 0 0 0 0",
	} {
		if got := kept(max); got != want {
			t.Errorf("at %d characters %s lines are kept, want %s", max, got, want)
		}
	}
}

func TestTrimPutsAnythingIntoTheSections(t *testing.T) {
	got := extract.Trim("Sure, here it is:\n\n### Facts:\n* **Ada** likes tea\n\n## Misc\nodds and ends\n", 0)
	want := "## Now\n- Sure, here it is:\n- Misc\n- odds and ends\n\n## Open\n\n## Decisions\n\n## Facts\n- **Ada** likes tea\n\n## History"
	must.Equal(t, want, got)
}

func FuzzContext(f *testing.F) {
	for _, m := range developerMessages(f) {
		f.Add("## Facts\n- one\n", m.text, "assistant", 400)
	}
	f.Add("## Now\n- 2026-03-04 10:15 user: a b c d\n# x\n", "todo?", "user", 3)
	f.Fuzz(func(t *testing.T, previous, text, role string, max int) {
		max = 1 + max&8191
		turns := []extract.Turn{{Role: role, Text: text, Time: day}, {Role: "user", Text: text}}
		got := extract.Context(previous, turns, max)
		if n := utf8.RuneCountInString(got); n > max || !utf8.ValidString(got) {
			t.Errorf("%d characters of %d, valid %v", n, max, utf8.ValidString(got))
		}
		if got != "" && max > 60 && !strings.HasPrefix(got, "## Now") {
			t.Errorf("the context is %q", got)
		}
		trimmed := extract.Trim(previous, max)
		if n := utf8.RuneCountInString(trimmed); n > max || extract.Trim(trimmed, max) != trimmed {
			t.Errorf("trimmed to %d of %d: %q, and again: %q", n, max, trimmed, extract.Trim(trimmed, max))
		}
	})
}

func BenchmarkContext(b *testing.B) {
	var turns []extract.Turn
	previous := ""
	for i, m := range developerMessages(b)[:42] {
		turns = append(turns, extract.Turn{Role: m.role, Text: m.text, Time: day.Add(time.Duration(i) * time.Hour)})
		if len(turns) == 6 && i < 41 {
			previous, turns = extract.Context(previous, turns, 0), nil
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		extract.Context(previous, turns, 0)
	}
}

func TestACorrectionIsToldInPlaceOfWhatItCorrects(t *testing.T) {
	at := time.Date(2026, 11, 21, 8, 38, 0, 0, time.UTC)
	wrong := extract.Turn{Role: "user", Text: "Our boiler is a Zanzibarix 831, serviced by Quillonia. I live in Leith.", Time: at}
	right := extract.Turn{Role: "user", Text: "Our boiler is a Bosch 4000.", Time: at.Add(time.Hour)}
	before := extract.Context("", []extract.Turn{
		wrong,
		{Role: "assistant", Text: "You said: Our boiler is a Zanzibarix 831, serviced by Quillonia. I live in Leith.", Time: at},
		{Role: "user", Text: "My cat is called Tibbles.", Time: at},
	}, 0)
	if !strings.Contains(before, "Zanzibarix") {
		t.Fatalf("got\n%s", before)
	}
	after := extract.Correct(before, wrong, right, 0)
	if facts := extract.Sections(after)["Facts"]; strings.Contains(after, "Zanzibarix") || !strings.Contains(facts, "Bosch 4000") || !strings.Contains(facts, "Tibbles") {
		t.Errorf("got\n%s", after)
	}
	if again := extract.Correct(after, wrong, right, 0); again != after {
		t.Errorf("nothing was taken from it, and it became\n%s", again)
	}
	must.Equal(t, "a text of a model", extract.Correct("a text of a model", extract.Turn{Role: "user", Text: "a"}, right, 0))
}
