package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/memory"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/processes"
	"github.com/yaap-chat/yaap/core/room"
	"github.com/yaap-chat/yaap/core/store"
)

// talk is a directory with one conversation, whose prompts are answered by
// programs that are killed.
type talk struct {
	t      *testing.T
	dir    string
	thread string
	asked  []string // the prompts that the program said it had begun to answer
}

// say has a prompt answered, and kills the program a while after so many
// events. It returns how many events there were.
func (k *talk) say(prompt string, lines int, after time.Duration) (seen int) {
	k.t.Helper()
	args := []string{"--builtin", "none", "run", "--json", prompt}
	if k.thread != "" {
		args = append(args, "--thread", k.thread)
	}
	cmd := yaapIn(k.t, k.dir, args...)
	processes.Detach(cmd)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	must.Do(k.t, err)
	out := bufio.NewScanner(pipe)
	out.Buffer(nil, 1<<20)
	kill := func() { _ = cmd.Process.Kill() } // it may have ended
	if lines == 0 {
		defer time.AfterFunc(after, kill).Stop()
	}
	for begun := false; out.Scan(); {
		var e core.Event
		if err := json.Unmarshal(out.Bytes(), &e); err != nil {
			break // it was killed in the middle of a line
		}
		if e.Run != "" && !begun {
			begun = true
			k.asked, k.thread = append(k.asked, prompt), e.Thread
		}
		if seen++; seen == lines {
			defer time.AfterFunc(after, kill).Stop()
		}
	}
	var status *exec.ExitError
	if err := cmd.Wait(); errors.As(err, &status) && status.Exited() && !slices.Contains([]int{exitAnswered, exitClarification}, status.ExitCode()) {
		k.t.Fatalf("%v: %s", err, &complaints)
	}
	return seen
}

func TestARecorderThatIsKilledAnywhereLosesAndDoublesNothing(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // chance, not secrecy
	conversations, kills := 1, 9
	if os.Getenv("YAAP_CI") != "" {
		conversations = 3
	}
	for c := range conversations {
		type moment struct {
			line  float64
			delay time.Duration
		}
		moments := make([]moment, kills)
		for i := range moments {
			moments[i] = moment{random.Float64(), time.Duration(random.Int64N(int64(40 * time.Millisecond)))}
		}
		t.Run(fmt.Sprint("conversation ", c), func(t *testing.T) {
			t.Parallel()
			k := &talk{t: t, dir: t.TempDir()}
			begun := time.Now()
			lines := k.say("Port 8000 is for herons.", -1, 0)
			took := time.Since(begun)
			for i, m := range moments {
				// A third of them by the clock, the others after an event, when
				// what was said is being recorded.
				line, delay := 1+int(m.line*float64(lines)), m.delay
				if i%3 == 0 {
					line, delay = 0, time.Duration(m.line*float64(took))
				}
				k.say(fmt.Sprintf("Port %d is for herons.", 8001+i), line, delay)
			}
			k.say("Port 9000 is for newts.", -1, 0)
			k.check()
		})
	}
}

// check compares what was said with what is remembered.
func (k *talk) check() {
	k.t.Helper()
	ctx := k.t.Context()
	db := must.Get(store.Open(ctx, filepath.Join(k.dir, "state", "yaap")))(k.t)
	defer db.Close() //nolint:errcheck // it was only read
	if report, err := db.VerifyAudit(ctx, core.AuditHead{}); err != nil || len(report.Faults) > 0 {
		k.t.Errorf("kills are taken for tampering: %v, %v", report.Faults, err)
	}
	messages := must.Get(db.Messages(ctx, k.thread))(k.t)
	var said, remembered, history []string
	prompts := map[string]int{}
	for _, m := range messages {
		if strings.TrimSpace(m.Text) != "" && (m.Role == core.RoleUser || m.Role == core.RoleAssistant) {
			said = append(said, m.ID)
		}
		if m.Role == core.RoleUser {
			prompts[m.Text]++
		}
	}
	for _, prompt := range k.asked {
		if prompts[prompt] != 1 {
			k.t.Errorf("%q was acknowledged and is there %d times", prompt, prompts[prompt])
		}
	}
	mem := room.MemoryOf(k.dir)
	for before := int64(0); ; {
		page := must.Get(db.Entries(ctx, mem.ID, core.EntryQuery{Limit: core.MaxEntries, Before: before}))(k.t)
		for _, e := range page {
			remembered = append(remembered, e.Message)
			before = e.Seq
		}
		if len(page) < core.MaxEntries {
			break
		}
	}
	slices.Reverse(remembered)
	if diff := cmp.Diff(said, remembered); diff != "" {
		k.t.Errorf("(-said +remembered)\n%s", diff)
	}
	state := must.Get(memory.NewCheckpointer(db, mem.ID).Load(ctx, k.thread, 0))(k.t)
	for _, m := range state.History {
		if m.Role != core.RoleSystem {
			history = append(history, m.ID)
		}
	}
	if diff := cmp.Diff(said, history); diff != "" {
		k.t.Errorf("the state (-said +history)\n%s", diff)
	}
	k.t.Logf("%d messages were said, %d prompts were acknowledged", len(said), len(k.asked))
}
