package clock

import (
	"fmt"
	"strings"
	"time"

	"yaap/core"
	"yaap/experts"
)

// today is the day, at midnight UTC, of the first place that is named, or here.
func (d *desk) today() time.Time { return day(d.now.In(d.place().zone).Date()) }

// days returns the dates of the question in its order.
func (d *desk) days() []time.Time {
	var out []time.Time
	from := d.today()
	for _, each := range d.dates {
		from = each.at(from, d.has("since", "ago", "was", "were", "fell", "born", "passed", "elapsed"))
		out = append(out, from)
	}
	return out
}

// dateData describes a day for programs.
func dateData(t time.Time) map[string]any {
	within(t.Year())
	year, week := t.ISOWeek()
	date := t.Format(time.DateOnly)
	return map[string]any{"result": date, "date": date, "weekday": t.Weekday().String(), "iso_week": fmt.Sprintf("%d-W%02d", year, week)}
}

// describe says a day's weekday and how far away it is, or its week.
func (d *desk) describe() core.Reply {
	days := append(d.days(), d.today())
	t, n := days[0], daysBetween(d.today(), days[0])
	expect(len(d.dates) < 2 && len(d.years) == 0 && !d.has("time", "month", "year", "before", "after", "second", "flight", "train", "call", "meeting", "game"))
	data := dateData(t)
	data["days_from_today"] = float64(n)
	year, week := t.ISOWeek()
	text := fmt.Sprintf("%s is a %s, %s from today.", t.Format(shortDate), t.Weekday(), count(n, "day"))
	switch {
	case d.has("week") && !d.has("day"):
		text = fmt.Sprintf("%s is in ISO week %d of %d.", t.Format(fullDate), week, year)
	case n == 0:
		text = fmt.Sprintf("Today is %s.", t.Format(fullDate))
	case n < 0:
		text = fmt.Sprintf("%s was a %s, %s ago.", t.Format(shortDate), t.Weekday(), count(-n, "day"))
	}
	return experts.Success(text, data)
}

// length is "how many days in February 2028" and "is 2028 a leap year".
func (d *desk) length() core.Reply {
	var name, leap string
	var from, to time.Time
	switch {
	case len(d.years) == 1 && len(d.dates) == 0:
		name, from, to = fmt.Sprint(within(d.years[0])), day(d.years[0], 1, 1), day(d.years[0]+1, 1, 1)
		leap = " It is not a leap year."
		if daysBetween(from, to) == 366 {
			leap = " It is a leap year."
		}
	case d.has("leap"):
		panic(ambiguous("Which year do you mean? For example: \"is 2028 a leap year\"."))
	default:
		expect(len(d.dates) == 1 && d.dates[0].month)
		from = d.days()[0]
		name, to = from.Format("January 2006"), from.AddDate(0, 1, 0)
	}
	n := daysBetween(from, to)
	return experts.Success(fmt.Sprintf("%s has %s.%s", name, count(n, "day"), leap), map[string]any{"result": float64(n), "days": float64(n), "leap": n == 366})
}

// between is "days between A and B", "days until B", "days since A".
func (d *desk) between() core.Reply {
	days := d.days()
	if len(days) == 0 { // "until 2027"
		days, d.years = []time.Time{day(within(d.years[0]), 1, 1)}, nil
	}
	expect(len(days) <= 2 && len(d.years) == 0)
	from, to := d.today(), days[len(days)-1]
	if len(days) == 2 {
		from = days[0]
	}
	n := daysBetween(from, to)
	months, rest := calendarSpan(from, to)
	data := dateData(to)
	data["from"], data["to"], data["days"] = from.Format(time.DateOnly), to.Format(time.DateOnly), float64(n)
	if len(days) == 1 && n <= 0 && d.has("old", "age", "born") {
		data["result"], data["years"] = float64(-months/12), float64(-months/12)
		return experts.Success(fmt.Sprintf("Since %s it has been %s, %s and %s.", to.Format(shortDate),
			count(-months/12, "year"), count(-months%12, "month"), count(-rest, "day")), data)
	}
	if len(days) == 1 && d.has("hours", "minutes", "seconds") { // from now, not from today
		d.dates = []date{{at: func(time.Time, bool) time.Time { return to }}}
		d.times = []timeOfDay{{}}
		return d.until()
	}
	amount, unit := float64(n), "day"
	for name, of := range map[string]float64{
		"week": float64(n) / 7, "month": float64(months), "year": float64(months / 12),
		"hour": float64(n) * 24, "minute": float64(n) * 24 * 60, "second": float64(n) * 24 * 3600,
	} {
		if d.has(name + "s") {
			expect(unit == "day") // "weeks and hours until"
			amount, unit = of, name
		}
	}
	data["result"], data[unit+"s"] = amount, amount
	said := strings.TrimPrefix(count(amount, unit), "-")
	text := fmt.Sprintf("%s is %s away.", to.Format(fullDate), said)
	switch {
	case len(days) == 2 && n < 0:
		text = fmt.Sprintf("%s is %s before %s.", to.Format(shortDate), said, from.Format(shortDate))
	case len(days) == 2:
		text = fmt.Sprintf("From %s to %s it is %s.", from.Format(shortDate), to.Format(shortDate), said)
	case n == 0:
		text = fmt.Sprintf("%s is today.", to.Format(shortDate))
	case n < 0:
		text = fmt.Sprintf("%s was %s ago.", to.Format(fullDate), said)
	}
	return experts.Success(text, data)
}

// later is "30 days from today", "3 weeks after 2026-01-15", "2 hours ago".
func (d *desk) later() core.Reply {
	expect(len(d.spans) == 1 && !d.has("many") && len(d.years)+len(d.numbers) == 0)
	p, l, way, sign := d.place(), d.spans[0], "after", 1
	if d.has("before", "ago", "earlier", "minus", "subtract", "-") {
		way, sign = "before", -1
	}
	start := d.now.In(p.zone)
	switch {
	case len(d.times) > 0:
		start = d.moment(p)
	case len(d.dates) > 0:
		on := d.days()[0]
		start = time.Date(on.Year(), on.Month(), on.Day(), 0, 0, 0, 0, p.zone)
	}
	t := addMonths(start, sign*l.months).AddDate(0, 0, sign*l.days)
	t = time.Unix(t.Unix()+int64(sign)*l.clock, 0).In(p.zone)
	within(t.Year())
	if l.clock == 0 && len(d.times) == 0 {
		return experts.Success(fmt.Sprintf("%s %s %s is %s.", l.text, way, start.Format(shortDate), t.Format(fullDate)), dateData(t))
	}
	verb := "will be"
	if t.Before(d.now) {
		verb = "was"
	}
	return experts.Success(fmt.Sprintf("It %s %s on %s (%s).", verb, t.Format("15:04"), t.Format(fullDate), p.name), momentData(p, t))
}

// count says n of a unit, with at most two decimals.
func count[N int | float64](n N, unit string) string {
	if n != 1 && n != -1 {
		unit += "s"
	}
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", float64(n)), "0"), ".") + " " + unit
}
