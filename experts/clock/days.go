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
		from = each.at(from, d.has("since", "ago", "born"))
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

// describe says a day's weekday and how far away it is. One that was written with
// its day and month is asked for its weekday, any other for itself.
func (d *desk) describe() core.Reply {
	days := append(d.days(), d.today())
	t, n := days[0], daysBetween(d.today(), days[0])
	data := dateData(t)
	data["days_from_today"] = float64(n)
	weekday := len(d.dates) == 1 && (d.dates[0].plain && !d.has("date", "when") || d.dates[0].known && d.has("day", "weekday"))
	text := "**" + t.Format(fullDate) + "**"
	if d.reads = "the date " + t.Format(shortDate); weekday {
		text = "**" + t.Weekday().String() + "**, " + t.Format(shortDate)
		d.reads = "the weekday of " + t.Format(shortDate)
	}
	switch {
	case n == 0:
		_, week := t.ISOWeek()
		text += fmt.Sprintf(", today, in week %d", week)
	case n < 0:
		text += ", " + count(-n, "day") + " ago"
	default:
		text += ", in " + count(n, "day")
	}
	return experts.Success(text, data)
}

// week is the ISO week of a day.
func (d *desk) week() core.Reply {
	t := append(d.days(), d.today())[0]
	year, week := t.ISOWeek()
	d.reads = "the week of " + t.Format(shortDate)
	weekday := (int(t.Weekday())+6)%7 + 1
	return experts.Success(fmt.Sprintf("**Week %d** of %d, %s (%d-W%02d-%d)", week, year, t.Format(fullDate), year, week, weekday), dateData(t))
}

// dayOfYear counts a day from 1 January.
func (d *desk) dayOfYear() core.Reply {
	t := append(d.days(), d.today())[0]
	data := dateData(t)
	data["result"] = float64(t.YearDay())
	d.reads = "the day of the year of " + t.Format(shortDate)
	return experts.Success(fmt.Sprintf("**Day %d** of %d, %s", t.YearDay(), t.Year(), t.Format(fullDate)), data)
}

// leap is "is 2028 a leap year", and "the next leap year".
func (d *desk) leap() core.Reply {
	isLeap := func(year int) bool { return exists(year, 2, 29) }
	if step := map[bool]int{d.has("next"): 1, d.has("last"): -1}[true]; step != 0 && len(d.years) == 0 {
		year := d.today().Year() + step
		for !isLeap(year) {
			year += step
		}
		d.reads = "the leap year nearest to now"
		return experts.Success(fmt.Sprintf("**%d** is a leap year", year), map[string]any{"result": float64(year), "leap": true})
	}
	if len(d.years) != 1 {
		panic(ambiguous("Which year do you mean? For example: \"is 2028 a leap year\"."))
	}
	year := within(d.years[0])
	d.reads = fmt.Sprintf("whether %d is a leap year", year)
	days, text := 365, "**No**, %d is not a leap year: it has %d days"
	if isLeap(year) {
		days, text = 366, "**Yes**, %d is a leap year: it has %d days"
	}
	return experts.Success(fmt.Sprintf(text, year, days), map[string]any{"result": float64(days), "days": float64(days), "leap": days == 366})
}

// length is "how many days in February 2028" and "how many weeks in 2026".
func (d *desk) length() core.Reply {
	name, from := "", time.Time{}
	var to time.Time
	switch {
	case len(d.dates) == 1:
		from = d.days()[0]
		name, to = from.Format("January 2006"), from.AddDate(0, 1, 0)
	default:
		year := append(d.years, d.today().Year())[0]
		name, from, to = fmt.Sprint(within(year)), day(year, 1, 1), day(year+1, 1, 1)
	}
	n := daysBetween(from, to)
	data := map[string]any{"result": float64(n), "days": float64(n), "leap": n == 366}
	d.reads = "the length of " + name
	switch unit := d.unit(); {
	case unit == "week" && len(d.dates) == 0:
		_, weeks := day(from.Year(), 12, 28).ISOWeek() // always in the last week
		data["result"], data["weeks"] = float64(weeks), float64(weeks)
		return experts.Success(fmt.Sprintf("**%s** in %s, by ISO 8601", count(weeks, "week"), name), data)
	case unit == "businessday":
		data["result"] = float64(businessDays(from, to))
		return experts.Success(fmt.Sprintf("**%s** from Monday to Friday in %s, holidays not counted out", count(businessDays(from, to), "day"), name), data)
	case unit == "month":
		expect(len(d.dates) == 0)
		data["result"] = 12.0
		return experts.Success(fmt.Sprintf("**12 months** in %s", name), data)
	case unit != "" && unit != "day":
		amount, _ := inUnit(unit, n, 0)
		data["result"], data[unit+"s"] = amount, amount
		return experts.Success(fmt.Sprintf("**%s** in %s", count(amount, unit), name), data)
	}
	return experts.Success(fmt.Sprintf("**%s** in %s", count(n, "day"), name), data)
}

// inUnit turns days, of which the whole months are known, into a unit.
func inUnit(unit string, days, months int) (amount float64, name string) {
	switch n := float64(days); unit {
	case "week":
		return n / 7, unit
	case "month":
		return float64(months), unit
	case "year":
		return float64(months / 12), unit
	case "hour":
		return n * 24, unit
	case "minute":
		return n * 24 * 60, unit
	case "second":
		return n * 24 * 3600, unit
	}
	return float64(days), "day"
}

// businessDays counts the days from Monday to Friday from one day to another,
// which is not one of them.
func businessDays(from, to time.Time) (n int) {
	days := daysBetween(from, to)
	n = days / 7 * 5
	for i := days / 7 * 7; i < days; i++ {
		if w := from.AddDate(0, 0, i).Weekday(); w != time.Saturday && w != time.Sunday {
			n++
		}
	}
	return n
}

// age is how old somebody is.
func (d *desk) age() core.Reply {
	if len(d.years) == 1 {
		years := d.today().Year() - within(d.years[0])
		d.reads = fmt.Sprintf("the age of somebody born in %d", d.years[0])
		return experts.Success(fmt.Sprintf("**%d or %d years**, by the birthday", years-1, years), map[string]any{"result": float64(years), "years": float64(years)})
	}
	born := d.days()[0]
	d.reads = "the age of somebody born on " + born.Format(shortDate)
	months, rest := calendarSpan(born, d.today())
	if months < 0 || rest < 0 {
		panic(refusal(born.Format(shortDate) + " is yet to come."))
	}
	data := dateData(born)
	data["from"], data["to"], data["days"] = d.today().Format(time.DateOnly), born.Format(time.DateOnly), float64(daysBetween(d.today(), born))
	data["result"], data["years"] = float64(months/12), float64(months/12)
	return experts.Success(fmt.Sprintf("**%s**, %s and %s since %s", count(months/12, "year"), count(months%12, "month"), count(rest, "day"), born.Format(shortDate)), data)
}

// between is "days between A and B", "days until B", "days since A".
func (d *desk) between() core.Reply {
	days := d.days()
	if len(days) == 0 && len(d.years) == 0 {
		d.years = []int{d.today().Year() + 1} // "left in the year"
	}
	if len(d.years) == 1 && len(days) == 0 { // "until 2027"
		year := d.years[0]
		if d.has("left") && year == d.today().Year() {
			year++
		}
		days = []time.Time{day(within(year), 1, 1)}
	}
	from, to := d.today(), days[len(days)-1]
	if len(days) == 2 {
		from = days[0]
	}
	within(from.Year())
	n := daysBetween(from, to)
	months, _ := calendarSpan(from, to)
	data := dateData(to)
	data["from"], data["to"], data["days"] = from.Format(time.DateOnly), to.Format(time.DateOnly), float64(n)
	unit := d.unit()
	if len(days) == 1 && strings.Contains(" hour minute second ", " "+unit+" ") && unit != "" { // from now, not from today
		d.dates = []date{{at: func(time.Time, bool) time.Time { return to }}}
		d.times = []timeOfDay{{}}
		return d.until()
	}
	amount, unit := inUnit(unit, n, months)
	note := ""
	if d.unit() == "businessday" {
		last := to
		if len(days) == 2 {
			last = to.AddDate(0, 0, 1) // both ends count
		}
		amount, note = float64(businessDays(from, last)), " from Monday to Friday, holidays not counted out,"
	}
	data["result"], data[unit+"s"] = amount, amount
	said := "**" + strings.TrimPrefix(count(amount, unit), "-") + "**" + note
	text := said + " until " + to.Format(fullDate)
	d.reads = unit + "s until " + to.Format(shortDate)
	switch {
	case len(days) == 2:
		d.reads = unit + "s from " + from.Format(shortDate) + " to " + to.Format(shortDate)
		text = said + " from " + from.Format(shortDate) + " to " + to.Format(shortDate)
		if n < 0 {
			text = said + " back from " + from.Format(shortDate) + " to " + to.Format(shortDate)
		}
	case n == 0:
		text = said + ": " + to.Format(fullDate) + " is today"
	case n < 0:
		d.reads = unit + "s since " + to.Format(shortDate)
		text = said + " since " + to.Format(fullDate)
	}
	return experts.Success(text, data)
}

// later is "30 days from today", "3 weeks after 2026-01-15", "2 hours ago".
func (d *desk) later() core.Reply {
	expect(len(d.spans) == 1)
	p, l, way, sign := d.place(), d.spans[0], "after", 1
	if d.has("until", "ago", "minus", "back") {
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
	t := addMonths(start, sign*l.months)
	if l.business {
		t = addBusinessDays(t, sign*l.days)
	} else {
		t = t.AddDate(0, 0, sign*l.days)
	}
	t = time.Unix(t.Unix()+int64(sign)*l.clock, 0).In(p.zone)
	within(t.Year())
	if d.reads = l.text + " " + way + " " + start.Format(shortDate); l.clock != 0 || len(d.times) > 0 {
		d.reads = l.text + " " + way + " " + start.Format("15:04, "+shortDate)
		return experts.Success(fmt.Sprintf("**%s**, %s (%s)", t.Format("15:04"), t.Format(fullDate), p.name), momentData(p, t))
	}
	return experts.Success(fmt.Sprintf("**%s**, %s", t.Format(fullDate), d.reads), dateData(t))
}

// addBusinessDays counts on from Monday to Friday.
func addBusinessDays(t time.Time, n int) time.Time {
	if n > 20_000 || n < -20_000 {
		panic(refusal("I count at most 20000 working days."))
	}
	step := map[bool]int{true: 1, false: -1}[n > 0]
	for n != 0 {
		if t = t.AddDate(0, 0, step); t.Weekday() != time.Saturday && t.Weekday() != time.Sunday {
			n -= step
		}
	}
	return t
}

// count says n of a unit, with at most two decimals.
func count[N int | float64](n N, unit string) string {
	if n != 1 && n != -1 {
		unit += "s"
	}
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", float64(n)), "0"), ".") + " " + unit
}
