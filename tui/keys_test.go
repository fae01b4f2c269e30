package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
)

func TestEachKeyIsToldWithThePlaceWhereItWorks(t *testing.T) {
	table := newKeymap(nil).table
	for i, key := range Keys(nil) {
		if (key.Where == "") != (table[i].where == everywhere) {
			t.Errorf("%s (%s) works %q", key.Keys, key.Does, key.Where)
		}
	}
}

func TestEveryKeyIsToldAndNoKeyAfterTheLeaderDoesTwoThings(t *testing.T) {
	leaders := map[string]string{}
	for _, b := range keyTable() {
		if b.help == "" || len(b.keys) == 0 || b.do == actNone || b.keys[0][0] == 'f' && len(b.keys[0]) > 1 && b.leader == "" {
			t.Errorf("%+v is not whole", b)
		}
		if other, ok := leaders[b.leader]; ok && b.leader != "" {
			t.Errorf("ctrl+x %s is both %q and %q", b.leader, other, b.help)
		}
		leaders[b.leader] = b.help
	}
}

func TestKeysOfTheUserAreCheckedForClashes(t *testing.T) {
	for _, c := range []struct {
		keys Rebound
		bad  string // part of what is said; empty: they are taken
	}{
		{keys: nil},
		{keys: Rebound{"ctrl+s": "ctrl+o", "f2": "alt+2"}},
		{keys: Rebound{"j": "n", "n": "j"}}, // that is a swap
		{keys: Rebound{"ctrl+s": "ctrl+r", "ctrl+r": "ctrl+s"}},
		{keys: Rebound{"ctrl+s": "ctrl+n"}, bad: "ctrl+n would be for “new session” and for “sessions”"},
		{keys: Rebound{"j": "n"}, bad: "n would be for"},
		{keys: Rebound{"ctrl+s": "tab"}, bad: "tab would be for"},
		{keys: Rebound{"ctrl+s": "ctrl+m"}, bad: "ctrl+m is enter or tab"},
		{keys: Rebound{"ctrl+s": "x"}, bad: "x could no longer be typed"},
		{keys: Rebound{"ctrl+s": "strg+o"}, bad: "there is no key strg+o"},
		{keys: Rebound{"ctrl+s": ""}, bad: "there is no key"},
		{keys: Rebound{"ctrl+c": "ctrl+q"}, bad: "ctrl+c stays"},
		{keys: Rebound{"1-9": "ctrl+q"}, bad: "1-9"},
		{keys: Rebound{"sessions": "ctrl+o"}, bad: "no key sessions"},
	} {
		err := c.keys.Check()
		if c.bad == "" && err != nil || c.bad != "" && (err == nil || !strings.Contains(err.Error(), c.bad) || core.HintOf(err) == "") {
			t.Errorf("%v: %v, hint %q; want %q", c.keys, err, core.HintOf(err), c.bad)
		}
	}
}

func TestAKeyOfTheUserDoesWhatTheOtherDidAndIsNamed(t *testing.T) {
	f := withSessions()
	x := start(t, setup{w: 120, h: 40, o: Options{Keys: Rebound{"ctrl+s": "ctrl+o", "ctrl+p": "alt+p", "f2": "alt+2"}}}, f)
	x.see("alt+p commands")
	x.see("alt+2 f3-f7 inspect")
	x.press("ctrl+s", "\x0f")
	x.see("a cold morning")
	x.press("esc")
	x.gone("a cold morning")
	x.press("/sess")
	x.see("ctrl+o")
}

func TestACommandLineIsSplitIntoWords(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string
		bad  string // part of the hint
	}{
		{line: "/status", want: []string{"status"}},
		{line: "/mcp add 'tides=python3 tides.py --tz \"UTC\"'", want: []string{"experts", "add", `tides=python3 tides.py --tz "UTC"`}},
		{line: "/clear", want: []string{"new"}},
		{line: "/Model ''", want: []string{"model", ""}},
		{line: "/stat", bad: "/status"},
		{line: "/zzz", bad: "type /"},
		{line: "/sessions boiler", bad: "type /sessions"},
		{line: "/quit now", bad: "type /quit"},
		{line: `/model "x`, bad: "at the end"},
	} {
		_, got, err := parseCommand(commandTable(programCommands(), nil), c.line)
		if c.bad != "" {
			if hint := core.HintOf(err); !strings.Contains(hint, c.bad) {
				t.Errorf("%s: %v, hint %q; want one with %q", c.line, err, hint, c.bad)
			}
			continue
		}
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v, -want +got\n%s", c.line, err, diff)
		}
	}
}

func TestCompletionOffersWhatMayFollow(t *testing.T) {
	experts := []core.Expert{{Name: "calc", State: core.ExpertReady}, {Name: "clock", State: core.ExpertBusy}, {Name: "tides", State: core.ExpertGone}, {
		Name: "fs", State: core.ExpertReady, Tools: []core.ToolSpec{
			{Name: "fs__read", Schema: []byte(`{"properties":{"path":{"type":"string"},"head":{"type":"number"}},"required":["path"]}`)},
			{Name: "fs__read_all"},
			{Name: "fs__write"},
		},
	}}
	for _, c := range []struct{ before, want string }{
		{"/e", "/experts /events /quit"},
		{"/experts ", "add CMD ARGS stop EXPERT restart EXPERT forget EXPERT"},
		{"/mcp st", "stop EXPERT"},
		{"/experts stop c", "calc clock"},
		{"/experts restart t", "tides"},
		{"@", "@calc @clock @fs"},
		{"@fs ", "read read_all write"},
		{"@FS re", "read read_all"},
		{"@fs__w", "@fs__write"},
		{"@fs read ", "path= head="},
		{"@fs read h", "head="},
		{"@fs__read ", "path= head="},
		{"@fs read path=a.txt", ""},
		{"@fs read path=a.txt ", ""}, // enter sends it
		{"@fs read path=a.txt h", "head="},
		{"@fs nothing ", ""},
		{"@calc 1 + ", ""},
		{"ask @cl", "@clock"},
		{"mail me@cl", ""},
		{"plain words", ""},
		{"/e\nx", ""},
	} {
		var got []string
		for _, choice := range complete(commandTable(programCommands(), nil), experts, c.before) {
			got = append(got, choice.text)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("after %q: %q, want %q", c.before, s, c.want)
		}
	}
}

func TestWhatIsSaidOfAKeyIsOverWithTheNextOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModel(t.Context(), Options{Thread: "t1"}, newFake(), &jobs{})
		d := &desk{model: m, t: t}
		m.once = true
		m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
		d.press("ctrl+c")
		d.sees("ctrl+c again to leave")
		d.press("x")
		d.seesNo("ctrl+c again to leave")
		d.press("backspace", "ctrl+t")
		d.sees("with what was thought")
		time.Sleep(2 * noteLeast)
		d.press("x")
		d.seesNo("with what was thought")
		d.say(toneAsk, strings.Repeat("a long remark ", 5))
		d.frame.stale = true
		d.sees("a long remark a long remark a long remark a long remark a long remark")
	})
}
