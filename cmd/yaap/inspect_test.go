package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store"
)

// inspectIn opens yaap inspect on a terminal of its own, beside the room in home.
func inspectIn(t *testing.T, home string, width, height int, args ...string) *screen {
	t.Helper()
	return onScreen(t, home, width, height, func(ctx context.Context, p *program) error {
		cmd := p.command() //nolint:contextcheck // it is given one below
		cmd.SetArgs(append([]string{"inspect", "--dir", home}, args...))
		return cmd.ExecuteContext(ctx)
	})
}

// inspected is what yaap inspect prints where there is no terminal.
func inspected(t *testing.T, home string, args ...string) (out string, err error) {
	t.Helper()
	var b bytes.Buffer
	p := &program{stdin: strings.NewReader(""), stdout: &b, stderr: &b, env: func(name string) string {
		if strings.HasPrefix(name, "XDG_") || name == "HOME" {
			return filepath.Join(home, name)
		}
		return ""
	}}
	cmd := p.command()
	cmd.SetArgs(append([]string{"inspect", "--dir", home}, args...))
	err = cmd.ExecuteContext(t.Context())
	return b.String(), err
}

// sums are those of the files of the database.
func sums(t *testing.T, home string) map[string][32]byte {
	t.Helper()
	dir := filepath.Join(home, "XDG_STATE_HOME", "yaap")
	entries := must.Get(os.ReadDir(dir))(t)
	all := map[string][32]byte{}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), store.File) || strings.HasSuffix(e.Name(), "-shm") { // in which connections note who reads
			continue
		}
		raw := must.Get(os.ReadFile(filepath.Join(dir, e.Name())))(t) //nolint:gosec // of a test
		all[e.Name()] = sha256.Sum256(raw)
	}
	return all
}

// settled is the state of the database when the room has written all that it has to.
func settled(t *testing.T, home string) map[string][sha256.Size]byte {
	t.Helper()
	const quiet = 20 // looks in which nothing has changed
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	last, same := sums(t, home), 0
	for same < quiet {
		<-tick.C
		now := sums(t, home)
		if same++; !maps.Equal(now, last) {
			last, same = now, 0
		}
	}
	return last
}

func TestARoomIsSeenFromAnotherTerminalAndNotTouched(t *testing.T) {
	home := t.TempDir()
	early := inspectIn(t, home, 100, 30, "experts") // before there is a room
	early.see(`No room is open in`)
	s := openScreenIn(t, home, 80, 24, options{wire: filepath.Join(home, "frames.jsonl")})
	s.see(`calc, clock, data, files, git are in the room`)
	early.see(`● calc +idle`)
	early.see(`● 5 experts`)
	s.enter("what is 12% of 840?")
	s.see(`100\.8`)
	early.see(`● calc +idle.* 1 +0 +\d`)      // it has answered
	_, _ = early.in.Write([]byte("\x1b[17~")) // f6
	early.see(`(?s)tool_call_start +calc  what is 12% of 840\?.*tool_call_end +calc.*run_end +completed`)
	_, _ = early.in.Write([]byte("\x1b[18~")) // f7
	early.see(`(?s)✓ intact.*agent/yaap +success`)
	_, _ = early.in.Write([]byte("\x1bOR")) // f3
	early.see(`frames`)
	_, _ = early.in.Write([]byte("/\"name\":\"calc\"\r")) // many a bid, and what is read for this look, may have come behind it
	early.see(`tools/call calc +#`)

	s.ready()
	before := settled(t, home)
	if len(before) < 2 {
		t.Fatalf("the database is %v", before)
	}
	for _, args := range [][]string{{"experts"}, {}, {"chain"}, {"memory"}, {"wire"}, {"audit"}, {"--output", "json"}} {
		_, _ = inspected(t, home, args...)
	}
	if diff := cmp.Diff(before, sums(t, home)); diff != "" {
		t.Errorf("the database is another one:\n%s", diff)
	}
	s.quit()
	early.see(`no room is open`)
	_, _ = early.in.Write([]byte("q"))
	<-early.ended
	next := must.Get(store.Open(t.Context(), filepath.Join(home, "XDG_STATE_HOME", "yaap")))(t)
	must.Do(t, next.Close())
	if _, left := sums(t, home)[store.File+"-wal"]; left { // a look may have been on when the room closed it
		t.Error("who looked still holds the database")
	}

	out, err := inspected(t, home, "events", "--output", "json")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	types := map[string]bool{}
	for _, line := range lines {
		var e core.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		types[e.Type()] = true
	}
	if err != nil || !types["expert_joined"] || !types["run_end"] {
		t.Errorf("%v, %v", types, err)
	}
	if out, err := inspected(t, home, "audit"); err != nil || !strings.Contains(out, "✓ intact") || !strings.Contains(out, "agent/yaap") {
		t.Errorf("%v:\n%s", err, out)
	}
	if out, err := inspected(t, home, "wire", "--file", filepath.Join(home, "frames.jsonl")); err != nil || !strings.Contains(out, "→ request tools/call calc") {
		t.Errorf("%v:\n%s", err, out)
	}
	if _, err := inspected(t, home, "experts"); core.CodeOf(err) != core.CodeNotFound || !strings.Contains(err.Error(), "No room is open") {
		t.Errorf("experts without a room: %v", err)
	}
}

func TestADirectoryInWhichNothingHasHappenedIsSaidToBeOne(t *testing.T) {
	home := t.TempDir()
	_, err := inspected(t, home)
	if exitCode(err) != exitFailed || !strings.Contains(err.Error(), "Nothing has happened in") || !strings.Contains(err.Error(), "yaap opens a room there") {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(home); len(left) > 0 {
		t.Errorf("%v was made", left)
	}
	for _, args := range [][]string{{"nonsense"}, {"--output", "xml"}, {"memory", "--follow"}, {"events", "audit"}} {
		if _, err := inspected(t, home, args...); exitCode(err) != exitUsage || core.HintOf(err) == "" {
			t.Errorf("%v: %v", args, err)
		}
	}
	if _, err := inspected(t, home, "--thread", "nosuch"); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("got %v", err)
	}
}
