package clock

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// date is a day that a question names. It is found when today is known; one
// without a year is the next one from today, or the last one if back.
type date struct {
	at      func(today time.Time, back bool) time.Time
	yearly  func(year int) time.Time // the one of a year, nil for a date that has its year
	months  int                      // how many whole months it is, of which at is the first day
	week    bool                     // a whole week, of which at is the Monday
	fromNow bool                     // it is told by its distance from today
	dated   bool                     // its year was named
	weekday bool                     // it is told by its weekday alone
	ends    bool                     // it is the last day of a month or a year, which belongs to it
	plain   bool                     // it was written with its day and its month
	name    string                   // the one it has, as Christmas has
}

// day returns the first moment of a day in UTC, where every day has 24 hours.
func day(year int, month time.Month, dayOfMonth int) time.Time {
	return time.Date(year, month, dayOfMonth, 0, 0, 0, 0, time.UTC)
}

// daysBetween counts from one midnight in UTC to another. It does not go by a
// time.Duration, which ends after 292 years.
func daysBetween(from, to time.Time) int { return int((to.Unix() - from.Unix()) / (24 * 60 * 60)) }

// on is a day that is known.
func on(t time.Time) date {
	return date{at: func(time.Time, bool) time.Time { return t }}
}

// within refuses a year that is not counted.
func within(year int) int {
	if year < 1 || year > 9999 {
		panic(refuse("That is beyond the years 1 to 9999, which is as far as I count."))
	}
	return year
}

// dateForm is a way to write a date in digits or with a month's name, and what
// its groups are made into.
type dateForm struct {
	shape *regexp.Regexp
	read  func(m []string) (d date, ok bool)
}

func dateForms(w words, months string) []dateForm {
	var forms []dateForm
	add := func(shape string, read func(m []string) (date, bool)) {
		forms = append(forms, dateForm{regexp.MustCompile("^(?:" + strings.ReplaceAll(shape, "MONTH", "("+months+`)\b\.?`) + ")"), read})
	}
	add(`(\d{4,9})[-/](\d{1,2})[-/](\d{1,2})\b`, func(m []string) (date, bool) { return calendar(m[1], m[2], m[3]), true })
	add(`(\d{4})-?w(\d{2})(?:-?([1-7]))?\b`, weekDate)
	add(`(\d{4})-(\d{3})\b`, ordinalDate)
	add(`(?:day of )?(?:(?:calendar |iso )?week|kw|kalenderwoche|woche|semana) (\d{1,2})(?:,? (?:of |in |de |del )?(\d{4}))?\b`, func(m []string) (date, bool) {
		return weekDate([]string{"", m[2], m[1], ""})
	})
	ofYear := ` (?:of|in|im|von|de|des|del) (?:(\d{4})|(?:the year|jahr|jahres|ano)(?: (\d{4}))?)\b`
	nthDay := func(m []string) (date, bool) { return ordinalDate([]string{"", m[2] + m[3], m[1]}) }
	add(`(?:day|tag|dia) (?:number )?(\d{1,3})`+ofYear, nthDay)
	add(`(\d{1,3})(?:st|nd|rd|th|\.) (?:day|tag|dia)`+ofYear, nthDay)
	add(`(\d{4})-(0[1-9]|1[0-2])\b`, func(m []string) (date, bool) {
		d := calendar(m[1], m[2], "1")
		d.months, d.plain = 1, false
		return d, true
	})
	add(`([12]\d{3})(0[1-9]|1[0-2])([0-3]\d)\b`, func(m []string) (date, bool) { return calendar(m[1], m[2], m[3]), true })
	add(`(\d{1,2})([./-])(\d{1,2})[./-](\d{4,9})\b`, slashed)
	add(`(\d{1,2})(/)(\d{1,2})/(\d{2})\b`, func(m []string) (date, bool) { m[4] = "20" + m[4]; return slashed(m) })
	add(`(\d{1,2})\.(\d{1,2})\.(?: |$)`, func(m []string) (date, bool) { return calendar("", m[2], m[1]), true })
	add(`(\d{1,2})(?:st|nd|rd|th|\.|º)?[ -]?(?:of |de |day of )?MONTH(?:[ -](?:of |in |de |del )?(\d{4,9})\b)?`, func(m []string) (date, bool) {
		month, _ := w.value("monthname", m[2])
		return calendar(m[3], month, m[1]), true
	})
	add(`MONTH (?:the )?(\d{1,2})(?:st|nd|rd|th)?\b(?: (?:of |in )?(\d{4,9})\b)?(:)?`, func(m []string) (date, bool) {
		month, _ := w.value("monthname", m[1])
		return calendar(m[3], month, m[2]), m[4] == ""
	})
	add(`MONTH(?: (?:of |in |de )?(\d{4,9})\b)?`, func(m []string) (date, bool) {
		month, _ := w.value("monthname", m[1])
		d := calendar(m[2], month, "1")
		d.months, d.plain = 1, false
		return d, true
	})
	return forms
}

// dateAt reads a date at the start of s.
func (x *reading) dateAt(s string) int {
	known, ok := x.words.find(s)
	for _, form := range x.forms {
		if m := form.shape.FindStringSubmatch(s); m != nil {
			if d, ok := form.read(m); ok {
				return x.aDate(d, strings.TrimSuffix(m[0], " "))
			}
		}
	}
	switch {
	case ok && known.kind == "dayname":
		return x.weekdayAt(s, known)
	case ok && known.kind == "quarter":
		d := calendar("", map[string]string{"1": "1", "2": "4", "3": "7", "4": "10"}[known.value], "1")
		d.months, d.plain = 3, false
		return x.aDate(d, known.text)
	case ok && known.kind == "relative":
		return x.aDate(relative(known.value), known.text)
	case ok && known.kind == "known":
		return x.aDate(knownDay(known.value, known.text), known.text)
	}
	return 0
}

func (x *reading) aDate(d date, text string) int {
	if which := x.last(); d.yearly != nil && (which == "next" || which == "last" || which == "this") { // last Christmas
		x.pop()
		at := d.at
		d.at = func(today time.Time, back bool) time.Time { return at(today, back || which == "last") }
	}
	x.dates = append(x.dates, d)
	x.push(map[bool]string{true: "M", false: "D"}[d.months > 0])
	return len(text)
}

// weekdayAt reads the name of a day of the week and what stood before it: next,
// last, first; and the month after it, of which it is the first or the last.
func (x *reading) weekdayAt(s string, known name) int {
	name := known.text
	wanted, _ := strconv.Atoi(known.value)
	which := x.last()
	switch {
	case which == "next", which == "last", which == "this", strings.HasPrefix(which, "nth"), which == "U" && x.units[len(x.units)-1] == "second":
		x.pop()
	case which == "afternext":
		x.pop()
	case len(name) < 4 && which == "": // the sun, and "he sat down"
		return 0
	}
	nth, of := x.nthOf(which), x.monthAfter(s[len(name):])
	switch {
	case of.week:
		return x.aDate(date{at: func(today time.Time, back bool) time.Time { return of.at(today, back).AddDate(0, 0, (wanted+6)%7) }}, s[:len(name)+of.size])
	case nth > 0 && of.at == nil:
		return 0
	case nth != 0 && of.at != nil:
		x.aDate(date{at: func(today time.Time, back bool) time.Time {
			first := of.at(day(today.Year(), today.Month(), 1), back)
			return nthWeekday(first.Year(), first.Month(), nth, wanted)
		}}, name)
		return len(name) + of.size
	}
	if after, ok := x.words.find(strings.TrimPrefix(s[len(name):], " ")); ok && after.value == "afternext" {
		return x.aDate(weekday("afternext", wanted), s[:len(name)+1+len(after.text)])
	}
	return x.aDate(weekday(which, wanted), name)
}

// nthOf says which one of a month is meant, -1 for the last and 0 for none.
func (x *reading) nthOf(which string) int {
	switch which {
	case "U": // second
		x.units = x.units[:len(x.units)-1]
		return 2
	case "last":
		return -1
	}
	n, _ := strconv.Atoi(strings.TrimPrefix(which, "nth"))
	return n
}

// monthOf is a month, or a week, and how much was read of it.
type monthOf struct {
	date
	size int
}

// monthAfter reads "of november 2026" and "in next month".
func (x *reading) monthAfter(s string) monthOf {
	for _, of := range []string{" of the ", " of ", " in ", " der ", " de la ", " "} {
		rest, ok := strings.CutPrefix(s, of)
		which, _ := x.words.find(rest)
		if unit, n := x.unitAt(strings.TrimPrefix(rest[min(len(rest), len(which.text)):], " ")); ok && which.value == "this" && unit == "week" {
			return monthOf{weekFromNow(0), len(of) + len(which.text) + 1 + n}
		}
		if n, _ := strconv.Atoi(which.value); ok && which.kind == "relative" && (n == 7 || n == -7) {
			return monthOf{weekFromNow(n), len(of) + len(which.text)}
		}
	}
	for _, of := range []string{" of the ", " of ", " in ", " im ", " des ", " de la ", " de ", " der "} {
		rest, ok := strings.CutPrefix(s, of)
		if !ok {
			continue
		}
		probe := &reading{reader: x.reader, year: x.year}
		if n := probe.dateAt(rest); n > 0 && (probe.dates[0].months == 1 || probe.dates[0].week) {
			return monthOf{probe.dates[0], len(of) + n}
		}
		if known, ok := x.words.find(rest); ok && known.value == "month" {
			return monthOf{relative("thismonth"), len(of) + len(known.text)}
		}
	}
	return monthOf{}
}

// weekFromNow is the week some days from now.
func weekFromNow(days int) date {
	return date{week: true, at: func(today time.Time, _ bool) time.Time {
		return today.AddDate(0, 0, days-(int(today.Weekday())+6)%7)
	}}
}

// weekDate reads 2026-W47-1, or the Monday of 2026-W47, or of a week of this year.
func weekDate(m []string) (date, bool) {
	year, _ := strconv.Atoi(m[1])
	week, _ := strconv.Atoi(m[2])
	weekday, _ := strconv.Atoi(m[3])
	return date{week: weekday == 0, at: func(today time.Time, _ bool) time.Time {
		year := cmp.Or(year, today.Year())
		fourth := day(within(year), 1, 4) // always in week 1
		t := fourth.AddDate(0, 0, 7*(week-1)+max(weekday, 1)-(int(fourth.Weekday())+6)%7-1)
		if y, w := t.ISOWeek(); y != year || w != week {
			panic(refuse("There is no week %d in %d.", week, year))
		}
		return t
	}}, true
}

// ordinalDate reads 2026-325, the 325th day, or that of this year.
func ordinalDate(m []string) (date, bool) {
	year, _ := strconv.Atoi(m[1])
	n, _ := strconv.Atoi(m[2])
	return date{at: func(today time.Time, _ bool) time.Time {
		year := cmp.Or(year, today.Year())
		t := day(within(year), 1, n)
		if t.Year() != year {
			panic(refuse("There is no day %d in %d.", n, year))
		}
		return t
	}}, n >= 1 && n <= 366
}

// slashed reads 24.12.2026, and 12/24/2026 either way round where one of the
// numbers can be no month.
func slashed(m []string) (date, bool) {
	first, _ := strconv.Atoi(m[1])
	second, _ := strconv.Atoi(m[3])
	switch {
	case m[2] == "." || first > 12 || first == second:
		return calendar(m[4], m[3], m[1]), true
	case second > 12:
		return calendar(m[4], m[1], m[3]), true
	}
	return date{plain: true, at: func(time.Time, bool) time.Time {
		a, b := time.Month(second), time.Month(first)
		asks := askBack("Is %s day or month first? Say %d %s %s or %d %s %s.", m[0], first, a, m[4], second, b, m[4])
		asks.unclear, asks.means = m[0], []string{fmt.Sprint(first, " ", a, " ", m[4]), fmt.Sprint(second, " ", b, " ", m[4])}
		panic(asks)
	}}, true
}

// calendar is a date with a year, or without one. The month is a number.
func calendar(year, month, dayOfMonth string) date {
	d, _ := strconv.Atoi(dayOfMonth)
	m, _ := strconv.Atoi(month)
	in := func(y int) time.Time {
		if !exists(within(y), m, d) {
			panic(refuse("There is no day %d of month %d in %d.", d, m, y))
		}
		return day(y, time.Month(m), d)
	}
	if y, err := strconv.Atoi(year); err == nil {
		return date{plain: true, at: func(time.Time, bool) time.Time { return in(y) }}
	}
	return date{plain: true, yearly: in, at: nearest(in, m, d)}
}

func exists(y, m, d int) bool {
	t := day(y, time.Month(m), d)
	return t.Day() == d && t.Month() == time.Month(m)
}

// relative is a day or a month by its distance from today.
func relative(value string) date {
	months, isMonth := map[string]int{"month": 1, "-month": -1, "thismonth": 0}[value]
	return date{months: map[bool]int{true: 1}[isMonth], fromNow: true, ends: strings.HasPrefix(value, "end"), at: func(today time.Time, _ bool) time.Time {
		switch {
		case isMonth:
			return day(today.Year(), today.Month()+time.Month(months), 1)
		case value == "endmonth":
			return day(today.Year(), today.Month()+1, 0)
		case value == "startyear":
			return day(today.Year(), 1, 1)
		case value == "endyear":
			return day(today.Year(), 12, 31)
		}
		n, _ := strconv.Atoi(value)
		return today.AddDate(0, 0, n)
	}}
}

// weekday is the next such day after today, or the last one before it.
func weekday(which string, wanted int) date {
	return date{weekday: which == "" || !strings.Contains("next last this afternext", which), at: func(today time.Time, back bool) time.Time {
		ahead := (wanted - int(today.Weekday()) + 7) % 7
		if which == "last" || back {
			ahead -= 7
		}
		if ahead == 0 && which != "this" {
			ahead = 7
		}
		if which == "afternext" {
			ahead += 7
		}
		return today.AddDate(0, 0, ahead)
	}}
}

// addMonths keeps to the end of a shorter month: 31 January plus one is 28 or
// 29 February.
func addMonths(t time.Time, n int) time.Time {
	last := day(t.Year(), t.Month()+time.Month(n)+1, 0).Day()
	return t.AddDate(0, 0, 1-t.Day()).AddDate(0, n, min(t.Day(), last)-1)
}

// calendarSpan counts whole months and days from one day to a later one; an
// earlier one gives them negative.
func calendarSpan(from, to time.Time) (months, days int) {
	if to.Before(from) {
		months, days = calendarSpan(to, from)
		return -months, -days
	}
	months = (to.Year()-from.Year())*12 + int(to.Month()) - int(from.Month())
	if addMonths(from, months).After(to) {
		months--
	}
	return months, daysBetween(addMonths(from, months), to)
}
