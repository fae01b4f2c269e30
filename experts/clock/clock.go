// Package clock is the expert for times and dates: what time it is in a place,
// what a time there is here, and how days are counted. The tz database is
// built in, so that daylight saving is right on any machine.
package clock

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"yaap/core"
	"yaap/experts"
)

const (
	maxPrompt = 2000 // bytes
	help      = "I can tell times and dates. For example: \"what time is it in Tokyo\", or \"how many days until Christmas\"."
	fullDate  = "Monday, 2 January 2006"
	shortDate = "2 January 2006"
)

// New returns the expert. now is asked once for every question; local is the
// zone of a user who names none. The expert is safe for concurrent use.
func New(now func() time.Time, local *time.Location) experts.Expert {
	read, kinds := newReader(), kinds()
	return experts.Expert{
		Name: "clock",
		Description: "Tells the time and the date: what time it is now in a city, country or time zone, what a time in one zone is " +
			"in another, the time difference between two cities, with daylight saving. Counts dates: days between two dates, " +
			"days until Christmas, a date some weeks or months from today, which weekday a date was, leap years, week numbers, " +
			"Unix time.",
		Examples: []string{
			"what time is it in Tokyo?",
			"3pm London in New York",
			"how many days until 25 December?",
			"what date is 3 weeks after 2026-01-15?",
			"what weekday was 1969-07-20?",
		},
		Answer: func(ctx context.Context, q experts.Question) (core.Reply, error) {
			if err := ctx.Err(); err != nil {
				return core.Reply{}, err
			}
			if len(q.Prompt) > maxPrompt {
				return experts.Failure("That is too long for me: I read questions of at most 2000 characters.", nil), nil
			}
			now := now().In(local)
			d := &desk{now: now, question: read.read(q.Prompt, now.Year())}
			return d.answer(kinds), nil
		},
	}
}

// desk answers one question.
type desk struct {
	question
	now time.Time // in the user's zone
}

// What the answers panic with, and try turns into a reply: a reason why there
// is no answer, what the user must choose between, and that a question is not
// of the kind that its shape looked like.
type (
	refusal   string
	ambiguous string
	unread    struct{}
)

func expect(ok bool) {
	if !ok {
		panic(unread{})
	}
}

// kind is a kind of question: what its shape looks like, and who answers it.
type kind struct {
	shape  *regexp.Regexp
	answer func(*desk) core.Reply
}

// kinds are tried in order.
func kinds() []kind {
	var out []kind
	for _, k := range []struct {
		shape  string
		answer func(*desk) core.Reply
	}{
		{`(?:\b(?:time|now|date|day|days|weeks|clock)\b.*\b(?:in|at|for|until|till|since|between|and|with) |T .*\b(?:in|to) |^and |\btime )X(?: X)*$`, (*desk).unknownPlace},
		{`X|\b(?:last|next) (?:[^l]|$)`, nil},
		{`\b(unix|epoch|timestamp)\b|\bN\b`, (*desk).unix},
		{`^[^DTL]*\b(difference|diff|apart|ahead|behind|far|hours)\b[^DTL]*$`, (*desk).apart},
		{`L.*\b(from|after|before|later|ago|past|to|D|T)\b|\b(in|after|plus|minus|add|subtract|D|T|now|be) L|[+-] L`, (*desk).later},
		{`\b(hours|minutes|seconds|long|much|time)\b.*\b(until|till|til|before)\b.*T`, (*desk).until},
		{`T`, (*desk).convert},
		{`^how many days (is |are )?(in )?[DY]( have| has)?$|^days in [DY]$|\bleap\b`, (*desk).length},
		{`D .*(\b(and|to|until|till|minus|from|since)|-) .*D|\b(days|weeks|months|years|hours|minutes|seconds|long|old|age|born|since|until|till|between|far|away|left)\b.*D|D.*\b(away|ago)\b|^[^D]*\b(until|till|til|since) Y$`, (*desk).between},
		{`D|\bweek\b`, (*desk).describe},
		{`P|\b(time|date|day|now|clock|hour|weekday|year|month|timezone|zone|offset)\b`, (*desk).tell},
	} {
		out = append(out, kind{regexp.MustCompile(k.shape), k.answer})
	}
	return out
}

func (d *desk) answer(kinds []kind) core.Reply {
	for _, k := range kinds {
		if !k.shape.MatchString(d.shape) {
			continue
		}
		if k.answer == nil {
			break
		}
		if reply, ok := d.try(k.answer); ok {
			return reply
		}
	}
	return experts.Clarify(help, "what time is it in Tokyo", "how many days until Christmas")
}

func (d *desk) try(answer func(*desk) core.Reply) (reply core.Reply, ok bool) {
	defer func() {
		switch e := recover().(type) {
		case nil, unread:
		case refusal:
			reply, ok = experts.Failure(string(e), nil), true
		case ambiguous:
			reply, ok = experts.Clarify(string(e)), true
		default:
			panic(e)
		}
	}()
	return answer(d), true
}

// has reports whether one of the words is in the question.
func (q question) has(words ...string) bool {
	return slices.ContainsFunc(strings.Fields(q.shape), func(w string) bool { return slices.Contains(words, w) })
}

func (d *desk) unknownPlace() core.Reply {
	n := len(d.unknown)
	for shape := d.shape; strings.HasSuffix(shape, " X"); shape = shape[:len(shape)-2] {
		n--
	}
	return experts.Clarify("I understood a question about the time, but I know no place or date called \""+strings.Join(d.unknown[n:], " ")+
		"\". Name a large city nearby, a country, or a zone such as Europe/Paris or UTC+2.", "the time in a large city nearby", "a zone such as UTC+2")
}
