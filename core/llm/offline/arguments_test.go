package offline_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
)

func typedTools() []core.ToolSpec {
	var specs []core.ToolSpec
	for _, t := range []struct {
		name, does, schema string
		acts               bool
	}{
		{"atlas__weather", "Get the weather of a city", `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city"]}`, false},
		{"atlas__distance", "Distance between two cities", `{"type":"object","properties":{"from":{"type":"string"},"to":{"type":"string"}},"required":["from","to"]}`, false},
		{"math__add", "Add two numbers", `{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`, false},
		{"math__prime", "Tell whether a number is prime", `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`, false},
		{"words__define", "Define a word", `{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}`, false},
		{"disk__show", "Show the contents of a text document", `{"type":"object","properties":{"path":{"type":"string"},"head":{"type":"number"}},"required":["path"]}`, false},
		{"disk__erase", "Erase a text document", `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`, true},
		{"lamp__state", "Tell the state of a lamp that is on or off", `{"type":"object","properties":{"state":{"type":"string","enum":["on","off"]}},"required":["state"]}`, false},
		{"env__print", "Print all environment variables", `{"type":"object","properties":{}}`, false},
	} {
		owner, _, _ := strings.Cut(t.name, "__")
		spec := core.ToolSpec{Name: t.name, Owner: owner, Description: t.does, Schema: json.RawMessage(t.schema), Acts: t.acts}
		if !t.acts {
			spec.Claims.ReadOnly = new(true)
		}
		specs = append(specs, spec)
	}
	return specs
}

func TestATypedToolIsCalledOnlyWithWhatIsBeyondDoubt(t *testing.T) {
	for _, c := range []struct{ prompt, tool, args string }{
		{`weather of the city of "Oslo"`, "atlas__weather", `{"city":"Oslo"}`},
		{`define the word "serendipity"`, "words__define", `{"word":"serendipity"}`},
		{`show the document "my notes.txt"`, "disk__show", `{"path":"my notes.txt"}`},
		{"show the document notes.txt", "disk__show", `{"path":"notes.txt"}`},
		{"is the number 97 prime?", "math__prime", `{"n":97}`},
		{"print the environment variables", "env__print", `{}`},
	} {
		calls, _, _, _ := ask(t, typedTools(), nil, c.prompt, answered)
		if len(calls) != 1 || calls[0].Tool != c.tool || string(calls[0].Args) != c.args {
			t.Errorf("%q calls %v, want %s %s", c.prompt, show(calls), c.tool, c.args)
		}
	}
}

func TestWhatIsNotBeyondDoubtIsListedWithTheLineToType(t *testing.T) {
	for _, c := range []struct{ prompt, line string }{
		{"weather of the city of Oslo", "@atlas weather city=…"},                                // which words are the city?
		{`distance between the cities "Rome" and "Paris"`, "@atlas distance from=… to=…"},       // which is which?
		{"add the numbers 3 and 4.5", "@math add a=… b=…"},                                      //
		{`define the words "one" and "two"`, "@words define word=…"},                            //
		{"show the document lost.txt", "@disk show path=…"},                                     // it is not there
		{"show the first 3 lines of the document notes.txt", "@disk show path=notes.txt"},       // and the 3?
		{`show the document notes.txt, with "TODO" in it`, "@disk show path=notes.txt"},         //
		{"is the number 9.5 prime?", "@math prime n=…"},                                         //
		{"erase the document notes.txt", "@disk erase path=notes.txt"},                          // it does not claim to read
		{`erase the document "my notes.txt"`, "@disk erase path='my notes.txt'"},                //
		{"do not erase the document notes.txt", "@disk erase path=notes.txt"},                   //
		{"what would happen if I erased the document notes.txt?", "@disk erase path=notes.txt"}, //
		{"tell me the states of the lamps that are on or off", "@lamp state state=…"},           // both are named
		{"is the lamp off", "@lamp state state=…"},                                              //
		{"delete all environment variables", "@env print"},                                      // it is not what was asked for
	} {
		calls, _, reply, _ := ask(t, typedTools(), nil, c.prompt, answered)
		if len(calls) != 0 || reply.Status != core.StatusClarification || !strings.Contains(reply.Message, "\n- `"+c.line+"`") {
			t.Errorf("%q calls %v and says %s, want the line %s", c.prompt, show(calls), reply.Message, c.line)
		}
	}
}

func TestATextIsGivenToAToolOfTheExpertThatIsNamed(t *testing.T) {
	find := core.ToolSpec{
		Name: "tickets__find", Owner: "tickets", Description: "Finds support tickets by their words.", Claims: core.Claims{ReadOnly: new(true)},
		Schema: json.RawMessage(`{"type":"object","properties":{"words":{"type":"string"},"most":{"type":"integer"}},"required":["words"]}`),
	}
	acts, path, read := find, find, find
	read.Name, read.Description = "tickets__get", "Gets a support ticket by its title."
	acts.Claims = core.Claims{}
	path.Schema = json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)
	for _, c := range []struct {
		spec          core.ToolSpec
		others        []core.ToolSpec
		prompt, given string
	}{
		{find, nil, "@tickets lost parcels", `{"words":"lost parcels"}`},
		{find, []core.ToolSpec{sum()}, "@tickets lost parcels", `{"words":"lost parcels"}`},
		{find, []core.ToolSpec{sum()}, "find support tickets of lost parcels", ""},
		{find, []core.ToolSpec{read}, "@tickets lost parcels", ""}, // either may be meant
		{find, []core.ToolSpec{read}, "@tickets find lost parcels", `{"words":"find lost parcels"}`},
		{acts, nil, "@tickets lost parcels", ""},
		{path, nil, "@tickets lost parcels", ""},
	} {
		calls, _, _, _ := ask(t, append([]core.ToolSpec{c.spec}, c.others...), nil, c.prompt, answered)
		got := ""
		if len(calls) > 0 {
			got = string(calls[0].Args)
		}
		if got != c.given {
			t.Errorf("%q gives %s, want %s", c.prompt, got, c.given)
		}
	}
	left := func(core.Call) core.ToolResult {
		return core.ToolFailure(core.ToolError, core.ToolCodeExpertLeft, "tickets left the room")
	}
	_, _, reply, _ := ask(t, []core.ToolSpec{find, sum()}, nil, "@tickets lost parcels", left)
	if reply.Status != core.StatusFailure || strings.Contains(reply.Message, "Nobody") {
		t.Errorf("of one that left it says %s %q", reply.Status, reply.Message)
	}
}
