package tui

import (
	"slices"
	"strings"
	"unicode"

	"yaap/core"
)

// command is a slash command.
type command struct {
	name    string
	aliases []string
	args    string // what may follow, for help
	words   []string
	help    string
	own     action // what the terminal does itself when no words follow; actNone: the program does it
	idle    bool   // refused while a turn runs
	keys    string // the key that does the same
}

const actQuit action = -1

func commandTable() []command {
	return []command{
		{name: "help", help: "keys and commands", own: actHelp, keys: "f1"},
		{name: "experts", aliases: []string{"mcp"}, args: "[NAME | add CMD | stop NAME | restart NAME | forget NAME]", words: []string{"add", "stop", "restart", "forget"}, help: "who is in the room; bring one in or take one out", own: actExperts, keys: "f2"},
		{name: "trust", args: "[EXPERT | allow EXPERT | revoke NAME]", words: []string{"allow", "revoke"}, help: "what is called without asking you; see what an expert changed"},
		{name: "chain", args: "[run NAME INPUT=VALUE | list | show NAME | check FILE | runs | answer | resume | cancel | fork]", words: []string{"run", "list", "show", "check", "runs", "answer", "resume", "cancel", "fork"}, help: "run a chain, or watch one", own: actChain, keys: "f4"},
		{name: "memory", args: "[list | show [ENTRY] | search WORDS | correct ENTRY TEXT | tag ENTRY KEY=VALUE | expire ENTRY 30d | forget ENTRY | redact ENTRY | stats | off | on]", words: []string{"list", "show", "search", "correct", "tag", "expire", "forget", "redact", "stats", "off", "on"}, help: "what the room remembers; correct it, or have it forgotten", own: actMemory, keys: "f5"},
		{name: "events", help: "what every run is doing", own: actEvents, keys: "f6"},
		{name: "audit", help: "what everybody answered, and why", own: actAudit, keys: "f7"},
		{name: "sessions", aliases: []string{"resume"}, help: "go on with an earlier session", own: actSessions, idle: true, keys: "ctrl+s"},
		{name: "continue", help: "go on with an answer that was cut off or ran out of turns", own: actContinue, idle: true},
		{name: "new", aliases: []string{"clear"}, help: "new session", idle: true, keys: "ctrl+n"},
		{name: "model", args: "[NAME]", help: "the model that answers", idle: true},
		{name: "status", help: "what is running, and where things are"},
		{name: "quit", aliases: []string{"exit"}, help: "leave", own: actQuit},
	}
}

// isCommand reports whether a text that was typed is meant as a command: one
// line that begins with a slash and a letter.
func isCommand(text string) bool {
	return len(text) > 1 && text[0] == '/' && unicode.IsLetter(rune(text[1])) && !strings.Contains(text, "\n")
}

// isChainRun reports whether a command asks for an answer, as a prompt does.
func isChainRun(text string) bool {
	words := strings.Fields(text)
	return len(words) > 1 && strings.EqualFold(words[0], "/chain") && words[1] == "run"
}

// parseCommand finds the command of a line and splits its words, as [core.Words]
// does.
func parseCommand(table []command, line string) (command, []string, error) {
	args, err := core.Words(strings.TrimPrefix(line, "/"))
	if err != nil {
		return command{}, nil, err
	}
	name := strings.ToLower(args[0])
	for _, c := range table {
		if c.name == name || slices.Contains(c.aliases, name) {
			args[0] = c.name
			if c.args == "" && len(args) > 1 {
				return command{}, nil, &core.Error{
					Code: core.CodeInvalid, Op: "tui: command", Message: "/" + name + " takes nothing after it", Hint: "type /" + name,
				}
			}
			return c, args, nil
		}
	}
	hint := "type / to see all commands"
	for _, c := range table {
		if strings.HasPrefix(c.name, name[:min(len(name), 2)]) {
			hint = "did you mean /" + c.name + "? Type / to see all commands"
			break
		}
	}
	return command{}, nil, &core.Error{Code: core.CodeNotFound, Op: "tui: command", Message: "there is no command /" + name, Hint: hint}
}

// choice is one line of a completion, the palette or a picker.
type choice struct {
	text  string // what is shown first
	help  string
	right string
	key   string // what accepting it means to whoever shows it
	at    int    // completion: where in the input the accepted text begins
	runs  bool   // completion: accepting it with enter also sends
}

// complete lists what the text before the cursor may go on as.
func complete(table []command, experts []core.Expert, before string) []choice {
	if strings.Contains(before, "\n") && strings.HasPrefix(before, "/") {
		return nil
	}
	if strings.HasPrefix(before, "/") {
		return completeCommand(table, experts, before)
	}
	if choices := completeTool(experts, before); len(choices) > 0 {
		return choices
	}
	at := strings.LastIndexFunc(before, unicode.IsSpace) + 1
	if at >= len(before) || before[at] != '@' {
		return nil
	}
	typed := strings.ToLower(before[at+1:])
	var out []choice
	for _, e := range experts {
		if e.Present() && strings.HasPrefix(strings.ToLower(e.Name), typed) {
			out = append(out, choice{text: "@" + e.Name, help: e.Description, key: "@" + e.Name + " ", at: at})
		}
	}
	return out
}

func completeCommand(table []command, experts []core.Expert, before string) []choice {
	name, rest, hasRest := strings.Cut(before[1:], " ")
	var out []choice
	for _, c := range table {
		if !hasRest {
			if matches(c, name) {
				key := "/" + c.name
				if c.args != "" {
					key += " "
				}
				out = append(out, choice{text: "/" + c.name, help: c.help, right: c.keys, key: key, runs: true})
			}
			continue
		}
		if c.name != name && !slices.Contains(c.aliases, name) {
			continue
		}
		word, last, more := strings.Cut(rest, " ")
		if !more {
			for _, w := range c.words {
				if strings.HasPrefix(w, word) {
					out = append(out, choice{text: w, key: w + " ", at: len(before) - len(word)})
				}
			}
		}
		switch { // where the name of an expert may stand
		case !more && word != "" && (c.name == "experts" || c.name == "trust"):
			out = append(out, completeExpert(experts, word, len(before)-len(word))...)
		case more && (word == "stop" || word == "restart" || c.name == "experts" && word == "forget" || c.name == "trust"):
			out = append(out, completeExpert(experts, last, len(before)-len(last))...)
		}
	}
	return out
}

func completeExpert(experts []core.Expert, typed string, at int) []choice {
	var out []choice
	for _, e := range experts {
		if strings.HasPrefix(e.Name, typed) {
			out = append(out, choice{text: e.Name, help: e.Description, key: e.Name, at: at})
		}
	}
	return out
}

func matches(c command, typed string) bool {
	typed = strings.ToLower(typed)
	if strings.HasPrefix(c.name, typed) {
		return true
	}
	return slices.ContainsFunc(c.aliases, func(a string) bool { return strings.HasPrefix(a, typed) })
}
