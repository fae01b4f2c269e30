package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	runs "github.com/yaap-chat/yaap/core/run"
	"github.com/yaap-chat/yaap/core/sacp"
	"github.com/yaap-chat/yaap/core/safe"
)

const usedKey = "tool_used" // of the data of a reply, by the protocol's example

// readAnswer reads the model's final text as SACP. What cannot be read is
// asked for again, with the reason and, where the model knows schemas, the
// schema; then plain words count as they are, and the rest is wrapped, so that a run
// never ends without a reply.
func (r *run) readAnswer(ctx context.Context, got said, last bool) (answer, error) {
	a, problem := r.parse(ctx, got, r.cfg.ReAsks > 0)
	if r.cfg.Guards.Judge != nil && ctx.Err() != nil { // while it was judged
		return answer{}, core.Cancelled(ctx)
	}
	first := got
	for again := 1; problem != nil && again <= r.cfg.ReAsks; again++ {
		r.emit(r.at(), core.Retry{Operation: "output_parse", Attempt: again + 1, Reason: problem.Error()})
		next, err := r.askForSACP(ctx, got, problem, last)
		if ctx.Err() != nil {
			return answer{}, core.Cancelled(ctx)
		}
		if err != nil {
			break
		}
		got = next
		a, problem = r.parse(ctx, got, again < r.cfg.ReAsks)
	}
	if problem == nil {
		return a, nil
	}
	for _, text := range []said{got, first} {
		if a, ok := r.plain(ctx, text); ok {
			return a, nil
		}
		if text.reason == llm.ReasonLength { // it is shown as far as it goes
			if a, problem = r.parse(ctx, text, false); problem == nil {
				return a, nil
			}
		}
	}
	r.emit(r.at(), core.SACPFallback{Hash: core.Hash(got.text)})
	return r.final(ctx, answer{reply: unread(got), text: got.text, thinking: got.thinking, outcome: "fallback"}), nil
}

// readReply reads a text as SACP. One that is cut off before it says anything
// but its status is none.
func readReply(text string) (sacp.Result, error) {
	read, err := sacp.Parse(text)
	if err == nil && read.CutOff() && read.Reply.Message == "" && len(read.Reply.Data)+len(read.Reply.Extra) == 0 {
		return sacp.Result{}, core.Fail(core.CodeModelBehavior, "the JSON object is cut off before its message; answer again and more briefly", "")
	}
	return read, err
}

// plain is an answer in plain words, as what it says.
func (r *run) plain(ctx context.Context, got said) (answer, bool) {
	reply, ok := sacp.ReplyFromText(got.text)
	if !ok || got.reason == llm.ReasonLength {
		return answer{}, false
	}
	if r.cfg.Plain {
		reply.Thought = got.thinking
	} else {
		r.emit(r.at(), core.SACPRepaired{Steps: []string{sacp.StepPlainText}})
	}
	return r.final(ctx, answer{reply: reply, text: got.text, thinking: got.thinking, outcome: sacp.StepPlainText}), true
}

// parse reads an answer. again says that it may still be asked for once more.
func (r *run) parse(ctx context.Context, got said, again bool) (answer, error) {
	scope := r.at()
	if r.cfg.Plain {
		if a, ok := r.plain(ctx, got); ok {
			return a, nil
		}
	}
	r.emit(scope, core.OutputParse{Status: "start"})
	read, err := readReply(got.text)
	switch {
	case err != nil && got.reason == llm.ReasonLength:
		err = fmt.Errorf("it was cut off at the length limit, so answer more briefly: %w", err)
	case err == nil && again && got.reason == llm.ReasonLength:
		err = errors.New("it was cut off at the length limit, so answer more briefly")
	case err == nil && again:
		err = cmp.Or(r.misfit(read.Reply), r.uncited(read.Reply))
	}
	if err != nil {
		r.emit(scope, core.OutputParse{Status: "fail", Error: err.Error()})
		return answer{}, err
	}
	r.emit(scope, core.OutputParse{Status: "end"})
	outcome := "read"
	if read.Repaired() {
		outcome = "repaired"
		r.emit(scope, core.SACPRepaired{Steps: read.Steps})
	}
	read.Reply.Thought = cmp.Or(read.Reply.Thought, got.thinking)
	if read.CutOff() || got.reason == llm.ReasonLength {
		read.Reply = halved(read.Reply, got.cutOff())
	}
	return r.final(ctx, answer{reply: read.Reply, text: got.text, thinking: got.thinking, outcome: outcome}), nil
}

// cutOff says why a model's text ends before it is complete.
func (got said) cutOff() string {
	switch {
	case got.reason != llm.ReasonLength:
		return "cut off: the model did not finish what it was writing"
	case got.usage.Estimated || got.usage.Completion <= 0:
		return "cut off: the model's reply reached its limit"
	}
	return fmt.Sprintf("cut off: the model's reply reached its limit of %d tokens", got.usage.Completion)
}

// halved is a reply of which only the beginning is there: a failure that says
// why, below what there is.
func halved(half core.Reply, why string) core.Reply {
	half.Status = core.StatusFailure
	half.MarkCutOff()
	half.Message = strings.TrimSpace(half.Message + "\n\n(" + why + "; " + hintCutOff + ")")
	return half
}

// hintCutOff is what helps against a limit.
const hintCutOff = "ask for less at once, or go on: /continue, outside the chat yaap run --continue"

// unread is the reply for a text that could not be read. Prose that reached the
// limit is shown as the half answer that it is.
func unread(got said) core.Reply {
	reply := sacp.Fallback(got.text)
	if got.reason != llm.ReasonLength {
		return reply
	}
	reply.Message = ""
	if !strings.Contains(got.text, "{") {
		reply.Message, _ = reply.Data["raw_output"].(string)
		reply.Data = map[string]any{}
	}
	return halved(reply, got.cutOff())
}

// final names the message that an answer will be stored as, and reports it.
func (r *run) final(ctx context.Context, a answer) answer {
	a = r.fitting(a)
	a.reply = r.cite(r.used(a.reply))
	a = r.guardAnswer(ctx, a)
	a.id = runs.NewID()
	r.emit(r.at(), core.AssistantMessage{ID: a.id, Text: a.text})
	return a
}

// used says in the data of a success which tools it was found with, unless the model did,
// or the data have to fit a schema.
func (r *run) used(reply core.Reply) core.Reply {
	var names []any
	for _, m := range r.messages[min(r.first, len(r.messages)):] {
		if m.Role == core.RoleTool && m.Run == r.Scope.Run && m.Result != nil && m.Result.OK() && !IsOwnTool(m.Name) && !slices.Contains(names, any(m.Name)) {
			names = append(names, m.Name)
		}
	}
	if _, own := reply.Data[usedKey]; own || len(names) == 0 || len(r.cfg.DataSchema) > 0 || reply.Status != core.StatusSuccess {
		return reply
	}
	data := map[string]any{usedKey: names}
	maps.Copy(data, reply.Data)
	reply.Data = data
	return reply
}

// askForSACP shows the model its answer and what is wrong with it. Tools are
// not offered: with a schema they exclude each other.
func (r *run) askForSACP(ctx context.Context, got said, problem error, last bool) (said, error) {
	text := safe.Prefix(got.text, maxResultText)
	unread := r.newMessage(core.RoleAssistant, text)
	unread.Model = r.model.Name()
	again := core.Message{Role: core.RoleUser, Text: "Give the same answer again as one JSON object as the response format demands, and nothing else. " +
		"Your last answer could not be read: " + problem.Error() + "."}
	return r.ask(ctx, func(bool) llm.Request {
		req, shown := r.fit(ctx, llm.Request{System: r.instructions(nil), Now: r.now(last), Schema: sacp.Schema()})
		r.tellFit(shown)
		req.Messages = append(slices.Clip(req.Messages), unread, again)
		return req
	}, "synthesis")
}

// foundSoFar puts an answer together from what the run found, for when the model did
// not; text says so, why is for the record.
func (r *run) foundSoFar(text, why string) answer {
	var found, log []string
	var tools []any
	for _, m := range r.messages[r.first:] {
		if m.Role != core.RoleTool || m.Result == nil {
			continue
		}
		tools = append(tools, map[string]any{"tool": m.Name, "status": string(m.Result.Status), "result": m.Result.Text})
		short := safe.Prefix(m.Result.Text, maxShown)
		line := fmt.Sprintf("- **%s**: %s", m.Name, strings.ReplaceAll(short, "\n", " "))
		if m.Result.OK() {
			found = append(found, line)
		} else {
			log = append(log, line)
		}
	}
	var b strings.Builder
	b.WriteString(text)
	section(&b, "What was found:", compact(found))
	section(&b, "What did not work:", compact(log))
	if len(found)+len(log) == 0 {
		b.WriteString(" No expert was asked with success; try a shorter question, or ask one directly with @name.")
	}
	return answer{fallback: true, reply: core.Reply{
		Thought: "System Note: put together from the calls that were made, because " + why + ".",
		Status:  core.StatusFailure,
		Data:    map[string]any{"query": question(r.messages), "tool_log": tools, "turns": r.Turn},
		Message: b.String(),
	}}
}

func section(b *strings.Builder, title string, lines []string) {
	if len(lines) > 0 {
		b.WriteString("\n\n" + title + "\n\n" + strings.Join(lines, "\n"))
	}
}

// compact drops repeats and keeps the last few: a model that asks the same for
// ever finds the same for ever.
func compact(lines []string) []string {
	const most = 12
	var list []string
	for _, line := range lines {
		if !slices.Contains(list, line) {
			list = append(list, line)
		}
	}
	return list[max(0, len(list)-most):]
}
