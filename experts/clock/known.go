package clock

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"
)

//go:embed family.txt
var familyFile string

// knownDay is a day that has a name, by its rule in words.txt: 12-25, easter-2
// or 11/4/4 (the fourth Thursday of November), with +1 for the day after.
func knownDay(rule, name string) date {
	var m, n, d, later int
	yearly := func(year int) time.Time { return day(year, time.Month(m), n) }
	if _, err := fmt.Sscanf(rule, "easter%d", &n); err == nil || rule == "easter" {
		yearly = func(year int) time.Time { return easter(year).AddDate(0, 0, n) }
	} else if read, _ := fmt.Sscanf(rule, "%d/%d/%d%d", &m, &n, &d, &later); read > 2 {
		yearly = func(year int) time.Time { return nthWeekday(year, time.Month(m), n, d).AddDate(0, 0, later) }
	} else {
		_, _ = fmt.Sscanf(rule, "%d-%d", &m, &n)
	}
	return date{name: titled(name), yearly: yearly, at: nearest(yearly, 1, 1)}
}

// titled writes a folded name with capitals.
func titled(name string) string {
	words := strings.Fields(name)
	for i, w := range words {
		if i == 0 || len(w) > 3 || w == "day" || w == "eve" {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, " ")
}

// nearest is the day of the first year from today, or of the last if back, that
// has the day d of the month m.
func nearest(yearly func(year int) time.Time, m, d int) func(today time.Time, back bool) time.Time {
	return func(today time.Time, back bool) time.Time {
		step := map[bool]int{true: -1, false: 1}[back]
		for y := today.Year(); y > today.Year()-9 && y < today.Year()+9; y += step { // 29 February may be 8 years away
			if exists(y, m, d) {
				if t := yearly(y); t.Equal(today) || t.Before(today) == back {
					return t
				}
			}
		}
		panic(refuse("There is no day %d of month %d.", d, m))
	}
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
		panic(refuse("That month has no such day."))
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

// familyDay is the rule of the day of mothers or fathers where a zone is, "" where
// it is not known.
func familyDay(of, zone string) string {
	for line := range strings.Lines(familyFile) {
		head, cities, _ := strings.Cut(line, ": ")
		if rule, ok := strings.CutPrefix(head, of+" "); ok && slices.Contains(strings.Fields(cities), zone[strings.LastIndexByte(zone, '/')+1:]) {
			return rule
		}
	}
	return ""
}

// keptThere puts the day as it is kept in the country that is named in the place
// of the day of mothers or fathers. No other day is read with a country.
func (d *desk) keptThere() {
	if len(d.places) != 1 || len(d.dates) != 1 || d.dates[0].name == "" {
		expect(len(d.places) == 0 || len(d.dates) == 0)
		return
	}
	of, name, p := "", d.dates[0].name, d.places[0]
	switch lower := strings.ToLower(name); {
	case strings.HasPrefix(lower, "mother"), lower == "muttertag", lower == "dia de la madre":
		of = "mother"
	case strings.HasPrefix(lower, "father"), lower == "vatertag", lower == "dia del padre":
		of = "father"
	}
	expect(of != "" && len(p.zones) > 0)
	for _, zone := range p.zones {
		rule := familyDay(of, zone)
		if rule == "" {
			continue
		}
		there := knownDay(rule, name)
		d.places = nil // the day is counted from here
		if years := d.years; d.dates[0].dated || len(years) == 1 {
			year := append(years, d.days()[0].Year())[0]
			there.at = func(time.Time, bool) time.Time { return there.yearly(year) }
		}
		there.name = name + " (" + p.name + ")"
		d.dates = []date{there}
		return
	}
	panic(refuse("I do not know when %s is kept in %s.", name, p.name))
}
