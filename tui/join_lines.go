package tui

import (
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

// joinLine is who came before anything was said, in one line.
type joinLine struct {
	line    *remark
	names   []string
	awaited map[string]bool // on their way when the user had said nothing yet
	count   int             // experts in the room, as last reported
	group   joinGroup
}

// joinGroup is who joined within a moment, in one line.
type joinGroup struct {
	line   *remark
	names  []string
	before int // experts in the room
	at     time.Time
}

// join says that an expert came. Those that are here at the start share one
// line; who comes back has one of its own, below that of its leaving.
func (c *chat) join(b core.ExpertJoined) {
	name := safe.Line(b.Name)
	before := c.arrived(b.Count)
	early := c.room.awaited[name] || !c.said && time.Unix(0, c.canvas.now).Sub(c.started) < 20*time.Second
	if r := &c.room; early && !slices.Contains(r.names, name) {
		delete(r.awaited, name)
		r.names = append(r.names, name)
		slices.Sort(r.names)
		if r.line == nil {
			r.line = &remark{sign: c.canvas.into, tone: toneGood}
			c.remark(r.line)
		}
		verb := " are in the room"
		if len(r.names) == 1 {
			verb = " is in the room"
		}
		r.line.text, r.line.short = strings.Join(r.names, ", ")+verb, count(len(r.names), "expert")+verb
		r.line.version++
		return
	}
	g := &c.room.group
	if i := c.place(); i > 0 && g.line != nil && c.items[i-1] == item(g.line) && c.canvas.at().Sub(g.at) < 2*time.Second {
		g.names = append(g.names, name)
		g.line.all = strings.Join(g.names, ", ") + " joined"
		g.line.head, g.line.text, g.line.right = someOf(g.names)+" joined", "", c.canvas.became(g.before, b.Count)
		g.line.version++
		return
	}
	*g = joinGroup{
		line: &remark{
			sign: c.canvas.into, head: name + " joined", text: safe.Cut(strings.TrimPrefix(b.Description, b.Name+": "), 200),
			right: c.canvas.became(before, b.Count), tone: toneGood,
		},
		names: []string{name}, before: before, at: c.canvas.at(),
	}
	c.remark(g.line)
}

// place is where a line about the room belongs: above the answer that goes on, which
// would push it away, else at the end.
func (c *chat) place() int {
	if a := c.active(); a != nil {
		return slices.IndexFunc(c.items, func(it item) bool { return it == item(a) })
	}
	return len(c.items)
}

// remark shows a line about the room. Such lines stand together.
func (c *chat) remark(r *remark) {
	i := c.place()
	r.tight = i == 0 || i < len(c.items)
	if i > 0 {
		_, after := c.items[i-1].(*remark)
		r.tight = r.tight || after
	}
	if i == len(c.items) {
		c.push(r)
		return
	}
	c.insert(i, r)
}

func (c *chat) leave(b core.ExpertLeft) {
	why := safe.Line(b.Detail)
	tone := toneBad
	if b.Reason == core.LeftGoodbye || b.Reason == core.LeftRemoved {
		tone = toneQuiet
	}
	switch {
	case why == "":
		why = leaveWords(b.Reason)
	case b.Reason == core.LeftGoodbye:
		why = leaveWords(b.Reason) + ": " + why
	}
	c.remark(&remark{sign: c.canvas.outof, head: safe.Line(b.Name) + " left", text: why, right: c.canvas.became(c.arrived(b.Count), b.Count), tone: tone})
}

// status says that an expert is given up. What else happens to one is seen in
// the sidebar, or is told when it joins or leaves.
func (c *chat) status(b core.ExpertStatus) {
	if b.State == core.ExpertJoining && !c.said {
		if c.room.awaited == nil {
			c.room.awaited = map[string]bool{}
		}
		c.room.awaited[safe.Line(b.Name)] = true
	}
	switch b.State {
	case core.ExpertSignedOut:
		c.remark(&remark{sign: "!", head: safe.Line(b.Name), text: safe.Line(b.Message), tone: toneAsk, whole: true})
		return
	case core.ExpertQuarantined:
	default:
		return
	}
	c.remark(&remark{sign: c.canvas.failed, head: safe.Line(b.Name) + " does not work", text: safe.Line(b.Message), tone: toneBad, whole: true, hint: "/experts restart " + safe.Line(b.Name) + " tries again, f2 shows what it printed"})
}

// arrived notes how many are in the room and returns how many there were.
func (c *chat) arrived(n int) int {
	before := c.room.count
	c.room.count = n
	return before
}

func leaveWords(r core.LeaveReason) string {
	switch r {
	case core.LeftGoodbye:
		return "said goodbye"
	case core.LeftExited:
		return "its process ended"
	case core.LeftLost:
		return "its connection ended"
	case core.LeftRemoved:
		return "removed"
	case core.LeftQuarantined:
		return "failed too often"
	}
	return safe.Line(string(r))
}

func (p *pen) quoted(s string) string {
	if s == "" {
		return ""
	}
	return p.lquote + s + p.rquote
}

func (p *pen) became(before, after int) string {
	switch {
	case after <= 0:
		return "the room is empty"
	case before == after:
		return itoa(after) + " in the room"
	}
	return itoa(before) + " " + p.into + " " + itoa(after) + " in the room"
}

// changed tells what is new about an expert.
func (c *chat) changed(b core.ExpertChanged) {
	say := func(text string, t tone) {
		c.remark(&remark{sign: c.canvas.dot, head: safe.Line(b.Name), text: safe.Cut(text, 300), tone: t})
	}
	if len(b.Hidden) > 0 {
		say("changed "+someOf(own(b.Name, b.Hidden))+": hidden until you have seen how, with /trust "+b.Name, toneAsk)
	}
	var news []string
	if len(b.Added) > 0 {
		news = append(news, "can now do "+someOf(own(b.Name, b.Added)))
	}
	if len(b.Removed) > 0 {
		news = append(news, "cannot do "+someOf(own(b.Name, b.Removed))+" any more")
	}
	if len(news) == 0 && len(b.Hidden) == 0 {
		news = append(news, "says other things of itself: its "+strings.Join(b.Changed, " and its "))
	}
	if len(news) > 0 {
		say(strings.Join(news, ", and "), toneQuiet)
	}
}

// own are the names of an expert's tools without its own.
func own(expert string, tools []string) []string {
	names := make([]string, len(tools))
	for i, tool := range tools {
		names[i] = strings.TrimPrefix(tool, expert+"__")
	}
	return names
}

// someOf names the first of some tools.
func someOf(names []string) string {
	const most = 4
	if more := len(names) - most; more > 0 {
		return strings.Join(names[:most], ", ") + " and " + itoa(more) + " more"
	}
	return strings.Join(names, ", ")
}
