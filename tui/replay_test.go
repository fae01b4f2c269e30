package tui

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
)

// metronome is time that passes when the test says so.
type metronome struct {
	mu    sync.Mutex
	cond  *sync.Cond
	waits []time.Duration // that were asked for
	beats int             // that may end
}

func newMetronome() *metronome {
	n := &metronome{}
	n.cond = sync.NewCond(&n.mu)
	return n
}

// wait is a [Show]'s: it returns when there is a beat for it.
func (n *metronome) wait(ctx context.Context, d time.Duration) error {
	stop := context.AfterFunc(ctx, func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.cond.Broadcast()
	})
	defer stop()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.waits = append(n.waits, d)
	n.cond.Broadcast()
	for n.beats == 0 && ctx.Err() == nil {
		n.cond.Wait()
	}
	n.beats--
	return ctx.Err()
}

// beat lets so many waits end.
func (n *metronome) beat(times int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.beats += times
	n.cond.Broadcast()
}

// asked is how long the wait of that number is, once it is asked for.
func (n *metronome) asked(seen int) time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	for len(n.waits) <= seen {
		n.cond.Wait()
	}
	return n.waits[seen]
}

func (n *metronome) count() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.waits)
}

// twoQuestions are a conversation in which a second passes between the things that are to be seen.
func twoQuestions() core.Page {
	at := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	var page core.Page
	say := func(run, question, answer string, thought time.Duration) {
		at = at.Add(time.Hour)
		page.Messages = append(page.Messages, core.Message{ID: run, Run: run, Role: core.RoleUser, Text: question, Time: at})
		scope := core.Scope{Thread: "other", Run: run, Trace: run, Agent: "yaap"}
		tell := func(after time.Duration, turn int, b core.Body) {
			at = at.Add(after)
			scope.Turn = turn
			page.Events = append(page.Events, core.Event{Time: at, Scope: scope, Body: b})
		}
		tell(0, 0, core.RunStart{Runner: "agent/yaap", Prompt: question})
		tell(0, 1, core.TurnStart{})
		tell(time.Second, 1, core.ToolCallStart{Call: "c", Tool: "calc", Expert: "calc", Args: []byte(`{"prompt":"` + question + `"}`)})
		tell(thought, 1, core.ToolCallEnd{Call: "c", Tool: "calc", Expert: "calc", Status: core.ToolSuccess, Text: answer, MS: 2000})
		tell(time.Second, 1, core.FinalOutput{Reply: core.Reply{Status: core.StatusSuccess, Message: answer}})
		tell(0, 0, core.RunEnd{Outcome: "completed", Status: core.StatusSuccess, Turns: 1, MS: 4000})
	}
	say("r1", "what is 2 + 2?", "it is four", 2*time.Second)
	say("r2", "and 3 + 3?", "it is six", time.Minute)
	return page
}

// again shows them.
func again(n *metronome) *Show {
	return &Show{Thread: "t1", Title: "sums", Pages: []core.Page{twoQuestions()}, Wait: n.wait}
}

func TestAConversationIsShownAtThePaceThatItHad(t *testing.T) {
	for name, c := range map[string]struct {
		speed float64
		keys  string
		by    time.Duration // it is divided by
	}{
		"as it was":     {by: 1},
		"four times":    {speed: 4, by: 4},
		"faster, twice": {keys: "+", by: 2},
	} {
		t.Run(name, func(t *testing.T) {
			n := newMetronome()
			s := again(n)
			s.Speed = c.speed
			x := start(t, setup{w: 120, h: 36}, s)
			x.see("what is 2 + 2?")
			n.asked(0)
			first := 0
			if c.keys != "" {
				x.press(c.keys)
				x.see("2×")
				n.asked(1)
				n.beat(1) // what was waited for before is void
				first = 1
			}
			want := []time.Duration{
				leastGap, time.Second, 2 * time.Second, time.Second, leastGap, // the first question
				questionGap, leastGap, time.Second, mostGap, time.Second, leastGap, // an hour later
			}
			var waits []time.Duration
			for i := range want {
				waits = append(waits, n.asked(first+i)*c.by)
				n.beat(1)
			}
			x.see("it is six")
			x.see("over")
			if diff := cmp.Diff(want, waits); diff != "" {
				t.Errorf("what was waited for (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatIsShownAgainIsPausedSteppedAndGoneThrough(t *testing.T) {
	n := newMetronome()
	x := start(t, setup{w: 120, h: 36}, again(n))
	x.see("what is 2 + 2?")
	n.asked(0)
	x.press(" ")
	x.see("paused")
	n.beat(1) // of what was waited for: nothing comes of it
	x.press("right")
	x.see(" 2 of 14")
	x.press("right", "right")
	x.see(" 5 of 14")
	x.see("✓ calc")
	x.press("left")
	x.see(" 4 of 14")
	x.gone("✓ calc")
	x.press("]")
	if screen := x.see("and 3 + 3?", "it is four", "question 2 of 2"); strings.Contains(screen, "it is six") {
		t.Errorf("the second question is not where it begins:\n%s", screen)
	}
	x.press("G")
	x.see("it is six")
	x.see("over")
	x.press("1")
	x.see("question 1 of 2")
	x.gone("it is four")
	x.press("-")
	x.see("paused  1/2×")
	x.press("]", "right")
	x.see(" 9 of 14")
	x.press("[")
	x.see(" 8 of 14") // to where it begins
	x.press("[")
	x.see(" 1 of 14") // to the one before
	x.press("?")
	x.see("While it is shown again")
	x.press("?")
	x.gone("While it is shown again")
	x.press("ctrl+n")
	x.see("only shown again")
	before := n.count()
	x.press(" ")
	x.see("playing")
	if got := n.asked(before); got != 2*leastGap {
		t.Errorf("it goes on in %v, want %v", got, 2*leastGap)
	}
	x.press("q")
	x.left()
}

func TestWhatWasAskedThenIsAskedNobodyNow(t *testing.T) {
	page := twoQuestions()
	asked := core.Event{Time: page.Events[2].Time, Scope: page.Events[2].Scope, Body: core.ApprovalRequested{Pause: "p", Call: "c", Tool: "calc", Reason: "it may change something", Options: []core.Option{{ID: core.AllowOnce, Label: "Allow once"}}}}
	page.Events = append(page.Events[:2:2], asked)
	n := newMetronome()
	x := start(t, setup{w: 120, h: 36}, &Show{Pages: []core.Page{page}, Wait: n.wait})
	x.see("what is 2 + 2?")
	x.press("G")
	if screen := x.see("over"); strings.Contains(screen, "allow once") || strings.Contains(screen, "Allow once") {
		t.Errorf("it asks:\n%s", screen)
	}
}

func TestATranscriptIsWhatTheTerminalShows(t *testing.T) {
	page := twoQuestions()
	page.Events[4].Body = core.FinalOutput{Reply: core.Reply{Status: core.StatusSuccess, Message: "it is **four**\x1b[31m"}}
	got := strings.Join(Transcript("sums", []core.Page{page}, 60, func(string) string { return "" }), "\n") + "\n"
	if strings.ContainsRune(got, 0x1b) {
		t.Errorf("it holds an escape: %q", got)
	}
	order := []string{"you", "what is 2 + 2?", "calc", "it is four", "you", "and 3 + 3?", "it is six"}
	for at, rest := 0, got; at < len(order); at++ {
		_, after, ok := strings.Cut(rest, order[at])
		if !ok {
			t.Fatalf("%q does not follow:\n%s", order[at], got)
		}
		rest = after
	}
}
