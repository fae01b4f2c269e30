package tui

import (
	"slices"
	"strings"
	"unicode"

	"github.com/yaap-chat/yaap/core"
)

// command is a slash command, with those whose names begin with its own.
type command struct {
	core.Command
	own   action         // what the terminal does itself when no words follow; actNone: the program does it
	key   string         // that does the same
	below []core.Command // whose names begin with this one, by the rest of their names
	takes string         // what follows the name itself
}

const actQuit action = -1

const commandSteer = "steer"

// commandTable are the commands of the terminal and those of the program.
func commandTable(program []core.Command, keys Rebound) []command {
	own := func(c core.Command, act action, key string) command { return command{Command: c, own: act, key: key} }
	var table []command
	for _, c := range program {
		name, word, below := strings.Cut(c.Name, " ")
		if !below {
			table = append(table, command{Command: c, takes: c.Args})
			continue
		}
		group := &table[slices.IndexFunc(table, func(c command) bool { return c.Name == name })]
		c.Name = word
		group.below = append(group.below, c)
		group.Args = strings.Trim(group.Args+" | "+strings.TrimSpace(word+" "+c.Args), " |")
	}
	var chosen []core.Command
	for _, name := range themes() {
		chosen = append(chosen, core.Command{Name: name})
	}
	for i, row := range paneTable() {
		if row.does != "" {
			table = append(table, own(core.Command{Name: row.name, Does: row.does}, opens(i), row.key))
		}
	}
	table = append(table,
		own(core.Command{Name: "sessions", Does: "go on with an earlier session", Aliases: []string{"resume", "history"}, Idle: true}, actSessions, "ctrl+s"),
		own(core.Command{Name: "continue", Does: "go on with an answer that was cut off or ran out of turns", Idle: true}, actContinue, ""),
		own(core.Command{Name: "attach", Args: "FILE", Does: "attach a file to what you type next, as @FILE does", Aliases: []string{"add"}}, actAttach, ""),
		own(core.Command{Name: "copy", Does: "copy the last answer"}, actCopyAnswer, ""),
		own(core.Command{Name: "detail", Does: "more of what led to the answers: calm, thoughts, everything", Aliases: []string{"thinking"}}, actDetail, "ctrl+t"),
		command{Command: core.Command{Name: "theme", Does: "the next of the themes, or the one that is named", Args: "[" + strings.Join(themes(), "|") + "]"}, own: actTheme, below: chosen},
		own(core.Command{Name: "mouse", Does: "leave the mouse to the terminal, or take it back"}, actMouse, ""),
		own(core.Command{Name: "stop", Does: "stop what is running, after its calls"}, actStop, "esc"),
		own(core.Command{Name: "queue", Does: "what waits until the turn is over; take one back"}, actQueue, ""),
		own(core.Command{Name: commandSteer, Args: "TEXT", Does: "give this to the running turn, before the model is asked again"}, actSteer, ""),
		own(core.Command{Name: "replay", Does: "see this conversation happen again", Idle: true}, actReplay, ""),
		own(core.Command{Name: "quit", Does: "leave", Aliases: []string{"exit"}}, actQuit, ""))
	for i, c := range table {
		switch c.Name { // without words they open a pane, or are a key
		case "help":
			table[i].own, table[i].key = actHelp, "f1"
			table[i].Aliases = append(slices.Clip(c.Aliases), "keys")
		case "new":
			table[i].key = "ctrl+n"
		case "model":
			table[i].key = "ctrl+l"
		default:
			if at := paneNamed(c.Name); at >= 0 {
				table[i].own, table[i].key = opens(at), paneTable()[at].key
			}
		}
		table[i].key = keys.named(table[i].key)
	}
	return table
}

// isCommand reports whether a text that was typed is meant as a command: one
// line that begins with a slash and a letter.
func isCommand(text string) bool {
	return len(text) > 1 && text[0] == '/' && unicode.IsLetter(rune(text[1])) && !strings.Contains(text, "\n")
}

// isPrompt reports whether a command asks for an answer, as a prompt does.
func isPrompt(table []command, text string) bool {
	words := strings.Fields(text)
	return slices.ContainsFunc(table, func(c command) bool {
		return strings.EqualFold(words[0], "/"+c.Name) && (c.Prompt || len(words) > 1 && slices.ContainsFunc(c.below, func(b core.Command) bool {
			return b.Prompt && b.Name == words[1]
		}))
	})
}

// parseCommand finds the command of a line and splits its words, as [core.SplitCommand]
// does.
func parseCommand(table []command, line string) (command, []string, error) {
	args, err := core.SplitCommand(strings.TrimPrefix(line, "/"))
	if err != nil {
		return command{}, nil, err
	}
	name := strings.ToLower(args[0])
	for _, c := range table {
		if c.Name == name || slices.Contains(c.Aliases, name) {
			args[0] = c.Name
			if c.Args == "" && len(c.Flags) == 0 && len(args) > 1 {
				return command{}, nil, core.Fail(core.CodeInvalid, "/"+name+" takes nothing after it", "type /"+name)
			}
			return c, args, nil
		}
	}
	hint := "type / to see all commands"
	if meant := meantBy(table, name); meant != "" {
		hint = "did you mean " + meant + "? Type / to see all commands"
	}
	return command{}, nil, core.Fail(core.CodeNotFound, "there is no command /"+name, hint)
}

// meantBy is the command that does what a word says, or whose name is written like it.
func meantBy(table []command, word string) string {
	does := func(c core.Command) bool { return slices.Contains(strings.Fields(strings.ToLower(c.Does)), word) }
	for _, c := range table {
		for _, b := range c.below {
			if b.Name == word || does(b) {
				return "/" + c.Name + " " + b.Name
			}
		}
	}
	for _, c := range table {
		if does(c.Command) || strings.HasPrefix(c.Name, word[:min(len(word), 2)]) && alikeWritten(c.Name, word) {
			return "/" + c.Name
		}
	}
	return ""
}

// alikeWritten reports whether two words have two thirds of their letters in common, or one
// begins with the other.
func alikeWritten(a, b string) bool {
	shared, rest := 0, a
	for _, r := range b {
		if at := strings.IndexRune(rest, r); at >= 0 {
			shared++
			rest = rest[:at] + rest[at+len(string(r)):]
		}
	}
	return strings.HasPrefix(a, b) || 3*shared >= 2*max(len(a), len(b))
}
