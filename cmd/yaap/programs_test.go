package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub/server"
	"github.com/yaap-chat/yaap/core/yaap"
	"github.com/yaap-chat/yaap/experts"
)

func base(path string) string { return filepath.Base(path) }

func programFailed(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// heron is an expert as an author elsewhere would write it. Asked what was
// said before, it tells.
func heron() {
	err := experts.Serve(context.Background(), experts.Expert{
		Name: "heron", Context: true,
		Description: "Knows everything about grey herons: what they eat, where they nest.",
		Examples:    []string{"what do herons eat?"},
		Answer: func(_ context.Context, q experts.Question) (core.Reply, error) {
			if strings.Contains(q.Prompt, "pronounce") {
				return core.Reply{}, errors.New("herons cannot speak")
			}
			if strings.Contains(q.Prompt, "process") {
				return experts.Success(fmt.Sprintf("I am process %d.", os.Getpid()), nil), nil
			}
			if strings.Contains(q.Prompt, "remember") {
				said := fmt.Sprintf("I heard %d herons before.", strings.Count(fmt.Sprint(q.Context), "heron"))
				for _, m := range q.Context {
					said += " " + m.Text
				}
				return experts.Success(said, nil), nil
			}
			return experts.Success("Herons eat fish, mostly.", map[string]any{"food": "fish"}), nil
		},
	})
	if err != nil {
		programFailed(err)
	}
}

// misfit MODE [FIFO] is a bad expert. It keeps FIFO open for as long as it
// lives, and writes down there what becomes of it.
func misfit() {
	diary := io.Discard
	var kept []*os.File
	if len(os.Args) > 2 {
		f, err := os.OpenFile(os.Args[2], os.O_WRONLY, 0)
		if err != nil {
			programFailed(err)
		}
		diary, kept = f, append(kept, f)
	}
	switch os.Args[1] {
	case "silent":
		note(diary, "silent")
		select {}
	case "exit":
		fmt.Fprintln(os.Stderr, "no herons today\nthe pond is frozen")
		os.Exit(3)
	case "rubbish":
		for range 1000 {
			fmt.Println("\x1b[31m}{ this is not MCP \x00\xff")
		}
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "flood":
		line := bytes.Repeat([]byte("x"), 1<<20)
		for range 300 {
			if _, err := os.Stdout.Write(line); err != nil {
				return
			}
		}
		select {}
	case "chatter":
		line := strings.Repeat("blah ", 200) + "\n"
		for range 3 << 10 {
			_, _ = io.WriteString(os.Stderr, line)
		}
		heron()
	case "stubborn": // neither the end of its input nor a signal ends it, and it has a child
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		child := exec.Command(os.Args[0], "grandchild") //nolint:noctx // it is killed by the room
		child.ExtraFiles, child.Stdout = kept, os.Stdout
		if err := child.Start(); err != nil {
			programFailed(err)
		}
		slow(diary)
		select {}
	case "grandchild":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		select {}
	case "slow":
		slow(diary)
	case "shy":
		shy()
	case "hostile":
		hostile()
	case "ledger":
		ledger(diary, os.Args[3])
	}
}

// ledger is an expert that writes into a file which calls it was made, and
// answers from the second on.
func ledger(diary io.Writer, path string) {
	_ = experts.Serve(context.Background(), experts.Expert{
		Name: "misfit", Description: "Knows everything about sloths.", Examples: []string{"how do sloths sleep?"},
		Answer: func(ctx context.Context, q experts.Question) (core.Reply, error) {
			before, _ := os.ReadFile(path)
			if err := os.WriteFile(path, append(before, q.Call+"\n"...), 0o600); err != nil {
				return core.Reply{}, err
			}
			note(diary, "asked")
			if len(before) > 0 {
				return experts.Success("Upside down.", nil), nil
			}
			<-ctx.Done()
			return core.Reply{}, ctx.Err()
		},
	})
}

// shy is an expert that asks back.
func shy() {
	_ = experts.Serve(context.Background(), experts.Expert{
		Name: "shy", Description: "Knows everything about sloths.",
		Answer: func(_ context.Context, q experts.Question) (core.Reply, error) {
			if !strings.Contains(q.Prompt, "slow") {
				return core.Reply{Status: core.StatusClarification, Message: "Which sloth?", Data: map[string]any{}}, nil
			}
			return experts.Success("It sleeps upside down.", nil), nil
		},
	})
}

// slow is an expert that is asked and never answers.
func slow(diary io.Writer) {
	_ = experts.Serve(context.Background(), experts.Expert{
		Name: "misfit", Description: "Knows everything about sloths.", Examples: []string{"how do sloths sleep?"},
		Answer: func(ctx context.Context, _ experts.Question) (core.Reply, error) {
			note(diary, "asked")
			<-ctx.Done()
			return core.Reply{}, ctx.Err()
		},
	})
	note(diary, "left")
}

func note(w io.Writer, what string) { _, _ = fmt.Fprintln(w, what) }

// peer joins the room that runs, with hello, asks the room, answers what the
// room asks it meanwhile, prints what the room answered, and says goodbye.
func peer() {
	if err := join(os.Args[1]); err != nil {
		programFailed(err)
	}
}

func join(question string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	room, err := findRoom(ctx)
	if err != nil {
		return err
	}
	lease, err := enter(ctx, room)
	if err != nil {
		return fmt.Errorf("hello: %w", err)
	}
	answered := make(chan error, 1)
	go func() { answered <- serve(ctx, room, lease) }()
	var reply core.Reply
	if err := call(ctx, room, "/mcp", yaap.ToolChat, map[string]any{"prompt": question}, &reply); err != nil {
		return fmt.Errorf("chat: %w", err)
	}
	fmt.Println(reply.Status, reply.Message)
	if err := <-answered; err != nil {
		return err
	}
	return call(ctx, room, "/yaap", yaap.ToolGoodbye, yaap.Goodbye{Lease: lease}, new(yaap.OK))
}

// serve answers the first call.
func serve(ctx context.Context, room server.Address, lease string) error {
	for {
		var events yaap.Events
		if err := call(ctx, room, "/yaap", yaap.ToolNext, yaap.Next{Lease: lease, WaitMS: 5000}, &events); err != nil {
			return fmt.Errorf("next: %w", err)
		}
		for _, e := range events.Events {
			if e.Type == yaap.EventCall {
				reply := yaap.Reply{Lease: lease, CallID: e.CallID, OK: true, Text: "Newts eat worms."}
				return call(ctx, room, "/yaap", yaap.ToolReply, reply, new(yaap.Accepted))
			}
		}
	}
}

// findRoom waits for the room of this environment.
func findRoom(ctx context.Context) (server.Address, error) {
	return findRoomIn(ctx, os.Getenv("XDG_RUNTIME_DIR"))
}

// findRoomIn waits for hub.json.
func findRoomIn(ctx context.Context, dir string) (a server.Address, err error) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		raw, err := os.ReadFile(filepath.Join(dir, "yaap", "hub.json"))
		if err == nil {
			return a, json.Unmarshal(raw, &a)
		}
		select {
		case <-ctx.Done():
			return a, err
		case <-tick.C:
		}
	}
}

// call calls a tool of the room as any program would: JSON over HTTP.
func call(ctx context.Context, room server.Address, path, tool string, args, answer any) error {
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args},
	})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, room.URL+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+room.Token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close() //nolint:errcheck // it is only read
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	var message struct {
		Error  any
		Result struct {
			IsError           bool
			StructuredContent json.RawMessage
		}
	}
	if err := json.Unmarshal(eventData(raw), &message); err != nil {
		return fmt.Errorf("%s: %w in %q", response.Status, err, raw)
	}
	if message.Error != nil || message.Result.IsError {
		return fmt.Errorf("%v %s", message.Error, message.Result.StructuredContent)
	}
	return json.Unmarshal(message.Result.StructuredContent, answer)
}

// eventData takes the message out of an event stream, if it came in one.
func eventData(raw []byte) []byte {
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		if data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: ")); ok {
			return data
		}
	}
	return raw
}
