// Package trust says what may be done without asking the user, and keeps what
// the user has allowed.
//
// A tool that may change something ([core.ToolSpec.Acts]) is asked about, and so
// is what the configuration names. The user's answer holds once, in one
// conversation, or always for that tool in one directory. What is allowed for
// good is kept in a file with the definition of the tool as it was then: a tool
// that has another description, schema, annotation or command since is another
// tool. A peer that wants to join is asked about likewise.
package trust

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/yaap"
)

// Rules are what the user wants beside what was answered.
type Rules struct {
	Ask   []string // tools, also with * for any letters, and experts that are asked about whatever they claim, or all; no answer is kept for good
	Allow []string // tools and experts that are not asked about in this room
}

// Store knows what the user has allowed. Its methods may be called from any
// goroutine.
type Store struct {
	file  file
	dir   string
	rules Rules

	mu            sync.Mutex
	asker         core.Asker         // nil: nobody can be asked
	sessionGrants []Grant            // that hold until yaap is closed
	refused       []kept             // until the room closes: another description asks no more
	joining       singleflight.Group // one question for each peer, however often it says hello
}

// kept is an expert that the user keeps out, and the way by which it would come.
type kept struct{ owner, origin string }

// New returns a store for the rooms of one directory, whose grants are in
// trust.json in stateDir.
func New(stateDir, dir string, rules Rules) *Store {
	return &Store{file: file{stateDir}, dir: dir, rules: rules}
}

// SetAsker says who asks the user about peers that want to join.
func (k *Store) SetAsker(asker core.Asker) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asker = asker
}

// NeedsApproval reports whether the user must be asked before a tool is called in a
// conversation.
func (k *Store) NeedsApproval(thread string, tool core.ToolSpec) bool {
	strict := names(k.rules.Ask, tool)
	switch {
	case !strict && !tool.Acts, names(k.rules.Allow, tool):
		return false
	case k.said(thread, tool):
		return false
	case strict:
		return true
	}
	grants, err := k.Grants()
	return err != nil || !slices.ContainsFunc(grants, func(g Grant) bool { return g.covers(k.dir, tool) })
}

// Options are the answers that the user may give about a tool.
func (k *Store) Options(tool core.ToolSpec) []core.Option {
	options := []core.Option{
		{ID: core.AllowOnce, Label: "Allow once"},
		{ID: core.AllowSession, Label: "Allow in this conversation"},
	}
	if !names(k.rules.Ask, tool) {
		options = append(options, core.Option{ID: core.AllowAlways, Label: "Always allow in this directory"})
	}
	return append(options, core.Option{ID: core.Deny, Label: "Deny"})
}

// Allow keeps an answer to what [Store.NeedsApproval] asked for. The error says why it
// could not be kept for good; it holds in this conversation then.
func (k *Store) Allow(thread string, tool core.ToolSpec, decision string) error {
	grant := k.grant(tool)
	var err error
	switch {
	case decision == core.AllowAlways && !names(k.rules.Ask, tool):
		if err = k.file.add(grant); err == nil {
			return nil // it can be taken back from any window
		}
	case decision != core.AllowSession && decision != core.AllowAlways:
		return nil
	}
	grant.Thread = thread
	k.keep(grant)
	return err
}

func (k *Store) grant(tool core.ToolSpec) Grant {
	return Grant{Dir: k.dir, Expert: tool.Owner, Tool: withoutCommand(tool), Since: time.Now().UTC().Truncate(time.Second)}
}

// keep keeps a grant until yaap is closed.
func (k *Store) keep(g Grant) {
	k.mu.Lock()
	defer k.mu.Unlock()
	g.Session = true
	k.sessionGrants = append(k.sessionGrants, g)
}

// said reports whether the user has allowed a tool in a conversation, or a peer
// to join where there is none.
func (k *Store) said(thread string, tool core.ToolSpec) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.ContainsFunc(k.sessionGrants, func(g Grant) bool { return g.Thread == thread && same(g.Tool, tool) })
}

// Admit blocks until the user has said whether a peer may join, unless that was
// said before of the same definition. The error is a [yaap.Refusal].
func (k *Store) Admit(ctx context.Context, tool core.ToolSpec) error {
	return k.admit(ctx, tool, "it wants to join the room, for the first time in this directory", map[string]any{
		"description": tool.Description, "takes": tool.Usage(), "acts": tool.Acts,
	})
}

// AdmitListed is Admit for what a file lists: an expert of the project, a provider that
// is reached unencrypted. The origin of tool tells it from any other; about says what the
// file says, for the user.
func (k *Store) AdmitListed(ctx context.Context, tool core.ToolSpec, about map[string]any) error {
	return k.admit(ctx, tool, tool.Description, about)
}

// Admitted reports whether [Store.AdmitListed] would let tool in without asking.
func (k *Store) Admitted(tool core.ToolSpec) bool {
	in, _, _ := k.admitted(tool)
	return in
}

func (k *Store) admitted(tool core.ToolSpec) (in bool, grants []Grant, err error) {
	if names(k.rules.Allow, tool) || k.said("", tool) {
		return true, nil, nil // whatever is in the file
	}
	grants, err = k.Grants()
	return slices.ContainsFunc(grants, func(g Grant) bool { return g.Joins && g.Dir == k.dir && same(g.Tool, tool) }), grants, err
}

func (k *Store) admit(ctx context.Context, tool core.ToolSpec, question string, about map[string]any) error {
	in, grants, err := k.admitted(tool)
	switch {
	case err != nil:
		return denied(tool.Owner, err.Error(), core.HintOf(err))
	case in:
		return nil
	case k.wasRefused(tool):
		return yaap.Refuse(yaap.Denied, "the user does not want %s in this room", tool.Owner)
	}
	definition, err := json.Marshal(tool)
	if err != nil {
		return yaap.Refuse(yaap.BadSchema, "%v", err)
	}
	_, err, _ = k.joining.Do(string(definition), func() (any, error) { return nil, k.askToJoin(ctx, tool, grants, question, about) })
	return err
}

func (k *Store) wasRefused(tool core.ToolSpec) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Contains(k.refused, kept{tool.Owner, tool.Origin})
}

// askToJoin asks the user whether a peer may join.
func (k *Store) askToJoin(ctx context.Context, tool core.ToolSpec, grants []Grant, question string, args map[string]any) error {
	k.mu.Lock()
	asker := k.asker
	k.mu.Unlock()
	if asker == nil {
		return denied(tool.Owner, "nobody is here who could let it in", "start the room with --allow "+tool.Owner)
	}
	known := func(g Grant) bool {
		return g.Joins && g.Dir == k.dir && g.Expert == tool.Owner && g.Tool.Origin == tool.Origin
	}
	if i := slices.IndexFunc(grants, known); i >= 0 {
		question, args = "it says other things of itself than when you let it in", map[string]any{}
		for _, d := range (core.ToolChange{Was: grants[i].Tool, Now: tool}).Differences() {
			args[d.What] = map[string]string{"was": d.Was, "now": d.Now}
		}
	}
	shown, err := json.Marshal(args)
	if err != nil {
		return err
	}
	answer, err := asker.Ask(ctx, core.Pause{
		Kind: core.PauseApproval, From: tool.Owner, Question: question, Call: &core.Call{Tool: tool.Owner, Args: shown}, Tool: tool,
		Options: []core.Option{
			{ID: core.AllowSession, Label: "Let it in until yaap is closed"},
			{ID: core.AllowAlways, Label: "Always let it in in this directory"},
			{ID: core.Deny, Label: "Keep it out"},
		},
	})
	switch {
	case err != nil:
		return denied(tool.Owner, err.Error(), core.HintOf(err))
	case answer.ID != core.AllowSession && answer.ID != core.AllowAlways:
		k.mu.Lock()
		k.refused = append(k.refused, kept{tool.Owner, tool.Origin})
		k.mu.Unlock()
		return denied(tool.Owner, "the user does not want it in this room", "")
	}
	grant := k.grant(tool)
	grant.Joins = true
	if answer.ID == core.AllowSession {
		k.keep(grant)
		return nil
	}
	if err := k.file.add(grant); err != nil {
		return denied(tool.Owner, err.Error(), core.HintOf(err))
	}
	return nil
}

func denied(name, why, hint string) error {
	refusal := yaap.Refuse(yaap.Denied, "%s was not let in: %s", name, why)
	refusal.Hint = hint
	return refusal
}

// UnknownNames are the names of a list that are those of no tool, expert or pattern of tools.
func UnknownNames(list []string, tools []core.ToolSpec) []string {
	return slices.DeleteFunc(slices.Clone(list), func(name string) bool {
		return name == "all" || slices.ContainsFunc(tools, func(t core.ToolSpec) bool { return names([]string{name}, t) })
	})
}

// names reports whether a list names a tool, also with * for any letters, its expert, or all.
func names(list []string, tool core.ToolSpec) bool {
	return slices.ContainsFunc(list, func(name string) bool {
		like, err := path.Match(name, tool.Name)
		return name == "all" || like && err == nil || name != "" && yaap.Canonical(name) == yaap.Canonical(tool.Owner)
	})
}

// same reports whether two tools are one.
func same(a, b core.ToolSpec) bool { return a.Fingerprint() == b.Fingerprint() }
