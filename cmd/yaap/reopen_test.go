package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core/must"
)

const askingChain = `chain: 1
name: asks
nodes:
  sum: {expert: calc, prompt: "6 * 7"}
  q: {function: ask, input: {question: "Which colour?", options: [red, blue]}}
  other: {function: set, input: {message: never}}
  done: {function: set, input: {message: "It is {{q.data.answer}}."}}
edges:
  - {from: start, to: sum}
  - {from: sum, to: q}
  - {from: q, to: done, when: response.data.answer != "green"}
  - {from: q, to: other, default: true}
  - {from: other, to: done}
  - {from: done, to: end}
`

const failingChain = `chain: 1
name: fails
nodes:
  sum: {expert: calc, prompt: "6 * 7"}
  bad: {function: fail, input: {message: "The pond is frozen."}}
  done: {function: set, input: {message: never}}
edges:
  - {from: start, to: sum}
  - {from: sum, to: bad}
  - {from: bad, to: done}
  - {from: done, to: end}
`

var present = regexp.MustCompile(` (is|are) in the room$`)

// transcript is what the chat shows of the conversation: without the line about
// who is in the room, which stands where they came, and what is not of the chat.
func (s *screen) transcript() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []string
	_, rows, _ := strings.Cut(s.text(), "────\n") // below the head
	for row := range strings.Lines(rows) {
		row = strings.TrimRight(row, " \n")
		if strings.Contains(row, "────") {
			return lines
		}
		if row != "" && !present.MatchString(row) {
			lines = append(lines, row)
		}
	}
	s.t.Fatal("there is no chat on the screen")
	return nil
}

// decide presses a key in the dialog that asks about a call.
func (s *screen) decide(key string) {
	s.t.Helper()
	s.until("dialog whose keys decide", func(text string) bool {
		return strings.Contains(text, "d deny") && !strings.Contains(text, "in a moment")
	})
	s.press(key)
}

func (s *screen) quit() {
	s.t.Helper()
	s.enter("/quit")
	select {
	case <-s.ended:
	case <-time.After(patience):
		s.t.Fatal("it does not quit")
	}
}

// ready waits until nothing runs and nothing is said for a moment.
func (s *screen) ready() {
	s.t.Helper()
	running := regexp.MustCompile(`esc stop|stopped|in a moment`)
	s.until("end of what runs", func(text string) bool { return !running.MatchString(text) })
}

func TestAReopenedConversationTellsWhatTheLiveOneTold(t *testing.T) {
	home := t.TempDir()
	for name, text := range map[string]string{
		"XDG_CONFIG_HOME/yaap/config.yaml": "approve: [clock]\nexperts:\n  misfit: {command: [misfit, slow]}\n  heron: {command: [heron]}\n",
		"asks.yaml":                        askingChain, "fails.yaml": failingChain,
	} {
		write(t, filepath.Join(home, name), text)
	}
	s := openScreenIn(t, home, 90, 150, options{})
	s.see(`misfit.* in the room`)
	s.enter("what is 12% of 840 and what do herons eat?")
	s.see(`100\.8`)
	s.ready()
	s.enter("what is 3 * 7 and what time is it in Tokyo?")
	s.decide("a")
	s.see(`\d\d:\d\d in Tokyo`)
	s.ready()
	s.enter("what time is it in Oslo?")
	s.decide("d")
	s.see(`clock denied`)
	s.ready()
	s.enter("@clock what time is it in Lima?")
	s.decide("s")
	s.see(`\d\d:\d\d in Lima`)
	s.see(`clock allowed in this conversation`)
	s.ready()
	s.enter("@files read nowhere.txt")
	s.see("There is no nowhere.txt here")
	s.ready()
	s.enter("/chain run asks.yaml")
	s.see(`2 blue`)
	s.ready()
	s.enter("2")
	s.see(`It is blue\.`)
	s.ready()
	s.enter("/chain run fails.yaml")
	s.see(`The pond is frozen\.`)
	s.ready()
	s.enter("my key is ghp_16C7e42F292c6912E7710c838347Ae178B4a, what is 2 + 2?")
	s.see(`4 = 2 \+ 2`)
	s.ready()
	s.enter("@misfit how do sloths sleep?")
	s.see(`. misfit · \d`)
	s.press("\x1b")
	s.see(`– Stopped by you`)
	s.ready()
	want := s.transcript()
	s.quit()

	again := openScreenIn(t, home, 90, 150, options{goOn: true})
	again.see(`– Stopped by you`)
	again.see(`misfit.* in the room`)
	again.see(`2 of 4`) // the chain is read after the conversation
	if diff := cmp.Diff(want, again.transcript()); diff != "" {
		t.Errorf("live and reopened (-live +reopened)\n%s", diff)
	}
	again.quit()
	if t.Failed() {
		t.Log(strings.Join(want, "\n"))
	}
}

func TestTheBidsOfAReopenedConversationStandWhereTheyStood(t *testing.T) {
	home := t.TempDir()
	s := openScreenIn(t, home, 90, 40, options{})
	s.see(`calc, clock, .* in the room`)
	s.enter("what is 12% of 840 and what time is it in Tokyo?")
	s.see(`100\.8`)
	s.ready()
	s.press("\x14\x14")
	s.see(`calc   0\.95  12% × 840`)
	want := s.transcript()
	s.quit()

	again := openScreenIn(t, home, 90, 40, options{goOn: true})
	again.see(`100\.8`)
	again.press("\x14\x14")
	again.see(`calc   0\.95  12% × 840`)
	if diff := cmp.Diff(want, again.transcript()); diff != "" {
		t.Errorf("live and reopened (-live +reopened)\n%s", diff)
	}
	again.quit()
}

func TestTheDetailOfTheChatOutlivesIt(t *testing.T) {
	home := t.TempDir()
	write(t, filepath.Join(home, "XDG_CONFIG_HOME", "yaap", "config.yaml"), "# mine\nbuiltin: [calc]\nmemory: false\n")
	s := openScreenIn(t, home, 100, 40, options{})
	s.see(`calc is in the room`)
	s.press("\x14\x14") // ctrl+t
	s.see(`with every thought, call and turn`)
	s.quit()
	if got := string(must.Get(os.ReadFile(filepath.Join(home, "XDG_CONFIG_HOME", "yaap", "config.yaml")))(t)); got != "# mine\nbuiltin: [calc]\nmemory: false\ndetail: everything\n" {
		t.Errorf("the configuration is %q", got)
	}
	s = openScreenIn(t, home, 100, 40, options{})
	s.see(`calc is in the room`)
	s.enter("what is 12% of 840?")
	s.see(`└ ✓ calc`)
}
