// Package clock is the expert for times and dates: what time it is in a place,
// what a time there is here, and how days are counted. The tz database is
// built in, so that daylight saving is right on any machine.
package clock

import (
	"context"
	"errors"
	"regexp"
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
	read := newReader()
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
			return (&desk{now: now, question: read.read(q.Prompt, now.Year())}).answer(), nil
		},
	}
}

// desk answers one question.
type desk struct {
	question
	now time.Time // in the user's zone
}

// refusal is a reason, in words, why a question has no answer; ambiguous says
// what the user must choose between; errUnread, that it is another question.
type (
	refusal   string
	ambiguous string
)

func (r refusal) Error() string   { return string(r) }
func (a ambiguous) Error() string { return string(a) }

var errUnread = errors.New("not such a question")

// intent is a kind of question: what its shape looks like, and who answers it.
type intent struct {
	shape  *regexp.Regexp
	answer func(*desk) (core.Reply, error)
}

// intents are tried in order.
func intents() []intent {
	return []intent{
		{unixShape, (*desk).unix},
		{leapShape, (*desk).leapYear},
		{apartShape, (*desk).apart},
		{laterShape, (*desk).later},
		{untilShape, (*desk).until},
		{convertShape, (*desk).convert},
		{lengthShape, (*desk).length},
		{betweenShape, (*desk).between},
		{dateShape, (*desk).describe},
		{nowShape, (*desk).tell},
	}
}

var (
	unixShape    = regexp.MustCompile(`\b(unix|epoch|timestamp)\b|\bN\b`)
	leapShape    = regexp.MustCompile(`\bleap\b`)
	strayWords   = regexp.MustCompile(`\b(last|next)\b`) // of no date: "last day of May"
	apartShape   = regexp.MustCompile(`^[^DTL]*\b(difference|diff|apart|ahead|behind|far|hours)\b[^DTL]*$`)
	laterShape   = regexp.MustCompile(`L.*\b(from|after|before|later|ago|past|to|D|T)\b|\b(in|after|plus|minus|add|subtract|D|T|now|be) L|[+-] L`)
	untilShape   = regexp.MustCompile(`\b(hours|minutes|long|much|time)\b.*\b(until|till|til|before)\b.*T`)
	convertShape = regexp.MustCompile(`T`)
	lengthShape  = regexp.MustCompile(`^how many days (is |are )?(in )?[DY]( have| has)?$|^days in [DY]$`)
	betweenShape = regexp.MustCompile(`D .*\b(and|to|until|till|minus|-|from|since|or) .*D|\b(days|weeks|months|years|hours|minutes|seconds|long|old|age|born|since|until|till|between|far|away|left)\b.*D|D.*\b(away|ago)\b|^[^D]*\b(until|till|til|since) Y$`)
	dateShape    = regexp.MustCompile(`D|\bweek\b`)
	nowShape     = regexp.MustCompile(`P|\b(time|date|day|now|clock|hour|weekday|year|month|timezone|zone|offset)\b`)
	unknownPlace = regexp.MustCompile(`(?:\b(?:time|now|date|day|days|weeks|clock)\b.*\b(?:in|at|for|until|till|since|between|and|with) |T .*\b(?:in|to) |^and |\btime )X(?: X)*$`)
)

func (d *desk) answer() core.Reply {
	if m := unknownPlace.FindString(d.shape); m != "" {
		name := strings.Join(d.unknown[len(d.unknown)-strings.Count(m, "X"):], " ")
		return experts.Clarify("I understood a question about the time, but I know no place or date called \""+name+
			"\". Name a large city nearby, a country, or a zone such as Europe/Paris or UTC+2.", "the time in a large city nearby", "a zone such as UTC+2")
	}
	stray := len(d.unknown) > 0 || strayWords.MatchString(d.shape) && !leapShape.MatchString(d.shape)
	for _, i := range intents() {
		if stray || !i.shape.MatchString(d.shape) {
			continue
		}
		reply, err := i.answer(d)
		var refused refusal
		var unclear ambiguous
		switch {
		case err == nil:
			return reply
		case errors.As(err, &refused):
			return experts.Failure(string(refused), nil)
		case errors.As(err, &unclear):
			return experts.Clarify(string(unclear))
		}
	}
	return experts.Clarify(help, "what time is it in Tokyo", "how many days until Christmas")
}
