package clock

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/experts/plain"
)

// question is a prompt cut into what it names and the words between: shape has
// a D for a date, M for a month, T for a time of day, L for a length of time, P
// for a place, Y for a year, U for a unit, N for a Unix time and X for what is
// not known. Every word of the prompt is in it, but those that say nothing.
type question struct {
	text    string // as it was asked; empty for one that was put together
	shape   string
	dates   []date
	times   []timeOfDay
	spans   []span
	places  []place
	years   []int
	units   []string
	numbers []int64
	unknown []string // the words behind the Xs
	of      string   // what was told before and is asked about: that, there, whose
	unread  bool     // words of what was told before the question
	plain.Translator
}

type timeOfDay struct{ hour, minute, second int }

// span is a length of time. Days and longer are counted on the calendar.
type span struct {
	text         string
	months, days int
	clock        int64 // seconds
	business     bool  // the days are those from Monday to Friday
}

const (
	maxUnknown = 4      // words of what asks
	maxShape   = 40     // words
	pause      = "\x01" // between what is told and the question about it

	ordered = " D M T L P Y N in from to until since begin leaves end done born when if plus minus and here " // what counts of what is told
)

// reader knows the words, the places and the forms of dates and times.
type reader struct {
	words       words
	tongues     []tongue
	translators map[string]plain.Translator
	cities      *plain.Table[place]
	accents     *strings.Replacer
	forms       []dateForm

	usa, grouped, early, instant, clock, hour, military, offset, past, stop, duration, amount, year, number, word, shell, turn, opening, sharing, isIt *regexp.Regexp
}

func newReader() *reader {
	r := &reader{
		words:       newWords(),
		tongues:     newTongues(),
		translators: plain.NewTranslators(phrasesFile),
		accents:     plain.AccentReplacer("_", " "),
		usa:         regexp.MustCompile(`\bU\.?S\.?(?:A\.?)?([^\w/]|$)`), // not "us"
		grouped:     regexp.MustCompile(`\b\d{1,3}(?:,\d{3})+\b`),
		stop:        regexp.MustCompile(`(\D)\.+(?: |$)`), // 24.12. is a date
		instant:     regexp.MustCompile(`^(\d{4}-?\d{2}-?\d{2}|\d{4}-?w\d{2}-?\d|\d{4}-?\d{3})t(\d{2}):?(\d{2})?(?::?(\d{2}))?(?:[.,]\d+)?(z\b|[+-]\d{2}:?(?:\d{2})?)?`),
		clock: regexp.MustCompile(`^(\d{1,2})(?:[:.](\d{2})(?::(\d{2}))?)?(?: ?(a\.?m\b\.?|p\.?m\b\.?|o'?clock\b|uhr\b|h\b))?` +
			`(?: ((?:in the |am |de la )(?:morning|morgen|manana|afternoon|evening|nachmittag|abend|tarde|noche)\b|morgens\b|vormittags\b|nachmittags\b|abends\b))?`),
		hour:     regexp.MustCompile(`^\d{1,2} (?:in|en) `),
		military: regexp.MustCompile(`^([01]?\d|2[0-3])([0-5]\d)?( (?:utc|gmt|est|edt|pst|pdt|cst|cdt|cet|cest|bst|jst|ist)\b|z\b)`),
		offset:   regexp.MustCompile(`^(utc|gmt)? ?([+-](?:0?\d|1[0-4]))(?::?([0-5]\d))?(?:[ z]|$)`),
		duration: regexp.MustCompile(`^p(?:(\d{1,6})y)?(?:(\d{1,6})m)?(?:(\d{1,6})w)?(?:(\d{1,7})d)?(?:t(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?)?(?: |$)`),
		amount:   regexp.MustCompile(`^(\d{1,40}(?:\.\d{1,4})?) ?`),
		year:     regexp.MustCompile(`^(\d{4,7})\b`),
		number:   regexp.MustCompile(`^@?(\d{9,13})(?: ?ms)?\b`),
		shell:    regexp.MustCompile(` ['"]?\+%[^s\s]\S*`), // of date, which prints all of it anyway
		turn: regexp.MustCompile(`: +|(?:[,;.!?)]|\s-+) +¿?((?:and |so |y |und )?(?:(?:by|in|at|on|for|auf|en|a) )?(?:` +
			`wh(?:at|ich|en)|how|if|is|count|number|wann|wie\w*|welche\w*|que|cual|cuando|cuant[oa]s?)\b)`),
		opening: regexp.MustCompile(`^(?:(?:i|i'm|i've|we|we're|our|my|your|the|an?|he|she|it|it's|this|if|when|for|there|hey|hi|hello|ok|quick|question|(?:one|two|three|another) (?:thing|question)s?|` +
			`ich|wir|er|sie|mein\w*|unser\w*|der|die|das|ein\w*|fur|wenn|hallo|frage|kurze frage|pregunta|yo|estoy|soy|vivo|son|mi|nuestr\w+|el|la|un|una|para|si|cuando|hola)\b|` +
			`\S+ (?:is|was|starts|begins|leaves|ist|war|beginnt|es|fue|empieza)\b)`),
		isIt: regexp.MustCompile(`^(is|ist) (?:it|es) ((?:mon|tues|wednes|thurs|fri|satur|sun)day|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)(?: today| heute)?$`),
		word: regexp.MustCompile(`^[\p{L}\p{N}'./-]+|^.`),
	}
	months := strings.Join(r.words.all("monthname"), "|")
	r.early = regexp.MustCompile(`\b((?:` + months + `)(?: \d{1,2}(?:st|nd|rd|th)?,?)? (?:of |in )?)(\d{3})\b( ?\pL+)?|(year |\bad )(\d{1,3})\b( ?\pL+)?|` +
		`\b(\d{1,4}) ?(ad|ce|a\.d\.|bce?|b\.c\.(?:e\.)?)(?:\b|$)`)
	r.past = regexp.MustCompile(`\b(half|halb|(?:a )?quarter|viertel) (?:(past|to|nach|vor) )?(\d{1,2}|` + strings.Join(r.words.all("number"), "|") + `)\b`)
	r.sharing = regexp.MustCompile(`(^| )(\d{1,2})(?:st|nd|rd|th|\.)?( (?:to|until|till|and|bis|und|y|al|-) | ?- ?)((?:the |zum |dem |el )?\d{1,2}(?:st|nd|rd|th|\.)?(?: of| de)? (` + months + `)\b)`)
	r.forms = dateForms(r.words, months)
	r.cities = r.newPlaces()
	return r
}

// read cuts up a prompt; year is the present one.
func (r *reader) read(prompt string, year int) question {
	x := &reading{reader: r, year: year}
	s := r.folded(r.usa.ReplaceAllString(prompt, "usa$1"))
	s = r.shell.ReplaceAllString(s, "")
	s = r.turn.ReplaceAllString(s, " "+pause+" $1")
	x.Translator = r.translatorOf(s)
	s = r.grouped.ReplaceAllStringFunc(s, func(n string) string { return strings.ReplaceAll(n, ",", "") })
	s = r.sharing.ReplaceAllString(s, "$1$2 $5$3$4") // 3 to 10 December
	s = r.early.ReplaceAllStringFunc(s, r.fourDigits)
	s = r.past.ReplaceAllStringFunc(s, r.clocked)
	s = strings.NewReplacer("?", " ", "!", " ", ",", " ", ";", " ", `"`, " ", "(", " ", ")", " ", "“", " ", "”", " ", " '", " ", "' ", " ", "¿", " ", "¡", " ", "='", "= ", "date -u", "date time utc", "date --utc", "date time utc").Replace(s)
	s = strings.TrimRight(strings.Join(strings.Fields(s), " "), ": '")
	s = r.stop.ReplaceAllString(s, "$1 ")
	s = strings.TrimSpace(strings.NewReplacer(" in us ", " in usa ", " in the us ", " in usa ").Replace(s + " ")) // not "ahead of us"
	if m := r.isIt.FindStringSubmatch(s); m != nil {                                                              // "is it Friday" is of today, not of the next one
		s = m[1] + map[string]string{"is": " today ", "ist": " heute "}[m[1]] + m[2]
	}
	statement := strings.HasPrefix(s, "it ") || strings.HasPrefix(s, "it's ") || strings.HasPrefix(s, "that ") // "it is 3pm in Paris"
	opens := r.opening.MatchString(s)
	for s != "" && len(x.shape) < maxShape && (len(x.unknown) < maxUnknown || strings.Contains(s, pause)) {
		if rest, ok := strings.CutPrefix(s, pause); ok {
			x.turned(opens)
			s = strings.TrimLeft(rest, " .")
			continue
		}
		n := x.next(s)
		s = strings.TrimLeft(s[n:], " .")
	}
	if s != "" {
		x.push("X")
	}
	if statement {
		x.shape = slices.Insert(x.shape, 0, "it")
	}
	x.question.shape = strings.Join(x.shape, " ")
	return x.question
}

// turned is where the question begins. What was told before it may have words that
// are not known, if it begins as what is told does, asks nothing itself, and none of
// them stands at a time: that may be its zone.
func (x *reading) turned(opens bool) {
	told := " " + strings.Join(x.shape, " ") + " "
	x.push(".")
	isNumber := func(w string) bool { return w != "" && isDigit(w[0]) }
	if len(x.unknown) == 0 || !opens || slices.ContainsFunc(x.unknown, isNumber) || strings.Contains(told, " T X ") || strings.Contains(told, " T in X ") || strings.Contains(told, " X T ") {
		return
	}
	for _, asks := range []string{"what", "howmany", "howlong", "howold"} {
		if strings.Contains(told, " "+asks+" ") {
			return
		}
	}
	x.shape = slices.DeleteFunc(x.shape, func(w string) bool { return w != "." && !strings.Contains(ordered, " "+w+" ") })
	x.unknown, x.unread = nil, true
}

// fourDigits writes a year before 1000 as years are read: with four digits. One
// before Christ is the year 0000, which is none.
func (r *reader) fourDigits(words string) string {
	m := r.early.FindStringSubmatch(words)
	before, year, after := m[1]+m[4], m[2]+m[5]+m[7], m[3]+m[6]
	_, unit := r.unitAt(strings.TrimSpace(after))
	switch {
	case after != "" && unit > 0: // 2 May, 100 days later
		return words
	case strings.HasPrefix(m[8], "b"):
		year = "0"
	}
	return before + strings.Repeat("0", max(0, 4-len(year))) + year + after
}

// clocked writes "half past three" and "halb vier" as 3:30.
func (r *reader) clocked(words string) string {
	m := r.past.FindStringSubmatch(words)
	value, known := r.words.value("number", m[3])
	if !known {
		value = m[3]
	}
	hour, _ := strconv.Atoi(value)
	switch {
	case hour < 1 || hour > 12 || (m[2] == "") != (m[1] == "halb") || m[1] == "half" && m[2] != "past":
		return words
	case m[1] == "half":
		return fmt.Sprintf("%d:30", hour)
	case m[1] == "halb":
		return fmt.Sprintf("%d:30", (hour+10)%12+1)
	case m[2] == "past", m[2] == "nach":
		return fmt.Sprintf("%d:15", hour)
	}
	return fmt.Sprintf("%d:45", (hour+10)%12+1)
}

// folded lowers a name and takes its accents off.
func (r *reader) folded(name string) string { return r.accents.Replace(strings.ToLower(name)) }

// reading is the state of cutting up one prompt.
type reading struct {
	*reader
	question
	shape   []string
	year    int
	slipped bool // a slip of the pen was forgiven
}

func (x *reading) push(letter string) { x.shape = append(x.shape, letter) }

func (x *reading) aTime(t timeOfDay) {
	x.times = append(x.times, t)
	x.push("T")
}

func (x *reading) aPlace(p place) {
	x.places = append(x.places, p)
	x.push("P")
}

func (x *reading) aSpan(l span) {
	x.spans = append(x.spans, l)
	x.push("L")
}

func (x *reading) last() string {
	if len(x.shape) == 0 {
		return ""
	}
	return x.shape[len(x.shape)-1]
}

func (x *reading) pop() { x.shape = x.shape[:len(x.shape)-1] }

// next takes one thing from the start of s and returns its length.
func (x *reading) next(s string) int {
	ways := []func(string) int{x.dateAt, x.spanAt, x.offsetAt}
	if isDigit(s[0]) {
		ways = []func(string) int{x.instantAt, x.timeAt, x.dateAt, x.spanAt}
	}
	for _, read := range ways {
		if n := read(s); n > 0 {
			return n
		}
	}
	known, isName := x.words.find(s)
	after := x.last() == "in" || x.last() == "to" || x.last() == "T" && x.Language != "de" || x.Language == "" && slices.Contains([]string{"and", "between", "from", "P"}, x.last()) // in IST, which is German for is
	if p, n := x.find(s); n > len(known.text) || n > 0 && (!isName || known.kind == "skip" && after && n == len(known.text)) {
		if last := len(x.places) - 1; x.last() == "P" && p.holds(x.places[last]) { // "Portland, Oregon"
			return n
		} else if x.last() == "P" && len(x.places[last].zones) > 1 && x.places[last].holds(p) { // "Brazil, São Paulo"
			x.places[last] = p
			return n
		}
		x.aPlace(p)
		return n
	}
	if isName {
		x.name(known)
		return len(known.text)
	}
	return x.digitsOrUnknown(s)
}

// name takes a name of words.txt.
func (x *reading) name(n name) {
	switch n.kind {
	case "skip":
	case "that", "there", "whose":
		x.of = n.kind
	case "unit":
		x.units = append(x.units, n.value)
		x.push("U")
	case "word":
		if n.value[0] == 'T' { // noon and midnight
			x.aTime(timeOfDay{hour: map[string]int{"T0": 12}[n.value]})
			return
		}
		if years := map[string]int{"lastyear": -1, "thisyear": 0, "nextyear": 1}; strings.HasSuffix(n.value, "year") && n.value != "year" {
			x.aYear(x.year + years[n.value])
			return
		}
		x.push(n.value)
	default: // number, nth
		x.push(n.kind + n.value)
	}
}

// aYear takes a year; after a date without one it is that date's.
func (x *reading) aYear(year int) {
	in := x.last() == "in"
	i := len(x.shape) - 1
	if in {
		i--
	}
	if i >= 0 && (x.shape[i] == "D" || x.shape[i] == "M") && x.dates[len(x.dates)-1].yearly != nil {
		if in {
			x.pop()
		}
		d := &x.dates[len(x.dates)-1]
		yearly := d.yearly
		d.at, d.dated = func(time.Time, bool) time.Time { return yearly(within(year)) }, true
		return
	}
	x.years = append(x.years, year)
	x.push("Y")
}

func (x *reading) digitsOrUnknown(s string) int {
	m := x.number.FindStringSubmatch(s)
	if n := len(s) - len(strings.TrimLeft(s, "0123456789")); x.last() == "unix" && n > 0 && n < 9 {
		m = []string{s[:n], s[:n]}
	}
	if m != nil {
		i, _ := strconv.ParseInt(m[1], 10, 64)
		x.numbers = append(x.numbers, i)
		x.push("N")
		return len(m[0])
	}
	if m := x.reader.year.FindString(s); m != "" {
		y, _ := strconv.Atoi(m)
		x.aYear(y)
		return len(m)
	}
	w := x.word.FindString(s)
	if bare, ok := strings.CutSuffix(w, "'s"); ok && bare != "" { // today's
		return x.next(bare) + len(w) - len(bare)
	}
	meant := x.words.CorrectTypo(w)
	if n, _ := x.words.find(meant); !x.slipped && w != meant+"s" && !anotherWord(w, meant) && strings.Contains(" monthname dayname known relative ", " "+n.kind+" ") {
		x.slipped = true
		return x.next(meant+s[len(w):]) + len(w) - len(meant)
	}
	x.unknown = append(x.unknown, strings.Trim(w, "'.-/"))
	x.push("X")
	return max(len(w), 1)
}

// anotherWord reports whether two short words differ by more than their order: "lines" is
// no "lunes".
func anotherWord(a, b string) bool {
	const short = 5 // letters
	sorted := func(s string) string { return string(slices.Sorted(slices.Values([]byte(strings.ToLower(s))))) }
	return len(a) == short && len(b) == short && sorted(a) != sorted(b)
}

// instantAt reads a date with a time, as ISO 8601 writes them.
func (x *reading) instantAt(s string) int {
	m := x.instant.FindStringSubmatch(s)
	if m == nil {
		return 0
	}
	t, ok := timeFrom(m[2], m[3], m[4])
	if !ok || x.dateAt(m[1]) != len(m[1]) {
		return 0
	}
	x.aTime(t)
	if zone := m[5]; zone == "z" {
		x.aPlace(offsetPlace("0", ""))
	} else if zone != "" {
		x.aPlace(offsetPlace(zone[:3], strings.TrimPrefix(zone[3:], ":")))
	}
	return len(m[0])
}

func timeFrom(hour, minute, second string) (t timeOfDay, ok bool) {
	t.hour, _ = strconv.Atoi(hour)
	t.minute, _ = strconv.Atoi(minute)
	t.second, _ = strconv.Atoi(second)
	return t, t.hour < 24 && t.minute < 60 && t.second < 60
}

// early is the half of the day before noon.
var early = regexp.MustCompile(`^a\.?m\.?$|morning$|manana$|morgens?$|vormittags$`)

// timeAt reads "15:00", "3pm", "3.30 p.m." and "1500 UTC", and a bare number in "when it is 9 in Oslo" alone.
func (x *reading) timeAt(s string) int {
	if m := x.military.FindStringSubmatch(s); m != nil {
		t, _ := timeFrom(m[1], m[2], "")
		x.aTime(t)
		return len(m[1] + m[2])
	}
	m := x.clock.FindStringSubmatch(s)
	bare := slices.Contains([]string{"it", "when", "if"}, x.last()) && x.hour.MatchString(s)
	if m == nil || m[4]+m[5] == "" && !strings.Contains(m[0], ":") && !bare || m[4] == "h" && m[2] == "" {
		return 0
	}
	t, ok := timeFrom(m[1], m[2], m[3])
	half := strings.TrimSpace(strings.Trim(m[4], "oclkuhr' ") + m[5])
	switch {
	case half == "":
	case t.hour > 12 || t.hour == 0:
		return 0
	default:
		t.hour %= 12
		if !early.MatchString(half) {
			t.hour += 12
		}
	}
	if !ok {
		return 0
	}
	n := len(m[0])
	x.aTime(t)
	if rest := s[n:]; strings.HasPrefix(rest, "z") && plain.LetterPrefix(rest) == 1 {
		x.aPlace(offsetPlace("0", ""))
		n++
	}
	return n
}

// offsetAt reads "UTC+3" and "+02:00". 10:00-12:00 has no offset, but
// 2026-07-01 10:00-12:00 has.
func (x *reading) offsetAt(s string) int {
	m := x.offset.FindStringSubmatch(s)
	if m == nil || m[1] == "" && (len(m[2]) != 3 || m[3] == "") {
		return 0
	}
	if m[1] == "" && m[2][0] == '-' && len(x.times) > len(x.dates) && (x.last() != "T" || !x.offsetGoesOn(s[len(m[0]):], m[2])) {
		return 0
	}
	x.aPlace(offsetPlace(m[2], m[3]))
	return len(strings.TrimRight(m[0], " z"))
}

// offsetGoesOn reports whether a place follows "18:45-03:00", which is then a
// time with an offset and no span of time.
func (x *reading) offsetGoesOn(rest, hours string) bool {
	to, place, _ := strings.Cut(rest, " ")
	_, n := x.find(place)
	h, _ := strconv.Atoi(hours[1:])
	return n > 0 && (to == "in" || to == "to" || to == "nach" || to == "en") && x.times[len(x.times)-1].hour > h
}

// seconds rounds and bounds so many: the most are beyond what is counted.
func seconds(n float64) int64 { return int64(math.Round(min(n, 1e15))) }

// amountAt reads how many there are of a unit: "3", "three", "a".
func (r *reader) amountAt(s string) (amount float64, n int) {
	if m := r.amount.FindStringSubmatch(s); m != nil {
		amount, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			amount = math.MaxFloat64
		}
		return amount, len(m[0])
	}
	w, rest, _ := strings.Cut(s, " ")
	if strings.Contains(" a an ein eine einem einer einen un una ", " "+w+" ") && rest != "" {
		return 1, len(w) + 1
	}
	if value, ok := r.words.value("number", w); ok && rest != "" {
		amount, _ = strconv.ParseFloat(value, 64)
		return amount, len(w) + 1
	}
	return 0, 0
}

// unitAt reads the name of a unit of time.
func (r *reader) unitAt(s string) (unit string, n int) {
	known, ok := r.words.find(s)
	switch {
	case ok && known.kind == "unit":
		return known.value, len(known.text)
	case ok && known.text == "hora":
		return "hour", len(known.text)
	case ok && known.kind == "word" && strings.Contains(" day week month year ", " "+known.value+" "):
		return known.value, len(known.text)
	}
	return "", 0
}

// spanAt reads "3 hours and 25 minutes" and P3DT4H. Only what is less than a day
// can be divided.
func (x *reading) spanAt(s string) int {
	if m := x.duration.FindStringSubmatch(s); m != nil && strings.ContainsAny(m[0], "0123456789") {
		n := func(i int) int { v, _ := strconv.Atoi(m[i]); return v }
		text := strings.TrimSpace(m[0])
		x.aSpan(span{text: strings.ToUpper(text), months: 12*n(1) + n(2), days: 7*n(3) + n(4), clock: int64(3600*n(5) + 60*n(6) + n(7))})
		return len(text)
	}
	if known, ok := x.words.find(s); ok && known.kind == "span" {
		clock, _ := strconv.ParseInt(known.value, 10, 64)
		x.aSpan(span{text: known.text, clock: clock})
		return len(known.text)
	}
	var total span
	var said []string
	n := 0
	for rest := s; ; {
		amount, a := x.amountAt(rest)
		if a == 0 || x.last() == "what" && !isDigit(rest[0]) { // "was für ein Tag"
			break
		}
		at := rest[a:]
		unit, u := x.unitAt(at)
		if unit == "" || !total.add(amount, unit) {
			break
		}
		n = len(s) - len(at) + u
		said = append(said, x.count(amount, unit))
		rest = strings.TrimPrefix(s[n:], " ")
		for _, and := range []string{"and ", "und ", "y "} {
			rest = strings.TrimPrefix(rest, and)
		}
	}
	if n > 0 {
		if total.text = strings.TrimSpace(s[:n]); x.Language != "" && !total.business {
			total.text = strings.Join(said, " ")
		}
		x.aSpan(total)
	}
	return n
}

// add adds so many of a unit; days and longer must be whole ones.
func (l *span) add(amount float64, unit string) bool {
	whole := int(min(amount, 1e7)) // of days, that is beyond what is counted
	switch {
	case unit == "second":
		l.clock += seconds(amount)
	case unit == "minute":
		l.clock += seconds(60 * amount)
	case unit == "hour":
		l.clock += seconds(3600 * amount)
	case amount > 1e7:
		l.days += whole
	case amount != float64(whole):
		return false
	case unit == "day", unit == "businessday":
		l.days += whole
		l.business = l.business || unit == "businessday"
	case unit == "week":
		l.days += 7 * whole
	case unit == "fortnight":
		l.days += 14 * whole
	case unit == "month":
		l.months += whole
	default:
		l.months += 12 * whole
	}
	return true
}
