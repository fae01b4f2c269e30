package room

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/store"
)

// Command is a row of the command table. The chat, the shell, the completion and
// the help are made of it.
type Command struct {
	core.Command
	Long  string
	Least int   // arguments that it needs
	Most  int   // arguments that it takes, anyNumber for any
	Where where // the chat and the shell, unless it says
	JSON  bool  // what it says is there for programs, too
	// Stored says that it is about what is stored.
	Stored bool
	// Run does it. A row without one stands for those below it.
	Run func(ctx context.Context, c *Call) (core.Doc, error)
	// Asks reports whether a call asks for an answer, as a prompt does. Nil: never.
	Asks func(c *Call) bool
	// Check refuses a call that asks, before anybody comes into a room for it. It
	// may be nil.
	Check func(c *Call) error
	// Goes is the run that a call goes on with, or part of its id. It may be nil.
	Goes func(c *Call) string
}

const anyNumber = -1

type where uint8

const (
	everywhere where = iota
	inChat
	atShell
)

// Commands are the rows of the table, in the order of the help.
func Commands() []Command {
	return slices.Concat(helpCommands(), expertCommands(), resourceCommands(), branchCommands(), usageCommands(), graphCommands(), []Command{exportCommand()}, authorCommands(), trustCommands(), chainCommands(), memoryCommands(), auditCommands(), threadCommands(), replayCommands(), []Command{inspectCommand(), demoCommand()}, configCommands(), []Command{doctorCommand(), logsCommand()}, roomCommands())
}

// InChat are the commands of the chat.
func InChat() (list []core.Command) {
	for _, c := range Commands() {
		if c.Where != atShell {
			list = append(list, c.Command)
		}
	}
	return list
}

// AtShell reports whether a command is one of the shell.
func (c Command) AtShell() bool { return c.Where != inChat }

// Group is the first word of a command's name, and rest are the others.
func (c Command) Group() (group, rest string) {
	group, rest, _ = strings.Cut(c.Name, " ")
	return group, rest
}

// Call is one use of a command.
type Call struct {
	Config config.Config
	Getenv func(string) string
	Args   []string
	Values map[string]any                       // of flags, as [core.Flag.Default] has them; what is missing has its default
	Thread string                               // the conversation that it is typed in, or that is named at a shell
	Out    io.Writer                            // where a log or an export is written; nil in the chat
	Tell   func(core.Notice)                    // says something before the command is done
	Room   *Room                                // nil: none is open
	Alone  func(context.Context) (*Room, error) // opens one that keeps nothing; nil in the chat
	Cast   Cast                                 // nil: there is nobody who draws
	store  maskedStore
}

// Cast writes a conversation as a terminal of so many columns and rows shows it, as an asciicast.
type Cast func(w io.Writer, s Replay, width, height int) error

func (c *Call) text(flag string) string { s, _ := c.Values[flag].(string); return s }
func (c *Call) is(flag string) bool     { b, _ := c.Values[flag].(bool); return b }
func (c *Call) number(flag string) int  { n, _ := c.Values[flag].(int); return n }

func (c *Call) list(flag string) []string { l, _ := c.Values[flag].([]string); return l }

// rest are the arguments from the i-th on, as one text.
func (c *Call) rest(i int) string { return strings.Join(c.Args[min(i, len(c.Args)):], " ") }

// inChat reports whether it is typed in the chat.
func (c *Call) inChat() bool { return c.Out == nil }

// typed is how a command is typed where this one was.
func (c *Call) typed(command string) string {
	if c.inChat() {
		return "/" + command
	}
	return "yaap " + command
}

// misused refuses a call that lacks something, and says how the command is used.
func (c *Call) misused(command, what string) error {
	hint := "type /" + command
	if !c.inChat() {
		words := strings.TrimRight(command, "ABCDEFGHIJKLMNOPQRSTUVWXYZ ")
		hint = "type yaap " + words + " --help"
	}
	return core.Fail(core.CodeInvalid, what, hint)
}

// Do runs a command that needs no room. It blocks until that is done.
func (c Command) Do(ctx context.Context, call *Call) (doc core.Doc, err error) {
	if !c.Stored {
		return c.Run(ctx, call)
	}
	err = call.stored(ctx, func(ctx context.Context) error {
		doc, err = c.Run(ctx, call)
		return err
	})
	return doc, err
}

// stored does something with what is stored. It opens the store where no room has
// done so.
func (c *Call) stored(ctx context.Context, do func(context.Context) error) error {
	if c.Room != nil {
		return do(ctx)
	}
	return store.With(ctx, c.Config.StateDir, func(ctx context.Context, s *store.Store) error {
		c.store = maskedStore{Store: s, masking: MaskingOf(c.Config.Guard.V)}
		return do(ctx)
	})
}

// In runs a command in a room. It blocks until what it asks for is answered.
func (c Command) In(ctx context.Context, r *Room, call *Call) (core.Doc, error) {
	call.Room, call.store = r, r.store
	return c.Run(ctx, call)
}

// Do runs a slash command. args are its words, the first without the slash.
func (w *Window) Do(ctx context.Context, thread string, args []string) (doc core.Doc, err error) {
	defer func() { err = hinted(err, args) }()
	command, rest, err := find(args)
	if err != nil {
		return core.Doc{}, err
	}
	call := &Call{Config: w.Config, Getenv: w.Getenv, Thread: thread, Cast: w.Cast, Tell: func(n core.Notice) { w.bus.Emit(core.Scope{}, n) }}
	if err := command.read(call, rest); err != nil {
		return core.Doc{}, err
	}
	return command.In(ctx, w.Room, call)
}

// find is the command that most of the words name, and what follows its name.
func find(args []string) (found Command, rest []string, err error) {
	table := Commands()
	first := strings.ToLower(args[0])
	if at := slices.IndexFunc(table, func(c Command) bool { return slices.Contains(c.Aliases, first) }); at >= 0 {
		first = table[at].Name
	}
	args = append([]string{first}, args[1:]...)
	var group []string
	for _, c := range table {
		words := strings.Fields(c.Name)
		if c.Where == atShell || words[0] != args[0] {
			continue
		}
		if len(words) > 1 {
			group = append(group, "/"+c.Name)
		}
		if len(words) <= len(args) && slices.Equal(words, args[:len(words)]) && c.Run != nil && len(words) > len(strings.Fields(found.Name)) {
			found, rest = c, args[len(words):]
		}
	}
	switch {
	case found.Run != nil:
		return found, rest, nil
	case len(group) > 0:
		return found, nil, core.Fail(core.CodeInvalid, "/"+safe.Line(strings.Join(args, " "))+" is no command",
			"type "+strings.Join(group[:len(group)-1], ", ")+" or "+group[len(group)-1])
	}
	return found, nil, core.Fail(core.CodeNotFound, "there is no command /"+safe.Line(args[0]), "type /help")
}

// read takes the flags and the arguments of a command that was typed in the chat.
// What follows the last argument belongs to it.
func (c Command) read(call *Call, words []string) error {
	call.Values = map[string]any{}
	for i := 0; i < len(words); i++ {
		name, value, joined := strings.Cut(strings.TrimPrefix(words[i], "--"), "=")
		at := slices.IndexFunc(c.Flags, func(f core.Flag) bool { return f.Name == name })
		if !strings.HasPrefix(words[i], "--") || at < 0 && c.Most == anyNumber {
			call.Args = append(call.Args, words[i])
			continue
		}
		if at < 0 {
			return c.misused(fmt.Sprintf("/%s knows no --%s", c.Name, safe.Line(name)))
		}
		flag := c.Flags[at]
		if _, isBool := flag.Default.(bool); isBool {
			call.Values[name] = true
			continue
		}
		if !joined {
			if i++; i >= len(words) {
				return c.misused("nothing follows --" + name)
			}
			value = words[i]
		}
		if flag.Words {
			value, i = strings.Join(append([]string{value}, words[i+1:]...), " "), len(words)
		}
		switch flag.Default.(type) {
		case int:
			n, err := strconv.Atoi(value)
			if err != nil || n < 0 {
				return c.misused(fmt.Sprintf("%q is no number for --%s", safe.Line(value), name))
			}
			call.Values[name] = n
		case []string:
			call.Values[name] = append(call.list(name), value)
		default:
			call.Values[name] = value
		}
	}
	for _, f := range c.Flags {
		if _, said := call.Values[f.Name]; !said {
			call.Values[f.Name] = f.Default
		}
	}
	if n := len(call.Args); n < c.Least || c.Most >= 0 && n > c.Most {
		return c.misused("/" + c.Name + " takes " + cmp.Or(c.Args, "nothing after it"))
	}
	return nil
}

func (c Command) misused(what string) error {
	hint := "type /" + strings.TrimSpace(c.Name+" "+c.Args)
	for _, f := range c.Flags {
		hint += " [--" + f.Name + "]"
	}
	return core.Fail(core.CodeInvalid, what, hint)
}
