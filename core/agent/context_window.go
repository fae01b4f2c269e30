package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/text"
)

const (
	defaultReads = 128 << 10 // tokens that a model reads which does not say how many
	tokenBytes   = 3         // bytes of text in a token, or more
	perMessage   = 8         // tokens around each message
	perPicture   = 1500      // tokens that a picture counts for
	minBudget    = 512       // tokens; a model that reads less is asked all the same

	leftOutStep  = 8   // questions that are left out at once, so that requests begin alike for as many prompts
	maxRecounted = 24  // questions that are left out of which a line is told
	maxLine      = 160 // bytes of it
	shortResult  = 300 // bytes of a result that is shortened
)

// contextFit keeps how a conversation is fitted to the context window.
type contextFit struct {
	reads   int                // tokens that the model can read, as it turned out; 0: as it says
	lastFit core.ContextFitted // that was reported
	rereads bool               // results were shortened: the model may read them
	summed  int                // messages that a summary stands for now, as the first one
	tried   int                // ways to sum up what is too long
}

// budget is how many tokens of conversation a request may have beside its
// instructions and tools: what the model reads, less a quarter for the answer.
func (r *run) budget(ctx context.Context, req llm.Request) int {
	reads := r.reads
	if sized, ok := r.model.(llm.Sized); ok && reads == 0 {
		reads = sized.ContextWindow(ctx)
	}
	if reads <= 0 {
		reads = defaultReads
	}
	fixed := len(req.System) + len(req.Now)
	for _, spec := range req.Tools {
		fixed += bytesOf(spec)
	}
	return max(reads*3/4-fixed/tokenBytes, minBudget)
}

// tokens estimates what a message takes.
func tokens(m core.Message) int {
	n := len(m.Text) + len(m.Thinking) + len(m.Opaque) + len(m.Files)*perPicture*tokenBytes
	for _, c := range m.Calls {
		n += len(c.Args) + len(c.Tool)
	}
	return n/tokenBytes + perMessage
}

// tellFit reports what a model is not shown, unless that was reported before.
func (r *run) tellFit(shown core.ContextFitted) {
	if shown.Model != "" && shown != r.lastFit {
		r.lastFit = shown
		r.emit(r.at(), shown)
	}
}

// fit puts as much of the conversation into a request as its model can read. First
// results of earlier questions are shortened, then the oldest questions are left out,
// with their results, and told of in a line each; calls and their results stay
// together. It costs the same however long the conversation is.
func (r *run) fit(ctx context.Context, req llm.Request) (_ llm.Request, shown core.ContextFitted) {
	budget := r.budget(ctx, req)
	from, size := len(r.messages), 0
	for from > 0 && size <= budget {
		from--
		size += tokens(r.messages[from])
	}
	if size <= budget {
		req.Messages = r.sources.shown(answered(r.messages))
		return req, shown
	}
	asked := max(r.first-1, 0) // the question of this run
	shown = core.ContextFitted{Model: r.model.Name(), Budget: budget}
	own := shortenOwn(slices.Clone(answered(r.messages[asked:])), budget, &shown)
	for _, m := range own {
		budget -= tokens(m)
	}
	if isSummary(r.messages[0]) {
		budget -= tokens(r.messages[0])
	}
	begin := r.begin(asked, budget-maxRecounted*maxLine/tokenBytes)
	if begin > 0 {
		if shown.LeftOut = questions(r.messages[:begin]); isSummary(r.messages[0]) {
			shown.LeftOut--
		}
		req.Messages = append(req.Messages, recount(r.messages[:begin], questions(r.messages[:begin])))
	}
	for _, m := range answered(r.messages[begin:asked]) {
		req.Messages = append(req.Messages, shortenResult(m, &shown))
	}
	req.Messages = r.sources.shown(append(req.Messages, own...))
	return req, shown
}

// begin is the first message before asked from which on all of them, with their
// results shortened, fit into so many tokens: a question, of which as many are left
// out as are a multiple of leftOutStep, where that is possible.
func (r *run) begin(asked, budget int) int {
	at := r.fitFrom(asked, budget)
	n := questions(r.messages[:at])
	for stable := at; n%leftOutStep != 0; n++ {
		for stable++; stable < asked && r.messages[stable].Role != core.RoleUser; stable++ {
		}
		if stable >= asked {
			return at
		}
		if (n+1)%leftOutStep == 0 {
			return stable
		}
	}
	return at
}

// fitFrom is the first question before asked from which on all fit into so many tokens,
// results shortened; asked where none does.
func (r *run) fitFrom(asked, budget int) int {
	at, size := asked, 0
	for i := asked - 1; i >= 0; i-- {
		m := shortenResult(r.messages[i], new(core.ContextFitted))
		if size += tokens(m); size > budget {
			break
		}
		if m.Role == core.RoleUser {
			at = i
		}
	}
	return at
}

func questions(messages []core.Message) (n int) {
	for _, m := range messages {
		if m.Role == core.RoleUser {
			n++
		}
	}
	return n
}

// shortenResult is a result by its beginning; any other message as it is.
func shortenResult(m core.Message, shown *core.ContextFitted) core.Message {
	if m.Role != core.RoleTool || len(m.Text) <= shortResult+100 {
		return m
	}
	shown.Shortened++
	m.Text = safe.Prefix(m.Text, shortResult) + fmt.Sprintf("\n[shortened: %s more, with %s by the mark %q]", size(len(m.Text)-shortResult), earlierName, mark(m))
	return m
}

// shortenOwn shortens results of this run, the oldest first, until it fits; those of
// the last turn get equal shares of what there is.
func shortenOwn(own []core.Message, budget int, shown *core.ContextFitted) []core.Message {
	size, last := 0, 0 // where the results of the last turn begin
	for i, m := range own {
		if size += tokens(m); m.Role == core.RoleAssistant {
			last = i
		}
	}
	for i := range own {
		if size <= budget || i >= last {
			break
		}
		size -= tokens(own[i])
		own[i] = shortenResult(own[i], shown)
		size += tokens(own[i])
	}
	if size <= budget {
		return own
	}
	share := max(budget*tokenBytes*2/3/max(len(own)-last-1, 1), shortResult)
	for i, m := range own[last:] {
		if m.Role == core.RoleTool && len(m.Text) > share {
			shown.Shortened++
			own[last+i].Text = safe.Prefix(m.Text, share) + fmt.Sprintf("\n[shortened: the rest does not fit into what you can read; %s has it by the mark %q]", earlierName, mark(m))
		}
	}
	return own
}

// recount tells of the last questions that are left out, in a line each.
func recount(messages []core.Message, n int) core.Message {
	var lines []string
	var before string
	if isSummary(messages[0]) {
		before, messages = strings.TrimSuffix(strings.TrimPrefix(messages[0].Text, "<earlier>\n"), "</earlier>"), messages[1:]
		n--
	}
	for i := len(messages) - 1; i >= 0 && len(lines) < maxRecounted; i-- {
		if messages[i].Role != core.RoleUser {
			continue
		}
		line := "- asked: " + core.WithoutAttached(messages[i].Text)
		for _, m := range messages[i+1:] {
			if m.Role == core.RoleUser {
				break
			}
			if m.Reply != nil {
				line = safe.Cut(safe.Line(line), maxLine/2) + " → " + m.Reply.Message
			}
		}
		lines = append([]string{safe.Cut(safe.Line(line), maxLine)}, lines...)
	}
	head := "The program does not show " + text.Count(n, "question", "questions") + " at the beginning of this conversation any more."
	if n > len(lines) {
		head += fmt.Sprintf(" The last %d of them:", len(lines))
	}
	told := endOfBlock.ReplaceAllString(strings.Join(lines, "\n"), "‹$1")
	return core.Message{Role: core.RoleUser, Text: "<earlier>\n" + before + head + "\n" + told + "\n</earlier>"}
}

// lessOf has the next request be half of one that was more than the model can read. It
// reports false where there is nothing left to leave out.
func (r *run) lessOf(req llm.Request) bool {
	all := (len(req.System) + len(req.Now)) / tokenBytes
	for _, m := range req.Messages {
		all += tokens(m)
	}
	before := r.reads
	r.reads = all / 2
	return r.reads > minBudget && (before == 0 || r.reads < before)
}
