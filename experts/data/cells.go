package data

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/yaap-chat/yaap/experts/plain"
)

// unit is what stands around each number of a column: £ before it, or kg behind it.
type unit struct {
	before, after string
	either        string // a date of the column which may mean another day, too: 03/04/2026
	free          string // what stands for 0 in a column of prices
}

// around is a number as the column has it.
func (u unit) around(number string) string {
	if _, cents, ok := strings.Cut(number, "."); ok && len(cents) == 1 && strings.ContainsAny(u.before+u.after, "£$€") {
		number += "0"
	}
	if sign, rest, ok := strings.Cut(number, "-"); ok && sign == "" && u.before != "" {
		return "-" + u.before + rest
	}
	return u.before + number + u.after
}

//nolint:gochecknoglobals // never change; see plain.LazyRegexp
var (
	// anAmount is a sign, a currency, a number and a unit. A unit of one letter stands
	// behind a space: 12a is the number of a house.
	anAmount = plain.LazyRegexp(`^([-+−–]?)\s*((?:[£$€¥₹]|(?:USD|EUR|GBP|CHF|JPY|CAD|AUD|SEK|NOK|DKK|PLN|CZK|INR|CNY)\b)\s*)?([-−–]?)(\d[\d.,'’]*)` +
		`(\s?(?:%|‰|[£$€¥₹]|°[CF]?|kg|km|cm|mm|ml|mg|lbs?|oz|ft|m[²³23]|ha|kWh|kW|[KMGT]B|ms|min|[kMG]?Hz|rpm|mph|km/h|px|USD|EUR|GBP|CHF|JPY|CAD|AUD|SEK|NOK|DKK|PLN|CZK|INR|CNY)|` +
		`\s(?:[mglthsWV]|euros?|dollars?|pounds?|hours?|hrs?|minutes?|mins?|seconds?|secs?|days?|weeks?|months?|years?|yrs?|Stunden?|Std\.?|Minuten?|Tage?n?|Wochen?|Monate?n?|Jahre?n?|horas?|minutos?|días?|dias?|semanas?|meses|mes|años?|pcs|Stk\.?|Stück|qm|sqm))?$`)
	englishAmount = plain.LazyRegexp(`^(?:[1-9]\d{0,2}(?:[,'’]\d{3})+|\d+)(?:\.\d+)?$`)
	commaAmount   = plain.LazyRegexp(`^(?:[1-9]\d{0,2}(?:[.'’]\d{3})+|\d+)(?:,\d+)?$`)
	noValue       = plain.LazyRegexp(`^(?:n/?a|n\.a\.|k\.\s?a\.|[-–—]+|\?|tb[acd]|none|null|nil|unknown|unbekannt|on request|auf anfrage|a consultar)$`)
	freeOfCost    = plain.LazyRegexp(`^(?:free|gratis|free of charge|kostenlos|kostenfrei|umsonst)$`)

	numericDate = plain.LazyRegexp(`^(\d{1,4})([./-])(\d{1,2})([./-])(\d{4}|\d{2})(?:,?[ T]+(.+))?$`)
	namedDate   = plain.LazyRegexp(`^(?:\pL{2,9}\.?,? )?(\d{1,2})(?:st|nd|rd|th|\.)?[ -]+(?:de )?(\pL{3,10})\.?,?[ -]+(?:de )?(\d{4}|\d{2})(?:,? (.+))?$`)
	monthDate   = plain.LazyRegexp(`^(?:\pL{2,9}\.?,? )?(\pL{3,10})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?:,? (.+))?$`)
)

// regular rewrites the cells of columns whose numbers or dates are written as people
// write them, £1,200.50, 14/03/2026 or n/a, as SQLite reads them. It returns what stood
// around the numbers of each column.
func regular(records [][]string, width int, semicolons bool) []unit {
	units := make([]unit, width)
	for i := range width {
		c := cells{records[1:], i}
		rewrite, u := c.amounts(records[0], semicolons)
		if rewrite == nil {
			rewrite, u.either = c.dates(records[0])
		}
		if units[i] = u; rewrite == nil {
			continue
		}
		known := map[string]string{} // most dates, and many amounts, stand there again
		for cell := range c.filled {
			value, ok := known[*cell]
			if !ok {
				value = rewrite(strings.TrimSpace(*cell))
			}
			if !ok && len(known) < maxKnown {
				known[*cell] = value
			}
			*cell = value
		}
	}
	return units
}

// cells are those of a column.
type cells struct {
	records [][]string
	at      int
}

// different goes through those that are not empty, and through each value once, as far as
// maxKnown of them are remembered.
func (c cells) different(yield func(string) bool) {
	seen := map[string]bool{}
	for cell := range c.filled {
		if seen[*cell] {
			continue
		}
		if len(seen) < maxKnown {
			seen[*cell] = true
		}
		if !yield(strings.TrimSpace(*cell)) {
			return
		}
	}
}

// maxKnown are the different cells of a column that are remembered while it is read.
const maxKnown = 10_000

// filled goes through those that are not empty.
func (c cells) filled(yield func(*string) bool) {
	for _, rec := range c.records {
		if c.at < len(rec) && strings.TrimSpace(rec[c.at]) != "" && !yield(&rec[c.at]) {
			return
		}
	}
}

// amounts returns how the numbers of a column are rewritten, and what stands around each;
// nil where not all cells are numbers, or all are written as SQLite reads them.
func (c cells) amounts(head []string, semicolons bool) (rewrite func(string) string, u unit) {
	read, seen := amountReader{english: true, comma: true}, map[string]bool{}
	read.priced = c.at < len(head) && isPrice(key(head[c.at]))
	for cell := range c.filled {
		s := strings.TrimSpace(*cell)
		if strings.Trim(s, "0123456789") == "" { // most are
			read.some, read.bare = true, true
			continue
		}
		if seen[s] {
			continue
		}
		if len(seen) < maxKnown {
			seen[s] = true
		}
		if !read.cell(s) {
			return nil, unit{}
		}
	}
	if !read.marks(semicolons) {
		return nil, unit{}
	}
	return read.number, read.unit
}

// amountReader learns from the cells of a column how their numbers are written.
type amountReader struct {
	unit           unit   // of the first that has one
	family         string // what it measures, where others of its family stand there: kg and g
	some, bare     bool   // a number is there; one without a unit
	priced         bool   // it is a column of prices, in which what is free costs 0
	other, commas  bool   // a cell that SQLite does not read as it stands; one with a comma
	english, comma bool   // how all may be written: 1,200.50; 1.200,50
	groups, point  string // what stands between thousands, and before the decimals
}

// cell reads one; false where the column is none of numbers.
func (r *amountReader) cell(s string) bool {
	if noValue().MatchString(s) {
		r.other = true
		return true
	}
	if r.priced && freeOfCost().MatchString(s) {
		r.other, r.unit.free = true, s
		return true
	}
	m := anAmount().FindStringSubmatch(s)
	if m == nil || m[1] == "+" && len(m[4]) > 7 { // the number of a telephone
		return false
	}
	r.some = true
	around := unit{before: strings.TrimSpace(m[2]), after: m[5], free: r.unit.free}
	if around.before > "@" && around.before < "[" { // a code, no sign
		around.before += " "
	}
	switch u := r.unit; {
	case around.before+around.after == "":
		r.bare = true
	case u.before+u.after == "":
		r.unit = around
	case spelled(around.after) == spelled(u.after) && around.before == u.before:
	case r.family == "" && familyOf(u.after) == "" || around.before+u.before != "" || familyOf(around.after) != familyOf(u.after):
		return false
	default: // kg and g
		r.family, r.other = familyOf(u.after), true
	}
	r.other = r.other || m[4] != s && (m[1] != "-" || m[1]+m[4] != s) || strings.ContainsAny(m[4], ",'’")
	r.commas = r.commas || strings.Contains(m[4], ",")
	r.english, r.comma = r.english && englishAmount().MatchString(m[4]), r.comma && commaAmount().MatchString(m[4])
	return r.english || r.comma
}

// isPrice reports whether the name of a column is one of money.
func isPrice(k string) bool {
	return slices.ContainsFunc(strings.Fields(k), func(w string) bool {
		of := vocab().like[w]
		return slices.Contains(of, "price") || slices.Contains(of, "money") || slices.ContainsFunc(vocab().means[w], func(m meaning) bool { return m.kind == "currency" })
	})
}

// marks tells the decimal mark from that of thousands, once all cells are read; false where
// the column stays as it is.
func (r *amountReader) marks(semicolons bool) bool {
	around := r.unit.before + r.unit.after
	euros := strings.Contains(around, "€") || strings.Contains(strings.ToLower(around), "eur")
	switch {
	case !r.some || !r.other, r.bare && strings.TrimSpace(r.unit.after) == "%": // 5% and 0.045
		return false
	case r.comma && (semicolons && r.commas || euros || !r.english && (r.commas || around != "")):
		r.groups, r.point = ".'’", ","
	default:
		r.groups, r.point = ",'’", "."
		return r.english
	}
	return true
}

// number is a cell as SQLite reads it, in the unit of the column; empty where it has no value.
func (r *amountReader) number(s string) string {
	m := anAmount().FindStringSubmatch(s)
	switch {
	case m == nil && r.priced && freeOfCost().MatchString(s):
		return "0"
	case m == nil:
		return ""
	}
	sign := strings.TrimLeft(strings.NewReplacer("+", "", "−", "-", "–", "-").Replace(m[1]+m[3]), " ")
	digits := strings.Map(func(c rune) rune {
		if strings.ContainsRune(r.groups, c) {
			return -1
		}
		return c
	}, m[4])
	number := sign + strings.Replace(digits, r.point, ".", 1)
	if r.family == "" || m[5] == r.unit.after || m[5] == "" {
		return number
	}
	n, _ := strconv.ParseFloat(number, 64) // the expression has matched it
	return strconv.FormatFloat(n*sizes()[strings.TrimSpace(m[5])].size/sizes()[strings.TrimSpace(r.unit.after)].size, 'g', 12, 64)
}

// spelled is a unit however it is written: hours as hour, Tage as Tag.
func spelled(after string) string {
	after = strings.ToLower(strings.Trim(after, " ."))
	for _, ending := range []string{"en", "es", "e", "n", "s"} {
		if short, ok := strings.CutSuffix(after, ending); ok && len(short) > 2 {
			return short
		}
	}
	return after
}

// size is how much of the smallest unit of its family one is.
type size struct {
	family string
	size   float64
}

//nolint:gochecknoglobals // never changes; made when it is used first
var sizes = sync.OnceValue(func() map[string]size {
	return map[string]size{
		"mg": {"weight", 1}, "g": {"weight", 1e3}, "kg": {"weight", 1e6}, "t": {"weight", 1e9},
		"ml": {"volume", 1}, "l": {"volume", 1e3}, "mm": {"length", 1}, "cm": {"length", 10}, "m": {"length", 1e3}, "km": {"length", 1e6},
		"ms": {"time", 1}, "s": {"time", 1e3}, "min": {"time", 6e4}, "h": {"time", 3.6e6},
	}
})

// familyOf is what a unit measures; empty where others are not brought together with it.
func familyOf(after string) string { return sizes()[strings.TrimSpace(after)].family }

// dates returns how the dates of a column are rewritten, and one that may mean another day
// where no other tells; nil where not all cells are dates, or all are written as ISO 8601
// has them.
func (c cells) dates(head []string) (rewrite func(string) string, either string) {
	name := ""
	if c.at < len(head) {
		name = key(head[c.at])
	}
	read := dateReader{past: slices.ContainsFunc([]string{"born", "birth", "dob", "geb", "nac"}, func(w string) bool { return strings.Contains(name, w) })}
	other, some := false, false
	for s := range c.different {
		switch {
		case noValue().MatchString(s):
			other = true
		case isoDate().MatchString(s):
			some = true
		case aYear().MatchString(s): // which is all that is known of it
		case !read.evident(s):
			return nil, ""
		default:
			other, some = true, true
			if m := numericDate().FindStringSubmatch(s); m != nil && m[2] != "." && len(m[1]) < 3 && m[1] != m[3] {
				either = s
			}
		}
	}
	named := read.past || slices.ContainsFunc(strings.Fields(name), func(w string) bool {
		return slices.Contains([]string{"date", "datum", "fecha", "day", "tag", "dia", "on", "am", "when", "due"}, w)
	})
	if !some || !other || read.dayFirst && read.monthFirst || read.short && !named {
		return nil, ""
	}
	if read.dayFirst || read.monthFirst {
		either = ""
	}
	return func(s string) string {
		if isoDate().MatchString(s) || aYear().MatchString(s) {
			return s
		}
		return read.iso(s)
	}, either
}

// dateReader reads dates of one column, of which some tell what the others may mean.
type dateReader struct {
	dayFirst, monthFirst bool // a number above 12 says so
	short                bool // a year has two digits
	past                 bool // they are of births
}

// evident reports whether s may be a date, and learns from it what the numbers of others
// are.
func (r *dateReader) evident(s string) bool {
	m := numericDate().FindStringSubmatch(s)
	if m == nil {
		return r.iso(s) != ""
	}
	first, second := atoi(m[1]), atoi(m[3])
	if len(m[1]) < 3 && m[2] != "." {
		r.dayFirst, r.monthFirst = r.dayFirst || first > 12, r.monthFirst || second > 12
	}
	r.short = r.short || len(m[5]) == 2 && len(m[1]) < 3
	either := *r
	either.monthFirst = !either.monthFirst
	return r.iso(s) != "" || m[2] != "." && either.iso(s) != ""
}

// iso is a date, and its time, as ISO 8601 writes it; empty where s is none.
func (r *dateReader) iso(s string) string {
	year, month, day, clock := "", 0, "", ""
	if m := numericDate().FindStringSubmatch(s); m != nil && m[2] == m[4] {
		switch {
		case len(m[1]) == 4 && len(m[5]) == 2: // 2026/03/14
			year, month, day = m[1], atoi(m[3]), m[5]
		case len(m[1]) > 2, m[2] == "-" && len(m[5]) == 2: // 10-12-20 is a code
			return ""
		case r.monthFirst && m[2] != ".":
			year, month, day = m[5], atoi(m[1]), m[3]
		default:
			year, month, day = m[5], atoi(m[3]), m[1]
		}
		clock = m[6]
	} else if m := namedDate().FindStringSubmatch(s); m != nil {
		year, month, day, clock = m[3], monthOf(m[2]), m[1], m[4]
	} else if m := monthDate().FindStringSubmatch(s); m != nil {
		year, month, day, clock = m[3], monthOf(m[1]), m[2], m[4]
	}
	if len(year) == 2 {
		century := "20"
		if ahead := map[bool]int{false: 20}[r.past]; atoi(year) > time.Now().Year()%100+ahead {
			century = "19"
		}
		year = century + year
	}
	date := fmt.Sprintf("%s-%02d-%02d", year, month, atoi(day))
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		return ""
	}
	if clock == "" {
		return date
	}
	for _, layout := range []string{"15:04", "15:04:05", "3:04 PM", "3:04PM", "3:04:05 PM", "15:04 UHR"} {
		if t, err := time.Parse(layout, strings.ToUpper(strings.Replace(clock, "Uhr", "UHR", 1))); err == nil {
			return date + " " + t.Format(time.TimeOnly)
		}
	}
	return ""
}

// monthOf is the number of a month that is named, 0 for another word.
func monthOf(word string) int {
	for _, m := range vocab().means[plain.Fold(word)] {
		if m.kind == "month" {
			return atoi(m.of)
		}
	}
	return 0
}

// atoi is the number that digits are.
func atoi(digits string) int {
	n, _ := strconv.Atoi(digits) // an expression has matched them
	return n
}
