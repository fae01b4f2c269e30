package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/rank"
	"github.com/yaap-chat/yaap/core/sacp"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/schema"
)

const (
	maxResultText = 64 << 10 // bytes of a result that a model is given
	maxShown      = 500      // bytes of a result in an event
	maxSchemas    = 512      // compiled ones that are kept
	nearNames     = 3
)

// execute makes the calls of one turn, at the same time unless a tool forbids
// it, and stores each result when it is there. Questions to the user stand in
// the order of the calls, whoever asked first: the same one is the first of them
// when the run goes on. The error is a failure to store or a cancel.
func (r *run) execute(ctx context.Context, tools core.Toolset, calls []core.Call) error {
	results, pauses := make([]core.Message, len(calls)), make([][]core.Pause, len(calls))
	r.keepAnswers(tools, calls)
	said := r.messages
	if r.model == nil { // the question itself is what the expert is asked
		said = said[:max(0, r.first-1)]
	}
	visible := visibleToAll(recent(said))
	err := r.atOnce(ctx, tools, calls, func(callCtx context.Context, i int) error {
		if callCtx.Err() != nil {
			return core.Cancelled(callCtx)
		}
		c := calls[i]
		c.Context, c.Scope, c.Key = visible, r.at(), r.at().CallKey(c.ID)
		result := r.call(callCtx, tools, c)
		if callCtx.Err() != nil && !result.OK() { // it was cut off: it has no result
			return core.Cancelled(callCtx)
		}
		if pauses[i] = result.Pauses; len(pauses[i]) > 0 {
			return nil
		}
		results[i] = r.warnRepeated(c, r.resultMessage(c, result))
		return r.put(ctx, results[i:i+1])
	})
	ids := make([]string, 0, len(calls))
	for _, m := range results {
		if m.ID != "" {
			r.messages = append(r.messages, m)
			r.sources.take(m)
			ids = append(ids, m.CallID)
		}
	}
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return core.Cancelled(ctx)
	}
	if r.pauses = slices.Concat(pauses...); len(r.pauses) > 0 {
		return errWaits
	}
	r.emit(r.at(), core.ToolResultsToLLM{Calls: ids})
	return nil
}

// atOnce makes each of the calls, as many at the same time as may be. It returns the
// first error, which ends the context of the others.
func (r *run) atOnce(ctx context.Context, tools core.Toolset, calls []core.Call, one func(ctx context.Context, i int) error) error {
	if len(calls) == 1 {
		return one(ctx, 0)
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(r.cfg.MaxParallel)
	if slices.ContainsFunc(calls, func(c core.Call) bool { tool, ok := tools.Find(c.Tool); return ok && tool.Spec().Sequential }) {
		group.SetLimit(1)
	}
	for i := range calls {
		group.Go(func() error { return one(groupCtx, i) })
	}
	return group.Wait()
}

// executeAgain makes the calls that a run has no results of: they wait for the
// user's answer, which is there now, or they were cut off. Which of them are
// about to be made is on disk first.
func (r *run) executeAgain(ctx context.Context, tools core.Toolset, calls []core.Call) error {
	r.repeated, r.Begun = r.Begun, ids(calls)
	if err := r.put(ctx, nil); err != nil {
		return err
	}
	return r.execute(ctx, tools, calls)
}

// beginCalls notes that calls are about to be made for the first time.
func (r *run) beginCalls(calls []core.Call) { r.Begun, r.Hooked = ids(calls), nil }

func ids(calls []core.Call) []string {
	list := make([]string, len(calls))
	for i, c := range calls {
		list[i] = c.ID
	}
	return list
}

func (s *steps) resultMessage(c core.Call, result core.ToolResult) core.Message {
	m := s.newMessage(core.RoleTool, envelope(c.Tool, result))
	m.Name, m.CallID, m.Result = c.Tool, c.ID, &result
	return m
}

// call makes one call and reports it, whatever becomes of it.
func (r *run) call(ctx context.Context, tools core.Toolset, c core.Call) core.ToolResult {
	scope := c.Scope
	tool, found := tools.Find(c.Tool)
	var owner string
	if found {
		owner = tool.Spec().Owner
	}
	c, refused := r.admit(ctx, tools, tool, found, c)
	start := time.Now()
	r.emit(scope, core.BeforeToolExecution{Call: c.ID, Tool: c.Tool, Expert: owner, Args: c.Args})
	again := refused == nil && owner != "" && slices.Contains(r.repeated, c.ID) && !goesOn(tool)
	r.emit(scope, core.ToolCallStart{Call: c.ID, Tool: c.Tool, Expert: owner, Args: c.Args, Key: c.Key, Again: again})
	id := c.ID
	c.Progress = func(p core.ToolProgress) {
		r.passing(scope, core.ToolCallProgress{Call: id, Message: p.Message, Fraction: p.Fraction})
	}
	var result core.ToolResult
	if refused != nil {
		result = *refused
	} else {
		result = r.bounded(c, r.guardResult(c, r.answerOf(ctx, tool, c)))
	}
	took := time.Since(start)
	if refused == nil {
		result = r.hooksAfter(ctx, tool, c, result)
	}
	shown := safe.Prefix(result.Text, maxShown)
	r.emit(scope, core.ToolCallEnd{
		Call: c.ID, Tool: c.Tool, Expert: owner, Status: result.Status, Code: result.Code,
		Text: shown, Files: result.Files, MS: took.Milliseconds(),
	})
	return result
}

// admit lets a call pass, as it may be made, or returns what comes of it
// instead.
func (r *run) admit(ctx context.Context, tools core.Toolset, tool core.Tool, found bool, c core.Call) (core.Call, *core.ToolResult) {
	c, refused := r.guardArgs(c) // first: what it finds is reported nowhere
	switch {
	case refused != nil:
		return c, refused
	case !found:
		if answer, answered := r.answers[r.Scope.Run+"#"+c.ID]; answered && !answer.allows() { // whoever has left since
			return r.approve(core.ToolSpec{}, c)
		}
		missing := notFound(tools, c.Tool)
		return c, &missing
	}
	c.Args = tool.Spec().WithDefaults(c.Args)
	refused = r.unfit(tool, c)
	checked := c.Args
	if refused == nil {
		c, refused = r.hooksBefore(ctx, tool, c)
	}
	if refused == nil && !answers(tool) {
		c, refused = r.approve(tool.Spec(), c)
	}
	if refused == nil && !bytes.Equal(c.Args, checked) { // hooks or the user changed them
		refused = r.unfit(tool, c)
	}
	return c, refused
}

// answers reports whether to call a tool is to answer: it gives the conversation back.
func answers(tool core.Tool) bool {
	_, ok := tool.(comeBack)
	return ok
}

// unfit refuses a call whose arguments do not fit.
func (r *run) unfit(tool core.Tool, c core.Call) *core.ToolResult {
	issues := r.check(tool, c)
	if len(issues) == 0 {
		return nil
	}
	text := "the arguments do not fit: " + strings.Join(issues, "; ")
	if usage := safe.Prefix(tool.Spec().Usage(), maxShown); usage != "" {
		text += ". It takes " + usage
	}
	refused := core.ToolFailure(core.ToolValidationError, core.ToolCodeInvalidInput, text)
	return &refused
}

// check says what is wrong with the arguments.
func (r *run) check(tool core.Tool, c core.Call) []string {
	if _, ok := tool.(handoff); ok {
		return nil // it says itself, and reports, why it is denied
	}
	if !bytes.HasPrefix(bytes.TrimSpace(c.Args), []byte("{")) {
		return []string{"they must be a JSON object"}
	}
	compiled := r.schemas.get(tool.Spec().Schema)
	if compiled == nil {
		return nil // its owner's schema is no schema; the owner will judge
	}
	return compiled.Check(c.Args)
}

// answerOf makes the call and reads an answer in SACP. One that promised SACP
// and is not is asked for once more.
func (r *run) answerOf(ctx context.Context, tool core.Tool, c core.Call) core.ToolResult {
	result := r.attempt(ctx, tool, c)
	text, speaks := spoken(tool.Spec(), result)
	if !result.OK() || !speaks {
		return result
	}
	read, err := readReply(text)
	_, allowed := r.answers[r.Scope.Run+"#"+c.ID]
	acts := allowed || tool.Spec().Acts // it is called once
	if err != nil && r.cfg.ReAsks > 0 && ctx.Err() == nil && !acts {
		if again, ok := askAgain(c, err); ok {
			r.emit(c.Scope, core.Retry{Operation: "output_parse", Attempt: 2, Reason: c.Tool + ": " + err.Error()})
			if second := r.attempt(ctx, tool, again); second.OK() {
				result = second
				text, _ = spoken(tool.Spec(), result)
				read, err = readReply(text)
			}
		}
	}
	if err != nil {
		read.Reply = sacp.Fallback(text)
		read.Reply.Thought, read.Reply.Message = "", "the answer of "+c.Tool+" cannot be read: "+err.Error() // it may be of no model
		result.Code = core.ToolCodeMalformedResponse
	}
	if read.CutOff() {
		read.Reply = halved(read.Reply, "cut off: "+c.Tool+" did not finish what it was writing")
	}
	result.Reply, result.Text, result.Data = &read.Reply, read.Reply.Message, read.Reply.Data
	if read.Reply.Status == core.StatusFailure {
		result.Status = core.ToolError
		result.Code = cmp.Or(result.Code, core.ToolCodeExecutionFailed)
	}
	return result
}

// spoken is what a result says in SACP, and whether it does: its text, or its
// structured data when these say that it is no success, or when its owner promised
// SACP and the text is none.
func spoken(spec core.ToolSpec, result core.ToolResult) (text string, speaks bool) {
	isText := sacp.IsReply(result.Text) || spec.SACP && sacp.LooksLike(result.Text)
	status, ok := sacp.StatusOf(result.Data)
	well := status == core.StatusSuccess || status == core.StatusCompleted
	if !ok || well && (isText || !spec.SACP) {
		return result.Text, isText || spec.SACP
	}
	said := map[string]any{"message": result.Text}
	maps.Copy(said, result.Data)
	raw, _ := json.Marshal(said) // it was JSON
	return string(raw), true
}

// askAgain puts what was wrong behind the prompt of a call that has one.
func askAgain(c core.Call, problem error) (core.Call, bool) {
	var args map[string]any
	if json.Unmarshal(c.Args, &args) != nil {
		return c, false
	}
	prompt, ok := args["prompt"].(string)
	if !ok {
		return c, false
	}
	args["prompt"] = prompt + "\n\nYour last answer could not be read: " + problem.Error() + ". Answer again, in SACP JSON."
	raw, _ := json.Marshal(args)                    // it was JSON
	c.Args, c.Key = raw, c.Scope.CallKey(c.ID+".2") // another question
	return c, true
}

// attempt calls the tool on a goroutine of its own: one that panics, or that
// does not return when its time is over or the user cancels, is given up.
func (r *run) attempt(ctx context.Context, tool core.Tool, c core.Call) core.ToolResult {
	limit := r.cfg.ToolTimeout
	if own := tool.Spec().Timeout; own > 0 {
		limit = 2*own + time.Second // it keeps its limit itself; this is for the case that it does not
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(limit, func() { cancel(errToolTime) })
	defer timer.Stop()
	c.Hold = func() func() { // the calls of a turn have a time each
		timer.Stop()
		return func() { timer.Reset(limit) }
	}
	done := make(chan core.ToolResult, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				r.cfg.Log.Error("tool panicked", "tool", c.Tool, "call", c.ID, "run", c.Scope.Run, "why", p, "stack", string(debug.Stack()))
				done <- core.ToolFailure(core.ToolError, core.ToolCodeExecutionFailed, fmt.Sprintf("%s failed: %v", c.Tool, p))
			}
		}()
		result, err := tool.Call(ctx, c)
		switch {
		case err != nil && ctx.Err() == nil:
			result = core.ToolFailure(core.ToolError, core.ToolCodeExecutionFailed, strings.TrimSuffix(err.Error()+"; "+core.HintOf(err), "; "))
		case err != nil:
			result = stopped(ctx, c.Tool, limit)
		}
		if ctx.Err() != nil {
			r.cfg.Log.Info("late result dropped", "tool", c.Tool, "call", c.ID, "run", c.Scope.Run, "status", result.Status)
		}
		done <- result
	}()
	select {
	case result := <-done:
		return result
	case <-ctx.Done():
		return stopped(ctx, c.Tool, limit)
	}
}

// errToolTime ends a call whose own time is over.
var errToolTime = errors.New("the time of the call is over")

// stopped is what comes of a call that was given up: its own time was over, the
// user stopped it, or whoever asked for it does not wait any more.
func stopped(ctx context.Context, tool string, limit time.Duration) core.ToolResult {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, errToolTime):
		return core.ToolFailure(core.ToolError, core.ToolCodeTimeout, fmt.Sprintf("%s did not answer within %s", tool, limit))
	case errors.Is(cause, context.Canceled):
		return core.ToolFailure(core.ToolError, core.ToolCodeCancelled, tool+" was cancelled by the user")
	case core.CodeOf(cause) == core.CodeTimedOut:
		return core.ToolFailure(core.ToolError, core.ToolCodeTimeout, tool+" was cut off: "+cause.Error())
	}
	return core.ToolFailure(core.ToolError, core.ToolCodeCancelled, tool+" was cut off: "+cause.Error())
}

// notFound names the tools that the model may have meant.
func notFound(tools core.Toolset, name string) core.ToolResult {
	all := core.Names(tools.Specs())
	text := fmt.Sprintf("there is no tool called %.64q in the room now", name)
	switch near := nearest(name, all); {
	case len(all) == 0:
		text += "; there is none at all"
	case len(near) > 0:
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	default:
		text += "; there are " + strings.Join(all[:min(len(all), 20)], ", ")
	}
	return core.ToolFailure(core.ToolNotFound, core.ToolCodeNotFound, text)
}

func nearest(name string, all []string) []string {
	name = strings.ToLower(name[:min(len(name), 64)])
	far := max(len(name)/3, 2) + 1
	distance := func(candidate string) int {
		if strings.Contains(candidate, name) || strings.Contains(name, candidate) {
			return 1
		}
		return rank.Distance(name, candidate, far)
	}
	near := slices.DeleteFunc(slices.Clone(all), func(candidate string) bool { return distance(candidate) >= far })
	slices.SortStableFunc(near, func(a, b string) int { return distance(a) - distance(b) })
	return near[:min(len(near), nearNames)]
}

// bounded is a result that is not too long for a model. One that is cut says so at its
// end, and where the whole of it is.
func (r *run) bounded(c core.Call, result core.ToolResult) core.ToolResult {
	const room = 128 // bytes for the words about it
	if len(result.Text) <= maxResultText {
		return result
	}
	where := ""
	if r.cfg.Keep != nil {
		if file, err := r.cfg.Keep(c.Tool, "text/plain", []byte(result.Text)); err == nil {
			where, result.Files = "; all of it is in "+file.Path, append(slices.Clip(result.Files), file)
		}
	}
	text := safe.Prefix(result.Text, maxResultText-room-len(where))
	result.Text = fmt.Sprintf("%s\n\n[cut here: these are the first %s of %s; ask for less, or for another part%s]", text, size(len(text)), size(len(result.Text)), where)
	result.Truncated = true
	return result
}

// size is a number of bytes for people.
func size(n int) string {
	if n < 1<<20 {
		return fmt.Sprintf("%.0f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// storable returns args as JSON: what a model wrote may be anything.
func storable(args json.RawMessage) json.RawMessage {
	switch trimmed := bytes.TrimSpace(args); {
	case len(trimmed) == 0, bytes.Equal(trimmed, []byte("null")):
		return json.RawMessage("{}")
	case json.Valid(trimmed):
		return trimmed
	}
	text := safe.Prefix(strings.ToValidUTF8(string(args), "\uFFFD"), maxShown)
	raw, _ := json.Marshal(text) // a string
	return raw
}

// schemas keeps compiled schemas by their text.
type schemas struct {
	mu       sync.Mutex
	compiled map[string]*schema.Schema
}

func (s *schemas) get(raw json.RawMessage) *schema.Schema {
	if len(raw) == 0 {
		raw = core.PromptSchema()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.compiled[string(raw)]; ok {
		return c
	}
	c, err := schema.Compile(raw)
	if err != nil {
		c = nil
	}
	if s.compiled == nil || len(s.compiled) >= maxSchemas {
		s.compiled = map[string]*schema.Schema{}
	}
	s.compiled[string(raw)] = c
	return c
}
