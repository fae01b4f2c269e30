package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
)

// withAudit is a room whose audit log holds three replies.
func withAudit() *fake {
	f := settled()
	rows := []core.AuditRow{
		{Actor: "agent/yaap", Node: "write", Model: "offline", Tokens: 412, MS: 1400, AuditReply: core.AuditReply{Said: "ok", Status: core.StatusSuccess, Thought: "Leases matter most.", Message: "Release notes for 0.3", Data: `{"words":1204}`, Outcome: "read"}},
		{Actor: "expert/weather", MS: 90, AuditReply: core.AuditReply{Said: core.StatusSuccess, Status: core.StatusSuccess, Thought: "The 12:00 run is newer.", Message: "Light rain from 15:00", Outcome: "repaired"}},
		{Actor: "agent/yaap", Node: "review", MS: 900, AuditReply: core.AuditReply{Said: "retry_with_instruction", Status: core.StatusFailure, Thought: "A claim lacks a commit.", Message: "Name the commit of each claim.", Data: `{"score":0.5,"missing":["commit for leases","commit for drain"]}`, Outcome: "read", Severity: "error"}},
	}
	hash := func(i int) string { return fmt.Sprintf("%064x", i*0x9f3a771b) }
	for i, row := range rows {
		row.Time, row.Run = f.now.Add(time.Duration(i)*time.Second), "run1"
		f.audit = append(f.audit, core.AuditEntry{Seq: int64(i + 1), Row: row, PrevHash: hash(i), Hash: hash(i + 1)})
	}
	f.report = core.AuditReport{Rows: 3, Head: core.AuditHead{Rows: 3, Hash: hash(3)}}
	return f
}

func TestTheAuditInspector(t *testing.T) {
	for _, c := range []struct{ w, h int }{{80, 24}, {120, 40}, {200, 60}} {
		t.Run(fmt.Sprintf("%dx%d", c.w, c.h), func(t *testing.T) {
			x := start(t, setup{w: c.w, h: c.h, o: Options{Title: "infra-notes", Model: "offline"}}, withAudit())
			x.press("f7")
			x.see("A claim lacks a commit.")
			x.goldenOf(func(s string) string {
				before, after, _ := strings.Cut(s, "checked ")
				return before + "checked 12:02:11" + after[min(len("12:02:11"), len(after)):]
			}, "intact", "checked ")
		})
	}
}

func TestTheAuditInspectorLeavesTheRoomToTheMessage(t *testing.T) {
	f := withAudit()
	f.audit = []core.AuditEntry{{Seq: 1, Row: core.AuditRow{Actor: "agent/yaap", AuditReply: core.AuditReply{Status: core.StatusSuccess, Message: "17:26 in Tokyo, Sunday 29 November (9 h ahead of you)"}}}}
	x := start(t, setup{w: 80, h: 24}, f)
	x.press("f7")
	x.see("  agent/yaap  success  17:26 in Tokyo, Sunday 29 November (9 h ")
}

func TestTheAuditLogIsSearchedAndCheckedAgain(t *testing.T) {
	f := withAudit()
	x := start(t, setup{w: 120, h: 40}, f)
	x.press("/audit", "enter")
	x.see("✓ intact")
	x.see("retry_with_instruction → failure")
	x.press("j")
	x.see("it had to be repaired")
	x.press("/", "leases matter", "enter")
	x.see("AUDIT /leases matter")
	x.see("#1 agent/yaap at write")
	x.gone("expert/weather")
	f.mu.Lock()
	f.report = core.AuditReport{Rows: 3, Faults: []core.AuditFault{{Row: 2, Why: "its text is not what its hash says"}}}
	f.mu.Unlock()
	x.press("r")
	x.see("✗ broken at #2  ·  its text is not what its hash says")
	x.press("/", "esc")
	x.see("expert/weather")
}

func TestAnAuditLogWithoutRowsIsNotCalledIntact(t *testing.T) {
	x := start(t, setup{w: 120, h: 40}, settled())
	x.press("/audit", "enter")
	x.see("0 rows  ·  no head was kept, so nothing shows whether there were more")
	x.gone("intact")
}

func TestTheAuditLogIsReadOnASmallScreen(t *testing.T) {
	f := withAudit()
	f.audit[0].Row.Message = "The answer is **5**."
	x := start(t, setup{w: 40, h: 12}, f)
	x.press("/audit", "enter")
	x.see("✗  Name the c", "✓  The answer")
	x.press("down", "down")
	if s := x.see("#1 agent/yaap"); strings.Contains(s, "**") {
		t.Errorf("there are marks of Markdown:\n%s", s)
	}
}

func TestTheColumnsOfTheAuditLogStayWhileItIsScrolled(t *testing.T) {
	f := withAudit()
	widest := f.audit[2]
	f.audit = []core.AuditEntry{widest}
	for i := range 60 {
		f.audit = append(f.audit, core.AuditEntry{Seq: widest.Seq + int64(i) + 1, Row: core.AuditRow{Actor: "agent/yaap", AuditReply: core.AuditReply{Status: core.StatusSuccess, Message: "It is answered."}}})
	}
	x := start(t, setup{w: 120, h: 40}, f)
	at := func(message string) int {
		for row := range strings.Lines(x.see(message)) {
			if before, _, ok := strings.Cut(row, message); ok && strings.Contains(row, ":") {
				return width(before)
			}
		}
		return -1
	}
	x.press("f7")
	first := at("It is answered.")
	x.press("G")
	if last := at("Name the commit"); first != last {
		t.Errorf("the message stands in column %d, and below in %d", first, last)
	}
}
