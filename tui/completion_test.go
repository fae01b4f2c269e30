package tui

import (
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
)

func TestTheCompletionOffersWhatMayFollow(t *testing.T) {
	x := start(t, setup{w: 120, h: 40}, settled())
	x.press("@cl")
	x.see("Times and dates")
	x.press("tab")
	x.see("❯ @clock")
	x.press("now?")
	x.see("❯ @clock now?")
	x.press("ctrl+c", "/sta")
	x.see("what status does")
	x.press("enter")
	x.see("did status")
	x.press("/chain l", "enter") // nothing may follow it
	x.see("did chain list")
	x.press("/trust rev", "enter")
	x.see("❯ /trust revoke")
	x.press("ctrl+c", "read @notes:") // what an expert has
	x.see("Herons")
	x.press("tab", "now")
	x.see("❯ read @notes:notes://herons now")
	x.press("ctrl+c", "sum up @cl") // files below experts
	x.see("Times and dates", "@docs/clear.md")
	x.press("down", "tab", "please")
	x.see("❯ sum up @docs/clear.md please")
}

func TestACommandIsFirstWhereItsNameIsTyped(t *testing.T) {
	table := commandTable([]core.Command{
		{Name: "compact", Does: "a model is shown a summary"},
		{Name: "prompts", Does: "the prompts"},
		{Name: "prompt", Args: "NAME", Does: "one prompt"},
		{Name: "model", Does: "who answers"},
		{Name: "rewind", Aliases: []string{"undo"}, Does: "go back"},
	}, nil)
	m := newModel(t.Context(), Options{Thread: "t1"}, newFake(), &jobs{})
	m.commands = table
	for typed, want := range map[string]string{"model": "/model", "prompt": "/prompt", "undo": "/rewind", "und": "/rewind", "shown": "/compact"} {
		must.Equal(t, want, narrow(m.palette(), typed)[0].text)
	}
	must.Equal(t, "/prompt", complete(table, nil, "/prompt")[0].text)
}

func TestEnterSendsACommandWithTheLastThatIsSuggestedForIt(t *testing.T) {
	f := settled()
	asked := make(chan []string, 1)
	f.do = func(args []string) (core.Doc, error) {
		asked <- args
		return core.Doc{}, nil
	}
	x := start(t, setup{w: 80, h: 24, o: Options{Commands: []core.Command{{Name: "export", Args: "[FILE]", Does: "write it"}}}}, f)
	x.press("/export ")
	x.see("conversation.md")
	x.press("enter")
	if got := strings.Join(<-asked, " "); got != "export conversation.md" {
		t.Errorf("asked is %q", got)
	}
}
