package tui

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/runlog"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	maxEntries    = 1000 // that are kept
	maxFound      = 100
	maxUnrecorded = 50
	maxVersions   = 100         // of a context
	maxID         = 100         // characters of an id, or a title
	maxRaw        = 1 << 15     // bytes of an entry that are kept
	readAgain     = time.Second // at the soonest after a run
	readAgainMost = 10          // times after a run
)

// memoryPart is the part of a memory that is shown.
type memoryPart int

const (
	partEntries memoryPart = iota
	partContext
)

// memoryPane shows what is remembered, as the room told it last.
type memoryPane struct {
	host
	browser                 // of the entries, or of what was found
	filter  string          // what is searched for
	want    string          // id of the memory that is asked for; empty: the room's own
	view    core.MemoryView // entries and contexts are sorted, the newest first
	told    int             // rises with every answer
	err     error
	sought  string // the words that were searched for
	tab     memoryPart
	version int // of the context; 0: the newest
	below   int // rows of the context that are above the window
	reading memoryReading
	detail  paneCache
	doc     paneCache
}

// memoryReading is how far reading a memory is. There is one question at a
// time; what comes up meanwhile is asked after it.
type memoryReading struct {
	busy, again bool
	begun       bool // something was told
	whole       bool // there are no older entries
	turn        int  // rises when another memory is asked for
	timer       bool // it will be looked again
	left        int  // how often what follows a run is looked for
	last        time.Time
}

func newMemoryPane(h host) pane { return &memoryPane{host: h} }

func (l *memoryPane) Open() tea.Cmd { return l.openMemory(l.want) }

// Event implements [pane]: after a run what is remembered of it is looked for at
// once and a second later, then as long as something waits.
func (l *memoryPane) Event(e core.Event) tea.Cmd {
	if !l.Seen() || !endsRun(e) {
		return nil
	}
	l.reading.left = readAgainMost
	return l.afterRun()
}

// openMemory reads a memory from its newest entries on, and forgets what was
// told before: it may have been forgotten.
func (l *memoryPane) openMemory(id string) tea.Cmd {
	l.want, l.view.Messages, l.view.Entries, l.view.Found, l.view.Contexts = id, nil, nil, nil, nil
	l.cursor, l.top, l.version, l.below, l.scrolled = 0, 0, 0, 0, 0
	l.sought, l.reading.whole, l.reading.begun = "", false, false
	l.reading.turn++
	l.told++
	return l.read()
}

// read asks for the newest entries, or for those that hold the words.
func (l *memoryPane) read() tea.Cmd {
	if l.reading.busy {
		l.reading.again = true
		return nil
	}
	l.reading.last = time.Now()
	return l.ask(core.MemoryQuery{Memory: l.want, Search: begun(l.filter), Sources: l.tab == partContext})
}

// begun is a search while it is being typed: of the last word more may follow.
func begun(words string) string {
	if r, _ := utf8.DecodeLastRuneInString(words); unicode.IsLetter(r) || unicode.IsNumber(r) {
		return words + "*"
	}
	return words
}

func (l *memoryPane) ask(q core.MemoryQuery) tea.Cmd {
	r := &l.reading
	r.busy, r.again = true, false
	turn, words := r.turn, l.filter
	memory := func(ctx context.Context, b Backend) (core.MemoryView, error) { return b.Memory(ctx, q) }
	return await(l.m, memory, func(v core.MemoryView, err error) tea.Cmd {
		if r.busy = false; turn == r.turn {
			l.set(q, words, v, err)
		}
		return l.more(err)
	})
}

// more asks what came up while the room was asked.
func (l *memoryPane) more(err error) tea.Cmd {
	r := &l.reading
	if err != nil || l.view.Failure != "" || l.view.Waiting == 0 && r.left < readAgainMost-1 {
		r.left = 0
	}
	if r.again {
		return l.read()
	}
	if cmd := l.older(); cmd != nil {
		return cmd
	}
	return l.afterRun()
}

// afterRun reads what comes of a run, at most once a second.
func (l *memoryPane) afterRun() tea.Cmd {
	r := &l.reading
	if r.timer || r.busy || r.left == 0 {
		return nil
	}
	if !l.Seen() {
		r.left = 0
		return nil
	}
	if wait := readAgain - time.Since(r.last); wait > 0 {
		r.timer = true
		return l.m.after(wait, then(func() tea.Cmd {
			r.timer = false
			return l.afterRun()
		}))
	}
	r.left--
	return l.read()
}

// older reads more entries when the list is at its end.
func (l *memoryPane) older() tea.Cmd {
	n := len(l.view.Entries)
	if !l.Seen() || l.searching() || l.tab != partEntries || l.reading.whole || l.reading.busy || l.err != nil || n == 0 {
		return nil
	}
	if max(l.top+l.m.screen.inspector.h, l.cursor+1) < n {
		return nil
	}
	return l.ask(core.MemoryQuery{Memory: l.want, Before: l.view.Entries[n-1].Seq})
}

// pick lets the user choose another memory.
func (l *memoryPane) pick() tea.Cmd {
	if len(l.view.Memories) < 2 {
		return l.m.say(toneAsk, "there is no other memory")
	}
	var all []choice
	for _, x := range l.view.Memories {
		right := ""
		if x.ID == l.view.Chosen.ID {
			right = "this one"
		}
		all = append(all, choice{text: l.path(x, "/"), right: right, key: x.ID})
	}
	l.m.choose("Memories", all, func(c choice) tea.Cmd { return l.openMemory(c.key) })
	return nil
}

// set takes what was told of a question, and of the words of its search as they were typed.
func (l *memoryPane) set(q core.MemoryQuery, words string, v core.MemoryView, err error) {
	if l.err = err; err != nil {
		return
	}
	l.told++
	chosen := l.chosen()
	before := len(l.view.Entries)
	entries := l.joined(v.Entries, q.Before > 0)
	if q.Before > 0 {
		l.reading.whole = len(entries) == before || len(entries) >= maxEntries
		l.view.Entries = entries
		return
	}
	v.Entries, l.sought, l.reading.begun = entries, words, true
	v.Found = bounded(v.Found, maxFound, func(f *core.Found) {
		boundEntry(&f.Entry)
		f.Match = runlog.Shorten(f.Match)
	})
	v.Messages = bounded(v.Messages, maxUnrecorded, boundEntry)
	v.Contexts = l.versions(v.Contexts, q.Search != "")
	v.Sources = bounded(v.Sources, maxVersions, func(s *core.Source) { boundEntry(&s.Entry) })
	l.view = v
	for i := range l.len() {
		if l.cursor > 0 && l.at(i).Entry.ID == chosen.Entry.ID { // at the first row the newest is shown
			l.cursor = i
			break
		}
	}
	l.clamp(l.len())
}

// joined returns the entries with those that were told now, the newest first.
// Older ones stay where nothing is between them and the new.
func (l *memoryPane) joined(more []core.Entry, older bool) []core.Entry {
	more = bounded(more, maxEntries, boundEntry)
	slices.SortStableFunc(more, func(a, b core.Entry) int { return cmp.Compare(b.Seq, a.Seq) })
	have := l.view.Entries
	if len(more) == 0 {
		return have
	}
	if older && len(have) > 0 {
		last := have[len(have)-1].Seq
		more = slices.DeleteFunc(more, func(e core.Entry) bool { return e.Seq >= last })
		return first(slices.Concat(have, more), maxEntries)
	}
	last := more[len(more)-1].Seq
	i := slices.IndexFunc(have, func(e core.Entry) bool { return e.Seq <= last })
	if i < 0 || have[i].Seq != last { // some that are between may not have been told
		l.reading.whole = false
		return more
	}
	return first(slices.Concat(more, have[i+1:]), maxEntries)
}

// versions returns the versions of the context, the newest first. Where they
// were not asked for, those that are known stay.
func (l *memoryPane) versions(docs []core.ContextDoc, maybe bool) []core.ContextDoc {
	if len(docs) == 0 && maybe {
		return l.view.Contexts
	}
	docs = slices.Clone(docs)
	slices.SortStableFunc(docs, func(a, b core.ContextDoc) int { return cmp.Compare(b.Seq, a.Seq) })
	docs = bounded(docs, maxVersions, func(d *core.ContextDoc) { d.Content = runlog.Shorten(d.Content) })
	at := int64(0)
	if l.version > 0 && l.version < len(l.view.Contexts) {
		at = l.view.Contexts[l.version].Seq
	}
	l.version = max(slices.IndexFunc(docs, func(d core.ContextDoc) bool { return d.Seq == at }), 0)
	return docs
}

func boundEntry(e *core.Entry) {
	if len(e.Raw) > maxRaw {
		e.Raw = strings.ToValidUTF8(e.Raw[:maxRaw], "") + "…"
	}
	e.Summary, e.Reason = runlog.Shorten(e.Summary), runlog.Shorten(e.Reason)
}

func (l *memoryPane) searching() bool { return l.filter != "" }

// len and at are the rows: what was found, or else the entries.
func (l *memoryPane) len() int {
	if l.searching() {
		return len(l.view.Found)
	}
	return len(l.view.Messages) + len(l.view.Entries)
}

func (l *memoryPane) at(i int) core.Found {
	if l.searching() {
		return l.view.Found[i]
	}
	if n := len(l.view.Messages); i >= n {
		return core.Found{Entry: l.view.Entries[i-n]}
	}
	return core.Found{Entry: l.view.Messages[i]}
}

// chosen is the entry under the cursor, the zero one when there is none.
func (l *memoryPane) chosen() core.Found {
	if l.cursor < l.len() {
		return l.at(l.cursor)
	}
	return core.Found{}
}

func (l *memoryPane) Key(k press) (tea.Cmd, bool) {
	switch k.do {
	case actMemories:
		return l.pick(), true
	case actRefresh:
		return l.read(), true
	case actFilter:
		return l.search(k.text), true
	case actLeft, actRight:
		if l.tab = partContext - l.tab; l.tab == partContext {
			return l.read(), true
		}
		return nil, true
	case actOlderRun, actNewerRun:
		step := 1
		if k.do == actNewerRun {
			step = -1
		}
		l.tab, l.below = partContext, 0
		l.version = max(min(l.version+step, len(l.view.Contexts)-1), 0)
		return nil, true
	}
	if l.tab == partEntries {
		known := l.steer(k, l.unfolded, func(n int) {
			l.move(n)
			l.clamp(l.len())
		})
		return l.older(), known
	}
	if k.do == actOpen {
		return l.sources(), true
	}
	text := browser{cursor: l.below}
	known := text.steer(k, false, text.move)
	l.below = text.cursor
	return nil, known
}

// sources lets the user open an entry that the context comes from.
func (l *memoryPane) sources() tea.Cmd {
	sources := l.view.Sources
	if l.version != 0 || len(sources) == 0 {
		return l.m.say(toneAsk, "no entry is known that this comes from")
	}
	var all []choice
	for i, s := range sources {
		all = append(all, choice{text: safe.Cut(s.Note, maxID), right: s.Entry.Created.Format(onDay) + " #" + itoa(int(s.Entry.Seq)), key: itoa(i)})
	}
	l.m.choose("What the context comes from", all, func(c choice) tea.Cmd {
		n, _ := strconv.Atoi(c.key)
		s := sources[n]
		l.tab, l.filter, l.cursor, l.top, l.scrolled, l.unfolded = partEntries, safe.Cut(s.Note, maxID), 0, 0, 0, true
		l.view.Found, l.sought = []core.Found{{Entry: s.Entry}}, l.filter
		l.told++
		return nil
	})
	return nil
}

// search looks for words.
func (l *memoryPane) search(words string) tea.Cmd {
	if words == l.filter {
		return nil
	}
	l.cursor, l.top, l.scrolled = 0, 0, 0
	if l.filter = words; words != "" {
		l.tab = partEntries
	}
	return l.read()
}

// copied is the chosen entry word for word, or the context.
func (l *memoryPane) copied() string {
	if l.tab == partContext {
		if l.version < len(l.view.Contexts) {
			return safe.Text(l.view.Contexts[l.version].Content)
		}
		return ""
	}
	return safe.Text(l.chosen().Entry.Raw)
}

func (l *memoryPane) Hints() hints {
	keys := [][2]string{{"enter", "raw text"}, {"/", "search"}, {"h l", "context"}}
	if l.tab == partContext {
		keys = [][2]string{{"enter", "where it comes from"}, {"[ ]", "versions"}, {"h l", "entries"}}
	}
	if len(l.view.Memories) > 1 {
		keys = append(keys, [2]string{"m", "memory"})
	}
	return hints{keys: append(keys, [2]string{"y", "copy"}), words: l.filter}
}
