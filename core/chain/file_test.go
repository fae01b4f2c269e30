package chain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/yaap-chat/yaap/core/must"
)

const everything = `# all that a file may say
chain: 1
name: triage
description: sorts
version: 1.0
inputs:
  question: {type: string, description: what to sort}
  depth:
    type: integer
    default: 2
vars: {limit: 3, list: [a, 1.5, true, null], big: 9007199254740992}
limits: {steps: 50, timeout: 2m, parallel: 2}
dynamic_routing: true
on_error: handler
output: {message: "{{worker.message}}", data: {n: "{{worker.data.count}}"}}
nodes:
  finder:
    agent: yaap
    system: |
      Find.

        Well.
    prompt: "Find {{input.question}}"
    tools: []
    fanout: true
    max_visits: 3
    retries: 2
    timeout: 60s
    idle_timeout: 20s
    data_schema: {type: object, properties: {z: {type: array}, a: {type: string}}}
  worker:
    function: set
    input: {x: "{{item}}", deep: [{y: "{{index}}"}]}
    input_schema: {type: object}
    for_each: {over: "{{finder.data.z}}", as: file, max_items: 10, parallel: 3, on_failure: collect}
    join: first_success
    retries: {max: 1, backoff: 2s}
  expert: {expert: calc, prompt: x, if_absent: wait, join: 2, tools: [a, b]}
  sum: {aggregate: concat, join: any}
  choose: {condition: true, join: all}
  handler: {chain: other, input: {}}
edges:
  - {from: start, to: finder}
  - from: finder
    to: worker
    when: response.status == "success"
    label: found
  - {from: worker, to: end, default: true}
  - {from: worker, to: handler, on_error: true}
  - {from: worker, to: sum, on: clarification}
`

func everythingSpec() Spec {
	return Spec{
		Name: "triage", Description: "sorts", Version: "1.0",
		Inputs: json.RawMessage(`{"type":"object","properties":{"question":{"type":"string","description":"what to sort"},` +
			`"depth":{"type":"integer","default":2}},"required":["question"],"additionalProperties":false}`),
		Vars:    map[string]any{"limit": 3.0, "list": []any{"a", 1.5, true, nil}, "big": float64(1 << 53)},
		Limits:  Limits{Steps: 50, Timeout: 2 * time.Minute, Parallel: 2},
		Dynamic: true, OnError: "handler",
		Output: Output{Message: "{{worker.message}}", Data: map[string]any{"n": "{{worker.data.count}}"}, Pos: Pos{15, 9}},
		Nodes: []Node{
			{
				ID: "finder", Kind: KindAgent, Name: "yaap", System: "Find.\n\n  Well.\n", Prompt: "Find {{input.question}}",
				Tools: []string{}, Fanout: true, MaxVisits: 3, Attempts: Attempts{Retries: 2, Timeout: time.Minute, Idle: 20 * time.Second},
				Schemas: Schemas{Data: json.RawMessage(`{"type":"object","properties":{"z":{"type":"array"},"a":{"type":"string"}}}`)}, Pos: Pos{17, 3},
			},
			{
				ID: "worker", Kind: KindFunction, Name: "set",
				Input:   map[string]any{"x": "{{item}}", "deep": []any{map[string]any{"y": "{{index}}"}}},
				Schemas: Schemas{Input: json.RawMessage(`{"type":"object"}`)},
				Each:    &Each{Over: "{{finder.data.z}}", As: "file", MaxItems: 10, Parallel: 3, Failure: Collect},
				Join:    Join{Kind: JoinFirst}, Attempts: Attempts{Retries: 1, Backoff: 2 * time.Second}, Pos: Pos{31, 3},
			},
			{ID: "expert", Kind: KindExpert, Name: "calc", Prompt: "x", Absent: AbsentWait, Join: Join{Kind: JoinCount, N: 2}, Tools: []string{"a", "b"}, Pos: Pos{38, 3}},
			{ID: "sum", Kind: KindAggregate, Name: "concat", Join: Join{Kind: JoinAny}, Pos: Pos{39, 3}},
			{ID: "choose", Kind: KindCondition, Join: Join{Kind: JoinAll}, Pos: Pos{40, 3}},
			{ID: "handler", Kind: KindChain, Name: "other", Input: map[string]any{}, Pos: Pos{41, 3}},
		},
		Edges: []Edge{
			{From: Start, To: "finder", Pos: Pos{43, 5}},
			{From: "finder", To: "worker", When: `response.status == "success"`, Label: "found", Pos: Pos{44, 5}, WhenPos: Pos{46, 11}},
			{From: "worker", To: End, Default: true, Pos: Pos{48, 5}},
			{From: "worker", To: "handler", OnError: true, Pos: Pos{49, 5}},
			{From: "worker", To: "sum", On: "clarification", Pos: Pos{50, 5}},
		},
	}
}

func TestAFileSaysAllThatASpecCan(t *testing.T) {
	got, faults := Parse("triage.yaml", []byte(everything))
	if len(faults) > 0 {
		t.Fatalf("%+v", faults)
	}
	must.Equal(t, everythingSpec(), got, cmpopts.IgnoreUnexported(Spec{}))
}

func TestJSONIsReadAndItsPlacesAreRight(t *testing.T) {
	src := "{\r\n\t\"chain\": 1, \"name\": \"t\\u00e9\\ud83d\\ude00\",\r\n\t\"nodes\": {\"a\": {\"agent\": \"y\", \"prompt\": \"say \\\"{{nobody.x}}\\\"\"}},\r\n" +
		"\t\"edges\": [{\"from\": \"start\", \"to\": \"a\"}, {\"from\": \"a\", \"to\": \"end\", \"when\": \"x == \\\"ü\\\" y\"}]\r\n}"
	got, faults := Parse("t.json", []byte(src))
	if len(faults) > 0 || got.Name != "té😀" {
		t.Fatalf("%q %+v", got.Name, faults)
	}
	for path, word := range map[string]string{"nodes.a.prompt": "nobody", "edges.1.when": "y", "edges.1.to": "end", "nodes.a.agent": "y"} {
		p := got.places[path]
		checkPlace(t, src, path, p.at(strings.LastIndex(p.value, word)), word)
	}
}

func checkPlace(t *testing.T, src, path string, at Pos, word string) {
	t.Helper()
	line := []rune(newSource(src).line(at.Line))
	if at.Col < 1 || at.Col > len(line) || !strings.HasPrefix(string(line[at.Col-1:]), word) {
		t.Errorf("%s: %d:%d is in %q, not at %q", path, at.Line, at.Col, string(line), word)
	}
}

// Each text holds the word HERE; wherever YAML hides it, its place is found.
func TestThePlaceInsideATextIsFoundHoweverItIsWritten(t *testing.T) {
	for name, prompt := range map[string]string{
		"plain":            `ask HERE now`,
		"plain, wide":      `"äöü 😀 日本 HERE now"`,
		"plain, two lines": "ask\n      for   HERE now",
		"single quotes":    `'it''s ''HERE'' now'`,
		"double quotes":    `"a \"b\" \n\t\\ \u00e9 \x41 \ud83d\ude00 HERE"`,
		"folded quotes":    "\"a\n\n      b HERE\"",
		"continued":        "\"a\\\n      bHERE\"",
		"literal":          "|\n      one\n\n        two HERE\n      three",
		"literal, strip":   "|-\n\n      HERE",
		"folded":           ">\n      one\n      two HERE\n\n      three",
		"folded, keep":     ">+\n      one\n\n\n      HERE\n\n",
		"after a comment":  "\"HERE\" # HERE",
	} {
		t.Run(name, func(t *testing.T) {
			for _, end := range []string{"\n", "\r\n"} {
				src := "chain: 1\nname: t1\nnodes:\n  ä: {agent: \"é\\u00e9\"}\n  a:\n    prompt: " + prompt + "\n    agent: LAST\nedges: []\n"
				src = strings.ReplaceAll(src, "\n", end)
				got, faults := Parse("t.yaml", []byte(src))
				if len(faults) > 0 {
					t.Fatalf("%+v", faults)
				}
				p := got.places["nodes.a.prompt"]
				checkPlace(t, src, name, p.at(strings.Index(p.value, "HERE")), "HERE")
				checkPlace(t, src, name, got.places["nodes.a.agent"].at(0), "LAST")
			}
		})
	}
}

func TestRubbishGetsOneFaultWithItsPlace(t *testing.T) {
	for name, tc := range map[string]struct{ src, want string }{
		"nothing":         {"", "1:1: the file is empty"},
		"only a comment":  {"# nothing\n", "1:1: the file is empty"},
		"a NUL byte":      {"chain: 1\nna\x00me: x\n", "2:3: the file is not text: here is a NUL byte"},
		"Latin 1":         {"chain: 1\nname: \xe4\n", "2:7: the file is not UTF-8: here is the byte 0xE4"},
		"UTF-16":          {"\xff\xfec\x00h\x00", "1:1: the file is not UTF-8: here is the byte 0xFF"},
		"old Mac lines":   {"chain: 1\rname: x\r", "1:9: here is a control character, U+000D"},
		"an escape":       {"chain: 1\nname: \x1b[31m\n", "2:7: here is a control character, U+001B"},
		"10 MB":           {strings.Repeat("x", 10<<20), "1:1: the file has 10.0 MB; a chain has at most 1 MB"},
		"not YAML":        {"chain: 1\nname: [a, b\n", "2:7: this is not YAML: sequence end token ']' not found"},
		"a bare brace":    {"chain: 1\n}\n", "2:1: this is not YAML: non-map value is specified"},
		"prose":           {"Dear chain, please work.", "1:1: the chain is text, but must be a mapping"},
		"a number":        {"42", "1:1: the chain is a number, but must be a mapping"},
		"a list":          {"- a\n- b\n", "1:1: the chain is a list, but must be a mapping"},
		"two documents":   {"chain: 1\n---\nchain: 1\n", "2:1: a second document begins here"},
		"an anchor":       {"chain: 1\nvars: &a {x: 1}\n", "2:7: anchors and aliases (&, *, <<) are not allowed"},
		"an alias":        {"chain: 1\nvars: *a\n", "2:7: anchors and aliases (&, *, <<) are not allowed"},
		"a tag":           {"chain: 1\nname: !!binary aGk=\n", "2:7: tags (!) are not allowed"},
		"a directive":     {"%YAML 1.1\n---\nchain: 1\n", "1:1: directives (%) are not allowed"},
		"a complex key":   {"? chain\n: 1\n", "1:1: keys with ? are not allowed"},
		"deep":            {"vars: " + strings.Repeat("[", 100_000), "1:71: this is nested deeper than 64 levels"},
		"dashes":          {"a:\n  " + strings.Repeat("- ", 100_000), "2:131: this is nested deeper than 64 levels"},
		"indented":        {stairs(1000), "65:66: this is nested deeper than 64 levels"},
		"many keys":       {manyKeys("k%d: v\n", 10_000), "2001:6: more than 2000 keys in one mapping"},
		"many nothings":   {strings.Repeat("-\n", 20_000), "2002:1: more than 2000 values are empty"},
		"many tokens":     {"[" + strings.Repeat("a,", 500_000) + "]", "1:200001: the file is too large from here on"},
		"the famous bomb": {bomb(), "1:4: anchors and aliases (&, *, <<) are not allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, faults := Parse("t.yaml", []byte(tc.src))
			runtime.ReadMemStats(&after)
			if len(faults) == 0 {
				t.Fatal("no fault")
			}
			f := faults[0]
			must.Equal(t, tc.want, fmt.Sprintf("%d:%d: %s", f.Pos.Line, f.Pos.Col, f.Message))
			if len(faults) > 1 {
				t.Errorf("more faults: %+v", faults[1:])
			}
			if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 256 {
				t.Errorf("it took %d MB", mb)
			}
		})
	}
}

func stairs(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func manyKeys(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func bomb() string {
	var b strings.Builder
	b.WriteString("a: &a [lol,lol,lol,lol,lol,lol,lol,lol,lol]\n")
	for c := 'b'; c <= 'z'; c++ {
		fmt.Fprintf(&b, "%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat("*"+string(c-1)+",", 9), ","))
	}
	return b.String()
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(everything))
	f.Add([]byte(bomb()))
	f.Add([]byte("chain: 1\nnodes: {a: {prompt: {{x}}}}\nedges: [{from: a, to: \"\\u12\"}]"))
	f.Add([]byte("a: |\n\n'b': >-\n  - ? : {[\"\\\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		spec, faults := Parse("t.yaml", src)
		lines := bytes.Count(src, []byte("\n")) + 1
		for _, fault := range faults {
			if fault.Message == "" || fault.Pos.Line < 1 || fault.Pos.Line > lines+1 || fault.Pos.Col < 1 {
				t.Errorf("%+v in a file of %d lines", fault, lines)
			}
		}
		for _, p := range spec.places {
			p.at(len(p.value))
		}
	})
}

func largest() []byte {
	var b strings.Builder
	b.WriteString("chain: 1\nname: largest\nnodes:\n")
	for i := range maxNodes {
		fmt.Fprintf(&b, "  n%d: {agent: yaap, prompt: x, max_visits: 2}\n", i)
	}
	b.WriteString("edges:\n  - {from: start, to: n0}\n  - {from: n0, to: end}\n")
	for i := range maxEdges - 2 {
		fmt.Fprintf(&b, "  - {from: n%d, to: n%d, when: response.data.x == %d}\n", i%maxNodes, (i+1+i/maxNodes)%maxNodes, i)
	}
	return []byte(b.String())
}

func TestTheLargestChainIsRead(t *testing.T) {
	src := largest()
	spec, faults := Parse("t.yaml", src)
	if len(faults) > 0 || len(spec.Nodes) != maxNodes || len(spec.Edges) != maxEdges {
		t.Errorf("%d bytes, %d nodes, %d edges, %+v", len(src), len(spec.Nodes), len(spec.Edges), faults)
	}
	if faults := Check(spec, Known{}); len(faults) > 0 {
		t.Errorf("%+v", faults[0])
	}
}

func BenchmarkParse(b *testing.B) {
	for name, src := range map[string][]byte{"small": []byte(everything), "largest": largest()} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Parse("t.yaml", src)
			}
		})
	}
}
