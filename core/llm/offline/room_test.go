package offline_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/offline"
)

// experts reads the experts of a testdata file, by name.
func experts(t testing.TB, file string) map[string]core.ToolSpec {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	specs := map[string]core.ToolSpec{}
	var name string
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSpace(line)
		spec := specs[name]
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			continue
		case strings.HasPrefix(line, "["):
			name = strings.Trim(line, "[]")
			_, short, ok := strings.Cut(name, "/")
			if !ok {
				short = name
			}
			owner, _, _ := strings.Cut(short, "__")
			spec = core.ToolSpec{Name: short, Owner: owner}
		case strings.HasPrefix(line, "- "):
			spec.Examples = append(spec.Examples, line[2:])
		case line == "reads":
			spec.Claims.ReadOnly = new(true)
		case strings.HasPrefix(line, "schema "):
			spec.Schema = json.RawMessage(line[7:])
		default:
			spec.Description = line
		}
		specs[name] = spec
	}
	return specs
}

// prompt is one line of a table of prompts.
type prompt struct {
	room, text string
	want       []string // tools that are called
	line       string   // the tool that is not called, but that the user is told how to call
	social     bool
}

// prompts reads a table of prompts and the rooms they are asked in.
func prompts(t testing.TB, file string) ([]prompt, map[string][]string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var table []prompt
	rooms := map[string][]string{}
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if name, members, ok := strings.Cut(line, " ="); ok && !strings.Contains(line, "|") {
			for _, m := range strings.Fields(members) {
				if in, ok := rooms[m]; ok {
					rooms[name] = append(rooms[name], in...)
				} else {
					rooms[name] = append(rooms[name], m)
				}
			}
			continue
		}
		f := strings.Split(line, "|")
		if len(f) != 3 {
			t.Fatalf("%s: %q is no line of the table", file, line)
		}
		p := prompt{room: strings.TrimSpace(f[0]), text: strings.ReplaceAll(strings.TrimSpace(f[1]), `\n`, "\n")}
		switch want := strings.TrimSpace(f[2]); want {
		case "-":
		case "!":
			p.social = true
		default:
			var isLine bool
			if p.line, isLine = strings.CutPrefix(want, "?"); !isLine {
				p.line, p.want = "", strings.Fields(want)
			}
		}
		table = append(table, p)
	}
	return table, rooms
}

func toolsOf(t testing.TB, all map[string]core.ToolSpec, members []string) []core.ToolSpec {
	t.Helper()
	var specs []core.ToolSpec
	for _, m := range members {
		spec, ok := all[m]
		if !ok {
			t.Fatalf("no expert %q in the test data", m)
		}
		specs = append(specs, spec)
	}
	slices.SortFunc(specs, func(a, b core.ToolSpec) int { return strings.Compare(a.Name, b.Name) })
	return specs
}

// ask lets the model answer text, with every call answered by answer, and
// returns the calls it made, its reasoning and its reply.
func ask(t testing.TB, specs []core.ToolSpec, history []core.Message, text string, answer func(core.Call) core.ToolResult) ([]core.Call, string, core.Reply, []core.Message) {
	t.Helper()
	messages := append(slices.Clone(history), core.Message{Role: core.RoleUser, Text: text})
	var calls []core.Call
	var thoughts strings.Builder
	for range 10 {
		thinking, out, asked := stream(t, llm.Request{Messages: messages, Tools: specs})
		thoughts.WriteString(thinking)
		if len(asked) == 0 {
			var reply core.Reply
			if err := json.Unmarshal([]byte(out), &reply); err != nil {
				t.Fatalf("%q: the answer %q is no SACP: %v", text, out, err)
			}
			return calls, thoughts.String(), reply, append(messages, core.Message{Role: core.RoleAssistant, Text: out, Reply: &reply})
		}
		calls = append(calls, asked...)
		messages = append(messages, core.Message{Role: core.RoleAssistant, Calls: asked, Thinking: thinking})
		for _, c := range asked {
			result := answer(c)
			messages = append(messages, core.Message{Role: core.RoleTool, Name: c.Tool, CallID: c.ID, Text: result.Text, Result: &result})
		}
	}
	t.Fatalf("%q: no answer after ten turns", text)
	return nil, "", core.Reply{}, nil
}

// there reports whether a file is in the directory of the tests' rooms.
func there(path string) bool {
	return slices.Contains([]string{"notes.txt", "my notes.txt", "a.txt", "b.json", "src"}, path)
}

// tells takes a text for a statement, as the memory would.
func tells(text string) bool {
	return statement.MatchString(text) && !strings.HasSuffix(text, "?")
}

var statement = regexp.MustCompile(`(?i)^(our|my( \w+)?|i|we|the \w+( \w+)?|remember that .*) (is|was|are|like|decided|will)\b`)

// bidders are the experts of small rooms that bid: each reads a few shapes, whole.
type bidders struct{}

var readable = map[string]*regexp.Regexp{
	"sum":    regexp.MustCompile(`(?i)^(what is |what's )*(convert |divide |multiply |double |half of |a third of |square )*-?[\d.]+( ?(minutes|hours|km|miles))?( ?(\+|\*|/|-|% of|of|times|plus|minus|by|to the power of) ?-?[\d.]+| squared| halved| (from (minutes|hours) )?(in|to) (hours|minutes|km|miles))*\??$`),
	"tide":   regexp.MustCompile(`(?i)^(what is the hour of |when is |when's |how many boats are at )?(high|low) tide( in (?-i:[A-Z])\w+)?( today| tomorrow| on (the )?[\w ]+)?(: [\w, -]+)?\??$`),
	"scribe": regexp.MustCompile(`(?is)^translate (.+ (in)?to french!?|into french:.*)$`),
}

// Bids implements [offline.Bidders].
func (bidders) Bids(_ context.Context, _ core.Scope, texts []string, _ []core.Message) (all []core.Bids) {
	for _, name := range slices.Sorted(maps.Keys(readable)) {
		made := core.Bids{Expert: name, Tool: name, Bids: make([]core.Bid, len(texts)), Credit: 1}
		for i, text := range texts {
			if readable[name].MatchString(text) {
				made.Bids[i] = core.Bid{Score: 0.95, Reads: text}
			}
		}
		all = append(all, made)
	}
	return all
}

// DepartedExperts implements [offline.Bidders].
func (bidders) DepartedExperts() []core.Expert {
	return []core.Expert{
		{Name: "tail", Description: "Counts the feathers of a peacock.", Transport: "child"},
		{Name: "mill", Description: "Tells how a windmill grinds corn.", Transport: "peer"},
	}
}

// Learned implements [offline.Bidders].
func (bidders) Learned(string) []string { return nil }

func stream(t testing.TB, req llm.Request) (thinking, text string, calls []core.Call) {
	t.Helper()
	done := false
	for chunk, err := range (&offline.Model{Exists: there, Bidders: bidders{}, Statement: tells}).Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		thinking += chunk.Thinking
		text += chunk.Text
		calls = append(calls, chunk.Calls...)
		done = done || chunk.Done != nil
	}
	if !done {
		t.Fatal("the stream has no end")
	}
	return thinking, text, calls
}

func answered(c core.Call) core.ToolResult {
	return core.ToolResult{Status: core.ToolSuccess, Text: "42.", Reply: &core.Reply{Status: core.StatusSuccess, Message: "42.", Data: map[string]any{"result": "42"}}}
}

// The experts of the tables do not bid: they are judged by their words alone, which
// is what an expert of somebody else gets.
func TestByWordsAloneMostQuestionsFindTheirExperts(t *testing.T) {
	for file, least := range map[string]float64{"prompts": 0.87, "unseen": 0.87, "long": 0.75, "unseen2": 0.88, "unseen3": 0.75, "nobody": 0.82} {
		t.Run(file, func(t *testing.T) { measure(t, "testdata/"+file+".txt", least) })
	}
}

// known are the experts of the test data.
func known(t *testing.T) map[string]core.ToolSpec {
	t.Helper()
	return experts(t, "testdata/experts.txt")
}

// measure asks every prompt of a table, and wants a share of them right.
func measure(t *testing.T, file string, least float64) {
	t.Helper()
	all := known(t)
	table, rooms := prompts(t, file)
	right := 0
	for _, p := range table {
		members, ok := rooms[p.room]
		if !ok && p.room != "none" {
			t.Fatalf("no room %q", p.room)
		}
		calls, thinking, reply, _ := ask(t, toolsOf(t, all, members), nil, p.text, answered)
		var got []string
		for _, c := range calls {
			got = append(got, c.Tool)
		}
		slices.Sort(got)
		got = slices.Compact(got)
		want := slices.Clone(p.want)
		slices.Sort(want)
		good := slices.Equal(got, want)
		if len(want) == 0 && good {
			good = p.social == (reply.Status == core.StatusSuccess) && strings.Contains(reply.Message, "`@"+strings.Replace(p.line, "__", " ", 1)) == (p.line != "")
		}
		if good {
			right++
			continue
		}
		t.Logf("MISS %-9s %q: asked %v, want %v\n      %s %s", p.room, p.text, got, want, thinking, reply.Thought)
	}
	share := float64(right) / float64(len(table))
	t.Logf("%d of %d right, %.1f %%", right, len(table), 100*share)
	if share < least {
		t.Errorf("%.1f %% are right, want at least %.0f %%", 100*share, 100*least)
	}
}

func TestWhatNobodyReadsIsNotedWhereItTellsSomething(t *testing.T) {
	notes := func(text string) bool {
		return strings.HasPrefix(text, "boat") && !strings.HasSuffix(text, "?") || text == "3 * 4"
	}
	for prompt, want := range map[string]string{
		"boat is called Plover":                 "Noted.",
		"the plover sings":                      "Nobody here reads “the plover sings”.",
		"3 * 4":                                 "", // somebody reads it, whatever it tells
		"@owl boat is called Plover":            "Nobody here is called owl.",
		"when is the train?":                    "Nobody here reads “when is the train”.",
		"boat is called Plover, and why is it?": "Nobody here reads “boat is called Plover, and why is it”.",
	} {
		got := ""
		model := &offline.Model{Bidders: bidders{}, Note: notes}
		req := llm.Request{Tools: []core.ToolSpec{sum()}, Messages: []core.Message{{Role: core.RoleUser, Text: prompt}}}
		for chunk, err := range model.Stream(t.Context(), req) {
			if err != nil {
				t.Fatal(err)
			}
			got += chunk.Text
		}
		if got == "" != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %s", prompt, got)
		}
	}
}

func TestWhoCannotBeAskedIsNamedWithTheReason(t *testing.T) {
	model := &offline.Model{Away: func() []string { return []string{"heron is not here: it broke its leg", "owl is hidden."} }}
	for prompt, tools := range map[string][]core.ToolSpec{"who wrote Hamlet?": nil, "who wrote Macbeth?": {sum(), tide()}} {
		text := ""
		for chunk, err := range model.Stream(t.Context(), llm.Request{Tools: tools, Messages: []core.Message{{Role: core.RoleUser, Text: prompt}}}) {
			if err != nil {
				t.Fatal(err)
			}
			text += chunk.Text
		}
		var reply core.Reply
		if err := json.Unmarshal([]byte(text), &reply); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(reply.Message, "\nheron is not here: it broke its leg.\nowl is hidden.") || strings.Contains(reply.Message, "empty") {
			t.Errorf("%s: %q", prompt, reply.Message)
		}
	}
}
