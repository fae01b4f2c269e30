package clock

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"yaap/core"
	"yaap/experts"
)

// describe says what there is to say about a day: its weekday, and how far
// away it is.
func (d *desk) describe() (core.Reply, error) {
	days, err := d.resolveDates()
	if err != nil {
		return core.Reply{}, err
	}
	if len(days) != 1 || len(d.years) > 0 || strings.Contains(d.shape, "X") && !strings.Contains(d.shape, "day") {
		return core.Reply{}, errUnread
	}
	t, n := days[0], int(days[0].Sub(d.today())/(24*time.Hour))
	year, week := t.ISOWeek()
	verb, away := "is", fmt.Sprintf("%s from today", plural(n, "day"))
	switch {
	case n < 0:
		verb, away = "was", plural(-n, "day")+" ago"
	}
	text := fmt.Sprintf("%s %s a %s, %s.", t.Format(shortDate), verb, t.Weekday(), away)
	if n == 0 {
		text = fmt.Sprintf("Today is %s.", t.Format(fullDate))
	}
	if weekShape.MatchString(d.shape) && !strings.Contains(d.shape, "day") {
		text = fmt.Sprintf("%s %s in ISO week %d of %d.", t.Format(fullDate), verb, week, year)
	}
	data := dateData(t)
	data["days_from_today"] = float64(n)
	reply := experts.Success(text, data)
	reply.Thought = "read as the day " + t.Format(time.DateOnly)
	return reply, nil
}

// week is "what week is it".
func (d *desk) week() (core.Reply, error) {
	year, week := d.today().ISOWeek()
	return experts.Success(fmt.Sprintf("It is ISO week %d of %d.", week, year), dateData(d.today())), nil
}

var distance = regexp.MustCompile(`\b(since|until|till?|between|from|to|before|away)\b`)

// length is "how many days in February 2028".
func (d *desk) length() (core.Reply, error) {
	var from, to time.Time
	name := ""
	switch {
	case len(d.years) == 1 && len(d.dates) == 0:
		from, to = day(d.years[0], 1, 1), day(d.years[0]+1, 1, 1)
		name = fmt.Sprint(d.years[0])
	case len(d.dates) == 1 && d.dates[0].month && !distance.MatchString(d.shape):
		t, err := d.dates[0].at(d.today())
		if err != nil {
			return core.Reply{}, err
		}
		from, to = t, day(t.Year(), t.Month()+1, 1)
		name = t.Format("January 2006")
	default:
		return core.Reply{}, errUnread
	}
	n := int(to.Sub(from) / (24 * time.Hour))
	amount, unit := d.inUnit(from, to, n)
	return experts.Success(fmt.Sprintf("%s has %s %ss.", name, trim(amount), unit), map[string]any{"result": amount, "days": float64(n), unit + "s": amount}), nil
}

// leapYear is "is 2028 a leap year" and "when is the next leap year".
func (d *desk) leapYear() (core.Reply, error) {
	y := d.today().Year()
	switch {
	case len(d.years) > 0:
		y = d.years[0]
	case strings.Contains(d.shape, "next"):
		for y++; !leap(y); y++ {
		}
		return experts.Success(fmt.Sprintf("The next leap year is %d.", y), map[string]any{"year": float64(y), "leap": true}), nil
	case strings.Contains(d.shape, "last"):
		for y--; !leap(y); y-- {
		}
		return experts.Success(fmt.Sprintf("The last leap year was %d.", y), map[string]any{"year": float64(y), "leap": true}), nil
	}
	text := fmt.Sprintf("%d is not a leap year: it has 365 days.", y)
	if leap(y) {
		text = fmt.Sprintf("%d is a leap year: it has 366 days.", y)
	}
	return experts.Success(text, map[string]any{"year": float64(y), "leap": leap(y)}), nil
}

// unix turns seconds since 1970 into a time, or a time into those.
func (d *desk) unix() (core.Reply, error) {
	p := d.here()
	if len(d.places) > 0 {
		p = d.places[0].each()[0]
	}
	if len(d.numbers) > 0 {
		seconds := d.numbers[0]
		if seconds >= 1e11 { // milliseconds
			seconds /= 1000
		}
		t := time.Unix(seconds, 0).UTC()
		if len(d.places) > 0 {
			loc, err := p.location()
			if err != nil {
				return core.Reply{}, refusal("I have no rules for that zone.")
			}
			t = t.In(loc)
		} else {
			p = place{name: "UTC", fixed: time.UTC}
		}
		data := zoneData(p, t)
		data["unix"] = float64(seconds)
		return experts.Success(fmt.Sprintf("%d is %s on %s (%s).", seconds, t.Format("15:04:05"), t.Format(fullDate), p.name), data), nil
	}
	t := d.now
	switch {
	case len(d.times) > 0:
		if len(d.places) == 0 {
			p = place{name: "UTC", fixed: time.UTC}
		}
		moment, _, err := d.moment(p)
		if err != nil {
			return core.Reply{}, err
		}
		t = moment
	case len(d.dates) > 0:
		days, err := d.resolveDates()
		if err != nil {
			return core.Reply{}, err
		}
		t = days[0]
	}
	return experts.Success(fmt.Sprintf("The Unix time of %s is %d.", t.Format("2006-01-02 15:04:05 MST"), t.Unix()),
		map[string]any{"result": float64(t.Unix()), "unix": float64(t.Unix()), "time": t.Format(time.RFC3339)}), nil
}
