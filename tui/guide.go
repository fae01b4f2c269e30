package tui

import "github.com/yaap-chat/yaap/core"

// KeyHelp is a line of the key table.
type KeyHelp struct {
	Keys  []string
	Where string // in words; empty: everywhere
	Does  string
}

// CommandHelp is a slash command, without its slash.
type CommandHelp struct {
	Name    string
	Aliases []string
	Args    string
	Does    string
	Key     string // that does the same
}

// Keys are what the terminal's help lists.
func Keys(own Rebound) []KeyHelp {
	in := map[place]string{inInput: "while typing", inChat: "in the chat", inInspector: "in an inspector", inApproval: "when something waits to be allowed", inReader: "in a table or code that is open", inShow: "while a conversation is shown again"}
	var all []KeyHelp
	for _, b := range newKeymap(own).table {
		keys := b.keys
		if b.leader != "" {
			keys = append(keys[:len(keys):len(keys)], own.named("ctrl+x")+" "+b.leader)
		}
		all = append(all, KeyHelp{Keys: keys, Where: in[b.where], Does: b.help})
	}
	return all
}

// Commands are the slash commands, those of the program among them.
func Commands(program []core.Command, own Rebound) []CommandHelp {
	var all []CommandHelp
	for _, c := range commandTable(program, own) {
		all = append(all, CommandHelp{Name: c.Name, Aliases: c.Aliases, Args: c.Args, Does: c.Does, Key: c.key})
	}
	return all
}
