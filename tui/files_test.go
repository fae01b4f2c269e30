package tui

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
)

func TestTheFileOfAnAnswerIsOpenedByAKey(t *testing.T) {
	f := drawing(nil, core.File{Name: "heron-1a2b3c4d.png", Path: "/state/files/heron-1a2b3c4d.png"})
	asked := make(chan []string, 1)
	f.do = func(args []string) (core.Doc, error) {
		asked <- args
		return core.Doc{Parts: []core.Part{{Text: "opened"}}}, nil
	}
	x := start(t, setup{w: 80, h: 24, o: Options{Commands: []core.Command{{Name: "open", Args: "FILE", Does: "open"}}}}, f)
	x.press("draw a heron", "enter")
	x.see("It is drawn.")
	x.press("tab", "G", "o")
	x.see("opened")
	if args := <-asked; len(args) != 2 || args[0] != "open" || args[1] != "heron-1a2b3c4d.png" {
		t.Errorf("asked is %q", args)
	}
}

func TestTextThatIsTooLongForAnAnswerIsReadByAKey(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "log-1a2b3c4d.txt"), []byte(strings.Repeat("a line\n", 100)+"the \x1b[31mlast line\n"), 0o600))
	f := drawing(nil, core.File{Name: "log-1a2b3c4d.txt", Type: "text/plain", Path: "/state/files/log-1a2b3c4d.txt"})
	x := start(t, setup{w: 80, h: 24, o: Options{Files: dir}}, f)
	x.press("draw a heron", "enter")
	x.see("It is drawn.")
	x.press("tab", "G", "o")
	x.see("1–19 of 101")
	x.press("G")
	x.see("last line")
}

func TestAPromptOfAnExpertIsPutIntoTheInputAndNotSent(t *testing.T) {
	f := settled()
	asked := make(chan []string, 1)
	f.do = func(args []string) (core.Doc, error) {
		asked <- args
		return core.Doc{Draft: "Tell me of herons"}, nil
	}
	x := start(t, setup{w: 80, h: 24, o: Options{Commands: []core.Command{{Name: "prompt", Args: "EXPERT NAME", Does: "a prompt"}}}}, f)
	x.press("/notes:ask bird=herons", "enter")
	x.see("❯ Tell me of herons")
	if args := <-asked; len(args) != 4 || args[0] != "prompt" || args[1] != "notes" || args[2] != "ask" || args[3] != "bird=herons" {
		t.Errorf("asked is %q", args)
	}
	if len(f.prompts) > 0 {
		t.Errorf("it was sent: %q", f.prompts)
	}
}

func TestAQuestionIsAskedInTheConversationThatACommandBegins(t *testing.T) {
	f := settled()
	asked := make(chan string, 1)
	f.do = func([]string) (core.Doc, error) { return core.Doc{Thread: "branch", Send: "What do herons eat?"}, nil }
	f.prompt = func(_ context.Context, _ *fake, s core.Scope, text string) (core.Result, error) {
		asked <- s.Thread + ": " + text
		return core.Result{}, nil
	}
	x := start(t, setup{w: 80, h: 24, o: Options{Commands: []core.Command{{Name: "retry", Does: "ask again", Idle: true}}}}, f)
	x.press("/retry", "enter")
	if got := <-asked; got != "branch: What do herons eat?" {
		t.Errorf("asked is %q", got)
	}
	x.see("you      What do herons eat?")
}

func TestAQuestionThatIsNotChangedAfterAllLeavesNothingBehind(t *testing.T) {
	f := settled()
	asked := make(chan []string, 2)
	f.do = func(args []string) (core.Doc, error) {
		asked <- args
		if args[0] == "edit" {
			return core.Doc{Thread: "branch", Title: "birds (2)", Draft: "What do herons eat?", Trial: true}, nil
		}
		return core.Doc{}, nil
	}
	x := start(t, setup{w: 80, h: 24, o: Options{Thread: "t1", Title: "birds", Commands: []core.Command{{Name: "edit", Does: "change it", Idle: true}}}}, f)
	x.press("/edit", "enter")
	x.see("birds (2)", "❯ What do herons eat?", "ctrl+c goes back")
	<-asked
	x.press("ctrl+c")
	x.gone("birds (2)")
	x.see("birds", "❯ ask the room")
	if got := strings.Join(<-asked, " "); got != "memory forget --of branch" {
		t.Errorf("asked is %q", got)
	}
}

func TestAQuestionThatIsTakenBackStandsInTheInputAndIsClearedThere(t *testing.T) {
	f := settled()
	f.do = func([]string) (core.Doc, error) {
		doc := core.Say(core.Remark, "gone back")
		doc.Thread, doc.Title, doc.Draft = "branch", "birds (2)", "What do herons eat?"
		return doc, nil
	}
	x := start(t, setup{w: 80, h: 24, o: Options{Thread: "t1", Title: "birds", Commands: []core.Command{{Name: "rewind", Does: "go back", Idle: true}}}}, f)
	x.press("/rewind", "enter")
	x.see("birds (2)", "❯ What do herons eat?", "gone back")
	x.press("ctrl+c")
	x.see("birds (2)", "❯ ask the room")
}

func TestWhatIsTypedStaysWhereACommandPutsAPromptIntoTheInput(t *testing.T) {
	f := settled()
	begun, typed := make(chan bool), make(chan bool)
	f.do = func([]string) (core.Doc, error) {
		close(begun)
		<-typed
		return core.Doc{Draft: "What do herons eat?"}, nil
	}
	x := start(t, setup{w: 80, h: 24, o: Options{Commands: []core.Command{{Name: "prompt", Does: "a prompt"}}}}, f)
	x.press("/prompt", "enter")
	<-begun
	x.press("and owls")
	x.see("❯ and owls")
	close(typed)
	x.see("❯ and owls", "what you typed stays")
	x.press("up")
	x.see("❯ What do herons eat?")
	x.press("down")
	x.see("❯ and owls")
}
