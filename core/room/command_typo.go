package room

import (
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/rank"
	"github.com/yaap-chat/yaap/core/safe"
)

// commandSynonyms are the words of other programs for commands: each row has the word that
// is used here among them. Earlier rows count first.
const commandSynonyms = `
stop remove rm delete del kick kill drop disable uninstall quit leave detach eject
add install connect join new create attach invite
restart start enable reload reconnect up
forget remove rm delete del erase clear drop
search find grep query look
show view cat get print info describe inspect
list ls all
pull download install get fetch add
run start exec execute call launch
cancel stop abort kill
resume continue
fork branch copy clone
answer reply respond
login signin auth
logout signout
`

// meant is the command that the words of one may stand for, where its second word is
// what another program calls it, or is mistyped: what to type instead, and what it does.
// It is empty where there is none.
func meant(args []string) string {
	if len(args) < 2 {
		return ""
	}
	var group []Command
	for _, c := range Commands() {
		if first, second := c.Group(); first == args[0] && second != "" && c.Where != atShell {
			group = append(group, c)
		}
	}
	said := strings.ToLower(args[1])
	named := func(word string) int {
		return slices.IndexFunc(group, func(c Command) bool { _, second := c.Group(); return second == word })
	}
	if at := named(said); at >= 0 && args[1] == said {
		return ""
	} else if at >= 0 {
		return group[at].instead(args[2:])
	}
	for row := range strings.Lines(commandSynonyms) {
		words := strings.Fields(row)
		if !slices.Contains(words, said) {
			continue
		}
		for _, word := range words {
			if at := named(word); at >= 0 {
				return group[at].instead(args[2:])
			}
		}
	}
	for _, c := range group {
		if _, second := c.Group(); len(said) > 2 && mistyped(said, second) {
			return c.instead(args[2:])
		}
	}
	return ""
}

// mistyped reports whether a word misses another by one letter, or by two that changed
// places.
func mistyped(said, word string) bool {
	letters := func(s string) string { return string(slices.Sorted(slices.Values([]byte(s)))) }
	return rank.Distance(said, word, 2) == 1 || rank.Distance(said, word, 3) == 2 && letters(said) == letters(word)
}

// instead says how a command is typed with what followed another.
func (c Command) instead(rest []string) string {
	line := "/" + c.Name
	for _, word := range rest {
		line += " " + core.QuoteWord(word)
	}
	if len(rest) == 0 && c.Args != "" {
		line += " " + c.Args
	}
	return "type " + safe.Line(line) + ": " + c.Does
}

// hinted is an error of a command with the one that may be meant as its hint.
func hinted(err error, args []string) error {
	if code := core.CodeOf(err); code != core.CodeInvalid && code != core.CodeNotFound {
		return err
	}
	if hint := meant(args); hint != "" {
		return asHint(err, hint)
	}
	return err
}
