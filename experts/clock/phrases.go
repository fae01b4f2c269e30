package clock

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/plain"
)

//go:embed phrases.txt
var phrasesFile string

// tongue is a language and the words by which it is known.
type tongue struct {
	id    string
	words []string
}

// newTongues returns the languages of phrases.txt, English first.
func newTongues() (all []tongue) {
	for line := range strings.Lines(phrasesFile) {
		if id, words, ok := strings.Cut(line, "= "); ok {
			all = append(all, tongue{id, strings.Fields(words)})
		}
	}
	return all
}

// translatorOf returns that of the language that most words of a folded text are of, English for
// none.
func (r *reader) translatorOf(folded string) plain.Translator {
	words := strings.FieldsFunc(folded, func(r rune) bool { return !unicode.IsLetter(r) })
	best, most := "", 0
	for _, t := range r.tongues {
		n := 0
		for _, w := range words {
			if slices.Contains(t.words, w) {
				n++
			}
		}
		if n > most {
			best, most = t.id, n
		}
	}
	return r.translators[best]
}

// say is a phrase in the language of the question, and so are the days in it.
func (d *desk) say(english string, args ...any) string {
	for i, arg := range args {
		switch arg := arg.(type) {
		case time.Time:
			args[i] = d.on(arg, shortDate)
		case time.Month:
			args[i] = d.Say(arg.String())
		}
	}
	return d.Say(english, args...)
}

// success is an answer in the language of the question.
func (d *desk) success(data map[string]any, english string, args ...any) core.Reply {
	return experts.Success(d.say(english, args...), data)
}

// on writes a day in the language of the question, by one of the layouts.
func (d *desk) on(t time.Time, layout string) string {
	day, month := t.Weekday().String(), t.Month().String()
	return strings.NewReplacer(day, d.Say(day), month, d.Say(month)).Replace(t.Format(d.Say(layout)))
}

// iso is a day in digits, for an answer with the names of another language.
func (d *desk) iso(t time.Time) string {
	if d.Language == "" {
		return ""
	}
	return " (" + t.Format(time.DateOnly) + ")"
}

// count says n of a unit, with at most two decimals.
func (q question) count(n float64, unit string) string {
	if n != 1 && n != -1 {
		unit += "s"
	}
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", n), "0"), ".") + " " + q.Say(unit)
}
