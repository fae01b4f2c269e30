package room

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/author"
	"github.com/yaap-chat/yaap/core/safe"
)

// authorCommands are for those who write experts.
func authorCommands() []Command {
	return []Command{
		{Command: core.Command{Name: "expert", Does: "write an expert, check it, try it"}, Where: atShell},
		{
			Command: core.Command{Name: "expert new", Args: "NAME", Does: "write a first expert, to be changed", Flags: []core.Flag{
				{Name: "lang", Default: "python", Does: "python, typescript (Node.js 22.18 or later), javascript, go or sh"},
			}},
			Long:  "It is one file in this directory, and runs as it is.",
			Least: 1, Most: 1, Where: atShell, Run: newExpert,
		},
		{
			Command: core.Command{Name: "expert check", Args: "-- COMMAND ARGS", Does: "test an expert as a room uses it, and say what to fix", Flags: []core.Flag{waitFlag()}},
			Long: "It says hello, lists the tools, asks for bids on the examples and on nonsense, calls, cancels, sends 50 requests at once, and closes the input. " +
				"The exit code is 1 where there is a fault.",
			Least: 1, Most: anyNumber, Where: atShell, Run: checkExpert,
		},
		{
			Command: core.Command{Name: "expert try", Args: "QUESTION -- COMMAND ARGS", Does: "put a question to an expert alone", Flags: []core.Flag{waitFlag()}},
			Least:   2, Most: anyNumber, Where: atShell, Run: tryExpert,
		},
	}
}

func waitFlag() core.Flag {
	return core.Flag{Name: "wait", Default: 15, Does: "seconds for an answer"}
}

func (c *Call) wait() time.Duration { return time.Duration(max(c.number("wait"), 1)) * time.Second }

func newExpert(_ context.Context, c *Call) (core.Doc, error) {
	made, err := author.New(c.Config.Dir, c.Args[0], c.text("lang"))
	if err != nil {
		return core.Doc{}, err
	}
	command := core.JoinWords(made.Command)
	return core.Say(core.Block, fmt.Sprintf("%s is written. Next:\n\n  yaap expert check -- %s\n  yaap expert try %q -- %s\n  /experts add %s        (in the chat; --keep lists it for good)\n",
		made.File, command, made.Question, command, command)), nil
}

func checkExpert(ctx context.Context, c *Call) (core.Doc, error) {
	findings, err := author.Check(ctx, c.Args, c.Config.Dir, c.wait())
	if err != nil {
		return core.Doc{}, err
	}
	var b strings.Builder
	var doc core.Doc
	for _, f := range findings {
		fmt.Fprintf(&b, "%-8s%s\n", f.Level, f.Text)
		if f.Fix != "" {
			fmt.Fprintf(&b, "        fix: %s\n", f.Fix)
		}
		doc.Failed = doc.Failed || f.Level == author.Fault
	}
	doc.Parts = []core.Part{{Kind: core.Block, Text: strings.TrimSuffix(b.String(), "\n")}}
	return doc, nil
}

func tryExpert(ctx context.Context, c *Call) (core.Doc, error) {
	tried, err := author.Try(ctx, c.Args[1:], c.Config.Dir, c.Args[0], c.wait())
	if err != nil {
		return core.Doc{}, err
	}
	var doc core.Doc
	if tried.Bid != nil {
		doc.Remark(fmt.Sprintf("it bids %.2f: %s", tried.Bid.Score, safe.Line(tried.Bid.Reads)))
	}
	if tried.Status != "" {
		doc.Remark("status: " + safe.Line(tried.Status))
	}
	doc.Parts = append(doc.Parts, core.Part{Kind: core.Block, Text: safe.Text(tried.Answer)})
	doc.Failed = tried.Failed
	return doc, nil
}
