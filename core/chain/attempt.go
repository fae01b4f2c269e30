package chain

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/schema"
)

const (
	firstWait  = time.Second      // before a retry where the file says nothing
	longestIn  = 30 * time.Second // that a retry waits
	returns    = 5                // times that an expert may leave while a node waits for it
	maxOptions = 20
)

// work is one attempt at a piece. Until it has come out of done it belongs to
// the goroutine that does it.
type work struct {
	piece
	attempt int
	kind    Kind
	name    string // of the agent, expert, function or chain
	in      core.Input
	args    map[string]any
	delay   time.Duration
	fault   string // why it cannot begin
	cancel  context.CancelCauseFunc

	reply   core.Reply
	stopped bool // by the user: it is not over, and no failure
	pauses  []core.Pause
	usage   core.Usage
}

// prepare makes a work ready to be done, and what must be on disk before.
func (r *run) prepare(ctx context.Context, w *work) {
	n, prog := &r.chain.nodes[w.node], r.of(w.piece)
	w.attempt, w.kind, w.name = prog.attempts+1, n.Kind, n.Name
	if w.item >= 0 {
		l := r.lists[w.node]
		w.fault = r.resolve(w.piece, l.look(w.item, r.lookup(w.node)))
	}
	if w.item < 0 || r.open[w.node].attempt == 0 {
		r.reportStart(w.node)
	}
	w.args = prog.input
	if n.Kind == KindFunction && prog.answer != nil {
		w.args = map[string]any{}
		maps.Copy(w.args, prog.input)
		w.args["answer"] = answered(*prog.answer)
	}
	if prog.failures > 0 {
		w.delay = min(cmp.Or(n.Attempts.Backoff, firstWait)<<min(prog.failures-1, 10), longestIn)
	}
	if n.Kind == KindFunction || w.fault != "" {
		return
	}
	scope := r.in.Child(cmp.Or(prog.child, w.attemptID(r.chain, w.attempt)))
	scope.Node = n.ID
	w.in = core.Input{Scope: scope, Context: r.in.Context, Steer: r.in.Steer, Said: r.in.Said, Args: prog.input}
	w.in.Messages = n.conversation(prog, scope.Run, r.cfg.Now())
	if n.Kind == KindAgent {
		w.in.Messages = r.withCalls(ctx, prog, w.in.Messages)
		w.in.NodeOptions = &core.NodeOptions{Instructions: n.instructions(), Tools: n.Tools}
	}
	if r.begunBefore[w.node] == w.visit && r.ended(ctx, scope.Run, prog.child != "") {
		return
	}
	r.Queue(core.Begin(scope, string(n.Kind)+"/"+n.Name, w.in.Messages[len(w.in.Messages)-1])...)
}

// ended reports whether a child has ended already: its runner then returns its
// result again, and its row stays as it is. One that has failed has not ended
// where it is to go on.
func (r *run) ended(ctx context.Context, child string, goesOn bool) bool {
	saved, err := r.cfg.load(ctx, child)
	_, final := saved.Final()
	return err == nil && (saved.Run.State == core.RunCompleted || final && !goesOn)
}

// instructions are what an agent is told beside its prompt.
func (n *node) instructions() string {
	if n.Schemas.Data == nil {
		return n.System
	}
	return strings.TrimSpace(n.System+"\n\nThe object in data must fit this JSON Schema:\n") + string(n.Schemas.Data)
}

// conversation is what a node's runner is shown: the prompt, and what was asked
// back since. The last message is the run's own question. An expert has no
// memory of what it was asked: for it all is one text.
func (n *node) conversation(prog *progress, run string, now time.Time) []core.Message {
	messages := slices.Concat([]core.Message{asked(prog.prompt)}, prog.before, prog.talk)
	if n.Kind == KindExpert && len(messages) > 1 {
		messages = []core.Message{asked(oneText(prog.prompt, messages[1:]))}
	}
	last := &messages[len(messages)-1]
	last.ID, last.Run, last.Time = run+"/question", run, now
	return messages
}

// oneText is a prompt with what was said since. Where the expert asked back, what it was
// answered belongs to the prompt, or takes its place: an option may be a whole question.
func oneText(prompt string, since []core.Message) string {
	var asked core.Reply
	for _, m := range since {
		switch {
		case m.Role == core.RoleAssistant:
			asked = core.Reply{}
			if err := json.Unmarshal([]byte(m.Text), &asked); err != nil || asked.Status != core.StatusClarification {
				prompt += "\n\nYou answered: " + m.Text
			}
		case asked.Status != core.StatusClarification:
			prompt += "\n\n" + m.Text
		case len(strings.Fields(m.Text)) > 2 && slices.ContainsFunc(options(asked.Data), func(o core.Option) bool { return o.Label == m.Text }):
			prompt = m.Text
		default:
			prompt = strings.TrimRight(prompt, " ?.!") + ": " + m.Text
		}
	}
	return prompt
}

// withCalls puts the calls that led to data that did not fit, and their results,
// before that answer: an agent that is asked once more knows what it has found.
func (r *run) withCalls(ctx context.Context, prog *progress, messages []core.Message) []core.Message {
	if prog.misfit.child == "" {
		return messages
	}
	at := 1 + len(prog.before) + prog.misfit.at // behind the prompt
	saved, err := r.cfg.load(ctx, r.in.Child(prog.misfit.child).Run)
	if err != nil {
		return messages // it is asked without them
	}
	calls := slices.DeleteFunc(saved.Messages, func(m core.Message) bool { return len(m.Calls) == 0 && m.Role != core.RoleTool })
	return slices.Concat(messages[:at], calls, messages[at:])
}

// launch does a work on a goroutine of its own.
func (r *run) launch(ctx context.Context, w *work) {
	ctx, w.cancel = context.WithCancelCause(ctx)
	n := &r.chain.nodes[w.node]
	cfg, done, gone := r.cfg, r.done, r.gone
	go func() {
		defer w.cancel(nil)
		w.do(ctx, cfg, n)
		select {
		case done <- w:
		case <-gone:
		}
	}()
}

// do makes the attempt, within its time.
func (w *work) do(ctx context.Context, cfg *Config, n *node) {
	if w.fault != "" {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			w.fault = fmt.Sprintf("%s failed: %v", n.ID, p)
		}
	}()
	if w.delay > 0 {
		timer := time.NewTimer(w.delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			w.fault = "cancelled"
			return
		}
	}
	if n.Attempts.Timeout > 0 {
		cause := tooLong("%s took longer than its %s", n.ID, n.Attempts.Timeout)
		limited, cancel := context.WithTimeoutCause(ctx, n.Attempts.Timeout, cause)
		defer cancel()
		ctx = limited
	}
	if n.Attempts.Idle > 0 {
		idle, stop := context.WithCancelCause(ctx)
		timer := time.AfterFunc(n.Attempts.Idle, func() { stop(tooLong("%s gave no sign of life for %s", n.ID, n.Attempts.Idle)) })
		defer timer.Stop()
		w.in.Alive = func() { timer.Reset(n.Attempts.Idle) }
		ctx = idle
	}
	err := w.attemptIt(ctx, cfg, n)
	w.stopped = core.CodeOf(err) == core.CodeStopped && w.in.Steer != nil && w.in.Steer().Stop
	if err == nil && w.reply.Status == "" && len(w.pauses) == 0 {
		err = errors.New(n.ID + " answered nothing")
	}
	if err != nil && w.reply.Status == "" {
		w.fault = err.Error()
		if cause := context.Cause(ctx); cause != nil && ctx.Err() != nil {
			w.fault = cause.Error()
		}
	}
}

// tooLong is why an attempt is cut off, for all that it has begun.
func tooLong(format string, node string, limit time.Duration) error {
	return core.Fail(core.CodeTimedOut, fmt.Sprintf(format, node, limit), "")
}

func (w *work) attemptIt(ctx context.Context, cfg *Config, n *node) (err error) {
	if w.kind == KindFunction {
		f, ok := builtin()[w.name]
		if !ok {
			return fmt.Errorf("there is no function %q", w.name)
		}
		if w.reply, err = f(w.args); err == nil && w.reply.Status == core.StatusClarification && cfg.Answer != nil {
			w.reply, err = cfg.Answer(n.ID, w.reply)
		}
		return err
	}
	if w.in.Depth > maxDepth {
		return fmt.Errorf("chains call each other more than %d deep", maxDepth)
	}
	for again := 0; ; again++ {
		if w.kind == KindExpert && n.Absent == AbsentWait && cfg.Await != nil {
			if err := cfg.Await(ctx, w.name); err != nil {
				return fmt.Errorf("%s is not in the room: %w", w.name, err)
			}
		}
		runner, err := cfg.Lookup(string(w.kind) + "/" + w.name)
		if err != nil {
			return err
		}
		result, err := runner.Run(ctx, w.in)
		w.usage = w.usage.Add(result.Usage)
		w.pauses, w.reply = result.Pauses, result.Reply
		if len(w.pauses) > 0 {
			w.reply = core.Reply{}
			return nil
		}
		if left(w.reply) && n.Absent == AbsentWait && again < returns && ctx.Err() == nil {
			if err := w.anew(ctx, cfg); err != nil {
				return err
			}
			continue
		}
		return err
	}
}

// load reads a run below, also while the run itself ends.
func (c *Config) load(ctx context.Context, run string) (core.Saved, error) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cleanup)
	defer stop()
	return c.Journal.Load(ctx, run)
}

// anew begins another run for the same question: the one before has ended with
// the expert that left.
func (w *work) anew(ctx context.Context, cfg *Config) error {
	w.in.Scope = w.in.Anew()
	question := &w.in.Messages[len(w.in.Messages)-1]
	question.ID, question.Run, question.Time = w.in.Run+"/question", w.in.Run, cfg.Now()
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cleanup)
	defer stop()
	saved, err := cfg.Journal.Load(ctx, w.in.Run)
	if err != nil || saved.Run.State == core.RunCompleted { // before the program was cut off
		return err
	}
	return cfg.Journal.Put(ctx, core.Begin(w.in.Scope, string(w.kind)+"/"+w.name, *question)...)
}

// left reports whether a reply says that the expert has gone.
func left(r core.Reply) bool {
	code, _ := r.Data["code"].(string)
	return r.Status == core.StatusFailure && (code == string(core.ToolCodeExpertLeft) || code == string(core.ToolCodeNotFound))
}

// judge makes the record of an attempt: it is the last, or there is another,
// or it waits for the user.
func (r *run) judge(w *work) record {
	n, prog := &r.chain.nodes[w.node], r.of(w.piece)
	o := outcome{reply: w.reply, fault: w.fault, input: w.given()}
	if where := tooBig(w.reply.Data, "data"); where != "" {
		o = failed(fmt.Sprintf("%s carries more than 64 KiB of base64: answer with {\"$ref\": path, \"mime\": type} instead", where))
	}
	rec := r.record(w, o)
	if o.input != nil && !o.ok() {
		rec.Input, _ = json.Marshal(o.input)
	}
	switch issues := n.misfit(o); {
	case o.fault == "" && o.reply.Status == core.StatusClarification && (w.item >= 0 || !n.answersItself()):
		r.ask(w, &rec)
	case len(issues) > 0:
		r.emit(core.DecodeError{Errors: issues})
		problem := "data: " + strings.Join(issues, "; ")
		if prog.corrected {
			rec.Fault, rec.Reply.Status = problem, core.StatusFailure
			r.audit(string(n.Kind)+"/"+n.Name, n.ID, *rec.Reply, core.StatusSuccess, "forced")
		} else {
			rec.Again = problem
			r.tryAgain(w, rec)
		}
	case !o.ok() && !o.reply.Retry() && o.reply.Status != core.StatusClarification && prog.failures < n.Attempts.Retries:
		rec.Again = o.problem()
		r.tryAgain(w, rec)
	}
	return rec
}

// tryAgain reports that an attempt is over and another one follows.
func (r *run) tryAgain(w *work, rec record) {
	r.emit(core.Retry{Operation: "node " + r.chain.nodes[w.node].ID, Attempt: rec.Attempt + 1, Reason: rec.Again})
	if w.item < 0 {
		r.endAttempt(w.node, rec, core.NodeFailed)
	}
}

// endAttempt closes what was reported as begun; the visit is not over.
func (r *run) endAttempt(at int, rec record, state core.NodeState) {
	ms, ok := r.close(at)
	if !ok {
		return
	}
	b := core.NodeEnd{Chain: r.chain.Spec.Name, Node: r.chain.nodes[at].ID, Visit: r.nodes[at].visit, Attempt: rec.Attempt, State: state, Error: rec.Again, MS: ms}
	if rec.Reply != nil {
		b.Status, b.Message, b.Thought = rec.Reply.Status, rec.Reply.Message, rec.Reply.Thought
	}
	r.emit(b)
}

// misfit checks the data of a success against the node's schema.
func (n *node) misfit(o outcome) []string {
	if n.fits == nil || !o.ok() {
		return nil
	}
	raw, err := json.Marshal(anyMap(o.reply.Data))
	if err != nil {
		return []string{err.Error()}
	}
	return n.fits.Check(raw)
}

// ask makes a question to the user of a reply.
func (r *run) ask(w *work, rec *record) {
	n := &r.chain.nodes[w.node]
	p := core.Pause{
		ID: fmt.Sprintf("%s#%s.%d", r.in.Run, w.id(r.chain), w.attempt), Run: r.in.Run, Root: r.in.Trace, Thread: r.in.Thread,
		Kind: core.PauseClarification, From: n.ID, Question: w.reply.Message, Options: options(w.reply.Data), Schema: wanted(w.reply.Data), Time: r.cfg.Now(),
	}
	rec.Pause = p.ID
	r.asked[p.ID] = p
	r.Queue(p)
	if w.item < 0 {
		r.endAttempt(w.node, *rec, core.NodePaused)
	}
	r.emit(core.ChainPaused{Chain: r.chain.Spec.Name, Node: n.ID, Pause: p})
	r.emit(core.ClarificationRequested{ID: p.ID, Question: p.Question, Options: p.Options})
}

// pauseNode notes that a piece waits for the user. A list waits when nothing
// else is left to do in it.
func (r *run) pauseNode(p piece, rec record) {
	if p.item < 0 {
		r.nodes[p.node].state = core.NodePaused
		r.endAttempt(p.node, rec, core.NodePaused)
	}
}

// pauseLists notes which lists wait for the user.
func (r *run) pauseLists() {
	for _, w := range r.pauses {
		if w.item >= 0 {
			r.nodes[w.node].state = core.NodePaused
			r.endAttempt(w.node, record{Attempt: r.open[w.node].attempt}, core.NodePaused)
		}
	}
}

// wanted is what a reply says that its answer must be like: data.schema, where
// that is a schema.
func wanted(data map[string]any) json.RawMessage {
	object, ok := data["schema"].(map[string]any)
	raw, err := json.Marshal(object)
	if !ok || err != nil {
		return nil
	}
	if _, err := schema.Compile(raw); err != nil {
		return nil
	}
	return raw
}

// answered is what the user answered: a value where the question had a schema.
func answered(a core.Answer) any {
	var v any
	if len(a.Data) > 0 && core.DecodeJSON(a.Data, &v) == nil {
		return v
	}
	return a.Text
}

// options reads what a reply offers to choose from: texts, or objects with an
// id and a label.
func options(data map[string]any) []core.Option {
	list, _ := data["options"].([]any)
	var out []core.Option
	for i, v := range list {
		if len(out) == maxOptions {
			break
		}
		o := core.Option{ID: fmt.Sprint(i + 1)}
		switch v := v.(type) {
		case map[string]any:
			if id, ok := v["id"]; ok {
				o.ID = text(id)
			}
			label, ok := v["label"]
			if !ok {
				label = v["value"]
			}
			o.Label = text(label)
		default:
			o.Label = text(v)
		}
		if o.Label != "" {
			out = append(out, o)
		}
	}
	return out
}

// given is what the work was given, for whoever handles its failure.
func (w *work) given() any {
	if w.args != nil {
		return anyMap(w.args)
	}
	if n := len(w.in.Messages); n > 0 {
		return w.in.Messages[0].Text
	}
	return nil
}

// tooBig finds binary data that should not be in a reply.
func tooBig(v any, where string) string {
	switch v := v.(type) {
	case string:
		if len(v) > maxInline && isBase64(v) {
			return where
		}
	case []any:
		for i, item := range v {
			if found := tooBig(item, fmt.Sprintf("%s[%d]", where, i)); found != "" {
				return found
			}
		}
	case map[string]any:
		for key, item := range v {
			if found := tooBig(item, where+"."+key); found != "" {
				return found
			}
		}
	}
	return ""
}

// isBase64 looks at the beginning of a long text, which may be a data: URL.
func isBase64(s string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=\r\n"
	if i := strings.Index(s[:1024], ";base64,"); i >= 0 && strings.HasPrefix(s, "data:") {
		s = s[i+len(";base64,"):]
	}
	return strings.Trim(s[:4096], letters) == ""
}
