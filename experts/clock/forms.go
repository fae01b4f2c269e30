package clock

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"yaap/core"
)

// form is a form of question: its whole shape, and what answers it. reads says
// what is understood where the answer does not say it better. A loose one may
// as well be part of something else.
type form struct {
	shape  *regexp.Regexp
	reads  string
	answer func(*desk) core.Reply
	loose  bool
}

// newForms returns the forms of questions; the first that fits is taken. Ps are
// one or more places, Q is what a date is asked with, S is a time at a place.
func newForms() []form {
	parts := strings.NewReplacer(
		"Ps", `(?:P(?: time)?(?:(?: and(?: in)?)? P(?: time)?)*)`,
		"Q", `(?:(?:what|when|date|day|weekday|time) )*`,
		"S", `(?:(?:D (?:in )?)?T(?: D)?(?: (?:in|from))? P(?: time)?|(?:in )?P(?: time)?(?: in)? T|T(?: in)? P D|D P(?: in)? T)`,
		"E", `(?:(?:it|if|when|X|meeting|good|begin|end) )*(?:in )?`, // what a moment is the moment of
		"H", `(?:(?:howlong|howmany|what|time|left) )*`,
	)
	var forms []form
	add := func(reads string, answer func(*desk) core.Reply, shapes ...string) {
		loose := strings.HasPrefix(reads, "?")
		forms = append(forms, form{regexp.MustCompile("^(?:" + parts.Replace(strings.Join(shapes, "|")) + ")$"), strings.TrimPrefix(reads, "?"), answer, loose})
	}
	add("the time", (*desk).tell, `(?:what )?(?:time|now)(?: now)?(?: in)?(?: Ps)?(?: here)?(?: now)?(?: time)?`, `(?:what )?Ps time(?: now)?`, `Ps now`, `time now in here`, `what P`)
	add("?the time", (*desk).tell, `(?:and )?(?:in )?Ps(?: now)?`)
	add("today's date", (*desk).describe, `(?:what )?(?:today )?(?:date|day|weekday)(?: now)?(?: today)?(?: in P)?`)
	add("the year", (*desk).part, `(?:in )?what (?:year|month|quarter)(?: in)?(?: now)?(?: in)?`, `(?:in )?(?:what )?(?:year|month|quarter) (?:in )?[DM](?: in)?`)
	add("the first or last day", (*desk).edge, `Q(?:nth1|last) day (?:in )?(?:[DMY]|(?:this )?(?:month|year))`, `Q(?:nth1|last) (?:U (?:in )?M|D)`, `Qnth1 (?:in )?M`, `Q(?:begin|end) (?:in )?(?:[DMY]|(?:this )?(?:month|year))`, `when [DM] (?:begin|end)`, `[DM] (?:begin|end) when`)
	add("the same day", (*desk).same, `Qsameday (?:in )?[DMY]`, `Q[DMY] sameday`)
	add("a day", (*desk).isThere, `(?:if )?Y D`)
	add("the kind of a day", (*desk).isA, `(?:if )?D (?:in )?(?:weekend|D)`)
	add("the week", (*desk).week, `(?:what |in )*week(?: in)?(?: (?:now|D|this|year))*(?: in)?`, `(?:what )?week (?:in |from )?D(?: in)?`, `(?:what )?week D week`, `D what week`, `what U (?:in )*week (?:in )?D`)
	add("a leap year", (*desk).leap, `(?:what |year |if )*Y(?: year)? leap(?: year)?`, `(?:what )?leap(?: year)? Y`, `(?:when |what )*(?:next|last) leap(?: year)?`, `(?:when )?leap`, `M leap`, `Y year leap`, `(?:when |what )*leap (?:next|last)`, `(?:when |what )*next leap(?: year)? after Y`)
	add("the day of the year", (*desk).dayOfYear, `(?:what )?day (?:in )?year(?:(?: in)? D)?(?: in)?`, `(?:what )?D (?:what )?day in year`)
	add("how long it is", (*desk).length, `(?:howmany )?(?:U|day) (?:in )?(?:[MY]|year)(?: in)?`, `(?:howmany )?U (?:in )?year Y`)
	add("the change of the clocks", (*desk).clocks, `(?:when |next |in )*(?:Y )?clocks(?:back|forward)?(?:(?: in| next)* [PY])*(?: in| next)*`, `(?:when )?(?:summer (?:begin|end)|(?:begin|end) summer)(?:(?: in)? [PY])*`)
	add("daylight saving time", (*desk).summer, `(?:what |when )?(?:now )?summer(?: now)?(?: in)?(?: P)?(?: now| D)?`, `(?:in )?P (?:now )?summer`)
	add("an age", (*desk).age, `(?:what )?howold (?:if )?(?:D )?(?:if )?born (?:in )?[DYM](?: now| (?:in )?D)?`, `born (?:in )?[DY] howold(?: now)?`, `howold [DY] born`, `howold (?:in )?D`)
	add("Unix time", (*desk).unix, `(?:what )?(?:now )?unix(?: now)?(?: time)?`, `(?:convert |what |time )*unix (?:time )?(?:in |from |to )?(?:D|D T|T D|D T P|T D P|now)`, `(?:convert )?(?:D(?: T)?|T D)(?: P)? (?:(?:to|in) )?unix(?: time)?`,
		`(?:convert |what |when |date |time |unix |from )+N(?: (?:to|in))?(?: (?:date|time|Ps))?`, `N (?:unix )?(?:(?:to|in) )?(?:date|time|unix|P)(?: time)?`, `N (?:in |to )?(?:date|time) (?:in )?P`)
	add("?Unix time", (*desk).unix, `N`)
	add("a time zone", (*desk).zone, `(?:in )?(?:what )?zone (?:in )?P(?: in)?`, `(?:what )?P(?: in)? zone`, `(?:what )?zone P`)
	add("a time difference", (*desk).apart, `(?:what )?(?:time )?difference (?:in )?(?:time )?(?:between |in |from )?P (?:and |to |from )?(?:P|here)(?: time)?`, `(?:howmany )?U between P (?:and )?P`, `(?:between )?P (?:and )?P (?:time )?difference`, `(?:what )?difference (?:to |in )?P`,
		`(?:howmany U|howfar|howlong|what)(?: time)? (?:ahead |behind )?(?:in )?(?:P|here) (?:ahead |behind |difference )?(?:in )?(?:from |to |and )?(?:P|here)`, `(?:howmany U|howfar) (?:ahead |behind )?P(?: ahead| behind)?`, `P (?:in )?(?:ahead|behind|back)(?: in)?(?: or (?:ahead|behind))? (?:in )?(?:P|here)`)
	add("a time for a meeting", (*desk).meet, `(?:what |when |good |time |in )+meeting (?:in|between|from|and)? ?Ps(?: D)?`, `(?:when |good |what |time )+Ps (?:good )?meeting(?: D)?`, `(?:good |when |what )*goodmeeting (?:(?:in|between|from) )?Ps(?:(?: in)? D)?`, `(?:good |when )+goodmeeting (?:in |between )?Ps`)
	add("a time elsewhere", (*desk).convert,
		`(?:what |convert |when |time |in |meeting |from )*S (?:(?:what |and )?(?:time )?(?:in|to|from)? ?(?:time )?)(?:Ps|here)(?: time)?(?: and (?:in )?Ps)?(?: D)?`,
		`(?:what )?time (?:in )?(?:Ps|here) (?:when|if|in) S`, `(?:if|when) S (?:then )?(?:what )?(?:time )?(?:in )?(?:Ps|here)`, `(?:when|if|what) S`,
		`(?:what )?(?:time )?(?:when )?(?:D )?T (?:D )?(?:to |in )P`, `(?:what )?T(?: D)? P(?: time)?`, `(?:D )T P`, `what time (?:in )?here (?:when|if) S`,
		`(?:ES(?: X)?|(?:E(?:in |begin |D )|(?:if |it |when )*)T(?: D)?(?: here)?)(?: begin| end)? (?:what |when |time )+(?:in )?(?:Ps|here)(?: time)?`, `(?:what )?time (?:in )?Ps (?:when|if) (?:T here|here T)`, `(?:what )?T here (?:in|to) Ps`)
	add("a length of time", (*desk).lasts, `E(?:between |from )?T (?:to|until|and) T(?: what)? (?:howlong|howmany U|in U)`, `(?:howlong|howmany U) (?:X|meeting) (?:between|from) T (?:to|until|and) T`, `(?:(?:howlong|howmany|U|time|difference|in|what) )*(?:between |from |(?:howlong|U|time) )T (?:to|until|and|minus)? ?T`, `(?:(?:howlong|howmany|U|time|difference|in|what|between|from) )*D(?: in)? T (?:to|until|and) D(?: in)? T`)
	add("an ISO duration", (*desk).inOne, `(?:howmany U (?:in )?|howlong (?:in )?)L`, `what L`, `L (?:(?:in|to) )?(?:howmany )?U`, `convert L (?:in|to) U`)
	add("how long until then", (*desk).until, `H(?:U )?(?:left )?(?:until|to) (?:T(?: D)?|D(?: in)? T)(?: (?:in )?P)?`, `H(?:U )?since T(?: D)?`)
	add("the days between", (*desk).between, `H(?:(?:between|from|difference|in|left|U) )*[DM] (?:and|to|until|minus|from) [DM](?: in U)?`,
		`(?:(?:between|from) )?[DM] (?:and|to|until) [DM] (?:howmany U|howlong|in U)(?: left)?`, `H(?:U )?(?:left )?(?:until|to) (?:[DM]|Y)`, `Hhowmany U (?:in |left |until )*[DM](?: left)?`, `(?:howmany )?U (?:left )?(?:in |until )?[DM](?: left)?`, `(?:howlong|howfar|howmany U) (?:left )?D(?: left)?`,
		`H(?:U )?since (?:[DM]|Y)`, `(?:howlong|howmany U|time)(?: left)? (?:ago |since )D(?: in U)?`, `howlong D ago(?: in U)?`, `back howlong D`, `howmany U born (?:in )?D`, `H(?:U )?(?:left )?until X(?: X)? (?:in )?D`, `H(?:U )?left (?:in |until )*[DY]`)
	add("a date by its distance", (*desk).later, `Q(?:in )L(?: from now)?(?: (?:from |in )?(?:D|P))?`, `QL (?:from|after|later|to) (?:now|here|(?:D|M)(?: T)?|T(?: D)?)(?: (?:in )?P)?`, `QL later`, `QD in L`, `QL from now in P`,
		`Qin P in L`, `QL (?:ago|back)`, `Q(?:back) L`, `(?:what )?day (?:after|until) D`, `(?:if )?T(?: now)? (?:what |time |when )*in L`, `QL (?:until|back|ago) (?:D|M|T)(?: T)?(?: (?:in )?P)?`, `Q(?:D|now|T)(?: T)?(?: P)? (?:plus|minus|and) L`, `plus L to (?:D|T|now)`, `D to L`, `minus L from [DT]`, `Q[DT] L (?:later|after|ago)`, `Qnow (?:in )?L`)
	add("a date", (*desk).describe, `(?:what |in )*(?:day|weekday) born (?:in )?D`, `(?:what |when |date |day |weekday |in )*D(?: (?:date|day|weekday|in|to|when|what))*`)
	add("a day of a country", (*desk).describe, `(?:what |when |date |day )*D in P(?:(?: in)? Y)?`, `(?:what |when |date |day )*in P D`)
	add("?the time in a place that I do not know", (*desk).unknownPlace, `(?:what )?time(?: now)? in X(?: X)?(?: X)?(?: now)?`, `H(?:U )until X`, `S (?:in|to) X(?: X)?`)
	return forms
}

// fragment is what a follow-up is: one thing to put in the place of an earlier
// one.
func fragment(shape string) string {
	words := strings.Fields(shape)
	for len(words) > 1 && slices.Contains([]string{"and", "what", "in", "to", "until", "since", "from", "if"}, words[0]) {
		words = words[1:]
	}
	if len(words) == 1 && strings.Contains("DMYUTP", words[0]) {
		return words[0]
	}
	return ""
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
			earlier.tongue = q.tongue
			return earlier.with(kind, q)
		}
	}
	return question{}, false
}

// with puts the one thing of a kind in other in the place of the last of that
// kind.
func (q question) with(kind string, other question) (question, bool) {
	switch {
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
