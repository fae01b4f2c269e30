package tui

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/text"
	"github.com/yaap-chat/yaap/core/wire"
)

const (
	wireEvery = 250 * time.Millisecond // while it looks
	wireWide  = 100                    // cells from which on an answer stands beside its request
	maxSought = 4 << 10                // bytes of a frame in which the words of a filter are looked for
)

// wirePane shows what passes between the room and its experts, callers and models,
// the newest last. It looks from when it is opened until x is typed in it or another
// pane is chosen: what passes while the user types in the chat is seen.
type wirePane struct {
	host
	lister[wire.Frame]
	end    func()            // of looking; nil: it does not look
	looks  int               // how often it has begun to
	at     map[uint64]int    // the place of a frame among all
	answer map[uint64]uint64 // the answer of a request
	detail paneCache
}

func newWirePane(h host) pane {
	l := &wirePane{host: h}
	l.fits, l.unfolded, l.follow = holdsFrame, true, true
	return l
}

func (l *wirePane) Open() tea.Cmd {
	if l.end != nil {
		return nil
	}
	l.end = l.m.b.Wire().Capture()
	l.looks++
	return l.watch(l.looks)
}

// watch reads what is new, again and again while the pane looks for that time.
func (l *wirePane) watch(look int) tea.Cmd {
	if l.end == nil || l.looks != look {
		return nil
	}
	l.refresh()
	if l.m.shown() != pane(l) {
		l.stop()
		return nil
	}
	return l.m.after(wireEvery, then(func() tea.Cmd { return l.watch(look) }))
}

func (l *wirePane) stop() {
	if l.end != nil {
		l.end()
		l.end = nil
	}
}

// refresh takes the frames that are kept, if there are new ones.
func (l *wirePane) refresh() {
	last := uint64(0)
	if n := len(l.all); n > 0 {
		last = l.all[n-1].Seq
	}
	if len(l.m.b.Wire().Since(last)) == 0 {
		return
	}
	chosen := l.chosen()
	l.all, l.stale = l.m.b.Wire().Since(0), true
	l.at, l.answer = map[uint64]int{}, map[uint64]uint64{}
	for i, f := range l.all {
		l.at[f.Seq] = i
		if f.To > 0 {
			l.answer[f.To] = f.Seq
		}
	}
	i := slices.IndexFunc(l.visible(), func(f wire.Frame) bool { return f.Seq == chosen.Seq })
	if !l.follow && i >= 0 {
		l.cursor = i
	}
}

// holdsFrame reports whether a frame holds all words.
func holdsFrame(f wire.Frame, words []string) bool {
	text := string(f.Text[:min(len(f.Text), maxSought)])
	about := strings.Join([]string{f.Who, f.Method, f.Tool, "#" + f.ID, string(f.Kind), string(f.Dir), f.Via, text}, " ")
	return len(words) == 0 || holdsAll(strings.ToLower(about), words)
}

// pair is a frame as the request or the answer that it is, and the other one as far
// as it is kept. A frame that is neither is the first.
func (l *wirePane) pair(f wire.Frame) (request, answer wire.Frame) {
	get := func(seq uint64) (other wire.Frame) {
		if i, ok := l.at[seq]; ok {
			other = l.all[i]
		}
		return other
	}
	switch f.Kind {
	case wire.Answer, wire.Failure:
		return get(f.To), f
	case wire.Request:
		return f, get(l.answer[f.Seq])
	case wire.Notification, wire.Noise:
	}
	return f, answer
}

func (l *wirePane) View(f field) []string {
	p, w, shown := f.pen, f.w, l.visible()
	head := l.head(p, w)
	if len(shown) == 0 {
		words := l.Nothing("Nothing has passed yet. Ask something in the chat: what passes meanwhile is seen here.")
		switch {
		case l.filter != "" && len(l.all) > 0:
			words = "No frame holds " + p.quoted(safe.Line(l.filter)) + "."
		case l.end == nil:
			words = "Nothing was looked at."
		}
		return append([]string{head}, p.nothing(words, w)...)
	}
	f.h--
	who := 0
	line := func(i int) string {
		if who == 0 { // this is the first row
			for _, frame := range shown[i:min(i+f.h, len(shown))] {
				who = max(who, min(width(safe.Line(frame.Who)), max(w/6, 8)))
			}
		}
		return l.line(p, shown[i], who, w)
	}
	return append([]string{head}, l.table(f, len(shown), line, func(i int) (string, []string) {
		frame := shown[i]
		return "#" + fmt.Sprint(frame.Seq) + " " + safe.Line(strings.TrimSpace(frame.Who+" "+frame.Method+" "+frame.Tool)), l.describe(p, frame, w)
	})...)
}

// head says whether the pane looks, and at how much.
func (l *wirePane) head(p *pen, w int) string {
	dot := p.dim.on("  " + p.dot + "  ")
	left, right := " "+p.ok.on("looking"), p.dim.on("x ends ")
	if l.end == nil {
		left, right = " "+p.warn.on("not looking"), p.dim.on("x begins ")
	}
	number := count(len(l.all), "frame")
	if n := len(l.all); n > 0 && l.all[0].Seq > 1 {
		number = fmt.Sprintf("the last %d of %d frames", n, l.all[n-1].Seq)
	}
	left += dot + p.dim.on(number)
	waiting := 0
	for _, f := range l.all {
		if f.Kind == wire.Request && l.answer[f.Seq] == 0 {
			waiting++
		}
	}
	if waiting > 0 {
		left += dot + p.dim.on(fmt.Sprintf("%d not answered yet", waiting))
	}
	return ends(left, right, w, p.ellipsis)
}

func (p *pen) direction(f wire.Frame) string {
	if f.Dir == wire.Out {
		return p.into
	}
	return p.outof
}

// line is a frame in one row: when, whereto, who, what, its id, how long, how much.
func (l *wirePane) line(p *pen, f wire.Frame, who, w int) string {
	clock := "15:04:05.000"
	if w < wireWide {
		clock = "05.000"
	}
	row := " " + p.dim.on(f.Time.Format(clock)) + "  " + p.accent.on(p.direction(f)) + " " + p.text.on(fit(cut(safe.Line(f.Who), who, p.ellipsis), who)) + "  "
	tone, what := p.dim, strings.TrimSpace(f.Method+" "+f.Tool)
	switch f.Kind {
	case wire.Request:
		tone = p.text
	case wire.Failure:
		tone = p.bad
		what += " failed"
	case wire.Noise:
		tone = p.warn
		what = "no message: " + string(f.Text[:min(len(f.Text), 200)])
	case wire.Answer, wire.Notification:
	}
	id, ms := "", ""
	if f.ID != "" {
		id = "#" + safe.Line(strings.Trim(f.ID, `"`))
	}
	if f.To > 0 {
		ms = fmt.Sprintf("%.1f ms", f.MS)
	}
	right := "  " + p.dim.on(pad(cut(id, 8, p.ellipsis), 8)+"  "+pad(ms, 11)+"  "+pad(text.Size(f.Size), 8)) + " "
	return fit(row+tone.on(cut(safe.Line(what), max(w-width(row)-width(right), 0), p.ellipsis)), w-width(right)) + right
}

// describe is a request beside its answer; where the pane is narrow, the one under the
// cursor above the other.
func (l *wirePane) describe(p *pen, f wire.Frame, w int) []string {
	request, answer := l.pair(f)
	return l.detail.draw([5]any{request.Seq, answer.Seq, f.Seq, w, p.look}, func() []string {
		none := "its request was not seen"
		if request.Seq != 0 {
			none = ""
		}
		if request.Kind == wire.Request && answer.Seq == 0 {
			none = "no answer yet"
		}
		alone := answer.Seq == 0 && request.Kind != wire.Request
		if !alone && w >= wireWide {
			half := (w - 1) / 2
			left, right := p.framed(request, none, half), p.framed(answer, none, w-half-1)
			return besideEach(p, left, half, right, w-half-1, max(len(left), len(right)))
		}
		left, right := p.framed(request, none, w), p.framed(answer, none, w)
		switch {
		case alone:
			return left
		case f.Seq == answer.Seq:
			return append(right, left...)
		}
		return append(left, right...)
	})
}

// framed is all about one frame; none is said where there is none.
func (p *pen) framed(f wire.Frame, none string, w int) []string {
	if f.Seq == 0 {
		return []string{fit(" "+p.dim.on(none), w)}
	}
	facts := []string{f.Time.Format("15:04:05.000"), text.Size(f.Size)}
	if f.To > 0 {
		facts = append(facts, fmt.Sprintf("%.1f ms", f.MS))
	}
	if f.Cut {
		facts = append(facts, p.warn.on("only its first "+text.Size(wire.MaxText)+" are kept"))
	}
	rows := []string{fit(" "+p.accent.on(p.direction(f))+" "+p.text.on(string(f.Kind))+p.dim.on("  "+strings.Join(facts, " "+p.dot+" ")), w)}
	if json.Valid([]byte(f.Text)) {
		return append(rows, prettyJSON(p, json.RawMessage(f.Text), w)...)
	}
	return append(rows, hung(" ", p.text.each(first(wrap(safe.Text(string(f.Text)), max(w-2, 8)), maxPretty)))...)
}

// Key implements [pane]. The filter leaves the frames that hold all words.
func (l *wirePane) Key(k press) (tea.Cmd, bool) {
	switch k.do {
	case actFilter:
		l.filter, l.stale = k.text, true
		l.cursor = len(l.all) // the last that fits
		return nil, true
	case actLook:
		if l.end == nil {
			return l.Open(), true
		}
		l.refresh()
		l.stop()
		return nil, true
	default:
	}
	return nil, l.steer(k, l.unfolded, l.move)
}

func (l *wirePane) Hints() hints {
	var keys [][2]string
	if len(l.all) > 0 {
		keys = [][2]string{{"j k", "choose"}, {"enter", "detail"}, {"/", "filter"}, {"y", "copy"}}
	}
	x := "end"
	if l.end == nil {
		x = "begin"
	}
	return hints{keys: append(keys, [2]string{"x", x}), words: l.filter}
}

// copied is the chosen frame and the one that belongs to it, as JSON.
func (l *wirePane) copied() string {
	var list []wire.Frame
	request, answer := l.pair(l.chosen())
	for _, f := range []wire.Frame{request, answer} {
		if f.Seq != 0 {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return jsonOf(list)
}
