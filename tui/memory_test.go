package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
)

var remembering = time.Date(2026, 1, 15, 12, 2, 11, 0, time.UTC)

// entries are n entries of a memory, the newest first.
func entries(n int) []core.Entry {
	said := []core.Entry{
		{Role: core.RoleUser, Raw: "Who touched the lease code last?", Summary: "Asked who last touched the lease code."},
		{Role: core.RoleAssistant, Raw: "Not quite: one of its two numbers is old.\n\n1. The lease is 45 s.\n2. Drain is 5 s.", Summary: "Explained drain: 5 s since 2026-01-13."},
		{Role: core.RoleUser, Raw: "Drain is 5 s, not 10.", Summary: "Drain is 5 s.", Corrects: "e1", Reason: "the commit of Tuesday"},
		{Role: core.RoleTool, EntryState: core.EntryState{Redacted: remembering}, Raw: ""},
	}
	var out []core.Entry
	for i := range n {
		e := said[i%len(said)]
		e.Seq = int64(n - i)
		e.ID, e.Thread, e.Message = fmt.Sprintf("e%d", e.Seq), "t1", fmt.Sprintf("m%d", e.Seq)
		e.Created = remembering.Add(-time.Duration(i) * 7 * time.Minute)
		e.Tags = map[string]string{"topic": "leases", "file": "core/hub/lease.go"}
		out = append(out, e)
	}
	return out
}

// withMemory is a room that remembers n messages, in pages of ten.
func withMemory(n int) *fake {
	f := settled()
	all := entries(n)
	f.memory = func(q core.MemoryQuery) (core.MemoryView, error) {
		v := core.MemoryView{
			Vaults:   []core.Vault{{ID: "v1", Title: "default"}},
			Memories: []core.Memory{{ID: "x1", Vault: "v1", Title: "infra-notes"}, {ID: "x2", Vault: "v1", Title: "garden"}},
			Waiting:  3, NextFlush: 2, Flushed: remembering,
		}
		v.Chosen = v.Memories[0]
		if q.Memory == "x2" {
			v.Chosen, v.Off = v.Memories[1], true
			return v, nil
		}
		for _, e := range all {
			if (q.Before == 0 || e.Seq < q.Before) && len(v.Entries) < 10 {
				v.Entries = append(v.Entries, e)
			}
			words := strings.TrimSuffix(q.Search, "*")
			if i := strings.Index(e.Raw, words); words != "" && i >= 0 {
				j := i + len(words)
				v.Found = append(v.Found, core.Found{Entry: e, Score: float64(len(words)) / 10, Parts: map[string]float64{"bm25": 4.2, "vector": 0.31}, Match: e.Raw[:i] + "\x02" + e.Raw[i:j] + "\x03" + e.Raw[j:]})
			}
		}
		v.Contexts = []core.ContextDoc{
			{ID: "c1", Seq: 1, Created: remembering, Content: "# What this is about\nLeases and drains.\n\n## Facts\n- Drain is 10 s.\n"},
			{ID: "c2", Seq: 2, Created: remembering.Add(time.Hour), Content: "# What this is about\nLeases and drains.\n\n## Facts\n- Drain is 5 s.\n- The lease is 45 s.\n"},
		}
		return v, nil
	}
	return f
}

func TestTheMemoryInspector(t *testing.T) {
	for _, c := range []struct {
		w, h int
		env  map[string]string
	}{{80, 24, nil}, {120, 40, nil}, {200, 60, nil}, {79, 24, map[string]string{"LANG": "C", "NO_COLOR": "1"}}} {
		for _, part := range []struct {
			name, see string
			keys      []string
		}{
			{"entries", "when      2026-01-15", []string{"j", "enter"}},
			{"context", "+ - Drain is 5 s.", []string{"l"}},
			{"search", "FOUND", []string{"/", "lease"}},
		} {
			if part.name != "entries" && (c.w == 120 || c.env != nil) {
				continue // it differs as the entries do
			}
			t.Run(fmt.Sprintf("%dx%d/%s", c.w, c.h, part.name), func(t *testing.T) {
				x := start(t, setup{w: c.w, h: c.h, env: c.env, o: Options{Title: "infra-notes", Model: "offline"}}, withMemory(9))
				x.press("f5")
				x.see("Drain is 5 s.", "context in 2 messages")
				x.press(part.keys...)
				x.see(part.see)
				if part.name == "search" {
					x.press("enter")
					x.gone("enter keeps")
				}
				x.golden()
			})
		}
	}
}

func TestACorrectedEntryTellsWhatCorrectsIt(t *testing.T) {
	f := withMemory(3)
	tell := f.memory
	f.memory = func(q core.MemoryQuery) (core.MemoryView, error) {
		v, err := tell(q)
		if len(v.Entries) == 3 {
			v.Entries[1].Corrected = "e3"
		}
		return v, err
	}
	x := start(t, setup{w: 120, h: 40}, f)
	x.press("f5")
	x.see("corrected Explained drain")
	x.press("j", "enter")
	x.see("corrected by what was said on 15 January 2026, 12:02: Asked who last")
	x.see("15 January 2026, 11:55 until 15 January 2026, 12:02: Explained drain")
	x.see("15 January 2026, 12:02 until now: Asked who last touched the lease code.")
}

func TestALineOfTheContextLeadsToTheEntryThatItComesFrom(t *testing.T) {
	f := withMemory(9)
	tell := f.memory
	f.memory = func(q core.MemoryQuery) (core.MemoryView, error) {
		v, err := tell(q)
		if q.Sources {
			v.Sources = []core.Source{{Note: "Drain is 5 s.", Entry: v.Entries[2]}}
		}
		return v, err
	}
	x := start(t, setup{w: 120, h: 40}, f)
	x.press("f5")
	x.see("Drain is 5 s.")
	x.press("l")
	x.see("enter where it comes from   [ ]")
	x.golden("said by user on 15 January 2026, 11:48 (#7)")
	x.press("enter")
	x.see("What the context comes from")
	x.press("enter")
	x.see("user on 15 January 2026, 11:48, #7")
	x.see("said      Drain is 5 s, not 10.")
}

func TestAnEntryThatIsFoundTellsWhy(t *testing.T) {
	x := start(t, setup{w: 120, h: 40}, withMemory(9))
	x.press("f5")
	x.see("Drain is 5 s.")
	x.press("/", "lease", "enter", "enter")
	x.see("why       says lease; is tagged file=core/hub/lease.go, topic=leases; means something near")
}

func TestWhatIsWrongWithTheMemoryIsSaidWithWhatToType(t *testing.T) {
	f := withMemory(9)
	tell := f.memory
	f.memory = func(q core.MemoryQuery) (core.MemoryView, error) {
		v, err := tell(q)
		v.Broken = &core.Error{Code: core.CodeNoModel, Message: "Ollama has no model herons", Hint: "ollama pull herons gets it"}
		return v, err
	}
	x := start(t, setup{w: 120, h: 40}, f)
	x.press("f5")
	x.see("Searches go by words alone: Ollama has no model herons")
	x.see("ollama pull herons gets it")
	x.press("/", "lease")
	x.see("FOUND")
	x.see("3 messages cannot be found yet: their entries are being written.")
	x.press("enter")
	x.gone("enter keeps")
	x.golden()
}

func TestACorrectionThatIsFoundInPlaceOfAnEntryShowsItsOwnWords(t *testing.T) {
	f := withMemory(3)
	tell := f.memory
	f.memory = func(q core.MemoryQuery) (core.MemoryView, error) {
		v, err := tell(q)
		if q.Search != "" {
			right := core.Entry{ID: "right", Seq: 9, Role: core.RoleUser, Raw: "It is a kestrel.", Summary: "It is a kestrel.", Corrects: "wrong", Created: remembering}
			v.Found = []core.Found{{Entry: right, Match: "It is a kestrel. (in place of: My favourite bird has always been the \x02heron\x03.)", Parts: map[string]float64{"corrects": 1}}}
		}
		return v, err
	}
	x := start(t, setup{w: 80, h: 24}, f)
	x.press("f5")
	x.see("Drain is 5 s.")
	x.press("/", "heron")
	x.see("corrects  It is a kestrel.")
}

func TestARoomWithoutAMemoryDoesNotSayThatItCanBeTurnedOn(t *testing.T) {
	f := settled()
	f.memory = func(core.MemoryQuery) (core.MemoryView, error) { return core.MemoryView{Off: true}, nil }
	x := start(t, setup{w: 120, h: 40}, f)
	x.press("f5")
	x.see("off in the configuration")
	x.gone("/memory on")
}

func TestTheMemoryIsOpenedByItsCommandAndAnotherOneCanBeChosen(t *testing.T) {
	f := withMemory(5)
	x := start(t, setup{w: 120, h: 40}, f)
	x.press("/memory", "enter")
	x.see("default / infra-notes  ·  3 waiting  ·  context in 2 messages")
	x.press("m")
	x.see("this one")
	x.press("garden", "enter")
	x.see("default / garden  ·  off")
	x.see("memory is off. /memory on turns it on.")
	x.press("esc")
	x.gone("default / garden")
	x.press("/memory forget e1", "enter")
	x.see("did memory forget e1")
	f.mu.Lock()
	defer f.mu.Unlock()
	if diff := cmp.Diff([][]string{{"memory", "forget", "e1"}}, f.done); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestScoresAreToldInTheDetailAloneAndColumnsAreAsWideAsWhatIsInThem(t *testing.T) {
	x := start(t, setup{w: 120, h: 40}, withMemory(3))
	x.press("f5", "/", "lease", "enter")
	if s := x.see("FOUND", "user       Who touched the lease code last?"); strings.Contains(s, "bm25") || strings.Contains(s, "0.50") {
		t.Errorf("a score is in the list:\n%s", s)
	}
	x.press("enter")
	x.see("bm25 4.20")
}

func TestVersionsOfTheContextAreWalkedAndCompared(t *testing.T) {
	x := start(t, setup{w: 120, h: 40}, withMemory(3))
	x.press("f5")
	x.see("Asked who last")
	x.press("l")
	x.see("CONTEXT version 2 of 2")
	x.see("+2 -1 lines")
	x.see(" - - Drain is 10 s.")
	x.press("[")
	x.see("CONTEXT version 1 of 2")
	x.gone("+ - The lease is 45 s.")
	x.press("]")
	x.see(" + - The lease is 45 s.")
	x.press("h")
	x.see("Asked who last")
}

// looker counts what is asked for.
type looker struct {
	*fake
	mu    sync.Mutex
	asked []core.MemoryQuery
}

func (l *looker) Memory(ctx context.Context, q core.MemoryQuery) (core.MemoryView, error) {
	l.mu.Lock()
	l.asked = append(l.asked, q)
	l.mu.Unlock()
	return l.fake.Memory(ctx, q)
}

func opened5(t *testing.T, f *fake) (*model, *looker) {
	t.Helper()
	l := &looker{fake: f}
	m := modelOf(t, 120, 40, l)
	cmd := m.openPane(paneNamed("memory"))
	m.fit()
	m.settle(cmd)
	return m, l
}

func TestOlderEntriesAreReadWhenTheListIsScrolledToThem(t *testing.T) {
	m, l := opened5(t, withMemory(200))
	if n := len(of[*memoryPane](m).view.Entries); n < 36 || n > 60 {
		t.Fatalf("%d entries were read for a pane of 40 rows", n)
	}
	for range 20 {
		m.settle(m.act(actBottom))
		m.compose()
	}
	if n := len(of[*memoryPane](m).view.Entries); n != 200 {
		t.Errorf("%d entries after scrolling to the end, want 200", n)
	}
	seqs := map[int64]bool{}
	for _, e := range of[*memoryPane](m).view.Entries {
		seqs[e.Seq] = true
	}
	if len(seqs) != 200 {
		t.Errorf("%d of them differ", len(seqs))
	}
	n := len(l.asked)
	m.settle(m.act(actBottom))
	if len(l.asked) != n {
		t.Error("it asks for more than there is")
	}
}

func TestAfterARunTheMemoryIsReadAtMostOnceASecondAndThenNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := withMemory(3)
		m, l := opened5(t, f)
		end := batch{events: []core.Event{{Scope: core.Scope{Thread: "t1", Run: "r1"}, Body: core.RunEnd{Outcome: "completed"}}}}
		l.asked = nil
		begun := time.Now()
		_, cmd := m.Update(end)
		_, again := m.Update(end)
		m.settle(cmd)
		m.settle(again)
		if n, took := len(l.asked), time.Since(begun); n == 0 || n > readAgainMost || took < time.Duration(n-1)*readAgain {
			t.Errorf("%d readings in %v while something waits", n, took)
		}
		told := f.memory
		f.memory = func(q core.MemoryQuery) (core.MemoryView, error) {
			v, err := told(q)
			v.Waiting = 0
			return v, err
		}
		time.Sleep(2 * readAgain)
		l.asked = nil
		_, cmd = m.Update(end)
		m.settle(cmd)
		if len(l.asked) != 2 {
			t.Errorf("%d readings where nothing waits, want one at once and one later", len(l.asked))
		}
		m.openPane(paneNamed("events"))
		m.fit()
		l.asked = nil
		_, cmd = m.Update(end)
		m.settle(cmd)
		if len(l.asked) > 0 {
			t.Error("it is read though nobody looks")
		}
	})
}

func TestWhatIsTypedMeanwhileIsSearchedForNext(t *testing.T) {
	m, l := opened5(t, withMemory(8))
	l.asked = nil
	m.act(actFilter)
	var first tea.Cmd
	for i, r := range "lease" {
		cmd := m.keyEntry(tea.KeyPressMsg{Code: r, Text: string(r)})
		if i == 0 {
			first = cmd
		} else if cmd != nil {
			t.Fatal("two questions at a time")
		}
	}
	m.settle(first)
	if diff := cmp.Diff([]core.MemoryQuery{{Search: "l*"}, {Search: "lease*"}}, l.asked); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if of[*memoryPane](m).sought != "lease" || len(of[*memoryPane](m).view.Found) == 0 {
		t.Errorf("found %d for %q", len(of[*memoryPane](m).view.Found), of[*memoryPane](m).sought)
	}
}

func TestTheWordThatIsBeingTypedIsSearchedForByItsBeginning(t *testing.T) {
	for typed, want := range map[string]string{"": "", "the leas": "the leas*", "lease ": "lease ", `"lease"`: `"lease"`, "leas*": "leas*", "10": "10*", "ß": "ß*"} {
		if got := begun(typed); got != want {
			t.Errorf("%q is searched for as %q, want %q", typed, got, want)
		}
	}
}

func TestWhatIsForgottenIsNotShownAnyMore(t *testing.T) {
	f := withMemory(30)
	m, _ := opened5(t, f)
	f.memory = func(core.MemoryQuery) (core.MemoryView, error) { return core.MemoryView{}, nil }
	m.settle(m.done("memory", core.Doc{}, nil))
	if s := strings.Join(m.compose(), "\n"); strings.Contains(s, "lease") || !strings.Contains(s, "Nothing is remembered here yet") {
		t.Errorf("got:\n%s", s)
	}
}

func TestAnAnswerAboutAnotherMemoryIsNotShown(t *testing.T) {
	m, _ := opened5(t, withMemory(4))
	late := of[*memoryPane](m).read()
	again := of[*memoryPane](m).openMemory("x2")
	if again != nil {
		t.Fatal("two questions at a time")
	}
	msg := late()
	_, next := m.Update(msg)
	if len(of[*memoryPane](m).view.Entries) > 0 {
		t.Error("entries of the memory before are shown")
	}
	m.settle(next)
	if of[*memoryPane](m).view.Chosen.ID != "x2" {
		t.Errorf("chosen is %q", of[*memoryPane](m).view.Chosen.ID)
	}
}

func TestAMemoryThatFailsSaysSoInWords(t *testing.T) {
	f := withMemory(2)
	told := f.memory
	f.memory = func(q core.MemoryQuery) (core.MemoryView, error) {
		v, err := told(q)
		v.Failure = "the disk is full: \x1b[31m3 messages\x1b[m wait"
		return v, err
	}
	m, _ := opened5(t, f)
	s := ansi.Strip(strings.Join(m.compose(), "\n"))
	if !strings.Contains(s, "✗ the disk is full: 3 messages wait") || !strings.Contains(s, "Asked who last") {
		t.Errorf("got:\n%s", s)
	}
	of[*memoryPane](m).set(core.MemoryQuery{}, "", core.MemoryView{}, &core.Error{Code: core.CodeCorrupt, Message: "it cannot be read", Hint: "yaap doctor tells more", Err: errors.New("x")})
	s = strings.Join(m.compose(), "\n")
	if !strings.Contains(s, "it cannot be read") || !strings.Contains(s, "yaap doctor tells more") || !strings.Contains(s, "Asked who last") {
		t.Errorf("got:\n%s", s)
	}
}

func TestHitsAreBroughtIntoSight(t *testing.T) {
	p := newPen(func(name string) string { return map[string]string{"NO_COLOR": "1"}[name] })
	for _, c := range []struct {
		match string
		w     int
		want  string
	}{
		{"the \x02lease\x03 code", 40, "the \x1b[1mlease\x1b[m code"},
		{"\x02a\x03 \x02b\x03", 40, "\x1b[1ma\x1b[m \x1b[1mb\x1b[m"},
		{"long words before it, and then the \x02hit\x03", 20, "…n the \x1b[1mhit\x1b[m"},
		{"\x02never closed", 40, "\x1b[1mnever closed\x1b[m"},
		{"no hit", 4, "no …"},
	} {
		if got := p.hits(c.match, c.w); got != c.want {
			t.Errorf("%q: %q, want %q", c.match, got, c.want)
		}
	}
}

func TestATimeInAListIsShortToday(t *testing.T) {
	p := newPen(func(string) string { return "" })
	p.now = remembering.UnixNano()
	for _, c := range []struct {
		ago  time.Duration
		want string
	}{{time.Minute, "12:01:11"}, {25 * time.Hour, "Jan 14 11:02"}, {400 * 24 * time.Hour, "2024-12-11"}} {
		if got := p.when(remembering.Add(-c.ago)); got != c.want {
			t.Errorf("%v ago: %q, want %q", c.ago, got, c.want)
		}
	}
}

func TestASearchSaysByWhatItGoes(t *testing.T) {
	f := withMemory(8)
	known := f.memory
	f.memory = func(q core.MemoryQuery) (core.MemoryView, error) {
		v, err := known(q)
		v.Mode = "words and meaning: near\x1b[31m:1b"
		return v, err
	}
	m, _ := opened5(t, f)
	m.act(actFilter)
	m.settle(m.keyEntry(tea.KeyPressMsg{Code: 'l', Text: "l"}))
	if s := ansi.Strip(strings.Join(m.compose(), "\n")); !strings.Contains(s, "FOUND by words and meaning: near:1b") {
		t.Errorf("got:\n%s", s)
	}
}

func TestWhatWaitsForItsEntryIsShownAboveTheEntries(t *testing.T) {
	f := withMemory(3)
	tell := f.memory
	f.memory = func(q core.MemoryQuery) (core.MemoryView, error) {
		v, err := tell(q)
		v.Messages = []core.Entry{{ID: "m9", Role: core.RoleUser, Raw: "The lease is 60 s now.", Created: remembering}}
		return v, err
	}
	x := start(t, setup{w: 120, h: 40}, f)
	x.press("f5")
	s := x.see("waiting  The lease is 60 s now.")
	if strings.Index(s, "waiting  The lease") > strings.Index(s, "Explained drain") {
		t.Errorf("it is not the first:\n%s", s)
	}
	x.press("enter")
	x.see("waiting for its entry")
	x.press("j")
	x.see(", #3 ─")
}
