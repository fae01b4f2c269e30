package main

import (
	"regexp"
	"strings"

	"github.com/spf13/pflag"

	"github.com/yaap-chat/yaap/core"
)

// roomLine is a command of the chat that is typed for the same room at a shell.
var roomLine = regexp.MustCompile(`/chain (answer \S+ ` + core.AnswerWord + `|resume \S+)`)

// trustLine shows in a chat what an expert has changed.
var trustLine = regexp.MustCompile(`/trust [a-z][\w-]*`)

// atShell is a hint of the chat for somebody at a shell: in place of the slash
// commands it names what does the same there, in a room like this one.
func (p *program) atShell(hint string) string {
	if p.options.lines {
		return hint // they sit in a chat
	}
	hint = regexp.MustCompile("`?/experts restart [^\\s`]+`? (starts it again|brings it back)").ReplaceAllString(hint, "the next yaap run $1")
	hint = regexp.MustCompile(`/experts (shows all|zeigt alle|muestra todos), `).ReplaceAllString(hint, "") // no room is open
	hint = regexp.MustCompile(`(?m)(^|\s)/model($|[\s,]|\.$|\.\s)`).ReplaceAllString(hint, "$1--model$2")   // no path has it
	hint = roomLine.ReplaceAllStringFunc(hint, func(line string) string {
		return "yaap " + strings.Replace(line[1:], "chain answer", "answer", 1) + p.roomFlags()
	})
	hint = trustLine.ReplaceAllStringFunc(hint, func(line string) string { return "yaap trust show " + line[len("/trust "):] + p.dirFlag() })
	return strings.TrimPrefix(strings.NewReplacer(
		" /continue (outside the chat: yaap run --continue)", " yaap run --continue",
		" /continue", " yaap run --continue",
		" /memory shows", " yaap memory show tells",
		" /memory list", " yaap memory list",
		" /sessions lists", " yaap threads list shows",
		" /chain cancel", " yaap chain cancel RUN",
		" /experts login", " yaap experts login",
		" /experts add CMD", " --expert 'NAME=COMMAND ARGS'",
		" /experts add COMMAND", " --expert 'NAME=COMMAND'",
		" /experts add", " --expert 'NAME=COMMAND'",
		" conversation with /new", " conversation with yaap run PROMPT",
		" f2 shows", " f2 in the chat shows",
	).Replace(" "+hint), " ")
}

// dirFlag is the flag that names the directory, after a space, where one was given.
func (p *program) dirFlag() string {
	if p.options.Dir == "" {
		return ""
	}
	return " --dir " + core.QuoteWord(p.options.Dir)
}

// roomFlags are the flags of the command line that make the room what it is,
// quoted for a shell, each after a space.
func (p *program) roomFlags() string {
	if p.flags == nil {
		return ""
	}
	var b strings.Builder
	p.flags.VisitAll(func(f *pflag.Flag) {
		if !f.Changed || f.Name == "thread" { // the run knows its conversation
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, value := range values {
			b.WriteString(" --" + f.Name + " " + core.QuoteWord(value))
		}
	})
	return b.String()
}
