package clock

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// question is a prompt cut into what it names and the words between: shape has
// a D for a date, T for a time of day, L for a length of time, P for a place,
// Y for a year, N for a large number and X for a word that means nothing here.
type question struct {
	shape   string
	dates   []date
	times   []timeOfDay
	spans   []span
	places  []place
	years   []int
	numbers []int64
	unknown []string // the words behind the Xs
}

type timeOfDay struct{ hour, minute, second int }

// span is a length of time. Days and longer are counted on the calendar.
type span struct {
	text         string
	months, days int
	clock        int64 // seconds
}

// reader knows the places that are not cities of the tz database, by name, and
// the ways of writing that are brought into one.
type reader struct {
	places   map[string]place
	accents  *strings.Replacer
	rewrites []rewrite
	dates    []dateForm

	usa, grouped, early, clock, offset, length, year, number, word *regexp.Regexp
}

type rewrite struct {
	from *regexp.Regexp
	to   string
}

func newReader() *reader {
	r := &reader{
		accents: accents(),
		dates:   dateForms(),
		usa:     regexp.MustCompile(`\bU\.?S\.?(?:A\.?)?([^\w/]|$)`), // not "us"
		grouped: regexp.MustCompile(`\b\d{1,3}(?:,\d{3})+\b`),
		early: regexp.MustCompile(`((?:` + monthNames + `)(?: \d{1,2}(?:st|nd|rd|th)?,?)? (?:of |in )?)(\d{3})\b( ?\pL+)?|(year |\bad )(\d{1,3})\b|` +
			`\b(\d{1,4}) ?(ad|ce|a\.d\.|bce?|b\.c\.(?:e\.)?)(?:\b|$)`),
		clock:  regexp.MustCompile(`^(\d{1,2})(?:[:.](\d{2})(?::(\d{2}))?)?(?: ?(a\.?m|p\.?m|o'?clock|uhr)\b\.?)?`),
		offset: regexp.MustCompile(`^(utc|gmt)? ?([+-](?:0?\d|1[0-4]))(?::?([0-5]\d))?(?: |$)`),
		length: regexp.MustCompile(`^(\d{1,40}(?:\.\d{1,4})? ?|an? )(s|sec|second|m|min|minute|h|hr|hour|d|day|week|month|year)s?\b`),
		year:   regexp.MustCompile(`^(\d{4,7})\b`),
		number: regexp.MustCompile(`^@?(\d{9,13})\b`),
		word:   regexp.MustCompile(`^[\p{L}\p{N}'./-]+|^.`),
	}
	r.places = r.newPlaces()
	for _, pair := range [][2]string{
		{`(\d{4}-\d{2}-\d{2})t(\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?`, "$1 $2"},
		{`(\d{1,2}:\d{2}(?::\d{2})?)z\b`, "$1 utc"},
		{`\b([01]\d|2[0-3])([0-5]\d) ?(utc|gmt|est|edt|pst|pdt|cst|cdt|cet|cest|bst|jst|ist)\b`, "$1:$2 $3"},
		{`\b(\d{1,2}(?::\d{2})?)(?: o'?clock)? in the morning\b`, "$1 am"},
		{`\b(\d{1,2}(?::\d{2})?)(?: o'?clock)? in the (?:afternoon|evening)\b`, "$1 pm"},
		{`\b(?:noon|midday)\b`, "12:00"},
		{`\bmidnight\b`, "0:00"},
		{`\bchristmas eve\b`, "24 december"},
		{`\b(?:christmas|xmas)(?: day)?\b`, "25 december"},
		{`\bhalf an hour\b`, "30 minutes"},
		{`\bnew year'?s? eve\b`, "31 december"},
		{`\bnew year(?:'?s)?(?: day)?\b`, "1 january"},
		{`[?!,;"()“”¿]+|'s\b|\. |\.$|: |:$`, " "},
		{`\s+`, " "},
	} {
		r.rewrites = append(r.rewrites, rewrite{regexp.MustCompile(pair[0]), pair[1]})
	}
	for i, name := range strings.Fields("one two three four five six seven eight nine ten eleven twelve") {
		r.rewrites = append(r.rewrites, rewrite{regexp.MustCompile(`\b` + name + `\b`), strconv.Itoa(i + 1)})
	}
	return r
}

const skipped = " the a an of please me tell can you could would hey hi hello whats it its current currently right exactly do does did just give show know i need want there that then thanks thank yaap also for my am like someone somebody he she they we people over rn actually really this any way got use uses our "

const known = " what which when where how many much is was were are will be if now time date day days week weeks month months year years hour hours minute minutes second seconds today " +
	"in to at on and from after before until till til since ago between and later by as than plus minus + - = convert converted into here local mine clock clocks difference diff apart ahead behind far away left " +
	"weekday leap last next iso number calendar unix epoch timestamp timezone zone zones offset utc old age born long passed elapsed with " +
	"fall falls fell happen happens it's say says compared versus vs get have has add subtract flight train call meeting game leaves starts begins arrives "

// read cuts up a prompt; year is the present one.
func (r *reader) read(prompt string, year int) question {
	s := r.folded(r.usa.ReplaceAllString(prompt, "usa$1"))
	s = r.grouped.ReplaceAllStringFunc(s, func(n string) string { return strings.ReplaceAll(n, ",", "") })
	s = r.early.ReplaceAllStringFunc(s, r.fourDigits)
	for _, w := range r.rewrites {
		s = w.from.ReplaceAllString(s, w.to)
	}
	for i, which := range []string{"last", "this", "next"} {
		s = strings.ReplaceAll(s, which+" year", strconv.Itoa(year+i-1))
	}
	var q question
	var shape []string
	for s = strings.TrimSpace(s); s != "" && len(q.unknown) < 20; {
		kind, n := r.next(s, &q)
		if p := len(q.places) - 1; kind == "P" && len(shape) > 0 && shape[len(shape)-1] == "P" && q.places[p].holds(q.places[p-1]) {
			kind, q.places = "", q.places[:p] // "Portland, Oregon"
		}
		if kind != "" {
			shape = append(shape, kind)
		}
		s = strings.TrimPrefix(s[n:], " ")
	}
	q.shape = strings.Join(shape, " ")
	return q
}

// fourDigits writes a year before 1000 as years are read: with four digits. One
// before Christ is the year 0000, which is none.
func (r *reader) fourDigits(words string) string {
	m := r.early.FindStringSubmatch(words)
	before, year, after := m[1]+m[4], m[2]+m[5]+m[6], m[3]
	switch {
	case after != "" && r.length.MatchString(year+after): // 2 May, 100 days later
		return words
	case strings.HasPrefix(m[7], "b"):
		year = "0"
	}
	return before + strings.Repeat("0", max(0, 4-len(year))) + year + after
}

// folded lowers a name and takes its accents off.
func (r *reader) folded(name string) string { return r.accents.Replace(strings.ToLower(name)) }

func accents() *strings.Replacer {
	var pairs []string
	for _, plain := range []string{"aáàâãäå", "cç", "eéèêë", "iíìîïı", "nñń", "oóòôõöø", "uúùûü", "yý", "lł", "sśş", "gğ", "'’‘", "-−–", " _"} {
		for i, r := range plain {
			if i > 0 {
				pairs = append(pairs, string(r), plain[:1])
			}
		}
	}
	return strings.NewReplacer(append(pairs, "ß", "ss", "æ", "ae")...)
}

// next takes one thing from the start of s and returns its letter, or its word,
// and its length.
func (r *reader) next(s string, q *question) (kind string, n int) {
	if t, n := r.readTime(s); n > 0 {
		q.times = append(q.times, t)
		return "T", n
	}
	if d, n := r.readDate(s); n > 0 {
		q.dates = append(q.dates, d)
		return "D", n
	}
	if l, n := r.readSpan(s); n > 0 {
		q.spans = append(q.spans, l)
		return "L", n
	}
	if s[0] == '+' || s[0] == '-' {
		if _, n := r.readSpan(strings.TrimPrefix(s[1:], " ")); n > 0 {
			return s[:1], 1
		}
	}
	// 10:00-12:00 has no offset, but 2026-07-01 10:00-12:00 has.
	if m := r.offset.FindStringSubmatch(s); m != nil && (m[1] != "" || len(m[2]) == 3 && m[3] != "" && len(q.times) <= len(q.dates)) {
		q.places = append(q.places, offsetPlace(m[2], m[3]))
		return "P", len(strings.TrimSuffix(m[0], " "))
	}
	w := r.word.FindString(s)
	bare := strings.Trim(w, "'.-/")
	if w == "-" {
		bare = w
	}
	isSkipped, isKnown := bare == "" || strings.Contains(skipped, " "+bare+" "), strings.Contains(known, " "+bare+" ")
	if p, n := r.find(s, isSkipped || isKnown); n > 0 && !strings.HasPrefix(s, "utc offset") {
		q.places = append(q.places, p)
		return "P", n
	}
	if m := r.number.FindStringSubmatch(s); m != nil {
		i, _ := strconv.ParseInt(m[1], 10, 64)
		q.numbers = append(q.numbers, i)
		return "N", len(m[0])
	}
	if m := r.year.FindString(s); m != "" {
		y, _ := strconv.Atoi(m)
		q.years = append(q.years, y)
		return "Y", len(m)
	}
	n = max(len(w), 1)
	switch {
	case isSkipped:
		return "", n
	case isKnown:
		return bare, n
	}
	q.unknown = append(q.unknown, bare)
	return "X", n
}

// readTime reads "15:00", "3pm" and "3.30 p.m.", but no bare number.
func (r *reader) readTime(s string) (t timeOfDay, n int) {
	m := r.clock.FindStringSubmatch(s)
	if m == nil || m[4] == "" && !strings.Contains(m[0], ":") {
		return t, 0
	}
	t.hour, _ = strconv.Atoi(m[1])
	t.minute, _ = strconv.Atoi(m[2])
	t.second, _ = strconv.Atoi(m[3])
	if half := m[4]; strings.HasSuffix(half, "m") {
		if t.hour < 1 || t.hour > 12 {
			return t, 0
		}
		t.hour %= 12
		if half[0] == 'p' {
			t.hour += 12
		}
	}
	if t.hour > 23 || t.minute > 59 || t.second > 59 {
		return t, 0
	}
	return t, len(m[0])
}

// seconds rounds and bounds so many: the most are beyond what is counted.
func seconds(n float64) int64 { return int64(math.Round(min(n, 1e15))) }

// readSpan reads "3 hours and 25 minutes". Only what is less than a day can be
// divided.
func (r *reader) readSpan(s string) (total span, n int) {
	for rest := s; ; {
		m := r.length.FindStringSubmatch(rest)
		if m == nil {
			return total, n
		}
		amount, err := strconv.ParseFloat(strings.TrimSpace(m[1]), 64)
		if err != nil {
			amount = 1 // "a week"
		}
		whole := int(min(amount, 1e7)) // of days, that is beyond what is counted
		switch unit := m[2]; {
		case strings.HasPrefix("seconds", unit):
			total.clock += seconds(amount)
		case strings.HasPrefix("minutes", unit):
			total.clock += seconds(60 * amount)
		case unit[0] == 'h':
			total.clock += seconds(3600 * amount)
		case amount > 1e7:
			total.days += whole
		case amount != float64(whole):
			return total, n
		case unit[0] == 'd':
			total.days += whole
		case unit[0] == 'w':
			total.days += 7 * whole
		case unit[0] == 'y':
			total.months += 12 * whole
		default:
			total.months += whole
		}
		n = len(s) - len(rest) + len(m[0])
		total.text = s[:n]
		rest = strings.TrimPrefix(strings.TrimPrefix(s[n:], " "), "and ")
	}
}
