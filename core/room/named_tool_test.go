package room

import (
	"context"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
)

// named is a tool that cannot be called.
type named struct{ spec core.ToolSpec }

func (n named) Spec() core.ToolSpec { return n.spec }

func (n named) Call(context.Context, core.Call) (core.ToolResult, error) {
	panic("it is called")
}

func TestANamedToolIsThatToolAndNoOther(t *testing.T) {
	var all core.Toolset
	for _, name := range []string{"fs__read_text_file", "fs__list", "fs__get-sum", "srv__getCity", "srv__GET", "srv__get", "srv__put_it", "srv__put-it", "srv__PUT_IT", "calc"} {
		owner, _, _ := strings.Cut(name, "__")
		all.Tools = append(all.Tools, named{core.ToolSpec{Name: name, Owner: owner}})
	}
	all.Tools = append(all.Tools, named{core.ToolSpec{Name: "heron", Owner: "heron", Schema: []byte(`{"type":"object","required":["bird"],"properties":{"bird":{"type":"string"},"n":{"type":"integer"}}}`)}})
	for prompt, want := range map[string]struct{ tool, words string }{
		"@heron bird=robin n=3":                {"heron", "bird=robin n=3"},
		"@heron heron bird=robin":              {"heron", "bird=robin"},
		`@heron {"bird":"robin"}`:              {"heron", `{"bird":"robin"}`},
		"@heron what do robins eat?":           {},
		"@fs read_text_file path=a.txt":        {"fs__read_text_file", "path=a.txt"},
		`@fs read_text_file {"path": "a.txt"}`: {"fs__read_text_file", `{"path": "a.txt"}`},
		"@fs__read_text_file path=a.txt":       {"fs__read_text_file", "path=a.txt"},
		"@FS__Read_Text_File path=a.txt":       {"fs__read_text_file", "path=a.txt"},
		"@fs list":                             {"fs__list", ""},
		"@fs__list":                            {"fs__list", ""},
		"@fs get-sum a=2 b=3":                  {"fs__get-sum", "a=2 b=3"},
		"@fs get_sum a=2 b=3":                  {"fs__get-sum", "a=2 b=3"},
		"@srv getCity name=Oslo":               {"srv__getCity", "name=Oslo"},
		"@srv__getcity name=Oslo":              {"srv__getCity", "name=Oslo"},
		"@srv get q=x":                         {"srv__get", "q=x"},
		"@srv__GET q=x":                        {"srv__GET", "q=x"},
		"@srv__get":                            {"srv__get", ""},
		"@srv GET q=x":                         {"srv__GET", "q=x"},
		"@srv put-it q=x":                      {"srv__put-it", "q=x"},
		"@srv Put_It q=x":                      {"!", "srv has no tool"},
		"@fs list what is new":                 {"fs__list", "what is new"},
		"@fs what is in a.txt?":                {},
		"@fs lists of things":                  {},
		"@fs list, please":                     {},
		"@calc x=3":                            {},
		"@calc 2 + 2":                          {},
		"@fs read_txt_file path=a.txt":         {"!", "fs has no tool read_txt_file"},
		`@fs wipe {"path":"/"}`:                {"!", "fs has no tool wipe"},
		"@fs__wipe":                            {"!", "fs has no tool wipe"},
		"@ghost__wipe path=/":                  {"!", "nobody called ghost"},
	} {
		name, typed := core.Address(prompt)
		tool, words, err := namedTool(all, name, typed)
		switch {
		case want.tool == "!":
			if err == nil || !strings.Contains(err.Error(), want.words) || core.HintOf(err) == "" {
				t.Errorf("%s: %v", prompt, err)
			}
		case want.tool == "":
			if tool != nil || err != nil {
				t.Errorf("%s names %v, %v", prompt, tool, err)
			}
		case tool == nil || tool.Spec().Name != want.tool || words != want.words || err != nil:
			t.Errorf("%s names %v %q, %v", prompt, tool, words, err)
		}
	}
}
