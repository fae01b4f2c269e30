package memory_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
	"github.com/yaap-chat/yaap/core/memory"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

func load(t *testing.T, cp *memory.Checkpointer, thread string, step int) memory.State {
	t.Helper()
	s := must.Get(cp.Load(t.Context(), thread, step))(t)
	return s
}

func process(t *testing.T, inv *memory.Invoker, thread string, messages ...core.Message) {
	t.Helper()
	must.Do(t, inv.Process(t.Context(), thread, messages...))
}

func begin(t *testing.T, inv *memory.Invoker, thread string) {
	t.Helper()
	must.Do(t, inv.StartSession(t.Context(), thread))
}

func texts(messages []core.Message) string {
	var all []string
	for _, m := range messages {
		line, _, _ := strings.Cut(m.Text, "\n")
		all = append(all, line)
	}
	return strings.Join(all, "|")
}

func TestTheHistoryAccumulatesAndEverythingElseIsReplaced(t *testing.T) {
	r := newRoom(t, nil)
	inv := memory.NewInvoker(memory.NewAgent(r.cfg))
	begin(t, inv, "t")
	begin(t, inv, "t") // again: nothing changes
	process(t, inv, "t", r.say("t", "a")...)
	process(t, inv, "t", r.say("t", "b", "c", "d", "e", "f", "g")...)
	must.Do(t, inv.EndSession(t.Context(), "t"))
	begin(t, inv, "t")
	cp := memory.NewCheckpointer(r.store, "m")
	const found = "Previous session context:|Recent entries:"
	for step, want := range []struct {
		control                   memory.Control
		count                     int
		history, processed, tools string
	}{
		{memory.StartSession, 0, found, "", "get_context list_entries"},
		{memory.ProcessMessage, 1, found + "|a", "a", "add_entry"},
		{memory.ProcessMessageAndFlush, 6, found + "|a|b|c|d|e|f", "b|c|d|e|f", "add_entry add_entry add_entry add_entry add_entry"},
		{memory.ProcessMessageAndFlush, 6, found + "|a|b|c|d|e|f", "b|c|d|e|f", "add_entry add_entry add_entry add_entry add_entry await_consistency put_context"},
		{memory.ProcessMessage, 7, found + "|a|b|c|d|e|f|g", "g", "add_entry"},
		{memory.EndSession, 7, found + "|a|b|c|d|e|f|g", "", "await_consistency put_context"},
		{memory.StartSession, 0, found + "|a|b|c|d|e|f|g|" + found, "", "get_context list_entries"},
	} {
		s := load(t, cp, "t", step+1)
		if s.Step != step+1 || s.Control != want.control || s.Count != want.count ||
			texts(s.History) != want.history || texts(s.ToProcess) != want.processed || strings.Join(s.ToolHistory, " ") != want.tools {
			t.Errorf("step %d is\n%+v, want\n%+v", step+1, s, want)
		}
	}
	last := load(t, cp, "t", 0)
	if last.Step != 7 || !strings.Contains(last.History[10].Text, "user: g") || strings.Contains(last.History[1].Text, "user: g") {
		t.Errorf("what was found at the start of a session is not what was there then: %+v", last.History)
	}
}

func TestAKilledProgramGoesOnWithTheSameCounterAndHistory(t *testing.T) {
	whole, killed := newRoom(t, nil), newRoom(t, nil)
	for r, restart := range map[*room]bool{whole: false, killed: true} {
		inv := memory.NewInvoker(memory.NewAgent(r.cfg))
		begin(t, inv, "t")
		for n := range 8 {
			if restart {
				inv = memory.NewInvoker(memory.NewAgent(r.cfg))
				if started, err := inv.Started(t.Context(), "t"); err != nil || !started {
					t.Fatalf("after %d messages: %t, %v", n, started, err)
				}
			}
			process(t, inv, "t", r.say("t", fmt.Sprintf("port %d", 8000+n))...)
		}
		if next := inv.NextFlush("t"); next != 4 {
			t.Errorf("the next flush is in %d messages", next)
		}
	}
	want, got := load(t, memory.NewCheckpointer(whole.store, "m"), "t", 0), load(t, memory.NewCheckpointer(killed.store, "m"), "t", 0)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the state (-whole +killed)\n%s", diff)
	}
	if len(killed.contexts()) != 1 || killed.contexts()[0].Content != whole.contexts()[0].Content {
		t.Errorf("got the contexts %+v", killed.contexts())
	}
}

// flaky is a store whose disk is full for a while.
type flaky struct {
	searched
	full atomic.Bool
}

var errFull = errors.New("the disk is full")

func (f *flaky) Put(ctx context.Context, rows ...core.Row) error {
	if f.full.Load() {
		return errFull
	}
	return f.searched.Put(ctx, rows...)
}

func TestNoInvocationSeesTheToolsOfAnother(t *testing.T) {
	for name, kept := range map[string]bool{"with checkpoints": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t, nil)
			disk := &flaky{searched: searched{r.store}}
			if r.cfg.Store = disk; !kept {
				r.cfg.Checkpoints = nil
			}
			read := logged(r)
			a := memory.NewAgent(r.cfg)
			inv := memory.NewInvoker(a)
			begin(t, inv, "t")
			messages := r.say("t", "a", "b", "c")
			process(t, inv, "t", messages[0])
			disk.full.Store(true)
			if err := inv.Process(t.Context(), "t", messages[1]); !errors.Is(err, errFull) {
				t.Errorf("got %v", err)
			}
			disk.full.Store(false)
			_ = read()
			process(t, inv, "t", messages[1])
			process(t, inv, "t", messages[2])
			records := read()
			if diff := cmp.Diff([]string{"", ""}, of(records, "observe_start", "last_tool")); diff != "" {
				t.Errorf("an invocation begins with the tools of another (-want +got)\n%s", diff)
			}
			must.Equal(t, []string{"[add_entry]", "[add_entry]"}, of(records, "agent_complete", "tools"))
			if next := inv.NextFlush("t"); next != 3 {
				t.Errorf("after three messages the next flush is in %d", next)
			}
			must.Equal(t, 3, len(r.entries()))
		})
	}
}

func TestACheckpointCanBeDeletedWithoutTouchingWhatIsRemembered(t *testing.T) {
	r := newRoom(t, nil)
	r.open("u")
	inv := memory.NewInvoker(memory.NewAgent(r.cfg))
	for _, thread := range []string{"t", "u"} {
		begin(t, inv, thread)
		process(t, inv, thread, r.say(thread, "in "+thread)...)
	}
	cp := memory.NewCheckpointer(r.store, "m")
	if list, err := cp.List(t.Context(), 0); err != nil || len(list) != 2 || list[0].Thread != "u" || list[0].Step != 2 {
		t.Errorf("got %+v, %v", list, err)
	}
	must.Do(t, cp.Delete(t.Context(), "t"))
	if s := load(t, cp, "t", 0); s.Step != 0 || len(s.History) > 0 {
		t.Errorf("got %+v", s)
	}
	if s := load(t, cp, "u", 0); s.Step != 2 || len(r.entries()) != 2 {
		t.Errorf("got %+v and %d entries", s, len(r.entries()))
	}
	inv = memory.NewInvoker(memory.NewAgent(r.cfg))
	if started, err := inv.Started(t.Context(), "t"); err != nil || started {
		t.Errorf("the session goes on: %t, %v", started, err)
	}
}

// openStore opens the database in dir and lets its writer run.
func openStore(t testing.TB, dir string) *store.Store {
	t.Helper()
	return storetest.Open(t, dir, store.Open)
}

// onDisk is the configuration of a memory in a real database.
func onDisk(t testing.TB, s *store.Store, id string) memory.Config {
	t.Helper()
	rows := storetest.Recall(id)
	must.Do(t, s.Put(t.Context(), rows...))
	return memory.Config{Store: s, Checkpoints: s, Vault: rows[0].(core.Vault), Memory: rows[1].(core.Memory)}
}

// hear stores a message of a conversation that is recorded in a memory.
func hear(t testing.TB, s *store.Store, id, thread string, n int) core.Message {
	t.Helper()
	m := core.Message{
		ID: fmt.Sprintf("%s-%02d", thread, n), Role: core.RoleUser, Time: time.Date(2026, 11, 21, 12, n, 0, 0, time.UTC),
		Text: fmt.Sprintf("We decided to give %s the port %d.", thread, 8000+n),
	}
	rows := []core.Row{core.MessageRow{Thread: thread, Message: m}}
	if n == 0 {
		rows = append(rows, core.Thread{ID: thread}, core.Recording{Thread: thread, Memory: id})
	}
	must.Report(t, s.Put(t.Context(), rows...))
	return m
}

// kept is what there is of a conversation in the end.
type kept struct {
	Entries  []core.Entry
	State    memory.State
	Contexts []core.ContextDoc
}

func keptOf(t *testing.T, s *store.Store, id, thread string) (k kept) {
	t.Helper()
	var err error
	if k.Entries, err = s.Entries(t.Context(), id, core.EntryQuery{Thread: thread, Limit: 50}); err != nil {
		t.Fatal(err)
	}
	if k.Contexts, err = s.Contexts(t.Context(), id, 0); err != nil {
		t.Fatal(err)
	}
	k.State = load(t, memory.NewCheckpointer(s, id), thread, 0)
	return k
}

func TestConversationsAtTheSameTimeAreRememberedLikeEachAlone(t *testing.T) {
	const conversations, messages = 4, 15
	talk := func(s *store.Store, cfg memory.Config, thread string) {
		inv := memory.NewInvoker(memory.NewAgent(cfg))
		begin(t, inv, thread)
		for n := range messages {
			process(t, inv, thread, hear(t, s, cfg.Memory.ID, thread, n))
		}
		must.Report(t, inv.EndSession(t.Context(), thread))
	}
	name := func(n int) (id, thread string) { return fmt.Sprint("m", n), fmt.Sprint("t", n) }
	alone := map[string]kept{}
	for n := range conversations {
		id, thread := name(n)
		s := openStore(t, t.TempDir())
		talk(s, onDisk(t, s, id), thread)
		alone[thread] = keptOf(t, s, id, thread)
	}
	apart, together := openStore(t, t.TempDir()), openStore(t, t.TempDir())
	var all sync.WaitGroup
	for n := range conversations {
		id, thread := name(n)
		cfg := onDisk(t, apart, id)
		all.Go(func() { talk(apart, cfg, thread) })
	}
	all.Wait()
	shared := onDisk(t, together, "m")
	inv := memory.NewInvoker(memory.NewAgent(shared))
	for n := range messages {
		for c := range conversations {
			if _, thread := name(c); n == 0 {
				begin(t, inv, thread)
			}
			_, thread := name(c)
			process(t, inv, thread, hear(t, together, "m", thread, n))
		}
	}
	same := cmp.Options{
		cmpopts.IgnoreFields(core.Entry{}, "Seq", "Memory"), cmpopts.IgnoreFields(core.ContextDoc{}, "ID", "Seq", "Upto", "Created"),
		cmpopts.EquateEmpty(),
	}
	for n := range conversations {
		id, thread := name(n)
		got := keptOf(t, apart, id, thread)
		if diff := cmp.Diff(alone[thread], got, same); diff != "" {
			t.Errorf("%s in a memory of its own (-alone +beside others)\n%s", thread, diff)
		}
		if len(got.Entries) != messages || len(got.Contexts) != 3 {
			t.Errorf("%s has %d entries and %d contexts", thread, len(got.Entries), len(got.Contexts))
		}
		mixed := keptOf(t, together, "m", thread)
		if diff := cmp.Diff(alone[thread].Entries, mixed.Entries, same); diff != "" {
			t.Errorf("the entries of %s in a memory with others (-alone +beside others)\n%s", thread, diff)
		}
		said := alone[thread].State.History[2:]
		if diff := cmp.Diff(said, mixed.State.History[2:]); diff != "" || mixed.State.Count != messages {
			t.Errorf("%d messages of %s, in a memory with others (-alone +beside others)\n%s", mixed.State.Count, thread, diff)
		}
	}
}

func TestWhatIsForgottenIsGoneFromTheStateOfItsConversation(t *testing.T) {
	s := openStore(t, t.TempDir())
	cfg := onDisk(t, s, "m")
	inv := memory.NewInvoker(memory.NewAgent(cfg))
	begin(t, inv, "t")
	for n := range 7 {
		process(t, inv, "t", hear(t, s, "m", "t", n))
	}
	begin(t, inv, "t")
	must.Get(s.Forget(t.Context(), core.ForgetQuery{Entry: "t-03/1"}))(t)
	state := load(t, memory.NewCheckpointer(s, "m"), "t", 0)
	if all := fmt.Sprint(state); strings.Contains(all, "8003") || !strings.Contains(all, "8004") {
		t.Errorf("got %s", all)
	}
	inv = memory.NewInvoker(memory.NewAgent(cfg))
	process(t, inv, "t", hear(t, s, "m", "t", 7))
	if state := load(t, memory.NewCheckpointer(s, "m"), "t", 0); state.Count != 1 || strings.Contains(fmt.Sprint(state), "8003") {
		t.Errorf("got %+v", state)
	}
	must.Get(s.Forget(t.Context(), core.ForgetQuery{Thread: "t"}))(t)
	if list, err := memory.NewCheckpointer(s, "m").List(t.Context(), 0); err != nil || len(list) > 0 {
		t.Errorf("the conversation is forgotten and has checkpoints: %+v, %v", list, err)
	}
}

func TestAModelIsNotToldWhatWasForgottenInTheSession(t *testing.T) {
	model := llmtest.New(t, writes("It was decided that t has the port 8000."), writes("It was decided that t has the port 8001."))
	s := openStore(t, t.TempDir())
	cfg := onDisk(t, s, "m")
	cfg.Model = func() llm.Model { return model }
	inv := memory.NewInvoker(memory.NewAgent(cfg))
	begin(t, inv, "t")
	process(t, inv, "t", hear(t, s, "m", "t", 0))
	must.Get(s.Forget(t.Context(), core.ForgetQuery{Entry: "t-00/1"}))(t)
	process(t, inv, "t", hear(t, s, "m", "t", 1))
	if told := model.Requests()[1].System; strings.Contains(told, "8000") || !strings.Contains(told, "8001") {
		t.Errorf("the model is told:\n%s", told)
	}
}
