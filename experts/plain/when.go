package plain

import (
	_ "embed"
	"strconv"
	"strings"
	"time"
)

// SharedWords are the rules that every grammar may name: politeness, articles,
// question words, and <when>, which [PeriodOf] reads.
//
//go:embed words.txt
var SharedWords string

// Period is a span of time: Since belongs to it, Until does not. The zero time is an
// open end.
type Period struct{ Since, Until time.Time }

// In says the period in words of a language, to the day.
func (p Period) In(v Translator) string {
	first, last := p.Since.Format(time.DateOnly), p.Until.Add(-time.Second).Format(time.DateOnly)
	switch {
	case p == Period{}:
		return ""
	case p.Until.IsZero():
		return v.Say("since %s", first)
	case p.Since.IsZero():
		return v.Say("before %s", p.Until.Format(time.DateOnly))
	case last == first:
		return v.Say("on %s", last)
	}
	return v.Say("from %s to %s", first, last)
}

// WithTimes adds the slots that <when> names to those of an expert.
func WithTimes(slots map[string]Slot) map[string]Slot {
	for name, read := range map[string]func(string) (any, bool){"N": number, "DATE": date, "DAY": day, "YEAR": year} {
		slots[name] = One(func(w Token) (any, float64) {
			v, ok := read(w.Text)
			return v, ScoreIf(ok && !w.Quoted, 1)
		})
	}
	return slots
}

func number(s string) (any, bool) { n := Number(s); return n, n > 0 }

func date(s string) (any, bool) {
	for months, forms := range [][]string{{time.DateOnly, "2006/1/2", "2.1.2006"}, {"2006-01"}} {
		for _, form := range forms {
			if t, err := time.Parse(form, s); err == nil {
				return [4]int{t.Year(), int(t.Month()), t.Day(), months}, true
			}
		}
	}
	return nil, false
}

func day(s string) (any, bool) {
	if len(s) > 2 && strings.Contains("st nd rd th", strings.ToLower(s[len(s)-2:])) {
		s = s[:len(s)-2]
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && n > 0 && n < 32
}

func year(s string) (any, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && len(s) == 4 && n >= 2000 && n < 2100
}

// PeriodOf returns the period that <when> read, as it is at now; the zero one
// where it read none. Of several the last counts.
func PeriodOf(r Reading, now time.Time) Period {
	var p Period
	var spans []map[string]any // what was said of each
	said := map[string]any{}
	for _, g := range r.got {
		switch g.name {
		case "at":
			said["at"] = g.value
			spans, said = append(spans, said), map[string]any{}
		case "edge":
			begin, end := spans[0], spans[len(spans)-1]
			if begin["at"] == "monthday" && begin["month"] == nil { // between 3 and 5 May
				begin["month"] = end["month"]
			}
			if year := end["YEAR"]; year != nil && begin["YEAR"] == nil { // from March to May 2025
				begin["YEAR"] = year
			}
			first, last := span(begin, now), span(end, now)
			if !last.Until.IsZero() && first.Since.After(last.Until) && begin["YEAR"] == end["YEAR"] { // from December to May
				if first.Since.YearDay() <= last.Until.YearDay() { // from yesterday's date to tomorrow's
					last.Until = last.Until.AddDate(1, 0, 0)
				} else {
					first.Since = first.Since.AddDate(-1, 0, 0)
				}
			}
			switch g.value {
			case "since":
				p.Since = first.Since
			case "after":
				p.Since = first.Until
			case "until":
				p.Until = first.Until
			case "before":
				p.Until = first.Since
			default:
				p = Period{first.Since, last.Until}
			}
			spans = nil
		default:
			said[g.name] = g.value
		}
	}
	return p
}

// span is one span of time, with both ends.
func span(said map[string]any, now time.Time) Period {
	midnight := func(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, now.Location()) }
	y, m, d := now.Year(), int(now.Month()), now.Day()
	text := func(name string) string { s, _ := said[name].(string); return s }
	num := func(name string) int { n, _ := said[name].(int); return n }
	kind, rest, _ := strings.Cut(text("at"), ":")
	back := Number(rest)
	month := Number(text("month"))
	if year := num("YEAR"); year > 0 {
		y = year
	} else if month > m {
		y-- // the one that was last
	}
	switch kind {
	case "weekday":
		d -= (int(now.Weekday()) - Number(text("weekday")) + 7) % 7
		return Period{midnight(y, m, d), midnight(y, m, d+1)}
	case "unit", "day":
		return calendar(text("unit"), back, now)
	case "rolling", "ago":
		hours := map[string]int{"hour": 1, "day": 24, "week": 7 * 24, "month": 30 * 24, "year": 365 * 24}[text("unit")]
		n := min(max(num("N"), 1), 50*365*24/hours) // nothing is before 1970, as git knows it
		since := now.Add(-time.Duration(n*hours) * time.Hour)
		if kind == "ago" && hours >= 24 {
			since = midnight(since.Year(), int(since.Month()), since.Day())
			return Period{since, since.AddDate(0, 0, 1)}
		}
		return Period{Since: since}
	case "date":
		v, _ := said["DATE"].([4]int)
		from, months := midnight(v[0], v[1], v[2]), v[3]
		if from.Unix() < 1 {
			return Period{time.Unix(1, 0), time.Unix(2, 0)} // the zero time would be no bound
		}
		return Period{from, from.AddDate(0, months, 1-months)}
	case "month":
		return Period{midnight(y, month, 1), midnight(y, month+1, 1)}
	case "monthday":
		if from := midnight(y, month, num("DAY")); num("YEAR") == 0 && from.After(now) {
			y--
		}
		return Period{midnight(y, month, num("DAY")), midnight(y, month, num("DAY")+1)}
	}
	return Period{midnight(y, 1, 1), midnight(y+1, 1, 1)}
}

// calendar is the day, week, month ... that now is in, or one before it.
func calendar(unit string, back int, now time.Time) Period {
	y, m, d := now.Year(), now.Month(), now.Day()
	at := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, now.Location()) }
	switch unit {
	case "hour":
		return Period{Since: now.Add(-time.Hour)}
	case "week":
		d -= (int(now.Weekday())+6)%7 + 7*back
		return Period{at(y, m, d), at(y, m, d+7)}
	case "month":
		return Period{at(y, m-time.Month(back), 1), at(y, m-time.Month(back)+1, 1)}
	case "year":
		return Period{at(y-back, 1, 1), at(y-back+1, 1, 1)}
	}
	return Period{at(y, m, d-back), at(y, m, d-back+1)}
}
