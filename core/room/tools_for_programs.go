package room

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/diagram"
	"github.com/yaap-chat/yaap/core/hook"
	"github.com/yaap-chat/yaap/core/hub/server"
	"github.com/yaap-chat/yaap/core/memory"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	outsideThread = "programs" // in which what programs may call is allowed
	maxDepth      = 3          // of calls that experts make through the room
	outsideRuns   = 50         // runs that programs see
	expertsURI    = "yaap://experts"
	memoryURI     = "yaap://memory"
	entriesURI    = "yaap://memory/entries"
	graphURI      = "memory://knowledge-graph"
)

// outside is a tool of an expert as other programs call it: what may change
// something is asked about first.
type outside struct {
	core.Tool
	room *Room
}

// toolsForPrograms are those of the experts in the room.
func (r *Room) toolsForPrograms() []core.Tool {
	all := r.hub.Tools().Tools
	list := make([]core.Tool, len(all))
	for i, t := range all {
		list[i] = outside{t, r}
	}
	return list
}

// Call implements [core.Tool].
func (o outside) Call(ctx context.Context, c core.Call) (core.ToolResult, error) {
	spec := o.Spec()
	c.Scope.Thread, c.Scope.Depth = outsideThread, max(c.Scope.Depth, o.room.hub.Depth()+1)
	if c.Scope.Depth > maxDepth {
		return core.ToolFailure(core.ToolPermissionDenied, core.ToolCodePermissionDenied, fmt.Sprintf("experts have asked each other %d deep already", maxDepth)), nil
	}
	hooks, report := o.room.hooks(), func(ran core.HookRan) { o.room.bus.Emit(c.Scope, ran) }
	before := hooks.Run(ctx, hook.ToolInput(core.HookBeforeTool, spec, c), report)
	if before.Denied != nil {
		return hook.Refusal("the call was not made", *before.Denied), nil
	}
	c.Args = before.Args
	if o.room.trust.NeedsApproval(outsideThread, spec) {
		if err := o.allowed(ctx, c); err != nil {
			return core.ToolFailure(core.ToolPermissionDenied, core.ToolCodePermissionDenied, strings.TrimSuffix(err.Error()+"; "+core.HintOf(err), "; ")), nil
		}
	}
	result, err := o.Tool.Call(ctx, c)
	if err != nil {
		return result, err
	}
	result, _ = hooks.AfterCall(ctx, hook.ToolInput(core.HookAfterTool, spec, c), result, report)
	return result, nil
}

// allowed asks the user whether a program may make a call.
func (o outside) allowed(ctx context.Context, c core.Call) error {
	spec := o.Spec()
	if !o.room.Attended {
		return core.Fail(core.CodeRefused, spec.Name+" may change something, and nobody sits at this room who could allow it",
			"start the room with --allow "+spec.Name+", or call it from the chat")
	}
	answer, err := o.room.chat.Ask(ctx, core.Pause{
		Kind: core.PauseApproval, Thread: "", From: spec.Owner, Question: "a program that is connected to this room wants to call it; " + spec.Claims.String(),
		Call: &core.Call{ID: c.ID, Tool: spec.Name, Args: c.Args}, Tool: spec, Options: o.room.trust.Options(spec),
	})
	if err != nil {
		return err
	}
	if answer.ID == core.Deny || answer.ID == "" {
		return core.Fail(core.CodeRefused, "the user did not allow this call", "")
	}
	return o.room.trust.Allow(outsideThread, spec, answer.ID)
}

// hearOf has hear called with what is reported of a conversation.
func (r *Room) hearOf(thread string, hear func(core.Event)) (stop func()) {
	feed := r.bus.Feed()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer feed.Close()
		for e := range feed.All(ctx) {
			if e.Thread == thread {
				hear(e)
			}
		}
	}()
	return func() { cancel(); <-done }
}

// resources are what other programs may read of the room.
func (r *Room) resources() []server.Resource {
	list := []server.Resource{
		{URI: expertsURI, Name: "experts", Description: "Who is in the room, and what each can do.", Read: func(context.Context, string) (string, error) {
			return indented(r.experts())
		}},
		{URI: "yaap://runs", Name: "runs", Description: "The last runs, the newest first.", Read: func(ctx context.Context, _ string) (string, error) {
			runs, err := r.store.Runs(ctx, "", outsideRuns)
			if err != nil {
				return "", err
			}
			type row struct {
				ID     string        `json:"id"`
				Runner string        `json:"runner"`
				State  core.RunState `json:"state"`
				Code   core.Code     `json:"code,omitempty"`
				Thread string        `json:"thread"`
				Time   time.Time     `json:"time"`
			}
			rows := make([]row, len(runs))
			for i, run := range runs {
				rows[i] = row{run.ID, run.Runner, run.State, run.Code, run.Thread, run.Time}
			}
			return indented(rows)
		}},
		{URI: "yaap://runs/{id}", Name: "run", Description: "What a run has done: its events.", Names: func(ctx context.Context) ([]string, error) {
			runs, err := r.store.Runs(ctx, "", outsideRuns)
			names := make([]string, len(runs))
			for i, run := range runs {
				names[i] = run.ID
			}
			return names, err
		}, Read: func(ctx context.Context, uri string) (string, error) {
			run, err := r.store.FindRun(ctx, partOf(uri, "yaap://runs/"))
			if err != nil {
				return "", err
			}
			events, err := r.store.RunEvents(ctx, run.ID)
			if err != nil {
				return "", err
			}
			return indented(events)
		}},
		{URI: "yaap://chains", Name: "chains", Description: "The chains that can be run, with their inputs.", Read: func(context.Context, string) (string, error) {
			type row struct {
				Name        string `json:"name"`
				Description string `json:"description"`
				Usage       string `json:"usage"`
			}
			rows := []row{}
			for _, name := range chainNames(r.Config) {
				if c, _, _, err := readChain(r.Config, name); err == nil {
					rows = append(rows, row{name, c.Spec.Description, c.Usage()})
				}
			}
			return indented(rows)
		}},
		{URI: "yaap://chains/{name}", Name: "chain", Description: "A chain as it is drawn, as a diagram in Mermaid.", Type: "text/plain", Names: func(context.Context) ([]string, error) {
			return chainNames(r.Config), nil
		}, Read: func(_ context.Context, uri string) (string, error) {
			c, _, _, err := readChain(r.Config, partOf(uri, "yaap://chains/"))
			if err != nil {
				return "", err
			}
			return diagram.Mermaid(graphOf(c.Spec)), nil
		}},
	}
	if r.memory != nil {
		list = append(list, server.Resource{URI: memoryURI, Name: "memory", Description: "What the conversations come to, as it was written last.", Type: "text/markdown", Read: func(ctx context.Context, _ string) (string, error) {
			docs, err := r.store.Contexts(ctx, r.memory.memory.ID, 1)
			if err != nil || len(docs) == 0 {
				return "", err
			}
			return docs[0].Content, nil
		}}, server.Resource{URI: entriesURI, Name: "memory entries", Description: "The last entries of the memory.", Read: func(ctx context.Context, _ string) (string, error) {
			entries, err := r.store.Entries(ctx, r.memory.memory.ID, core.EntryQuery{Limit: core.MaxEntries})
			if err != nil {
				return "", err
			}
			return indented(entries)
		}}, server.Resource{URI: graphURI, Name: "knowledge-graph", Description: "The full knowledge graph with all entities and relations", Graph: true, Read: func(ctx context.Context, _ string) (string, error) {
			return memory.Graph(ctx, r.toolsConfig(memory.Prompts{}))
		}})
	}
	for i := range list {
		list[i].Type = cmp.Or(list[i].Type, "application/json")
	}
	return list
}

func indented(v any) (string, error) {
	raw, err := json.MarshalIndent(v, "", "  ")
	return safe.JSON(string(raw)), err
}

// partOf is what the address of a resource names behind its beginning.
func partOf(uri, begin string) string {
	name := strings.TrimPrefix(uri, begin)
	if plain, err := url.PathUnescape(name); err == nil {
		return plain
	}
	return name
}
