package link

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	maxID     = 64 << 10 // bytes of an unreadable line that are searched for what it was meant to be
	maxQuoted = 80       // bytes of it that people are shown
)

// answers knows the requests that a child has not answered yet, so that a line
// that cannot be read fails the ones that it can have answered, at once. A line
// with the id of a request fails that one. Any other fails all calls of tools
// that run, as none can be told from another.
//
// Standard output is for messages alone. But some servers print their log there,
// too, and answer well. One that said no hello is known to log when it printed
// such a line while no call ran, or answered a call that such a line had failed.
// From then on only a line that names JSON-RPC fails its calls.
type answers struct {
	mu   sync.Mutex
	open map[string]request // by id
	last int64              // the highest id so far
	lost map[string]bool    // the ids of calls that failed for a line that may be of a log
	torn bool               // what came last was no message, and failed calls: more of it may follow
	logs bool               // the child is known to log
	// strict is set when the child said hello: its lines fail calls all the same.
	strict bool
}

// request waits for its answer.
type request struct {
	tool bool // it is a call of a tool, or asks for the result of one
	fail context.CancelCauseFunc
}

// unreadable is the answer of a child that cannot be read.
type unreadable struct {
	code core.ToolCode
	text string
}

func (u *unreadable) Error() string { return u.text }

// exchange is the way of requests to a child and of answers back.
type exchange struct {
	*transport.Stdio
	answers *answers
	spec    hub.Spec
}

// SetRequestHandler implements [transport.BidirectionalInterface].
func (e exchange) SetRequestHandler(answer transport.RequestHandler) {
	e.Stdio.SetRequestHandler(func(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
		if err := unserved(e.spec, r.Method); err != nil {
			return nil, err
		}
		return answer(ctx, r)
	})
}

// SendRequest implements [transport.Interface]. It returns an [unreadable] when
// the answer cannot be read, and puts the result where [withRaw] has it.
func (e exchange) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	e.answers.begin(r, fail)
	defer e.answers.end(r.ID.String())
	response, err := e.Stdio.SendRequest(ctx, r)
	if cause, ok := context.Cause(ctx).(*unreadable); ok { //nolint:errorlint // nobody wraps it
		return nil, cause // also where the answer came right behind
	}
	if raw, ok := ctx.Value(rawKey{}).(*json.RawMessage); ok && err == nil && response.Error == nil {
		*raw = response.Result
	}
	return response, err
}

// said notes that the child said hello.
func (a *answers) said() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.strict = true
}

func (a *answers) begin(r transport.JSONRPCRequest, fail context.CancelCauseFunc) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == nil {
		a.open, a.lost = map[string]request{}, map[string]bool{}
	}
	a.open[r.ID.String()] = request{tool: r.Method == string(mcp.MethodToolsCall) || r.Method == string(mcp.MethodTasksResult), fail: fail}
	if n, ok := r.ID.Value().(int64); ok {
		a.last = max(a.last, n)
	}
}

func (a *answers) end(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.open, id)
}

// take looks at a line of a child and reports whether it is a message. One that
// should have been fails the requests that it can have answered.
func (a *answers) take(line []byte) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	id, ok := readMessage(line)
	switch {
	case ok && (id.IsNil() || a.made(id)):
		a.logs = a.logs || a.lost[id.String()]
		a.torn = false
		delete(a.open, id.String()) // what follows is not for it
		return true
	case ok: // an answer to what nobody asked
		a.fail(mcp.RequestId{}, malformed("it carries the id of no request", line))
	case isMeant(line):
		a.fail(idOf(line), malformed("it is no JSON-RPC message", line))
	case !a.calls():
		a.logs = a.logs || !a.torn
	case a.logs && !a.strict:
	default:
		for id, r := range a.open {
			if r.tool {
				a.lost[id] = true
			}
		}
		a.torn = true
		a.fail(mcp.RequestId{}, malformed("it is no JSON-RPC message; an expert should log to standard error (stderr)", line))
	}
	return false
}

// calls reports whether a call of a tool waits for its answer; a.mu is held.
func (a *answers) calls() bool {
	for _, r := range a.open {
		if r.tool {
			return true
		}
	}
	return false
}

// tooLong fails the request that a line of so many bytes answers.
func (a *answers) tooLong(beginning []byte, size int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.fail(idOf(beginning), &unreadable{core.ToolCodeTooLarge, fmt.Sprintf(
		"its answer is too large: %.1f MiB in one line, and at most %d MiB are read; ask for less", float64(size)/(1<<20), maxLine>>20)})
}

// made reports whether there was a request with that id; a.mu is held.
func (a *answers) made(id mcp.RequestId) bool {
	n, ok := id.Value().(int64)
	return ok && n >= 0 && n <= a.last
}

// fail ends the request with that id, or all calls of tools when there was none;
// a.mu is held.
func (a *answers) fail(id mcp.RequestId, why *unreadable) {
	known := a.made(id)
	for key, r := range a.open {
		if key == id.String() || !known && r.tool {
			r.fail(why)
			delete(a.open, key)
		}
	}
}

func malformed(why string, line []byte) *unreadable {
	beginning := safe.Cut(safe.Line(strings.ToValidUTF8(string(line[:min(len(line), 4*maxQuoted)]), "\uFFFD")), maxQuoted)
	return &unreadable{core.ToolCodeMalformedResponse, fmt.Sprintf("its answer cannot be read: %s; it begins with %q", why, beginning)}
}

// readMessage reports whether a line can be read as a message, as the MCP
// library reads it. The id is that of an answer, and none for other messages.
func readMessage(line []byte) (id mcp.RequestId, ok bool) {
	var m map[string]json.RawMessage
	if !utf8.Valid(line) || json.Unmarshal(line, &m) != nil {
		return id, false
	}
	for key := range m { // the library takes ID for id
		for _, known := range [...]string{"jsonrpc", "id", "method", "result", "error"} {
			if key != known && strings.EqualFold(key, known) {
				return id, false
			}
		}
	}
	var method string
	if raw, given := m["method"]; given {
		return id, json.Unmarshal(raw, &method) == nil && method != ""
	}
	if m["result"] == nil && m["error"] == nil || json.Unmarshal(line, new(transport.JSONRPCResponse)) != nil || json.Unmarshal(m["id"], &id) != nil {
		return mcp.RequestId{}, false
	}
	return id, !id.IsNil()
}

// isMeant reports whether a line was to be a message: it names JSON-RPC.
func isMeant(line []byte) bool {
	return bytes.Contains(line[:min(len(line), maxID)], []byte(`"jsonrpc"`))
}

var idInFront = regexp.MustCompile(`^\s*\{[^{}[\]]*"id"\s*:\s*(\d{1,15})\s*[,}]`)

// idOf finds the id of a message that cannot be read, if it stands before all that
// holds more than one value.
func idOf(line []byte) (id mcp.RequestId) {
	if m := idInFront.FindSubmatch(line[:min(len(line), maxID)]); m != nil {
		n, _ := strconv.ParseInt(string(m[1]), 10, 64) // of digits
		id = mcp.NewRequestId(n)
	}
	return id
}
