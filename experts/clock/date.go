package clock

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// date is a day that a question names. It is found when today is known; one
// without a year is the next one from today, or the last one if back.
type date struct {
	at    func(today time.Time, back bool) time.Time
	month bool // a whole month, of which at is the first day
}

// day returns the first moment of a day in UTC, where every day has 24 hours.
func day(year int, month time.Month, dayOfMonth int) time.Time {
	return time.Date(year, month, dayOfMonth, 0, 0, 0, 0, time.UTC)
}

// daysBetween counts from one midnight in UTC to another. It does not go by a
// time.Duration, which ends after 292 years.
func daysBetween(from, to time.Time) int { return int((to.Unix() - from.Unix()) / (24 * 60 * 60)) }

// within refuses a year that is not counted.
func within(year int) int {
	if year < 1 || year > 9999 {
		panic(refusal("That is beyond the years 1 to 9999, which is as far as I count."))
	}
	return year
}

// dateForm is a way to write a date, and what its groups are made into.
type dateForm struct {
	shape *regexp.Regexp
	read  func(m []string) (d date, ok bool)
}

const monthNames = `jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?`

func dateForms() []dateForm {
	const (
		months   = `(` + monthNames + `)\b`
		weekdays = `(mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)\b`
	)
	var forms []dateForm
	add := func(shape string, read func(m []string) (date, bool)) {
		forms = append(forms, dateForm{regexp.MustCompile("^(?:" + shape + ")"), read})
	}
	add(`(\d{4,9})[-/](\d{1,2})[-/](\d{1,2})\b`, func(m []string) (date, bool) { return calendar(m[1], m[2], m[3]), true })
	add(`(\d{1,2})([./])(\d{1,2})[./](\d{4,9})\b`, slashed)
	add(`(\d{1,2})(?:st|nd|rd|th)?[ -](?:of )?`+months+`(?:[ -](?:be )?(?:in |of )?(\d{4,9})\b)?`, func(m []string) (date, bool) { return calendar(m[3], m[2], m[1]), true })
	add(months+` (?:the )?(\d{1,2})(?:st|nd|rd|th)?\b(?: (?:of |in )?(\d{4,9})\b)?`, func(m []string) (date, bool) { return calendar(m[3], m[1], m[2]), true })
	add(`(?:end of|left in) (?:(\d{4,9})|the year)\b`, func(m []string) (date, bool) { return calendar(m[1], "12", "31"), true })
	add(`(day after tomorrow|day before yesterday|today|tomorrow|yesterday|tonight|(?:next|last) (?:week|month)|(?:end of|left in) (?:the |this )?month)\b`,
		func(m []string) (date, bool) { return relative(m[1]), true })
	add(`(?:(next|last|this|coming|past) )?`+weekdays+`(.)?`, func(m []string) (date, bool) {
		return weekday(m[1], m[2]), m[1] != "" || len(m[2]) > 3 || m[3] == "" // not the sun and "he sat down"
	})
	add(months+`(?: (?:of )?(\d{4,9})\b)?(.)?`, func(m []string) (date, bool) {
		d := calendar(m[2], m[1], "1")
		d.month = true
		return d, m[2] != "" || m[1] != "may" && m[1] != "march" && len(m[1]) > 3 || m[3] == ""
	})
	return forms
}

// readDate reads a date at the start of s and returns how much of s it is.
func (r *reader) readDate(s string) (date, int) {
	for _, form := range r.dates {
		if m := form.shape.FindStringSubmatch(s); m != nil {
			if d, ok := form.read(m); ok {
				return d, len(strings.TrimSuffix(m[0], " "))
			}
		}
	}
	return date{}, 0
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
	return date{at: func(time.Time, bool) time.Time {
		panic(ambiguous(m[0] + " may be two days. Write the year first: 2026-04-03 is 3 April."))
	}}, true
}

// calendar is a date with a year, or without one. The month is a number or a
// name.
func calendar(year, month, dayOfMonth string) date {
	d, _ := strconv.Atoi(dayOfMonth)
	m, err := strconv.Atoi(month)
	if err != nil {
		m = strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", month[:3])/3 + 1
	}
	return date{at: func(today time.Time, back bool) time.Time {
		y, err := strconv.Atoi(year)
		if err == nil {
			if !exists(within(y), m, d) {
				panic(refusal(fmt.Sprintf("There is no day %d of month %d in %d.", d, m, y)))
			}
			return day(y, time.Month(m), d)
		}
		step := 1
		if back {
			step = -1
		}
		for y := today.Year(); y > today.Year()-9 && y < today.Year()+9; y += step { // 29 February may be 8 years away
			t := day(y, time.Month(m), d)
			if exists(y, m, d) && (t.Equal(today) || t.Before(today) == back) {
				return t
			}
		}
		panic(refusal(fmt.Sprintf("There is no day %d of month %d.", d, m)))
	}}
}

func exists(y, m, d int) bool {
	t := day(y, time.Month(m), d)
	return t.Day() == d && t.Month() == time.Month(m)
}

func relative(name string) date {
	first := map[string]int{"next month": 1, "last month": -1}[name]
	return date{month: first != 0, at: func(today time.Time, _ bool) time.Time {
		switch {
		case first != 0:
			return day(today.Year(), today.Month()+time.Month(first), 1)
		case strings.HasSuffix(name, "month"): // its end
			return day(today.Year(), today.Month()+1, 0)
		}
		return today.AddDate(0, 0, map[string]int{
			"tomorrow": 1, "yesterday": -1, "day after tomorrow": 2, "day before yesterday": -2, "next week": 7, "last week": -7,
		}[name])
	}}
}

// weekday is the next such day after today, or the last one before it.
func weekday(which, name string) date {
	wanted := strings.Index("sunmontuewedthufrisat", name[:3]) / 3
	return date{at: func(today time.Time, _ bool) time.Time {
		ahead := (wanted - int(today.Weekday()) + 7) % 7
		if which == "last" || which == "past" {
			ahead -= 7
		}
		if ahead == 0 && which != "this" {
			ahead = 7
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
