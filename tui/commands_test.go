package tui

import (
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
)

func TestAttachBeginsAPromptWithTheFile(t *testing.T) {
	for line, want := range map[string]string{"/attach notes.md": "@notes.md ", `/add "my notes.md" @b.txt`: `@"my notes.md" @b.txt `, "/attach": "@"} {
		m := newModel(t.Context(), Options{Thread: "t1"}, newFake(), &jobs{})
		m.command(line)
		must.Equal(t, want, m.input.value())
	}
}

func TestAWordThatIsNoCommandNamesTheOneThatDoesIt(t *testing.T) {
	for line, hint := range map[string]string{
		"/cancel":   "did you mean /chain cancel? Type / to see all commands",
		"/exprots":  "did you mean /experts? Type / to see all commands",
		"/stauts":   "did you mean /status? Type / to see all commands",
		"/kumquats": "type / to see all commands",
	} {
		_, _, err := parseCommand(commandTable(programCommands(), nil), line)
		must.Equal(t, hint, core.HintOf(err))
	}
}
