package tui

import (
	"context"
	"slices"
	"testing"

	"github.com/yaap-chat/yaap/core"
)

func TestWhatAModelHasToDoIsShownWhileItRunsAndCountedAtTheEnd(t *testing.T) {
	f := settled()
	half, release := make(chan bool), make(chan bool)
	f.prompt = func(_ context.Context, f *fake, s core.Scope, text string) (core.Result, error) {
		items := []core.TodoItem{{Text: "read the file", Status: core.TodoDone}, {Text: "write tests", Status: core.TodoBegun}, {Text: "tell", Status: core.TodoPending}}
		f.emit(s, core.RunStart{Runner: "agent/yaap", Prompt: text})
		s.Turn = 1
		f.emit(s, turnBegins(1)...)
		f.emit(s, core.ToolCallStart{Call: "c", Tool: "update_todo"}, core.TodoChanged{Items: items}, core.ToolCallEnd{Call: "c", Tool: "update_todo", Status: core.ToolSuccess})
		half <- true
		<-release
		done := slices.Clone(items) // an event's list is its own
		for i := range done {
			done[i].Status = core.TodoDone
		}
		reply := core.Reply{Status: core.StatusSuccess, Message: "It is tested."}
		f.emit(s, core.TodoChanged{Items: done}, core.FinalOutput{Reply: reply}, core.TurnEnd{})
		s.Turn = 0
		f.emit(s, core.RunEnd{Outcome: "completed", Status: reply.Status})
		return core.Result{Reply: reply}, nil
	}
	x := start(t, setup{w: 100, h: 30}, f)
	x.press("test it", "enter")
	<-half
	x.see("✓ read the file")
	x.see("→ write tests")
	x.see("· tell")
	x.gone("update_todo")
	close(release)
	x.see("It is tested.")
	x.see("✓ 3 of 3 done")
	x.gone("write tests")
}
