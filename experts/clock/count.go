package clock

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"yaap/core"
	"yaap/experts"
)

// today is the day, at midnight UTC, of the first place that is named, or here.
func (d *desk) today() time.Time {
	t := d.now
	if len(d.places) > 0 {
		if there, err := d.at(d.places[0]); err == nil {
			t = there
		}
	}
	return day(t.Date())
}

// lookingBack reports whether a date without a year is a past one.
func (d *desk) lookingBack() bool { return backWords.MatchString(d.shape) }

var backWords = regexp.MustCompile(`\b(since|ago|was|were|fell|born|last|passed|elapsed)\b`)

// resolveDates returns the dates of the question in its order.
func (d *desk) resolveDates() ([]time.Time, error) {
	var out []time.Time
	for i, each := range d.dates {
		from := d.today()
		if i > 0 {
			from = out[i-1]
		}
		each.floating = each.floating && !strings.Contains(d.shape, "thisyear")
		t, err := each.resolve(from, d.lookingBack())
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func dateData(t time.Time) map[string]any {
	year, week := t.ISOWeek()
	return map[string]any{
		"result": t.Format(time.DateOnly), "date": t.Format(time.DateOnly), "weekday": t.Weekday().String(), "iso_week": fmt.Sprintf("%d-W%02d", year, week),
		"day_of_year": float64(t.YearDay()), "unix": float64(t.Unix()),
	}
}

// between is "days between A and B", "days until B", "days since A".
func (d *desk) between() (core.Reply, error) {
	if len(d.dates) == 0 { // "until 2027"
		d.dates, d.years = []date{calendar(strconv.Itoa(d.years[0]), time.January, "1")}, nil
	}
	days, err := d.resolveDates()
	if err != nil {
		return core.Reply{}, err
	}
	if len(days) > 2 || len(d.years) > 0 || strings.Contains(d.shape, "many X") {
		return core.Reply{}, errUnread
	}
	today := d.today()
	from, to := today, days[0]
	if len(days) == 2 {
		from, to = days[0], days[1]
	}
	n := int(to.Sub(from) / (24 * time.Hour))
	data := dateData(to)
	data["from"], data["to"], data["days"] = from.Format(time.DateOnly), to.Format(time.DateOnly), float64(n)
	if len(days) == 1 && d.asksAge() {
		years, months, rest := calendarSpan(to, from)
		data["result"], data["years"] = float64(years), float64(years)
		return experts.Success(fmt.Sprintf("Since %s it has been %s, %s and %s.", to.Format(shortDate), plural(years, "year"), plural(months, "month"), plural(rest, "day")), data), nil
	}
	amount, unit := d.inUnit(from, to, n)
	data["result"], data[unit+"s"] = amount, amount
	count := trim(amount) + " " + unit
	if amount != 1 && amount != -1 {
		count += "s"
	}
	var text string
	switch {
	case len(days) == 2:
		text = fmt.Sprintf("From %s to %s it is %s.", from.Format(shortDate), to.Format(shortDate), count)
	case n == 0:
		text = fmt.Sprintf("%s is today.", to.Format(shortDate))
	case n < 0:
		text = fmt.Sprintf("%s was %s ago.", to.Format(fullDate), strings.TrimPrefix(count, "-"))
	default:
		text = fmt.Sprintf("%s is %s away.", to.Format(fullDate), count)
	}
	reply := experts.Success(text, data)
	reply.Thought = fmt.Sprintf("counted from %s to %s", from.Format(time.DateOnly), to.Format(time.DateOnly))
	return reply, nil
}

// until is "how many hours until 5pm".
func (d *desk) until() (core.Reply, error) {
	p := d.here()
	if len(d.places) > 0 {
		p = d.places[0]
	}
	t, _, err := d.moment(p)
	if err != nil || len(d.times) > 1 {
		return core.Reply{}, errUnread
	}
	if t.Before(d.now) && len(d.dates) == 0 {
		t = t.AddDate(0, 0, 1)
	}
	minutes := int(t.Sub(d.now).Round(time.Minute) / time.Minute)
	text := fmt.Sprintf("%s on %s is %s away.", t.Format("15:04"), t.Format(fullDate), hoursMinutes(minutes))
	if minutes < 0 {
		text = fmt.Sprintf("%s on %s was %s ago.", t.Format("15:04"), t.Format(fullDate), hoursMinutes(-minutes))
	}
	data := zoneData(p, t)
	data["result"], data["minutes"] = float64(minutes), float64(minutes)
	return experts.Success(text, data), nil
}

func (d *desk) asksAge() bool { return ageWords.MatchString(d.shape) }

var ageWords = regexp.MustCompile(`\b(old|age|born)\b`)

// inUnit is the distance of two days in the unit that was asked for.
func (d *desk) inUnit(from, to time.Time, days int) (float64, string) {
	years, months, _ := calendarSpan(from, to)
	switch {
	case strings.Contains(d.shape, "weekdays"), strings.Contains(d.shape, "business"), strings.Contains(d.shape, "working"):
		return float64(workdays(from, to)), "working day"
	case strings.Contains(d.shape, "weeks"):
		return float64(days) / 7, "week"
	case strings.Contains(d.shape, "months"):
		return float64(12*years + months), "month"
	case strings.Contains(d.shape, "years"):
		return float64(years), "year"
	case strings.Contains(d.shape, "hours"):
		return float64(days) * 24, "hour"
	case strings.Contains(d.shape, "minutes"):
		return float64(days) * 24 * 60, "minute"
	case strings.Contains(d.shape, "seconds"):
		return float64(days) * 24 * 3600, "second"
	}
	return float64(days), "day"
}

// calendarSpan counts whole years, months and days from one day to a later
// one; an earlier one gives them negative.
func calendarSpan(from, to time.Time) (years, months, days int) {
	if to.Before(from) {
		years, months, days = calendarSpan(to, from)
		return -years, -months, -days
	}
	total := (to.Year()-from.Year())*12 + int(to.Month()) - int(from.Month())
	if addMonths(from, total).After(to) {
		total--
	}
	return total / 12, total % 12, int(to.Sub(addMonths(from, total)) / (24 * time.Hour))
}

// addMonths keeps to the end of a shorter month: 31 January plus one is 28 or
// 29 February.
func addMonths(t time.Time, n int) time.Time {
	last := day(t.Year(), t.Month()+time.Month(n)+1, 0).Day()
	return time.Date(t.Year(), t.Month()+time.Month(n), min(t.Day(), last), t.Hour(), t.Minute(), t.Second(), 0, t.Location())
}

// workdays counts Mondays to Fridays after from up to and with to.
func workdays(from, to time.Time) int {
	if to.Before(from) {
		return -workdays(to, from)
	}
	days := int(to.Sub(from) / (24 * time.Hour))
	n := days / 7 * 5
	for i := days - days%7 + 1; i <= days; i++ {
		if w := from.AddDate(0, 0, i).Weekday(); w != time.Saturday && w != time.Sunday {
			n++
		}
	}
	return n
}

// later is "30 days from today", "3 weeks after 2026-01-15", "2 hours ago".
func (d *desk) later() (core.Reply, error) {
	if len(d.spans) != 1 || strings.Contains(d.shape, "how many") {
		return core.Reply{}, errUnread
	}
	l, sign := d.spans[0], 1
	if earlier.MatchString(d.shape) {
		sign = -1
	}
	start, place, timed := d.now, d.here(), l.clock != 0
	if len(d.places) > 0 {
		place = d.places[0].each()[0]
		there, err := d.at(place)
		if err != nil {
			return core.Reply{}, err
		}
		start = there
	}
	switch {
	case len(d.times) > 0:
		t, _, err := d.moment(place)
		if err != nil {
			return core.Reply{}, err
		}
		start, timed = t, true
	case len(d.dates) > 0:
		days, err := d.resolveDates()
		if err != nil {
			return core.Reply{}, err
		}
		start = time.Date(days[0].Year(), days[0].Month(), days[0].Day(), 0, 0, 0, 0, start.Location())
	}
	t := l.from(start, sign)
	if t.Year() < 1 || t.Year() > 9999 {
		return core.Reply{}, refusal("That is beyond the years 1 to 9999, which is as far as I count.")
	}
	if timed {
		reply := experts.Success(fmt.Sprintf("It will be %s on %s (%s).", t.Format("15:04"), t.Format(fullDate), place.name), zoneData(place, t))
		if t.Before(d.now) {
			reply.Message = strings.Replace(reply.Message, "will be", "was", 1)
		}
		return reply, nil
	}
	way := "after"
	if sign < 0 {
		way = "before"
	}
	reply := experts.Success(fmt.Sprintf("%s %s %s is %s.", l.text(), way, start.Format(shortDate), t.Format(fullDate)), dateData(day(t.Date())))
	reply.Thought = "counted on the calendar from " + start.Format(time.DateOnly)
	return reply, nil
}

var earlier = regexp.MustCompile(`L (?:before|ago|earlier)|\b(?:minus|subtract|-) L|L prior`)

// from adds the span to a moment, or takes it away.
func (l span) from(t time.Time, sign int) time.Time {
	if n := sign * (12*l.years + l.months); n != 0 {
		t = addMonths(t, n)
	}
	t = t.AddDate(0, 0, sign*l.days)
	for left := min(l.workdays, 100_000); left > 0; {
		t = t.AddDate(0, 0, sign)
		if w := t.Weekday(); w != time.Saturday && w != time.Sunday {
			left--
		}
	}
	return t.Add(time.Duration(sign) * l.clock)
}

// text says the span in words.
func (l span) text() string {
	var parts []string
	for _, part := range []struct {
		n    int
		unit string
	}{{l.years, "year"}, {l.months, "month"}, {l.days, "day"}, {l.workdays, "working day"}, {int(l.clock / time.Minute), "minute"}} {
		if part.n != 0 {
			parts = append(parts, plural(part.n, part.unit))
		}
	}
	return strings.Join(parts, " and ")
}

func trim(f float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", f), "0"), ".")
}
