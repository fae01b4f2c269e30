package diagram

import (
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
)

func TestSequenceOfAPromptWithACall(t *testing.T) {
	root := core.Scope{Run: "r"}
	got := SequenceMermaid([]core.Event{
		{Scope: root, Body: core.RunStart{Runner: "agent/chat", Prompt: "What is 12 % of 840?"}},
		{Scope: root, Body: core.ToolCallStart{Call: "1", Tool: "calc", Expert: "calc"}},
		{Scope: root, Body: core.ToolCallStart{Call: "2", Tool: "now", Expert: "clock"}},
		{Scope: root, Body: core.ToolCallEnd{Call: "2", Tool: "now", Status: core.ToolError, Text: "no such zone"}},
		{Scope: root, Body: core.ToolCallEnd{Call: "1", Tool: "calc", Status: core.ToolSuccess, Text: "100.8"}},
		{Scope: root, Body: core.FinalOutput{Reply: core.Reply{Message: "It is\n100.8."}}},
		{Scope: root, Body: core.RunEnd{Outcome: "completed"}},
	})
	want := `sequenceDiagram
  actor p0 as you
  participant p1 as yaap
  participant p2 as calc
  participant p3 as clock
  p0->>p1: What is 12 #37; of 840#63;
  p1->>p2: calc
  p1->>p3: now
  p3--xp1: no such zone
  p2-->>p1: 100.8
  p1-->>p0: It is 100.8#46;
`
	must.Equal(t, want, got)
}

func TestSequenceOfAChainThatAsks(t *testing.T) {
	root := core.Scope{Run: "r"}
	node := core.Scope{Run: "r/write", Parent: "r", Node: "write"}
	below := core.Scope{Run: "r/write/1", Parent: "r/write"}
	got := SequenceMermaid([]core.Event{
		{Scope: root, Body: core.RunStart{Runner: "chain/review", Prompt: "go"}},
		{Scope: root, Body: core.NodeStart{Node: "write", Visit: 2, Attempt: 1}},
		{Scope: node, Body: core.RunStart{Runner: "agent/writer", Prompt: "inner"}},
		{Scope: below, Body: core.ToolCallStart{Call: "1", Tool: "read", Expert: "files"}},
		{Scope: below, Body: core.ToolCallEnd{Call: "1", Tool: "read", Status: core.ToolSuccess, Text: "abc"}},
		{Scope: node, Body: core.FinalOutput{Reply: core.Reply{Message: "inner"}}},
		{Scope: root, Body: core.NodeEnd{Node: "write", State: core.NodeCompleted, Message: "a draft"}},
		{Scope: root, Body: core.EdgeTaken{From: "write", To: "approve", Taken: true, Condition: "default"}},
		{Scope: root, Body: core.EdgeTaken{From: "write", To: "end", Condition: "data.x"}},
		{Scope: root, Body: core.ClarificationRequested{ID: "q", Question: "Publish"}},
		{Scope: root, Body: core.ChainPaused{Node: "approve", Pause: core.Pause{ID: "q", Question: "Publish"}}},
		{Scope: root, Body: core.ClarificationProvided{ID: "q", Selected: "yes"}},
		{Scope: root, Body: core.ChainResumed{Node: "approve", Answer: &core.Answer{Pause: "q", Text: "yes"}}},
		{Scope: root, Body: core.RunEnd{Outcome: "error", Error: "too long"}},
	})
	want := `sequenceDiagram
  actor p0 as you
  participant p1 as yaap
  participant p2 as write
  participant p3 as files
  participant p4 as approve
  p0->>p1: go
  p1->>p2: visit 2
  p2->>p3: read
  p3-->>p2: abc
  p2-->>p1: a draft
  Note over p2: to approve#58; default
  p1->>p0: Publish
  p0-->>p1: yes
  p1--xp0: too long
`
	must.Equal(t, want, got)
}

func TestSequenceOfALongRunStaysSmallEnoughToBeDrawn(t *testing.T) {
	var events []core.Event
	for range 5000 {
		events = append(events, core.Event{Body: core.ExpertJoined{Name: strings.Repeat("%", 100)}})
	}
	got := SequenceMermaid(events)
	if len(got) > 50_000 {
		t.Errorf("%d bytes", len(got))
	}
	if !strings.Contains(got, " more events\n") {
		t.Errorf("it does not say that there is more: …%s", got[len(got)-100:])
	}
}
