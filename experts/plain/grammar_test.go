package plain_test

import (
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/experts/plain"
)

const fruit = `
get = get | fetch | give me | hole
colour:red = red | rot | roja
colour:green = green | grün
buy: <get> [ the ] COUNT { <colour> } apples | <get> apples score=0.4
bag = apples | pears | sell | <colour> | a lot of many=1
sell +colour =many: { <bag> }
when: apples <when>
`

func grammar() *plain.Grammar {
	return plain.NewGrammar(plain.SharedWords + fruit)
}

func slots() map[string]plain.Slot {
	return plain.WithTimes(map[string]plain.Slot{"COUNT": {Most: 2, Read: func(w []plain.Token) (any, float64) {
		if len(w) == 2 {
			return nil, 0
		}
		return w[0].Text, map[bool]float64{true: 1, false: 0.6}[plain.Number(w[0].Text) > 0]
	}}})
}

func TestATextIsReadWhollyOrNotAtAll(t *testing.T) {
	for text, want := range map[string]struct {
		shape, colour string
		score         float64
	}{
		"get 3 red apples":                       {"buy", "red", 0.95},
		"please fetch the 3 apples":              {"buy", "", 0.95},
		"Give me 3 GRÜN apples, thanks!":         {"buy", "green", 0.95},
		"fetsh 3 red appels":                     {"buy", "red", 0.95},
		"get many apples":                        {"buy", "", 0.6},
		"get apples":                             {"buy", "", 0.4},
		"get 3 red apples soon":                  {},
		"get 3 blue apples":                      {},
		"get 3 \"red\" apples":                   {},
		"":                                       {},
		"?":                                      {},
		"sell green pears a lot of":              {"sell", "green", 0.95},
		"sell pears a lot of":                    {},
		"sell green pears":                       {},
		"sell green pears a lot of a lot of":     {},
		strings.Repeat("get 3 red apples ", 100): {},
	} {
		got := grammar().Read(text, slots(), 0.95)
		if got.Shape != want.shape || got.Score != want.score || got.Mark("colour") != want.colour {
			t.Errorf("%.40q: %s %v %q, want %+v", text, got.Shape, got.Score, got.Mark("colour"), want)
		}
	}
}

func TestTimesAreReadInThreeLanguages(t *testing.T) {
	now := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC) // a Wednesday
	for text, want := range map[string]string{
		"today": "on 2026-11-18", "gestern": "on 2026-11-17", "since monday": "since 2026-11-16", "since October": "since 2026-10-01", "im Oktober": "from 2026-10-01 to 2026-10-31",
		"in december": "from 2025-12-01 to 2025-12-31", "last week": "from 2026-11-09 to 2026-11-15", "diese Woche": "from 2026-11-16 to 2026-11-22", "la semana pasada": "from 2026-11-09 to 2026-11-15",
		"in the last 3 days": "since 2026-11-15", "in den letzten 2 Wochen": "since 2026-11-04", "hace dos semanas": "on 2026-11-04", "2 weeks ago": "on 2026-11-04", "before 2026-10-01": "before 2026-10-01",
		"until 2026-10-01": "before 2026-10-02", "after 2026-10-01": "since 2026-10-02", "between 2026-10-01 and 2026-10-31": "from 2026-10-01 to 2026-10-31", "on October 20th": "on 2026-10-20", "am 20. Oktober": "on 2026-10-20",
		"el 20 de octubre de 2025": "on 2025-10-20", "in 2025": "from 2025-01-01 to 2025-12-31", "desde el lunes": "since 2026-11-16", "last month": "from 2026-10-01 to 2026-10-31", "on 2026-13-45": "", "in 1989": "", "soon": "",
	} {
		if got := plain.PeriodOf(grammar().Read("apples "+text, slots(), 1), now).In(plain.Translator{}); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestAMistakeInAGrammarPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	plain.NewGrammar("before = please\nafter = please\nbuy: <nothing>\n")
}
