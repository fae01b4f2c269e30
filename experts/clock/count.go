package clock

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"yaap/core"
	"yaap/experts"
)

var ageWords = regexp.MustCompile(`\b(old|age|born)\b`)

// between is "days between A and B", "days until B", "days since A".
func (d *desk) between() (core.Reply, error) {
	days, err := d.days()
	if err != nil {
		return core.Reply{}, err
	}
	if len(days) == 0 { // "until 2027"
		days, d.years = []time.Time{day(d.years[0], 1, 1)}, nil
	}
	if len(days) > 2 || len(d.years) > 0 {
		return core.Reply{}, errUnread
	}
	from, to := d.today(), days[len(days)-1]
	if len(days) == 2 {
		from = days[0]
	}
	n := daysBetween(from, to)
	data := dateData(to)
	data["from"], data["to"], data["days"] = from.Format(time.DateOnly), to.Format(time.DateOnly), float64(n)
	if len(days) == 1 && ageWords.MatchString(d.shape) {
		months, rest := calendarSpan(to, from)
		data["result"], data["years"] = float64(months/12), float64(months/12)
		return experts.Success(fmt.Sprintf("Since %s it has been %s, %s and %s.", to.Format(shortDate),
			plural(months/12, "year"), plural(months%12, "month"), plural(rest, "day")), data), nil
	}
	amount, unit := d.inUnit(from, to)
	data["result"], data[unit+"s"] = amount, amount
	count := strings.TrimPrefix(strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", amount), "0"), "."), "-") + " " + unit
	if amount != 1 && amount != -1 {
		count += "s"
	}
	var text string
	switch {
	case len(days) == 2 && amount < 0:
		text = fmt.Sprintf("%s is %s before %s.", to.Format(shortDate), count, from.Format(shortDate))
	case len(days) == 2:
		text = fmt.Sprintf("From %s to %s it is %s.", from.Format(shortDate), to.Format(shortDate), count)
	case n == 0:
		text = fmt.Sprintf("%s is today.", to.Format(shortDate))
	case n < 0:
		text = fmt.Sprintf("%s was %s ago.", to.Format(fullDate), count)
	default:
		text = fmt.Sprintf("%s is %s away.", to.Format(fullDate), count)
	}
	reply := experts.Success(text, data)
	reply.Thought = fmt.Sprintf("counted from %s to %s", from.Format(time.DateOnly), to.Format(time.DateOnly))
	return reply, nil
}

// inUnit is the distance of two days in the unit that was asked for.
func (d *desk) inUnit(from, to time.Time) (float64, string) {
	days := daysBetween(from, to)
	months, _ := calendarSpan(from, to)
	for _, unit := range []struct {
		name   string
		amount float64
	}{
		{"week", float64(days) / 7},
		{"month", float64(months)},
		{"year", float64(months / 12)},
		{"hour", float64(days) * 24},
		{"minute", float64(days) * 24 * 60},
		{"second", float64(days) * 24 * 3600},
	} {
		if strings.Contains(d.shape, unit.name+"s") {
			return unit.amount, unit.name
		}
	}
	return float64(days), "day"
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

// addMonths keeps to the end of a shorter month: 31 January plus one is 28 or
// 29 February.
func addMonths(t time.Time, n int) time.Time {
	last := day(t.Year(), t.Month()+time.Month(n)+1, 0).Day()
	return t.AddDate(0, 0, 1-t.Day()).AddDate(0, n, min(t.Day(), last)-1)
}

var earlier = regexp.MustCompile(`L (?:before|ago|earlier)|\b(?:minus|subtract|-) L|L prior`)

// later is "30 days from today", "3 weeks after 2026-01-15", "2 hours ago".
func (d *desk) later() (core.Reply, error) {
	p, err := d.place()
	if err != nil || len(d.spans) != 1 || strings.Contains(d.shape, "how many") {
		return core.Reply{}, errUnread
	}
	l, way, sign := d.spans[0], "after", 1
	if earlier.MatchString(d.shape) {
		way, sign = "before", -1
	}
	start := d.at(p)
	switch {
	case len(d.times) > 0:
		start, err = d.moment(p)
	case len(d.dates) > 0:
		var days []time.Time
		if days, err = d.days(); err == nil {
			start = time.Date(days[0].Year(), days[0].Month(), days[0].Day(), 0, 0, 0, 0, p.zone)
		}
	}
	if err != nil {
		return core.Reply{}, err
	}
	t := addMonths(start, sign*l.months).AddDate(0, 0, sign*l.days).Add(time.Duration(sign) * l.clock)
	if t.Year() < 1 || t.Year() > 9999 {
		return core.Reply{}, refusal("That is beyond the years 1 to 9999, which is as far as I count.")
	}
	if l.clock == 0 && len(d.times) == 0 {
		return experts.Success(fmt.Sprintf("%s %s %s is %s.", l.text, way, start.Format(shortDate), t.Format(fullDate)), dateData(day(t.Date()))), nil
	}
	verb := "will be"
	if t.Before(d.now) {
		verb = "was"
	}
	return experts.Success(fmt.Sprintf("It %s %s on %s (%s).", verb, t.Format("15:04"), t.Format(fullDate), p.name), zoneData(p, t)), nil
}
