package clock

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
)

const maxLeaps = 100 // that are listed

// today is the day, at midnight UTC, of the first place that is named, or here.
func (d *desk) today() time.Time { return day(d.now.In(d.place().zone).Date()) }

// days returns the dates of the question in its order.
func (d *desk) days() []time.Time {
	var out []time.Time
	from := d.today()
	if len(d.dates) == 2 && d.dates[0].yearly != nil && !d.dates[0].dated && (d.dates[1].dated || d.dates[1].fromNow || d.dates[1].plain && d.dates[1].yearly == nil) { // 1 May to 3 June 2027, or to today
		to := d.dates[1].at(from, false)
		if from = d.dates[0].yearly(to.Year()); from.After(to) {
			from = d.dates[0].yearly(to.Year() - 1)
		}
		return []time.Time{from, to}
	}
	for _, each := range d.dates {
		if each.fromNow {
			from = d.today()
		}
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
	d.keptThere()
	if d.has("D") && len(d.years) == 1 { // "Easter date 2030"
		yearly, year := d.dates[0].yearly, d.years[0]
		expect(yearly != nil && !d.dates[0].dated)
		d.dates[0].at = func(time.Time, bool) time.Time { return yearly(within(year)) }
	}
	days := append(d.days(), d.today())
	t, n := days[0], daysBetween(d.today(), days[0])
	data := dateData(t)
	data["days_from_today"] = float64(n)
	weekday := len(d.dates) == 1 && (d.dates[0].plain && !d.has("date", "when") || d.dates[0].name != "" && d.has("day", "weekday"))
	text := "**" + d.on(t, fullDate) + "**"
	if d.reads = "the date " + t.Format(shortDate); weekday {
		text = "**" + d.say(t.Weekday().String()) + "**, " + d.on(t, shortDate)
		d.reads = "the weekday of " + t.Format(shortDate)
	}
	if d.has("iso") {
		text = "**" + t.Format(time.DateOnly) + "**, " + d.on(t, fullDate)
	} else if name := append(d.dates, date{})[0].name; name != "" && !weekday {
		text = d.say("**%s** is %s", d.on(t, fullDate), name)
	}
	switch {
	case n == 0:
		_, week := t.ISOWeek()
		text += d.say(", today, in week %d", week)
	case n < 0:
		text += d.say(", %s ago", d.count(float64(-n), "day"))
	case n == 1:
		text += d.say(", in %[1]s", d.count(1, "day"))
	default:
		text += d.say(", in %s", d.count(float64(n), "day"))
	}
	if len(d.dates) == 1 && d.dates[0].week {
		text += d.say(", until %s", d.on(t.AddDate(0, 0, 6), fullDate))
	}
	return experts.Success(text+d.iso(t), data)
}

// week is the ISO week of a day.
func (d *desk) week() core.Reply {
	t := append(d.days(), d.today())[0]
	year, week := t.ISOWeek()
	d.reads = "the week of " + t.Format(shortDate)
	weekday := (int(t.Weekday())+6)%7 + 1
	return d.success(dateData(t), "**Week %d** of %d, %s (%d-W%02d-%d)", week, year, d.on(t, fullDate), year, week, weekday)
}

// dayOfYear counts a day from 1 January.
func (d *desk) dayOfYear() core.Reply {
	t := append(d.days(), d.today())[0]
	data := dateData(t)
	data["result"] = float64(t.YearDay())
	d.reads = "the day of the year of " + t.Format(shortDate)
	return d.success(data, "**Day %d** of %d, %s", t.YearDay(), t.Year(), d.on(t, fullDate))
}

// part is the year, the month or the quarter that it is.
func (d *desk) part() core.Reply {
	t := append(d.days(), d.today())[0]
	d.reads = "the part of the year of " + t.Format(shortDate)
	text := t.Format("2006")
	switch {
	case d.has("month"):
		text = d.on(t, monthYear)
	case d.has("quarter"):
		return d.success(dateData(t), "**Q%d** of %d, on %s", (int(t.Month())+2)/3, t.Year(), d.on(t, fullDate))
	}
	return d.success(dateData(t), "**%s**, on %s", text, d.on(t, fullDate))
}

// edge is the first or the last day of a week, a month or a year.
func (d *desk) edge() core.Reply {
	t, months, days := d.today(), 0, 0
	switch {
	case len(d.dates) == 1 && d.dates[0].week:
		t, days = d.days()[0], 7
	case len(d.dates) == 1:
		t, months = d.days()[0], d.dates[0].months
		expect(months > 0)
	case len(d.years) == 1 || d.has("year"):
		t, months = day(within(append(d.years, t.Year())[0]), 1, 1), 12
	default:
		expect(d.has("month"))
		t, months = day(t.Year(), t.Month(), 1), 1
	}
	first, last := t, d.has("last", "end")
	if last {
		t = t.AddDate(0, months, days-1)
	}
	if unit := d.unit(); unit != "" {
		expect(unit == "businessday")
		if t = addBusinessDays(t.AddDate(0, 0, -1), 1); last {
			t = addBusinessDays(first.AddDate(0, months, days), -1)
		}
	}
	d.dates = []date{on(t)}
	return d.describe()
}

// same is "the same day next month", or next week or year.
func (d *desk) same() core.Reply {
	t := d.today()
	switch {
	case len(d.years) == 1:
		t = addMonths(t, 12*(within(d.years[0])-t.Year()))
	case d.dates[0].months == 1:
		first := d.days()[0]
		t = addMonths(t, 12*(first.Year()-t.Year())+int(first.Month()-t.Month()))
	default:
		t = d.days()[0]
	}
	d.dates = []date{on(t)}
	return d.describe()
}

// isThere is "did 1900 have a 29 February".
func (d *desk) isThere() core.Reply {
	expect(d.dates[0].plain && d.dates[0].yearly != nil)
	t := d.dates[0].yearly(within(d.years[0]))
	d.reads = "whether there is " + t.Format(shortDate)
	return d.success(dateData(t), "**Yes**, there is: %s", d.on(t, fullDate))
}

// isA is whether a day is at a weekend, or a Friday.
func (d *desk) isA() core.Reply {
	t := d.days()[0]
	is := businessDays(t, t.AddDate(0, 0, 1)) == 0
	if len(d.dates) == 2 {
		wanted := d.dates[1]
		expect(!d.dates[0].week && (d.dates[0].plain || !strings.Contains(d.text, "week")) && wanted.weekday)
		is = wanted.at(t, false).Weekday() == t.Weekday()
	}
	d.reads = "what day " + t.Format(shortDate) + " is"
	return d.success(dateData(t), map[bool]string{true: "**Yes**: %s", false: "**No**: %s"}[is], d.on(t, fullDate))
}

// nextTo is "the Friday before Christmas".
func (d *desk) nextTo() core.Reply {
	expect(d.dates[0].weekday)
	d.dates = []date{on(d.dates[0].at(d.dates[1].at(d.today(), false), d.has("before")))}
	return d.describe()
}

// leap is "is 2028 a leap year", and "the next leap year".
func (d *desk) leap() core.Reply {
	isLeap := func(year int) bool { return exists(year, 2, 29) }
	if step := map[bool]int{d.has("next", "after"): 1, d.has("last"): -1}[true]; step != 0 && (len(d.years) == 0 || d.has("after")) {
		year := append(d.years, d.today().Year())[0] + step
		for !isLeap(year) {
			year += step
		}
		d.reads = "the leap year nearest to now"
		phrase := map[bool]string{true: "**%d** is the next leap year", false: "**%d** was the last leap year"}[step > 0]
		return d.success(map[string]any{"result": float64(year), "leap": true}, phrase, year)
	}
	if len(d.years) != 1 {
		panic(askBack("Which year do you mean? For example: \"is 2028 a leap year\"."))
	}
	year := within(d.years[0])
	d.reads = fmt.Sprintf("whether %d is a leap year", year)
	days, text := 365, "**No**, %d is not a leap year: it has %d days"
	if isLeap(year) {
		days, text = 366, "**Yes**, %d is a leap year: it has %d days"
	}
	return d.success(map[string]any{"result": float64(days), "days": float64(days), "leap": days == 366}, text, year, days)
}

// leaps is the leap years from one year to another.
func (d *desk) leaps() core.Reply {
	first, last := within(min(d.years[0], d.years[1])), within(max(d.years[0], d.years[1]))
	d.reads = fmt.Sprintf("the leap years from %d to %d", first, last)
	var years []string
	for year := first; year <= last && len(years) <= maxLeaps; year++ {
		if exists(year, 2, 29) {
			years = append(years, strconv.Itoa(year))
		}
	}
	if len(years) > maxLeaps {
		panic(refuse("I list at most %d leap years.", maxLeaps))
	}
	return d.success(map[string]any{"result": float64(len(years)), "years": years}, "**%s**: %s from %d to %d", cmp.Or(strings.Join(years, ", "), "0"), d.count(float64(len(years)), "leap year"), first, last)
}

// length is "how many days in February 2028" and "how many weeks in 2026".
func (d *desk) length() core.Reply {
	var name string
	var from, to time.Time
	if len(d.dates) == 1 {
		from = d.days()[0]
		name, to = d.on(from, monthYear), from.AddDate(0, d.dates[0].months, 0)
		if d.dates[0].months == 3 {
			name = fmt.Sprintf("Q%d %d", (int(from.Month())+2)/3, from.Year())
		}
	} else {
		expect(len(d.years) > 0 || d.has("year"))
		year := append(d.years, d.today().Year())[0]
		name, from, to = fmt.Sprint(within(year)), day(year, 1, 1), day(year+1, 1, 1)
	}
	n := daysBetween(from, to)
	data := map[string]any{"result": float64(n), "days": float64(n), "leap": n == 366}
	d.reads = "the length of " + name
	var amount float64
	unit, phrase := d.unit(), "**%s** in %s"
	switch {
	case unit == "week" && len(d.dates) == 0:
		_, weeks := day(from.Year(), 12, 28).ISOWeek() // always in the last week
		amount, phrase = float64(weeks), "**%s** in %s, by ISO 8601"
	case unit == "businessday":
		amount, unit, phrase = float64(businessDays(from, to)), "day", "**%s** from Monday to Friday, holidays not counted out, in %s"
	case unit == "month":
		expect(len(d.dates) == 0)
		amount = 12
	default:
		amount, unit = inUnit(unit, n, 0)
	}
	if data["result"] = amount; unit != "day" {
		data[unit+"s"] = amount
	}
	return d.success(data, phrase, d.count(amount, unit), name)
}

// inUnit turns days, of which the whole months are known, into a unit.
func inUnit(unit string, days, months int) (amount float64, name string) {
	switch unit {
	case "week":
		return float64(days) / 7, unit
	case "fortnight":
		return float64(days) / 14, unit
	case "month":
		return float64(months), unit
	case "year":
		return float64(months / 12), unit
	}
	if n := map[string]int{"hour": 24, "minute": 24 * 60, "second": 24 * 3600}[unit]; n > 0 {
		return float64(n * days), unit
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
		if years < 0 {
			panic(refuse("%s is yet to come.", strconv.Itoa(d.years[0])))
		}
		d.reads = fmt.Sprintf("the age of somebody born in %d", d.years[0])
		return d.success(map[string]any{"result": float64(years), "years": float64(years)}, "**%d or %d years**, by the birthday, born in %d", years-1, years, d.years[0])
	}
	days := d.days()
	if len(days) == 2 && days[1].Before(days[0]) {
		slices.Reverse(days)
	}
	born, now := days[0], append(days, d.today())[1]
	d.reads = "the age of somebody born on " + born.Format(shortDate)
	months, rest := calendarSpan(born, now)
	if months < 0 || rest < 0 {
		panic(refuse("%s is yet to come.", born))
	}
	data := dateData(born)
	data["from"], data["to"], data["days"] = now.Format(time.DateOnly), born.Format(time.DateOnly), float64(daysBetween(now, born))
	data["result"], data["years"] = float64(months/12), float64(months/12)
	since := d.on(born, shortDate)
	if len(d.dates) == 2 {
		since += d.say(" on %s", d.on(now, shortDate))
	}
	return d.success(data, "**%s**, %s and %s since %s", d.count(float64(months/12), "year"), d.count(float64(months%12), "month"), d.count(float64(rest), "day"), since)
}

// between is "days between A and B", "days until B", "days since A".
func (d *desk) between() core.Reply {
	days := d.days()
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
	expect(!d.has("done") || !d.has("before") || d.has("howmany", "howlong", "howfar") || len(d.units) > 0) // what expires before May
	thisMonth := len(days) == 1 && len(d.dates) == 1 && d.dates[0].months == 1 && to.Month() == d.today().Month()
	switch {
	case d.has("left") && to.Equal(d.today()): // "hours left today"
		to = to.AddDate(0, 0, 1)
	case d.has("left") && thisMonth && !d.has("until", "to"): // "days left in November"
		to = day(d.today().Year(), d.today().Month()+1, 0)
	}
	n := daysBetween(from, to)
	months, _ := calendarSpan(from, to)
	data := dateData(to)
	data["from"], data["to"], data["days"] = from.Format(time.DateOnly), to.Format(time.DateOnly), float64(n)
	unit := d.unit()
	if len(days) == 1 && slices.Contains([]string{"hour", "minute", "second"}, unit) { // from now, not from today
		d.dates = []date{on(to)}
		d.times = []timeOfDay{{}}
		return d.until()
	}
	amount, unit := inUnit(unit, n, months)
	phrase := "**%s**"
	if d.unit() == "businessday" {
		last := to
		if len(days) == 2 || len(d.dates) == 1 && d.dates[0].ends || thisMonth && d.has("left") {
			last = to.AddDate(0, 0, 1) // both ends count
		}
		amount, phrase = float64(businessDays(from, last)), "**%s** from Monday to Friday, holidays not counted out,"
	}
	data["result"], data[unit+"s"] = amount, amount
	said, full := d.count(max(amount, -amount), unit), d.on(to, fullDate)
	switch {
	case len(days) == 2:
		d.reads = unit + "s from " + from.Format(shortDate) + " to " + to.Format(shortDate)
		switch phrase += " from %s to %s"; {
		case phrase != "**%s** from %s to %s":
		case n < 0:
			phrase = "**%s** back from %s to %s"
		default:
			phrase = "**%[1]s** from %s to %s" // of days, not of times
		}
		return d.success(data, phrase, said, d.on(from, shortDate), d.on(to, shortDate))
	case n == 0:
		phrase = "**%s**: %s is today"
	case n < 0:
		phrase += " since %s"
	default:
		phrase += " until %s"
	}
	d.reads = unit + map[bool]string{true: "s since ", false: "s until "}[n < 0] + to.Format(shortDate)
	return d.success(data, phrase, said, full)
}

// later is "30 days from today", "3 weeks after 2026-01-15", "2 hours ago".
func (d *desk) later() core.Reply {
	if len(d.spans) == 0 { // "the day after"
		d.spans = []span{{text: d.count(1, "day"), days: 1}}
	}
	expect(len(d.dates)+len(d.times) > 0 || !d.has("after") || d.has("now")) // 7 days after what
	p, l, way, sign := d.place(), d.spans[0], " after ", 1
	if _, asked, _ := strings.Cut(d.shape, ". "); d.has("before", "until", "ago", "minus", "back") || (strings.Contains(asked, "begin") || strings.Contains(asked, "leaves")) && d.has("end", "done") {
		way, sign = " before ", -1
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
	if d.reads = l.text + way + start.Format(shortDate); l.clock != 0 || len(d.times) > 0 {
		d.reads = l.text + way + start.Format("15:04, "+shortDate)
		return d.success(momentData(p, t), "**%s**, %s (%s), %s"+way+"%s", t.Format("15:04"), d.on(t, fullDate), p.name, l.text, start.Format("15:04"))
	}
	return experts.Success(d.say("**%s**, %s"+way+"%s", d.on(t, fullDate), l.text, d.on(start, shortDate))+d.iso(t), dateData(t))
}

// inOne is an ISO duration in one unit: "how many hours is P2DT6H".
func (d *desk) inOne() core.Reply {
	l, unit := d.spans[0], d.unit()
	expect(strings.HasPrefix(l.text, "P"))
	if months := map[string]int{"month": 1, "year": 12}[unit]; months > 0 && l.days == 0 && l.clock == 0 {
		amount := float64(l.months) / float64(months)
		d.reads = l.text + " in " + unit + "s"
		return d.success(map[string]any{"result": amount, unit + "s": amount}, "**%s** is %s", d.count(amount, unit), l.text)
	}
	size := map[string]int64{"": 3600, "second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 7 * 86400}[unit]
	expect(strings.HasPrefix(l.text, "P") && l.months == 0 && size > 0)
	if unit == "" {
		unit = "hour"
	}
	amount := float64(int64(l.days)*86400+l.clock) / float64(size)
	d.reads = l.text + " in " + unit + "s"
	return d.success(map[string]any{"result": amount, unit + "s": amount}, "**%s** is %s", d.count(amount, unit), l.text)
}

// addBusinessDays counts on from Monday to Friday.
func addBusinessDays(t time.Time, n int) time.Time {
	if n > 20_000 || n < -20_000 {
		panic(refuse("I count at most 20000 working days."))
	}
	step := map[bool]int{true: 1, false: -1}[n > 0]
	for n != 0 {
		if t = t.AddDate(0, 0, step); t.Weekday() != time.Saturday && t.Weekday() != time.Sunday {
			n -= step
		}
	}
	return t
}
