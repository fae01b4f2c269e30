// Package bridge passes MCP between standard input and output and the door of a
// room: messages one way, answers and notices back, in both eras of the protocol.
package bridge

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub/server"
)

const (
	maxFrame   = 4 << 20      // bytes of a message of MCP
	maxAnswer  = 4 * maxFrame // bytes of a message of the room
	maxPassing = 16           // messages at the same time
	openTime   = 10 * time.Second
	openAgain  = 10 * time.Millisecond
	listenWait = time.Second // before the notices of a room are asked for again
)

// Bridge serves one client.
type Bridge struct {
	Dirs    []string // where rooms are announced
	Dir     string   // whose room is meant
	Version string   // of yaap
	Out     io.Writer
	Path    string // of the room that is used; default /mcp
	// ReadOnly leaves the client nothing but what changes nothing.
	ReadOnly bool
	Look     bool // it is ReadOnly, and the wire does not show it
	// Open opens a room of Dir and keeps it open until ctx ends; nil: a room that
	// somebody else opens is used, or none. It calls come when the experts of the
	// room are there, or have had their time.
	Open func(ctx context.Context, come func()) error

	finding sync.Mutex
	room    server.Address // the one that was found last
	client  *http.Client   // of that room
	opening *opening       // of a room here; nil: none was opened

	mu      sync.Mutex                    // one message at a time is written
	calls   map[string]context.CancelFunc // by the id of the request
	name    string                        // that the room gave this client, in the older era
	version string                        // of MCP that they speak then
	listens bool
}

// opening is a room that is opened here.
type opening struct {
	come chan struct{} // closed when its experts are there, or have had their time
	over chan struct{} // closed when it is closed
	err  error         // why, set before
}

// Run passes messages until in ends or ctx does, and waits for their answers.
func (b *Bridge) Run(ctx context.Context, in io.Reader) error {
	b.calls = map[string]context.CancelFunc{}
	living, end := context.WithCancel(ctx)
	var beside sync.WaitGroup // what lasts until there are no more messages
	err := b.passAll(ctx, in, func(job func(context.Context)) { beside.Go(func() { job(living) }) })
	end()
	beside.Wait()
	if b.client != nil {
		b.client.CloseIdleConnections()
	}
	return err
}

func (b *Bridge) passAll(ctx context.Context, in io.Reader, start func(func(context.Context))) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxPassing + 1)
	lines := make(chan message)
	var broken error // set before lines is closed
	go func() {      // a read cannot be stopped: it ends with the program
		defer close(lines)
		reader := bufio.NewReaderSize(in, 64<<10)
		for {
			m, err := readMessage(reader)
			if err == nil || len(m.line) > 0 {
				select {
				case lines <- m:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					broken = err
				}
				return
			}
		}
	}()
	for {
		select {
		case m, ok := <-lines:
			switch {
			case !ok:
				return errors.Join(group.Wait(), unreadable(broken))
			case m.cut:
				group.Go(func() error { return b.fail(m.id(), -32600, tooLong()) })
			case len(bytes.TrimSpace(m.line)) > 0:
				group.Go(func() error { return b.pass(ctx, m.line, start) })
			}
		case <-ctx.Done():
			return group.Wait()
		}
	}
}

// message is a line of the program that uses the bridge; of one that is too long only its
// beginning is there.
type message struct {
	line []byte
	cut  bool
}

// readMessage reads one, and of one that is longer than a message may be all of it, too.
func readMessage(r *bufio.Reader) (m message, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if m.cut = m.cut || len(m.line)+len(part) > maxFrame; !m.cut {
			m.line = append(m.line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return m, err
		}
	}
}

// id is that of a request which is too long, null where its beginning has none.
func (m message) id() json.RawMessage {
	if found := anID.FindSubmatch(m.line[:min(len(m.line), 4<<10)]); found != nil {
		return found[1]
	}
	return json.RawMessage("null")
}

var anID = regexp.MustCompile(`"id"\s*:\s*("[^"\\]{0,200}"|-?\d{1,18})`)

func tooLong() string { return fmt.Sprintf("a message has one line, of at most %d MiB", maxFrame>>20) }

func unreadable(err error) error {
	if err == nil {
		return nil
	}
	return core.Fail(core.CodeInvalid, "standard input cannot be read any further", tooLong()).Because(err)
}

// frame is what the bridge reads of a message.
type frame struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		RequestID json.RawMessage `json:"requestId"`
		Version   string          `json:"protocolVersion"`
		Name      string          `json:"name"`
		URI       string          `json:"uri"`
		Meta      struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	} `json:"params"`
}

// pass takes one message to the room. The error is a failure to write.
func (b *Bridge) pass(ctx context.Context, line []byte, start func(func(context.Context))) error {
	var f frame
	if err := json.Unmarshal(line, &f); err != nil {
		return b.fail(json.RawMessage("null"), -32700, "that is no JSON: "+err.Error())
	}
	if f.Method == "notifications/cancelled" {
		b.cancel(string(f.Params.RequestID))
		return nil
	}
	if f.Method == "" {
		f.ID = nil // it answers what the room has asked: its id is the room's
	}
	if len(f.ID) > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithCancel(ctx)
		defer stop()
		b.expect(string(f.ID), stop)
		defer b.expect(string(f.ID), nil)
	}
	if f.Method == "initialize" {
		defer b.listen(start)
	}
	room, client, err := b.find(ctx, start)
	if err == nil {
		b.await(ctx, f.Method)
		err = b.post(ctx, room, client, f, line)
	}
	switch {
	case ctx.Err() != nil:
		return nil // nobody waits for it
	case errors.As(err, new(*unwritten)):
		return err
	case err != nil && len(f.ID) > 0:
		return b.alone(f, err)
	}
	return nil
}

// await waits for the experts of a room that was opened here, where method is about
// them: a client that calls one at once, and listens to no notice, calls it in vain
// otherwise. Its handshake never waits.
func (b *Bridge) await(ctx context.Context, method string) {
	b.finding.Lock()
	o := b.opening
	b.finding.Unlock()
	if o == nil || !strings.HasPrefix(method, "tools/") && method != "resources/read" {
		return
	}
	select {
	case <-o.come:
	case <-o.over:
	case <-ctx.Done():
	}
}

// expect keeps how a request is cancelled, nil when it is over.
func (b *Bridge) expect(id string, stop context.CancelFunc) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if stop == nil {
		delete(b.calls, id)
	} else {
		b.calls[id] = stop
	}
}

func (b *Bridge) cancel(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if stop := b.calls[id]; stop != nil {
		stop()
	}
}

// find returns the room, and a client for it. Once there was one it is that one
// for as long as it is open, and then another one of its directory, or one that is
// opened here.
func (b *Bridge) find(ctx context.Context, start func(func(context.Context))) (server.Address, *http.Client, error) {
	b.finding.Lock()
	defer b.finding.Unlock()
	rooms := server.Rooms(b.Dirs)
	if slices.Contains(rooms, b.room) {
		return b.room, b.client, nil
	}
	found, ok := server.Nearest(rooms, cmp.Or(b.room.Dir, b.Dir))
	if ok = ok && (b.room.Dir == "" || found.Dir == b.room.Dir); !ok && b.Open == nil {
		_, err := server.Choose(nil, cmp.Or(b.room.Dir, b.Dir), "")
		return server.Address{}, nil, err
	}
	if !ok {
		var err error
		if found, err = b.open(ctx, start); err != nil {
			return server.Address{}, nil, err
		}
	}
	if b.client != nil {
		b.client.CloseIdleConnections()
	}
	b.room, b.client = found, server.Client(found)
	return b.room, b.client, nil
}

// open opens a room in this process, and returns when it is announced. It stays open
// until there are no more messages.
func (b *Bridge) open(ctx context.Context, start func(func(context.Context))) (server.Address, error) {
	if b.opening == nil {
		o := &opening{come: make(chan struct{}), over: make(chan struct{})}
		b.opening = o
		start(func(ctx context.Context) {
			o.err = b.Open(ctx, sync.OnceFunc(func() { close(o.come) }))
			close(o.over)
		})
	}
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	tick := time.NewTicker(openAgain)
	defer tick.Stop()
	for {
		rooms := server.Rooms(b.Dirs)
		if i := slices.IndexFunc(rooms, func(a server.Address) bool { return a.PID == os.Getpid() }); i >= 0 {
			return rooms[i], nil
		}
		select {
		case <-b.opening.over:
			err := b.opening.err
			b.opening = nil // the next message tries again
			if err == nil {
				_, err = server.Choose(nil, b.Dir, "")
			}
			return server.Address{}, err
		case <-ctx.Done():
			return server.Choose(nil, b.Dir, "")
		case <-tick.C:
		}
	}
}

// post sends a message to the room, and passes on what it answers.
func (b *Bridge) post(ctx context.Context, room server.Address, client *http.Client, f frame, line []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, room.URL+cmp.Or(b.Path, "/mcp"), bytes.NewReader(line))
	if err != nil {
		return err
	}
	b.address(req, room, f)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("User-Agent", "yaap/"+b.Version) // the wire names it by that
	resp, err := client.Do(req)
	if err != nil {
		return unreachable(err)
	}
	defer resp.Body.Close() //nolint:errcheck // it was only read
	if resp.StatusCode == http.StatusAccepted {
		return nil
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return b.stream(resp.Body)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	var answer struct {
		Version string `json:"jsonrpc"`
		Result  struct {
			Version string `json:"protocolVersion"`
		} `json:"result"`
	}
	switch {
	case err != nil:
		return err
	case json.Unmarshal(body, &answer) != nil || answer.Version == "":
		return fmt.Errorf("the room refused it: %s %s", resp.Status, bytes.TrimSpace(body))
	}
	if f.Method == "initialize" {
		b.mu.Lock()
		b.name, b.version = resp.Header.Get(sessionHeader), answer.Result.Version
		b.mu.Unlock()
	}
	return b.write(body)
}

// address says in the headers of a request what its message says, as HTTP wants it.
func (b *Bridge) address(req *http.Request, room server.Address, f frame) {
	req.Header.Set("Authorization", "Bearer "+room.Token)
	switch {
	case b.Look:
		req.Header.Set(server.ReadOnlyHeader, server.ALook)
	case b.ReadOnly:
		req.Header.Set(server.ReadOnlyHeader, "yes")
	}
	if version := f.Params.Meta.Version; version != "" {
		req.Header.Set(versionHeader, version)
		req.Header.Set("Mcp-Method", f.Method)
		if name := cmp.Or(f.Params.Name, f.Params.URI); name != "" {
			req.Header.Set("Mcp-Name", headerText(name))
		}
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if f.Method == "initialize" {
		return
	}
	if b.name != "" {
		req.Header.Set(sessionHeader, b.name)
	}
	if b.version != "" {
		req.Header.Set(versionHeader, b.version)
	}
}

const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
)

// headerText is a text as MCP writes it into a header: what a header cannot hold is in
// base64.
func headerText(s string) string {
	plain := strings.TrimSpace(s) == s && !strings.HasPrefix(s, "=?base64?") &&
		!strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
	if plain {
		return s
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}

// stream passes on the messages of an event stream as they come.
func (b *Bridge) stream(from io.Reader) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxAnswer)
	var data []byte
	for lines.Scan() {
		text, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
		if ok {
			data = append(append(data, bytes.TrimSpace(text)...), '\n')
			continue
		}
		if len(lines.Bytes()) == 0 && len(data) > 0 {
			if err := b.write(data); err != nil {
				return err
			}
			data = data[:0]
		}
	}
	if len(data) > 0 {
		return b.write(data)
	}
	return lines.Err()
}

// listen passes on what the room tells without being asked, from now on: a client of
// the newer era asks for that itself.
func (b *Bridge) listen(start func(func(context.Context))) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.listens {
		return
	}
	b.listens = true
	start(func(ctx context.Context) {
		var last server.Address
		for ctx.Err() == nil {
			b.finding.Lock()
			room, client := b.room, b.client
			b.finding.Unlock()
			if client != nil && slices.Contains(server.Rooms(b.Dirs), room) {
				if last != room && last.URL != "" { // it is another one than the client knows
					_ = b.write([]byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`))
				}
				last = room
				b.notices(ctx, room, client)
			}
			pause(ctx)
		}
	})
}

func pause(ctx context.Context) {
	timer := time.NewTimer(listenWait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// notices passes on what a room tells, until it closes or ctx ends.
func (b *Bridge) notices(ctx context.Context, room server.Address, client *http.Client) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, room.URL+cmp.Or(b.Path, "/mcp"), http.NoBody)
	if err != nil {
		return
	}
	b.address(req, room, frame{})
	req.Header.Set("Accept", "text/event-stream")
	resp, err := client.Do(req)
	if err != nil {
		return
	}
	defer resp.Body.Close() //nolint:errcheck // it was only read
	if resp.StatusCode == http.StatusOK {
		_ = b.stream(resp.Body) // it is asked for again
	}
}

func (b *Bridge) fail(id json.RawMessage, code int, message string) error {
	answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": message}})
	if err != nil {
		return err
	}
	return b.write(answer)
}

// unwritten is a failure to write to the client.
type unwritten struct{ error }

// write puts a message on a line of its own.
func (b *Bridge) write(message []byte) error {
	var line bytes.Buffer
	if err := json.Compact(&line, message); err != nil {
		return nil // a room does not answer so
	}
	line.WriteByte('\n')
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, err := b.Out.Write(line.Bytes()); err != nil {
		return &unwritten{err}
	}
	return nil
}

func unreachable(err error) error {
	if failed := (*core.Error)(nil); errors.As(err, &failed) {
		return failed
	}
	return core.Fail(core.CodeUnreachable, "the room closed before it answered", "open it again with yaap, and try again").Because(err)
}
