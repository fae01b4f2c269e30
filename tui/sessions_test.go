package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
)

func withSessions() *fake {
	f := newFake()
	now := time.Now()
	f.threads = []core.Thread{
		{ID: "t1", Title: "this talk", Count: 2, Updated: now},
		{ID: "t2", Title: "a cold morning", Count: 4, Updated: now.Add(-time.Hour), Match: "we found that the boiler leaks again"},
		{ID: "t3", Title: "asked at a shell", Count: 2, Updated: now.Add(-2 * time.Hour), Unattended: true, Dir: "/elsewhere"},
	}
	return f
}

func TestASessionIsFoundByWhatWasSaidInIt(t *testing.T) {
	f := withSessions()
	f.messages["t2"] = []core.Message{{ID: "m", Run: "r", Role: core.RoleUser, Text: "what is wrong with the heating?"}}
	x := start(t, setup{w: 120, h: 40}, f)
	x.see("ask the room")
	x.press("ctrl+s")
	x.see("yaap run, in /elsewhere")
	x.press("boiler")
	x.see("…the boiler leaks again")
	x.gone("asked at a shell")
	x.press("enter")
	x.see("what is wrong with the heating?")
}

func TestTheVersionsOfAConversationAreOneLineUntilSomethingIsTyped(t *testing.T) {
	f := withSessions()
	f.threads[1].Root = "t0"
	for i, id := range []string{"t0", "t9"} {
		f.threads = append(f.threads, core.Thread{ID: id, Title: fmt.Sprint("a cold evening ", i), Count: 6, Updated: time.Now().Add(-3 * time.Hour), Root: map[string]string{"t9": "t0"}[id], Match: "boiler"})
	}
	x := start(t, setup{w: 120, h: 40}, f)
	x.see("ask the room")
	x.press("ctrl+s")
	if s := x.see("a cold morning", "4 messages, 2 other versions"); strings.Contains(s, "a cold evening") {
		t.Errorf("another version is listed:\n%s", s)
	}
	x.press("boiler")
	x.see("a cold morning", "a cold evening 0", "a cold evening 1")
}

func TestTheChosenSessionShowsWhatWasSaidLastInIt(t *testing.T) {
	f := withSessions()
	f.messages["t1"] = []core.Message{{ID: "m", Run: "r", Role: core.RoleUser, Text: "what is this?"}}
	for _, m := range []string{"one", "two", "three", "four"} {
		f.messages["t2"] = append(f.messages["t2"], core.Message{ID: m, Run: m, Role: core.RoleUser, Text: "question " + m + "\nin two lines"},
			core.Message{ID: m + "r", Run: m, Role: core.RoleTool, Text: "result " + m}, core.Message{ID: m + "a", Run: m, Role: core.RoleAssistant, Reply: &core.Reply{Message: "**answer**\x1b[31m " + m + "\n\nand more of it"}})
	}
	x := start(t, setup{w: 120, h: 40}, f)
	x.see("ask the room")
	x.press("ctrl+s")
	x.see("you   what is this?")
	x.press("down")
	x.see("yaap  answer four")
	if s := x.see("you   question two in two lines"); strings.Contains(s, "question one") || strings.Contains(s, "result") || strings.Contains(s, "more of it") || strings.Contains(s, "\x1b[31m") {
		t.Errorf("more is shown than the last questions and answers:\n%s", s)
	}
	x.press("down")
	x.gone("answer four")
}

func TestTheChosenSessionShowsWhereTheWordsWereSaid(t *testing.T) {
	d := &desk{model: modelOf(t, 120, 40, herons(45, 3, 12)), t: t}
	said, err := pageWith(t.Context(), d.b, "t1", "HERON")
	if err != nil || said[0].Run != "r5" {
		t.Fatalf("%v, %v", said, err)
	}
	may := core.Message{Run: "r12", Role: core.RoleAssistant, Reply: &core.Reply{Message: `May fs be called with {"a":"heron"}?`, Data: map[string]any{"pause": "p"}}}
	got := lastSaid(append(said[:8:8], append([]core.Message{may}, said[8:]...)...), "heron", 3, d.pen.markdown)
	if len(got) != 3 || !strings.HasPrefix(got[1], "you   ") || got[1] != "you   question 12 about herons" || strings.Contains(strings.Join(got, ""), "May") {
		t.Errorf("got %q", got)
	}
}

func TestASessionIsOpenedWhereTheWordsWereSaid(t *testing.T) {
	a := herons(400, 45)
	a.threads = []core.Thread{{ID: "t1", Title: "this talk"}, {ID: "t2", Title: "birds", Match: "question 45 about **herons**"}}
	m := modelOf(t, 100, 30, a)
	d := &desk{model: m, t: t}
	m.once = true
	d.press("ctrl+s")
	d.word("herons")
	d.sees("…about herons")
	d.press("enter")
	d.sees("question 45 about herons")
}

func TestASessionIsDeletedWhenTheKeyIsPressedTwice(t *testing.T) {
	f := withSessions()
	f.do = func([]string) (core.Doc, error) {
		f.threads = f.threads[:1]
		return core.Doc{}, nil
	}
	x := start(t, setup{w: 120, h: 40}, f)
	x.see("ask the room")
	x.press("ctrl+s")
	x.see("a cold morning")
	x.press("ctrl+d")
	x.see("this conversation is open")
	x.press("down", "ctrl+d")
	x.see("ctrl+d again deletes “a cold morning”")
	x.press("ctrl+d")
	x.gone("a cold morning  ")
	f.mu.Lock()
	defer f.mu.Unlock()
	if diff := cmp.Diff([][]string{{"memory", "forget", "--of", "t2"}}, f.done); diff != "" {
		t.Errorf("done is (-want +got)\n%s", diff)
	}
}

func TestWhatWasTypedInEarlierSittingsComesBack(t *testing.T) {
	f := newFake()
	f.said = []string{"the oldest", "the same", "the same", "the newest", strings.Repeat("long ", 1000)}
	d := &desk{model: modelOf(t, 100, 30, f), t: t}
	d.once = true
	d.carry(d.Init())
	d.press("up")
	d.sees("❯ the newest")
	d.press("up", "up")
	d.sees("❯ the oldest")
	d.press("ctrl+c", "ctrl+r")
	d.sees("the newest")
	d.press("o", "l", "d", "enter")
	d.sees("❯ the oldest")
}

func TestTheLastAnswerIsCopiedAndTheSessionNamed(t *testing.T) {
	f := newFake()
	f.do = func(args []string) (core.Doc, error) { return core.Doc{Title: strings.Join(args[1:], " ")}, nil }
	x := start(t, setup{w: 100, h: 30, o: Options{Commands: []core.Command{{Name: "name", Args: "TITLE", Does: "name this session"}}}}, f)
	x.see("ask the room")
	x.press("/copy", "enter")
	x.see("there is nothing to copy here")
	x.ask("what is 12% of 840?", "100.8")
	x.see("calc, clock · 11 ms") // what a prompt returns may come before the end of its run
	x.press("/copy", "enter")
	x.see("given to the terminal's clipboard")
	x.press("/name percentages of all kinds", "enter")
	x.see("percentages of all kinds")
}
