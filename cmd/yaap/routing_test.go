package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/offline"
	"github.com/yaap-chat/yaap/core/must"
)

// strangers are the experts of testdata/routing/experts.txt, as a model sees them.
func strangers(t *testing.T) (list []core.ToolSpec) {
	t.Helper()
	for _, line := range tableLines(t, "routing/experts.txt") {
		if line[0] == '[' {
			name, description, _ := strings.Cut(line[1:], "] ")
			list = append(list, core.ToolSpec{Name: name, Owner: name, Description: description, SACP: true})
			continue
		}
		last := &list[len(list)-1]
		last.Examples = append(last.Examples, strings.TrimPrefix(line, "- "))
	}
	return list
}

// tableLines are the lines of a file of testdata that are no comments.
func tableLines(t *testing.T, name string) (lines []string) {
	t.Helper()
	raw := must.Get(os.ReadFile("testdata/" + name))(t)
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}

// turnOf has the offline model answer a prompt to its end, each of its calls
// with "3". It returns who was called, and the reply.
func turnOf(ctx context.Context, t *testing.T, room bidders, tools []core.ToolSpec, prompt string) (names []string, reply core.Reply) {
	t.Helper()
	request := llm.Request{Tools: tools, Messages: []core.Message{{Role: core.RoleUser, Text: prompt}}}
	for range 8 {
		answer := core.Message{Role: core.RoleAssistant}
		for chunk, err := range (&offline.Model{Bidders: room}).Stream(ctx, request) {
			must.Do(t, err)
			answer.Text += chunk.Text
			answer.Calls = append(answer.Calls, chunk.Calls...)
		}
		if len(answer.Calls) == 0 {
			if err := json.Unmarshal([]byte(answer.Text), &reply); err != nil {
				t.Fatalf("%s: %v", prompt, err)
			}
			break
		}
		request.Messages = append(request.Messages, answer)
		for _, c := range answer.Calls {
			names = append(names, c.Tool)
			request.Messages = append(request.Messages, core.Message{
				Role: core.RoleTool, Name: c.Tool, CallID: c.ID, Text: "3", Result: &core.ToolResult{Status: core.ToolSuccess, Text: "3"},
			})
		}
	}
	if len(names) == 0 {
		names = []string{"nobody"}
	}
	slices.Sort(names)
	return slices.Compact(names), reply
}

// share is how many of some there were.
type share struct{ right, all int }

func (s *share) count(ok bool) {
	s.all++
	if ok {
		s.right++
	}
}

func (s share) String() string { return fmt.Sprintf("%d of %d", s.right, s.all) }

// routed is what came of a table of questions.
type routed struct {
	sets, shared, nobody share // right sets: of all, where a word is shared, where nobody fits
	dropped              int   // with a part that its expert was not asked and the reply does not name
}

// route asks every question of a table, and tells those that went wrong.
func route(t *testing.T, table string, tell bool) (r routed) {
	t.Helper()
	room, tools := workplace(t), append(specs(), strangers(t)...)
	for _, line := range tableLines(t, table) {
		who, prompt, ok := strings.Cut(line, " | ")
		if !ok {
			t.Fatalf("%s: no | in %q", table, line)
		}
		who, apart := strings.CutPrefix(who, "~")
		want := strings.Fields(who)
		slices.Sort(want)
		got, reply := turnOf(t.Context(), t, room, tools, strings.ReplaceAll(prompt, `\n`, "\n"))
		right := cmp.Equal(want, got)
		r.sets.count(right)
		switch {
		case want[0] == "nobody":
			r.nobody.count(right)
		case !apart:
			r.shared.count(right)
		}
		missed := slices.ContainsFunc(want, func(name string) bool { return !slices.Contains(got, name) })
		if len(want) > 1 && missed && !strings.ContainsFunc(reply.Message, unicode.IsLetter) { // what experts answer has no letter
			r.dropped++
		}
		if !right && tell {
			t.Logf("%s: %v was asked: %q", line, got, reply.Message)
		}
	}
	return r
}

func TestExpertsThatDoNotBidAreChosenByTheirWords(t *testing.T) {
	for _, half := range []struct {
		table string
		tell  bool
		least routed
	}{
		{"open", true, routed{sets: share{right: 68}, shared: share{right: 60}, nobody: share{right: 8}, dropped: 1}},
		{"held", os.Getenv("YAAP_HELD") != "", routed{sets: share{right: 68}, shared: share{right: 59}, nobody: share{right: 9}, dropped: 1}},
	} {
		got := route(t, "routing/"+half.table+".txt", half.tell)
		t.Logf("%s: right sets %v, %v where a word is shared; nobody asked %v times where nobody fits; dropped parts %d",
			half.table, got.sets, got.shared, got.nobody, got.dropped)
		if got.sets.all != 80 || got.sets.right < half.least.sets.right || got.shared.right < half.least.shared.right ||
			got.nobody.right < half.least.nobody.right || got.dropped > half.least.dropped {
			t.Errorf("%s: less than %+v", half.table, half.least)
		}
	}
}
