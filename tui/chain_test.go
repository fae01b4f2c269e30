package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/diagram"
	"github.com/yaap-chat/yaap/core/runlog"
)

// reviewLoop is a chain that writes, reviews, and asks before it publishes.
func reviewLoop() diagram.Graph {
	return diagram.Graph{
		Name: "review-loop",
		Nodes: []diagram.Node{
			{ID: "collect", Kind: "expert", Label: "files"},
			{ID: "write", Kind: "agent", Label: "yaap"},
			{ID: "review", Kind: "agent", Label: "yaap"},
			{ID: "approve", Kind: "agent", Label: "yaap"},
			{ID: "publish", Kind: "function", Label: "format"},
			{ID: "give_up", Kind: "function", Label: "format"},
		},
		Edges: []diagram.Edge{
			{From: "start", To: "collect"},
			{From: "collect", To: "write"},
			{From: "collect", To: "give_up", Label: "on_error"},
			{From: "write", To: "review"},
			{From: "review", To: "approve", Label: "response.data.score > 0.8"},
			{From: "review", To: "write", Label: "default", Back: true},
			{From: "approve", To: "publish", Label: "default"},
			{From: "publish", To: "end"},
			{From: "give_up", To: "end"},
		},
	}
}

// player emits what a run of the chain emits.
type player struct {
	f     *fake
	s     core.Scope
	chain string
}

func (p player) emit(bodies ...core.Body) { p.f.emit(p.s, bodies...) }

func (p player) begin(node string, visit int, input string) {
	p.emit(core.NodeStart{Chain: p.chain, Node: node, Visit: visit, Attempt: 1, Input: []byte(input)})
}

// call is a call that the run of a node makes.
func (p player) call(node string, visit int, tool, asks string) {
	s := p.s.Child(fmt.Sprintf("%s#%d", node, visit))
	s.Node = node
	args := []byte(`{"prompt":"` + asks + `"}`)
	p.f.emit(s, core.RunStart{Runner: "agent/yaap", Prompt: asks},
		core.Delta{Stream: "x", Field: core.FieldThought, Text: "a thought of " + node},
		core.ToolRequests{Calls: []core.Call{{ID: "k", Tool: tool, Args: args}}},
		core.ToolCallStart{Call: "k", Tool: tool, Expert: tool, Args: args},
		core.ToolCallEnd{Call: "k", Tool: tool, Expert: tool, Status: core.ToolSuccess, Text: "found", MS: 4},
		core.FinalOutput{Reply: core.Reply{Status: core.StatusSuccess, Message: "the answer of " + node}},
		core.RunEnd{Outcome: "completed", Turns: 2, MS: 9})
}

func (p player) end(e core.NodeEnd) {
	e.Chain, e.Attempt = p.chain, max(e.Attempt, 1)
	if e.State == "" {
		e.State, e.Status = core.NodeCompleted, core.StatusSuccess
	}
	p.emit(e)
}

func (p player) lead(from, to, why string, values map[string]any) {
	p.emit(core.EdgeTaken{Chain: p.chain, From: from, To: to, Taken: true, Condition: why, Values: values})
}

// toApprove plays the run up to the question to the user.
func (p player) toApprove(text string) core.Reply {
	p.emit(core.RunStart{Runner: "chain/review-loop", Prompt: text})
	p.lead("start", "collect", "", nil)
	p.begin("collect", 1, `{"prompt":"all commits since 0.2"}`)
	p.call("collect", 1, "files", "commits since 0.2")
	p.end(core.NodeEnd{Node: "collect", Visit: 1, MS: 204, Message: "31 commits"})
	p.lead("collect", "write", "", nil)
	for visit := 1; visit <= 2; visit++ {
		p.begin("write", visit, `{"prompt":"Write release notes from: 31 commits"}`)
		p.end(core.NodeEnd{Node: "write", Visit: visit, MS: 1400, Message: "Release notes for 0.3", Data: []byte(`{"words":1204}`)})
		p.lead("write", "review", "", nil)
		p.begin("review", visit, `{"prompt":"Judge these release notes.","input":{"draft":"Release notes for 0.3: experts may now join from another machine.","strict":true}}`)
		score := []float64{0, 0.5, 0.86}[visit]
		p.end(core.NodeEnd{
			Node: "review", Visit: visit, MS: 900, Thought: "The draft names every change; two claims still lack a commit. Good enough to ask.",
			Message: "Two claims have no commit yet.", Data: []byte(fmt.Sprintf(`{"score":%v,"missing":["commit for leases","commit for drain"]}`, score)),
		})
		values := map[string]any{"response.data.score": score}
		if visit == 1 {
			p.emit(core.EdgeTaken{Chain: p.chain, From: "review", To: "approve", Condition: "response.data.score > 0.8", Values: values})
			p.lead("review", "write", "default", nil)
			continue
		}
		p.lead("review", "approve", "response.data.score > 0.8", values)
	}
	options := []core.Option{{ID: "1", Label: "publish as it is"}, {ID: "2", Label: "send it back with the list"}, {ID: "3", Label: "give up"}}
	pause := core.Pause{ID: p.s.Run + "#approve#1.1", Run: p.s.Run, Root: p.s.Run, Thread: p.s.Thread, Kind: core.PauseClarification, From: "approve", Question: "Two claims have no commit yet. Publish anyway?", Options: options}
	p.begin("approve", 1, `{"prompt":"May this be published?"}`)
	p.end(core.NodeEnd{Node: "approve", Visit: 1, State: core.NodePaused, Status: core.StatusClarification, Message: pause.Question})
	p.emit(core.ChainPaused{Chain: p.chain, Node: "approve", Pause: pause}, core.ClarificationRequested{ID: pause.ID, Question: pause.Question, Options: options})
	reply := core.Reply{Status: core.StatusClarification, Message: pause.Question, Data: map[string]any{"pause": pause.ID, "options": []any{options[0].Label, options[1].Label, options[2].Label}}}
	p.emit(core.FinalOutput{Reply: reply}, core.RunEnd{Outcome: "interrupted", Status: reply.Status, Turns: 6, MS: 4200})
	return reply
}

// toEnd plays the rest, after an answer.
func (p player) toEnd(text string) core.Reply {
	reply := core.Reply{Status: core.StatusSuccess, Thought: "It was approved.", Message: "Release notes for **0.3** are published.", Data: map[string]any{}}
	p.emit(core.RunStart{Runner: "chain/review-loop", Prompt: text, Resumed: true})
	answer := core.Answer{Pause: p.s.Run + "#approve#1.1", Text: "publish as it is", ID: "1"}
	p.emit(core.ChainResumed{Chain: p.chain, Node: "approve", Answer: &answer}, core.ClarificationProvided{ID: answer.Pause, Selected: answer.Text, Option: "1"})
	p.emit(core.NodeStart{Chain: p.chain, Node: "approve", Visit: 1, Attempt: 2, Input: []byte(`{"prompt":"May this be published?"}`)})
	p.end(core.NodeEnd{Node: "approve", Visit: 1, Attempt: 2, MS: 300, Message: "approved"})
	p.lead("approve", "publish", "default", nil)
	p.begin("publish", 1, `{"input":{"text":"Release notes for 0.3"}}`)
	p.end(core.NodeEnd{Node: "publish", Visit: 1, MS: 2, Message: reply.Message})
	p.lead("publish", "end", "", nil)
	p.emit(core.FinalOutput{Reply: reply}, core.RunEnd{Outcome: "completed", Status: reply.Status, Turns: 7, MS: 4700})
	return reply
}

// withChain is a room that knows the chain; a second prompt is the answer to
// what it asks.
func withChain() *fake {
	f := settled()
	f.graphs = map[string]diagram.Graph{"chain/review-loop": reviewLoop()}
	waits := ""
	f.prompt = func(_ context.Context, f *fake, s core.Scope, text string) (core.Result, error) {
		p := player{f, s, "review-loop"}
		if waits == "" {
			waits = s.Run
			return core.Result{Reply: p.toApprove(text), Turns: 6}, nil
		}
		p.s.Run, p.s.Trace, waits = waits, waits, ""
		return core.Result{Reply: p.toEnd(text), Turns: 7}, nil
	}
	return f
}

const runIt = "/chain run review-loop since=0.2"

// chainThatAsks is a terminal in which the chain has run up to its question, and is looked at.
func chainThatAsks(t *testing.T, s setup, f *fake) *terminal {
	t.Helper()
	x := start(t, s, f)
	x.press(runIt, "enter")
	x.see("answers the question")
	x.press("f4")
	x.see("? waits for you", "NODE approve") // which is chosen once the picture is read
	return x
}

func TestAChainIsOneLineInTheChatAndAsksThere(t *testing.T) {
	for _, c := range []struct{ w, h int }{{80, 24}, {120, 40}} {
		t.Run(fmt.Sprintf("%dx%d", c.w, c.h), func(t *testing.T) {
			x := start(t, setup{w: c.w, h: c.h, o: Options{Title: "infra-notes", Model: "offline"}}, withChain())
			x.press(runIt, "enter")
			x.see("answers the question")
			x.see("4 of 6")
			x.press("1")
			x.see("are published")
			x.see("publish ✓  5 nodes")
			if c.w >= 160 {
				x.see("run_end completed")
			}
			x.golden("❯ ask the room")
		})
	}
}

func TestAllAnswersOfARunSayHowManyNodesItsChainHas(t *testing.T) {
	f := newFake()
	m := modelOf(t, 120, 40, f)
	p := player{f, core.Scope{Thread: "t1", Run: "r", Trace: "r"}, "review-loop"}
	m.chat.ask(runIt, "r", time.Now())
	p.toApprove(runIt)
	m.Update(batch{events: f.events})
	f.events = nil
	m.chat.ask("publish as it is", "r", time.Now())
	p.toEnd(runIt)
	m.Update(batch{events: f.events})
	m.compose()
	m.graphed(graphed{"review-loop": reviewLoop()}, nil)
	if text := strings.Join(m.compose(), "\n"); !strings.Contains(text, "4 of 6") || !strings.Contains(text, "5 nodes") {
		t.Errorf("the run was paused at 4 of 6 nodes and ended after 5 nodes:\n%s", text)
	}
}

func TestTheWayOnIsExplainedWhereThereWasAChoice(t *testing.T) {
	p := newPen(func(string) string { return "" })
	p.colour = false
	for want, edges := range map[string][]core.EdgeTaken{
		"led to b":                               {{To: "b", Taken: true, Condition: "default"}},
		"led to b because no condition was true": {{To: "c", Condition: "x > 1"}, {To: "b", Taken: true, Condition: "default"}},
	} {
		s := &sheet{pen: &p, w: 80}
		s.led(&runlog.Visit{Edges: edges})
		if got := strings.Join(strings.Fields(ansi.Strip(s.rows[len(s.rows)-1])), " "); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestAChainRunIsAPromptAndWaitsInTheQueue(t *testing.T) {
	f := withChain()
	play, started, release := f.prompt, make(chan string, 4), make(chan struct{})
	f.prompt = func(ctx context.Context, f *fake, s core.Scope, text string) (core.Result, error) {
		started <- text
		select {
		case <-release:
		case <-ctx.Done():
		}
		return play(ctx, f, s, text)
	}
	x := start(t, setup{w: 120, h: 40}, f)
	x.press("first", "enter")
	<-started
	x.press(runIt, "enter")
	x.see("queued   " + runIt)
	close(release)
	if got := <-started; got != runIt {
		t.Fatalf("%q was sent", got)
	}
	x.see("you      " + runIt)
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.done) > 0 {
		t.Errorf("it was taken for a command: %v", f.done)
	}
}

func TestOtherChainCommandsAreTheProgramsOwn(t *testing.T) {
	x := start(t, setup{w: 120, h: 40}, withChain())
	x.press("/chain list", "enter")
	x.see("did chain list")
	x.press("/chain", "enter")
	x.see("No chain has run in this conversation.")
	x.press("f4")
	x.gone("─ CHAIN ─")
}

func TestTheChainInspector(t *testing.T) {
	for _, c := range []struct{ w, h int }{{80, 24}, {120, 40}, {200, 60}} {
		t.Run(fmt.Sprintf("%dx%d", c.w, c.h), func(t *testing.T) {
			x := chainThatAsks(t, setup{w: c.w, h: c.h, o: Options{Title: "infra-notes", Model: "offline"}}, withChain())
			x.press("k")
			x.golden("NODE review")
		})
	}
	t.Run("full 200x60", func(t *testing.T) {
		x := chainThatAsks(t, setup{w: 200, h: 60, o: Options{Title: "infra-notes", Model: "offline"}}, withChain())
		x.see("give_up")
		x.press("o", "k")
		x.see("THE CHAIN ASKS")
		x.golden("NODE review")
	})
	t.Run("ascii 120x40", func(t *testing.T) {
		x := chainThatAsks(t, setup{w: 120, h: 40, env: map[string]string{"LANG": "C", "NO_COLOR": "1"}}, withChain())
		x.press("k")
		s := x.see("NODE review")
		for _, r := range s {
			if r > 0x7e {
				t.Fatalf("%q is not ASCII in:\n%s", r, s)
			}
		}
		x.golden()
	})
}

func TestTheInspectorTellsWhyAnEdgeWasFollowedAndWhatANodeSaid(t *testing.T) {
	x := chainThatAsks(t, setup{w: 120, h: 40}, withChain())
	x.press("k")
	for _, want := range []string{
		"approve  because response.data.score > 0.8, with score = 0.86", "visit 2", "Judge these release notes.",
		"The draft names every change", `"missing"`, "Two claims have no commit yet.", "? Two claims have no commit yet. Publish anyway?",
	} {
		x.see(want)
	}
	x.press("left")
	x.see("visit 1, attempt 1", "not to    approve  as response.data.score > 0.8 is not so, with score = 0.5", "visit 2, attempt 1")
	x.press("l", "l")
	x.see("INPUT")
	if s := x.see("strict"); strings.Contains(s, "names every change") {
		t.Errorf("only the input was asked for:\n%s", s)
	}
	x.press("y")
	x.see("characters given to the terminal's clipboard")
	x.press("f")
	x.see("❯ /chain fork run1 --at 6")
}

func TestNodesThatWereNeverComeToAreSkippedWhenTheRunIsOver(t *testing.T) {
	x := start(t, setup{w: 120, h: 40}, withChain())
	x.press(runIt, "enter")
	x.see("answers the question")
	x.press("1")
	x.see("are published")
	x.press("f4")
	x.see("NODE ")
	x.press("k", "k", "k")
	x.see("NODE give_up")
	x.see("– give_up")
	x.press("j")
	x.see("NODE give_up")
	x.see("– skipped")
	x.press("c")
	x.see("this run is over")
}

func TestARunOfAnEarlierTimeIsReadFromTheStore(t *testing.T) {
	f := withChain()
	old := newFake()
	p := player{old, core.Scope{Thread: "t1", Run: "old", Trace: "old"}, "review-loop"}
	p.toApprove(runIt)
	f.told = map[string][]core.Event{"t1": old.events}
	f.messages["t1"] = []core.Message{{Run: "old", Role: core.RoleUser, Text: runIt, Time: newFake().now}}
	x := start(t, setup{w: 120, h: 40}, f)
	x.see("answers the question")
	x.see("2 send it back with the list")
	x.press("f4")
	x.see("? waits for you")
	x.see("NODE approve")
	x.press("esc")
	x.gone("NODE approve")
	x.press("/chain run review-loop", "enter") // another run, in the same conversation
	x.see("4 of 6")
	x.press("f4")
	x.see("run 2 of 2")
	x.press("[")
	x.see("run 1 of 2")
	x.press("]")
	x.see("run 2 of 2")
}

func TestAnAnswerAfterARestartGoesOnWithTheChain(t *testing.T) {
	f := withChain()
	old := newFake()
	player{old, core.Scope{Thread: "t1", Run: "old", Trace: "old"}, "review-loop"}.toApprove(runIt)
	f.told = map[string][]core.Event{"t1": old.events}
	f.messages["t1"] = []core.Message{{Run: "old", Role: core.RoleUser, Text: runIt, Time: newFake().now}}
	f.prompt = func(_ context.Context, f *fake, s core.Scope, text string) (core.Result, error) {
		s.Run, s.Trace = "old", "old"
		return core.Result{Reply: player{f, s, "review-loop"}.toEnd(text), Turns: 7}, nil
	}
	x := start(t, setup{w: 120, h: 40}, f)
	x.see("2 send it back with the list")
	x.press("yes", "enter")
	s := x.see("review ✓ → approve ✓ → publish ✓  5 nodes", "Publish anyway?", "are published.")
	if strings.Count(s, "Publish anyway?") != 1 || strings.Count(s, "are published.") != 1 {
		t.Errorf("question and answer should both stay, once:\n%s", s)
	}
	x.press("f4")
	x.see("NODE ")
	x.press("g")
	x.see("31 commits")
}

func TestARunThatBeganBeforeWhatIsShownIsReadFromTheStore(t *testing.T) {
	f := withChain()
	old := newFake()
	s := core.Scope{Thread: "t1", Run: "old", Trace: "old"}
	player{old, s, "review-loop"}.toApprove(runIt)
	f.before = map[string][]core.Event{"old": old.events}
	f.now = f.now.Add(time.Hour)
	x := start(t, setup{w: 120, h: 40}, f)
	player{f, s, "review-loop"}.toEnd("1")
	x.see("review ✓ → approve ✓ → publish ✓  5 nodes")
	x.press("f4")
	x.see("NODE ")
	x.press("g")
	x.see("31 commits")
}

func TestCancelStopsTheRunThatIsShown(t *testing.T) {
	f := withChain()
	begun := make(chan struct{}, 1)
	f.prompt = func(ctx context.Context, f *fake, s core.Scope, text string) (core.Result, error) {
		p := player{f, s, "review-loop"}
		p.emit(core.RunStart{Runner: "chain/review-loop", Prompt: text})
		p.begin("collect", 1, `{}`)
		begun <- struct{}{}
		<-ctx.Done()
		err := &core.Error{Code: core.CodeCancelled, Message: "cancelled", Hint: "go on with /continue"}
		p.emit(core.NodeEnd{Node: "collect", Visit: 1, Attempt: 1, State: core.NodeCancelled}, core.RunEnd{Outcome: "error", Code: err.Code, Error: err.Message, Hint: err.Hint})
		return core.Result{}, err
	}
	x := start(t, setup{w: 120, h: 40}, f)
	x.press(runIt, "enter")
	<-begun
	x.see("◇ review-loop  collect ●")
	x.press("f4")
	x.see("● running")
	x.press("c")
	x.see("c again stops this run")
	x.see("● running")
	x.press("c")
	x.see("– cancelled")
	x.press("esc")
	x.see("/continue goes on with it")
}

func TestARunThatWaitsIsGivenUpByTheProgramAndShownAsCancelled(t *testing.T) {
	f := withChain()
	f.do = func(args []string) (core.Doc, error) {
		s := core.Scope{Thread: "t1", Run: "run1", Trace: "run1"}
		f.emit(s, core.RunStart{Runner: "chain/review-loop", Resumed: true}, core.RunEnd{Outcome: "error", Code: core.CodeCancelled, Error: "given up"})
		return core.Say(core.Markdown, "did "+strings.Join(args, " ")), nil
	}
	x := chainThatAsks(t, setup{w: 120, h: 40}, f)
	x.press("c")
	x.see("c again gives this run up")
	x.press("c")
	x.see("– cancelled")
	x.press("esc")
	x.see("– given up")
	x.see("did chain cancel run1")
}

func TestABranchThatNothingLeadsToAnyMoreIsSkippedWhileTheRunGoesOn(t *testing.T) {
	x := chainThatAsks(t, setup{w: 120, h: 40}, withChain())
	x.see("│ · publish")
	x.press("k", "k")
	x.see("NODE give_up")
	x.see("– give_up")
}

func TestTheCallsOfANodeAreShownWhenTheAnswerIsOpened(t *testing.T) {
	p := newPaper(100)
	player{p.f, core.Scope{Thread: "t1", Run: "r1", Trace: "r1"}, "review-loop"}.toApprove(runIt)
	events := p.f.events
	p.f.events = nil
	for _, e := range events {
		p.apply(e)
	}
	got := p.text()
	if strings.Contains(got, "files") || strings.Contains(got, "a thought of") || strings.Contains(got, "the answer of") {
		t.Errorf("what nodes do floods the chat:\n%s", got)
	}
	if lines := strings.Count(got, "◇"); lines != 1 || !strings.Contains(got, "review ✓ → approve ?") {
		t.Errorf("%d lines about the chain:\n%s", lines, got)
	}
	p.items[len(p.items)-1].(*answer).fold()
	got = p.text()
	for _, want := range []string{"├ ✓ collect", "└ ✓ files", "├ ✓ review", "└ ? approve"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

func TestNodesThatRunAtTheSameTimeStandBesideEachOther(t *testing.T) {
	p := newPaper(100)
	x := player{p.f, core.Scope{Thread: "t1", Run: "r1", Trace: "r1"}, "fan"}
	x.emit(core.RunStart{Runner: "chain/fan", Prompt: "q"})
	x.begin("split", 1, `{}`)
	x.end(core.NodeEnd{Node: "split", Visit: 1})
	x.begin("left", 1, `{}`)
	x.begin("right", 1, `{}`)
	x.end(core.NodeEnd{Node: "left", Visit: 1, State: core.NodeFailed, Error: "no"})
	for _, e := range p.f.events {
		p.apply(e)
	}
	if got := p.text(); !strings.Contains(got, "◇ fan  split ✓ → left ✗ + right ●") {
		t.Errorf("got:\n%s", got)
	}
}

func TestALongChainKeepsItsNewestNodesOnTheLine(t *testing.T) {
	p := newPaper(60)
	x := player{p.f, core.Scope{Thread: "t1", Run: "r1", Trace: "r1"}, "long"}
	x.emit(core.RunStart{Runner: "chain/long", Prompt: "q"})
	for i := range 30 {
		x.begin(fmt.Sprint("node", i), 1, `{}`)
		x.end(core.NodeEnd{Node: fmt.Sprint("node", i), Visit: 1})
	}
	for _, e := range p.f.events {
		p.apply(e)
	}
	got := p.text()
	if !strings.Contains(got, "◇ long  … → ") || !strings.Contains(got, "→ node29 ✓") {
		t.Errorf("got:\n%s", got)
	}
	for _, line := range p.lines() {
		if width(line) > 60 {
			t.Errorf("%d cells: %q", width(line), line)
		}
	}
}

func TestOnlyTheChosenBoxIsMarked(t *testing.T) {
	p := newPen(func(string) string { return "" })
	row := diagram.Row{Spans: []diagram.Span{{Text: "│", Node: "a"}, {Text: "  "}, {Text: "│", Node: "a"}, {Text: "    "}, {Text: "│", Edge: true}}}
	got := p.boxRow(row, "a")
	if marked := strings.Count(got, string(p.selected)); marked < 3 || strings.Contains(got, string(p.selected)+"    ") {
		t.Errorf("the row is %q", got)
	}
}

func TestOnlyKeysThatDoSomethingAreNamedBesideAnEmptyInspector(t *testing.T) {
	x := start(t, setup{w: 120, h: 40}, settled())
	x.press("f3")
	s := x.see("Nothing has passed yet.", "x end")
	for _, key := range []string{"j k choose", "enter detail", "/ filter", "y copy"} {
		if strings.Contains(s, key) {
			t.Errorf("%s does nothing:\n%s", key, s)
		}
	}
	x.press("f4")
	x.see("No chain has run in this conversation.")
	x.gone("x end")
	if s := x.see("esc back"); strings.Contains(s, "j k node") || strings.Contains(s, "c cancel") || strings.Contains(s, "y copy") {
		t.Errorf("keys do nothing:\n%s", s)
	}
}
