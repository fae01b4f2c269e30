package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"yaap/core"
	"yaap/core/hub/server"
	"yaap/core/safe"
)

const (
	maxFrame   = 4 << 20 // bytes of a message of MCP
	maxPassing = 16      // messages at the same time
)

func (p *program) mcpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "mcp", Short: "Let an MCP client on standard input and output use the room that is open",
		Long: "Pass MCP between standard input and output and the room of this directory, or of the\n" +
			"nearest one above it: its chat, its memory and its prompts. An editor starts it as it\n" +
			"does any MCP server, and stays with that directory: its room may close and open\n" +
			"meanwhile.",
		Args: misuse(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := p.config()
			if err != nil {
				return err
			}
			b := &bridge{dirs: cfg.RunDirs, dir: cfg.Dir, out: p.stdout, calls: map[string]context.CancelFunc{}}
			return b.run(cmd.Context(), cmd.InOrStdin())
		},
	}
}

// bridge passes messages of MCP from standard input to a room, and what it
// answers back.
type bridge struct {
	dirs []string // where rooms are announced
	dir  string   // whose room is meant

	finding sync.Mutex
	room    server.Address // the one that was found last
	client  *http.Client   // of that room

	mu    sync.Mutex // one message at a time is written
	out   io.Writer
	calls map[string]context.CancelFunc // by the id of the request
}

// run passes messages until in ends or ctx does, and waits for their answers.
func (b *bridge) run(ctx context.Context, in io.Reader) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxPassing + 1)
	lines := make(chan []byte)
	var broken error // set before lines is closed
	go func() {      // a read cannot be stopped: it ends with the program
		defer close(lines)
		scanner := bufio.NewScanner(in)
		scanner.Buffer(nil, maxFrame)
		for scanner.Scan() {
			select {
			case lines <- bytes.Clone(scanner.Bytes()):
			case <-ctx.Done():
				return
			}
		}
		broken = scanner.Err()
	}()
	for {
		select {
		case line, ok := <-lines:
			if !ok {
				return errors.Join(group.Wait(), unreadable(broken))
			}
			if len(bytes.TrimSpace(line)) > 0 {
				group.Go(func() error { return b.pass(ctx, line) })
			}
		case <-ctx.Done():
			return group.Wait()
		}
	}
}

func unreadable(err error) error {
	if err == nil {
		return nil
	}
	return &core.Error{
		Code: core.CodeInvalid, Op: "mcp", Message: "standard input cannot be read any further",
		Hint: fmt.Sprintf("a message has one line, of at most %d MiB", maxFrame>>20), Err: err,
	}
}

// frame is what the bridge reads of a message.
type frame struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		RequestID json.RawMessage `json:"requestId"`
		Version   string          `json:"protocolVersion"`
	} `json:"params"`
}

// pass takes one message to the room. The error is a failure to write.
func (b *bridge) pass(ctx context.Context, line []byte) error {
	var f frame
	if err := json.Unmarshal(line, &f); err != nil {
		return b.fail(json.RawMessage("null"), -32700, "that is no JSON: "+err.Error())
	}
	if f.Method == "notifications/cancelled" {
		b.cancel(string(f.Params.RequestID))
		return nil
	}
	if len(f.ID) > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithCancel(ctx)
		defer stop()
		b.expect(string(f.ID), stop)
		defer b.expect(string(f.ID), nil)
	}
	answers, err := b.post(ctx, line)
	switch {
	case ctx.Err() != nil:
		return nil // nobody waits for it
	case err != nil && len(f.ID) > 0:
		return b.alone(f, err)
	}
	for _, answer := range answers {
		if err := b.write(answer); err != nil {
			return err
		}
	}
	return nil
}

// expect keeps how a request is cancelled, nil when it is over.
func (b *bridge) expect(id string, stop context.CancelFunc) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if stop == nil {
		delete(b.calls, id)
	} else {
		b.calls[id] = stop
	}
}

func (b *bridge) cancel(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if stop := b.calls[id]; stop != nil {
		stop()
	}
}

// find returns the room, and a client for it. Once there was one it is that one
// for as long as it is open, and then another one of its directory.
func (b *bridge) find() (server.Address, *http.Client, error) {
	b.finding.Lock()
	defer b.finding.Unlock()
	rooms := server.Rooms(b.dirs)
	if slices.Contains(rooms, b.room) {
		return b.room, b.client, nil
	}
	found, ok := server.Nearest(rooms, cmp.Or(b.room.Dir, b.dir))
	if !ok || b.room.Dir != "" && found.Dir != b.room.Dir {
		return server.Address{}, nil, noRoom(cmp.Or(b.room.Dir, b.dir), rooms)
	}
	if b.client != nil {
		b.client.CloseIdleConnections()
	}
	b.room, b.client = found, server.Client(found)
	return b.room, b.client, nil
}

// post sends a message to the room, and returns its answers.
func (b *bridge) post(ctx context.Context, line []byte) ([][]byte, error) {
	room, client, err := b.find()
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, room.URL+"/mcp", bytes.NewReader(line))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+room.Token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := client.Do(req)
	if err != nil {
		return nil, unreachable(err)
	}
	defer resp.Body.Close() //nolint:errcheck // it was only read
	body, err := io.ReadAll(io.LimitReader(resp.Body, 4*maxFrame))
	switch {
	case err != nil:
		return nil, err
	case resp.StatusCode == http.StatusAccepted:
		return nil, nil
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the room refused it: %s %s", resp.Status, bytes.TrimSpace(body))
	case strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream"):
		return events(body), nil
	}
	return [][]byte{body}, nil
}

// events returns the messages of an event stream.
func events(stream []byte) (list [][]byte) {
	for line := range bytes.Lines(stream) {
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			list = append(list, bytes.TrimSpace(data))
		}
	}
	return list
}

func (b *bridge) fail(id json.RawMessage, code int, message string) error {
	answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": message}})
	if err != nil {
		return err
	}
	return b.write(answer)
}

// write puts a message on a line of its own.
func (b *bridge) write(message []byte) error {
	var line bytes.Buffer
	if err := json.Compact(&line, message); err != nil {
		return nil // a room does not answer so
	}
	line.WriteByte('\n')
	b.mu.Lock()
	defer b.mu.Unlock()
	_, err := b.out.Write(line.Bytes())
	return err
}

// noRoom says which rooms are open in place of the one of dir.
func noRoom(dir string, rooms []server.Address) error {
	hint := "type yaap there, and try again"
	if len(rooms) > 0 {
		var open []string
		for _, a := range rooms {
			open = append(open, "yaap mcp --dir "+a.Dir)
		}
		slices.Sort(open)
		hint += "; for a room that is open: " + strings.Join(slices.Compact(open), ", or ")
	}
	return &core.Error{Code: core.CodeNotFound, Op: "mcp", Message: "no room is open in " + dir, Hint: safe.Line(hint)}
}

func unreachable(err error) error {
	if failed := (*core.Error)(nil); errors.As(err, &failed) {
		return failed
	}
	return &core.Error{
		Code: core.CodeUnreachable, Op: "mcp", Message: "the room closed before it answered", Hint: "open it again with yaap, and try again", Err: err,
	}
}
