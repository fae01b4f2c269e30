package room

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/chain"
	"github.com/yaap-chat/yaap/core/diagram"
	"github.com/yaap-chat/yaap/core/orchestrator"
	"github.com/yaap-chat/yaap/core/runlog"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/text"
	"github.com/yaap-chat/yaap/core/userfile"
)

func chainCommands() []Command {
	always := func(*Call) bool { return true }
	const name, run = "NAME", "RUN"
	migrate := core.Flag{Name: "migrate", Default: false, Does: "resume although the file of the chain has changed"}
	return []Command{
		{
			Command: core.Command{Name: "chain", Aliases: []string{"chains"}, Does: "run a chain, draw one, see what waits for you"},
			Long: "A chain is a file: a graph of agents, experts and functions in which one's reply\n" +
				"decides where the work goes next. NAME is the path of a file, or a name: of a file\n" +
				"in chains/ of the configuration directory, or of one that is built in.",
		},
		{
			Command: core.Command{Name: "chain run", Args: name + " [INPUT=VALUE...]", Does: "run a chain", Prompt: true, Flags: []core.Flag{
				{Name: "record", Default: "", Does: "record the run in a new file, for yaap replay"},
			}},
			Least: 1, Most: anyNumber, Asks: always, Check: checkInputs, Run: runChain,
		},
		{Command: core.Command{Name: "chain list", Does: "the chains that have a name"}, Run: listChains},
		{
			Command: core.Command{Name: "chain show", Args: name, Does: "draw a chain", Flags: []core.Flag{
				{Name: "mermaid", Default: false, Does: "as Mermaid"},
				{Name: "dot", Default: false, Does: "as Graphviz DOT"},
				{Name: "svg", Default: false, Does: "as a picture, SVG"},
				{Name: "ascii", Default: false, Does: "as text"},
				{Name: "sequence", Default: false, Does: "the run as a Mermaid sequence diagram"},
				{Name: "run", Default: "", Does: "a run, as yaap chain runs lists them"},
				{Name: "width", Default: 0, Does: "columns of the text"},
			}},
			Long: "Draw a chain, or with --run what a run of one has done: as text (--ascii, the default),\n" +
				"as a picture (--svg), as --mermaid, as Graphviz --dot, or as a --sequence diagram of the\n" +
				"run.",
			Most: 1, Run: showChain,
		},
		{Command: core.Command{Name: "chain check", Args: name, Does: "say everything that is wrong with a chain"}, Least: 1, Most: 1, Run: checkChain},
		{
			Command: core.Command{Name: "chain plan", Args: name + " [INPUT=VALUE...]", Does: "run a chain with canned replies and show the path", Flags: []core.Flag{
				{Name: "mock", Default: "", Does: "the file of canned replies"},
			}},
			Long: "Run a chain with canned replies: nobody is asked and nothing is kept. The fixtures are\n" +
				"YAML or JSON, from node to a reply or a list of replies. Exit codes as yaap run.",
			Least: 1, Most: anyNumber, Run: planChain,
		},
		{
			Command: core.Command{Name: "chain schema", Does: "the JSON Schema of the file format, for editors"}, Where: atShell,
			Run: func(context.Context, *Call) (core.Doc, error) {
				return core.Say(core.Block, string(chain.Schema())), nil
			},
		},
		{
			Command: core.Command{Name: "chain runs", Does: "what waits for you, and the runs of chains, the newest first", Flags: []core.Flag{
				{Name: "limit", Default: 20, Does: "how many"},
			}},
			Stored: true, Run: listRuns,
		},
		answerCommand("chain answer"),
		{
			Command: core.Command{Name: "chain resume", Args: run, Does: "go on with a run that was cut off, or at the node that failed", Flags: []core.Flag{migrate}},
			Least:   1, Most: 1, Asks: always, Goes: runOf, Run: resumeRun,
		},
		{
			Command: core.Command{Name: "chain fork", Args: run, Does: "start another run from a step of one", Flags: []core.Flag{
				{Name: "at", Default: 0, Does: "the last step to copy"},
				{Name: "set", Default: []string(nil), Does: "a change: NODE.data.KEY=VALUE or input.NAME=VALUE (may be repeated)"},
			}},
			Long: "Start another run from a step of one: what was done up to that step is taken over, with\n" +
				"what --set changes; what comes after is done again. --set takes input.NAME=VALUE and\n" +
				"NODE.data.KEY=VALUE. Without --at the steps are listed.",
			Least: 1, Most: 1, Stored: true, Asks: func(c *Call) bool { return c.number("at") > 0 }, Run: forkRun,
		},
		{
			Command: core.Command{Name: "chain cancel", Args: "[RUN]", Does: "give up a run that waits or was cut off; in the chat the one that waits there"},
			Most:    1, Stored: true, Run: cancelRun,
		},
	}
}

// checkInputs refuses a chain that cannot run, or not with these inputs.
func checkInputs(c *Call) error {
	found, _, _, err := readChain(c.Config, c.Args[0])
	if err == nil {
		_, err = readArgs(found, c.Args[1:])
	}
	return err
}

func runChain(ctx context.Context, c *Call) (core.Doc, error) {
	result, err := c.Room.startChain(ctx, core.Scope{Thread: c.Thread}, "/chain run "+c.rest(0), c.Args[0], c.Args[1:])
	return core.Doc{Result: &result}, err
}

func listChains(_ context.Context, c *Call) (core.Doc, error) {
	list := core.Part{Kind: core.Table, Head: []string{"chain", "what it does", "inputs"}}
	for _, name := range chainNames(c.Config) {
		row := []string{name, "has faults: " + c.typed("chain check "+name), ""}
		if found, _, _, err := readChain(c.Config, name); err == nil {
			row = []string{name, found.Spec.Description, found.Usage()}
		}
		list.Rows = append(list.Rows, row)
	}
	return core.Doc{Parts: []core.Part{list}}, nil
}

func showChain(ctx context.Context, c *Call) (core.Doc, error) {
	run, formats := c.text("run"), 0
	for _, format := range []string{"svg", "mermaid", "dot", "ascii", "sequence"} {
		if c.is(format) {
			formats++
		}
	}
	wrong := ""
	switch {
	case run == "" && len(c.Args) == 0:
		wrong = "name a chain, or a run with --run"
	case formats > 1:
		wrong = "choose one of --ascii, --svg, --mermaid, --dot and --sequence"
	case c.is("sequence") && run == "":
		wrong = "a sequence diagram is of a run: --run RUN"
	}
	if wrong != "" {
		return core.Doc{}, c.misused("chain show NAME", wrong)
	}
	g, events, err := c.graph(ctx, run)
	if err != nil {
		return core.Doc{}, err
	}
	width := cmp.Or(c.number("width"), map[bool]int{true: blockWidth, false: 80}[c.inChat()])
	if c.is("sequence") {
		return core.Say(core.Block, diagram.SequenceMermaid(events)), nil
	}
	doc := c.drawn(g, width)
	if problem := failure(events); problem != "" {
		doc.Remark("The run ended: " + problem)
	}
	return doc, nil
}

// failure is why the run of these events has failed, where it has not gone on since.
func failure(events []core.Event) string {
	for _, e := range slices.Backward(events) {
		switch b := e.Body.(type) {
		case core.RunStart:
			if e.Depth == 0 {
				return ""
			}
		case core.RunEnd:
			if e.Depth == 0 {
				return safe.Line(b.Error)
			}
		default:
		}
	}
	return ""
}

// graph is that of a chain, or, with what it has done, that of a run.
func (c *Call) graph(ctx context.Context, run string) (g diagram.Graph, events []core.Event, err error) {
	if run == "" {
		found, _, _, err := readChain(c.Config, c.Args[0])
		if err != nil {
			return g, nil, err
		}
		return graphOf(found.Spec), nil, nil
	}
	err = c.stored(ctx, func(ctx context.Context) error {
		row, err := c.namedRun(ctx, run)
		if err != nil {
			return err
		}
		if events, err = c.store.RunEvents(ctx, row.ID); err != nil {
			return err
		}
		if g, err = writtenGraph(c.Config, row.Runner); err != nil {
			return err
		}
		if ran := runlog.Read(events, nil).Run(row.ID); ran != nil {
			g = ran.Graph(g, time.Now())
		}
		return nil
	})
	return g, events, err
}

func checkChain(_ context.Context, c *Call) (doc core.Doc, err error) {
	found, src, faults, err := readChain(c.Config, c.Args[0])
	if len(faults) > 0 {
		doc = core.Say(core.Fault, chain.Faults(src.path, faults, src.text))
	}
	switch {
	case found == nil && len(faults) > 0:
		doc.Failed = true
		return doc, nil
	case err != nil:
		return doc, err
	}
	said := fmt.Sprintf("%s: %s, %s, no faults", safe.Line(src.path), text.Count(len(found.Spec.Nodes), "node", "nodes"), text.Count(len(found.Spec.Edges), "edge", "edges"))
	doc.Parts = append(doc.Parts, core.Part{Text: said})
	return doc, nil
}

// planChain is a dry run.
func planChain(ctx context.Context, c *Call) (core.Doc, error) {
	found, _, _, err := readChain(c.Config, c.Args[0])
	if err != nil {
		return core.Doc{}, err
	}
	args, err := readArgs(found, c.Args[1:])
	if err != nil {
		return core.Doc{}, err
	}
	canned, err := readFixtures(c.text("mock"))
	if err == nil {
		err = canned.Fit(found.Spec)
	}
	if err != nil {
		return core.Doc{}, core.Fail(core.CodeInvalid, "the canned replies cannot be used", "--mock FILE is YAML or JSON, such as: NODE: {message: done, data: {x: 1}}").Because(err)
	}
	bus := new(maskedBus)
	feed := bus.Feed()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	runner := found.Runner(chain.Config{Journal: core.DiscardJournal{}, Sink: bus, Lookup: canned.Lookup(stop), Answer: func(node string, asked core.Reply) (core.Reply, error) {
		reply, err := canned.Answer(node, asked)
		if err != nil {
			stop(err)
		}
		return reply, err
	}})
	result, err := runner.Run(ctx, core.Input{Scope: core.Scope{Run: "plan", Trace: "plan"}, Args: args})
	var lines []string
	for _, e := range feed.Pending() {
		if e.Run == "plan" {
			lines = append(lines, planLines(e.Body)...)
		}
	}
	if cause := context.Cause(ctx); core.CodeOf(cause) == core.CodeInvalid {
		err = cause
	}
	if err != nil {
		return core.Say(core.Block, strings.Join(lines, "\n")), err
	}
	doc := core.Say(core.Block, strings.Join(append(lines, "= "+safe.Text(result.Reply.Message)), "\n"))
	doc.Result = &result
	return doc, nil
}

func readFixtures(path string) (*chain.Fixtures, error) {
	if path == "" {
		return chain.ReadFixtures(nil)
	}
	src, err := userfile.Read(path, maxChainFile)
	if err != nil {
		return nil, err
	}
	return chain.ReadFixtures(src)
}

// planLines are what a person wants to see of an event of a chain.
func planLines(b core.Body) []string {
	switch b := b.(type) {
	case core.NodeStart:
		line := safe.Sprintf("● %s", b.Node)
		if b.Visit > 1 || b.Attempt > 1 {
			line += fmt.Sprintf(" (visit %d, attempt %d)", b.Visit, b.Attempt)
		}
		return []string{strings.TrimRight(line+safe.Sprintf(" %s", b.Input), " ")}
	case core.NodeEnd:
		line := strings.TrimSpace(safe.Sprintf("%s %s", b.State, b.Status)) // what was cancelled has no status
		if b.Error != "" {
			line += safe.Sprintf(": %s", b.Error)
		}
		return []string{strings.TrimRight("  "+line+safe.Sprintf(" %s", b.Data), " ")}
	case core.EdgeTaken:
		sign := "→"
		if !b.Taken {
			sign = "⤫"
		}
		line := safe.Sprintf("%s %s", sign, b.To)
		if b.Condition != "" {
			line += safe.Sprintf(" %s", b.Condition)
		}
		for _, path := range slices.Sorted(maps.Keys(b.Values)) {
			line += safe.Sprintf(" [%s = %s]", path, safe.JSON(asJSON(b.Values[path])))
		}
		if b.Problem != "" {
			line += safe.Sprintf(" ! %s", b.Problem)
		}
		return []string{"  " + line}
	case core.ChainPaused:
		lines := []string{"? " + safe.Line(b.Pause.Question)}
		for i, option := range b.Pause.Options {
			lines = append(lines, fmt.Sprintf("  %d  %s", i+1, safe.Line(option.Label)))
		}
		return lines
	default:
		return nil
	}
}

func asJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(raw)
}

func listRuns(ctx context.Context, c *Call) (core.Doc, error) {
	runs, err := chainRuns(ctx, c.store.Store, c.number("limit"))
	switch {
	case err != nil:
		return core.Doc{}, err
	case c.inChat() && len(runs) == 0:
		return core.Say(core.Markdown, "No chain has run yet."), nil
	case c.inChat():
		return core.Say(core.Markdown, runLines(runs)), nil
	}
	list := core.Part{Kind: core.Table, Head: []string{"run", "at", "chain", "state"}}
	for _, run := range runs {
		list.Rows = append(list.Rows, []string{run.name(), run.Time.Local().Format(time.DateTime), strings.TrimPrefix(run.Runner, "chain/"), safe.Cut(safe.Line(run.state), 80)})
	}
	return core.Doc{Parts: []core.Part{list}}, nil
}

// runLines lists runs as Markdown: in a table their ids would leave no room for
// what one can tell them by.
func runLines(runs []chainRow) string {
	var s strings.Builder
	for _, run := range runs {
		fmt.Fprintf(&s, "- %s  **%s** %s  `%s`\n", run.Time.Local().Format("02 Jan 15:04"), safe.Line(run.called()), safe.Cut(safe.Line(run.state), 60), run.short())
	}
	return s.String()
}

// answerRun answers a question of a run, or the only one that it asks, and goes
// on with it.
func answerRun(ctx context.Context, c *Call) (core.Doc, error) {
	id, question, _ := strings.Cut(c.Args[0], ":")
	run, err := c.namedRun(ctx, id)
	if err != nil {
		return core.Doc{}, err
	}
	pause, err := c.Room.chat.Question(ctx, run, question)
	if err != nil {
		return core.Doc{Thread: run.Thread}, err
	}
	text := c.rest(1)
	if strings.TrimSpace(text) == core.AnswerWord {
		return core.Doc{}, core.Fail(core.CodeInvalid, "put your answer in the place of "+core.AnswerWord, "it is asked: "+safe.Line(pause.Question))
	}
	result, err := c.Room.chat.Answer(ctx, core.Answer{Pause: pause.ID, Text: text})
	return core.Doc{Result: &result, Thread: run.Thread}, err
}

func resumeRun(ctx context.Context, c *Call) (core.Doc, error) {
	run, err := c.namedRun(ctx, c.Args[0])
	if err != nil {
		return core.Doc{}, err
	}
	if run.State == core.RunCompleted {
		return core.Doc{}, core.Fail(core.CodeNotFound, "this run has ended: there is nothing to go on with", "do a part of it again with "+c.typed("chain fork "+run.ID))
	}
	result, err := c.Room.chat.Resume(ctx, run)
	return core.Doc{Result: &result, Thread: run.Thread}, err
}

// forkRun starts another run from a step of one. Without a step it lists them.
func forkRun(ctx context.Context, c *Call) (core.Doc, error) {
	at, sets := c.number("at"), c.list("set")
	if at == 0 && len(sets) > 0 {
		return core.Doc{}, core.Fail(core.CodeInvalid, "--set changes what a step came to: say with --at up to which step the run is taken over",
			c.typed("chain fork "+c.Args[0])+" lists the steps")
	}
	run, err := c.namedRun(ctx, c.Args[0])
	if err != nil {
		return core.Doc{}, err
	}
	saved, err := c.store.Load(ctx, run.ID)
	if err != nil {
		return core.Doc{}, err
	}
	if at == 0 {
		return steps(saved, c.typed("chain fork "+run.ID+" --at STEP --set NODE.data.KEY=VALUE"))
	}
	from, err := chain.Fork(saved, at, sets)
	if err != nil {
		return core.Doc{}, err
	}
	result, err := c.Room.chat.StartFrom(ctx, c.Thread, run.Runner, fmt.Sprintf("/chain fork %s at step %d %s", run.ID, at, strings.Join(sets, " ")), from)
	return core.Doc{Result: &result}, err
}

// steps lists the steps of a run, and how it is forked at one.
func steps(saved core.Saved, fork string) (core.Doc, error) {
	all, err := chain.Steps(saved)
	if err != nil {
		return core.Doc{}, err
	}
	list := core.Part{Kind: core.Table, Head: []string{"step", "what"}}
	for i, step := range all {
		list.Rows = append(list.Rows, []string{strconv.Itoa(i + 1), safe.Cut(safe.Line(step), 100)})
	}
	return core.Doc{Parts: []core.Part{list, {Kind: core.Remark, Text: "Fork it with `" + fork + "`."}}}, nil
}

// cancelRun gives up a run, in the chat without an id the one that waits there.
func cancelRun(ctx context.Context, c *Call) (core.Doc, error) {
	id := strings.Join(c.Args, "")
	if id == "" {
		if !c.inChat() {
			return core.Doc{}, c.misused("chain cancel RUN", "yaap chain cancel takes RUN")
		}
		pauses, err := c.Room.chat.Waiting(ctx, c.Thread)
		if err != nil {
			return core.Doc{}, err
		}
		if len(pauses) == 0 {
			return core.Doc{}, core.Fail(core.CodeNotFound, "no run waits for you here", "esc stops one that runs; /chain runs lists them")
		}
		id = pauses[0].Root
	}
	run, err := c.namedRun(ctx, id)
	if err != nil {
		return core.Doc{}, err
	}
	sink := core.Sink(new(maskedBus))
	if c.Room != nil {
		sink = c.Room.bus
	}
	if err := orchestrator.GiveUp(ctx, c.store, sink, run, c.typed("chain runs")); err != nil {
		return core.Doc{}, err
	}
	return core.Say(core.Markdown, "The run was given up."), nil
}

// runOf is the run that the first argument names, maybe with a question of it.
func runOf(c *Call) string {
	id, _, _ := strings.Cut(c.Args[0], ":")
	return id
}

// answerCommand answers what any run asks; as "answer" it is found by who has no chain in
// mind.
func answerCommand(name string) Command {
	return Command{
		Command: core.Command{Name: name, Args: "RUN[:QUESTION] ANSWER", Does: "answer what a run asks, and go on with it"},
		Long: "Answer what a run asks, and go on with it. A run that asks one thing needs no QUESTION;\n" +
			"yaap chain runs shows those of one that asks several. ANSWER is what you say, or the\n" +
			"number of an option.",
		Least: 2, Most: anyNumber, Asks: func(*Call) bool { return true }, Goes: runOf, Run: answerRun,
	}
}
