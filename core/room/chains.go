package room

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/chain"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/replay"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/userfile"
	"github.com/yaap-chat/yaap/prompts"
)

const maxChainFile = 1 << 20 // bytes

// source is a chain's file.
type source struct {
	name string // as runs know it: a name, or the absolute path of a file
	path string // for people
	dir  string // of the file; empty where it is built in
	text []byte
}

// findChain reads a chain: a path, or the name of one in the configuration
// directory or of one that is built in.
func findChain(cfg config.Config, name string) (source, error) {
	if isPath(name) {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(cfg.Dir, path)
		}
		text, err := userfile.Read(path, maxChainFile)
		if err != nil {
			return source{}, core.Fail(core.CodeInvalid, "cannot read the chain "+safe.Line(name), "check the path").Because(err)
		}
		return source{name: filepath.Clean(path), path: name, dir: filepath.Dir(path), text: text}, nil
	}
	for _, ext := range []string{".yaml", ".yml", ".json"} {
		path := filepath.Join(chainDir(cfg), name+ext)
		text, err := userfile.Read(path, maxChainFile)
		if err == nil {
			return source{name: name, path: path, dir: chainDir(cfg), text: text}, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return source{}, core.Fail(core.CodeInvalid, "cannot read the chain "+safe.Line(name), "check the file").Because(err)
		}
	}
	if text, ok := prompts.Chain(name); ok {
		return source{name: name, path: name + ".yaml", text: text}, nil
	}
	return source{}, core.Fail(core.CodeInvalid, "there is no chain "+safe.Line(name), "there are "+strings.Join(chainNames(cfg), ", ")+"; or give the path of a file")
}

func isPath(name string) bool {
	switch filepath.Ext(name) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return strings.ContainsRune(name, filepath.Separator)
}

func chainDir(cfg config.Config) string { return filepath.Join(filepath.Dir(cfg.File), "chains") }

// chainNames lists the chains that have a name.
func chainNames(cfg config.Config) []string {
	names := prompts.Chains()
	entries, err := os.ReadDir(chainDir(cfg))
	if err == nil {
		for _, e := range entries {
			if name := e.Name(); isPath(name) {
				names = append(names, strings.TrimSuffix(name, filepath.Ext(name)))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// known is what the chain of a source may use. Experts come and go, and an
// agent's name is the room's.
func known(cfg config.Config, self source, find func(name string) (source, error)) chain.Known {
	set := func(names ...string) map[string]bool {
		m := map[string]bool{}
		for _, name := range names {
			m[name] = true
		}
		return m
	}
	experts := slices.Clone(cfg.Builtin.V)
	for _, e := range cfg.Experts {
		experts = append(experts, e.Name)
	}
	return chain.Known{
		Agents: set(append(agentNames(cfg), "yaap")...), Experts: set(experts...),
		Self: self.name, Chain: func(name string) (chain.Spec, bool) {
			src, err := find(name)
			if err != nil {
				return chain.Spec{}, false
			}
			spec, _ := src.parse() // its faults are told where it is checked itself
			return spec, true
		},
	}
}

// parse reads the chain. The path of a chain that a node runs is relative to the
// file that names it.
func (s source) parse() (chain.Spec, []chain.Fault) {
	spec, faults := chain.Parse(s.path, s.text)
	for i, n := range spec.Nodes {
		if n.Kind == chain.KindChain && isPath(n.Name) && !filepath.IsAbs(n.Name) && s.dir != "" {
			spec.Nodes[i].Name = filepath.Join(s.dir, n.Name)
		}
	}
	return spec, faults
}

// readChain reads and checks a chain. Warnings come beside it.
func readChain(cfg config.Config, name string) (*chain.Chain, source, []chain.Fault, error) {
	find := func(name string) (source, error) { return findChain(cfg, name) }
	src, err := find(name)
	if err != nil {
		return nil, src, nil, err
	}
	c, faults, err := src.compile(known(cfg, src, find))
	return c, src, faults, err
}

// compile checks a chain, and makes it one that can be run. Warnings come beside it.
func (s source) compile(known chain.Known) (*chain.Chain, []chain.Fault, error) {
	spec, faults := s.parse()
	if len(faults) == 0 || len(spec.Nodes) > 0 {
		faults = append(faults, chain.Check(spec, known)...)
		slices.SortStableFunc(faults, func(a, b chain.Fault) int {
			return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
		})
	}
	if slices.ContainsFunc(faults, func(f chain.Fault) bool { return !f.Warning }) {
		return nil, faults, core.Fail(core.CodeInvalid, fmt.Sprintf("the chain %s has faults:\n%s", safe.Line(s.path), strings.TrimRight(chain.Faults(s.path, faults, s.text), "\n")),
			"mend the file; yaap chain check FILE looks again")
	}
	c, err := chain.Compile(spec, core.Hash(s.text))
	if err != nil {
		return nil, faults, core.Fail(core.CodeInvalid, "the chain "+safe.Line(s.path)+" cannot be run", "yaap chain check FILE tells more").Because(err)
	}
	return c, faults, nil
}

// chainRunner finds the Runner of chain/NAME.
func (r *Room) chainRunner(name string) (core.Runner, error) {
	c, _, err := r.chain(name)
	if err != nil {
		return nil, err
	}
	return c.Runner(chain.Config{Journal: r.journal(), Sink: r.bus, Lookup: r.lookup, Await: r.await, Migrate: r.Migrate}), nil
}

// await blocks until an expert of that name is in the room.
func (r *Room) await(ctx context.Context, name string) error {
	feed := r.bus.Feed()
	defer feed.Close()
	if _, err := r.here.Expert(name); err == nil {
		return nil
	}
	for e := range feed.All(ctx) {
		if _, joined := e.Body.(core.ExpertJoined); joined {
			if _, err := r.here.Expert(name); err == nil {
				return nil
			}
		}
	}
	return context.Cause(ctx)
}

// readArgs reads the inputs of a chain.
func readArgs(c *chain.Chain, words []string) (map[string]any, error) {
	args, err := c.ReadArgs(words)
	if err != nil {
		return nil, core.Fail(core.CodeInvalid, err.Error(), "behind the name of the chain write "+c.Usage())
	}
	return args, nil
}

// startChain runs a chain as the next thing of a conversation.
func (r *Room) startChain(ctx context.Context, in core.Scope, text, name string, words []string) (core.Result, error) {
	c, src, err := r.chain(name)
	if err != nil {
		return core.Result{}, err
	}
	args, err := readArgs(c, words)
	if err == nil {
		err = r.beginRecording(ctx, replay.Head{Thread: in.Thread, Prompt: text, Runner: "chain/" + src.name, Args: args})
	}
	if err != nil {
		return core.Result{}, err
	}
	return r.chat.Start(ctx, in, "chain/"+src.name, text, args)
}
