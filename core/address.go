package core

import "strings"

// Address reads "@name question", by which a user asks one expert directly.
// Names have small letters, whichever the user types. Anything else is a
// question to the room: expert is then empty. "@expert__tool" needs nothing after
// it: the tool may take nothing.
func Address(text string) (expert, question string) {
	name, ok := strings.CutPrefix(strings.TrimSpace(text), "@")
	if !ok {
		return "", text
	}
	const between = " \t\n,:"
	i := strings.IndexAny(name, between)
	if i < 0 && strings.Contains(name, "__") {
		return lowerExpert(name), ""
	}
	if i <= 0 {
		return "", text
	}
	if question = strings.TrimLeft(name[i:], between); question == "" {
		return "", text
	}
	return lowerExpert(name[:i]), question
}

// lowerExpert leaves the name of a tool as it is.
func lowerExpert(name string) string {
	expert, tool, typed := strings.Cut(name, "__")
	if !typed {
		return strings.ToLower(name)
	}
	return strings.ToLower(expert) + "__" + tool
}
