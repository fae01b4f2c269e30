package clock

import (
	"strconv"
	"strings"
	"time"
)

// knownDay is a day that has a name, by its rule in words.txt: 12-25, easter-2
// or 11/4/4 (the fourth Thursday of November), with +1 for the day after.
func knownDay(rule, name string) date {
	yearly := func(year int) time.Time {
		if offset, ok := strings.CutPrefix(rule, "easter"); ok {
			n, _ := strconv.Atoi(offset)
			return easter(year).AddDate(0, 0, n)
		}
		if month, rest, ok := strings.Cut(rule, "/"); ok {
			rest, later, _ := strings.Cut(rest, "+")
			nth, weekday, _ := strings.Cut(rest, "/")
			m, _ := strconv.Atoi(month)
			n, _ := strconv.Atoi(nth)
			d, _ := strconv.Atoi(weekday)
			plus, _ := strconv.Atoi(later)
			return nthWeekday(year, time.Month(m), n, d).AddDate(0, 0, plus)
		}
		month, dayOfMonth, _ := strings.Cut(rule, "-")
		m, _ := strconv.Atoi(month)
		d, _ := strconv.Atoi(dayOfMonth)
		return day(year, time.Month(m), d)
	}
	return date{name: strings.ToUpper(name[:1]) + name[1:], yearly: yearly, at: func(today time.Time, back bool) time.Time {
		t := yearly(today.Year())
		switch {
		case back && t.After(today):
			return yearly(today.Year() - 1)
		case !back && t.Before(today):
			return yearly(today.Year() + 1)
		}
		return t
	}}
}

// nthWeekday is the n-th such weekday of a month, the last one for n = -1.
func nthWeekday(year int, month time.Month, n, weekday int) time.Time {
	if n < 0 {
		last := day(within(year), month+1, 0)
		return last.AddDate(0, 0, -(int(last.Weekday())-weekday+7)%7)
	}
	first := day(within(year), month, 1)
	t := first.AddDate(0, 0, (weekday-int(first.Weekday())+7)%7+7*(n-1))
	if t.Month() != first.Month() {
		panic(refusal("That month has no such day."))
	}
	return t
}

// easter is Easter Sunday of the western churches, by the method of Meeus, Jones
// and Butcher.
func easter(year int) time.Time {
	a, b, c := year%19, year/100, year%100
	d, e := b/4, b%4
	g := (8*b + 13) / 25
	h := (19*a + b - d - g + 15) % 30
	i, k := c/4, c%4
	l := (32 + 2*e + 2*i - h - k) % 7
	m := (a + 11*h + 19*l) / 433
	month := (h + l - 7*m + 90) / 25
	return day(year, time.Month(month), (h+l-7*m+33*month+19)%32)
}
