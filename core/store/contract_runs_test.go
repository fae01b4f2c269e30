package store

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

func asksOnce(t *testing.T, j *Store) {
	mustPut(t, j, storetest.Begin("a")...)
	first, second := storetest.Ask("a", "a/run", "which"), storetest.Ask("a", "a/run", "where")
	child := core.RunRow{ID: "a/run/call", Thread: "a", Parent: "a/run", State: core.RunRunning, Depth: 1, Time: storetest.At(2)}
	below := storetest.Ask("a", "a/run/call", "who")
	mustPut(t, j, first, below, child)
	again := first
	again.Question = "another?"
	mustPut(t, j, second, again)
	equal(t, load(t, j, "a/run").Pauses, []core.Pause{first, second})
	equal(t, load(t, j, "a/run/call").Pauses, []core.Pause{below})
	equal(t, load(t, j, "a/run").Answers, []core.Answer{})
}

func takesTheFirstAnswer(t *testing.T, j *Store) {
	rows := append(storetest.Begin("a"), storetest.Ask("a", "a/run", "which"), storetest.Ask("a", "a/run", "where"))
	mustPut(t, j, rows...)
	answer := core.Answer{Pause: "a/run#which", Text: "<one> & all", ID: "1", Data: json.RawMessage(`{"n":123456789012345678901.0}`), By: "user", Time: storetest.At(4)}
	mustPut(t, j, answer)
	mustPut(t, j, core.Answer{Pause: "a/run#where", Text: "here", Time: storetest.At(5)})

	same := answer
	same.Data, same.Time, same.By = json.RawMessage("{ \"n\": 123456789012345678901.0 }"), storetest.At(9), "a program"
	mustPut(t, j, same)
	for name, change := range map[string]func(*core.Answer){
		"another text":   func(a *core.Answer) { a.Text = "two" },
		"another option": func(a *core.Answer) { a.ID = "2" },
		"other data":     func(a *core.Answer) { a.Data = json.RawMessage(`{"n":1}`) },
		"no data":        func(a *core.Answer) { a.Data = nil },
	} {
		other := answer
		change(&other)
		err := j.Put(t.Context(), storetest.Say("a", "a/run", "beside it"), other)
		if core.CodeOf(err) != core.CodeConflict || core.HintOf(err) == "" {
			t.Errorf("%s: %v, want %s with a hint", name, err, core.CodeConflict)
		}
	}
	err := j.Put(t.Context(), core.Answer{Pause: "a/run#who", Text: "me"})
	if core.CodeOf(err) != core.CodeNotFound || core.HintOf(err) == "" {
		t.Errorf("an answer to an unknown question: %v, want %s with a hint", err, core.CodeNotFound)
	}
	saved := load(t, j, "a/run")
	equal(t, saved.Answers, []core.Answer{answer, {Pause: "a/run#where", Text: "here", Time: storetest.At(5)}})
	equal(t, len(saved.Messages), 1)
}

func listsQuestions(t *testing.T, j *Store) {
	mustPut(t, j, storetest.Begin("a")...)
	mustPut(t, j, storetest.Begin("b")...)
	child := core.RunRow{ID: "b/run/call", Thread: "b", Parent: "b/run", State: core.RunInterrupted, Depth: 1, Time: storetest.At(2)}
	below := storetest.Ask("b", "b/run/call", "who")
	below.Root = "b/run"
	alone := storetest.Ask("a", "a/run", "where")
	alone.Root = "" // the run itself
	mustPut(t, j, child, below, storetest.Ask("a", "a/run", "which"), alone)
	check := func(thread, want string) {
		t.Helper()
		pauses := must.Get(j.Pauses(t.Context(), thread))(t)
		var ids []string
		for _, p := range pauses {
			ids = append(ids, p.ID)
		}
		equal(t, strings.Join(ids, " "), want)
	}
	check("", "") // the runs go on
	for _, id := range []string{"a", "b"} {
		mustPut(t, j, core.RunRow{ID: id + "/run", Thread: id, State: core.RunInterrupted, Time: storetest.At(5)})
	}
	check("", "b/run/call#who a/run#which a/run#where")
	check("a", "a/run#which a/run#where")
	check("c", "")
	mustPut(t, j, core.Answer{Pause: "a/run#which", Text: "that"})
	check("", "b/run/call#who a/run#where")
	mustPut(t, j, core.RunRow{ID: "a/run", Thread: "a", State: core.RunFailed, Time: storetest.At(6)})
	check("", "b/run/call#who")

	got := must.Get(j.Pause(t.Context(), "a/run#which"))(t)
	equal(t, got, storetest.Ask("a", "a/run", "which"))
	if _, err := j.Pause(t.Context(), "nowhere"); core.CodeOf(err) != core.CodeNotFound || core.HintOf(err) == "" {
		t.Errorf("an unknown question: %v, want %s with a hint", err, core.CodeNotFound)
	}
}

func hidesChildren(t *testing.T, j *Store) {
	mustPut(t, j, storetest.Begin("a")...)
	mustPut(t, j,
		core.RunRow{ID: "a/run/n", Thread: "a", Parent: "a/run", State: core.RunRunning, Depth: 1, Time: storetest.At(2)},
		core.RunRow{ID: "a/run/n/m", Thread: "a", Parent: "a/run/n", State: core.RunRunning, Depth: 2, Time: storetest.At(2)},
		storetest.Say("a", "a/run/n", "of a node"), storetest.Say("a", "a/run/n/m", "of its tool"), storetest.Say("a", "", "of no run"), storetest.Say("a", "a/run", "answer"))
	messages := must.Get(j.Messages(t.Context(), "a"))(t)
	equal(t, messages, []core.Message{
		storetest.Say("a", "a/run", "a/question").Message, storetest.Say("a", "", "of no run").Message, storetest.Say("a", "a/run", "answer").Message,
	})
	threads, err := j.Threads(t.Context(), core.ThreadQuery{Limit: 1})
	if err != nil || len(threads) != 1 || threads[0].Count != len(messages) {
		t.Errorf("threads %+v, %v; want %d messages", threads, err, len(messages))
	}
	equal(t, load(t, j, "a/run/n").Messages, []core.Message{storetest.Say("a", "a/run/n", "of a node").Message})
}

func findsRuns(t *testing.T, j *Store) {
	mustPut(t, j, core.Thread{ID: "a"})
	put := func(id, parent string) {
		mustPut(t, j, core.RunRow{ID: id, Thread: "a", Parent: parent, State: core.RunCompleted, Time: storetest.At(1)})
	}
	for _, id := range []string{"0198c0aa-1111", "0198c0aa-2222", "0198c0bb-1111", "0198c0bb-1111-2", "0198c0cc-77777777", "0198c0dd-77777777", "short"} {
		put(id, "")
	}
	put("0198c0aa-1111/call", "0198c0aa-1111")
	put("0198c0aa-1111/call/2", "0198c0aa-1111/call")
	for _, c := range []struct {
		id, want string
		code     core.Code
	}{
		{id: "0198c0aa-1111", want: "0198c0aa-1111"},
		{id: "0198c0aa-1", want: "0198c0aa-1111"}, // not those below it
		{id: "0198c0bb-1111", want: "0198c0bb-1111"},
		{id: "0198c0aa-1111/call", want: "0198c0aa-1111/call"},
		{id: "short", want: "short"},
		{id: "c0aa-2222", want: "0198c0aa-2222"}, // as it ends
		{id: "1111-2", want: "0198c0bb-1111-2"},
		{id: "-1111/call", code: core.CodeNotFound},
		{id: "c0zz-1111", code: core.CodeNotFound},
		{id: "0198c0aa-1111/c", code: core.CodeNotFound},
		{id: "0198c0", code: core.CodeInvalid},
		{id: "77777777", code: core.CodeInvalid},
		{id: "shor", code: core.CodeNotFound},
		{id: "", code: core.CodeNotFound},
	} {
		got, err := j.FindRun(t.Context(), c.id)
		if got.ID != c.want || core.CodeOf(err) != c.code || (c.code != "" && core.HintOf(err) == "") {
			t.Errorf("FindRun(%q) = %q, %v; want %q, %q", c.id, got.ID, err, c.want, c.code)
		}
	}
}

func listsRuns(t *testing.T, j *Store) {
	mustPut(t, j, core.Thread{ID: "a"})
	run := func(id, parent, runner string, at int) core.RunRow {
		return core.RunRow{ID: id, Thread: "a", Parent: parent, Runner: runner, State: core.RunCompleted, Time: storetest.At(at)}
	}
	first, agent, second := run("1", "", "chain/x", 1), run("2", "", "agent/chain/", 2), run("3", "", "chain/y%", 3)
	below, deep := run("1/b", "1", "chain/z", 4), run("1/b/c", "1/b", "chain/z", 5)
	for _, row := range []core.RunRow{first, agent, second, below, deep} {
		mustPut(t, j, row)
	}
	for _, c := range []struct {
		prefix string
		limit  int
		want   []core.RunRow
	}{
		{"chain/", 0, []core.RunRow{second, first}},
		{"chain/", 1, []core.RunRow{second}},
		{"", 9, []core.RunRow{second, agent, first}},
		{"%", 9, nil},
	} {
		got := must.Get(j.Runs(t.Context(), c.prefix, c.limit))(t)
		equal(t, got, c.want)
	}
}

// audit returns the ids of the entries that q asks for.
func audit(t *testing.T, j *Store, q core.AuditQuery) string {
	t.Helper()
	entries := must.Get(j.Audit(t.Context(), q))(t)
	var ids []string
	for _, e := range entries {
		ids = append(ids, e.Row.ID)
	}
	return strings.Join(ids, " ")
}

func keepsAudit(t *testing.T, j *Store) {
	mustPut(t, j, storetest.Said("a", "a/run", "1")) // neither the thread nor the run need be there
	changed := storetest.Said("a", "a/run", "1")
	changed.Message = "another"
	mustPut(t, j, storetest.Said("a", "a/run", "2"), changed, storetest.Said("a", "a/run", "3"), storetest.Said("a", "a/run", "3"))
	entries := must.Get(j.Audit(t.Context(), core.AuditQuery{}))(t)
	for i, e := range entries {
		equal(t, e.Seq, int64(i+1))
		equal(t, e.Row, storetest.Said("a", "a/run", fmt.Sprint(i+1)))
	}
	equal(t, len(entries), 3)
}

func searchesAudit(t *testing.T, j *Store) {
	rows := []core.Row{
		storetest.Said("a", "a/run", "1"), storetest.Said("a", "a/run/n", "2"), storetest.Said("a", "a/run2", "3"), storetest.Said("b", "b/run", "4"), storetest.Said("b", "b/run/n", "5"),
	}
	loud := storetest.Said("b", "b/run", "6")
	loud.Thought, loud.Message = "ÄRGER, 100%", "nothing"
	mustPut(t, j, append(rows, loud)...)
	for _, c := range []struct {
		q    core.AuditQuery
		want string
	}{
		{core.AuditQuery{}, "1 2 3 4 5 6"},
		{core.AuditQuery{Thread: "a"}, "1 2 3"},
		{core.AuditQuery{Run: "a/run"}, "1 2"},
		{core.AuditQuery{Run: "a/run", Thread: "b"}, ""},
		{core.AuditQuery{Limit: 2}, "5 6"},
		{core.AuditQuery{Text: "ärger"}, "6"},
		{core.AuditQuery{Text: "Thought of"}, "1 2 3 4 5"},
		{core.AuditQuery{Text: "of", Limit: 1, Thread: "b"}, "5"},
		{core.AuditQuery{Text: "<MESSAGE> of 3"}, "3"},
		{core.AuditQuery{Text: "_00%"}, ""},
	} {
		if got := audit(t, j, c.q); got != c.want {
			t.Errorf("%+v: %q, want %q", c.q, got, c.want)
		}
	}
}
