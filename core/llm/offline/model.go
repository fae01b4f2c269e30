// Package offline is the model that needs nothing: no network, no weights, no
// key. It cannot think; it finds out who in the room should be asked.
//
// It parts the user's last message where the bids on the parts are best, asks those
// who read them, and puts their answers together as one SACP reply. Who does not
// bid is judged by what they say of themselves. It knows no subject and no expert.
//
// What a [Model] does follows from the request and from who bids on it. Text that
// comes from experts is handed on and quoted, and never read as an instruction.
package offline

import (
	"context"
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/rank"
	"github.com/yaap-chat/yaap/core/sacp"
)

// Model is the offline model. The zero value is ready; it may be used by any
// number of goroutines.
type Model struct {
	// Exists reports whether a path that the user wrote is there: only such a
	// one is given to a tool that wants the path of a file. Nil: none is.
	Exists func(path string) bool
	// Bidders bid on what the user says. Nil: everybody is judged by their words.
	Bidders Bidders
	// Statement reports whether a text tells something and asks for nothing; where
	// it is said, the memory keeps it. Nil: nothing is taken for a statement.
	Statement func(text string) bool
	// Note reports whether a text that nobody reads tells something worth keeping. It may
	// take more for told than Statement, since nobody could answer it. Nil: nothing does.
	Note func(text string) bool
	// Away says of each expert that should be here and cannot be asked why. Nil: there is
	// none.
	Away func() []string

	mu    sync.Mutex
	plans []*plan // of the last 17 prompts, the newest at the end: nobody is asked twice about one prompt
	docs  []rank.ToolDoc
	words *rank.ToolIndex // of docs
}

// Name is "offline".
func (*Model) Name() string { return "offline" }

// AllTools implements [llm.AllTools].
func (*Model) AllTools() {}

// Stream answers req as [llm.Model] demands. It fails only when ctx ends,
// and on a request that has both tools and a schema.
func (m *Model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		if len(req.Tools) > 0 && len(req.Schema) > 0 {
			yield(llm.Chunk{}, core.Fail(core.CodeInternal, "Tools and a schema exclude each other", ""))
			return
		}
		var chunks []llm.Chunk
		if ctx.Err() == nil {
			chunks = m.decide(ctx, req).chunks(tokensIn(req))
		}
		for _, chunk := range chunks {
			if ctx.Err() != nil {
				break
			}
			if !yield(chunk, nil) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(llm.Chunk{}, core.Fail(core.CodeOf(err), "The answer was stopped", "").Because(err))
		}
	}
}

// turn is what the model does with one request: it calls, or it answers.
type turn struct {
	thinking string
	calls    []core.Call
	text     string
}

// chunks are the turn as it is streamed. A word is taken for a token.
func (t turn) chunks(prompt int) (list []llm.Chunk) {
	for _, w := range wordsOf(t.thinking) {
		list = append(list, llm.Chunk{Thinking: w})
	}
	done := llm.Done{Reason: llm.ReasonStop}
	if len(t.calls) > 0 {
		done.Reason = llm.ReasonCalls
		list = append(list, llm.Chunk{Calls: t.calls})
	} else {
		for _, w := range wordsOf(t.text) {
			list = append(list, llm.Chunk{Text: w})
		}
	}
	done.Usage = core.Usage{Prompt: prompt, Completion: len(list) + 8*len(t.calls), Estimated: true}
	return append(list, llm.Chunk{Done: &done})
}

func (m *Model) decide(ctx context.Context, req llm.Request) turn {
	t := newTalk(req.Messages)
	closed := req.NoCalls || len(req.Schema) > 0
	p := newProgress(m.planFor(ctx, req, t), t, m.Exists, func(texts []string) *auction {
		a := m.newAuction(ctx, req, req.Messages[:max(t.asked, 0)])
		a.announce(texts)
		return a
	})
	if calls := p.pending(); !closed && t.rounds < maxRounds && len(calls) > 0 {
		return turn{thinking: p.readings(), calls: calls}
	}
	return turn{text: sacp.Encode(p.compose())}
}

// planFor is the plan for the last prompt of a request; in later turns of the same
// prompt it is the one that was made in the first, as long as the tools are the same.
func (m *Model) planFor(ctx context.Context, req llm.Request, t talk) *plan {
	key := ""
	for i := range req.Tools {
		key += req.Tools[i].Name + " "
	}
	if t.asked >= 0 {
		key += req.Messages[t.asked].ID
	}
	whole := strings.Join(append([]string{t.prompt}, t.more...), "\n")
	m.mu.Lock()
	i := slices.IndexFunc(m.plans, func(p *plan) bool { return p.key == key && p.prompt == whole })
	if i >= 0 && len(t.made) > 0 {
		defer m.mu.Unlock()
		return m.plans[i]
	}
	m.mu.Unlock()
	var made *plan
	for _, text := range append([]string{t.prompt}, t.more...) { // each is planned as if it had been asked by itself
		before := t.exchange
		if t.prompt = text; made != nil {
			t.past = append(t.past[:len(t.past):len(t.past)], before)
		}
		p := planning{auction: m.newAuction(ctx, req, req.Messages[:max(t.asked, 0)]), talk: t, tells: m.Statement, notes: m.Note}
		next := p.plan()
		if made != nil {
			next.steps, next.noted = append(made.steps, next.steps...), made.noted || next.noted
		}
		made = next
	}
	made.key, made.prompt, made.attached, made.away = key, whole, t.attached, m.Away
	m.mu.Lock()
	defer m.mu.Unlock()
	m.plans = append(m.plans[max(0, len(m.plans)-16):], made)
	return made
}

// index is of what the tools say of themselves; it is made anew only where that has
// changed.
func (m *Model) index(docs []rank.ToolDoc) *rank.ToolIndex {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.words == nil || !reflect.DeepEqual(m.docs, docs) {
		m.docs, m.words = docs, rank.NewTools(docs)
	}
	return m.words
}

// wordsOf are the words of a text, each with the blank after it.
func wordsOf(text string) []string {
	return slices.DeleteFunc(strings.SplitAfter(text, " "), func(w string) bool { return w == "" })
}

// tokensIn estimates the size of a conversation: four bytes are a token.
func tokensIn(req llm.Request) int {
	n := len(req.System)
	for _, m := range req.Messages {
		n += len(m.Text)
	}
	return n / 4
}
