package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/room"
	"github.com/yaap-chat/yaap/core/store"
)

// openDemo shows the demo on a terminal of that size. All of its files are below dir.
func openDemo(t *testing.T, width, height int, show room.DemoShow, out *bytes.Buffer, keep func(string)) (s *screen, dir string) {
	t.Helper()
	dir = t.TempDir()
	t.Setenv("TMPDIR", dir)
	s = onScreen(t, t.TempDir(), width, height, func(ctx context.Context, p *program) error {
		p.stdout = out
		return p.demo(ctx, show, keep)
	})
	return s, dir
}

// leavesNothing waits until the demo has ended, and looks for what it has left.
func (s *screen) leavesNothing(dir string) {
	s.t.Helper()
	select {
	case <-s.ended:
	case <-time.After(patience):
		s.mu.Lock()
		defer s.mu.Unlock()
		s.t.Fatalf("it does not end:\n%s", s.text())
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		s.t.Errorf("it left %v (%v)", left, err)
	}
	if runtime.GOOS == "linux" {
		nothingIsLeft(s.t, dir)
	}
}

func TestTheDemoShowsEachOfItsScenesAndLeavesNothing(t *testing.T) {
	var out, events bytes.Buffer
	var report core.AuditReport
	s, dir := openDemo(t, 80, 24, room.DemoShow{Scene: 1, Speed: 1000}, &out, func(dir string) {
		err := store.With(t.Context(), filepath.Join(dir, "xdg_state_home", "yaap"), func(ctx context.Context, s *store.Store) (err error) {
			if report, err = s.VerifyAudit(ctx, core.AuditHead{}); err != nil {
				return err
			}
			runs, err := s.Runs(ctx, "", 1000)
			if err != nil {
				return err
			}
			for _, run := range runs {
				stored, err := s.RunEvents(ctx, run.ID)
				if err != nil {
					return err
				}
				for _, e := range stored {
					if err := json.NewEncoder(&events).Encode(e); err != nil {
						return err
					}
				}
			}
			return nil
		})
		must.Report(t, err)
	})
	s.leavesNothing(dir)
	for _, scene := range scenes() { // what is to be seen of each was waited for
		if !regexp.MustCompile(scene.proof).Match(events.Bytes()) {
			t.Errorf("no event of %q, %s, is stored:\n%s", scene.name, scene.proof, events.String())
		}
	}
	if len(report.Faults) > 0 || report.Rows == 0 {
		t.Errorf("the audit log: %+v", report)
	}
	for _, told := range []string{"$ yaap --continue", "intact", "yaap expert new"} {
		if !strings.Contains(out.String(), told) {
			t.Errorf("it does not say %q:\n%s", told, out.String())
		}
	}
}

func TestWhoLeavesTheDemoInTheMiddleLeavesNothingBehind(t *testing.T) {
	var out bytes.Buffer
	s, dir := openDemo(t, 80, 24, room.DemoShow{Scene: 3, Speed: 1, Steps: true}, &out, nil)
	s.see(`3/8`) // clock is in the room
	s.press("\x03")
	s.leavesNothing(dir)
	if strings.Contains(out.String(), "intact") || !strings.Contains(out.String(), "yaap expert new") {
		t.Errorf("it says:\n%s", out.String())
	}
}

func TestTheUserDecidesInTheDemo(t *testing.T) {
	var out bytes.Buffer
	s, dir := openDemo(t, 104, 24, room.DemoShow{Scene: 4, Speed: 1, Steps: true}, &out, nil) // where its keys are short
	s.see(`4/8`)
	s.see(`guestbook wants to act`)
	s.press("n")
	s.see(`Press a to allow it`)
	s.press("d")
	s.see(`denied`)
	s.press("q")
	s.leavesNothing(dir)
}

func TestEachCaptionOfTheDemoFitsARowOfASmallTerminal(t *testing.T) {
	var names []string
	for _, scene := range scenes() {
		names = append(names, scene.name)
		for _, s := range scene.steps {
			if n := len([]rune(s.says)); n == 0 || n > 72 {
				t.Errorf("%q has %d characters", s.says, n)
			}
			if s.sees == "" {
				t.Errorf("nothing is to be seen of %q", s.says)
			}
		}
	}
	slices.Sort(names)
	if len(slices.Compact(names)) != len(scenes()) {
		t.Errorf("two scenes have one name: %v", names)
	}
}
