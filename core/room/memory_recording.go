package room

import (
	"cmp"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/memory"
)

const defaultVault = "default"

// memoryNames are the vault and the memory of a directory. Their ids follow
// from their names, so that every window comes to the same.
func memoryNames(dir string) (core.Vault, core.Memory) {
	id := func(what string) string { return uuid.NewSHA1(uuid.NameSpaceURL, []byte("yaap:"+what)).String() }
	now := time.Now()
	v := core.Vault{ID: id("vault:" + defaultVault), Title: defaultVault, Created: now}
	m := core.Memory{ID: id("memory:" + dir), Vault: v.ID, Kind: "chat", Created: now}
	name := strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') {
			return r
		}
		return '-'
	}, filepath.Base(dir))
	name = strings.Trim(name, "-")
	m.Title = cmp.Or(name[:min(len(name), 40)], "root") + "-" + m.ID[:6]
	return v, m
}

// MemoryOf is the memory of a directory.
func MemoryOf(dir string) core.Memory {
	_, m := memoryNames(dir)
	return m
}

// recording is how the conversations of a room are remembered.
type recording struct {
	*memory.Recorder
	meaning *memory.SemanticSearch // its searches
	vault   core.Vault
	memory  core.Memory
	off     atomic.Bool // nothing is, from the next prompt on
	models  atomic.Bool // a model may write what is remembered: somebody sits here, and it does not have to be quick
}

// rows are what has to be there before something can be remembered.
func (r *recording) rows() []core.Row {
	if r == nil {
		return nil
	}
	return []core.Row{r.vault, r.memory}
}

// of says where a conversation is remembered: nowhere when that is off.
func (r *recording) of(thread core.Thread) core.Recording {
	rec := core.Recording{Thread: thread.ID, Memory: r.memory.ID, Time: thread.Created}
	if r.off.Load() {
		rec.Memory = ""
	}
	return rec
}

// SearchTool lets the agent of the room search, and says whether what is said
// is remembered.
func (r *recording) SearchTool() core.Tool { return search{Tool: r.Recorder.SearchTool(), off: &r.off} }

type search struct {
	core.Tool
	off *atomic.Bool
}

// Spec implements [core.Tool].
func (s search) Spec() core.ToolSpec {
	spec := s.Tool.Spec()
	if s.off.Load() {
		spec.Description = strings.TrimSuffix(spec.Description, memory.Kept)
	}
	return spec
}

// newRecording makes the worker that records the conversations of a directory.
func (r *Room) newRecording(rules memory.Prompts) *recording {
	vault, mem := memoryNames(r.Config.Dir)
	kept := &recording{vault: vault, memory: mem}
	kept.meaning = newSemanticSearch(r.store, mem.ID, r.Config, func() string { return r.models.current().Name() }, r.models.env, r.models.web)
	kept.Recorder = memory.NewRecorder(memory.Config{
		Store: kept.meaning, Checkpoints: r.store, Vault: vault, Memory: mem, Sink: r.bus, Log: r.log,
		Prompts: rules, Every: r.Config.Every.V,
		Model: func() llm.Model {
			if r.models.offline() || !kept.models.Load() {
				return nil // what is written is an extract
			}
			return r.models.current()
		},
	})
	return kept
}
