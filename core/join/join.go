// Package join carries an MCP server on standard input and output into a room that
// is open already: it runs the command here, puts it behind an address on loopback
// that the room alone may call, and stays until one of them goes.
package join

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os/exec"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub/server"
	"github.com/yaap-chat/yaap/core/processes"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/yaap"
)

const (
	endTime    = 2 * time.Second // for the command to end when it is asked to
	headerTime = 5 * time.Second
	maxMessage = 8 << 20 // bytes of a message of the command
)

// Server is an MCP server, started by a command, that joins a room.
type Server struct {
	Room    server.Address
	Name    string // in the room; empty: one made of the command
	Command []string
	Dir     string            // where the command runs, and stands
	Stderr  io.Writer         // what the command prints
	Joined  func(text string) // told when it is in the room
}

// Run starts the command and has it in the room until ctx ends, which is its goodbye,
// the command ends, or the room does not want it any more.
func (g Server) Run(ctx context.Context) error {
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	command := exec.CommandContext(ctx, g.Command[0], g.Command[1:]...) //nolint:gosec // it is the user's
	command.Dir, command.Stderr = g.Dir, g.Stderr
	group := processes.NewGroup(command) // an interrupt is for us
	command.Cancel, command.WaitDelay = group.End, endTime
	in, err := command.StdinPipe()
	if err != nil {
		return err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := group.Start(); err != nil {
		return core.Fail(core.CodeInvalid, "cannot run "+safe.Line(g.Command[0]), "check the command: yaap join -- COMMAND ARGS").Because(err)
	}
	f := newHTTPAdapter(in)
	ended := make(chan error, 1)
	go func() {
		read := f.read(out)
		ended <- errors.Join(read, command.Wait())
		leave(errEnded)
	}()
	err = g.present(ctx, f)
	gone := context.Cause(ctx)
	select {
	case <-f.over: // that is why the room has lost it
		gone = cmp.Or(gone, errEnded)
	default:
	}
	leave(nil)
	_ = in.Close()
	how := <-ended
	_ = group.Kill() // what it started and left
	switch {
	case errors.Is(gone, errEnded):
		return core.Fail(core.CodeFailed, "the command ended: "+words(how), "it has left the room")
	case gone != nil:
		return nil // goodbye
	}
	return err
}

// errEnded says that the command has ended.
var errEnded = errors.New("the command ended")

func words(err error) string {
	if err == nil {
		return "in order"
	}
	return safe.Line(err.Error())
}

// present opens the adapter and has it in the room until ctx ends or the room says that
// it is over.
func (g Server) present(ctx context.Context, f *httpAdapter) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	f.token = server.Secret(32)
	web := &http.Server{Handler: f, ReadHeaderTimeout: headerTime, BaseContext: func(net.Listener) context.Context { return ctx }}
	defer web.Close()                       //nolint:errcheck // it is over
	go func() { _ = web.Serve(listener) }() // until it is closed
	return g.invite(ctx, server.Invitation{
		Name: g.Name, URL: "http://" + listener.Addr().String() + "/mcp", Token: f.token, Command: g.Command, Dir: g.Dir,
	})
}

// invite asks the room to take the guest in, and returns when it is over. The room
// holds it for as long as the request lasts.
func (g Server) invite(ctx context.Context, i server.Invitation) error {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{
		"name": yaap.ToolInvite, "arguments": i, "_meta": map[string]any{"progressToken": 1},
	}})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, g.Room.URL+"/yaap", bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+g.Room.Token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	response, err := server.Client(g.Room).Do(request)
	if err != nil {
		return closed(ctx, err)
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, maxMessage)
	for lines.Scan() {
		over, err := g.hear(bytes.TrimPrefix(lines.Bytes(), []byte("data:")))
		if over {
			return err
		}
	}
	return closed(ctx, lines.Err())
}

func closed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return core.Fail(core.CodeFailed, "the room has closed", "open it again with yaap or yaap serve, and join again").Because(err)
}

// hear takes a line of the room's answer, and reports whether it is the last.
func (g Server) hear(line []byte) (over bool, err error) {
	var m struct {
		Method string          `json:"method"`
		ID     json.RawMessage `json:"id"`
		Params struct {
			Message string `json:"message"`
		} `json:"params"`
		Result struct {
			IsError    bool         `json:"isError"`
			Structured yaap.Refusal `json:"structuredContent"`
		} `json:"result"`
		Error *struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	switch {
	case json.Unmarshal(line, &m) != nil:
		return false, nil
	case m.Method == "notifications/progress":
		g.Joined(safe.Line(m.Params.Message))
		return false, nil
	case len(m.ID) == 0:
		return false, nil
	case m.Error != nil:
		return true, errors.New(safe.Line(m.Error.Message))
	case m.Result.IsError:
		r := m.Result.Structured
		return true, core.Fail(core.CodeRefused, safe.Line(r.Message), safe.Line(r.Hint))
	}
	return true, nil
}
