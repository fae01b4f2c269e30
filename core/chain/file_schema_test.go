package chain

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/schema"
)

// asJSON is a file as an editor checks it.
func asJSON(t *testing.T, src string) json.RawMessage {
	t.Helper()
	root, fault := parseYAML(src)
	if fault != nil {
		t.Fatal(fault)
	}
	r := &reader{source: newSource(src), places: places{}}
	raw, ok := r.json(root, "")
	if !ok {
		t.Fatal(r.faults)
	}
	return raw
}

func TestTheSchemaTakesEveryChainThatParseTakes(t *testing.T) {
	s := must.Get(schema.Compile(Schema()))(t)
	if issues := s.Check(asJSON(t, everything)); len(issues) > 0 {
		t.Error(issues)
	}
	files := must.Get(filepath.Glob("testdata/check/*.yaml"))(t)
	more := must.Get(filepath.Glob("../../prompts/chains/*.yaml"))(t)
	taken := 0
	for _, file := range append(files, more...) {
		src := must.Get(os.ReadFile(file))(t)
		spec, faults := Parse(file, src)
		if len(faults)+len(Check(spec, Known{})) > 0 {
			continue
		}
		taken++
		if issues := s.Check(asJSON(t, string(src))); len(issues) > 0 {
			t.Errorf("%s: %v", file, issues)
		}
	}
	if taken == 0 {
		t.Error("no file was without faults")
	}
}

func TestTheSchemaKnowsTheFunctionsAndWhatTheyNeed(t *testing.T) {
	s := must.Get(schema.Compile(Schema()))(t)
	var file struct {
		Defs struct {
			Node struct {
				Properties struct{ Function struct{ Examples []string } }
			}
		} `json:"$defs"`
	}
	must.Do(t, json.Unmarshal(Schema(), &file))
	must.Equal(t, slices.Sorted(maps.Keys(builtin())), file.Defs.Node.Properties.Function.Examples)
	for node, taken := range map[string]bool{
		`function: ask, input: {question: why}`: true, `function: ask, input: {options: [a]}`: false, `function: lines`: false,
		`function: json, input: {text: "{}"}`: true, `function: retry, input: {text: x}`: false, `function: own`: true, `function: set`: true,
	} {
		src := "chain: 1\nname: one\nnodes:\n  n: {" + node + "}\nedges:\n  - {from: start, to: n}\n"
		if issues := s.Check(asJSON(t, src)); (len(issues) == 0) != taken {
			t.Errorf("%s: %v", node, issues)
		}
	}
}

func TestTheSchemaRefusesWhatParseRefuses(t *testing.T) {
	s := must.Get(schema.Compile(Schema()))(t)
	for name, change := range map[string][2]string{
		"an unknown key":            {"dynamic_routing: true", "dynamic_rooting: true"},
		"an unknown key of a node":  {"idle_timeout: 20s", "idle: 20s"},
		"an unknown key of an edge": {"label: found", "lable: found"},
		"another version":           {"chain: 1", "chain: 2"},
		"two kinds":                 {"agent: yaap", "agent: yaap\n    expert: calc"},
		"no kind":                   {"    agent: yaap\n", ""},
		"a number for a duration":   {"timeout: 60s", "timeout: 60"},
		"a wrong join":              {"join: first_success", "join: some"},
		"an edge to nowhere":        {"- {from: start, to: finder}", "- {from: start}"},
		"a reserved id":             {"  choose:", "  visits:"},
	} {
		src := strings.Replace(everything, change[0], change[1], 1)
		if src == everything {
			t.Errorf("%s: nothing was changed", name)
		}
		if len(s.Check(asJSON(t, src))) == 0 {
			t.Errorf("%s: the schema takes it", name)
		}
		spec, faults := Parse("t.yaml", []byte(src))
		if len(faults)+len(Check(spec, Known{})) == 0 {
			t.Errorf("%s: Parse and Check take it", name)
		}
	}
}
