package tui

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/runlog"
	"github.com/yaap-chat/yaap/core/safe"
)

const briefly = 6 // rows of a field where all are shown

// detail returns the rows about the chosen node of a run.
func (l *chainPane) detail(p *pen, r *runlog.Run, w int) []string {
	node := l.focus(r)
	v, tenths := r.Newest(node), int64(0)
	if v != nil && v.End == nil {
		tenths = p.now / int64(tickEvery)
	}
	return l.cache.detail.draw([7]any{r.ID, node, r.Version, w, p.look, l.page, tenths}, func() []string {
		s := &sheet{pen: p, w: w}
		if v == nil {
			state := core.NodePending
			for _, n := range r.Graph(l.graphOf(r), p.at()).Nodes {
				if n.ID == node && n.State == core.NodeSkipped {
					state = n.State
				}
			}
			sign, word, tone := p.node(state)
			return []string{fit(" "+tone.on(sign+" "+word), w)}
		}
		if l.page == pageAttempts {
			s.attempts(r, node)
			return s.rows
		}
		s.rows = append(s.rows, attemptLine(p, v, w))
		s.led(v)
		s.rows = append(s.rows, fit("", w))
		if l.page == pageAll {
			s.most = briefly
		}
		if l.page == pageAll || l.page == pageInput {
			s.input(v.Input)
		}
		if v.End != nil && (l.page == pageAll || l.page == pageThought) {
			s.field("thought", s.thought, v.End.Thought)
		}
		if v.End != nil && (l.page == pageAll || l.page == pageOutput) {
			s.json("data", v.End.Data)
			s.said(v.End)
		}
		return s.rows
	})
}

// attemptLine is how an attempt went, in one row.
func attemptLine(p *pen, v *runlog.Visit, w int) string {
	sign, word, tone := p.node(v.State())
	row := " " + tone.on(sign+" "+word)
	dot := p.dim.on("  " + p.dot + "  ")
	if v.End != nil && v.End.Status != "" && string(v.End.Status) != word {
		row += dot + p.text.on(safe.Line(string(v.End.Status)))
	}
	if v.Visit > 1 {
		row += dot + p.text.on("visit "+itoa(v.Visit))
	}
	if v.Attempt > 1 {
		row += dot + p.text.on("attempt "+itoa(v.Attempt))
	}
	when := elapsed(p.since(v.Began))
	if v.End != nil {
		when = tookMS(v.End.MS)
	}
	return fit(row+dot+p.dim.on(when), w)
}

// led tells which edges led on and why, and what could not be judged.
func (s *sheet) led(v *runlog.Visit) {
	name := "led to"
	chosen := slices.ContainsFunc(v.Edges, func(e core.EdgeTaken) bool { return !e.Taken })
	for _, e := range v.Edges {
		why := because(e)
		if e.Condition == "default" && !chosen {
			why = "" // there was no condition
		}
		switch {
		case e.Taken:
			s.field(name, s.ok, join(safe.Line(e.To), why))
			name = ""
		case e.Problem == "":
			s.field("not to", s.dim, join(safe.Line(e.To), why))
		}
		if e.Problem != "" {
			s.field("problem", s.warn, "the way to "+safe.Line(e.To)+": "+safe.Line(e.Problem))
		}
	}
}

func join(to, why string) string { return strings.TrimSpace(to + "  " + why) }

// because tells why an edge was followed, or was not.
func because(e core.EdgeTaken) string {
	why := safe.Cut(e.Condition, 300)
	switch {
	case why == "":
		return ""
	case !e.Taken:
		return "as " + why + " is not so" + with(e.Values)
	}
	words := map[string]string{
		"default": "no condition was true", "on_error": "it failed", "hint": "the reply asked for it", "retry": "the reply asked for another try",
		"clarification": "it asked back",
	}
	if said := words[e.Condition]; said != "" {
		return "because " + said
	}
	return "because " + why + with(e.Values)
}

// with lists what a condition saw. The end of a path is enough where it is the
// only one of that name.
func with(values map[string]any) string {
	last := func(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }
	same := map[string]int{}
	for path := range values {
		same[last(path)]++
	}
	var parts []string
	for _, path := range slices.Sorted(maps.Keys(values)) {
		raw, err := json.Marshal(values[path])
		if err != nil {
			continue
		}
		name := path
		if same[last(path)] == 1 {
			name = last(path)
		}
		parts = append(parts, safe.Cut(name, 60)+" = "+safe.Cut(string(raw), 80))
	}
	if len(parts) == 0 {
		return ""
	}
	return ", with " + strings.Join(parts, ", ")
}

// input adds what a node was given: its prompt as text, the rest as JSON.
func (s *sheet) input(raw json.RawMessage) {
	var given struct {
		Prompt string          `json:"prompt"`
		Input  json.RawMessage `json:"input"`
	}
	if len(raw) == 0 {
		return
	}
	if json.Unmarshal(raw, &given) != nil || given.Prompt == "" && given.Input == nil {
		s.json("input", raw)
		return
	}
	s.field("prompt", s.text, given.Prompt)
	s.json("input", given.Input)
}

// said adds what a node answered, or why it did not.
func (s *sheet) said(e *core.NodeEnd) {
	s.prose("message", e.Message)
	if e.Error != e.Message {
		s.field("error", s.bad, e.Error)
	}
}

// attempts adds every attempt of a node that is kept.
func (s *sheet) attempts(r *runlog.Run, node string) {
	for _, v := range r.Visits {
		if v.Node != node {
			continue
		}
		if len(s.rows) > 0 {
			s.rows = append(s.rows, fit("", s.w))
		}
		title := fit("visit "+itoa(v.Visit)+", attempt "+itoa(v.Attempt), 20)
		s.rows = append(s.rows, fit(" "+s.strong.on(title)+attemptLine(s.pen, v, s.w), s.w))
		s.most = 3
		if v.End != nil {
			s.said(v.End)
		}
		s.led(v)
	}
}
