package runlog_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"yaap/core"
	"yaap/core/chain"
	"yaap/core/diagram"
	"yaap/core/event"
	"yaap/core/runlog"
	"yaap/core/store"
)

// room runs chains with canned replies, hears what they tell and keeps it.
type room struct {
	t      *testing.T
	store  *store.Store
	bus    event.Bus
	feed   *event.Feed
	chains map[string]string
	canned core.Lookup
	live   []core.Event
}

func newRoom(t *testing.T, replies string, chains map[string]string) *room {
	t.Helper()
	s, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = s.Run(t.Context()) }()
	t.Cleanup(func() { _ = s.Close() })
	fixtures, err := chain.ReadFixtures([]byte(replies))
	if err != nil {
		t.Fatal(err)
	}
	x := &room{t: t, store: s, chains: chains, canned: fixtures.Lookup(func(err error) { t.Error(err) })}
	x.feed = x.bus.Feed()
	return x
}

// Lookup finds the chains of the room; whoever else is asked for has canned
// replies.
func (x *room) Lookup(name string) (core.Runner, error) {
	source, ok := x.chains[strings.TrimPrefix(name, "chain/")]
	if !ok {
		return x.canned(name)
	}
	spec, faults := chain.Parse("test.yaml", []byte("chain: 1\nname: test\n"+source))
	for _, f := range append(faults, chain.Check(spec, chain.Known{})...) {
		if !f.Warning {
			x.t.Fatalf("%d:%d: %s", f.Pos.Line, f.Pos.Col, f.Message)
		}
	}
	c, err := chain.Compile(spec, "hash")
	if err != nil {
		x.t.Fatal(err)
	}
	return c.Runner(chain.Config{Journal: x.store, Sink: &x.bus, Lookup: x.Lookup}), nil
}

// run runs the chain main, or goes on with its run, and takes what it tells.
func (x *room) run() core.Result {
	x.t.Helper()
	m := core.Message{ID: "question", Run: "r", Role: core.RoleUser, Text: "go", Time: time.Now()}
	row := core.RunRow{ID: "r", Thread: "t", Runner: "chain/main", State: core.RunRunning, Time: time.Now()}
	if err := x.store.Put(x.t.Context(), core.Thread{ID: "t"}, row, core.MessageRow{Thread: "t", Message: m}); err != nil {
		x.t.Fatal(err)
	}
	main, err := x.Lookup("chain/main")
	if err != nil {
		x.t.Fatal(err)
	}
	scope := core.Scope{Thread: "t", Run: "r", Trace: "r"}
	result, err := main.Run(x.t.Context(), core.Input{Scope: scope, Messages: []core.Message{m}})
	if err != nil {
		x.t.Fatal(err)
	}
	for _, e := range x.feed.Rest() {
		e.Time = e.Time.Truncate(time.Microsecond) // as it is stored
		x.live = append(x.live, e)
	}
	return result
}

func (x *room) stored() []core.Event {
	x.t.Helper()
	if err := x.store.Put(x.t.Context(), core.Thread{ID: "t"}); err != nil { // what was logged before is stored by then
		x.t.Fatal(err)
	}
	events, err := x.store.RunEvents(x.t.Context(), "r", 0)
	if err != nil {
		x.t.Fatal(err)
	}
	return events
}

// runs are the run and the one that its node b starts, as far as events tell of
// them.
func runs(events []core.Event) []*runlog.Run {
	rs := []*runlog.Run{runlog.Read("r", events)}
	if below := runlog.Read("r/b#1", events); below.Runner != "" {
		rs = append(rs, below)
	}
	return rs
}

// told is all that is known of runs.
func told(t *testing.T, rs ...*runlog.Run) []string {
	t.Helper()
	raw, err := json.MarshalIndent(rs, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(raw), "\n")
}

// short is how runs went, in words.
func short(rs []*runlog.Run) (lines []string) {
	for _, r := range rs {
		line := fmt.Sprint(r.ID, " ", r.State(), ":")
		for _, v := range r.Visits {
			line += fmt.Sprintf(" %s %d.%d %s", v.Node, v.Visit, v.Attempt, v.End.State)
			if v.Beside {
				line += " beside"
			}
			for _, e := range v.Edges {
				line += map[bool]string{true: " > ", false: " not "}[e.Taken] + e.To
			}
			line += ";"
		}
		lines = append(lines, line)
	}
	return lines
}

const inARow = `
edges:
  - {from: start, to: a}
  - {from: a, to: b}
  - {from: b, to: end}
`

func TestARunIsTheSameAsItIsToldAndAsItIsStored(t *testing.T) {
	for name, c := range map[string]struct {
		replies, main, inner, answer string
		want                         []string
	}{
		"a loop": {
			replies: `{write: {message: one}, judge: [{message: no, data: {score: 1}}, {message: yes, data: {score: 2}}]}`,
			main: `nodes: {write: {agent: x, prompt: w, max_visits: 3}, judge: {agent: x, prompt: j, max_visits: 3}}
edges:
  - {from: start, to: write}
  - {from: write, to: judge}
  - {from: judge, to: end, when: response.data.score > 1}
  - {from: judge, to: write, default: true}
`,
			want: []string{"r completed: write 1.1 completed > judge; judge 1.1 completed not end > write; write 2.1 completed > judge; judge 2.1 completed > end;"},
		},
		"a pause": {
			replies: `{a: [{status: clarification_needed, message: Which?, data: {options: [red, blue]}}, {message: blue}], b: {message: done}}`,
			main:    `nodes: {a: {agent: x, prompt: a}, b: {agent: x, prompt: b}}` + inARow, answer: "blue",
			want: []string{"r completed: a 1.1 paused; a 1.2 completed > b; b 1.1 completed > end;"},
		},
		"a failure": {
			replies: `{a: {status: failure, message: the disk is full}, b: {message: done}}`,
			main:    `nodes: {a: {agent: x, prompt: a}, b: {agent: x, prompt: b}}` + inARow,
			want:    []string{"r failed: a 1.1 failed;"},
		},
		"a chain in a chain": {
			replies: `{a: {message: hello}, deep: [{status: clarification_needed, message: Which?}, {message: deep}]}`,
			main:    `nodes: {a: {agent: x, prompt: a}, b: {chain: inner}}` + inARow, answer: "this",
			inner: "nodes: {deep: {agent: x, prompt: d}}\nedges: [{from: start, to: deep}, {from: deep, to: end}]\n",
			want: []string{
				"r completed: a 1.1 completed > b; b 1.1 completed > end;",
				"r/b#1 completed: deep 1.1 paused; deep 1.2 completed > end;",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			x := newRoom(t, c.replies, map[string]string{"main": c.main, "inner": c.inner})
			result := x.run()
			if c.answer != "" {
				live := runs(x.live)
				asks := live[len(live)-1].Asks // the innermost
				if diff := cmp.Diff(told(t, runs(x.stored())...), told(t, live...)); diff != "" || live[0].State() != core.NodePaused || len(asks) != 1 {
					t.Errorf("%s, asks %v; the stored ones and the live ones (-want +got)\n%s", live[0].State(), asks, diff)
				}
				if err := x.store.Put(t.Context(), core.Answer{Pause: result.Pauses[0].ID, Text: c.answer, Time: time.Now()}); err != nil {
					t.Fatal(err)
				}
				x.run()
			}
			if diff := cmp.Diff(c.want, short(runs(x.live))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(told(t, runs(x.stored())...), told(t, runs(x.live)...)); diff != "" {
				t.Errorf("the stored ones and the live ones (-want +got)\n%s", diff)
			}
		})
	}
}

// script is a run that tells what it is given, each a millisecond after the one
// before.
func script(bodies ...core.Body) (events []core.Event) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i, b := range bodies {
		events = append(events, core.Event{Seq: uint64(i), Time: at.Add(time.Duration(i) * time.Millisecond), Scope: core.Scope{Thread: "t", Run: "r"}, Body: b})
	}
	return events
}

func begin(node string, visit int) core.NodeStart {
	return core.NodeStart{Node: node, Visit: visit, Attempt: 1}
}

func end(node string, visit int) core.NodeEnd {
	return core.NodeEnd{Node: node, Visit: visit, Attempt: 1, State: core.NodeCompleted}
}

func TestTheGraphOfARunTellsHowFarItsNodesAre(t *testing.T) {
	g := diagram.Graph{
		Nodes: []diagram.Node{{ID: "start"}, {ID: "a"}, {ID: "b"}, {ID: "other"}, {ID: "end"}},
		Edges: []diagram.Edge{{From: "start", To: "a"}, {From: "a", To: "b", Label: "x > 1"}, {From: "a", To: "other", Label: "default"}, {From: "b", To: "end"}, {From: "other", To: "end"}},
	}
	way := core.EdgeTaken{From: "a", To: "b", Taken: true, Condition: "x > 1"}
	for want, bodies := range map[string][]core.Body{
		"start completed, a , b , other , end ":                                  {},
		"start completed, a running, b , other , end ":                           {begin("a", 1)},
		"start completed, a completed > b running, other skipped, end ":          {begin("a", 1), end("a", 1), way, begin("b", 1)},
		"start completed, a completed > b cancelled, other skipped, end skipped": {begin("a", 1), end("a", 1), way, begin("b", 1), core.RunEnd{Outcome: "error", Code: core.CodeStopped}},
	} {
		r := runlog.Read("r", script(append([]core.Body{core.RunStart{Runner: "chain/x"}}, bodies...)...))
		var got []string
		drawn := r.Graph(g)
		for _, n := range drawn.Nodes {
			got = append(got, n.ID+" "+string(n.State))
		}
		line := strings.Join(got, ", ")
		if drawn.Edges[1].Taken {
			line = strings.Replace(line, ", b", " > b", 1)
		}
		if line != want {
			t.Errorf("got  %s\nwant %s", line, want)
		}
		if g.Nodes[1].State != "" || g.Edges[1].Taken {
			t.Fatal("the chain as it is written was changed")
		}
	}
}

func TestOfALongRunTheNewestIsKeptAndTheNewestOfEveryNode(t *testing.T) {
	const much = 1 << 15
	bodies := []core.Body{core.RunStart{Runner: "chain/x"}, begin("once", 1), end("once", 1)}
	for i := range 200 {
		e := end("often", i+1)
		e.Message = strings.Repeat("m", much)
		bodies = append(bodies, begin("often", i+1), e)
	}
	r := runlog.Read("r", script(bodies...))
	kept := 0
	for _, v := range r.Visits {
		kept += len(v.End.Message)
	}
	last := r.Visits[len(r.Visits)-1]
	if len(r.Visits) != 128 || r.Begun != 201 || r.Visits[0].Node != "once" || last.Visit != 200 {
		t.Errorf("%d visits of %d, from %s to %d", len(r.Visits), r.Begun, r.Visits[0].Node, last.Visit)
	}
	if kept > 1<<20 || len(last.End.Message) < much/4 || len(last.End.Message) >= much {
		t.Errorf("%d bytes are kept, %d of the last", kept, len(last.End.Message))
	}
}

func TestARunThatGoesOnJoinsWhatIsStoredOfIt(t *testing.T) {
	again := begin("b", 1)
	again.Attempt = 2
	ended := end("b", 1)
	ended.Attempt = 2
	all := script(
		core.RunStart{Runner: "chain/x"}, begin("a", 1), end("a", 1), begin("b", 1), core.NodeEnd{Node: "b", Visit: 1, Attempt: 1, State: core.NodePaused}, core.RunEnd{Outcome: "interrupted", MS: 4},
		core.RunStart{Runner: "chain/x", Resumed: true}, again, ended, core.RunEnd{Outcome: "completed", MS: 3},
	)
	live, whole := runlog.Read("r", all[6:]), runlog.Read("r", all)
	live.Join(runlog.Read("r", all[:6]))
	if diff := cmp.Diff(told(t, whole), told(t, live)); diff != "" {
		t.Errorf("the whole run and the joined one (-want +got)\n%s", diff)
	}
}

func TestInARunThatWasCutOffNothingRunsAnyMore(t *testing.T) {
	r := runlog.Read("r", script(core.RunStart{Runner: "chain/x"}, begin("a", 1), end("a", 1), begin("b", 1)))
	r.Cut()
	if got, want := short([]*runlog.Run{r})[0], "r cancelled: a 1.1 completed; b 1.1 cancelled;"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	over := runlog.Read("r", script(core.RunStart{Runner: "chain/x"}, core.RunEnd{Outcome: "completed"}))
	if over.Cut(); over.State() != core.NodeCompleted {
		t.Errorf("one that has ended is %s", over.State())
	}
}
