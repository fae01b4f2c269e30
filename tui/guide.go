package tui

import (
	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/roomhelp"
)

// Keys are what the terminal's help lists.
func Keys(own Rebound) []roomhelp.Key {
	in := map[place]string{inInput: "while typing", inChat: "in the chat", inInspector: "in an inspector", inApproval: "when something waits to be allowed", inReader: "in a table or code that is open", inShow: "while a conversation is shown again"}
	var all []roomhelp.Key
	for _, b := range newKeymap(own).table {
		keys := b.keys
		if b.leader != "" {
			keys = append(keys[:len(keys):len(keys)], own.named("ctrl+x")+" "+b.leader)
		}
		all = append(all, roomhelp.Key{Keys: keys, Where: in[b.where], Does: b.help})
	}
	return all
}

// Commands are the slash commands, those of the program among them.
func Commands(program []core.Command, own Rebound) []roomhelp.Command {
	var all []roomhelp.Command
	for _, c := range commandTable(program, own) {
		all = append(all, roomhelp.Command{Name: c.Name, Aliases: c.Aliases, Args: c.Args, Does: c.Does, Key: c.key})
	}
	return all
}
