package clock

import (
	_ "embed"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
)

//go:embed phrases.txt
var phrasesFile string

// tongue is a language: the words by which it is known, what answers say in it
// for what they say in English, and its names of days and months.
type tongue struct {
	words   map[string]bool
	phrases map[string]string
	names   *strings.Replacer
}

// newTongues returns the languages of phrases.txt, English first.
func newTongues() []*tongue {
	var all []*tongue
	var names [][]string
	for line := range strings.Lines(phrasesFile) {
		line = strings.TrimSuffix(line, "\n")
		if _, words, ok := strings.Cut(line, "= "); ok {
			t := &tongue{words: map[string]bool{}, phrases: map[string]string{}}
			for w := range strings.FieldsSeq(words) {
				t.words[w] = true
			}
			all, names = append(all, t), append(names, nil)
			continue
		}
		said := strings.Split(line, " | ")
		for i, t := range all[:min(len(all), len(said))] {
			t.phrases[said[0]] = said[i]
			if strings.IndexByte(said[0], ' ') < 0 {
				names[i] = append(names[i], said[0], said[i])
			}
		}
	}
	for i, t := range all {
		t.names = strings.NewReplacer(names[i]...)
	}
	return all
}

// tongueOf is the language that most words of a folded text are of, English for
// none.
func (r *reader) tongueOf(folded string) *tongue {
	best, most := r.tongues[0], 0
	for _, t := range r.tongues {
		n := 0
		for w := range strings.FieldsFuncSeq(folded, func(r rune) bool { return !unicode.IsLetter(r) }) {
			if t.words[w] {
				n++
			}
		}
		if n > most {
			best, most = t, n
		}
	}
	return best
}

// say is a phrase in the language of the question, and so are the days in it.
func (d *desk) say(english string, args ...any) string {
	for i, arg := range args {
		switch arg := arg.(type) {
		case time.Time:
			args[i] = d.on(arg, shortDate)
		case time.Month:
			args[i] = d.tongue.phrases[arg.String()]
		}
	}
	if said := d.tongue.phrases[english]; said != "" {
		english = said
	}
	return fmt.Sprintf(english, args...)
}

// success is an answer in the language of the question.
func (d *desk) success(data map[string]any, english string, args ...any) core.Reply {
	return experts.Success(d.say(english, args...), data)
}

// on writes a day in the language of the question, by one of the layouts.
func (d *desk) on(t time.Time, layout string) string {
	return d.tongue.names.Replace(t.Format(d.tongue.phrases[layout]))
}

// iso is a day in digits, for an answer with the names of another language.
func (d *desk) iso(t time.Time) string {
	if d.tongue.phrases["day"] == "day" {
		return ""
	}
	return " (" + t.Format(time.DateOnly) + ")"
}

// count says n of a unit, with at most two decimals.
func (d *desk) count(n float64, unit string) string { return d.tongue.counted(n, unit) }

func (t *tongue) counted(n float64, unit string) string {
	if n != 1 && n != -1 {
		unit += "s"
	}
	if said := t.phrases[unit]; said != "" {
		unit = said
	}
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", n), "0"), ".") + " " + unit
}
