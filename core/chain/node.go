package chain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/chain/expr"
)

const maxInline = 64 << 10 // bytes of base64 that data may carry

// openNode begins a visit. What needs nobody has its outcome at once.
func (r *run) openNode(at int) (o outcome, instant bool) {
	n := &r.chain.nodes[at]
	p := piece{node: at, visit: r.nodes[at].visit, item: none}
	switch {
	case n.Kind == KindCondition:
		o, instant = outcome{reply: r.incoming(at)}, true
	case n.Kind == KindAggregate:
		o, instant = outcome{reply: r.aggregate(at)}, true
	case n.over != nil:
		l, fault := r.openList(at)
		if r.lists[at] = l; fault != "" {
			o, instant = failed(fault), true
		} else if len(l.done) == 0 {
			o, instant = l.gather(), true
		}
	default:
		if fault := r.resolve(p, r.lookup(at)); fault != "" {
			o, instant = failed(fault), true
		}
	}
	switch {
	case instant:
		r.reportStart(at)
	case n.over == nil:
		r.ready = append(r.ready, &work{piece: p})
	}
	return o, instant
}

func failed(fault string) outcome {
	return outcome{fault: fault, reply: core.Reply{Status: core.StatusFailure, Message: fault, Data: map[string]any{}}}
}

// lookup resolves references of a node before it begins.
func (r *run) lookup(at int) expr.Lookup {
	return r.look(at, r.cameFrom(at))
}

// incoming is the reply that led to a visit.
func (r *run) incoming(at int) core.Reply {
	for _, a := range r.nodes[at].came {
		if a.from >= 0 {
			reply := r.nodes[a.from].reply
			reply.Status, reply.Extra = core.StatusSuccess, nil
			return reply
		}
	}
	return core.Reply{Status: core.StatusSuccess, Message: r.given.Text, Data: r.given.Args}
}

// aggregate puts the replies that led to a visit together, in their order.
func (r *run) aggregate(at int) core.Reply {
	n := &r.chain.nodes[at]
	if n.Name == "first" {
		return r.incoming(at)
	}
	data, items, messages := map[string]any{}, []any{}, []string{}
	for _, a := range r.nodes[at].came {
		if a.from < 0 {
			continue
		}
		reply := r.nodes[a.from].reply
		maps.Copy(data, reply.Data)
		items = append(items, elements(reply.Data)...)
		if reply.Message != "" {
			messages = append(messages, reply.Message)
		}
	}
	if n.Name == "concat" {
		data = map[string]any{"items": items}
	}
	return core.Reply{Status: core.StatusSuccess, Data: data, Message: strings.Join(messages, "\n\n")}
}

// elements are the elements of the only list in data, or else data itself.
func elements(data map[string]any) []any {
	var lists [][]any
	for _, v := range data {
		if l, ok := v.([]any); ok {
			lists = append(lists, l)
		}
	}
	if len(lists) == 1 {
		return lists[0]
	}
	return []any{anyMap(data)}
}

// maxInput is how much JSON a node may be given: values that are put into one another
// grow twofold with each visit.
const maxInput = 4 << 20

// resolve finds what a piece is given. It returns what is missing.
func (r *run) resolve(p piece, look expr.Lookup) (fault string) {
	n, prog := &r.chain.nodes[p.node], r.of(p)
	v, err := n.prompt.Resolve(look)
	if err != nil {
		return n.ID + ": prompt: " + err.Error()
	}
	prog.prompt = text(v)
	if n.input != nil {
		v, err := n.input.Resolve(look)
		if err != nil {
			return n.ID + ": input: " + err.Error()
		}
		prog.input, _ = v.(map[string]any)
		raw, err := json.Marshal(prog.input)
		if err != nil {
			return n.ID + ": input: " + err.Error()
		}
		if len(raw) > maxInput {
			return fmt.Sprintf("%s: input: it has more than %d MiB with all references put in", n.ID, maxInput>>20)
		}
		if n.takes != nil {
			if issues := n.takes.Check(raw); len(issues) > 0 {
				return n.ID + ": input: " + strings.Join(issues, "; ")
			}
		}
	}
	if retry := r.nodes[p.node].retry; retry != "" && !n.instructed {
		prog.before = []core.Message{said(r.nodes[p.node].reply), asked(retry)}
	}
	return ""
}

// list is a node that works through one.
type list struct {
	items   []any
	each    *Each
	limit   int
	running int
	next    int
	count   int
	begun   []bool
	again   []int // that are to be worked on once more
	done    []*outcome
}

// openList resolves the list of a node.
func (r *run) openList(at int) (*list, string) {
	n := &r.chain.nodes[at]
	l := &list{each: n.Each, limit: cmp.Or(n.Each.Parallel, DefaultParallel)}
	v, err := n.over.Resolve(r.lookup(at))
	if err != nil {
		return l, n.ID + ": for_each.over: " + err.Error()
	}
	items, ok := v.([]any)
	if !ok {
		return l, fmt.Sprintf("%s: for_each.over: %s is %s and not a list", n.ID, n.Each.Over, expr.TypeName(v))
	}
	if most := cmp.Or(n.Each.MaxItems, DefaultMaxItems); len(items) > most {
		return l, fmt.Sprintf("%s: for_each.over: the list has %d items, more than the %d that are allowed (max_items)", n.ID, len(items), most)
	}
	l.items, l.begun, l.done = items, make([]bool, len(items)), make([]*outcome, len(items))
	return l, ""
}

// take begins items within the limit.
func (l *list) take(r *run, at int, begun []*work) []*work {
	for l.running < l.limit && l.left() {
		i := l.next
		if len(l.again) > 0 {
			i, l.again = l.again[0], l.again[1:]
		}
		l.begun[i] = true
		l.running++
		begun = append(begun, &work{piece: piece{node: at, visit: r.nodes[at].visit, item: i}})
	}
	return begun
}

// left reports whether there is an item to begin.
func (l *list) left() bool {
	for l.next < len(l.items) && l.begun[l.next] {
		l.next++
	}
	return len(l.again) > 0 || l.next < len(l.items)
}

// look is the lookup of one item.
func (l *list) look(i int, otherwise expr.Lookup) expr.Lookup {
	as := cmp.Or(l.each.As, "item")
	return func(root string) (any, bool) {
		switch root {
		case as:
			return l.items[i], true
		case "index":
			return i, true
		}
		return otherwise(root)
	}
}

// put takes the outcome of an item. It reports whether the node is over.
func (l *list) put(i int, o outcome) (outcome, bool) {
	if l.done[i] != nil {
		return outcome{}, false
	}
	l.done[i] = &o
	l.count++
	if !o.ok() && (l.each.Failure == FailAll || l.each.Failure == "") {
		f := failed(fmt.Sprintf("item %d: %s", i+1, o.problem()))
		f.reply.Data = map[string]any{"index": i, "item": l.items[i]}
		return f, true
	}
	if l.count < len(l.items) {
		return outcome{}, false
	}
	return l.gather(), true
}

// gather puts the replies of the items together, in the order of the list.
func (l *list) gather() outcome {
	items, messages, failures := []any{}, []any{}, []any{}
	var lines []string
	for i, o := range l.done {
		if o.ok() {
			items = append(items, anyMap(o.reply.Data))
			messages = append(messages, o.reply.Message)
			lines = append(lines, o.reply.Message)
			continue
		}
		failures = append(failures, map[string]any{"index": i, "item": l.items[i], "message": o.problem()})
		if l.each.Failure == Collect {
			items, messages = append(items, nil), append(messages, nil)
		}
	}
	data := map[string]any{"items": items, "messages": messages, "count": len(l.done) - len(failures), "failed": failures}
	reply := core.Reply{Status: core.StatusSuccess, Data: data, Message: strings.Join(lines, "\n")}
	if len(l.done) > 0 && len(failures) == len(l.done) {
		reply.Status, reply.Message = core.StatusFailure, "all items failed; the first: "+l.done[0].problem()
	}
	return outcome{reply: reply}
}

func (o outcome) ok() bool {
	return o.fault == "" && (o.reply.Status == core.StatusSuccess || o.reply.Status == core.StatusCompleted)
}

func (o outcome) problem() string { return cmp.Or(o.fault, o.reply.Message) }
