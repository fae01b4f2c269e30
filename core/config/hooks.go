package config

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hook"
)

const maxHookTime = 10 * time.Minute

// Hooks are the user's commands of each event. Only the configuration file of the user
// has them.
type Hooks map[core.HookEvent][]hook.Hook

// String names the events with their commands.
func (h Hooks) String() string {
	var said []string
	for _, event := range core.HookEvents() {
		for _, one := range h[event] {
			line := string(event) + ": " + one.Name()
			if one.Match != "" {
				line += " (" + one.Match + ")"
			}
			said = append(said, line)
		}
	}
	return strings.Join(said, ", ")
}

func hooksSchema() object {
	one := list(object{
		"type": "object", "additionalProperties": false, "required": []string{"command"}, "properties": object{
			"match":   object{"type": "string", "description": "The tools or experts that it is for, at turn_end the agents, with * for any letters; without it, all."},
			"command": object{"type": "array", "items": object{"type": "string"}, "minItems": 1, "description": "Run without a shell, in the directory of the room."},
			"timeout": object{"type": "string", "description": "How long it may take, such as 5s; 30s, where nothing is said."},
		},
	})
	properties := object{}
	for _, event := range core.HookEvents() {
		properties[string(event)] = one
	}
	return object{"type": "object", "additionalProperties": false, "properties": properties}
}

// checkHooks refuses what no hook can be. A program that is named by a path is taken
// from beside the file, never from the directory of the room.
func (c *Config) checkHooks() error {
	for event, hooks := range c.Hooks.V {
		if !slices.Contains(core.HookEvents(), event) {
			return c.badHook(fmt.Sprintf("there are no hooks of %q", event), "there are before_tool, after_tool and turn_end")
		}
		for i, h := range hooks {
			which := fmt.Sprintf("hook %d of %s", i+1, event)
			_, err := path.Match(h.Match, "")
			switch {
			case len(h.Command) == 0 || h.Command[0] == "":
				return c.badHook(which+" has no command", "write it as command: [PROGRAM, ARGUMENT]")
			case err != nil:
				return c.badHook(fmt.Sprintf("%s has the pattern %q, which is none", which, h.Match), "write a name, with * for any letters: files__*")
			case h.Timeout < 0 || h.Timeout > maxHookTime:
				return c.badHook(fmt.Sprintf("%s has %s to answer", which, h.Timeout), fmt.Sprintf("use up to %s, such as timeout: 5s", maxHookTime))
			}
			if strings.Contains(h.Command[0], "/") {
				hooks[i].Command[0] = c.beside(h.Command[0])
			}
		}
	}
	return nil
}

func (c *Config) badHook(message, hint string) error {
	return invalid(message+" ("+c.Hooks.From+")", hint, nil)
}
