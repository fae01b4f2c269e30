package config_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/hook"
	"github.com/yaap-chat/yaap/core/must"
)

func TestHooksAreReadByTheirEventsInOrder(t *testing.T) {
	c, err := load(t, `
hooks:
  before_tool:
    - {match: files__*, command: [hooks/check.sh, -v], timeout: 5s}
    - {command: [sh, -c, exit 2]}
  turn_end:
    - {command: [notify-send, done]}
`, nil, config.Flags{})
	must.Do(t, err)
	check := filepath.Join(filepath.Dir(c.File), "hooks", "check.sh") // never in the directory of the room
	want := config.Hooks{
		core.HookBeforeTool: {{Match: "files__*", Command: []string{check, "-v"}, Timeout: 5 * time.Second}, {Command: []string{"sh", "-c", "exit 2"}}},
		core.HookTurnEnd:    []hook.Hook{{Command: []string{"notify-send", "done"}}},
	}
	must.Equal(t, want, c.Hooks.V)
	said := c.Hooks.V.String()
	if c.Hooks.From != c.File || !strings.HasPrefix(said, "before_tool: ") || !strings.HasSuffix(said, "before_tool: sh -c exit 2, turn_end: notify-send done") {
		t.Errorf("told are %q, from %s", said, c.Hooks.From)
	}
}

func TestAHookThatCannotBeOneIsRefusedWithWhatToWrite(t *testing.T) {
	for file, want := range map[string]string{
		"hooks: {before: [{command: [x]}]}":                                 `there are no hooks of "before"`,
		"hooks: {before_tool: [{match: x}]}":                                "hook 1 of before_tool has no command",
		"hooks: {after_tool: [{command: [x]}, {command: [x], match: '['}]}": `hook 2 of after_tool has the pattern "["`,
		"hooks: {turn_end: [{command: [x], timeout: 5}]}":                   "write a time, such as 5s",
		"hooks: {turn_end: [{command: [x], timeout: -1s}]}":                 "has -1s to answer",
		"hooks: {turn_end: [{command: [x], timeout: 20m}]}":                 "has 20m0s to answer",
		"hooks: {turn_end: [{command: [x], timout: 5s}]}":                   "timout",
		"hooks: {turn_end: [{command: x}]}":                                 "cannot be understood",
	} {
		_, err := load(t, file, nil, config.Flags{})
		if err == nil || core.CodeOf(err) != core.CodeInvalid || !strings.Contains(err.Error()+core.HintOf(err), want) || core.HintOf(err) == "" {
			t.Errorf("%s: got %v (%s)", file, err, core.HintOf(err))
		}
	}
}
