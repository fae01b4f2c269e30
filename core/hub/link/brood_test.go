package link_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/yaap-chat/yaap/core/processes"
)

// brood starts descendants of all kinds. Each has mark among its arguments.
func brood(mark string) {
	for _, kind := range []string{"child", "session", "orphan", "comet"} {
		descendant(mark, kind)
	}
}

// descendant starts one in a session of its own, unless it is a mere child.
func descendant(mark, kind string) {
	cmd := exec.Command(os.Args[0], "child", "brooded", mark, kind) //nolint:noctx // nothing polite ends it
	if kind != "child" {
		processes.Detach(cmd)
	}
	if cmd.Env = []string{}; kind == "marked" { // others hide whose they are
		cmd.Env = os.Environ()
	}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func descend(args []string) {
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT)
	mark, kind := args[0], args[1]
	switch kind {
	case "orphan", "marked": // its parent ends at once
		if len(args) == 2 {
			cmd := exec.Command(os.Args[0], "child", "brooded", mark, kind, "forked") //nolint:noctx // nothing polite ends it
			processes.Detach(cmd)
			if cmd.Start() != nil {
				os.Exit(1)
			}
			return
		}
	case "comet": // has another number every few milliseconds
		time.Sleep(3 * time.Millisecond)
		descendant(mark, kind)
		return
	}
	waitForever("")
}

// heronUntilKilled is an expert that the end of its input does not end, if there
// is another argument.
func heronUntilKilled(args []string) {
	serve(context.Background(), heron()) // this is a program of its own
	if len(args) > 1 {
		signal.Ignore(syscall.SIGTERM)
		waitForever("")
	}
}
