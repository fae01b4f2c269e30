// Package agent answers prompts with a model and tools, in turns.
//
// A turn is one answer of the model and the calls it asks for. The tools are
// taken anew before every turn, so what joins the room in turn 1 is callable
// in turn 2. Calls of one turn run at the same time; the model sees their
// results in the order it asked for them. The final answer is an SACP reply.
//
// Every step (what the model said, the result of a call, the answer) is on disk
// before the next one begins, together with its events. A run that was cut off
// is resumed by calling [Agent.Run] again with the same run: finished
// calls are not made again.
//
// A failing tool is an answer to the model, not an end of the run; a panicking
// or deaf one is abandoned. The user's cancel ends a run at once.
package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hook"
	"github.com/yaap-chat/yaap/core/llm"
)

// Config is what an agent is made of. Model, Journal and Sink are required.
type Config struct {
	Name      string           // default "yaap"
	Prompt    string           // its own instructions, before the protocol's
	Project   func() string    // instructions of the place where it works, for the next run; may be nil
	Model     llm.Model        // may be nil when ModelFor is set
	ModelFor  func() llm.Model // the model of the next run; default: always Model
	Fallbacks []llm.Model      // who answers, in order, when the model fails for good
	Tools     core.Toolbox     // may be nil
	Rank      Rank             // chooses what a model sees of more than 24 tools; nil: it sees them all
	Peers     func() []Peer    // whom the next run may be handed to; may be nil
	Journal   core.Journal
	Sink      core.Sink
	Limits
	Backoff   llm.Backoff // for failed requests to the model
	Approvals Approvals   // may be nil: nothing has to be allowed
	Guards    Guards
	// DataSchema is what the data of a success have to fit. Data that do not are asked for
	// once more, and then the answer is a failure; empty: all fit.
	DataSchema json.RawMessage
	Plain      bool           // it answers in plain words, and is not told the response format
	Cites      bool           // an answer has to cite the sources that were found
	Todo       bool           // a model may keep a list of what it has to do
	Hooks      *hook.Set      // commands of the user; may be nil
	Clarify    bool           // a model may ask the user while its run goes on
	Exchanges  *llm.Exchanges // keeps what models were asked and answered; may be nil
	// Summing is the prompt by which a model sums up the beginning of a conversation that is
	// longer than it reads; empty: the program tells of it in lines.
	Summing string
	// Keep puts on disk a result that is too long for a model; nil: it is only cut.
	Keep func(name, kind string, data []byte) (core.File, error)
	Now  func() time.Time
	Log  *slog.Logger // late results of abandoned calls; default discards
}

// Limits bound a run.
type Limits struct {
	MaxTurns    int           // default 10
	MaxParallel int           // calls of one turn at the same time; default 4
	ToolTimeout time.Duration // for tools that set none; default 60 s
	ReAsks      int           // how often an unreadable answer is asked for again; default 1, negative never
}

// Agent is a [core.Runner]. It may run any number of prompts at the same time.
type Agent struct {
	cfg     Config
	schemas schemas
	sums    summaries
}

var _ core.Runner = (*Agent)(nil)

const (
	defaultMaxTurns    = 10
	defaultMaxParallel = 4
	defaultToolTimeout = 60 * time.Second
)

// New returns an agent. It starts nothing.
func New(cfg Config) *Agent {
	cfg.Name = cmp.Or(cfg.Name, "yaap")
	if cfg.ModelFor == nil {
		model := cfg.Model
		cfg.ModelFor = func() llm.Model { return model }
	}
	if cfg.Tools == nil {
		cfg.Tools = nobody{}
	}
	if cfg.MaxTurns <= 0 {
		cfg.MaxTurns = defaultMaxTurns
	}
	if cfg.MaxParallel <= 0 {
		cfg.MaxParallel = defaultMaxParallel
	}
	if cfg.ToolTimeout <= 0 {
		cfg.ToolTimeout = defaultToolTimeout
	}
	cfg.ReAsks = cmp.Or(cfg.ReAsks, 1)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	return &Agent{cfg: cfg}
}

type nobody struct{}

func (nobody) Tools() core.Toolset { return core.Toolset{} }

// Run implements [core.Runner]. Errors are [core.Error]s: CodeMaxTurns and
// CodeTurnLimit beside a reply that can be shown, CodeStopped when the user
// let the running calls finish, CodeCancelled, or what the model failed with.
func (a *Agent) Run(ctx context.Context, in core.Input) (core.Result, error) {
	in.Agent = a.cfg.Name
	r := &run{
		steps: newSteps(withNodeOptions(a.cfg, in.NodeOptions), in.Scope, "agent/"+a.cfg.Name), schemas: &a.schemas, summaries: &a.sums,
		ownModel: a.cfg.ModelFor(), began: a.cfg.Now(), streamed: map[string]*strings.Builder{},
	}
	for _, m := range a.cfg.Fallbacks {
		if m.Name() != r.ownModel.Name() { // which would have failed already
			r.fallbacks = append(r.fallbacks, m)
		}
	}
	if r.cfg.Project != nil {
		r.project = r.cfg.Project()
	}
	if r.own = r.cfg; r.own.Peers != nil {
		r.peers = slices.Clone(r.own.Peers())
	}
	r.become()
	return r.conduct(counted(ctx), in, func(ctx context.Context) (answer, error) { return r.loop(ctx, in) })
}
