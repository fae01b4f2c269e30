package tui

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
)

// lookedAt is a room as it can be looked at from another terminal.
type lookedAt struct {
	*fake
	room  context.Context // ends with the room
	known bool            // that it has ended
}

func (l *lookedAt) Open() bool { return l.room.Err() == nil }

func (l *lookedAt) Missing(inspector string) string { return "There are no " + inspector + " to see." }

// Next returns with nothing when the room has ended.
func (l *lookedAt) Next(ctx context.Context) ([]core.Event, error) {
	either, stop := context.WithCancel(ctx)
	defer stop()
	if !l.known {
		defer context.AfterFunc(l.room, stop)() //nolint:contextcheck // it is the end of a room
	}
	events, err := l.fake.Next(either)
	if err != nil && ctx.Err() == nil {
		l.known, err = true, nil
	}
	return events, err
}

func inspectIn(t *testing.T, w, h int, inspector string, f *fake) (x *terminal, endRoom func()) {
	t.Helper()
	room, endRoom := context.WithCancel(t.Context())
	return start(t, setup{w: w, h: h, o: Options{Dir: "/home/ada/notes"}}, inspecting{InspectBackend: &lookedAt{fake: f, room: room}, pane: inspector}), endRoom
}

// hourless is a screen without the times of day.
func hourless(s string) string {
	return regexp.MustCompile(`\d\d:\d\d:\d\d`).ReplaceAllString(s, "12:02:11")
}

func TestAnInspectorStandsAloneBesideTheRoom(t *testing.T) {
	for _, c := range []struct{ w, h int }{{38, 9}, {80, 24}, {200, 60}} {
		t.Run(fmt.Sprintf("%dx%d", c.w, c.h), func(t *testing.T) {
			x, _ := inspectIn(t, c.w, c.h, "experts", settled())
			x.goldenOf(hourless, "files")
		})
	}
}

func TestKeysChangeTheInspectorAndNoneOfThemTouchesTheRoom(t *testing.T) {
	x, endRoom := inspectIn(t, 100, 30, "events", settled())
	x.see("─ EVENTS ─")
	x.press("tab")
	x.see("─ AUDIT ─")
	x.press("shift+tab")
	x.see("─ EVENTS ─")
	for _, row := range paneTable() {
		x.press(row.key)
		x.see("─ " + strings.ToUpper(row.title) + " ─")
	}
	x.press("f4")
	x.see("There are no chain to see.")
	x.press("c")
	x.see("this only looks")
	x.press("ctrl+p", "ctrl+s", "ctrl+n", "enter", "f6", "/", "calc", "enter")
	s := x.wait("filter that is kept", func(s string) bool {
		return strings.Contains(s, "EVENTS /calc") && !strings.Contains(s, "enter keeps")
	})
	if strings.Contains(s, "Commands") || strings.Contains(s, "clock") {
		t.Error(s)
	}
	x.press("/")
	x.see("enter keeps")
	x.press("esc")
	x.gone("enter keeps")
	x.press("?")
	if s := x.see("another inspector"); strings.Contains(s, "send") || strings.Contains(s, "cancel the run") {
		t.Error(s)
	}
	x.press("esc")
	x.gone("another inspector")
	endRoom()
	x.see("no room is open")
	x.press("q")
	x.left()
}

func TestWhatHappensWhileAnInspectorIsOpenIsSeenAtTheEnd(t *testing.T) {
	f := settled()
	x, _ := inspectIn(t, 100, 30, "events", f)
	x.see("expert_joined")
	for i := range 40 {
		f.emit(core.Scope{Thread: fmt.Sprint("t", i), Run: fmt.Sprint("r", i)}, core.RunStart{Runner: "agent/yaap", Prompt: fmt.Sprint("question ", i)})
	}
	x.see("question 39")
	x.press("k", "k")
	f.emit(core.Scope{Thread: "t", Run: "r"}, core.RunStart{Runner: "agent/yaap", Prompt: "one more"})
	x.press("G")
	x.see("one more")
}

func TestAnInspectorIsListedInPlainRows(t *testing.T) {
	f := settled()
	room := t.Context()
	events := slices.Clone(f.events)
	f.events = nil
	for name, want := range map[string][]string{
		"events": {"expert_joined", "calc"}, "experts": {"calc", "idle", "latency"}, "audit": {"agent/yaap"}, "memory": {"ENTRIES"},
	} {
		f.audit = []core.AuditEntry{{Seq: 1, Row: core.AuditRow{Actor: "agent/yaap"}}}
		rows := ListRows(t.Context(), Options{}, name, &lookedAt{fake: f, room: room}, events, 90)
		text := strings.Join(rows, "\n")
		for _, words := range want {
			if !strings.Contains(text, words) {
				t.Errorf("%s lacks %q:\n%s", name, words, text)
			}
		}
		if strings.Contains(text, "\x1b") || strings.Contains(text, "Exact arithmetic") {
			t.Errorf("%s is styled, or tells all about one:\n%q", name, text)
		}
	}
	if diff := cmp.Diff([]string{"", " There are no events to see."}, ListRows(t.Context(), Options{}, "events", &lookedAt{fake: f, room: room}, nil, 90)); diff != "" {
		t.Error(diff)
	}
}
