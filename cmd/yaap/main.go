// Command yaap is a chat room in the terminal where experts come and go.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/room"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/tui"
)

// Exit codes of yaap run; other commands use the first three and 130.
const (
	exitAnswered      = 0
	exitFailed        = 1
	exitUsage         = 2
	exitNoModel       = 3
	exitTurnLimit     = 4
	exitClarification = 5
	exitCancelled     = 130
)

const exitCodes = "Exit codes: 0 answered, 1 failed, 2 usage or configuration, or no run, conversation\n" +
	"or chain of that name, 3 no model that answers, 4 turn limit, 5 clarification or\n" +
	"permission needed, 130 cancelled."

func main() {
	os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Main runs yaap and returns its exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop) // a second one ends the program at once
	p := &program{stdin: stdin, stdout: stdout, env: getenv}
	p.stderr = room.MaskedErrors{Writer: stderr, Masking: &p.masking}
	cmd := p.command()
	cmd.SetArgs(args)
	cmd.SetOut(stdout)
	cmd.SetErr(p.stderr)
	err := cmd.ExecuteContext(ctx)
	if err == nil {
		return exitAnswered
	}
	var status exitStatus
	if !errors.As(err, &status) {
		status = exitStatus{code: exitCode(err)}
		p.complain(err)
	}
	return status.code
}

// getenv is [os.Getenv], with the names that Unix has for the directories of the user.
func getenv(name string) string {
	value := os.Getenv(name)
	if runtime.GOOS == "windows" && value == "" {
		value = os.Getenv(map[string]string{"HOME": "USERPROFILE", "TMPDIR": "TEMP"}[name])
	}
	return value
}

// program is what every command has at hand.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            func(string) string
	options        options
	flags          *pflag.FlagSet // that say which room it is; nil before there is a command line
	masking        room.Masking   // of what is said; that of the configuration once it is read
	terminal       tui.Options    // its input, output and size; zero: those of the process
}

// exitStatus ends the program with a code when everything has been said.
type exitStatus struct{ code int }

func (e exitStatus) Error() string { return fmt.Sprint("exit status ", e.code) }

func exitCode(err error) int {
	switch core.CodeOf(err) {
	case "":
		return exitAnswered
	case core.CodeInvalid:
		return exitUsage
	case core.CodeNoModel, core.CodeUnreachable:
		return exitNoModel
	case core.CodeTurnLimit, core.CodeMaxTurns:
		return exitTurnLimit
	case core.CodeCancelled:
		return exitCancelled
	}
	return exitFailed
}

// complain says what failed and what to do next.
func (p *program) complain(err error) {
	lines := strings.Split(safe.Text(err.Error()), "\n") // several things may have failed of one cause
	say(p.stderr, "yaap: "+strings.Join(slices.Compact(lines), "\n"))
	p.advise(core.HintOf(err))
}

// advise prints a hint below what was said, if there is one.
func (p *program) advise(hint string) {
	if hint = strings.TrimSpace(safe.Text(hint)); hint != "" {
		say(p.stderr, "      "+strings.ReplaceAll(p.atShell(hint), "\n", "\n      "))
	}
}

// say prints a line. Where it cannot be printed there is nobody to tell.
func say(w io.Writer, line string) { _, _ = fmt.Fprintln(w, line) }

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}

// build is the version with the commit that it was built from, where that is known.
func build() string {
	words := []string{version()}
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return words[0]
	}
	said := map[string]string{}
	for _, s := range info.Settings {
		said[s.Key] = s.Value
	}
	if commit := said["vcs.revision"]; commit != "" {
		words = append(words, "commit "+commit[:min(12, len(commit))])
		if said["vcs.modified"] == "true" {
			words = append(words, "with changes")
		}
	}
	return strings.Join(append(words, info.GoVersion, runtime.GOOS+"/"+runtime.GOARCH), ", ")
}

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "The version, and the commit that it was built from", Args: misuse(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error { return p.write("yaap " + build()) },
	}
}

// command is the command line.
func (p *program) command() *cobra.Command {
	plain := false
	root := &cobra.Command{
		Use:   "yaap",
		Short: "A chat room in the terminal where experts come and go",
		Long: "A chat room in the terminal where experts come and go.\n\n" +
			"Experts are small programs that say who they are and answer questions. They join\n" +
			"while you talk and are used at once; type /experts add CMD to bring one in.\n\n" + exitCodes,
		Example:       "  yaap                             open the chat\n  yaap \"what is 12% of 840?\"       answer one question\n  git diff | yaap \"review this\"    with what is piped in, for a model",
		Args:          p.shortForm,
		SilenceErrors: true, SilenceUsage: true,
		Version: build(),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && (plain || p.env("TERM") == "dumb"):
				return p.plain(cmd.Context())
			case len(args) == 0:
				return p.chat(cmd.Context())
			}
			return p.runPrompt(cmd.Context(), args[0])
		},
	}
	root.SetFlagErrorFunc(usageOf)
	p.flags = root.PersistentFlags()
	p.options.register(p.flags)
	p.options.registerRoom(root.Flags())
	p.registerRun(root)
	root.Flags().BoolVarP(&p.options.goOn, "continue", "c", false, "go on with the last conversation")
	root.Flags().BoolVar(&plain, "plain", false, "a chat in lines, for screen readers and for terminals that draw nothing")
	root.Flags().StringVar(&p.options.Theme, "theme", "", "the colours of the chat: auto, light or dark")
	root.Flags().BoolVar(&p.options.Inline, "inline", false, "leave what was said in the terminal's scrollback, and the mouse to it")
	root.Flags().BoolVar(&p.options.calm, "reduced-motion", false, "draw nothing that moves by itself")
	root.SuggestionsMinimumDistance = 2
	root.SetHelpCommand(p.helpCommand())
	table := p.tableCommands()
	named := func(name string) *cobra.Command {
		return table[slices.IndexFunc(table, func(c *cobra.Command) bool { return c.Name() == name })]
	}
	p.beExpert(named("expert"))
	p.showAgain(named("replay"))
	p.lookInside(named("inspect"))
	p.showDemo(named("demo"))
	root.AddCommand(table...)
	root.AddCommand(p.runCommand(), p.benchCommand(), p.mcpCommand(), p.serveCommand(), p.joinCommand(), p.roomsCommand(), p.wireCommand(), p.guardCommand(), p.manCommand(), p.versionCommand())
	group(root)
	p.complete(root)
	return root
}

// shortForm takes a prompt in place of a command. One word is refused: it is more likely
// a command that is written otherwise.
func (p *program) shortForm(cmd *cobra.Command, args []string) error {
	if len(args) == 0 || len(args) == 1 && len(strings.Fields(args[0])) > 1 {
		return nil
	}
	word := safe.Line(args[0])
	hint := "type yaap --help; to ask, put the question in quotes: " + `yaap "what is 12% of 840?"`
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean yaap " + strings.Join(near, " or yaap ") + "? To ask it, type yaap run " + core.QuoteWord(strings.Join(args, " "))
	}
	if strings.TrimSpace(word) == "" {
		return usageHint(errors.New("there is no question"), hintRun)
	}
	return usageHint(fmt.Errorf("unknown command %q", word), hint)
}

// misuse makes what args refuses a usage error.
func misuse(args cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error {
		err := args(cmd, given)
		if err == nil {
			return nil
		}
		if _, takes, ok := strings.Cut(cmd.Use, " "); ok {
			err = fmt.Errorf("%s takes %s", cmd.CommandPath(), takes)
		}
		return usageOf(cmd, err)
	}
}

// usageOf is a usage error of cmd.
func usageOf(cmd *cobra.Command, err error) error {
	return usageHint(err, "type "+cmd.CommandPath()+" --help")
}

// noNumber is how the standard library tells that something is no number.
var noNumber = regexp.MustCompile(`strconv\.Parse(?:Int|Uint|Float): parsing ("[^"]*"): (?:invalid syntax|value out of range)`)

func usageHint(err error, hint string) error {
	return core.Fail(core.CodeInvalid, noNumber.ReplaceAllString(err.Error(), "$1 is no number"), hint)
}
