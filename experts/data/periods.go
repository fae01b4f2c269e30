package data

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/experts/plain"
)

// period is a day, a month or a year: from its beginning to what is behind all
// its times. part is what is compared: § for the date, or its month.
type period struct{ part, from, to, said string }

func periodOf(date string) period {
	p := period{"§", date, date + "~", date}
	if len(date) == 4 {
		p.from += "-" // alone it would be a number to SQLite
	}
	return p
}

func (p period) cond(c *column, op string) cond {
	if strings.HasPrefix(p.part, "substr") && op != "=" && !strings.HasPrefix(p.said, "Q") {
		p = periodOf(c.yearFor(p.from, time.Now()) + "-" + p.from)
	}
	if birthday := slices.Contains(vocab().like[c.key], "born") && p.part == "§" && len(p.from) > 5 && c.last < p.from; birthday && p.from[5:] <= p.to[5:] {
		p.part, p.from, p.to = fmt.Sprintf("substr(§, 6, %d)", len(p.from)-5), p.from[5:], p.to[5:] // of nobody who is born then
	}
	from, to := literal(p.from), literal(p.to)
	expr := map[string]string{">": " > " + to, ">=": " >= " + from, "<": " < " + from, "<=": " < " + to}[op]
	said := map[string]string{">": "after ", ">=": "since ", "<": "before ", "<=": "until "}[op]
	return test(c, p.part+cmp.Or(expr, " BETWEEN "+from+" AND "+to), cmp.Or(said, "in ")+p.said)
}

// yearFor is the year that a month, or a day of one, is of where none is said: the one in
// which it is nearest to now, or to the last date of a column that ends before.
func (c *column) yearFor(month string, now time.Time) string {
	near := now.Format(time.DateOnly)
	if c.last < near {
		near = c.last
	}
	at, err := time.Parse("2006-01", near[:min(len(near), 7)])
	if err != nil {
		at = now
	}
	year := at.Year()
	switch distance := atoi(month[:2]) - int(at.Month()); {
	case distance > 6:
		year--
	case distance < -6:
		year++
	}
	return strconv.Itoa(year)
}

//nolint:gochecknoglobals // never change; see plain.LazyRegexp
var (
	aDate    = plain.LazyRegexp(`^(?:19|20)\d\d(-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?$`)
	aDay     = plain.LazyRegexp(`^(0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th|\.)?$`)
	aQuarter = plain.LazyRegexp(`^q([1-4])$`)
	oldYear  = plain.LazyRegexp(`^1[0-8]\d\d$`)
	aYear    = plain.LazyRegexp(`^(?:19|20)\d\d$`)
)

// dateAt reads a date, a month or, where it may be one, a year at token i, and
// returns where it ends; 0 where there is none.
func (r *reader) dateAt(i int, year bool) (period, int) {
	if i >= len(r.toks) {
		return period{}, 0
	}
	if text := r.toks[i].text; aDate().MatchString(text) && (year || len(text) > 4) {
		return periodOf(text), i + 1
	}
	if q := aQuarter().FindStringSubmatch(r.toks[i].low); q != nil {
		first, last := fmt.Sprintf("%02d", 3*atoi(q[1])-2), fmt.Sprintf("%02d~", 3*atoi(q[1]))
		if i+1 < len(r.toks) && aYear().MatchString(r.toks[i+1].text) {
			year := r.toks[i+1].text
			return period{"§", year + "-" + first, year + "-" + last, "Q" + q[1] + " " + year}, i + 2
		}
		return period{"substr(§, 6, 2)", first, last, "Q" + q[1]}, i + 1
	}
	if rel, end := r.means(i, "rel"); end > 0 {
		return relative(rel.of, time.Now()), end
	}
	if p, end := r.around(i, time.Now()); end > 0 {
		return p, end
	}
	if _, and := r.means(i+1, "and", "to"); and > 0 && r.day(i) > 0 && r.day(and) > 0 { // 20 and 28 November
		if month, to := r.means(and+1, "month"); to == and+2 {
			return everyYear(fmt.Sprintf("%s-%02d", month.of, r.day(i))), i + 1
		}
	}
	month, end := r.means(i, "month")
	day := 0
	if m, to := r.means(i+1, "month"); to > 0 && r.day(i) > 0 {
		month, end, day = m, to, r.day(i) // 1 April
	} else if r.day(end) > 0 && end > 0 {
		day, end = r.day(end), end+1 // April 1st
	}
	if end == 0 {
		return period{}, 0
	}
	date := month.of
	if day > 0 {
		date += fmt.Sprintf("-%02d", day)
	}
	if j := r.skip(end); j < len(r.toks) && aYear().MatchString(r.toks[j].text) {
		return periodOf(r.toks[j].text + "-" + date), j + 1
	}
	return everyYear(date), end
}

// everyYear is a month, or a day of one, whatever the year.
func everyYear(date string) period {
	said := date
	if len(date) == len("12") {
		said = "month " + date
	}
	return period{fmt.Sprintf("substr(§, 6, %d)", len(date)), date, date + "~", said}
}

// days are those between two, in any order.
func days(from, to time.Time) period {
	first, last := from.Format(time.DateOnly), to.Format(time.DateOnly)
	first, last = min(first, last), max(first, last)
	return period{"§", first, last + "~", first + " – " + last}
}

// around reads "last 14 days", "next 2 weeks" and the day of a week, which is the one to come
// where nothing says that it is over; "Mondays" are all.
func (r *reader) around(i int, now time.Time) (period, int) {
	side, at := r.means(i, "last", "soon")
	if every, end := r.means(i, "weekdays"); end > 0 {
		return period{"strftime('%w', §)", every.of, every.of + "~", r.toks[end-1].text}, end
	}
	if day, end := r.means(max(i, at), "weekday"); end > 0 {
		ahead := (atoi(day.of) - int(now.Weekday()) + 7) % 7
		past := says(r.spans, "past") || r.scope.date() != nil && r.scope.date().last < now.Format(time.DateOnly)
		over := side.kind == "last" || at == 0 && past
		if ahead == 0 && side.kind == "soon" || over {
			ahead += map[bool]int{true: -7, false: 7}[over]
		}
		return periodOf(now.AddDate(0, 0, ahead).Format(time.DateOnly)), end
	}
	if at == 0 {
		return period{}, 0
	}
	then, end := r.away(at, map[string]int{"last": -1, "soon": 1}[side.kind], now)
	return days(now, then), end
}

const maxAway = 1000 // days, or years

// away is the day that is so many days, weeks, months or years away as is said from a token
// on, and where that ends; 0 where nothing is.
func (r *reader) away(i, sign int, now time.Time) (time.Time, int) {
	unit, end := r.means(i+1, "unit")
	if i >= len(r.toks) || end == 0 {
		return now, 0
	}
	n := sign * plain.Number(r.toks[i].text)
	if n == 0 || max(n, -n) > maxAway {
		return now, 0
	}
	of := map[string][3]int{"day": {0, 0, n}, "week": {0, 0, 7 * n}, "month": {0, n, 0}, "quarter": {0, 3 * n, 0}, "year": {n, 0, 0}}[unit.of]
	return now.AddDate(of[0], of[1], of[2]), end
}

// ago reads "more than 3 years ago" behind its operator, or "vor" before it.
func (r *reader) ago(op meaning, i int) bool {
	before := op.kind == "date" && op.of == "<"
	if inner, to := r.means(i, "op"); before && to > 0 {
		op, i = inner, to
	}
	then, end := r.away(i, -1, time.Now())
	c := r.scope.date()
	if _, to := r.means(end, "ago"); to > 0 {
		end, before = to, true
	}
	other := map[string]string{">": "<", "<": ">", ">=": "<=", "<=": ">="}[op.of]
	if end == 0 || !before || c == nil || op.kind != "op" || other == "" {
		return false
	}
	cd := periodOf(then.Format(time.DateOnly)).cond(c, other)
	cd.some = true
	r.add(cd)
	r.i = end
	return true
}

// soon reads "next", which asks for the first of what has not been yet.
func (r *reader) soon(end int) bool {
	today, c := time.Now().Format(time.DateOnly), r.scope.date()
	if c != nil && c.last < today { // borrowed, and not due
		i := slices.IndexFunc(c.table.cols, func(c *column) bool { return c.kind == isDate && c.last >= today })
		if i < 0 {
			return false
		}
		c = c.table.cols[i]
	}
	if c == nil || r.dir != 0 || r.limit > 0 || end >= len(r.toks) {
		return false
	}
	r.add(periodOf(today).cond(c, ">="))
	r.order, r.end, r.limit, r.i = []order{{value: value{col: c}}}, "first", 1, end
	return true
}

// relative is a day, a week, a month or a year that is so many before now: "month -1".
func relative(what string, now time.Time) period {
	unit, count, _ := strings.Cut(what, " ")
	n := atoi(count)
	switch unit {
	case "year":
		return periodOf(strconv.Itoa(now.Year() + n))
	case "week":
		monday := now.AddDate(0, 0, 7*n-(int(now.Weekday())+6)%7)
		return days(monday, monday.AddDate(0, 0, 6))
	case "month":
		return periodOf(time.Date(now.Year(), now.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC).Format("2006-01"))
	}
	return periodOf(now.AddDate(0, 0, n).Format(time.DateOnly))
}

// day is the day of a month that a token is, 0 where it is none.
func (r *reader) day(i int) int {
	if i >= len(r.toks) || !aDay().MatchString(r.toks[i].low) {
		return 0
	}
	return atoi(strings.TrimRight(r.toks[i].low, "stndrh."))
}

// date reads a date before which nothing stands, such as "March sales".
func (r *reader) date() bool {
	p, end := r.dateAt(r.i, false)
	c, some := r.scope.date(), true
	if n := len(r.conds) - 1; n >= 0 && r.linked && r.conds[n].col != nil && r.conds[n].col.kind == isDate && !r.conds[n].some {
		c, some = r.conds[n].col, false // closed in October or November
	}
	_, rel := r.means(r.i, "rel")
	if end == 0 || c == nil || rel == 0 && r.skip(r.i) > r.i {
		return false
	}
	cd := p.cond(c, "=")
	if _, to := r.means(end, "to"); to > 0 { // April to June
		if span, last := r.dates(c, meaning{"date", "="}, r.i); last > to {
			cd, end = span, last
		}
	}
	if r.i = end; r.uses("age") && p.from == time.Now().Format(time.DateOnly) {
		return true // how old is Ann today
	}
	cd.some = some
	r.add(cd)
	return true
}

// deeds gives dates for which no column was named to the one that is said as what was done,
// or is to be done: "who borrowed a tent in May". What has no date there was not done.
func (r *reader) deeds() {
	some := slices.ContainsFunc(r.conds, func(c cond) bool { return c.some })
	done := r.deed(some)
	if done != nil && done.gaps && r.has["most"] && !slices.ContainsFunc(r.conds, func(c cond) bool { return c.col == done }) {
		r.conds = append(r.conds, test(done, "§ IS NOT NULL", "is not empty")) // who closed the most
		r.cols = slices.DeleteFunc(slices.Clone(r.cols), func(c *column) bool { return c == done })
	}
	if done == nil || r.asks("when", "show", "tables") || r.dir != 0 || r.end != "" || len(r.fns) > 0 && !some || len(r.by)+len(r.order) > 0 {
		return
	}
	r.has["tested"] = r.has["tested"] || slices.ContainsFunc(r.conds, func(c cond) bool { return len(c.vals) > 0 || strings.HasPrefix(c.said, "has ") })
	for i := range r.conds {
		if r.conds[i].some {
			r.conds[i].col = done
		}
	}
	if !some && done.gaps && !slices.ContainsFunc(r.conds, func(c cond) bool { return c.col == done }) {
		r.conds = append(r.conds, test(done, "§ IS NOT NULL", "is not empty"))
	}
	who := r.has["who"] && !r.asks("which", "what")
	if some || done.gaps || who {
		r.cols = slices.DeleteFunc(slices.Clone(r.cols), func(c *column) bool { return c == done || who && c.kind == isText })
	}
	if label := done.table.label(); r.has["what"] && len(r.cols)+len(r.things) == 0 && label != nil && !r.tested(label) {
		r.cols = []*column{label} // what did Ann borrow in May
	}
}

// deed is the column of dates that a verb names, or a status where there is some date; nil
// where none does.
func (r *reader) deed(some bool) *column {
	dates := slices.DeleteFunc(slices.Clone(r.cols), func(c *column) bool { return c.kind != isDate })
	did := says(r.spans, "past")
	subject := len(r.cols) > 1 || len(r.things)+len(r.fns) > 0 || r.has["who"] || did && len(r.conds) > 0 || some && slices.ContainsFunc(r.conds, func(c cond) bool { return len(c.vals) > 0 })
	for _, cd := range r.conds {
		if cd.col != nil && cd.col.kind == isDate && !cd.some && did && r.has["what"] && len(r.cols) == 0 {
			return cd.col
		}
	}
	if len(dates) == 1 && subject && (did || len(r.fns) > 0 || r.asks("who", "which", "howmany")) {
		return dates[0]
	}
	for _, cd := range r.conds { // status is paid, where there is a column paid on
		for _, c := range r.scope.mainColumns() {
			if some && len(dates) == 0 && c.kind == isDate && len(cd.vals) == 1 && !cd.not && slices.Contains(strings.Fields(c.key), key(cd.vals[0])) {
				return c
			}
		}
	}
	return nil
}

// came gives "not been here in 2026" to the table that has the times at which something
// was here, where that is another one.
func (r *reader) came() {
	if len(r.scope.tables) != 1 {
		return
	}
	t := r.scope.main()
	for i, c := range r.conds {
		born := c.col != nil && slices.Contains(vocab().like[c.col.key], "born")
		if !c.some || !r.has["came"] && !born {
			continue
		}
		var visits []scope
		for _, other := range r.tables {
			if sc, ok := joined(t, other); ok && other != t && sc.main() == other && (scope{tables: []*table{other}}).date() != nil {
				visits = append(visits, sc)
			}
		}
		if len(visits) != 1 {
			r.unread = append(r.unread, "when")
			return
		}
		there := c
		there.col, there.not = scope{tables: []*table{visits[0].main()}}.date(), false
		r.conds = slices.Clone(r.conds)
		r.conds[i] = visits[0].within(t, []cond{there}, c.not)
		delete(r.has, "came")
	}
	if r.has["came"] {
		r.unread = append(r.unread, "came")
	}
}

// dateEnd is the end of the words of a date, that of "date" where it follows: the shipping date,
// of shipped_on.
func (r *reader) dateEnd(of ref, end int) int {
	if of.col != nil && !of.valued && of.col.kind == isDate && end < len(r.toks) && slices.Contains([]string{"date", "datum", "fecha"}, r.toks[end].low) {
		return end + 1
	}
	return end
}
