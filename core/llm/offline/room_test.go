package offline_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"yaap/core"
	"yaap/core/llm"
	"yaap/core/llm/offline"
	"yaap/core/memory"
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

func stream(t testing.TB, req llm.Request) (thinking, text string, calls []core.Call) {
	t.Helper()
	done := false
	for chunk, err := range (&offline.Model{Exists: there}).Stream(t.Context(), req) {
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

// The tables named unseen were written before their experts or prompts had been
// tried, to see how well the ranking does on what it was not made for.
func TestTheRightExpertsAreAsked(t *testing.T) {
	for _, file := range []string{"testdata/prompts.txt", "testdata/unseen.txt", "testdata/long.txt", "testdata/unseen2.txt", "testdata/unseen3.txt", "testdata/nobody.txt"} {
		t.Run(file, func(t *testing.T) { measure(t, file, 0.9) })
	}
}

func TestWhatWasSaidEarlierIsLookedUpHoweverItIsAskedFor(t *testing.T) {
	for _, file := range []string{"testdata/recall.txt", "testdata/recall_unseen.txt"} {
		t.Run(file, func(t *testing.T) { measure(t, file, 0.85) })
	}
}

func TestWhatWasSaidEarlierIsLookedUpForNothingElse(t *testing.T) {
	all := known(t)
	table, rooms := prompts(t, "testdata/recall_not.txt")
	for _, p := range table {
		calls, _, _, _ := ask(t, toolsOf(t, all, rooms[p.room]), nil, p.text, answered)
		for _, c := range calls {
			if c.Tool == "search_memories" {
				t.Errorf("%q is looked up", p.text)
			}
		}
	}
}

func TestWhatIsOnlyToldIsNotedWhereItIsKept(t *testing.T) {
	measure(t, "testdata/told.txt", 1)
}

func TestNothingIsNotedWhereItIsNotKept(t *testing.T) {
	spec := known(t)["search_memories"]
	spec.Description = strings.TrimSuffix(spec.Description, memory.Kept)
	for _, room := range [][]core.ToolSpec{{spec}, {spec, sum()}, {sum()}, nil} {
		if _, _, reply, _ := ask(t, room, nil, "the fence is green", answered); reply.Status != core.StatusClarification {
			t.Errorf("with %d tools the reply is %+v", len(room), reply)
		}
	}
}

func TestNothingThatAsksForSomethingIsNoted(t *testing.T) {
	all := known(t)
	for _, file := range []string{"prompts", "unseen", "long", "unseen2", "unseen3", "nobody", "recall", "recall_unseen", "recall_not", "told"} {
		table, rooms := prompts(t, "testdata/"+file+".txt")
		for _, p := range table {
			members := append([]string{"search_memories"}, rooms[p.room]...)
			slices.Sort(members)
			_, _, reply, _ := ask(t, toolsOf(t, all, slices.Compact(members)), nil, p.text, answered)
			if noted := strings.HasPrefix(reply.Message, "Noted"); noted && !p.social && p.room != "deaf" {
				t.Errorf("%s: %q is noted", file, p.text)
			}
		}
	}
}

// known are the experts of the test data, and the tool that looks up what was
// said.
func known(t *testing.T) map[string]core.ToolSpec {
	t.Helper()
	all := experts(t, "testdata/experts.txt")
	search := memory.NewRecorder(memory.Config{}).SearchTool().Spec()
	all[search.Name] = search
	return all
}

// measure asks every prompt of a table, and wants a share of them right.
func measure(t *testing.T, file string, least float64) {
	t.Helper()
	all := known(t)
	table, rooms := prompts(t, file)
	right, silent := 0, 0
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
		if len(want) == 0 && !p.social && p.line == "" {
			silent++
		}
	}
	share := float64(right) / float64(len(table))
	t.Logf("%d of %d right, %.1f %%", right, len(table), 100*share)
	if share < least {
		t.Errorf("%.1f %% are right, want at least %.0f %%", 100*share, 100*least)
	}
	if silent > 0 {
		t.Errorf("%d prompts that nobody can answer were not asked back", silent)
	}
}
