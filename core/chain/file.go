package chain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
)

// Version is the version of the file format that [Parse] reads.
const Version = 1

const (
	maxNodes = maxKeys
	maxEdges = 10_000
	maxText  = 200 // bytes of an id, and of other words that are no sentences
)

// Parse reads a chain from YAML or JSON. All faults are found at once; what the
// Spec holds of a file with faults is good for [Check] only. name is the file's.
func Parse(name string, src []byte) (Spec, []Fault) {
	text, fault := sound(src)
	if fault != nil {
		return Spec{places: places{}}, []Fault{*fault}
	}
	root, fault := parseYAML(text)
	if fault != nil {
		return Spec{places: places{}}, []Fault{*fault}
	}
	if root == nil {
		return Spec{places: places{}}, []Fault{{Pos: Pos{1, 1}, Message: "the file is empty", Hint: "begin with: chain: 1"}}
	}
	r := &reader{source: newSource(text), places: places{}}
	if !isMapping(root) {
		r.fault(root, "begin with: chain: 1", "the chain is %s, but must be a mapping", kindOf(root))
		return Spec{places: places{}}, r.faults
	}
	spec := r.spec(root, name)
	spec.places = r.places
	sortFaults(r.faults)
	return spec, r.faults
}

// sound returns the source as text. Its lines end in \n.
func sound(src []byte) (string, *Fault) {
	at := func(i int) Pos {
		line := bytes.Count(src[:i], []byte("\n"))
		return Pos{line + 1, utf8.RuneCount(src[bytes.LastIndexByte(src[:i], '\n')+1:i]) + 1}
	}
	if len(src) > maxSource {
		return "", &Fault{
			Pos: Pos{1, 1}, Message: fmt.Sprintf("the file has %.1f MB; a chain has at most 1 MB", float64(len(src))/maxSource),
			Hint: "put large texts into files that its agents read",
		}
	}
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	for i := 0; i < len(src); {
		c, size := utf8.DecodeRune(src[i:])
		switch {
		case c == 0:
			return "", &Fault{Pos: at(i), Message: "the file is not text: here is a NUL byte", Hint: "save it as UTF-8"}
		case c == utf8.RuneError && size == 1:
			return "", &Fault{Pos: at(i), Message: fmt.Sprintf("the file is not UTF-8: here is the byte 0x%02X", src[i]), Hint: "save it as UTF-8"}
		case c == '\r' && bytes.HasPrefix(src[i:], []byte("\r\n")):
		case c < ' ' && c != '\t' && c != '\n', c == 0x7F:
			return "", &Fault{Pos: at(i), Message: fmt.Sprintf("here is a control character, U+%04X", c), Hint: "remove it"}
		}
		i += size
	}
	return strings.ReplaceAll(string(src), "\r\n", "\n"), nil
}

func (r *reader) spec(root ast.Node, file string) (s Spec) {
	version := 0
	has := r.fields(root, "the chain", "", map[string]field{
		"chain":           r.number(&version, math.MinInt32, math.MaxInt32),
		"name":            r.text(&s.Name),
		"description":     r.text(&s.Description),
		"version":         r.version(&s.Version),
		"inputs":          func(n ast.Node, path string) { s.Inputs = r.inputs(n, path) },
		"vars":            r.object(&s.Vars),
		"limits":          func(n ast.Node, path string) { r.limits(n, path, &s.Limits) },
		"dynamic_routing": r.flag(&s.Dynamic),
		"on_error":        r.text(&s.OnError),
		"output":          func(n ast.Node, path string) { r.output(n, path, &s.Output) },
		"nodes":           func(n ast.Node, path string) { s.Nodes = r.nodes(n, path) },
		"edges":           func(n ast.Node, path string) { s.Edges = r.edges(n, path) },
	})
	switch n := has["chain"]; {
	case n == nil:
		r.fault(root, "write chain: 1 in the first line", "the version of the format is missing")
	case version > Version:
		r.fault(n, "a newer yaap can", "this chain is of version %d of the format; this yaap reads version %d", version, Version)
	case version != Version:
		r.fault(n, "write chain: 1", "there is no version %d of the format", version)
	}
	if has["name"] == nil {
		base := filepath.Base(file)
		base = strings.ToLower(strings.TrimSuffix(base, filepath.Ext(base)))
		if !chainName().MatchString(base) {
			base = "my-chain"
		}
		r.fault(root, "write name: "+base, "the chain has no name")
	}
	for _, need := range []string{"nodes", "edges"} {
		if has[need] == nil {
			r.fault(root, "", "the chain has no %s", need)
		}
	}
	for name, key := range has {
		r.places["key."+name] = place{pos: r.posOf(key)}
	}
	return s
}

// inputs makes one schema of those of the inputs. Each must be given unless it
// has a default.
func (r *reader) inputs(n ast.Node, path string) json.RawMessage {
	var properties, required bytes.Buffer
	before := len(r.faults)
	r.mapping(n, "inputs", func(key ast.Node, name string, value ast.Node) {
		var one json.RawMessage
		if _, ok := value.(*ast.StringNode); ok {
			r.fault(value, fmt.Sprintf("write %s: {type: %s}", name, value.GetToken().Value), "the input %s is text, but must be a JSON Schema", name)
			return
		}
		at := join(path, name)
		r.rawSchema(&one)(value, at)
		r.places[at] = place{pos: r.posOf(key)}
		if properties.Len() > 0 {
			properties.WriteByte(',')
		}
		writeText(&properties, name)
		properties.WriteByte(':')
		properties.Write(one)
		var has map[string]json.RawMessage
		if err := json.Unmarshal(one, &has); err != nil || has["default"] == nil {
			if required.Len() > 0 {
				required.WriteByte(',')
			}
			writeText(&required, name)
		}
	})
	if len(r.faults) > before {
		return json.RawMessage("true")
	}
	return fmt.Appendf(nil, `{"type":"object","properties":{%s},"required":[%s],"additionalProperties":false}`, &properties, &required)
}

func (r *reader) limits(n ast.Node, path string, l *Limits) {
	r.fields(n, "limits", path, map[string]field{
		"steps":    r.number(&l.Steps, 1, 1_000_000),
		"timeout":  r.span(&l.Timeout),
		"parallel": r.number(&l.Parallel, 1, 1000),
	})
}

func (r *reader) output(n ast.Node, path string, o *Output) {
	o.Pos = r.posOf(n)
	r.fields(n, "output", path, map[string]field{
		"message": r.text(&o.Message),
		"data":    r.object(&o.Data),
	})
}

func (r *reader) edges(n ast.Node, path string) (edges []Edge) {
	if l, ok := n.(*ast.SequenceNode); ok && len(l.Values) > maxEdges {
		r.fault(n, "split it into several chains", "the chain has more than %d edges", maxEdges)
		return nil
	}
	r.list(n, "edges", func(i int, n ast.Node) {
		e := Edge{Pos: r.posOf(n)}
		at := join(path, strconv.Itoa(i))
		has := r.fields(n, "an edge", at, map[string]field{
			"from":     r.text(&e.From),
			"to":       r.text(&e.To),
			"when":     r.text(&e.When),
			"default":  r.flag(&e.Default),
			"on_error": r.flag(&e.OnError),
			"on":       r.choice(&e.On, "clarification"),
			"label":    r.text(&e.Label),
		})
		if !isMapping(n) {
			return
		}
		for _, need := range []string{"from", "to"} {
			if has[need] == nil {
				r.fault(n, "write {from: a, to: b}", "the edge has no %s", need)
			}
		}
		if p, ok := r.places[join(at, "when")]; ok {
			e.WhenPos = p.pos
			if strings.TrimSpace(e.When) == "" {
				r.fault(has["when"], "leave the key out where there is no condition", "the condition is empty")
			}
		}
		edges = append(edges, e)
	})
	return edges
}
