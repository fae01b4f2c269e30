package clock

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
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
	clock        time.Duration
}

// reader knows all places by name, folded, and the ways of writing that are
// brought into one.
type reader struct {
	places   map[string]place
	accents  *strings.Replacer
	rewrites []rewrite
}

type rewrite struct {
	from *regexp.Regexp
	to   string
}

func newReader() reader {
	r := reader{accents: accents()}
	r.places = newPlaces(r.folded)
	for _, pair := range [][2]string{
		{`(\d{4}-\d{2}-\d{2})t(\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?`, "$1 $2"},
		{`(\d{1,2}:\d{2}(?::\d{2})?)z\b`, "$1 utc"},
		{`\b([01]\d|2[0-3])([0-5]\d) ?(utc|gmt|est|edt|pst|pdt|cst|cdt|cet|cest|bst|jst|ist)\b`, "$1:$2 $3"},
		{`\b(\d{1,2}(?::\d{2})?)(?: o'?clock)? in the morning\b`, "$1 am"},
		{`\b(\d{1,2}(?::\d{2})?)(?: o'?clock)? in the (?:afternoon|evening)\b`, "$1 pm"},
		{`(^|\s)christmas eve\b`, "$1 24 december"},
		{`(^|\s)(?:christmas|xmas)(?: day)?\b`, "$1 25 december"},
		{`\b25 december island\b`, "christmas island"},
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

// folded lowers a name and takes its accents off.
func (r reader) folded(name string) string { return r.accents.Replace(strings.ToLower(name)) }

var (
	usa       = regexp.MustCompile(`\bU\.?S\.?(A\.?)?([^\w/]|$)`)
	clockTime = regexp.MustCompile(`^(\d{1,2}):(\d{2})(?::(\d{2}))?(?: ?(am|pm|a\.m\.?|p\.m\.?)\b\.?)?`)
	hourTime  = regexp.MustCompile(`^(\d{1,2})(?:\.(\d{2}))?()(?: ?(am|pm|a\.m\.?|p\.m\.?)| (?:o'?clock|uhr))(?:\b|$)`)
	namedTime = regexp.MustCompile(`^(noon|midday|midnight)\b`)
	atHour    = regexp.MustCompile(`^at (\d{1,2})(?: |$)`)
	offset    = regexp.MustCompile(`^(?:utc|gmt)? ?([+-]\d{1,2})(?::?(\d{2}))?(?: |$)`)
	length    = regexp.MustCompile(`^(\d{1,6}(?:\.\d{1,4})? ?|an? )` +
		`(?:(second|sec|s)|(minute|min|m)|(hour|hr|h)|(day|d)|(week)|(fortnight)|(month)|(year)|(decade))s?\b`)
	yearOnly  = regexp.MustCompile(`^(1\d{3}|2\d{3})\b`)
	bigNumber = regexp.MustCompile(`^@?(\d{9,13})\b`)
	word      = regexp.MustCompile(`^[\p{L}\p{N}'./-]+|^.`)
)

const skipped = " the a an of please me tell can you could would hey hi hello whats it its current currently right exactly do does did just give show know i need want to-know there that then thanks thank expert yaap also for my am you're like someone somebody he she they we people person over rn atm early late morning already actually really this will be-now see any way got use uses observe observes our "

const known = " what which when where how many much is was were are will be if now time date day days week weeks month months year years hour hours minute minutes second seconds today " +
	"in to at on and from after before until till til since ago between and later by as than plus minus + - = convert converted into here local mine clock clocks difference diff apart ahead behind far away left " +
	"weekday leap next last iso number calendar unix epoch timestamp timezone zone zones offset utc old age born long passed elapsed with or " +
	"fall falls fell happen happens it's say says compared versus vs get there's has have currently's add subtract flight train call meeting game leaves starts begins arrives "

// read cuts up a prompt; year is the present one.
func (r reader) read(prompt string, year int) question {
	s := r.folded(usa.ReplaceAllString(prompt, "usa$2"))
	for _, w := range r.rewrites {
		s = w.from.ReplaceAllString(s, w.to)
	}
	for i, which := range []string{"last", "this", "next"} {
		s = strings.ReplaceAll(s, which+" year", strconv.Itoa(year+i-1))
	}
	s = strings.TrimSpace(s)
	var q question
	var shape []string
	for s != "" {
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

// next takes one thing from the start of s and returns its letter, or its word,
// and its length.
func (r reader) next(s string, q *question) (kind string, n int) {
	if t, n := readTime(s); n > 0 {
		q.times = append(q.times, t)
		return "T", n
	}
	if d, n := readDate(s); n > 0 {
		q.dates = append(q.dates, d)
		return "D", n
	}
	if l, n := readSpan(s); n > 0 {
		q.spans = append(q.spans, l)
		return "L", n
	}
	if m := offset.FindStringSubmatch(s); m != nil {
		q.places = append(q.places, offsetPlace(m[1], m[2]))
		return "P", len(strings.TrimSuffix(m[0], " "))
	}
	if p, n := r.find(s); n > 0 && !strings.HasPrefix(s, "utc offset") {
		q.places = append(q.places, p)
		return "P", n
	}
	if m := bigNumber.FindStringSubmatch(s); m != nil {
		i, _ := strconv.ParseInt(m[1], 10, 64)
		q.numbers = append(q.numbers, i)
		return "N", len(m[0])
	}
	if m := yearOnly.FindString(s); m != "" {
		y, _ := strconv.Atoi(m)
		q.years = append(q.years, y)
		return "Y", len(m)
	}
	w := word.FindString(s)
	n = max(len(w), 1)
	switch w = strings.Trim(w, "'.-/"); {
	case w == "" || strings.Contains(skipped, " "+w+" "):
		return "", n
	case strings.Contains(known, " "+w+" "):
		return w, n
	}
	q.unknown = append(q.unknown, w)
	return "X", n
}

func readTime(s string) (t timeOfDay, n int) {
	if m := namedTime.FindString(s); m != "" {
		if m != "midnight" {
			t.hour = 12
		}
		return t, len(m)
	}
	for _, re := range []*regexp.Regexp{clockTime, hourTime} {
		if m := re.FindStringSubmatch(s); m != nil {
			return wall(m[1:], len(m[0]))
		}
	}
	if m := atHour.FindStringSubmatch(s); m != nil {
		return wall([]string{m[1], "", "", ""}, len(strings.TrimSuffix(m[0], " ")))
	}
	return t, 0
}

// wall makes a time of day of hour, minute, second and am, pm or nothing. Its
// length is 0 where there is no such time.
func wall(part []string, length int) (t timeOfDay, n int) {
	t.hour, _ = strconv.Atoi(part[0])
	t.minute, _ = strconv.Atoi(part[1])
	t.second, _ = strconv.Atoi(part[2])
	if half := part[3]; half != "" {
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
	return t, length
}

// readSpan reads "3 hours and 25 minutes".
func readSpan(s string) (total span, n int) {
	for rest := s; ; {
		m := length.FindStringSubmatch(rest)
		if m == nil {
			return total, n
		}
		amount, err := strconv.ParseFloat(strings.TrimSpace(m[1]), 64)
		if err != nil {
			amount = 1 // "a week"
		}
		if !total.add(amount, m[2:]) {
			return total, n
		}
		n = len(s) - len(rest) + len(m[0])
		total.text = s[:n]
		rest = strings.TrimPrefix(strings.TrimPrefix(s[n:], " "), "and ")
	}
}

// add adds n of a unit, which is the one of units that is not empty: a second,
// minute, hour, day, week, fortnight, month, year or decade. Only the first
// three can be divided.
func (l *span) add(n float64, units []string) bool {
	unit := 0
	for unit < len(units)-1 && units[unit] == "" {
		unit++
	}
	size := []int{1, 60, 3600, 1, 7, 14, 1, 12, 120}[unit]
	switch {
	case unit < 3:
		l.clock += time.Duration(n * float64(size) * float64(time.Second)).Round(time.Second)
	case n != float64(int(n)):
		return false
	case unit < 6:
		l.days += size * int(n)
	default:
		l.months += size * int(n)
	}
	return true
}

func plural(n int, unit string) string {
	if n == 1 || n == -1 {
		return fmt.Sprintf("%d %s", n, unit)
	}
	return fmt.Sprintf("%d %ss", n, unit)
}
