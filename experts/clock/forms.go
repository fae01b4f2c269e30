package clock

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
)

// form is a bag of what a question may be made of, in any order, and what answers
// it: what it names is counted, and one word of each of the needs is in it. reads
// says what is understood where the answer does not say it better. A loose one may
// as well be part of something else.
type form struct {
	reads  string
	answer func(*desk) core.Reply
	takes  map[string]int // a word, or a letter of the shape -> its count, 0 for none
	counts [6]struct{ least, most int }
	needs  [][]string
	loose  bool
}

// glue is the words that no form is told by.
const glue = "what when in if and . order"

// newForms returns the forms of questions; the first that fits, and has an answer,
// is taken.
func newForms() (forms []form) {
	add := func(reads string, answer func(*desk) core.Reply, bags ...string) {
		for _, bag := range bags {
			forms = append(forms, newForm(bag, reads, answer))
		}
	}
	add("the time", (*desk).tell, "+time|now P* here date")
	add("?the time", (*desk).tell, "P+ now")
	add("today's date", (*desk).describe, "+date|day|weekday|today P? now this month iso")
	add("the year", (*desk).part, "+year|month|quarter +what|now|in now this", "+year|month|quarter DM")
	add("the first or last day", (*desk).edge, "+nth1|last +day|U U? DMY? month year this date weekday",
		"+begin|end DMY? month year this date day weekday", "+nth1|last DM date day weekday")
	add("the same day", (*desk).same, "+sameday DMY date day weekday time")
	add("a day", (*desk).isThere, "Y D")
	add("the kind of a day", (*desk).isA, "+weekend D", "D2")
	add("the week", (*desk).week, "+week year this now date today", "+week D U? year date from")
	add("a leap year", (*desk).leap, "+leap Y? year now", "+leap +next|last|after Y? year", "+leap M")
	add("the leap years", (*desk).leaps, "+leap +between|from|to|until Y2 U? year howmany between from to until")
	add("the day of the year", (*desk).dayOfYear, "+day +year D? now today", "+dayno D? year")
	add("how long it is", (*desk).length, "+U|howmany +M|Y|year U? MY? day year howmany howlong", "+howlong M")
	add("the change of the clocks", (*desk).clocks, "+clocks|clocksback|clocksforward P? Y? next last year date", "+summer +begin|end|done P? Y? next year date done")
	add("daylight saving time", (*desk).summer, "+summer P? DM? now use")
	add("an age", (*desk).age, "+howold +born D12 now", "+howold +born MY now", "+howold D now")
	add("an age", (*desk).unnamed, "+howold U? howmany now")
	add("the days from or until then", (*desk).unnamed, "U? +howmany|howlong +left|ago|since time now")
	add("an end", (*desk).unnamed, "L +when|what|time +done|end time done end to")
	add("Unix time", (*desk).unix, "+unix D? T? P? now date time convert to from",
		"N +unix|convert|what|when|date|time|to|in|iso P? iso convert date time unix to from", "N P")
	add("?Unix time", (*desk).unix, "N")
	add("a time difference", (*desk).apart, "+zone P2 between difference from to time")
	add("a time zone", (*desk).zone, "+zone P now use")
	add("a time difference", (*desk).apart, "+howmany +later|ago P12 here U? time between from to", "+difference P12 here zone minus U? howmany howlong howfar time between from to ahead behind",
		"+ahead|behind|back P12 here U? howmany howlong howfar time from to or difference", "+between +howmany|U U P2 time")
	add("a time for a meeting", (*desk).meet, "+meeting +good P+ here D? L? U? time between from to now", "+meeting +when|what|time P2+ D? time between from to",
		"+goodmeeting P+ here D? good time between from to")
	add("a time elsewhere", (*desk).convert, "T P2+ D? date time to from convert here now meeting begin end done leaves", "T P +here|meeting|begin|end|done|leaves|it +what|when|time|to|if D? time to from convert here now begin end done leaves meeting it",
		"T P D? time to from convert here now")
	add("a length of time", (*desk).lasts, "T2 +howlong|howmany|U|between|from|time|difference D02 U? howlong howmany between from to until minus difference time",
		"T2 +howlong|howmany U? X? meeting begin end done leaves howlong howmany between from to until it")
	add("an ISO duration", (*desk).inOne, "L U howmany howlong convert to", "L +what|howlong")
	add("how long until then", (*desk).until, "T +until|since|howlong|howmany|U D? P? U? howmany howlong time left to here now")
	add("a day next to another", (*desk).nextTo, "D2 +after|before date day weekday")
	add("the days between", (*desk).between, "DM2 +to|until|minus|between|from|difference|howmany|howlong|U U? left time since day begin end",
		"DM +until|before|since|left|ago|howlong|howfar|howmany|U U? howmany howlong howfar left to time back from now begin end done leaves date day weekday", "DM +born +howmany U howmany",
		"Y +until|since|left U? howmany howlong left to time", "X12 D +until_X until U? howmany howlong left time begin end")
	add("a date by its distance", (*desk).later, "L +in_L|from|after|later|to|plus|before|until|ago|minus|back DMT02 P? date day weekday time now here from to begin end",
		"L DM? T? +D|M|T +what|when|time|and|end|done P? date day weekday time now here it begin end done leaves meeting later after to", "+day +after|before|until D date weekday")
	add("a date", (*desk).describe, "D born +day|weekday|what", "D date day weekday iso to onwhat", "D Y +date|day|weekday|when")
	add("a day of a country", (*desk).describe, "D P Y? date day")
	add("?the time in a place that I do not know", (*desk).unknownPlace, "+time +in_X X13 now", "+until X U? howmany howlong left time", "T P +in_X|to_X X12 to")
	return forms
}

// newForm reads a bag: letters that are counted together, once where nothing stands
// behind them (? at most once, * any number, + some, 12 one or two), words, and
// after + the words of which one is needed, with _ for a blank.
func newForm(bag, reads string, answer func(*desk) core.Reply) form {
	f := form{reads: strings.TrimPrefix(reads, "?"), loose: reads[0] == '?', answer: answer, takes: map[string]int{}}
	used := 0
	for w := range strings.FieldsSeq(bag + " " + glue) {
		needed, isNeed := strings.CutPrefix(w, "+")
		if isNeed {
			f.needs = append(f.needs, strings.Split(strings.ReplaceAll(needed, "_", " "), "|"))
		}
		for one := range strings.SplitSeq(needed, "|") {
			letters := strings.TrimRight(one, "?*+0123456789")
			if letters != strings.ToUpper(letters) || letters == "." {
				f.takes[one] = 0
				continue
			}
			if isNeed {
				continue // it is counted elsewhere
			}
			used++
			for _, letter := range letters {
				f.takes[string(letter)] = used
			}
			bounds := map[string][2]int{"": {1, 1}, "?": {0, 1}, "*": {0, maxShape}, "+": {1, maxShape}, "2": {2, 2}, "12": {1, 2}, "13": {1, 3}, "02": {0, 2}, "2+": {2, maxShape}}[one[len(letters):]]
			f.counts[used].least, f.counts[used].most = bounds[0], bounds[1]
		}
	}
	return f
}

// fits reports whether a question is made of what the form takes.
func (f *form) fits(q question, words []string) bool {
	var n [len(f.counts)]int
	for _, w := range words {
		i, ok := f.takes[w]
		if !ok {
			return false
		}
		n[i]++
	}
	for i, bounds := range f.counts[1:] {
		if n[i+1] < bounds.least || n[i+1] > bounds.most {
			return false
		}
	}
	return !slices.ContainsFunc(f.needs, func(need []string) bool { return !q.has(need...) })
}

// fragment is what a follow-up is: one thing to put in the place of an earlier
// one.
func fragment(shape string) string {
	kind := ""
	for w := range strings.FieldsSeq(shape) {
		switch {
		case strings.Contains("DMYUTPL", w) && (kind == "" || kind == w):
			kind = w
		case !slices.Contains([]string{"and", "what", "in", "to", "until", "since", "from", "if", "born", "between"}, w):
			return ""
		}
	}
	return kind
}

// leans reports whether a text is only a date or the like behind "and": it goes on from what
// others were asked, where nothing of time was.
func (q question) leans() bool {
	rest, and := strings.CutPrefix(q.shape, "and ")
	return and && (rest == "this week" || strings.Contains("DMYUL", cmp.Or(fragment(rest), "?")))
}

// followed returns the last question of the conversation with the one thing that
// q names in the place of what it had of that kind.
func (k *keeper) followed(q question, text string, said []core.Message, now time.Time) (question, bool) {
	kind := fragment(q.shape)
	if kind == "" {
		return question{}, false
	}
	asked := 0
	for _, m := range slices.Backward(said) {
		if m.Role != core.RoleUser || m.Text == text || len(m.Text) > maxPrompt {
			continue
		}
		if asked++; asked > maxSaid {
			break
		}
		earlier := k.reader.read(m.Text, now.Year())
		if fragment(earlier.shape) != "" {
			continue // a follow-up itself
		}
		if _, d, ok := k.answer(earlier, now); ok && !d.loose {
			earlier.Translator = q.Translator
			return earlier.with(kind, q)
		}
	}
	return question{}, false
}

// with puts the one thing of a kind in other in the place of the last of that
// kind, or all of them in the place of as many.
func (q question) with(kind string, other question) (with question, ok bool) {
	switch {
	case kind == "P" && len(other.places) > 1:
		q.places, ok = other.places, len(q.places) == len(other.places)
		return q, ok
	case strings.Contains("DM", kind) && len(other.dates) > 1:
		q.dates, ok = other.dates, len(q.dates) == len(other.dates)
		return q, ok
	case strings.Contains("DM", kind) && len(q.dates) > 0:
		last := len(q.dates) - 1
		q.dates[last] = other.dates[0]
		i := max(strings.LastIndexByte(q.shape, 'D'), strings.LastIndexByte(q.shape, 'M'))
		q.shape = q.shape[:i] + kind + q.shape[i+1:]
	case kind == "Y" && len(q.years) == 1:
		q.years = other.years
	case kind == "Y" && len(q.dates) == 1 && q.dates[0].yearly != nil:
		yearly := q.dates[0].yearly
		q.dates[0].at = func(time.Time, bool) time.Time { return yearly(within(other.years[0])) }
	case kind == "U" && (len(q.units) == 1 || len(q.units) == 0 && q.has("howlong")):
		q.units = other.units
	case kind == "L" && len(q.spans) == 1:
		q.spans = other.spans
	case kind == "T" && len(q.times) == 1:
		q.times = other.times
	case kind == "P" && len(q.places) > 0:
		q.places[len(q.places)-1] = other.places[0]
	case kind == "P" && q.has("time", "week", "date", "day"):
		q.places = other.places
		q.shape += " in P"
	default:
		return q, false
	}
	return q, true
}
