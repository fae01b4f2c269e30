package link

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/text"
	"github.com/yaap-chat/yaap/core/yaap"
)

const (
	maxResult  = 1 << 20 // bytes of data taken from a result, and of an error; its text is bounded by its line
	maxListed  = 128     // tools after which no further page is asked for
	maxPages   = 128
	maxSignals = 4
	tokenStart = "call-"                // of progress tokens; the number of the call follows
	notifyTime = 100 * time.Millisecond // for a child to take a notification
)

// way is what carries the messages of an expert: the pipes of a process, or HTTP.
type way interface {
	done() <-chan struct{} // closed when the expert can be reached no more
	ended() error          // why; nil: in order, or not yet
	printed() []string     // what it has printed to standard error, by lines
	last() string          // the last of them
	note(line string)      // keeps what it logs with what it prints
	close()                // returns when nothing of it is left
}

// childLink is the link of an expert that the room keeps: a child, or a server that
// runs elsewhere. It implements [hub.Link], [hub.OutcomeNotifier] and [hub.StderrReporter].
type childLink struct {
	way     way
	keep    keeper
	strict  func() // what it prints besides messages fails its calls, from now on
	client  *client.Client
	signals chan hub.Signal
	life    context.Context
	own     string // the name that a YAAP-aware child gave itself
	name    string // its name in the room
	log     logbook

	mu       sync.Mutex
	calls    map[int]running // by their numbers, while they run
	lastCall int
	farewell string
	omitted  []string // tools that are not offered, each with the reason
	tasks    []string // tools that are called as tasks, as the expert calls them
	watch    watchlist
}

var (
	_ hub.Link                 = (*childLink)(nil)
	_ hub.OutcomeNotifier      = (*childLink)(nil)
	_ hub.StderrReporter       = (*childLink)(nil)
	_ hub.LeaveReasonReporter  = (*childLink)(nil)
	_ hub.OmittedToolsReporter = (*childLink)(nil)
)

func newLink(life context.Context, w way) *childLink {
	return &childLink{
		way: w, strict: func() {}, life: life,
		signals: make(chan hub.Signal, maxSignals), calls: map[int]running{},
	}
}

// Tools implements [hub.Link].
func (l *childLink) Tools(ctx context.Context) ([]core.ToolSpec, error) {
	var specs []core.ToolSpec
	var omitted, tasks []string
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.omitted, l.tasks = omitted, tasks
	}()
	var request mcp.ListToolsRequest
	for range maxPages {
		asked, raw := withRaw(ctx)
		if _, err := l.client.ListToolsByPage(asked, request); *raw == nil { // else it may be read in spite of err
			return nil, err
		}
		page, err := readTools(*raw, l.hasTasks())
		if err != nil {
			return nil, err
		}
		for _, tool := range page.tools {
			if tool.Name == yaap.ToolBid { // it is the room's to call
				continue
			}
			tool.Name = l.outward(tool.Name)
			specs = append(specs, tool)
		}
		omitted, tasks = append(omitted, page.omitted...), append(tasks, page.tasks...)
		if request.Params.Cursor = mcp.Cursor(page.next); page.next == "" || len(specs) >= maxListed {
			break
		}
	}
	return specs, nil
}

// Omitted implements [hub.OmittedToolsReporter].
func (l *childLink) Omitted() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.omitted)
}

// outward and inward translate the name of the one tool that is called like
// its expert, when the user gave the expert another name.
func (l *childLink) outward(name string) string {
	if l.own != "" && name == l.own {
		return l.name
	}
	return name
}

func (l *childLink) inward(name string) string {
	if l.own != "" && name == l.name {
		return l.own
	}
	return name
}

// Call implements [hub.Link].
func (l *childLink) Call(ctx context.Context, c core.Call) (core.ToolResult, error) {
	token, forget := l.await(c, core.AskerOf(ctx))
	defer forget()
	var request mcp.CallToolRequest
	request.Params.Name = l.inward(c.Tool)
	request.Params.Arguments = c.Args
	request.Params.Meta = &mcp.Meta{ProgressToken: token, AdditionalFields: map[string]any{yaap.MetaDepth: c.Scope.Depth + 1, yaap.MetaCall: c.Key}}
	if said := hub.Recent(c.Context); len(said) > 0 {
		request.Params.Meta.AdditionalFields[yaap.MetaContext] = said
	}
	asked, raw := withRaw(ctx)
	var err error
	if l.isTask(request.Params.Name) {
		*raw, err = l.callAsTask(ctx, request, c.Progress)
	} else {
		_, err = l.client.CallTool(asked, request)
	}
	if *raw != nil {
		result, wrong := readResult(*raw, l.keep, l.follow(ctx))
		if wrong != nil {
			return core.ToolFailure(core.ToolError, core.ToolCodeMalformedResponse, "its answer cannot be read: "+wrong.Error()), nil
		}
		if err == nil {
			return result, nil
		}
	}
	var failed *unreadable
	switch {
	case ctx.Err() != nil:
		return core.ToolResult{}, ctx.Err()
	case l.isGone(err):
		return core.ToolResult{}, fmt.Errorf("%w: %w", hub.ErrGone, err)
	case errors.As(err, &failed):
		return core.ToolFailure(core.ToolError, failed.code, failed.text), nil
	}
	return core.ToolFailure(core.ToolError, core.ToolCodeExecutionFailed, text.CutBytes(said(err), maxResult, "")), nil
}

// prefixes are what the MCP library, and before it the SDK of a server, put before the
// words of an error.
var prefixes = regexp.MustCompile(`^(internal error: |invalid params: )?(MCP error -\d+: )?`)

// said is an error in the words of the server.
func said(err error) string {
	return strings.TrimSpace(prefixes.ReplaceAllString(err.Error(), ""))
}

func (l *childLink) isGone(err error) bool {
	select {
	case <-l.way.done():
		return true
	default:
	}
	// A broken pipe is known before the process has been reaped.
	return errors.Is(err, transport.ErrTransportClosed) || strings.Contains(err.Error(), "failed to write request")
}

// running is a call that is not answered yet.
type running struct {
	core.Call
	who core.Asker // whom its expert asks; nil: the user of the room
}

// await registers a call: who hears of its progress, and for whom its expert may
// ask for something.
func (l *childLink) await(c core.Call, who core.Asker) (token string, forget func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastCall++
	n := l.lastCall
	l.calls[n] = running{c, who}
	return tokenStart + strconv.Itoa(n), func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.calls, n)
	}
}

// notified hears the child's notifications on the reader's goroutine: it must
// not block and must not call back.
func (l *childLink) notified(n mcp.JSONRPCNotification) {
	switch n.Method {
	case mcp.MethodNotificationToolsListChanged:
		l.signal(hub.ToolsChanged)
	case yaap.NotifyGoodbye:
		reason, _ := n.Params.AdditionalFields["reason"].(string)
		l.mu.Lock()
		l.farewell = reason
		l.mu.Unlock()
		l.signal(hub.SaysGoodbye)
	case "notifications/progress":
		l.progressed(n.Params.AdditionalFields)
	case mcp.MethodNotificationResourceUpdated:
		l.updated(n.Params.AdditionalFields)
	case "notifications/message":
		l.logged(n.Params.AdditionalFields)
	}
}

// Farewell implements [hub.LeaveReasonReporter].
func (l *childLink) Farewell() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.farewell
}

func (l *childLink) signal(s hub.Signal) {
	// Only the reader's goroutine sends: a goodbye always finds a place.
	if s == hub.ToolsChanged && len(l.signals) >= maxSignals-1 {
		return
	}
	select {
	case l.signals <- s:
	default: // as many are waiting already as there are kinds
	}
}

func (l *childLink) progressed(fields map[string]any) {
	token, _ := fields["progressToken"].(string)
	n, _ := strconv.Atoi(strings.TrimPrefix(token, tokenStart)) // 0 is none
	l.mu.Lock()
	report := l.calls[n].Progress
	l.mu.Unlock()
	if report == nil {
		return
	}
	p := core.ToolProgress{Fraction: -1}
	p.Message, _ = fields["message"].(string)
	done, _ := fields["progress"].(float64)
	if total, _ := fields["total"].(float64); total > 0 {
		p.Fraction = min(max(done/total, 0), 1)
	}
	report(p)
}

// newest is the number of the newest call that runs, 0 when none does. The caller
// holds the lock.
func (l *childLink) newest() (n int) {
	for i := range l.calls {
		n = max(n, i)
	}
	return n
}

// listen subscribes to changes of the tool list and of the resources that are watched,
// which a server of the newer era only tells to those who ask. It takes the place of
// what listened before.
func (l *childLink) listen() {
	l.mu.Lock()
	filter := mcp.SubscriptionFilter{ToolsListChanged: true, ResourceSubscriptions: slices.Clone(l.watch.uris)}
	l.mu.Unlock()
	go func() {
		// It ends with the process; without it the list stays as it is.
		_ = l.client.Listen(l.life, filter)
	}()
}

// Signals implements [hub.Link].
func (l *childLink) Signals() <-chan hub.Signal { return l.signals }

// Done implements [hub.Link].
func (l *childLink) Done() <-chan struct{} { return l.way.done() }

// Err implements [hub.Link].
func (l *childLink) Err() error {
	err := l.way.ended()
	if last := l.way.last(); err != nil && last != "" {
		return fmt.Errorf("%w: %s", err, last)
	}
	return err
}

// Close implements [hub.Link].
func (l *childLink) Close() error {
	l.way.close()
	return l.client.Close()
}

// Stderr implements [hub.StderrReporter].
func (l *childLink) Stderr() []string { return slices.Concat(l.way.printed(), l.log.kept.lines()) }

// Welcome implements [hub.OutcomeNotifier].
func (l *childLink) Welcome(tool string) { l.notify(yaap.NotifyWelcome, "tool", tool) }

// Bye implements [hub.OutcomeNotifier].
func (l *childLink) Bye(reason string) { l.notify(yaap.NotifyBye, "reason", reason) }

// notify tells a child that knows YAAP something. It is best effort: a child
// that does not read is not waited for.
func (l *childLink) notify(method, key, value string) {
	if l.own == "" {
		return
	}
	var n mcp.JSONRPCNotification
	n.JSONRPC, n.Method = mcp.JSONRPC_VERSION, method
	n.Params.AdditionalFields = map[string]any{key: value}
	sent := make(chan struct{})
	go func() { // it ends with the pipe, or with the deadline of the write
		defer close(sent)
		_ = l.client.GetTransport().SendNotification(l.life, n)
	}()
	timer := time.NewTimer(notifyTime)
	defer timer.Stop()
	select {
	case <-sent:
	case <-timer.C:
	}
}
