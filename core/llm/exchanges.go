package llm

import (
	"slices"
	"sync"

	"github.com/yaap-chat/yaap/core"
)

const (
	maxExchanges = 64      // that are kept
	maxKept      = 8 << 20 // bytes of text in all of them
)

// Exchanges keeps the last requests of runs and what came back, in memory only. The zero
// value and nil can be used; nil keeps nothing. All methods may be called from any
// goroutine.
type Exchanges struct {
	mu   sync.Mutex
	kept []exchange // the oldest first
	size int        // bytes of text in all of them
}

type exchange struct {
	core.Exchange
	run  string
	size int
}

// Asked keeps a request that is about to be made. Its messages and tools are not changed
// any more; pictures are kept by their names.
func (x *Exchanges) Asked(call, model string, req Request) {
	if x == nil {
		return
	}
	e := exchange{run: req.Scope.Run, size: len(req.System) + len(req.Now), Exchange: core.Exchange{
		Call: call, Model: model, System: req.System, Now: req.Now, Messages: req.Messages, Tools: req.Tools, NoCalls: req.NoCalls, Schema: req.Schema,
	}}
	for i, m := range req.Messages {
		e.size += len(m.Text) + len(m.Thinking)
		if len(m.Files) > 0 {
			e.Messages = slices.Clone(e.Messages)
			e.Messages[i].Files = slices.Clone(m.Files)
			for j := range e.Messages[i].Files {
				e.Messages[i].Files[j].Data = nil
			}
		}
	}
	for _, t := range req.Tools {
		e.size += len(t.Description) + len(t.Schema)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.kept = append(x.kept, e)
	x.grow(e.size)
}

// Answered keeps what came back, whole or until it failed.
func (x *Exchanges) Answered(run, call string, answer core.Message, failed error) {
	if x == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	i := x.find(run, call)
	if i < 0 {
		return
	}
	kept := answer
	kept.Calls = slices.Clone(answer.Calls)
	if x.kept[i].Answer = &kept; failed != nil {
		x.kept[i].Error = failed.Error()
	}
	x.kept[i].size += len(answer.Text) + len(answer.Thinking)
	x.grow(len(answer.Text) + len(answer.Thinking))
}

// Find returns an exchange that is kept. Nobody may change what is in it.
func (x *Exchanges) Find(run, call string) (core.Exchange, bool) {
	if x == nil {
		return core.Exchange{}, false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if i := x.find(run, call); i >= 0 {
		return x.kept[i].Exchange, true
	}
	return core.Exchange{}, false
}

// Forget lets all of them go.
func (x *Exchanges) Forget() {
	if x == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.kept, x.size = nil, 0
}

// find is the place of the newest one of that name, or -1.
func (x *Exchanges) find(run, call string) int {
	for i, e := range slices.Backward(x.kept) {
		if e.run == run && e.Call == call {
			return i
		}
	}
	return -1
}

// grow lets the oldest go where it comes to be too much.
func (x *Exchanges) grow(by int) {
	x.size += by
	n := 0
	for ; len(x.kept)-n > maxExchanges || x.size > maxKept && n < len(x.kept)-1; n++ {
		x.size -= x.kept[n].size
	}
	x.kept = slices.Delete(x.kept, 0, n)
}
