// Package clock is the expert for times and dates: what time it is in a place,
// what a time there is here, and how days are counted. The tz database is
// built in, so that daylight saving is right on any machine.
package clock

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/plain"
)

const (
	maxPrompt = 500 // bytes
	readAsked = 0.7 // the score of a question that was read whole behind a sentence that was not
	maxSaid   = 4   // earlier questions that a follow-up may go on from
	help      = "I can tell times and dates. For example: \"what time is it in Tokyo\", or \"how many days until Christmas\"."
	fullDate  = "Monday 2 January 2006"
	shortDate = "2 January 2006"
	dayMonth  = "Monday 2 January"
	monthYear = "January 2006"
)

// New returns the expert. now is asked once for every question; local is the
// zone of a user who names none. The expert is safe for concurrent use.
func New(now func() time.Time, local *time.Location) experts.Expert {
	k := &keeper{reader: newReader(), forms: newForms(), now: func() time.Time { return now().In(local) }}
	return experts.Expert{
		Name:    "clock",
		Context: true, // "and in Paris?"
		Description: "Tells the time and the date: what time it is now in a city, country or time zone, what a time in one zone is " +
			"in another, the time difference between two cities, with daylight saving, and when people in several can meet. " +
			"Counts dates: days between two dates, days until Christmas or Easter, a date some weeks or months from today, which weekday a date was, " +
			"ages, leap years, week numbers, ISO 8601 dates, Unix time.",
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
				return experts.Failure("That is too long for me: I read questions of at most 500 characters.", nil), nil
			}
			if reply, _, ok := k.ask(q.Prompt, q.Context); ok {
				return reply, nil
			}
			return experts.Clarify(help, "what time is it in Tokyo", "how many days until Christmas"), nil
		},
		Bid: func(_ context.Context, text string, said []core.Message) core.Bid {
			return k.bid(text, said)
		},
	}
}

// keeper reads questions and answers them.
type keeper struct {
	reader *reader
	forms  []form
	now    func() time.Time
}

// desk answers one question.
type desk struct {
	question
	now   time.Time // in the user's zone
	reads string    // what was understood
	loose bool      // it may as well be no question of time
}

// What the answers panic with, and try turns into a reply: why there is no answer
// or what the user must choose, and that a question is not of the kind that its
// shape looked like.
type (
	refusal struct {
		english string
		args    []any
		asks    bool
		unclear string   // what the user wrote
		means   []string // what it may mean
	}
	unread struct{}
)

func refuse(english string, args ...any) refusal { return refusal{english: english, args: args} }
func askBack(english string, args ...any) refusal {
	return refusal{english: english, args: args, asks: true}
}

func expect(ok bool) {
	if !ok {
		panic(unread{})
	}
}

func (k *keeper) bid(text string, said []core.Message) core.Bid {
	if len(text) > maxPrompt {
		return core.Bid{}
	}
	reply, d, ok := k.ask(text, said)
	bid := core.Bid{Score: experts.ReadAll, Reads: d.reads}
	switch {
	case !ok:
		return core.Bid{}
	case d.loose:
		bid.Score = experts.ReadShape
	case d.unread:
		bid.Score = readAsked
	case reply.Status != core.StatusSuccess:
		bid.Score = experts.Understood
	}
	if reply.Status != core.StatusSuccess {
		bid.Needs = []string{reply.Message}
	}
	return bid
}

// ask reads a text and answers it; ok is false for one that is not about time.
func (k *keeper) ask(text string, said []core.Message) (reply core.Reply, d *desk, ok bool) {
	now := k.now()
	q := k.reader.read(text, now.Year())
	q.text = text
	if q.refers() {
		return k.told(q, said, now)
	}
	if earlier, goesOn := k.followed(q, text, said, now); goesOn {
		reply, d, ok = k.answer(earlier, now)
		own, of, alone := k.answer(q, now)
		if ok && (reply.Status == core.StatusSuccess || !alone || own.Status != core.StatusSuccess) {
			return reply, d, true
		}
		return own, of, alone
	} else if q.leans() && earlier.shape == "" {
		return reply, &desk{}, false
	}
	return k.answer(q, now)
}

// refers reports whether the question is about a moment, a place or a birthday that
// was named before it.
func (q question) refers() bool {
	switch q.of {
	case "that":
		if today := len(q.dates) == 1 && q.dates[0].fromNow && q.has("howmany", "howlong"); today && len(q.times)+len(q.spans)+len(q.years) == 0 { // how many days is that from today
			return true
		}
		return len(q.times)+len(q.dates)+len(q.spans)+len(q.years)+len(q.numbers) == 0
	case "there":
		return len(q.places) == 0 && q.has("time", "date", "day", "weekday")
	}
	if !strings.ContainsAny(q.shape, "DMTLPYN") && q.has("howold", "left", "ago", "since") && q.has("howold", "howmany", "howlong") {
		return true // "how old am I", "how many days are left"
	}
	return q.of == "whose" && q.has("howold") && !q.has("born") || q.ends()
}

// ends reports whether the question is about the end of what began before it: "takes
// 2 hours, when does it land".
func (q question) ends() bool {
	return len(q.spans) == 1 && len(q.times)+len(q.dates) == 0 && q.has("when", "what", "time") && q.has("done", "end")
}

// told answers a question about what the user told last: "what time is that in
// Tokyo".
func (k *keeper) told(asked question, said []core.Message, now time.Time) (reply core.Reply, d *desk, ok bool) {
	for i, m := range slices.Backward(said) {
		if m.Role == core.RoleUser && m.Text != asked.text && len(m.Text) <= maxPrompt {
			if _, _, own := k.answer(k.reader.read(m.Text, now.Year()), now); !own && lang.IsQuestion(m.Text) && asked.of == "that" {
				if m.Text = k.dated(said[i+1:], now); m.Text == "" {
					break // whoever answered it said no date
				}
			}
			q := k.reader.read(strings.TrimSuffix(m.Text, asked.text)+" "+pause+" "+asked.text, now.Year())
			q.unread = false
			if reply, d, ok = k.answer(q, now); ok && !q.refers() {
				return reply, d, true
			}
		}
	}
	asked.unread = true
	if _, d, ok = k.answer(asked, now); ok {
		reply = experts.Clarify(d.say(cmp.Or(map[string]string{"there": "Which place do you mean?", "whose": "Which birthday do you mean?"}[asked.of], "Which moment do you mean?")))
	}
	return reply, d, ok
}

// dated is the only date in an answer that another one gave, its heading and names of files
// apart; empty where there is none, or another beside it.
func (k *keeper) dated(said []core.Message, now time.Time) string {
	if len(said) == 0 || said[0].Role != core.RoleAssistant {
		return ""
	}
	text := said[0].Text[:min(len(said[0].Text), maxPrompt)]
	body := bold().ReplaceAllString(text, " ")
	for _, part := range []string{body, text} {
		var found []string
		words := strings.Fields(part)
		for len(words) > 0 {
			taken := 1
			for n := min(maxDateWords, len(words)); n > 0; n-- {
				q := k.reader.read(strings.Trim(strings.Join(words[:n], " "), ".,:;()"), now.Year())
				if q.shape == "D" && q.dates[0].plain {
					found, taken = append(found, q.dates[0].at(day(now.Date()), false).Format(shortDate)), n
					break
				}
			}
			words = words[taken:]
		}
		if slices.Sort(found); len(slices.Compact(found)) == 1 {
			return found[0]
		}
		if len(found) > 0 {
			break
		}
	}
	return ""
}

const maxDateWords = 4 // on 18 December 2026

var bold = plain.LazyRegexp("\\*\\*[^*]*\\*\\*|`[^`]*`") //nolint:gochecknoglobals // never changes; see plain.LazyRegexp

func (k *keeper) answer(q question, now time.Time) (reply core.Reply, d *desk, ok bool) {
	words := strings.Fields(q.shape)
	for _, f := range k.forms {
		if len(words) == 0 || !f.fits(q, words) {
			continue
		}
		d = &desk{question: q, now: now, loose: f.loose, reads: f.reads}
		if reply, ok = d.try(f.answer); ok {
			return reply, d, true
		}
	}
	return core.Reply{}, &desk{}, false
}

func (d *desk) try(answer func(*desk) core.Reply) (reply core.Reply, ok bool) {
	defer func() {
		switch e := recover().(type) {
		case nil, unread:
		case refusal:
			if reply, ok = experts.Failure(d.say(e.english, e.args...), nil), true; e.asks {
				var options []string // the question, with each meaning in it
				for _, meaning := range e.means {
					if before, after, ok := strings.Cut(d.text, e.unclear); ok {
						options = append(options, before+meaning+after)
					}
				}
				reply = experts.Clarify(d.say(e.english, e.args...), options...)
			}
		default:
			panic(e)
		}
	}()
	return answer(d), true
}

// has reports whether one of the words is in the question.
func (q question) has(words ...string) bool {
	shape := " " + q.shape + " "
	for _, w := range words {
		if strings.Contains(shape, " "+w+" ") {
			return true
		}
	}
	return false
}

// unit is the unit that was asked for, "" for none.
func (q question) unit() string {
	if len(q.units) == 0 {
		return ""
	}
	expect(len(q.units) == 1)
	return q.units[0]
}

// unnamed is a question about what was not told: "how old was she on 2020-01-01".
func (d *desk) unnamed() core.Reply {
	return experts.Clarify(d.say("Which moment do you mean?"))
}

func (d *desk) unknownPlace() core.Reply {
	return experts.Clarify(d.say("I understood a question about the time, but I know no place or date called \"%s\". "+
		"Name a large city nearby, a country, or a zone such as Europe/Paris or UTC+2.", strings.Join(d.unknown, " ")))
}
