package store

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

func TestAThreadIsFoundByTheBeginningOfItsID(t *testing.T) {
	s := openIn(t, t.TempDir())
	for _, id := range []string{"0198c0aa-1111", "0198c0aa-2222", "0198c0bb-1111", "0198c0bb-1111-2", "short", "100%_x"} {
		mustPut(t, s, core.Thread{ID: id, Title: "T"})
	}
	for _, c := range []struct {
		id, want string
		code     core.Code
	}{
		{id: "0198c0aa-1111", want: "0198c0aa-1111"},
		{id: "0198c0aa-2", want: "0198c0aa-2222"},
		{id: "0198c0bb-1111", want: "0198c0bb-1111"}, // whole, though another begins with it
		{id: "short", want: "short"},
		{id: "100%_x", want: "100%_x"},
		{id: "0198c0", code: core.CodeInvalid},
		{id: "0198c0aa-", code: core.CodeInvalid},
		{id: "shor", code: core.CodeNotFound},
		{id: "0198c", code: core.CodeNotFound},
		{id: "0198c0cc", code: core.CodeNotFound},
		{id: "%%%%%%", code: core.CodeNotFound},
		{id: "", code: core.CodeNotFound},
		{id: strings.Repeat("0", 100_000), code: core.CodeNotFound},
	} {
		got, err := s.Thread(t.Context(), c.id)
		if got.ID != c.want || core.CodeOf(err) != c.code || (c.code != "" && core.HintOf(err) == "") {
			t.Errorf("Thread(%.20q) = %q, %v; want %q, %q", c.id, got.ID, err, c.want, c.code)
		}
	}
	mustPut(t, s, storetest.Say("short", "", "m"))
	if got, err := s.Thread(t.Context(), "short"); err != nil || got.Count != 1 || !got.Updated.Equal(storetest.At(2)) {
		t.Errorf("Thread = %+v, %v; want one message", got, err)
	}
}

func TestEventsComeBackInOrder(t *testing.T) {
	dir := t.TempDir()
	first, second := openIn(t, dir), openIn(t, dir)
	mustPut(t, first, storetest.Begin("a")...)
	event := func(seq, at int, body core.Body) core.EventRow {
		return core.EventRow{Event: &core.Event{
			Seq: uint64(seq), Time: storetest.At(at), Body: body,
			Scope: core.Scope{Thread: "a", Run: "a/run", Parent: "p", Trace: "t", Agent: "main", Turn: 2, Depth: 1},
		}}
	}
	mustPut(t, first, event(3, 3, core.Notice{Text: "1"}), event(2, 3, core.Notice{Text: "0"}))
	mustPut(t, first, event(4, 4, core.Delta{Text: "x"}), event(5, 4, core.ToolCallProgress{Message: "x"}))
	mustPut(t, first, core.EventRow{Event: &core.Event{Seq: 6, Time: storetest.At(5), Body: core.ExpertJoined{Name: "of the room"}}})
	mustPut(t, second, event(2, 7, core.Notice{Text: "<3>"}))
	mustPut(t, first, event(7, 6, core.Notice{Text: "2"}))
	mustPut(t, first, event(7, 6, core.Notice{Text: "the same number again"}))
	if _, err := first.writer.ExecContext(t.Context(),
		`INSERT INTO event(room, seq, thread, type, at_us, body) VALUES('newer', 1, 'a', 'dream', ?, '{"seq":1,"type":"dream","data":{}}')`,
		storetest.At(8).UnixMicro()); err != nil {
		t.Fatal(err)
	}
	all := []core.Event{
		*event(2, 3, core.Notice{Text: "0"}).Event, *event(3, 3, core.Notice{Text: "1"}).Event,
		*event(7, 6, core.Notice{Text: "2"}).Event, *event(2, 7, core.Notice{Text: "<3>"}).Event,
	}
	got := must.Get(second.Page(t.Context(), "a", "", 1))(t)
	must.Equal(t, all, got.Events)
}

func TestTheEventsOfARunAreItsOwnAndThoseBelow(t *testing.T) {
	s := openIn(t, t.TempDir())
	mustPut(t, s, storetest.Begin("a")...)
	mustPut(t, s, storetest.Begin("b")...)
	seq := 0
	event := func(run, parent string) core.Event {
		seq++
		if parent != "" {
			mustPut(t, s, core.RunRow{ID: run, Thread: "a", Parent: parent, State: core.RunCompleted, Depth: 1})
		}
		e := core.Event{Seq: uint64(seq), Time: storetest.At(seq), Scope: core.Scope{Thread: "a", Run: run, Parent: parent, Trace: "a/run"}, Body: core.TurnEnd{}}
		mustPut(t, s, core.EventRow{Event: &e})
		return e
	}
	mustPut(t, s,
		core.RunRow{ID: "a/run2", Thread: "a", State: core.RunCompleted}, core.RunRow{ID: "a/run.", Thread: "a", State: core.RunCompleted})
	first := event("a/run", "")
	event("a/run2", "")
	below := event("a/run/n", "a/run")
	event("a/run.", "")
	deep := event("a/run/n/m", "a/run/n")
	last := event("a/run", "")
	got := must.Get(s.RunEvents(t.Context(), "a/run"))(t)
	must.Equal(t, []core.Event{first, below, deep, last}, got)
	if got, err := s.RunEvents(t.Context(), "nowhere"); err != nil || len(got) != 0 {
		t.Errorf("an unknown run has %v, %v", got, err)
	}
}

func TestAPageHoldsWholeRunsWithWhatWasReportedOfThem(t *testing.T) {
	s := openIn(t, t.TempDir())
	mustPut(t, s, core.Thread{ID: "a", Session: "s"})
	seq := 0
	for run := range 6 {
		id := fmt.Sprint("r", run)
		mustPut(t, s, core.RunRow{ID: id, Thread: "a", State: core.RunCompleted})
		for n, role := range []core.Role{core.RoleUser, core.RoleAssistant, core.RoleAssistant} {
			seq++
			mustPut(t, s,
				core.MessageRow{Thread: "a", Message: core.Message{ID: fmt.Sprint(id, ".", n), Run: id, Role: role, Text: fmt.Sprint("text ", seq), Time: storetest.At(2 * seq)}},
				core.EventRow{Event: &core.Event{Seq: uint64(seq), Time: storetest.At(2*seq + 1), Scope: core.Scope{Thread: "a", Run: id}, Body: core.TurnEnd{}}})
		}
	}
	for _, c := range []struct {
		before  string
		want    []string
		earlier bool
	}{{"", []string{"r4.0", "r5.2"}, true}, {"r4", []string{"r2.0", "r3.2"}, true}, {"r2", []string{"r0.0", "r1.2"}, false}} {
		p := must.Get(s.Page(t.Context(), "a", c.before, 4))(t)
		if n := len(p.Messages); n != 6 || p.Messages[0].ID != c.want[0] || p.Messages[n-1].ID != c.want[1] || p.Earlier != c.earlier {
			t.Errorf("before %q: %+v, earlier %v", c.before, p.Messages, p.Earlier)
		}
		told := map[string]int{}
		for _, e := range p.Events {
			told[e.Run]++
		}
		if told[p.Messages[0].Run] != 3 || told[p.Messages[5].Run] != 3 {
			t.Errorf("before %q: events of %v", c.before, told)
		}
	}
	if p, err := s.Page(t.Context(), "nowhere", "", 4); err != nil || len(p.Messages)+len(p.Events) > 0 || p.Earlier {
		t.Errorf("an unknown conversation has %+v, %v", p, err)
	}
}

// sittings puts conversations of three directories: their names are what is said in them.
func sittings(t *testing.T) *Store {
	s := storetest.Open(t, t.TempDir(), Open)
	for i, c := range []struct{ dir, text string }{
		{"/a", "the boiler leaks 100% of the time"}, {"/b", "the boiler is fine"}, {"", "before directories were known"}, {"/a", "herons eat fish"},
	} {
		id, at := fmt.Sprint("t", i), storetest.At(10*i+1)
		row := storetest.Say(id, "", id+"m")
		row.Message.Text, row.Message.Time = c.text, at
		mustPut(t, s, core.Session{ID: id + "s", Started: at, Dir: c.dir, Unattended: i == 3}, core.Thread{ID: id, Session: id + "s", Title: "talk", Created: at, Updated: at}, row)
	}
	return s
}

func TestConversationsAreFoundByWhatWasSaidInThem(t *testing.T) {
	s := sittings(t)
	for _, c := range []struct {
		q    core.ThreadQuery
		want []string
	}{
		{core.ThreadQuery{}, []string{"t3", "t2", "t1", "t0"}},
		{core.ThreadQuery{Dir: "/a"}, []string{"t3", "t2", "t0"}},
		{core.ThreadQuery{Dir: "/a", Limit: 1}, []string{"t3"}},
		{core.ThreadQuery{Find: "Boiler"}, []string{"t1", "t0"}},
		{core.ThreadQuery{Find: "leaks boil"}, []string{"t0"}},
		{core.ThreadQuery{Find: "100%"}, []string{"t0"}},
		{core.ThreadQuery{Find: "1_0"}, nil},
		{core.ThreadQuery{Find: "talk", Dir: "/b"}, []string{"t2", "t1"}},
		{core.ThreadQuery{Find: `"role"`}, nil},
	} {
		threads := must.Get(s.Threads(t.Context(), c.q))(t)
		var got []string
		for _, thread := range threads {
			got = append(got, thread.ID)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%+v (-want +got)\n%s", c.q, diff)
		}
	}
	found, err := s.Threads(t.Context(), core.ThreadQuery{Find: "herons"})
	if err != nil || len(found) != 1 || found[0].Match != "herons eat fish" || found[0].Dir != "/a" || !found[0].Unattended {
		t.Errorf("what was found is %+v, %v", found, err)
	}
	answer := storetest.Say("t3", "", "t3a")
	answer.Message.Role, answer.Message.Text, answer.Message.Time = core.RoleAssistant, `{"status":"success","message":"So do otters."}`, storetest.At(40)
	answer.Message.Reply = &core.Reply{Status: core.StatusSuccess, Message: "So do otters."}
	mustPut(t, s, answer)
	found, err = s.Threads(t.Context(), core.ThreadQuery{Find: "otters"})
	if err != nil || len(found) != 1 || found[0].Match != "So do otters." {
		t.Errorf("of an answer was found %+v, %v", found, err)
	}
	if found, err = s.Threads(t.Context(), core.ThreadQuery{Find: "status"}); err != nil || len(found) > 0 {
		t.Errorf("by its JSON was found %+v, %v", found, err)
	}
	must.Get(s.Forget(t.Context(), core.ForgetQuery{Thread: "t3"}))(t)
	if left, err := s.Threads(t.Context(), core.ThreadQuery{}); err != nil || len(left) != 3 {
		t.Errorf("when one is forgotten there are %+v, %v", left, err)
	}
}

func TestWhatWasSaidIsKnownOverSittingsOfADirectory(t *testing.T) {
	s := sittings(t)
	said, err := s.RecentPrompts(t.Context(), "/a", 10)
	if diff := cmp.Diff([]string{"the boiler leaks 100% of the time", "before directories were known", "herons eat fish"}, said); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if last, err := s.RecentPrompts(t.Context(), "/a", 1); err != nil || len(last) != 1 || last[0] != "herons eat fish" {
		t.Errorf("the last is %q, %v", last, err)
	}
}

func TestNumbersKeepTheirDigits(t *testing.T) {
	s := openIn(t, t.TempDir())
	mustPut(t, s, storetest.Begin("a")...)
	row := storetest.Say("a", "a/run", "m")
	row.Message.Reply = &core.Reply{Data: map[string]any{"n": json.Number("123456789012345678901234567890.10")}}
	row.Message.Calls = []core.Call{{ID: "c", Args: json.RawMessage(`{"n":12345678901234567890.0,"s":"<&>"}`)}}
	mustPut(t, s, row)
	saved := must.Get(s.Load(t.Context(), "a/run"))(t)
	must.Equal(t, row.Message, saved.Messages[1])
}

func TestDeeplyNestedJSONIsKept(t *testing.T) {
	const depth = 5000 // SQLite's own JSON functions stop at 1000
	s := openIn(t, t.TempDir())
	mustPut(t, s, storetest.Begin("a")...)
	row := storetest.Say("a", "a/run", "m")
	row.Message.Calls = []core.Call{{ID: "c", Args: json.RawMessage(strings.Repeat("[", depth) + strings.Repeat("]", depth))}}
	mustPut(t, s, row)
	must.Equal(t, "question m", ids(t, s, "a"))
}

func TestAMessageThatCannotBeReadIsNotPassedOver(t *testing.T) {
	s := openIn(t, t.TempDir())
	mustPut(t, s, storetest.Begin("a")...)
	mustPut(t, s, storetest.Begin("b")...)
	must.Get(s.writer.ExecContext(t.Context(), `UPDATE message SET body = '{"id":' WHERE thread = 'a'`))(t)
	_, messages := s.Messages(t.Context(), "a")
	_, load := s.Load(t.Context(), "a/run")
	for name, err := range map[string]error{"Messages": messages, "Load": load} {
		if core.CodeOf(err) != core.CodeCorrupt || core.HintOf(err) == "" {
			t.Errorf("%s: %v, want %s with a hint", name, err, core.CodeCorrupt)
		}
	}
	must.Equal(t, "question", ids(t, s, "b"))
}

func BenchmarkThreads(b *testing.B) {
	s := openIn(b, b.TempDir())
	for n := range 200 {
		thread := fmt.Sprint(n)
		rows := []core.Row{core.Thread{ID: thread, Created: storetest.At(n), Updated: storetest.At(n)}}
		for m := range 50 {
			rows = append(rows, storetest.Say(thread, "", fmt.Sprint(n, "-", m)))
		}
		mustPut(b, s, rows...)
	}
	for b.Loop() {
		must.Get(s.Threads(b.Context(), core.ThreadQuery{Limit: 50}))(b)
	}
}

func BenchmarkLoad(b *testing.B) {
	s := openIn(b, b.TempDir())
	mustPut(b, s, storetest.Begin("a")...)
	for step := range 1000 {
		mustPut(b, s, storetest.Say("a", "a/run", fmt.Sprint(step)),
			core.Checkpoint{Run: "a/run", Step: step, State: json.RawMessage(`{"turn":1,"calls":["one","two"]}`), Time: storetest.At(step)})
	}
	for b.Loop() {
		if saved, err := s.Load(b.Context(), "a/run"); err != nil || len(saved.Steps) != 1000 {
			b.Fatal(len(saved.Steps), err)
		}
	}
}
