package link

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"yaap/core"
	"yaap/core/safe"
)

const (
	maxID     = 64 << 10        // bytes of an unreadable line that are searched for its id
	maxQuoted = 80              // bytes of it that people are shown
	proseTime = 2 * time.Second // for something to follow a line of prose
)

// answers knows the requests that a child has not answered yet, so that a line
// that cannot be read fails the ones that it can have answered. A line with the
// id of a request is for that one. A line without a usable id is for any call of
// a tool: all that run fail, as none can be told from another. A line of prose
// is a log line as often as an answer: the calls fail only when the child prints
// nothing for proseTime after it.
type answers struct {
	mu    sync.Mutex
	open  map[string]request // by id
	last  int64              // the highest id so far
	prose *time.Timer        // runs after a line of prose; nil: it does not
}

// request waits for its answer.
type request struct {
	tool  bool // it is a call of a tool
	fail  context.CancelCauseFunc
	prose *unreadable // what it fails with unless a message follows; nil: no prose came
}

// unreadable is the answer of a child that cannot be read.
type unreadable struct {
	code core.ToolCode
	text string
}

func (u *unreadable) Error() string { return u.text }

// exchange is the way of requests to a child and of answers back.
type exchange struct {
	lenientPipes
	answers *answers
}

// SendRequest implements [transport.Interface]. It returns an [unreadable] when
// the answer cannot be read.
func (e exchange) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	e.answers.begin(r, fail)
	defer e.answers.end(r.ID.String())
	response, err := e.lenientPipes.SendRequest(ctx, r)
	if cause, ok := context.Cause(ctx).(*unreadable); err != nil && ok { //nolint:errorlint // nobody wraps it
		return nil, cause
	}
	return response, err
}

func (a *answers) begin(r transport.JSONRPCRequest, fail context.CancelCauseFunc) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == nil {
		a.open = map[string]request{}
	}
	a.open[r.ID.String()] = request{tool: r.Method == string(mcp.MethodToolsCall), fail: fail}
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
		a.mark(nil)
		delete(a.open, id.String()) // what follows is not for it
		return true
	case ok: // an answer to what nobody asked
		a.fail(mcp.RequestId{}, malformed("it carries the id of no request", line))
	case isProse(line):
		a.mark(malformed("it is no JSON-RPC message", line))
	default:
		a.fail(idOf(line), malformed("it is no JSON-RPC message", line))
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

// mark notes the prose that came while calls of tools run, or with nil that a
// message has followed; a.mu is held.
func (a *answers) mark(prose *unreadable) {
	for key, r := range a.open {
		if r.tool && (prose == nil || r.prose == nil) {
			r.prose = prose
			a.open[key] = r
		}
	}
	if a.prose != nil {
		a.prose.Stop()
		a.prose = nil
	}
	if prose != nil { // who goes on to print is at work
		a.prose = time.AfterFunc(proseTime, a.silent)
	}
}

// silent is called when no message has followed a line of prose.
func (a *answers) silent() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.prose == nil { // one came at the last moment
		return
	}
	a.prose = nil
	for key, r := range a.open {
		if r.prose != nil {
			r.fail(r.prose)
			delete(a.open, key)
		}
	}
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
	var m struct {
		JSONRPC string         `json:"jsonrpc"`
		ID      *mcp.RequestId `json:"id"`
		Method  string         `json:"method"`
	}
	if !utf8.Valid(line) || json.Unmarshal(line, &m) != nil {
		return id, false
	}
	if m.Method != "" {
		return id, true
	}
	if m.ID == nil || m.ID.IsNil() || json.Unmarshal(line, new(transport.JSONRPCResponse)) != nil {
		return id, false
	}
	return *m.ID, true
}

// isProse reports whether a line begins as words do, and not as JSON.
func isProse(line []byte) bool {
	line = bytes.TrimSpace(line)
	if !utf8.Valid(line) || bytes.HasPrefix(line, []byte("\ufeff")) || bytes.ContainsAny(line[:1], `{"-0123456789`) {
		return false
	}
	switch string(line) {
	case "NaN", "Infinity", "null", "true", "false", "None", "undefined":
		return false
	}
	return line[0] != '[' || len(line) < 2 || !bytes.ContainsAny(line[1:2], `[{"]`) // [INFO] is a log line
}

// idOf finds the id of a message that cannot be read, if it stands before what
// is wrong with it.
func idOf(line []byte) (id mcp.RequestId) {
	dec := json.NewDecoder(bytes.NewReader(line[:min(len(line), maxID)]))
	depth, key := 0, ""
	for {
		token, err := dec.Token()
		if err != nil {
			return id
		}
		switch t := token.(type) {
		case json.Delim:
			if depth++; t == '}' || t == ']' {
				depth -= 2
			}
			key = ""
		case string:
			if depth == 1 && key == "" {
				key = t
				continue
			}
			key = ""
		default:
			if n, ok := t.(float64); ok && depth == 1 && key == "id" && n == float64(int64(n)) {
				return mcp.NewRequestId(int64(n))
			}
			key = ""
		}
	}
}
