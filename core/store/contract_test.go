package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

// The contract of [core.Journal] and of the store's queries.
func TestTheStoreKeepsTheContractOfAJournal(t *testing.T) {
	open := func(t *testing.T) *Store { return openIn(t, t.TempDir()) }
	t.Run("what is put can be loaded", func(t *testing.T) { loads(t, open(t)) })
	t.Run("an unknown run is empty", func(t *testing.T) { loadsNothing(t, open(t)) })
	t.Run("the order of rows in a put does not matter", func(t *testing.T) { takesAnyOrder(t, open(t)) })
	t.Run("putting again changes nothing", func(t *testing.T) { isIdempotent(t, open(t)) })
	t.Run("a bad row takes its whole put with it", func(t *testing.T) { storesAllOrNothing(t, open(t)) })
	t.Run("a run changes its state", func(t *testing.T) { changesState(t, open) })
	t.Run("a thread is run by one root run at a time", func(t *testing.T) { claims(t, open(t)) })
	t.Run("an ended context stores nothing", func(t *testing.T) { honoursContext(t, open(t)) })
	t.Run("many may put at once", func(t *testing.T) { takesManyAtOnce(t, open(t)) })
	t.Run("a question is put once", func(t *testing.T) { asksOnce(t, open(t)) })
	t.Run("the first answer counts", func(t *testing.T) { takesTheFirstAnswer(t, open(t)) })
	t.Run("messages keep their order", func(t *testing.T) { ordersMessages(t, open(t)) })
	t.Run("what the runs below said is not part of the conversation", func(t *testing.T) { hidesChildren(t, open(t)) })
	t.Run("threads are listed by activity", func(t *testing.T) { listsThreads(t, open(t)) })
	t.Run("questions are open until they are answered", func(t *testing.T) { listsQuestions(t, open(t)) })
	t.Run("runs are found by the beginning of their id", func(t *testing.T) { findsRuns(t, open(t)) })
	t.Run("runs are listed by their runner", func(t *testing.T) { listsRuns(t, open(t)) })
	t.Run("the audit log keeps every row once and in order", func(t *testing.T) { keepsAudit(t, open(t)) })
	t.Run("the audit log is searched", func(t *testing.T) { searchesAudit(t, open(t)) })
}

func load(t *testing.T, j *Store, run string) core.Saved {
	t.Helper()
	saved, err := j.Load(t.Context(), run)
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return saved
}

func equal(t *testing.T, got, want any) {
	t.Helper()
	must.Equal(t, want, got, cmpopts.EquateEmpty())
}

func loads(t *testing.T, j *Store) {
	mustPut(t, j, storetest.Begin("a")...)
	answer := core.Message{
		ID: "answer", Run: "a/run", Role: core.RoleAssistant, Name: "main", Text: "0 < 1 & \x00 \u2028 ✓", Thinking: "hm",
		Calls: []core.Call{{ID: "call", Tool: "calc", Args: json.RawMessage(`{"prompt":"1 < 2"}`)}},
		Reply: &core.Reply{Status: core.StatusSuccess, Message: "done", Data: map[string]any{"unit": "m"}},
		Model: "offline", Time: storetest.At(3),
	}
	mustPut(t, j,
		core.MessageRow{Thread: "a", Message: answer},
		core.EventRow{Event: &core.Event{Seq: 1, Time: storetest.At(3), Scope: core.Scope{Thread: "a", Run: "a/run"}, Body: core.TurnEnd{}}},
		core.EventRow{Event: &core.Event{Seq: 2, Time: storetest.At(3), Body: core.ExpertLeft{Name: "calc"}}},
		core.Checkpoint{Run: "a/run", Step: 1, State: json.RawMessage(`{"turn":1}`), Time: storetest.At(3)})
	mustPut(t, j, core.Checkpoint{Run: "a/run", Step: 2, State: json.RawMessage(`{"turn":2}`), Time: storetest.At(4)})
	equal(t, load(t, j, "a/run"), core.Saved{
		Run:      core.RunRow{ID: "a/run", Thread: "a", Runner: "agent/main", State: core.RunRunning, Time: storetest.At(1)},
		Messages: []core.Message{storetest.Say("a", "a/run", "a/question").Message, answer},
		Steps: []core.Checkpoint{
			{Run: "a/run", Step: 1, State: json.RawMessage(`{"turn":1}`), Time: storetest.At(3)},
			{Run: "a/run", Step: 2, State: json.RawMessage(`{"turn":2}`), Time: storetest.At(4)},
		},
	})
}

func loadsNothing(t *testing.T, j *Store) {
	mustPut(t, j, storetest.Begin("a")...)
	equal(t, load(t, j, "b/run"), core.Saved{})
	equal(t, load(t, j, ""), core.Saved{})
}

func takesAnyOrder(t *testing.T, j *Store) {
	child := core.RunRow{ID: "a/run/call", Thread: "a", Parent: "a/run", Runner: "expert/calc", State: core.RunRunning, Depth: 1, Time: storetest.At(2)}
	rows := storetest.Begin("a")
	mustPut(t, j, core.Checkpoint{Run: "a/run", State: json.RawMessage(`null`)}, rows[3], rows[2], child, rows[1], rows[0])
	equal(t, len(load(t, j, "a/run").Messages), 1)
	equal(t, load(t, j, "a/run/call").Run, child)
}

func isIdempotent(t *testing.T, j *Store) {
	rows := append(storetest.Begin("a"),
		core.EventRow{Event: &core.Event{Seq: 1, Time: storetest.At(2), Scope: core.Scope{Thread: "a", Run: "a/run"}, Body: core.TurnEnd{}}},
		core.Checkpoint{Run: "a/run", Step: 1, State: json.RawMessage(`1`), Time: storetest.At(2)})
	mustPut(t, j, rows...)
	want := load(t, j, "a/run")
	mustPut(t, j, rows...)
	mustPut(t, j, core.Checkpoint{Run: "a/run", Step: 1, State: json.RawMessage(`"another"`), Time: storetest.At(5)})
	other := storetest.Say("a", "a/run", "a/question")
	other.Message.Text = "another"
	mustPut(t, j, other)
	equal(t, load(t, j, "a/run"), want)

	mustPut(t, j, core.RunRow{ID: "a/run", Thread: "a", Runner: "agent/main", State: core.RunInterrupted, Time: storetest.At(6)})
	want = load(t, j, "a/run")
	mustPut(t, j, rows...)
	equal(t, load(t, j, "a/run"), want)
}

func storesAllOrNothing(t *testing.T, j *Store) {
	mustPut(t, j, storetest.Begin("a")...)
	good := storetest.Say("a", "a/run", "good")
	for name, bad := range map[string]core.Row{
		"a message in no thread":          storetest.Say("nowhere", "a/run", "bad"),
		"a message without a thread":      storetest.Say("", "a/run", "bad"),
		"a message of no run":             storetest.Say("a", "nowhere", "bad"),
		"a message without an id":         storetest.Say("a", "a/run", ""),
		"a run in no thread":              core.RunRow{ID: "bad", Thread: "nowhere", State: core.RunCompleted},
		"a run of no parent":              core.RunRow{ID: "bad", Thread: "a", Parent: "nowhere", State: core.RunRunning},
		"a run in an unknown state":       core.RunRow{ID: "bad", Thread: "a", Parent: "a/run", State: "dreaming"},
		"a run without an id":             core.RunRow{Thread: "a", Parent: "a/run", State: core.RunRunning},
		"an event of no run":              core.EventRow{Event: &core.Event{Seq: 9, Scope: core.Scope{Thread: "a", Run: "nowhere"}, Body: core.TurnEnd{}}},
		"an event in no thread":           core.EventRow{Event: &core.Event{Seq: 9, Scope: core.Scope{Thread: "nowhere"}, Body: core.TurnEnd{}}},
		"an event without a body":         core.EventRow{Event: &core.Event{Seq: 9}},
		"a checkpoint of no run":          core.Checkpoint{Run: "nowhere", State: json.RawMessage(`1`)},
		"a checkpoint without a run":      core.Checkpoint{State: json.RawMessage(`1`)},
		"a checkpoint that is not JSON":   core.Checkpoint{Run: "a/run", State: json.RawMessage(`{`)},
		"a checkpoint without a state":    core.Checkpoint{Run: "a/run"},
		"a pause of no run":               core.Pause{ID: "bad", Run: "nowhere", Thread: "a"},
		"a pause in no thread":            core.Pause{ID: "bad", Run: "a/run", Thread: "nowhere"},
		"a pause without a thread":        core.Pause{ID: "bad", Run: "a/run"},
		"a pause without a run":           core.Pause{ID: "bad", Thread: "a"},
		"a pause without an id":           core.Pause{Run: "a/run", Thread: "a"},
		"a pause below no root run":       core.Pause{ID: "bad", Run: "a/run", Root: "nowhere", Thread: "a"},
		"a pause whose schema is no JSON": core.Pause{ID: "bad", Run: "a/run", Thread: "a", Schema: json.RawMessage(`{`)},
		"an answer to no pause":           core.Answer{Text: "yes"},
		"an answer to an unknown pause":   core.Answer{Pause: "bad", Text: "yes"},
		"an answer that is no JSON":       core.Answer{Pause: "good", Data: json.RawMessage(`{`)},
		"an audit row without an id":      core.AuditRow{},
		"a session without an id":         core.Session{},
		"a thread without an id":          core.Thread{},
		"a second root run in the thread": core.RunRow{ID: "bad", Thread: "a", State: core.RunRunning, Time: storetest.At(9)},
	} {
		newThread := core.Thread{ID: "new", Created: storetest.At(5), Updated: storetest.At(5)}
		pause := core.Pause{ID: "good", Run: "a/run", Thread: "a"}
		if err := j.Put(t.Context(), newThread, good, pause, core.AuditRow{ID: "good"}, bad); err == nil {
			t.Errorf("%s: stored", name)
		}
		if err := j.Put(t.Context(), storetest.Say("new", "", "in a thread that was not stored")); err == nil {
			t.Errorf("%s: the thread beside it is stored", name)
		}
	}
	equal(t, len(load(t, j, "a/run").Messages), 1)
	equal(t, load(t, j, "a/run").Pauses, []core.Pause{})
	equal(t, load(t, j, "bad"), core.Saved{})
	equal(t, audit(t, j, core.AuditQuery{}), "")
	mustPut(t, j, good)
	equal(t, len(load(t, j, "a/run").Messages), 2)
}

func changesState(t *testing.T, open func(t *testing.T) *Store) {
	type states = []core.RunState
	for _, c := range []struct {
		put  states // the first at 1, the next at 2 and so on
		want core.RunState
		code core.Code // of the last Put
	}{
		{put: states{core.RunRunning, core.RunCompleted}, want: core.RunCompleted},
		{put: states{core.RunRunning, core.RunFailed}, want: core.RunFailed},
		{put: states{core.RunRunning, core.RunInterrupted}, want: core.RunInterrupted},
		{put: states{core.RunRunning, core.RunInterrupted, core.RunRunning}, want: core.RunRunning},
		{put: states{core.RunRunning, core.RunFailed, core.RunRunning, core.RunCompleted}, want: core.RunCompleted},
		{put: states{core.RunRunning, core.RunInterrupted, core.RunCompleted}, want: core.RunCompleted},
		{put: states{core.RunRunning, core.RunCompleted, core.RunFailed}, want: core.RunCompleted},
		{put: states{core.RunRunning, core.RunCompleted, core.RunRunning}, want: core.RunCompleted, code: core.CodeConflict},
	} {
		t.Run(fmt.Sprint(c.put), func(t *testing.T) {
			j := open(t)
			mustPut(t, j, core.Thread{ID: "a"})
			var err error
			for i, state := range c.put {
				err = j.Put(t.Context(), core.RunRow{ID: "r", Thread: "a", Runner: "agent/main", State: state, Time: storetest.At(i + 1)})
			}
			must.Equal(t, c.code, core.CodeOf(err))
			must.Equal(t, c.want, load(t, j, "r").Run.State)
		})
	}
	t.Run("with the reason of the state it is in", func(t *testing.T) {
		j := open(t)
		mustPut(t, j, core.Thread{ID: "a"})
		for i, row := range []core.RunRow{
			{State: core.RunRunning},
			{State: core.RunInterrupted, Code: core.CodeTurnLimit},
			{State: core.RunRunning},
			{State: core.RunFailed, Code: core.CodeFailed},
			{State: core.RunFailed, Code: core.CodeCancelled},
			{State: core.RunRunning},
		} {
			row.ID, row.Thread, row.Time = "r", "a", storetest.At(i+1)
			mustPut(t, j, row)
			if got := load(t, j, "r").Run; got.State != row.State || got.Code != row.Code {
				t.Errorf("it is %s, %q; put was %s, %q", got.State, got.Code, row.State, row.Code)
			}
		}
	})
	t.Run("ended at once, whatever the clock says", func(t *testing.T) {
		j := open(t)
		mustPut(t, j, core.Thread{ID: "a"})
		mustPut(t, j, core.RunRow{ID: "r", Thread: "a", State: core.RunRunning, Time: storetest.At(5)})
		mustPut(t, j, core.RunRow{ID: "r", Thread: "a", State: core.RunCompleted, Time: storetest.At(4)})
		equal(t, load(t, j, "r").Run.State, core.RunCompleted)
	})
}

func claims(t *testing.T, j *Store) {
	mustPut(t, j, storetest.Begin("a")...)
	mustPut(t, j, storetest.Begin("b")...)
	run := func(id, thread, parent string, state core.RunState, at int) core.RunRow {
		return core.RunRow{ID: id, Thread: thread, Parent: parent, Runner: "agent/main", State: state, Time: storetest.At(at)}
	}
	second := run("second", "a", "", core.RunRunning, 3)
	err := j.Put(t.Context(), second)
	if core.CodeOf(err) != core.CodeBusy || core.HintOf(err) == "" {
		t.Fatalf("a second root run: %v, want %s with a hint", err, core.CodeBusy)
	}
	mustPut(t, j, run("a/run/call", "a", "a/run", core.RunRunning, 3))
	mustPut(t, j, run("past", "a", "", core.RunCompleted, 3))
	mustPut(t, j, run("a/run", "a", "", core.RunInterrupted, 4))
	mustPut(t, j, second)
	if err := j.Put(t.Context(), run("a/run", "a", "", core.RunRunning, 5)); core.CodeOf(err) != core.CodeBusy {
		t.Fatalf("going on with the first run beside the second: %v, want %s", err, core.CodeBusy)
	}
	equal(t, load(t, j, "a/run").Run.State, core.RunInterrupted)
	mustPut(t, j, run("second", "a", "", core.RunCompleted, 6), run("a/run", "a", "", core.RunRunning, 6))
	equal(t, load(t, j, "a/run").Run.State, core.RunRunning)
}

func honoursContext(t *testing.T, j *Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := j.Put(ctx, storetest.Begin("a")...); err != context.Canceled { //nolint:errorlint // it is ctx's error and no other
		t.Errorf("Put: %v, want %v", err, context.Canceled)
	}
	equal(t, load(t, j, "a/run"), core.Saved{})
}

func takesManyAtOnce(t *testing.T, j *Store) {
	const putters, puts = 8, 50
	mustPut(t, j, storetest.Begin("a")...)
	var all sync.WaitGroup
	for p := range putters {
		all.Go(func() {
			for n := range puts {
				id := fmt.Sprintf("%d-%d", p, n)
				// Every third is bad and must not take a neighbour with it.
				rows := []core.Row{storetest.Say("a", "a/run", id), storetest.Say("a", "a/run", id+"'")}
				if n%3 == 2 {
					rows = append(rows, storetest.Say("nowhere", "", id+"''"))
				}
				if err := j.Put(t.Context(), rows...); (err != nil) != (n%3 == 2) {
					t.Errorf("Put %s: %v", id, err)
				}
			}
		})
	}
	all.Wait()
	messages := load(t, j, "a/run").Messages[1:]
	if want := 2 * putters * (puts - puts/3); len(messages) != want {
		t.Fatalf("%d messages are stored, want %d", len(messages), want)
	}
	next := make([]int, putters) // of each putter
	for i := 0; i < len(messages); i += 2 {
		var p, n int
		must.Get(fmt.Sscanf(messages[i].ID, "%d-%d", &p, &n))(t)
		if n < next[p] || messages[i+1].ID != messages[i].ID+"'" {
			t.Fatalf("%s is followed by %s; the one before it was %d", messages[i].ID, messages[i+1].ID, next[p]-1)
		}
		next[p] = n + 1
	}
}

func ordersMessages(t *testing.T, j *Store) {
	mustPut(t, j, storetest.Begin("a")...)
	mustPut(t, j, storetest.Begin("b")...)
	want := []string{"a/question"}
	for n := range 20 {
		id := strconv.Itoa(n)
		row := storetest.Say("a", "", id)
		row.Message.Time = storetest.At(100 - n) // the order is that of the Puts, not of the clock
		mustPut(t, j, row, storetest.Say("b", "b/run", "b"+id))
		want = append(want, id)
	}
	messages := must.Get(j.Messages(t.Context(), "a"))(t)
	got := make([]string, len(messages))
	for i, m := range messages {
		got[i] = m.ID
	}
	equal(t, got, want)
	none, err := j.Messages(t.Context(), "nowhere")
	if err != nil || len(none) != 0 {
		t.Errorf("an unknown thread has %v, %v", none, err)
	}
}

func listsThreads(t *testing.T, j *Store) {
	for i, id := range []string{"a", "b", "c"} {
		mustPut(t, j, core.Thread{ID: id, Session: "s", Title: "T" + id, Created: storetest.At(i), Updated: storetest.At(i)})
	}
	row := storetest.Say("a", "", "m")
	row.Message.Time = storetest.At(10)
	mustPut(t, j, row)
	mustPut(t, j, core.Thread{ID: "b", Session: "s", Title: "renamed", Created: storetest.At(1), Updated: storetest.At(8)})
	mustPut(t, j, core.Thread{ID: "c", Session: "s", Created: storetest.At(2), Updated: storetest.At(3)})
	mustPut(t, j, core.Thread{ID: "b", Session: "s", Title: "Tb", Created: storetest.At(1), Updated: storetest.At(1)})
	all := []core.Thread{
		{ID: "a", Session: "s", Title: "Ta", Created: storetest.At(0), Updated: storetest.At(10), Count: 1},
		{ID: "b", Session: "s", Title: "renamed", Created: storetest.At(1), Updated: storetest.At(8)},
		{ID: "c", Session: "s", Title: "Tc", Created: storetest.At(2), Updated: storetest.At(3)},
	}
	for limit, want := range map[int][]core.Thread{0: all, 2: all[:2], 9: all} {
		got := must.Get(j.Threads(t.Context(), core.ThreadQuery{Limit: limit}))(t)
		equal(t, got, want)
	}
}
