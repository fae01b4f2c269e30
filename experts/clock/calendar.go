package clock

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"yaap/core"
	"yaap/experts"
)

// today is the day, at midnight UTC, of the first place that is named, or here.
func (d *desk) today() time.Time {
	if len(d.places) > 0 {
		return day(d.at(d.places[0]).Date())
	}
	return day(d.now.Date())
}

// backWords make a date without a year a past one.
var backWords = regexp.MustCompile(`\b(since|ago|was|were|fell|born|last|passed|elapsed)\b`)

// days returns the dates of the question in its order.
func (d *desk) days() ([]time.Time, error) {
	var out []time.Time
	from := d.today()
	for _, each := range d.dates {
		t, err := each.at(from, backWords.MatchString(d.shape))
		if err != nil {
			return nil, err
		}
		out = append(out, t)
		from = t
	}
	return out, nil
}

// dateData describes a day for programs.
func dateData(t time.Time) map[string]any {
	year, week := t.ISOWeek()
	return map[string]any{
		"result": t.Format(time.DateOnly), "date": t.Format(time.DateOnly), "weekday": t.Weekday().String(), "iso_week": fmt.Sprintf("%d-W%02d", year, week),
	}
}

// otherWords ask for something else than a day or the present time: "last
// Friday of the month", "is my flight on time".
var otherWords = regexp.MustCompile(`D (month|year)|\b(before|after|second|flight|train|call|meeting|game|leaves|starts|begins|arrives)\b`)

// describe says a day's weekday and how far away it is, or its week.
func (d *desk) describe() (core.Reply, error) {
	days, err := d.days()
	if err != nil {
		return core.Reply{}, err
	}
	if len(days) == 0 {
		days = append(days, d.today())
	}
	if len(days) > 1 || len(d.years) > 0 || otherWords.MatchString(d.shape) {
		return core.Reply{}, errUnread
	}
	t, n := days[0], daysBetween(d.today(), days[0])
	data := dateData(t)
	data["days_from_today"] = float64(n)
	year, week := t.ISOWeek()
	switch {
	case len(d.dates) == 0:
		return experts.Success(fmt.Sprintf("It is ISO week %d of %d.", week, year), data), nil
	case strings.Contains(d.shape, "week") && !strings.Contains(d.shape, "day"):
		return experts.Success(fmt.Sprintf("%s is in ISO week %d of %d.", t.Format(fullDate), week, year), data), nil
	case n == 0:
		return experts.Success(fmt.Sprintf("Today is %s.", t.Format(fullDate)), data), nil
	case n < 0:
		return experts.Success(fmt.Sprintf("%s was a %s, %s ago.", t.Format(shortDate), t.Weekday(), plural(-n, "day")), data), nil
	}
	return experts.Success(fmt.Sprintf("%s is a %s, %s from today.", t.Format(shortDate), t.Weekday(), plural(n, "day")), data), nil
}

// length is "how many days in February 2028".
func (d *desk) length() (core.Reply, error) {
	var name string
	var from, to time.Time
	switch {
	case len(d.years) == 1:
		name, from, to = fmt.Sprint(d.years[0]), day(d.years[0], 1, 1), day(d.years[0]+1, 1, 1)
	case d.dates[0].month:
		days, err := d.days()
		if err != nil {
			return core.Reply{}, err
		}
		name, from, to = days[0].Format("January 2006"), days[0], days[0].AddDate(0, 1, 0)
	default:
		return core.Reply{}, errUnread
	}
	n := daysBetween(from, to)
	return experts.Success(fmt.Sprintf("%s has %s.", name, plural(n, "day")), map[string]any{"result": float64(n), "days": float64(n)}), nil
}

// leapYear is "is 2028 a leap year" and "when is the next leap year".
func (d *desk) leapYear() (core.Reply, error) {
	y := d.today().Year()
	text := ""
	switch {
	case len(d.years) > 0:
		y = d.years[0]
	case len(d.dates) > 0 || strings.Contains(d.shape, "last"):
		return core.Reply{}, ambiguous("Which year do you mean? For example: \"is 2028 a leap year\".")
	case strings.Contains(d.shape, "next"):
		for y++; !leap(y); y++ {
		}
		text = "The next leap year is %d."
	}
	switch {
	case text != "":
	case leap(y):
		text = "%d is a leap year: it has 366 days."
	default:
		text = "%d is not a leap year: it has 365 days."
	}
	return experts.Success(fmt.Sprintf(text, y), map[string]any{"result": leap(y), "year": float64(y), "leap": leap(y)}), nil
}

// unix turns seconds since 1970 into a time, or a time into those.
func (d *desk) unix() (core.Reply, error) {
	p, err := d.place()
	if err != nil {
		return core.Reply{}, err
	}
	if len(d.places) == 0 && len(d.numbers)+len(d.times)+len(d.dates) > 0 {
		p = place{name: "UTC", zone: time.UTC}
	}
	t := d.at(p)
	switch {
	case len(d.numbers) > 0:
		t = time.Unix(d.numbers[0], 0).In(p.zone)
		if d.numbers[0] >= 1e11 {
			t = time.UnixMilli(d.numbers[0]).In(p.zone)
		}
	case len(d.times) > 0:
		t, err = d.moment(p)
	case len(d.dates) > 0:
		d.times = []timeOfDay{{}}
		t, err = d.moment(p)
	}
	if err != nil {
		return core.Reply{}, err
	}
	data := zoneData(p, t)
	data["unix"] = float64(t.Unix())
	if len(d.numbers) > 0 {
		return experts.Success(fmt.Sprintf("%d is %s on %s (%s).", d.numbers[0], t.Format("15:04:05"), t.Format(fullDate), p.name), data), nil
	}
	data["result"] = float64(t.Unix())
	return experts.Success(fmt.Sprintf("The Unix time of %s is %d.", t.Format("2006-01-02 15:04:05 MST"), t.Unix()), data), nil
}
