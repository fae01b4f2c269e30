package bidding

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/yaap-chat/yaap/core"
)

const (
	maxConversations = 64 // that are followed
	correctable      = 2  // questions of the user that an award is corrected within
)

// conversation is what the user said last in one, and who was asked.
type conversation struct {
	turn   int    // questions of the user in it
	said   string // the last one
	last   int    // the ledger's turn when it was said
	awards []*entry
}

// entry is an award of a conversation.
type entry struct {
	Award
	turn      int     // of the conversation
	room      int     // the ledger's turn
	text      string  // what the user said
	delivered float64 // at that turn
	failed    bool
}

// UserSaid notes a message of the user to a conversation, in the user's own words.
// It is a turn of the room, and where it puts a question to one expert that
// another was asked in the two turns before, it corrects that award: the other's
// bid was wrong, and the question is none of its own. Call it before the message
// is answered. What others say through the room is not for it.
func (l *Ledger) UserSaid(ctx context.Context, thread, text string) {
	l.mu.Lock()
	l.turn++
	c := l.conversation(thread)
	c.turn++
	c.said, c.last = text, l.turn
	c.awards = slices.DeleteFunc(c.awards, func(e *entry) bool { return c.turn-e.turn > correctable })
	var wrong *entry
	if expert, question := core.Address(text); expert != "" {
		wrong = c.corrected(expert, question)
	}
	var a *account
	if wrong != nil {
		a = l.known[identity{wrong.Expert, wrong.Origin}]
		if a != nil && wrong.Bid != nil {
			a.count(wrong.room, 0, -wrong.delivered)
			a.count(l.turn, 0, -claim(*wrong.Bid))
			a.changed = true
		}
	}
	l.mu.Unlock()
	l.save(ctx)
	if wrong != nil {
		l.unlearn(ctx, wrong.Award)
	}
	if err := l.read(ctx); err != nil {
		l.log.Warn("what experts have answered cannot be read", "err", err)
	}
}

// conversation is the one of that id; the one that was silent longest makes room.
func (l *Ledger) conversation(thread string) *conversation {
	if c := l.threads[thread]; c != nil {
		return c
	}
	if len(l.threads) >= maxConversations {
		oldest := ""
		for id, c := range l.threads {
			if oldest == "" || c.last < l.threads[oldest].last {
				oldest = id
			}
		}
		delete(l.threads, oldest)
	}
	c := &conversation{last: l.turn}
	l.threads[thread] = c
	return c
}

// enter notes an award, and reports whether it was noted before.
func (c *conversation) enter(a Award, room int) (e *entry, again bool) {
	for _, e := range c.awards {
		if e.Scope.Run == a.Scope.Run && e.Call == a.Call {
			return e, true
		}
	}
	e = &entry{Award: a, turn: c.turn, room: room, text: c.said}
	c.awards = append(c.awards, e)
	return e, false
}

// corrected takes out the last award of the same question to another expert. The
// whole of what the user said is the question where nobody else was asked any of it.
func (c *conversation) corrected(expert, question string) *entry {
	expert, _, _ = strings.Cut(expert, "__") // of @expert__tool
	question = fold(question)
	for i, e := range slices.Backward(c.awards) {
		alone := !slices.ContainsFunc(c.awards, func(o *entry) bool { return o != e && o.turn == e.turn })
		same := fold(e.Question) == question || alone && fold(e.text) == question
		if same && question != "" && e.turn < c.turn && !strings.EqualFold(e.Expert, expert) {
			c.awards = slices.Delete(c.awards, i, i+1)
			return e
		}
	}
	return nil
}

// fold is a text without its case, its spaces and its punctuation; operators stay.
func fold(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Ps, r) || unicode.Is(unicode.Pe, r) ||
			unicode.Is(unicode.Pi, r) || unicode.Is(unicode.Pf, r) || strings.ContainsRune(`.,;:?!¿¡'"…`, r)
	}), " ")
}
