package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"yaap/core"
)

// Conversations is a journal that conversations can be read back from.
type Conversations interface {
	core.Journal
	Messages(ctx context.Context, thread string) ([]core.Message, error)
	Threads(ctx context.Context, limit int) ([]core.Thread, error)
}

// Questions is a journal that tells what waits for the user.
type Questions interface {
	core.Journal
	Pause(ctx context.Context, id string) (core.Pause, error)
	Pauses(ctx context.Context, thread string) ([]core.Pause, error)
}

// History is a journal that runs can be found in.
type History interface {
	core.Journal
	FindRun(ctx context.Context, id string) (core.RunRow, error)
	Runs(ctx context.Context, prefix string, limit int) ([]core.RunRow, error)
}

// Log is a journal whose audit log can be read.
type Log interface {
	core.Journal
	Audit(ctx context.Context, q core.AuditQuery) ([]core.AuditEntry, error)
}

// Suite checks the contract of [core.Journal], and of [Conversations],
// [Questions], [History], [Log], [Memories], [Entries], [Recorder], [Awaiter]
// and [Checkpointer] where the journal is one. open returns an empty journal
// that is ready for Puts.
func Suite(t *testing.T, open func(t *testing.T) core.Journal) {
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
	where(t, open, "messages keep their order", ordersMessages)
	where(t, open, "what the runs below said is not part of the conversation", hidesChildren)
	where(t, open, "threads are listed by activity", listsThreads)
	where(t, open, "questions are open until they are answered", listsQuestions)
	where(t, open, "runs are found by the beginning of their id", findsRuns)
	where(t, open, "runs are listed by their runner", listsRuns)
	where(t, open, "the audit log keeps every row once and in order", keepsAudit)
	where(t, open, "the audit log is searched", searchesAudit)
	memorySuite(t, open)
}

// where runs a test when the journal is what it is about.
func where[J core.Journal](t *testing.T, open func(t *testing.T) core.Journal, name string, test func(*testing.T, J)) {
	t.Run(name, func(t *testing.T) {
		if j, ok := open(t).(J); ok {
			test(t, j)
		}
	})
}

// At is a moment for rows of tests, n microseconds after a fixed one.
func At(n int) time.Time {
	return time.Date(2026, 8, 11, 12, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Microsecond)
}

// Begin returns the rows that begin a conversation: its thread, its first
// message and its first run, "THREAD/run".
func Begin(thread string) []core.Row {
	run := thread + "/run"
	return []core.Row{
		core.Session{ID: "session", Started: At(0)},
		core.Thread{ID: thread, Session: "session", Title: "about " + thread, Created: At(0), Updated: At(0)},
		core.RunRow{ID: run, Thread: thread, Runner: "agent/main", State: core.RunRunning, Time: At(1)},
		Say(thread, run, thread+"/question"),
	}
}

// Say returns a message of a run.
func Say(thread, run, id string) core.MessageRow {
	return core.MessageRow{Thread: thread, Message: core.Message{ID: id, Run: run, Role: core.RoleUser, Text: "text of " + id, Time: At(2)}}
}

// Ask returns the question of a run that asks in it under that name.
func Ask(thread, run, name string) core.Pause {
	return core.Pause{
		ID: run + "#" + name, Run: run, Root: run, Thread: thread, Kind: core.PauseClarification, From: "main",
		Question: name + "?", Options: []core.Option{{ID: "1", Label: "<one> & all"}, {ID: "2", Label: "two"}},
		Schema: json.RawMessage(`{"type":"object"}`), Time: At(3),
	}
}

// Said returns the audit row of a reply in a run.
func Said(thread, run, id string) core.AuditRow {
	return core.AuditRow{
		ID: id, Time: At(3), Thread: thread, Run: run, Trace: run, Actor: "agent/main", Node: "node\x00",
		AuditReply: core.AuditReply{
			Said: core.StatusSuccess, Status: core.StatusFailure, Thought: "thought of " + id, Data: `{"n":1}`,
			Message: "<message> of " + id, RawHash: "00", Outcome: "read", Severity: "info",
		},
		Model: "offline", Tokens: 7, MS: 8,
	}
}

func must(t *testing.T, j core.Journal, rows ...core.Row) {
	t.Helper()
	if err := j.Put(t.Context(), rows...); err != nil {
		t.Fatalf("Put: %v", err)
	}
}

func load(t *testing.T, j core.Journal, run string) core.Saved {
	t.Helper()
	saved, err := j.Load(t.Context(), run)
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return saved
}

func equal(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func loads(t *testing.T, j core.Journal) {
	must(t, j, Begin("a")...)
	answer := core.Message{
		ID: "answer", Run: "a/run", Role: core.RoleAssistant, Name: "main", Text: "0 < 1 & \x00 \u2028 ✓", Thinking: "hm",
		Calls: []core.Call{{ID: "call", Tool: "calc", Args: json.RawMessage(`{"prompt":"1 < 2"}`)}},
		Reply: &core.Reply{Status: core.StatusSuccess, Message: "done", Data: map[string]any{"unit": "m"}},
		Model: "offline", Time: At(3),
	}
	must(t, j,
		core.MessageRow{Thread: "a", Message: answer},
		core.EventRow{Event: core.Event{Seq: 1, Time: At(3), Scope: core.Scope{Thread: "a", Run: "a/run"}, Body: core.TurnEnd{}}},
		core.EventRow{Event: core.Event{Seq: 2, Time: At(3), Body: core.ExpertLeft{Name: "calc"}}},
		core.Checkpoint{Run: "a/run", Step: 1, State: json.RawMessage(`{"turn":1}`), Time: At(3)})
	must(t, j, core.Checkpoint{Run: "a/run", Step: 2, State: json.RawMessage(`{"turn":2}`), Time: At(4)})
	equal(t, load(t, j, "a/run"), core.Saved{
		Run:      core.RunRow{ID: "a/run", Thread: "a", Runner: "agent/main", State: core.RunRunning, Time: At(1)},
		Messages: []core.Message{Say("a", "a/run", "a/question").Message, answer},
		Steps: []core.Checkpoint{
			{Run: "a/run", Step: 1, State: json.RawMessage(`{"turn":1}`), Time: At(3)},
			{Run: "a/run", Step: 2, State: json.RawMessage(`{"turn":2}`), Time: At(4)},
		},
	})
}

func loadsNothing(t *testing.T, j core.Journal) {
	must(t, j, Begin("a")...)
	equal(t, load(t, j, "b/run"), core.Saved{})
	equal(t, load(t, j, ""), core.Saved{})
}

func takesAnyOrder(t *testing.T, j core.Journal) {
	child := core.RunRow{ID: "a/run/call", Thread: "a", Parent: "a/run", Runner: "expert/calc", State: core.RunRunning, Depth: 1, Time: At(2)}
	rows := Begin("a")
	must(t, j, core.Checkpoint{Run: "a/run", State: json.RawMessage(`null`)}, rows[3], rows[2], child, rows[1], rows[0])
	equal(t, len(load(t, j, "a/run").Messages), 1)
	equal(t, load(t, j, "a/run/call").Run, child)
}

func isIdempotent(t *testing.T, j core.Journal) {
	rows := append(Begin("a"),
		core.EventRow{Event: core.Event{Seq: 1, Time: At(2), Scope: core.Scope{Thread: "a", Run: "a/run"}, Body: core.TurnEnd{}}},
		core.Checkpoint{Run: "a/run", Step: 1, State: json.RawMessage(`1`), Time: At(2)})
	must(t, j, rows...)
	want := load(t, j, "a/run")
	must(t, j, rows...)
	must(t, j, core.Checkpoint{Run: "a/run", Step: 1, State: json.RawMessage(`"another"`), Time: At(5)})
	other := Say("a", "a/run", "a/question")
	other.Message.Text = "another"
	must(t, j, other)
	equal(t, load(t, j, "a/run"), want)

	must(t, j, core.RunRow{ID: "a/run", Thread: "a", Runner: "agent/main", State: core.RunInterrupted, Time: At(6)})
	want = load(t, j, "a/run")
	must(t, j, rows...)
	equal(t, load(t, j, "a/run"), want)
}

func storesAllOrNothing(t *testing.T, j core.Journal) {
	must(t, j, Begin("a")...)
	good := Say("a", "a/run", "good")
	for name, bad := range map[string]core.Row{
		"a message in no thread":          Say("nowhere", "a/run", "bad"),
		"a message without a thread":      Say("", "a/run", "bad"),
		"a message of no run":             Say("a", "nowhere", "bad"),
		"a message without an id":         Say("a", "a/run", ""),
		"a run in no thread":              core.RunRow{ID: "bad", Thread: "nowhere", State: core.RunCompleted},
		"a run of no parent":              core.RunRow{ID: "bad", Thread: "a", Parent: "nowhere", State: core.RunRunning},
		"a run in an unknown state":       core.RunRow{ID: "bad", Thread: "a", Parent: "a/run", State: "dreaming"},
		"a run without an id":             core.RunRow{Thread: "a", Parent: "a/run", State: core.RunRunning},
		"an event of no run":              core.EventRow{Event: core.Event{Seq: 9, Scope: core.Scope{Thread: "a", Run: "nowhere"}, Body: core.TurnEnd{}}},
		"an event in no thread":           core.EventRow{Event: core.Event{Seq: 9, Scope: core.Scope{Thread: "nowhere"}, Body: core.TurnEnd{}}},
		"an event without a body":         core.EventRow{Event: core.Event{Seq: 9}},
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
		"a second root run in the thread": core.RunRow{ID: "bad", Thread: "a", State: core.RunRunning, Time: At(9)},
	} {
		newThread := core.Thread{ID: "new", Created: At(5), Updated: At(5)}
		pause := core.Pause{ID: "good", Run: "a/run", Thread: "a"}
		if err := j.Put(t.Context(), newThread, good, pause, core.AuditRow{ID: "good"}, bad); err == nil {
			t.Errorf("%s: stored", name)
		}
		if err := j.Put(t.Context(), Say("new", "", "in a thread that was not stored")); err == nil {
			t.Errorf("%s: the thread beside it is stored", name)
		}
	}
	equal(t, len(load(t, j, "a/run").Messages), 1)
	equal(t, load(t, j, "a/run").Pauses, []core.Pause{})
	equal(t, load(t, j, "bad"), core.Saved{})
	if log, ok := j.(Log); ok {
		equal(t, audit(t, log, core.AuditQuery{}), "")
	}
	must(t, j, good)
	equal(t, len(load(t, j, "a/run").Messages), 2)
}

func changesState(t *testing.T, open func(t *testing.T) core.Journal) {
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
			must(t, j, core.Thread{ID: "a"})
			var err error
			for i, state := range c.put {
				err = j.Put(t.Context(), core.RunRow{ID: "r", Thread: "a", Runner: "agent/main", State: state, Time: At(i + 1)})
			}
			if got := core.CodeOf(err); got != c.code {
				t.Errorf("the last Put fails with %q, want %q", got, c.code)
			}
			if got := load(t, j, "r").Run.State; got != c.want {
				t.Errorf("the run is %s, want %s", got, c.want)
			}
		})
	}
	t.Run("with the reason of the state it is in", func(t *testing.T) {
		j := open(t)
		must(t, j, core.Thread{ID: "a"})
		for i, row := range []core.RunRow{
			{State: core.RunRunning},
			{State: core.RunInterrupted, Code: core.CodeTurnLimit},
			{State: core.RunRunning},
			{State: core.RunFailed, Code: core.CodeFailed},
			{State: core.RunFailed, Code: core.CodeCancelled},
			{State: core.RunRunning},
		} {
			row.ID, row.Thread, row.Time = "r", "a", At(i+1)
			must(t, j, row)
			if got := load(t, j, "r").Run; got.State != row.State || got.Code != row.Code {
				t.Errorf("it is %s, %q; put was %s, %q", got.State, got.Code, row.State, row.Code)
			}
		}
	})
	t.Run("ended at once, whatever the clock says", func(t *testing.T) {
		j := open(t)
		must(t, j, core.Thread{ID: "a"})
		must(t, j, core.RunRow{ID: "r", Thread: "a", State: core.RunRunning, Time: At(5)})
		must(t, j, core.RunRow{ID: "r", Thread: "a", State: core.RunCompleted, Time: At(4)})
		equal(t, load(t, j, "r").Run.State, core.RunCompleted)
	})
}

func claims(t *testing.T, j core.Journal) {
	must(t, j, Begin("a")...)
	must(t, j, Begin("b")...)
	run := func(id, thread, parent string, state core.RunState, at int) core.RunRow {
		return core.RunRow{ID: id, Thread: thread, Parent: parent, Runner: "agent/main", State: state, Time: At(at)}
	}
	second := run("second", "a", "", core.RunRunning, 3)
	err := j.Put(t.Context(), second)
	if core.CodeOf(err) != core.CodeBusy || core.HintOf(err) == "" {
		t.Fatalf("a second root run: %v, want %s with a hint", err, core.CodeBusy)
	}
	must(t, j, run("a/run/call", "a", "a/run", core.RunRunning, 3))
	must(t, j, run("past", "a", "", core.RunCompleted, 3))
	must(t, j, run("a/run", "a", "", core.RunInterrupted, 4))
	must(t, j, second)
	if err := j.Put(t.Context(), run("a/run", "a", "", core.RunRunning, 5)); core.CodeOf(err) != core.CodeBusy {
		t.Fatalf("going on with the first run beside the second: %v, want %s", err, core.CodeBusy)
	}
	equal(t, load(t, j, "a/run").Run.State, core.RunInterrupted)
	must(t, j, run("second", "a", "", core.RunCompleted, 6), run("a/run", "a", "", core.RunRunning, 6))
	equal(t, load(t, j, "a/run").Run.State, core.RunRunning)
}

func honoursContext(t *testing.T, j core.Journal) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := j.Put(ctx, Begin("a")...); err != context.Canceled { //nolint:errorlint // it is ctx's error and no other
		t.Errorf("Put: %v, want %v", err, context.Canceled)
	}
	equal(t, load(t, j, "a/run"), core.Saved{})
}

func takesManyAtOnce(t *testing.T, j core.Journal) {
	const putters, puts = 8, 50
	must(t, j, Begin("a")...)
	var all sync.WaitGroup
	for p := range putters {
		all.Go(func() {
			for n := range puts {
				id := fmt.Sprintf("%d-%d", p, n)
				// Every third is bad and must not take a neighbour with it.
				rows := []core.Row{Say("a", "a/run", id), Say("a", "a/run", id+"'")}
				if n%3 == 2 {
					rows = append(rows, Say("nowhere", "", id+"''"))
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
		if _, err := fmt.Sscanf(messages[i].ID, "%d-%d", &p, &n); err != nil {
			t.Fatal(err)
		}
		if n < next[p] || messages[i+1].ID != messages[i].ID+"'" {
			t.Fatalf("%s is followed by %s; the one before it was %d", messages[i].ID, messages[i+1].ID, next[p]-1)
		}
		next[p] = n + 1
	}
}

func ordersMessages(t *testing.T, j Conversations) {
	must(t, j, Begin("a")...)
	must(t, j, Begin("b")...)
	want := []string{"a/question"}
	for n := range 20 {
		id := strconv.Itoa(n)
		row := Say("a", "", id)
		row.Message.Time = At(100 - n) // the order is that of the Puts, not of the clock
		must(t, j, row, Say("b", "b/run", "b"+id))
		want = append(want, id)
	}
	messages, err := j.Messages(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
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

func listsThreads(t *testing.T, j Conversations) {
	for i, id := range []string{"a", "b", "c"} {
		must(t, j, core.Thread{ID: id, Session: "s", Title: "T" + id, Created: At(i), Updated: At(i)})
	}
	row := Say("a", "", "m")
	row.Message.Time = At(10)
	must(t, j, row)
	must(t, j, core.Thread{ID: "b", Session: "s", Title: "renamed", Created: At(1), Updated: At(8)})
	must(t, j, core.Thread{ID: "c", Session: "s", Created: At(2), Updated: At(3)})
	must(t, j, core.Thread{ID: "b", Session: "s", Title: "Tb", Created: At(1), Updated: At(1)})
	all := []core.Thread{
		{ID: "a", Session: "s", Title: "Ta", Created: At(0), Updated: At(10), Count: 1},
		{ID: "b", Session: "s", Title: "renamed", Created: At(1), Updated: At(8)},
		{ID: "c", Session: "s", Title: "Tc", Created: At(2), Updated: At(3)},
	}
	for limit, want := range map[int][]core.Thread{0: all, 2: all[:2], 9: all} {
		got, err := j.Threads(t.Context(), limit)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, got, want)
	}
}
