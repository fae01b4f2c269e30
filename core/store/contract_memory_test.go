package store

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

func TestTheStoreKeepsTheContractOfAMemory(t *testing.T) {
	open := func(t *testing.T) *Store { return openIn(t, t.TempDir()) }
	t.Run("what does not fit in a memory is refused in words", func(t *testing.T) { refusesWhatDoesNotFit(t, open(t)) })
	t.Run("what fits just so is stored", func(t *testing.T) { storesWhatJustFits(t, open(t)) })
	t.Run("vaults and memories are found by their titles", func(t *testing.T) { namesMemories(t, open(t)) })
	t.Run("a title is given once", func(t *testing.T) { givesTitlesOnce(t, open(t)) })
	t.Run("entries are kept as they were put", func(t *testing.T) { keepsEntries(t, open(t)) })
	t.Run("entries are listed by stable cursors", func(t *testing.T) { pagesEntries(t, open(t)) })
	t.Run("an expired entry is hidden", func(t *testing.T) { hidesExpired(t, open(t)) })
	t.Run("tags are kept beside an entry", func(t *testing.T) { patchesTags(t, open(t)) })
	t.Run("the last word about an entry's time counts", func(t *testing.T) { changesExpiry(t, open(t)) })
	t.Run("an entry tells what corrects it", func(t *testing.T) { tellsCorrections(t, open(t)) })
	t.Run("contexts are versions", func(t *testing.T) { versionsContexts(t, open(t)) })
	t.Run("what was said in a recorded thread is unrecorded until it has an entry", func(t *testing.T) { listsUnrecorded(t, open(t)) })
	t.Run("nothing is recorded while it is switched off", func(t *testing.T) { switchesOff(t, open(t)) })
	t.Run("what failed is told once", func(t *testing.T) { tellsFailures(t, open(t)) })
	t.Run("the checkpoints of a conversation are kept in order", func(t *testing.T) { keepsStates(t, open(t)) })
	t.Run("two cannot go on from the same checkpoint", func(t *testing.T) { ordersStates(t, open(t)) })
	t.Run("the checkpoints of conversations and memories are apart", func(t *testing.T) { separatesStates(t, open(t)) })
}

func refusesWhatDoesNotFit(t *testing.T, j *Store) {
	mustPut(t, j, storetest.Recall("m")...)
	many := map[string]string{}
	for n := range core.MaxTags + 1 {
		many[strconv.Itoa(n)] = ""
	}
	entry := func(change func(*core.Entry)) core.Entry {
		e := storetest.Note("m", "bad", "words")
		change(&e)
		return e
	}
	rows := map[string]core.Row{
		"a vault without an id":           core.Vault{Title: "x"},
		"a memory without an id":          core.Memory{Vault: "v", Title: "x"},
		"a memory of an unknown kind":     core.Memory{ID: "bad", Vault: "v", Title: "x", Kind: "dream"},
		"an entry without an id":          entry(func(e *core.Entry) { e.ID = "" }),
		"an entry in no memory":           entry(func(e *core.Entry) { e.Memory = "" }),
		"an entry without words":          entry(func(e *core.Entry) { e.Raw = "" }),
		"9001 characters":                 entry(func(e *core.Entry) { e.Raw = strings.Repeat("é", 9001) }),
		"a summary of 513 characters":     entry(func(e *core.Entry) { e.Summary = strings.Repeat("é", 513) }),
		"a reason of 513 characters":      entry(func(e *core.Entry) { e.Reason = strings.Repeat("é", 513) }),
		"a NUL":                           entry(func(e *core.Entry) { e.Raw = "a\x00b" }),
		"invalid UTF-8":                   entry(func(e *core.Entry) { e.Raw = "a\xffb" }),
		"invalid UTF-8 in a summary":      entry(func(e *core.Entry) { e.Summary = "a\xffb" }),
		"a NUL in a tag":                  entry(func(e *core.Entry) { e.Tags = map[string]string{"k": "\x00"} }),
		"33 tags":                         entry(func(e *core.Entry) { e.Tags = many }),
		"a long key":                      entry(func(e *core.Entry) { e.Tags = map[string]string{strings.Repeat("k", 65): ""} }),
		"no key":                          entry(func(e *core.Entry) { e.Tags = map[string]string{"": "v"} }),
		"a tag of 1 MB":                   entry(func(e *core.Entry) { e.Tags = map[string]string{"k": strings.Repeat("v", 1<<20)} }),
		"an unknown role":                 entry(func(e *core.Entry) { e.Role = "narrator" }),
		"a part of no message":            entry(func(e *core.Entry) { e.Part = 1 }),
		"a part below 0":                  entry(func(e *core.Entry) { e.Message, e.Part = "x", -1 }),
		"an endless id":                   entry(func(e *core.Entry) { e.ID = strings.Repeat("x", 1000) }),
		"a tag without a name":            core.Tag{Entry: "beside it", Value: "v"},
		"a tag of no entry":               core.Tag{Key: "k", Value: "v"},
		"a later tag of 1 MB":             core.Tag{Entry: "beside it", Key: "k", Value: strings.Repeat("v", 1<<20)},
		"a later tag with a NUL":          core.Tag{Entry: "beside it", Key: "k", Value: "\x00"},
		"a later tag of invalid UTF-8":    core.Tag{Entry: "beside it", Key: "k\xff", Value: "v"},
		"an expiry of no entry":           core.Expiry{},
		"a context without an id":         core.ContextDoc{Memory: "m", Content: "x"},
		"a context of 5001 characters":    core.ContextDoc{ID: "bad", Memory: "m", Content: strings.Repeat("é", 5001)},
		"a context without words":         core.ContextDoc{ID: "bad", Memory: "m", Content: " \n"},
		"a context with a NUL":            core.ContextDoc{ID: "bad", Memory: "m", Content: "a\x00"},
		"a context up to a place below 0": core.ContextDoc{ID: "bad", Memory: "m", Content: "x", Upto: -1},
		"a recording of no thread":        core.Recording{Memory: "m"},
	}
	for _, title := range []string{"", "a b", "a/b", "ä", "a_b", "a\n", strings.Repeat("x", 51), strings.Repeat("x", 1<<20)} {
		rows[fmt.Sprintf("a vault called %.9q", title)] = core.Vault{ID: "bad", Title: title}
		rows[fmt.Sprintf("a memory called %.9q", title)] = core.Memory{ID: "bad", Vault: "v", Title: title}
	}
	for name, row := range rows {
		err := j.Put(t.Context(), storetest.Note("m", "beside it", "words"), row)
		if core.CodeOf(err) != core.CodeInvalid || core.HintOf(err) == "" || len(err.Error()) > 500 {
			t.Errorf("%s: %.500v, want %s with a hint", name, err, core.CodeInvalid)
		}
	}
	for name, row := range map[string]core.Row{
		"a memory in an unknown vault":     core.Memory{ID: "bad", Vault: "nowhere", Title: "x"},
		"an entry in an unknown memory":    storetest.Note("nowhere", "bad", "words"),
		"a context of an unknown memory":   core.ContextDoc{ID: "bad", Memory: "nowhere", Content: "x"},
		"a tag of an unknown entry":        core.Tag{Entry: "nowhere", Key: "k", Value: "v"},
		"an expiry of an unknown entry":    core.Expiry{Entry: "nowhere"},
		"a recording in an unknown memory": core.Recording{Thread: "a", Memory: "nowhere"},
	} {
		err := j.Put(t.Context(), core.Thread{ID: "a"}, storetest.Note("m", "beside it", "words"), row)
		if core.CodeOf(err) != core.CodeNotFound || core.HintOf(err) == "" {
			t.Errorf("%s: %v, want %s with a hint", name, err, core.CodeNotFound)
		}
	}
	if err := j.Put(t.Context(), core.Recording{Thread: "nowhere", Memory: "m"}); err == nil {
		t.Error("a thread that is not there is recorded")
	}
	equal(t, entries(t, j, "m", core.EntryQuery{}), "")
}

func storesWhatJustFits(t *testing.T, j *Store) {
	tags := map[string]string{strings.Repeat("k", 64): strings.Repeat("v", 1024)}
	for n := range core.MaxTags - 1 {
		tags[strconv.Itoa(n)] = "<v> & \u2028"
	}
	e := storetest.Note("m", "e", strings.Repeat("é", 9000))
	e.Summary, e.Tags = strings.Repeat("é", 512), tags
	title := strings.Repeat("aZ0-9", 10)
	mustPut(t, j,
		core.ContextDoc{ID: "c", Memory: "m", Content: strings.Repeat("é", 5000)}, e, // in any order
		core.Memory{ID: "m", Vault: "v", Title: title}, core.Vault{ID: "v", Title: title})
	got := must.Get(j.Entry(t.Context(), "e"))(t)
	e.Seq = got.Seq
	equal(t, got, e)
}

func namesMemories(t *testing.T, j *Store) {
	v, w := core.Vault{ID: "v", Title: "work", Created: storetest.At(1)}, core.Vault{ID: "w", Title: "home", Created: storetest.At(2)}
	a, b := core.Memory{ID: "a", Vault: "v", Title: "z", Kind: "chat", Created: storetest.At(3)}, core.Memory{ID: "b", Vault: "v", Title: "y", Kind: "chat", Created: storetest.At(4)}
	c := core.Memory{ID: "c", Vault: "w", Title: "z", Kind: "chat", Created: storetest.At(5)}
	unkind := b
	unkind.Kind = ""
	mustPut(t, j, a, unkind, c, v, w)
	vaults := must.Get(j.Vaults(t.Context()))(t)
	equal(t, vaults, []core.Vault{w, v})
	for vault, want := range map[string][]core.Memory{"v": {b, a}, "w": {c}, "nowhere": {}} {
		got := must.Get(j.Memories(t.Context(), vault))(t)
		equal(t, got, want)
	}
	got, err := j.Memory(t.Context(), "c")
	must.Do(t, err)
	equal(t, got, c)
	if got, err = j.FindMemory(t.Context(), "work", "z"); err != nil {
		t.Fatal(err)
	}
	equal(t, got, a)
	_, unknown := j.Memory(t.Context(), "nowhere")
	_, elsewhere := j.FindMemory(t.Context(), "home", "y")
	for name, err := range map[string]error{"an unknown memory": unknown, "a title of another vault": elsewhere} {
		if core.CodeOf(err) != core.CodeNotFound || core.HintOf(err) == "" {
			t.Errorf("%s: %v, want %s with a hint", name, err, core.CodeNotFound)
		}
	}
}

func givesTitlesOnce(t *testing.T, j *Store) {
	mustPut(t, j, storetest.Recall("m")...)
	mustPut(t, j, storetest.Recall("m")...)
	mustPut(t, j, core.Vault{ID: "v", Title: "another"}, core.Memory{ID: "m", Vault: "v", Title: "another"})
	for name, row := range map[string]core.Row{
		"a vault": core.Vault{ID: "w", Title: "default"}, "a memory": core.Memory{ID: "n", Vault: "v", Title: "about-m"},
	} {
		if err := j.Put(t.Context(), row); core.CodeOf(err) != core.CodeConflict || core.HintOf(err) == "" {
			t.Errorf("%s whose title is taken: %v, want %s with a hint", name, err, core.CodeConflict)
		}
	}
	mustPut(t, j, core.Vault{ID: "w", Title: "Default"}, core.Memory{ID: "n", Vault: "w", Title: "about-m"})
	vaults := must.Get(j.Vaults(t.Context()))(t)
	equal(t, vaults, []core.Vault{{ID: "w", Title: "Default", Created: vaults[0].Created}, storetest.Recall("m")[0].(core.Vault)})
	got := must.Get(j.Memory(t.Context(), "m"))(t)
	equal(t, got, storetest.Recall("m")[1])
}

// entries returns the ids of the entries that q asks for.
func entries(t *testing.T, j *Store, memory string, q core.EntryQuery) string {
	t.Helper()
	found := must.Get(j.Entries(t.Context(), memory, q))(t)
	var ids []string
	for _, e := range found {
		ids = append(ids, e.ID)
	}
	return strings.Join(ids, " ")
}

func keepsEntries(t *testing.T, j *Store) {
	mustPut(t, j, storetest.Recall("m")...)
	full := core.Entry{
		ID: "full", Memory: "m", Thread: "a", Message: "msg", Part: 2, Role: core.RoleAssistant,
		Raw: "0 < 1 & \u2028 ✓\r\n\t\x1b[31m ", Summary: "an <entry>", Tags: map[string]string{"k": "v & w"},
		Corrects: "first", Reason: "it was wrong", Expires: time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond), Created: storetest.At(7),
	}
	mustPut(t, j, storetest.Note("m", "first", "words"), full)
	again := storetest.Note("m", "full", "other words")
	sameMessage := storetest.Note("m", "twin", "other words")
	sameMessage.Message, sameMessage.Part = "msg", 2
	otherPart := sameMessage
	otherPart.ID, otherPart.Part = "part", 3
	mustPut(t, j, again, sameMessage, otherPart)
	got := must.Get(j.Entry(t.Context(), "full"))(t)
	full.Seq = got.Seq
	equal(t, got, full)
	equal(t, entries(t, j, "m", core.EntryQuery{}), "part full first")
	equal(t, entries(t, j, "nowhere", core.EntryQuery{}), "")
	if _, err := j.Entry(t.Context(), "twin"); core.CodeOf(err) != core.CodeNotFound || core.HintOf(err) == "" {
		t.Errorf("an unknown entry: %v, want %s with a hint", err, core.CodeNotFound)
	}
}

func pagesEntries(t *testing.T, j *Store) {
	mustPut(t, j, storetest.Recall("m")...)
	mustPut(t, j, core.Memory{ID: "n", Vault: "v", Title: "n"})
	for n := range 60 {
		e := storetest.Note("m", strconv.Itoa(n), "words")
		e.Thread, e.Created = fmt.Sprint("t", n%2), storetest.At(-n) // the order is that of the Puts, not of the clock
		mustPut(t, j, e, storetest.Note("n", "other"+strconv.Itoa(n), "words"))
	}
	all, err := j.Entries(t.Context(), "m", core.EntryQuery{Limit: 50})
	if err != nil || len(all) != 50 {
		t.Fatalf("%d entries, %v", len(all), err)
	}
	for i, e := range all {
		equal(t, e.ID, strconv.Itoa(59-i))
		if i > 0 && e.Seq >= all[i-1].Seq {
			t.Errorf("entry %s at %d comes after one at %d", e.ID, e.Seq, all[i-1].Seq)
		}
	}
	mustPut(t, j, storetest.Note("m", "new", "words")) // does not move what a cursor points at
	for _, c := range []struct {
		q    core.EntryQuery
		want string
	}{
		{core.EntryQuery{}, "new 59 58 57 56 55 54 53 52 51"},
		{core.EntryQuery{Limit: 2}, "new 59"},
		{core.EntryQuery{Limit: 3, Before: all[1].Seq}, "57 56 55"},
		{core.EntryQuery{After: all[1].Seq}, "new 59"},
		{core.EntryQuery{After: all[5].Seq, Before: all[2].Seq}, "56 55"},
		{core.EntryQuery{Limit: 2, Thread: "t0"}, "58 56"},
		{core.EntryQuery{Thread: "nowhere"}, ""},
	} {
		if got := entries(t, j, "m", c.q); got != c.want {
			t.Errorf("%+v: %q, want %q", c.q, got, c.want)
		}
	}
	for _, limit := range []int{-1, 51} {
		if _, err := j.Entries(t.Context(), "m", core.EntryQuery{Limit: limit}); core.CodeOf(err) != core.CodeInvalid || core.HintOf(err) == "" {
			t.Errorf("limit %d: %v, want %s with a hint", limit, err, core.CodeInvalid)
		}
	}
}

func hidesExpired(t *testing.T, j *Store) {
	mustPut(t, j, storetest.Recall("m")...)
	gone, stays := storetest.Note("m", "gone", "words"), storetest.Note("m", "stays", "words")
	gone.Expires, stays.Expires = storetest.At(1), time.Now().Add(time.Hour)
	mustPut(t, j, gone, stays)
	equal(t, entries(t, j, "m", core.EntryQuery{}), "stays")
	equal(t, entries(t, j, "m", core.EntryQuery{IncludeExpired: true}), "stays gone")
	if _, err := j.Entry(t.Context(), "gone"); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("an expired entry: %v, want %s", err, core.CodeNotFound)
	}
}

func entry(t *testing.T, j *Store, id string) core.Entry {
	t.Helper()
	e := must.Get(j.Entry(t.Context(), id))(t)
	return e
}

func patchesTags(t *testing.T, j *Store) {
	mustPut(t, j, storetest.Recall("m")...)
	e := storetest.Note("m", "e", "words")
	e.Tags = map[string]string{"own": "1", "gone": "1", "empty": ""}
	mustPut(t, j, core.Tag{Entry: "e", Key: "new", Value: "at once", Time: storetest.At(1)}, e, storetest.Note("m", "other", "words")) // in any order
	mustPut(t, j,
		core.Tag{Entry: "e", Key: "gone", Time: storetest.At(2)}, core.Tag{Entry: "e", Key: "own", Value: "2", Time: storetest.At(3)},
		core.Tag{Entry: "e", Key: "own", Value: "0", Time: storetest.At(1)}, // late
		core.Tag{Entry: "e", Key: "unknown", Time: storetest.At(2)})
	mustPut(t, j, core.Tag{Entry: "e", Key: "own", Value: "2", Time: storetest.At(3)}) // again
	want := map[string]string{"own": "2", "new": "at once", "empty": ""}
	equal(t, entry(t, j, "e").Tags, want)
	mustPut(t, j, core.Tag{Entry: "e", Key: "new", Time: storetest.At(4)}, core.Tag{Entry: "e", Key: "gone", Value: "back", Time: storetest.At(4)}, e)
	equal(t, entry(t, j, "e").Tags, map[string]string{"own": "2", "gone": "back", "empty": ""})
	equal(t, entry(t, j, "other").Tags, map[string]string(nil))
	for n := range core.MaxTags - 3 {
		mustPut(t, j, core.Tag{Entry: "e", Key: strconv.Itoa(n), Value: "v", Time: storetest.At(5)})
	}
	if err := j.Put(t.Context(), core.Tag{Entry: "e", Key: "more", Value: "v", Time: storetest.At(6)}); core.CodeOf(err) != core.CodeInvalid || core.HintOf(err) == "" {
		t.Errorf("a tag too many: %v, want %s with a hint", err, core.CodeInvalid)
	}
	mustPut(t, j, core.Tag{Entry: "e", Key: "own", Value: "3", Time: storetest.At(6)}, core.Tag{Entry: "e", Key: "more", Time: storetest.At(6)})
	equal(t, len(entry(t, j, "e").Tags), core.MaxTags)
}

func changesExpiry(t *testing.T, j *Store) {
	mustPut(t, j, storetest.Recall("m")...)
	later := time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
	short, fix, fixed := storetest.Note("m", "short", "words"), storetest.Note("m", "fix", "words"), storetest.Note("m", "fixed", "words")
	short.Expires, fix.Corrects = later, "long"
	fixed.Corrects = "fix"
	mustPut(t, j, short, storetest.Note("m", "long", "words"), fix, fixed, storetest.Note("m", "stays", "words"))
	mustPut(t, j, core.Expiry{Entry: "short", Time: storetest.At(2)}, core.Expiry{Entry: "fix", At: later, Time: storetest.At(2)})
	mustPut(t, j, core.Expiry{Entry: "short", At: storetest.At(1), Time: storetest.At(1)}) // late
	equal(t, entry(t, j, "short").Expires, time.Time{})
	for _, id := range []string{"long", "fix", "fixed"} { // one thing, said three times
		equal(t, entry(t, j, id).Expires, later)
	}
	mustPut(t, j, core.Expiry{Entry: "fixed", At: storetest.At(1), Time: storetest.At(3)})
	equal(t, entries(t, j, "m", core.EntryQuery{}), "stays short")
	equal(t, entries(t, j, "m", core.EntryQuery{IncludeExpired: true}), "stays fixed fix long short")
	if _, err := j.Entry(t.Context(), "long"); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("an expired entry: %v, want %s", err, core.CodeNotFound)
	}
}

func tellsCorrections(t *testing.T, j *Store) {
	mustPut(t, j, storetest.Recall("m")...)
	mustPut(t, j, storetest.Note("m", "wrong", "it is blue"))
	equal(t, entry(t, j, "wrong").Corrected, "")
	for _, id := range []string{"better", "right"} {
		e := storetest.Note("m", id, "it is green")
		e.Corrects, e.Reason, e.Corrected = "wrong", "it was painted", "nothing"
		mustPut(t, j, e)
		equal(t, entry(t, j, "wrong").Corrected, id)
		equal(t, entry(t, j, id).Corrected, "")
	}
	listed := must.Get(j.Entries(t.Context(), "m", core.EntryQuery{}))(t)
	equal(t, listed[2].Corrected, "right")
	equal(t, listed[2].Raw, "it is blue")
}

func versionsContexts(t *testing.T, j *Store) {
	mustPut(t, j, storetest.Recall("m")...)
	mustPut(t, j, core.Memory{ID: "n", Vault: "v", Title: "n"})
	first := core.ContextDoc{ID: "1", Memory: "m", Upto: 3, Content: "# <one>\n", Created: storetest.At(9)}
	second := core.ContextDoc{ID: "2", Memory: "m", Upto: 6, Content: "# two", Created: storetest.At(8)}
	mustPut(t, j, first, core.ContextDoc{ID: "other", Memory: "n", Content: "x"})
	changed := first
	changed.Content = "changed"
	mustPut(t, j, second, changed)
	for limit, want := range map[int][]core.ContextDoc{0: {second, first}, 1: {second}, 9: {second, first}} {
		got, err := j.Contexts(t.Context(), "m", limit)
		if err != nil || len(got) != len(want) {
			t.Fatalf("%d contexts, %v; want %d", len(got), err, len(want))
		}
		for i := range want {
			want[i].Seq = got[i].Seq
		}
		equal(t, got, want)
	}
}

// unrecordedIDs returns the ids of what a memory has not recorded.
func unrecordedIDs(t *testing.T, j *Store, memory string, limit int) string {
	t.Helper()
	all := must.Get(j.Unrecorded(t.Context(), memory, limit))(t)
	var ids []string
	for _, u := range all {
		ids = append(ids, u.Message.ID)
	}
	return strings.Join(ids, " ")
}

func listsUnrecorded(t *testing.T, j *Store) {
	mustPut(t, j, storetest.Recall("m")...)
	mustPut(t, j, storetest.Begin("a")...)
	mustPut(t, j, storetest.Begin("b")...)
	mustPut(t, j, storetest.Begin("c")...)
	mustPut(t, j, core.Recording{Thread: "a", Memory: "m", Time: storetest.At(1)}, core.Recording{Thread: "b", Memory: "m", Time: storetest.At(1)})
	say := func(id string, change func(*core.Message)) core.MessageRow {
		row := storetest.Say("a", "a/run", id)
		change(&row.Message)
		return row
	}
	calls := []core.Call{{ID: "c", Tool: "calc", Args: json.RawMessage(`{}`)}}
	mustPut(t, j,
		core.RunRow{ID: "a/run/n", Thread: "a", Parent: "a/run", State: core.RunRunning, Depth: 1, Time: storetest.At(2)},
		storetest.Say("a", "a/run/n", "of a node"), storetest.Say("c", "c/run", "not recorded"),
		say("asks for a tool", func(m *core.Message) { m.Role, m.Text, m.Calls = core.RoleAssistant, " \n", calls }),
		say("a tool", func(m *core.Message) { m.Role = core.RoleTool }),
		say("a prompt", func(m *core.Message) { m.Role = core.RoleSystem }),
		say("says so", func(m *core.Message) { m.Role, m.Calls = core.RoleAssistant, calls }),
		storetest.Say("b", "", "of no run"), say("answer", func(m *core.Message) { m.Role = core.RoleAssistant }))
	equal(t, unrecordedIDs(t, j, "m", 0), "a/question b/question says so of no run answer")
	equal(t, unrecordedIDs(t, j, "m", 2), "a/question b/question")
	equal(t, unrecordedIDs(t, j, "nowhere", 0), "")
	all := must.Get(j.Unrecorded(t.Context(), "m", 2))(t)
	equal(t, all[1], core.Unrecorded{Thread: "b", Message: storetest.Say("b", "b/run", "b/question").Message})

	of := func(message string, part int) core.Entry {
		e := storetest.Note("m", fmt.Sprint(message, part), "words")
		e.Message, e.Part = message, part
		return e
	}
	mustPut(t, j, of("b/question", 0), of("says so", 1), of("says so", 2))
	mustPut(t, j, of("at once", 0), say("at once", func(*core.Message) {}))
	equal(t, unrecordedIDs(t, j, "m", 0), "a/question of no run answer")
	mustPut(t, j, storetest.Begin("a")...) // changes nothing
	mustPut(t, j, core.Recording{Thread: "a", Memory: "m", Time: storetest.At(9)})
	equal(t, unrecordedIDs(t, j, "m", 0), "a/question of no run answer")
}

func switchesOff(t *testing.T, j *Store) {
	mustPut(t, j, storetest.Recall("m")...)
	mustPut(t, j, core.Memory{ID: "n", Vault: "v", Title: "n"})
	mustPut(t, j, storetest.Begin("a")...)
	on := core.Recording{Thread: "a", Memory: "m", Time: storetest.At(5)}
	off := core.Recording{Thread: "a", Time: storetest.At(6)}
	other := core.Recording{Thread: "a", Memory: "n", Time: storetest.At(4)} // whatever the clock says
	mustPut(t, j, on)
	mustPut(t, j, storetest.Say("a", "", "said off"), off) // what is put with it is not recorded either
	mustPut(t, j, on)                                      // again
	mustPut(t, j, storetest.Say("a", "", "while off"))
	equal(t, unrecordedIDs(t, j, "m", 0), "a/question")
	mustPut(t, j, other)
	mustPut(t, j, storetest.Say("a", "", "elsewhere"))
	equal(t, unrecordedIDs(t, j, "m", 0), "a/question")
	equal(t, unrecordedIDs(t, j, "n", 0), "elsewhere")

	mustPut(t, j, storetest.Begin("b")...)
	mustPut(t, j, core.Recording{Thread: "b", Time: storetest.At(1)})
	mustPut(t, j, core.Recording{Thread: "b", Memory: "m", Time: storetest.At(2)})
	equal(t, unrecordedIDs(t, j, "m", 0), "a/question") // it was off when it was said
}
