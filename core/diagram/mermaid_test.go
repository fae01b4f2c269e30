package diagram

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
)

func TestMermaid(t *testing.T) {
	g := Graph{
		Name: `review "loop"`,
		Nodes: []Node{
			{ID: "write", Kind: "agent", State: core.NodeCompleted, Visits: 2, MS: 1400},
			{ID: "good?", Kind: "condition"},
		},
		Edges: []Edge{
			{From: "write", To: "good?", Taken: true},
			{From: "good?", To: "write", Label: "data.score < 0.8", Back: true},
			{From: "good?", To: "end", Label: "default"},
		},
	}
	want := `---
title: "review \x22loop\x22"
---
flowchart TD
  n0["#10003; write<br/>agent<br/>#215;2 1.4 s"]
  n1{"#183; good#63;<br/>condition"}
  n2(["#183; end"])
  n0 ==> n1
  n1 -.->|"data.score #60; 0.8"| n0
  n1 -->|"default"| n2
  classDef completed stroke:#2da44e,stroke-width:2px
  class n0 completed
`
	must.Equal(t, want, Mermaid(g))
}

func TestMermaidEscapesWhatAParserMightObey(t *testing.T) {
	for in, want := range map[string]string{
		`a"]; click n0 call x()`:            "a#34;#93;#59; click n0 call x#40;#41;",
		"%%{init: {}}%%":                    "#37;#37;#123;init#58; #123;#125;#125;#37;#37;",
		"<script>":                          "#60;script#62;",
		"`**md**`":                          "#96;#42;#42;md#42;#42;#96;",
		"$$x$$":                             "#36;#36;x#36;#36;",
		"1. a list":                         "1#46; a list",
		"- a list":                          "#45; a list",
		`line\nbreak`:                       "line#92;nbreak",
		"#quot;":                            "#35;quot#59;",
		"data.retry_count is 1.5, on-error": "data.retry_count is 1.5#44; on-error",
		"日本語 über":                          "日本語 über",
	} {
		if got := mermaidText(in); got != want {
			t.Errorf("mermaidText(%q)\n got %q\nwant %q", in, got, want)
		}
	}
}

func TestDOT(t *testing.T) {
	g := Graph{
		Name: `a "b" \c`,
		Nodes: []Node{
			{ID: "write", Kind: "agent", State: core.NodeFailed, Note: "no & &lt;"},
			{ID: "good", Kind: "condition"},
		},
		Edges: []Edge{
			{From: "write", To: "good", Taken: true},
			{From: "good", To: "write", Label: `data.x == "\N"`, Back: true},
			{From: "good", To: "end"},
		},
	}
	want := `digraph "a \"b\" \\c" {
  rankdir=TB
  node [shape=box, style=rounded]
  n0 [label="✗ write\nagent\nfailed\nno &amp; &amp;lt;", color="#cf222e"]
  n1 [label="· good\ncondition", shape=diamond, style=solid]
  n2 [label="· end", shape=oval, style=solid]
  n0 -> n1 [penwidth=2]
  n1 -> n0 [label="data.x == \"\\N\"", style=dashed, constraint=false]
  n1 -> n2
}
`
	must.Equal(t, want, DOT(g))
}

// The shapes that a line may have, whatever the texts are.
var (
	mermaidLine = regexp.MustCompile(`^(---|title: "[^"]*"|flowchart TD` +
		`|  n\d+(\["[^"]*"\]|\{"[^"]*"\}|\(\["[^"]*"\]\))` +
		`|  n\d+ (-->|==>|-\.->)(\|"[^"]*"\|)? n\d+` +
		`|  classDef [a-z]+ stroke:#[0-9a-f]{6},stroke-width:2px|  class n\d+(,n\d+)* [a-z]+)$`)
	mermaidLabel = regexp.MustCompile(`["|]([^"]*)"[\]\}|]`)
	entity       = regexp.MustCompile(`#\d+;|<br/>`)
	dotLine      = regexp.MustCompile(`^(digraph "([^"\\]|\\.)*" \{|\}|  rankdir=TB|  node \[shape=box, style=rounded\]` +
		`|  n\d+ \[label="([^"\\]|\\.)*"[^"]*("#[0-9a-f]{6}")?\]` +
		`|  n\d+ -> n\d+( \[(label="([^"\\]|\\.)*")?[^"]*\])?)$`)
	sequenceLine = regexp.MustCompile(`^(sequenceDiagram|  (actor|participant) p\d+ as [^:]*` +
		`|  p\d+(->>|-->>|--x)p\d+: [^:]+|  Note over p\d+: [^:]+)$`)
)

func FuzzNoTextBreaksOut(f *testing.F) {
	for _, s := range []string{
		"plain", `"]`, `\`, `a\"b`, "a\nn9 --> n8", "%%{init: {\"securityLevel\": \"loose\"}}%%", "-->", "|", "`x`",
		"#quot;", "&quot;", "\x00\x1b]0;x\a", "\xff\xfe", "\u2028end\u2029", "style a fill:#f00;", "---\ntitle: x\n---", "日本語", "😀‍😀",
	} {
		f.Add(s, "other")
		f.Add("other", s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		g := Graph{
			Name: a,
			Nodes: []Node{
				{ID: a, Kind: b, Label: a, State: core.NodeState(b), Note: a},
				{ID: "x" + b, Kind: "condition", State: core.NodeRunning},
			},
			Edges: []Edge{{From: a, To: b, Label: a}, {From: "x" + b, To: a, Label: b, Taken: true}, {From: b, To: a}},
		}
		safe(t, "Mermaid", Mermaid(g), mermaidLine)
		for _, m := range mermaidLabel.FindAllStringSubmatch(Mermaid(g), -1) {
			if rest := entity.ReplaceAllString(m[1], ""); strings.ContainsAny(rest, "#;<>&%`\\:{}()[]$*'\"|@~^=+!?/,") {
				t.Errorf("a label holds %q", m[1])
			}
		}
		safe(t, "DOT", DOT(g), dotLine)
		safe(t, "Sequence", SequenceMermaid(hostile(a, b)), sequenceLine)
		safe(t, "ASCII", ASCII(g, 40), nil)
		if a != "" && b != "" { // a node without an id is drawn, but its spans do not tell it from a line
			checkRows(t, g, 40, false)
		}
	})
}

func hostile(a, b string) []core.Event {
	s := core.Scope{Run: a}
	var events []core.Event
	for _, body := range []core.Body{
		core.RunStart{Prompt: a},
		core.NodeStart{Node: a, Visit: 2},
		core.ToolCallStart{Call: b, Tool: b, Expert: a},
		core.ToolCallEnd{Call: b, Expert: a, Text: b},
		core.NodeEnd{Node: a, State: core.NodeFailed, Error: b},
		core.EdgeTaken{From: a, To: b, Taken: true, Condition: b},
		core.ClarificationRequested{ID: a, Question: b},
		core.ClarificationProvided{ID: a, Selected: b},
		core.ExpertLeft{Name: b, Reason: core.LeaveReason(a)},
		core.RunEnd{Error: a},
	} {
		events = append(events, core.Event{Scope: s, Body: body})
	}
	return events
}

// safe checks that text is lines of the shape given, and nothing in it is hidden.
func safe(t *testing.T, what, text string, shape *regexp.Regexp) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%s is not UTF-8: %q", what, text)
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if i := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("%s holds %q in %q", what, line[i:], line)
		}
		if shape != nil && !shape.MatchString(line) {
			t.Errorf("a line of %s is %q", what, line)
		}
	}
}
