package tui

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

const maxInstructed = 200 // rows of instructions, and of what holds now, that are shown

// exchange is the request to a model that was read last, and what came back.
type exchange struct {
	run, call string // empty: none was read
	answers   int    // how often one was read
	read      bool   // got or err is there
	got       core.Exchange
	err       error
}

// requestOf is the name of the request that an event is about, empty where it is about
// none.
func requestOf(b core.Body) string {
	switch b := b.(type) {
	case core.LLMCallStart:
		return b.Call
	case core.LLMCallEnd:
		return b.Call
	default:
		return ""
	}
}

// ended has a request be read again: its answer is there.
func (x *exchange) ended(run, call string) {
	if x.run == run && x.call == call {
		x.run, x.call = "", ""
	}
}

// of is the request that a record is about, where it was read.
func (x *exchange) of(r *record) (core.Exchange, bool) {
	call := requestOf(r.Body)
	return x.got, call != "" && x.read && x.err == nil && x.run == r.Run && x.call == call
}

// ask reads the request that the chosen event is about, where that is open and was not
// read yet.
func (l *eventsPane) ask() tea.Cmd {
	if !l.unfolded {
		return nil
	}
	r := l.chosen()
	if r == nil {
		return nil
	}
	run, call := r.Run, requestOf(r.Body)
	if call == "" || l.asked.run == run && l.asked.call == call || !l.Seen() {
		return nil
	}
	l.asked = exchange{run: run, call: call, answers: l.asked.answers}
	return await(l.m, func(ctx context.Context, b Backend) (core.Exchange, error) { return b.Exchange(ctx, run, call) }, func(got core.Exchange, err error) tea.Cmd {
		if l.asked.run == run && l.asked.call == call {
			l.asked.got, l.asked.err, l.asked.read = got, err, true
			l.asked.answers++
		}
		return nil
	})
}

// rows are the request that a record is about: what was sent and what came back, of an
// end the other way round.
func (x *exchange) rows(p *pen, r *record, w int) []string {
	if call := requestOf(r.Body); call == "" || !x.read || x.run != r.Run || x.call != call {
		return nil
	}
	if x.err != nil {
		return append([]string{rule(p, "sent", "", w)}, p.fault(x.err.Error(), core.HintOf(x.err), w)...)
	}
	end, ended := r.Body.(core.LLMCallEnd)
	sent, back := sentRows(p, x.got, w), backRows(p, x.got, end, w)
	if ended {
		return append(back, sent...)
	}
	return append(sent, back...)
}

// sentRows are what a model was sent.
func sentRows(p *pen, x core.Exchange, w int) []string {
	s := &sheet{pen: p, w: w, rows: []string{rule(p, strings.Join([]string{"sent to " + safe.Line(x.Model), count(len(x.Messages), "message"), count(len(x.Tools), "tool")}, " "+p.dot+" "), "", w)}}
	if x.Stored {
		s.rows[0] = rule(p, "sent to "+safe.Line(x.Model), "", w)
		s.field("stored", s.dim, "Only the conversation as it was then is kept on disk; instructions and tools are seen in the window of the room, for its last requests.")
	}
	if len(x.Options) > 0 {
		raw, _ := json.Marshal(x.Options)
		s.json("options", raw)
	}
	s.most = maxInstructed
	s.field("system", s.dim, x.System)
	s.most = 0
	s.rows = append(s.rows, saidRows(p, x.Messages, w)...)
	s.field("now", s.dim, x.Now)
	for i, t := range x.Tools {
		name := ""
		if i == 0 {
			name = "tools"
		}
		s.field(name, s.text, safe.Line(t.Name)+": "+safe.Line(t.Description))
		s.json("", t.Schema)
	}
	if x.NoCalls {
		s.field("calls", s.text, "none may be made")
	}
	s.json("schema", x.Schema)
	return s.rows
}

// saidRows are the messages of a request; of many the last ones.
func saidRows(p *pen, said []core.Message, w int) (rows []string) {
	for i, m := range slices.Backward(said) {
		s := &sheet{pen: p, w: w}
		s.message(m)
		if rows = append(s.rows, rows...); len(rows) >= maxPretty && i > 0 {
			return append([]string{fit(s.label("")+p.dim.on(p.ellipsis+" "+count(i, "message")+" before"), w)}, rows...)
		}
	}
	return rows
}

// message is one that a model was sent, or answered.
func (s *sheet) message(m core.Message) {
	name := safe.Line(string(m.Role))
	if m.Role == core.RoleTool {
		name = safe.Line(m.Name)
	}
	s.field("thought", s.thought, m.Thinking)
	s.field(cut(name, labelWide-1, s.ellipsis), s.text, m.Text)
	for _, f := range m.Files {
		s.field("file", s.dim, f.String())
	}
	for _, c := range m.Calls {
		s.field("calls", s.text, safe.Line(c.Tool)+" "+string(c.Args))
	}
}

// backRows are what came back.
func backRows(p *pen, x core.Exchange, end core.LLMCallEnd, w int) []string {
	title := "came back"
	if end.Reason != "" {
		title += " " + p.dot + " " + safe.Line(end.Reason)
	}
	s := &sheet{pen: p, w: w, rows: []string{rule(p, title, "", w)}}
	if x.Answer != nil {
		s.message(*x.Answer)
	}
	s.field("error", s.bad, x.Error)
	if len(s.rows) == 1 {
		none := "nothing yet"
		if x.Stored {
			none = "it is not stored: it could not be used, or is not there yet"
		}
		s.field("", s.dim, none)
	}
	return s.rows
}
