package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"yaap/core"
	"yaap/core/hub/server"
	"yaap/core/yaap"
	"yaap/experts"
)

// tally FILE [FIFO] is an expert that writes down every question before it
// answers it. When it is asked to leave for the first time, it ends instead. It
// writes into FIFO that it was asked.
func tally() {
	diary := io.Discard
	if len(os.Args) > 2 {
		fifo, err := os.OpenFile(os.Args[2], os.O_WRONLY, 0)
		if err != nil {
			programFailed(err)
		}
		diary = fifo
	}
	f, err := os.OpenFile(os.Args[1], os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		programFailed(err)
	}
	err = experts.Serve(context.Background(), experts.Expert{
		Name: "tally", Description: "Knows everything about tallies.", Examples: []string{"tally me bananas"},
		Answer: func(_ context.Context, q experts.Question) (core.Reply, error) {
			before, err := os.ReadFile(os.Args[1])
			if err != nil {
				return core.Reply{}, err
			}
			note(f, q.Prompt)
			note(diary, "asked")
			if strings.Contains(q.Prompt, "leave") && !bytes.Contains(before, []byte(q.Prompt)) {
				os.Exit(1)
			}
			return experts.Success("Noted "+q.Prompt+".", map[string]any{"noted": q.Prompt, "letters": len(q.Prompt)}), nil
		},
	})
	if err != nil {
		programFailed(err)
	}
}

// latecomer [leaves] joins the room that runs and answers the first call. One
// that leaves says goodbye instead, joins again and answers then.
func latecomer() {
	if err := comeLate(len(os.Args) > 1); err != nil {
		programFailed(err)
	}
}

func comeLate(leaves bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	room, err := findRoom(ctx)
	if err != nil {
		return err
	}
	lease, err := enter(ctx, room)
	if err != nil {
		return err
	}
	if leaves {
		if err := leave(ctx, room, lease); err != nil {
			return err
		}
		fmt.Println("asked")
		if lease, err = enter(ctx, room); err != nil {
			return err
		}
	}
	if err := serve(ctx, room, lease); err != nil {
		return err
	}
	fmt.Println("answered")
	return nil
}

// leave waits for a call and says goodbye.
func leave(ctx context.Context, room server.Address, lease string) error {
	for {
		var events yaap.Events
		if err := call(ctx, room, "/yaap", yaap.ToolNext, yaap.Next{Lease: lease, WaitMS: 5000}, &events); err != nil {
			return err
		}
		if slices.ContainsFunc(events.Events, func(e yaap.Event) bool { return e.Type == yaap.EventCall }) {
			return call(ctx, room, "/yaap", yaap.ToolGoodbye, yaap.Goodbye{Lease: lease}, new(yaap.OK))
		}
	}
}

func enter(ctx context.Context, room server.Address) (string, error) {
	var welcome yaap.Welcome
	hello := yaap.Hello{YAAP: yaap.Version, Introduction: yaap.Introduction{
		Name: "newt", Description: "Knows everything about newts.", Examples: []string{"what do newts eat?"},
	}}
	err := call(ctx, room, "/yaap", yaap.ToolHello, hello, &welcome)
	return welcome.Lease, err
}
