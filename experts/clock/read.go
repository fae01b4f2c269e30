package clock

import (
	"math"
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

	afterPlace bool // while reading: the last thing was a place
}

type timeOfDay struct{ hour, minute, second int }

// span is a length of time. Days and longer are counted on the calendar.
type span struct {
	years, months, days, workdays int
	clock                         time.Duration
}

var (
	usa        = regexp.MustCompile(`\bU\.?S\.?(A\.?)?([^\w/]|$)`)
	isoT       = regexp.MustCompile(`(\d{4}-\d{2}-\d{2})t(\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?`)
	zuluTime   = regexp.MustCompile(`(\d{1,2}:\d{2}(?::\d{2})?)z\b`)
	military   = regexp.MustCompile(`\b([01]\d|2[0-3])([0-5]\d) ?(utc|gmt|est|edt|pst|pdt|cst|cdt|cet|cest|bst|jst|ist|hrs|hours)\b`)
	noise      = regexp.MustCompile(`[?!,;"()“”¿]+|'s\b|\. |\.$|: |:$`)
	gap        = regexp.MustCompile(`\s+`)
	clockTime  = regexp.MustCompile(`^(\d{1,2}):(\d{2})(?::(\d{2}))?(?: ?(am|pm|a\.m\.?|p\.m\.?)\b\.?)?`)
	hourTime   = regexp.MustCompile(`^(\d{1,2})(?:\.(\d{2}))? ?(am|pm|a\.m\.?|p\.m\.?|o'?clock|uhr)(?:\b|$)`)
	partOfDay  = regexp.MustCompile(`^(?:at )?(\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?::(\d{2}))?(?: o'?clock)? (in the morning|in the afternoon|in the evening|at night)\b`)
	namedTime  = regexp.MustCompile(`^(noon|midday|midnight)\b`)
	spokenTime = regexp.MustCompile(`^(half past|quarter past|quarter to|ten past|ten to|five past|five to|twenty past|twenty to) (\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?: (am|pm))?\b`)
	atHour     = regexp.MustCompile(`^at (\d{1,2})(?: |$)`)
	offset     = regexp.MustCompile(`^(?:utc|gmt)? ?([+-]\d{1,2})(?::?(\d{2}))?(?: |$)`)
	length     = regexp.MustCompile(`^(?:(\d{1,6}(?:\.\d{1,4})?) ?|(an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half an?|half) )` +
		`(seconds?|secs?|minutes?|mins?|hours?|hrs?|h|m|s|d|days?|weeks?|fortnights?|months?|years?|decades?|business days?|working days?|work days?|workdays?)\b`)
	yearOnly  = regexp.MustCompile(`^(1\d{3}|2\d{3})\b`)
	bigNumber = regexp.MustCompile(`^@?(\d{9,13})\b`)
	word      = regexp.MustCompile(`^[\p{L}\p{N}'./-]+|^.`)
)

const skipped = " the a an of please me tell can you could would hey hi hello whats it its current currently right exactly do does did just give show know i need want to-know there that then thanks thank expert yaap also for my am you're like someone somebody he she they we people person over rn atm early late morning evening afternoon night already actually really this will be-now see any way got use uses observe observes "

const known = " what which when where how many much is was are will be if now time date day days week weeks month months year years hour hours minute minutes second seconds today " +
	"in to at on and from after before until till til since ago between and later by as than plus minus + - = convert converted into here local mine our clock clocks difference diff apart ahead behind far away left " +
	"weekday weekdays business working workdays leap next last iso number calendar unix epoch timestamp timezone zone zones offset utc dst daylight saving savings summer winter change go forward back start end begin starts ends old age born long long passed elapsed with or " +
	"fall falls fell happen happens it's say says compared versus vs get there's has have currently's add subtract "

// read cuts up a prompt.
func (a atlas) read(prompt string) question {
	s := a.folded(usa.ReplaceAllString(prompt, "usa$2"))
	s = isoT.ReplaceAllString(s, "$1 $2")
	s = zuluTime.ReplaceAllString(s, "$1 utc")
	s = military.ReplaceAllString(s, "$1:$2 $3")
	s = noise.ReplaceAllString(s, " ")
	s = strings.TrimSpace(gap.ReplaceAllString(s, " "))
	var q question
	var shape []string
	for s != "" {
		kind, n := a.next(s, &q)
		q.afterPlace = kind == "P"
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
func (a atlas) next(s string, q *question) (kind string, n int) {
	if t, n, ok := readTime(s); ok {
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
		p := offsetPlace("UTC"+m[1], m[1], m[2], "")
		if m[2] != "" {
			p.name += ":" + m[2]
		}
		q.places = append(q.places, p)
		return "P", len(strings.TrimSuffix(m[0], " "))
	}
	words := strings.SplitN(s, " ", 6)
	if p, n := a.find(words[:min(5, len(words))]); n > 0 && !strings.HasPrefix(s, "utc offset") {
		length := len(strings.Join(words[:n], " "))
		if last := len(q.places) - 1; q.afterPlace && p.holds(q.places[last]) { // "Portland, Oregon"
			return "", length
		}
		q.places = append(q.places, p)
		return "P", length
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
	if strings.HasPrefix(s, "this year") {
		return "thisyear", len("this year")
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

func readTime(s string) (t timeOfDay, n int, ok bool) {
	if m := partOfDay.FindStringSubmatch(s); m != nil {
		half := "pm"
		if m[3] == "in the morning" || m[3] == "at night" && count(m[1]) < 6 {
			half = "am"
		}
		t, ok = wall(strconv.Itoa(int(count(m[1]))), m[2], "", half)
		return t, len(m[0]), ok
	}
	if m := clockTime.FindStringSubmatch(s); m != nil {
		t, ok = wall(m[1], m[2], m[3], m[4])
		return t, len(m[0]), ok
	}
	if m := hourTime.FindStringSubmatch(s); m != nil {
		t, ok = wall(m[1], m[2], "", m[3])
		return t, len(m[0]), ok
	}
	if m := namedTime.FindString(s); m != "" {
		if m != "midnight" {
			t.hour = 12
		}
		return t, len(m), true
	}
	if m := spokenTime.FindStringSubmatch(s); m != nil {
		shift := map[string]int{"half past": 30, "quarter past": 15, "quarter to": -15, "ten past": 10, "ten to": -10, "five past": 5, "five to": -5, "twenty past": 20, "twenty to": -20}[m[1]]
		t, ok = wall(strconv.Itoa(int(count(m[2]))), "", "", m[3])
		minutes := (t.hour*60 + shift + 24*60) % (24 * 60)
		return timeOfDay{hour: minutes / 60, minute: minutes % 60}, len(m[0]), ok
	}
	if m := atHour.FindStringSubmatch(s); m != nil {
		t, ok = wall(m[1], "", "", "")
		return t, len(strings.TrimSuffix(m[0], " ")), ok
	}
	return t, 0, false
}

// wall reads a time of day; half is am, pm or empty.
func wall(hour, minute, second, half string) (timeOfDay, bool) {
	var t timeOfDay
	t.hour, _ = strconv.Atoi(hour)
	t.minute, _ = strconv.Atoi(minute)
	t.second, _ = strconv.Atoi(second)
	if half = strings.ReplaceAll(half, ".", ""); half == "am" || half == "pm" {
		if t.hour < 1 || t.hour > 12 {
			return t, false
		}
		t.hour %= 12
		if half == "pm" {
			t.hour += 12
		}
	}
	return t, t.hour < 24 && t.minute < 60 && t.second < 60
}

func count(s string) float64 {
	switch s {
	case "a", "an":
		return 1
	case "half", "half a", "half an":
		return 0.5
	}
	for i, name := range strings.Fields("one two three four five six seven eight nine ten eleven twelve") {
		if s == name {
			return float64(i + 1)
		}
	}
	n, _ := strconv.ParseFloat(s, 64)
	return n
}

// readSpan reads "3 hours and 25 minutes".
func readSpan(s string) (span, int) {
	var total span
	n := 0
	for rest := s; ; {
		m := length.FindStringSubmatch(rest)
		if m == nil {
			return total, n
		}
		total.add(count(m[1]+m[2]), m[3])
		n = len(s) - len(rest) + len(m[0])
		rest = strings.TrimPrefix(strings.TrimPrefix(s[n:], " "), "and ")
	}
}

func (l *span) add(n float64, unit string) {
	hours := func(h float64) { l.clock += time.Duration(math.Round(n * h * float64(time.Hour))) }
	whole := n == float64(int(n))
	switch unit = strings.TrimSuffix(unit, "s"); {
	case strings.HasPrefix(unit, "bus"), strings.HasPrefix(unit, "work"):
		l.workdays += int(n)
	case strings.HasPrefix(unit, "sec"), unit == "":
		hours(1.0 / 3600)
	case strings.HasPrefix(unit, "mi"), unit == "m":
		hours(1.0 / 60)
	case strings.HasPrefix(unit, "h"):
		hours(1)
	case !whole && unit == "year":
		l.months += int(n * 12)
	case !whole && unit == "month":
		l.days += int(n * 30)
	case !whole:
		hours(24 * map[string]float64{"day": 1, "week": 7, "fortnight": 14, "decade": 3652}[unit])
	case strings.HasPrefix(unit, "d") && unit != "decade":
		l.days += int(n)
	case unit == "week":
		l.days += 7 * int(n)
	case unit == "fortnight":
		l.days += 14 * int(n)
	case unit == "month":
		l.months += int(n)
	case unit == "year":
		l.years += int(n)
	case unit == "decade":
		l.years += 10 * int(n)
	}
}
