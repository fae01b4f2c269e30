package agent

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/sacp"
	"github.com/yaap-chat/yaap/core/safe"
)

// Compact begins a prompt that has a conversation summed up, and is the name of the
// agent that does it. No expert and no agent of a user can be called so.
const Compact = "/compact"

const maxSummary = 16 << 10 // bytes

// summed is what stands for all up to a message.
func summed(last core.Message, text string) core.Message {
	said := endOfBlock.ReplaceAllString(safe.Prefix(text, maxSummary), "‹$1")
	return core.Message{
		ID: last.ID, Run: last.Run, Role: core.RoleUser, Name: Compact, Time: last.Time,
		Text: "<earlier>\nThis is what was said in this conversation until here, summed up.\n" + strings.TrimSpace(said) + "\n</earlier>",
	}
}

func isSummary(m core.Message) bool { return m.Role == core.RoleUser && m.Name == Compact }

// sinceCompact is a conversation whose beginning was summed up: the summary stands for
// it. A model is shown no more than that.
func sinceCompact(messages []core.Message) []core.Message {
	for i, m := range slices.Backward(messages) {
		if m.Name != Compact || m.Role != core.RoleAssistant || m.Reply == nil || m.Reply.Status != core.StatusSuccess {
			continue
		}
		return append([]core.Message{summed(m, m.Reply.Message)}, messages[i+1:]...)
	}
	return messages
}

// purposeSummary is that of a request that sums up; what it streams is shown to nobody.
const purposeSummary = "summary"

// summary stands for the beginning of a conversation, up to a message and with it.
type summary struct {
	upto  string // its id
	text  string
	count int // questions that it stands for
	all   int // messages that it stands for: where some are missing, they were forgotten
}

// summaries are the last ones of conversations. They are kept in memory only: after a
// restart a model sums up anew.
type summaries struct {
	mu  sync.Mutex
	all map[string]summary // by the conversation
}

const maxSummaries = 32

func (s *summaries) get(thread string) summary {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[thread]
}

func (s *summaries) put(thread string, one summary) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil || len(s.all) >= maxSummaries {
		s.all = map[string]summary{}
	}
	s.all[thread] = one
}

// summedUp puts the summary of a conversation in the place of what it stands for. It
// reports false where there is none, or something else was said.
func (r *run) summedUp() bool {
	one := r.summaries.get(r.Scope.Thread)
	i := slices.IndexFunc(r.messages, func(m core.Message) bool { return m.ID == one.upto })
	if one.upto == "" || i < 1 || i >= r.first-1 || r.stoodFor(i+1) != one.all {
		return false
	}
	r.summed = one.all
	r.messages = append([]core.Message{summed(r.messages[i], one.text)}, r.messages[i+1:]...)
	r.first -= i
	return true
}

// stoodFor is how many messages were in the place of the first n.
func (r *run) stoodFor(n int) int {
	if r.summed > 0 {
		return r.summed + n - 1
	}
	return n
}

// sums makes a conversation that is too long shorter, once in a run: by the summary that
// there is, else by one that the model makes now. It reports whether it did.
func (r *run) sums(ctx context.Context, shown core.ContextFitted) bool {
	_, every := r.model.(llm.AllTools) // which follows no prompts
	if shown.LeftOut == 0 || r.cfg.Summing == "" || every || r.tried == sumsTried {
		return false
	}
	if r.tried++; r.tried == 1 && r.summedUp() {
		return true
	}
	r.tried = sumsTried
	if !r.sumUp(ctx, shown.Budget) {
		return false
	}
	r.emit(r.at(), core.ContextFitted{Model: shown.Model, Budget: shown.Budget, Summed: r.summaries.get(r.Scope.Thread).count})
	return true
}

// sumsTried says that nothing more is to be tried.
const sumsTried = 2

// sumUp has the model sum up the oldest part of the conversation, so that the rest takes
// half of the budget: what was summed up stays the beginning of the requests for as many
// prompts as may be. It reports false where it does not work; questions are then told of
// in a line each.
func (r *run) sumUp(ctx context.Context, budget int) bool {
	asked := r.first - 1
	cut := r.fitFrom(asked, budget/2)
	if cut < 1 || r.messages[cut-1].ID == "" {
		return false
	}
	all, first := r.messages, r.first
	prompt := core.Message{Role: core.RoleUser, Text: Compact}
	r.messages, r.first = append(slices.Clone(all[:cut]), prompt), cut+1
	req, _ := r.fit(ctx, llm.Request{System: r.cfg.Summing + "\n\n" + sacp.Instructions(false), Schema: sacp.Schema()})
	r.messages, r.first = all, first
	got, err := r.insist(ctx, req, purposeSummary)
	if err != nil {
		return false
	}
	text := got.text
	if read, err := readReply(text); err == nil {
		text = read.Reply.Message
	} else if sacp.LooksLike(text) {
		return false
	}
	clean, _ := r.cfg.Guards.Output.Text(text)
	if clean = strings.TrimSpace(safe.Prefix(clean, maxSummary)); clean == "" {
		return false
	}
	count := questions(all[:cut])
	if isSummary(all[0]) {
		count += r.summaries.get(r.Scope.Thread).count - 1
	}
	r.summaries.put(r.Scope.Thread, summary{upto: all[cut-1].ID, text: clean, count: count, all: r.stoodFor(cut)})
	return r.summedUp()
}
