package offline_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/offline"
	"github.com/yaap-chat/yaap/core/must"
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
		if len(calls) != 0 || reply.Status != core.StatusClarification || !strings.Contains(reply.Message, "`"+c.line+"`") || strings.Count(reply.Message, "`") == 2 && strings.Contains(reply.Message, "\n") {
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
		{find, []core.ToolSpec{read}, "@tickets find lost parcels", `{"words":"lost parcels"}`},
		{find, []core.ToolSpec{read}, "@tickets please find lost parcels", `{"words":"please find lost parcels"}`},
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

func TestAValueThatAnArgumentListsIsGivenToIt(t *testing.T) {
	tides := func(name, does, schema string) core.ToolSpec {
		return core.ToolSpec{Name: "tides__" + name, Owner: "tides", Description: does, Schema: json.RawMessage(schema), Claims: core.Claims{ReadOnly: new(true)}}
	}
	tools := []core.ToolSpec{
		tides("high_tides", "Times and heights of high water in a harbour on a day.", `{"type":"object","properties":{"harbour":{"type":"string","enum":["Brest","Galway","Port_Louis"]},"date":{"type":"string","format":"date"}},"required":["harbour"]}`),
		tides("tidal_range", "Difference between high and low water in metres at spring or neap tide.", `{"type":"object","properties":{"harbour":{"type":"string","enum":["Brest","Galway"]},"phase":{"type":"string","enum":["spring","neap"]}},"required":["harbour","phase"]}`),
		tides("list_buoys", "All buoys of the coast.", `{"type":"object","properties":{}}`),
		tides("between", "Distance between two harbours by boat.", `{"type":"object","properties":{"start":{"type":"string","enum":["Brest","Galway"]},"end":{"type":"string","enum":["Brest","Galway"]}},"required":["start","end"]}`),
	}
	for prompt, want := range map[string]string{
		"when is high water in brest":                "tides__high_tides {\"harbour\":\"Brest\"}",
		"height of high water in port louis?":        "tides__high_tides {\"harbour\":\"Port_Louis\"}",
		"difference of tide at neap in Galway":       "tides__tidal_range {\"harbour\":\"Galway\",\"phase\":\"neap\"}",
		"how heavy is the buoy of Brest?":            "",
		"high water in brest tomorrow":               "",
		"stop the high water in brest":               "",
		"high water in brest on 3 december":          "",
		"high water in Brest or Galway":              "",
		"high water in Oslo":                         "",
		"distance by boat between Brest and Galway":  "",
		"which buoys of the coast are there?":        "tides__list_buoys {}",
		"difference of tide in Galway":               "",
		"what is the high water of 3 days in Brest?": "",
	} {
		calls, _, _, _ := ask(t, tools, nil, prompt, answered)
		got := ""
		if len(calls) > 0 {
			got = calls[0].Tool + " " + string(calls[0].Args)
		}
		if got != want {
			t.Errorf("%q calls %q, want %q", prompt, got, want)
		}
	}
}

func TestTheToolThatHasTheNameOfAnExpertIsAskedThoughItHasOthers(t *testing.T) {
	tools := []core.ToolSpec{
		{Name: "garden__garden", Owner: "garden", Description: "Waters the plants of the garden.", Schema: core.PromptSchema(), Acts: true},
		{Name: "garden__dig_up", Owner: "garden", Description: "Digs up a plant.", Schema: json.RawMessage(`{"type":"object","properties":{"plant":{"type":"string"}},"required":["plant"]}`), Acts: true},
	}
	calls, _, _, _ := ask(t, tools, nil, "water the plants of the garden", answered)
	if len(calls) != 1 || calls[0].Tool != "garden__garden" {
		t.Errorf("called are %v", show(calls))
	}
}

// bidding is a room in which one tool of an expert bids on what holds a word.
type bidding struct {
	bidders
	expert, tool, word string
}

func (b bidding) Bids(_ context.Context, _ core.Scope, texts []string, _ []core.Message) []core.Bids {
	made := core.Bids{Expert: b.expert, Tool: b.tool, Bids: make([]core.Bid, len(texts)), Credit: 0.9}
	for i, text := range texts {
		if strings.Contains(text, b.word) {
			made.Bids[i] = core.Bid{Score: 1, Reads: strings.TrimSpace(b.word)}
		}
	}
	return []core.Bids{made}
}

func TestAnExpertThatBidsIsAskedByItsBidBeforeItsOtherTools(t *testing.T) {
	tools := []core.ToolSpec{
		{Name: "pond__count", Owner: "pond", Description: "Feeds the ducks of the pond.", Schema: core.PromptSchema(), Claims: core.Claims{ReadOnly: new(true)}},
		{Name: "pond__pond", Owner: "pond", Description: "Feeds the ducks of the pond.", Schema: core.PromptSchema()},
	}
	for _, prompt := range []string{"feed the ducks", "@pond feed the ducks"} {
		req := llm.Request{Tools: tools, Messages: []core.Message{{Role: core.RoleUser, Text: prompt}}}
		var asked []string
		for chunk, err := range (&offline.Model{Bidders: bidding{expert: "pond", tool: "pond__pond", word: "ducks"}}).Stream(t.Context(), req) {
			must.Do(t, err)
			for _, c := range chunk.Calls {
				asked = append(asked, c.Tool)
			}
		}
		must.Equal(t, []string{"pond__pond"}, asked)
	}
}

func TestAPromptIsAnnouncedAsItWasTyped(t *testing.T) {
	req := llm.Request{Tools: []core.ToolSpec{{Name: "slow", Owner: "slow", Schema: core.PromptSchema()}}, Messages: []core.Message{{Role: core.RoleUser, Text: "wait 5 seconds"}}}
	for chunk, err := range (&offline.Model{Bidders: bidding{expert: "slow", tool: "slow", word: "wait "}}).Stream(t.Context(), req) {
		must.Do(t, err)
		for _, c := range chunk.Calls {
			if c.Tool == "slow" && string(c.Args) == `{"prompt":"wait 5 seconds"}` {
				return
			}
		}
	}
	t.Error("it was not called with what was typed")
}

// boxes is a room in which an expert reads a half only as it would be with the words of the
// other.
type boxes struct{ bidders }

func (boxes) Bids(_ context.Context, _ core.Scope, texts []string, _ []core.Message) []core.Bids {
	made := core.Bids{Expert: "calc", Tool: "calc", Bids: make([]core.Bid, len(texts)), Credit: 0.9}
	for i, text := range texts {
		if strings.Contains(text, "6 boxes") && strings.Contains(text, "5% off") && !strings.Contains(text, "42") {
			made.Bids[i] = core.Bid{Score: 0.95, Reads: text}
		}
	}
	return []core.Bids{made}
}

func TestAHalfIsNotCompletedFromOneThatNobodyReads(t *testing.T) {
	req := llm.Request{Tools: []core.ToolSpec{{Name: "calc", Owner: "calc", Schema: core.PromptSchema()}}, Messages: []core.Message{{Role: core.RoleUser, Text: "If I buy 6 boxes at £42 and get 5% off, what do I pay?"}}}
	for chunk, err := range (&offline.Model{Bidders: boxes{}}).Stream(t.Context(), req) {
		must.Do(t, err)
		for _, c := range chunk.Calls {
			t.Errorf("it calls %s %s", c.Tool, c.Args)
		}
	}
}
