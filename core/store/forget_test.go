package store

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

// whereIs returns the files of a directory in which a word stands, in any case.
func whereIs(t *testing.T, dir, word string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(bytes.ToLower(b), []byte(word)) {
			found = append(found, filepath.Base(path))
		}
		return err
	})
	must.Do(t, err)
	return found
}

// exchange returns everything that can hold words about a question and its
// answer, with the word in all of it. The run is THREAD/NAME.
func exchange(thread, name, word string) []core.Row {
	run := thread + "/" + name
	below := run + "/n"
	says := func(id, run string, role core.Role) core.MessageRow {
		return core.MessageRow{Thread: thread, Message: core.Message{
			ID: id, Run: run, Role: role, Text: "text " + word, Thinking: "thinking " + word, Time: storetest.At(4),
			Calls: []core.Call{{ID: "c", Tool: "t", Args: json.RawMessage(`{"prompt":"` + word + `"}`)}},
			Reply: &core.Reply{Message: word, Data: map[string]any{word: word}}, Result: &core.ToolResult{Text: word},
		}}
	}
	entry := func(id string, role core.Role) core.Entry {
		return core.Entry{
			ID: id + "/e", Memory: "m", Thread: thread, Message: id, Role: role, Raw: "raw " + word, Summary: "summary " + word,
			Tags: map[string]string{word: word}, Created: storetest.At(4),
		}
	}
	correction := entry("", core.RoleUser)
	correction.ID, correction.Corrects, correction.Reason = run+"/correction", run+"/question/e", "reason "+word
	again := correction
	again.ID, again.Corrects = run+"/again", correction.ID
	event := func(seq uint64, run string) core.EventRow {
		return core.EventRow{Event: &core.Event{Seq: seq, Time: storetest.At(4), Scope: core.Scope{Thread: thread, Run: run}, Body: core.RunStart{Prompt: word}}}
	}
	said := func(run string) core.AuditRow {
		row := storetest.Said(thread, run, run+"/audit")
		row.Thought, row.Data, row.Message = word, `{"w":"`+word+`"}`, word
		return row
	}
	ask := storetest.Ask(thread, below, "which")
	ask.Root, ask.Question = run, word
	number := rand.Uint64() >> 1
	return []core.Row{
		core.RunRow{ID: run, Thread: thread, Runner: "agent/main", State: core.RunInterrupted, Time: storetest.At(3)},
		core.RunRow{ID: below, Thread: thread, Parent: run, Runner: "expert/t", State: core.RunInterrupted, Depth: 1, Time: storetest.At(3)},
		says(run+"/question", run, core.RoleUser), says(run+"/below", below, core.RoleAssistant), says(run+"/tool", run, core.RoleTool),
		says(run+"/answer", run, core.RoleAssistant),
		entry(run+"/question", core.RoleUser), entry(run+"/answer", core.RoleAssistant), correction, again,
		core.Tag{Entry: run + "/question/e", Key: "tag " + word, Value: word, Time: storetest.At(5)},
		core.Tag{Entry: again.ID, Key: word, Time: storetest.At(5)},
		core.Expiry{Entry: run + "/question/e", At: time.Now().Add(time.Hour), Time: storetest.At(5)},
		event(number, run), event(number+1, below), event(number+2, ""),
		core.Checkpoint{Run: run, Step: 1, State: json.RawMessage(`"` + word + `"`)},
		core.Checkpoint{Run: below, Step: 1, State: json.RawMessage(`"` + word + `"`)},
		ask,
		core.Answer{Pause: ask.ID, Text: word},
		said(run), said(below),
	}
}

// wordy returns a store with two threads of two exchanges each, about the words
// "a1word" to "b2word", contexts and copies of the database that hold them.
func wordy(t *testing.T) (s *Store, dir string) {
	t.Helper()
	dir = t.TempDir()
	s = openIn(t, dir)
	mustPut(t, s, storetest.Recall("m")...)
	for _, thread := range []string{"a", "b"} {
		mustPut(t, s, core.Thread{ID: thread, Title: thread + "1word"}, core.Recording{Thread: thread, Memory: "m"})
		for _, n := range []string{"1", "2"} {
			word := thread + n + "word"
			mustPut(t, s, exchange(thread, n, word)...)
			e := must.Get(s.Entry(t.Context(), thread+"/"+n+"/question/e"))(t)
			mustPut(t, s, core.ContextDoc{ID: word, Memory: "m", Upto: e.Seq, Content: "about " + word})
			must.Do(t, s.Learn(t.Context(), core.Learned{Expert: "heron", Origin: "peer", Question: "where is " + word + "?", Thread: thread, Run: thread + "/" + n}))
			must.Get(s.writer.ExecContext(t.Context(), "INSERT INTO embedding(seq, model, dim, v) VALUES(?, ?, 1, ?)", e.Seq, "model", []byte(word[:4])))(t)
		}
	}
	for _, version := range []int{1, 2} {
		must.Get(s.backup(t.Context(), version))(t)
	}
	must.Do(t, os.WriteFile(s.copies()+"2-x"+partial, []byte("a1word a2word"), 0o600))
	return s, dir
}

func forgotten(t *testing.T, s *Store, q core.ForgetQuery) error {
	t.Helper()
	_, err := s.Forget(t.Context(), q)
	return err
}

// recall puts a run that found an entry again, in a run below it, and answered
// with its words.
func recall(t *testing.T, s *Store, word, list string, one map[string]any) {
	t.Helper()
	says := func(id, run string, role core.Role, found map[string]any) core.MessageRow {
		return core.MessageRow{Thread: "later", Message: core.Message{
			ID: id, Run: run, Role: role, Text: "text " + word, Time: storetest.At(6), Result: &core.ToolResult{Text: word, Data: found},
		}}
	}
	question := says("later/question", "later/run", core.RoleUser, nil)
	question.Message.Text = "what was it?"
	question.Message.Result = nil
	mustPut(t, s,
		core.Thread{ID: "later", Title: "what was it?"}, core.Recording{Thread: "later", Memory: "m"},
		core.RunRow{ID: "later/run", Thread: "later", Runner: "agent/main", State: core.RunCompleted, Time: storetest.At(6)},
		core.RunRow{ID: "later/below", Thread: "later", Parent: "later/run", Runner: "agent/looks", State: core.RunCompleted, Depth: 1, Time: storetest.At(6)},
		question,
		says("later/found", "later/below", core.RoleTool, map[string]any{list: []any{"none", one}}),
		says("later/other", "later/run", core.RoleTool, map[string]any{"entries": word}),
		says("later/answer", "later/run", core.RoleAssistant, nil),
		core.Entry{ID: "later/question/e", Memory: "m", Thread: "later", Message: "later/question", Role: core.RoleUser, Raw: "what was it?", Created: storetest.At(6)},
		core.Entry{ID: "later/answer/e", Memory: "m", Thread: "later", Message: "later/answer", Role: core.RoleAssistant, Raw: "it was " + word, Created: storetest.At(6)},
		core.EventRow{Event: &core.Event{Seq: rand.Uint64() >> 1, Time: storetest.At(6), Scope: core.Scope{Thread: "later", Run: "later/run"}, Body: core.RunStart{Prompt: word}}},
		core.Checkpoint{Run: "later/run", Step: 1, State: json.RawMessage(`"` + word + `"`)},
	)
}

func TestAForgottenEntryIsInNoFileWhenItWasFoundAgainBefore(t *testing.T) {
	for list, one := range map[string]map[string]any{
		"entries":           {"entry_id": "a/1/question/e", "raw_entry": "a1word"},
		"statements":        {"entry_id": "a/1/question/e", "statement": "it is a1word"},
		"statements before": {"entry_id": "", "statement": "raw a1word"}, // it had no entry yet
	} {
		s, dir := wordy(t)
		recall(t, s, "a1word", strings.Fields(list)[0], one)
		must.Do(t, forgotten(t, s, core.ForgetQuery{Entry: "a/1/question/e"}))
		mustPut(t, s, core.Thread{ID: "a", Title: "other"}) // it was called by the first question
		if found := whereIs(t, dir, "a1word"); len(found) > 0 {
			t.Errorf("%s: the word is still in %v", list, found)
		}
		if e, err := s.Entry(t.Context(), "later/question/e"); err != nil || e.Raw != "what was it?" {
			t.Errorf("%s: what the user asked is gone, too: %+v, %v", list, e, err)
		}
	}
}

func TestWhatAToolToldOfSomethingElseStaysWhenAnEntryIsForgotten(t *testing.T) {
	for _, statement := range []string{"", "a", "it is b2word"} {
		s, dir := wordy(t)
		recall(t, s, "laterword", "statements", map[string]any{"entry_id": "", "statement": statement})
		must.Do(t, forgotten(t, s, core.ForgetQuery{Entry: "a/1/question/e"}))
		if found := whereIs(t, dir, "laterword"); len(found) == 0 {
			t.Errorf("%q took a run with it that told nothing of the entry", statement)
		}
	}
}

func TestAForgottenConversationIsInNoFile(t *testing.T) {
	s, dir := wordy(t)
	openIn(t, dir) // another window
	before := verify(t, s)
	mustPut(t, s, core.MessageRow{Thread: "a", Message: core.Message{ID: "unrecorded", Role: core.RoleUser, Text: "a1word"}})
	if len(whereIs(t, dir, "a1word")) < 4 {
		t.Fatalf("the word is only in %v", whereIs(t, dir, "a1word"))
	}
	must.Do(t, forgotten(t, s, core.ForgetQuery{Thread: "a"}))
	for _, word := range []string{"a1word", "a2word"} {
		if found := whereIs(t, dir, word); len(found) > 0 {
			t.Errorf("%s is still in %v", word, found)
		}
	}
	for _, word := range []string{"b1word", "b2word"} {
		if found := whereIs(t, dir, word); len(found) == 0 {
			t.Errorf("%s is gone, too", word)
		}
	}
	if report := verify(t, s); len(report.Faults) > 0 || report.Rows != before.Rows+5 {
		t.Errorf("the audit log is %+v, was %+v; want a row more, one for each of the four runs that ended so, and the chain whole", report, before)
	}
	rows, err := s.Audit(t.Context(), core.AuditQuery{Limit: 1})
	if err != nil || rows[0].Row.Outcome != "forgotten" || rows[0].Row.Thread != "a" {
		t.Errorf("the last audit row is %+v, %v", rows, err)
	}
	must.Equal(t, false, strings.Contains(search(t, s, core.SearchQuery{Text: "raw summary"}), "a/"))
	left, err := s.Entries(t.Context(), "m", core.EntryQuery{Thread: "a"})
	if err != nil || len(left) != 8 || left[0].Redacted.IsZero() {
		t.Errorf("%d entries are left without words, %v: %+v", len(left), err, left)
	}
	docs, err := s.Contexts(t.Context(), "m", 0)
	if err != nil || len(docs) != 0 { // all of them may know the first entry
		t.Errorf("contexts %v, %v", docs, err)
	}
	if left, err := s.Unrecorded(t.Context(), "m", 0); err != nil || len(left) != 0 {
		t.Errorf("%d are unrecorded, %v", len(left), err)
	}
	mustPut(t, s, storetest.Say("a", "", "new")) // the conversation goes on
	mustPut(t, s, exchange("a", "3", "a3word")...)
	must.Report(t, forgotten(t, s, core.ForgetQuery{Thread: "a"}))
	if found := whereIs(t, dir, "a3word"); len(found) > 0 {
		t.Errorf("a3word is in %v", found)
	}
}

func TestAForgottenEntryTakesItsExchangeWithIt(t *testing.T) {
	for _, id := range []string{"a/2/question/e", "a/2/correction", "a/2/again"} {
		t.Run(id, func(t *testing.T) {
			s, dir := wordy(t)
			much, err := s.Forget(t.Context(), core.ForgetQuery{Entry: id})
			if diff := cmp.Diff(core.Forgotten{Entries: 4, Messages: 4, Contexts: 3}, much); err != nil || diff != "" {
				t.Fatalf("%v (-want +got)\n%s", err, diff)
			}
			if thread, err := s.Thread(t.Context(), "a"); err != nil || thread.Title != "" {
				t.Errorf("the title is %q, %v; it may hold the words", thread.Title, err)
			}
			if found := whereIs(t, dir, "a2word"); len(found) > 0 {
				t.Errorf("a2word is still in %v", found)
			}
			must.Equal(t, "1/question 1/tool 1/answer", ids(t, s, "a"))
			if report := verify(t, s); len(report.Faults) > 0 {
				t.Errorf("the audit log is %+v", report)
			}
			docs, err := s.Contexts(t.Context(), "m", 0)
			if err != nil || len(docs) != 1 || docs[0].ID != "a1word" {
				t.Errorf("left are the contexts %v, %v; want the one from before", docs, err)
			}
			stale := core.ContextDoc{ID: "stale", Memory: "m", Upto: 1 << 40, Content: "about a2word", Created: storetest.At(9)}
			if err := s.Put(t.Context(), stale); core.CodeOf(err) != core.CodeConflict || core.HintOf(err) == "" {
				t.Errorf("a context that was begun before: %v, want %s with a hint", err, core.CodeConflict)
			}
			stale.Created = time.Now()
			mustPut(t, s, stale, core.ContextDoc{ID: "early", Memory: "m", Upto: 1, Content: "about a1word", Created: storetest.At(9)})
			saved, err := s.Load(t.Context(), "a/1")
			if err != nil || len(saved.Messages) != 3 || len(saved.Steps) != 1 {
				t.Errorf("the other run is %+v, %v", saved, err)
			}
			err = s.Put(t.Context(), core.RunRow{ID: "a/2", Thread: "a", State: core.RunRunning, Time: time.Now().Add(time.Hour)})
			if core.CodeOf(err) != core.CodeConflict {
				t.Errorf("the run is gone on with: %v", err)
			}
			mustPut(t, s, exchange("a", "2", "a2word")...) // somebody was still at it
			if found, err := s.Entries(t.Context(), "m", core.EntryQuery{Limit: 50}); err != nil || strings.Contains(fmt.Sprint(found), "a2word") {
				t.Errorf("entries %v, %v", found, err)
			}
			must.Equal(t, "1/question 1/tool 1/answer", ids(t, s, "a"))
		})
	}
}

func TestAContextThatWasWrittenSinceAnEntryIsForgottenWithIt(t *testing.T) {
	s, dir := wordy(t)
	mustPut(t, s,
		core.ContextDoc{ID: "before", Memory: "m", Upto: 1, Content: "about nothing", Created: storetest.At(3)},
		core.ContextDoc{ID: "by a program", Memory: "m", Upto: 1, Content: "about b2word", Created: storetest.At(7)}) // which has read more
	must.Do(t, forgotten(t, s, core.ForgetQuery{Entry: "b/2/question/e"}))
	if found := whereIs(t, dir, "b2word"); len(found) > 0 {
		t.Errorf("the word is still in %v", found)
	}
	if docs, err := s.Contexts(t.Context(), "m", 1); err != nil || len(docs) != 1 || docs[0].ID != "before" {
		t.Errorf("the newest context is %v, %v; want the one that was written before", docs, err)
	}
}

func TestContextsAreWrittenAfterTheClockWasSetBack(t *testing.T) {
	s, _ := wordy(t)
	must.Do(t, forgotten(t, s, core.ForgetQuery{Entry: "b/2/question/e"}))
	must.Get(s.writer.ExecContext(t.Context(), "DROP TRIGGER entry_redact"))(t)
	must.Get(s.writer.ExecContext(t.Context(), "UPDATE entry SET redacted_us = redacted_us + 3600000000 WHERE redacted_us IS NOT NULL"))(t)
	mustPut(t, s, core.ContextDoc{ID: "new", Memory: "m", Upto: 1 << 40, Content: "about b1word", Created: time.Now()})
}

func TestAForgottenAnswerLeavesItsQuestion(t *testing.T) {
	s, _ := wordy(t)
	must.Do(t, forgotten(t, s, core.ForgetQuery{Entry: "a/1/answer/e"}))
	must.Equal(t, "1/question 2/question 2/tool 2/answer", ids(t, s, "a"))
	if e, err := s.Entry(t.Context(), "a/1/question/e"); err != nil || !e.Redacted.IsZero() {
		t.Errorf("the entry of the question is %+v, %v", e, err)
	}
}

func TestWhatCannotBeForgottenIsSaid(t *testing.T) {
	s, dir := wordy(t)
	mustPut(t, s, core.RunRow{ID: "a/live", Thread: "a", State: core.RunRunning, Time: storetest.At(5)}, storetest.Say("a", "a/live", "a/live/question"))
	for _, c := range []struct {
		q    core.ForgetQuery
		code core.Code
	}{
		{core.ForgetQuery{}, core.CodeInvalid},
		{core.ForgetQuery{Entry: "a/1/question/e", Thread: "a"}, core.CodeInvalid},
		{core.ForgetQuery{Entry: "nowhere"}, core.CodeNotFound},
		{core.ForgetQuery{Thread: "nowhere"}, core.CodeNotFound},
		{core.ForgetQuery{Thread: "a"}, core.CodeBusy},
	} {
		if err := forgotten(t, s, c.q); core.CodeOf(err) != c.code || core.HintOf(err) == "" {
			t.Errorf("%+v: %v, want %s with a hint", c.q, err, c.code)
		}
	}
	for _, word := range []string{"a1word", "a2word", "b1word", "b2word"} {
		if len(whereIs(t, dir, word)) == 0 {
			t.Errorf("%s was forgotten", word)
		}
	}
	must.Report(t, forgotten(t, s, core.ForgetQuery{Entry: "a/1/question/e"})) // its run is over
}

func TestAWindowThatReadsKeepsWordsInTheLogAndIsSaidTo(t *testing.T) {
	s, dir := wordy(t)
	must.Get(s.writer.ExecContext(t.Context(), "PRAGMA busy_timeout = 0"))(t)
	reading := must.Get(openIn(t, dir).reader.BeginTx(t.Context(), nil))(t)
	defer reading.Rollback() //nolint:errcheck // nothing was written
	var n int
	must.Do(t, reading.QueryRowContext(t.Context(), "SELECT count(*) FROM entry").Scan(&n))
	if err := forgotten(t, s, core.ForgetQuery{Thread: "a"}); core.CodeOf(err) != core.CodeBusy || core.HintOf(err) == "" {
		t.Errorf("got %v, want %s with a hint", err, core.CodeBusy)
	}
	must.Do(t, reading.Rollback())
	must.Do(t, forgotten(t, s, core.ForgetQuery{Thread: "a"}))
	if found := append(whereIs(t, dir, "a1word"), whereIs(t, dir, "a2word")...); len(found) > 0 {
		t.Errorf("the words are still in %v", found)
	}
}

func TestWhatAKilledProgramForgotIsOutOfTheFilesAfterTheNextOpen(t *testing.T) {
	s, dir := wordy(t)
	must.Get(s.markUnscrubbed())(t)
	if err := transact(t.Context(), s.writer, func(tx *sql.Tx) error {
		_, err := s.forget(t.Context(), tx, core.ForgetQuery{Thread: "a"})
		return err
	}); err != nil { // and here it is killed
		t.Fatal(err)
	}
	if len(whereIs(t, dir, "a1word")) == 0 {
		t.Fatal("nothing is left to be done")
	}
	openIn(t, dir)
	if found := append(whereIs(t, dir, "a1word"), whereIs(t, dir, "a2word")...); len(found) > 0 {
		t.Errorf("the words are still in %v", found)
	}
	if _, err := os.Stat(s.unscrubbed()); err == nil {
		t.Error("it would be done again each time")
	}
}

// Pages are split and joined as rows of many sizes come and go, and what was
// moved may be left in the gaps.
func TestNothingIsLeftInTheGapsOfPages(t *testing.T) {
	dir := t.TempDir()
	s := openIn(t, dir)
	mustPut(t, s, storetest.Recall("m")...)
	r := rand.New(rand.NewChaCha8([32]byte{1}))
	const threads, messages = 10, 400
	var rows []core.Row
	for n := range threads {
		rows = append(rows, core.Thread{ID: fmt.Sprint("t", n)})
	}
	for n := range messages {
		thread := r.IntN(threads)
		id := fmt.Sprintf("t%d-%d", r.Uint64(), n)
		text := strings.Repeat(fmt.Sprintf("xq%dwz ", thread), 1+int(r.ExpFloat64()*60))
		e := storetest.Note("m", id+"e", text[:min(len(text), core.MaxRaw)])
		e.Thread, e.Message = fmt.Sprint("t", thread), id
		row := storetest.Say(e.Thread, "", id)
		row.Message.Text = text
		if rows = append(rows, row, e); r.IntN(20) == 0 {
			mustPut(t, s, rows...)
			rows = rows[:0]
		}
	}
	mustPut(t, s, rows...)
	for n := range threads / 2 {
		must.Do(t, forgotten(t, s, core.ForgetQuery{Thread: fmt.Sprint("t", n)}))
		if found := whereIs(t, dir, fmt.Sprintf("xq%dwz", n)); len(found) > 0 {
			t.Errorf("the words of conversation %d are in %v", n, found)
		}
	}
	must.Equal(t, []string{File}, whereIs(t, dir, fmt.Sprintf("xq%dwz", threads-1)))
}

func TestTheFilesOfWhatIsForgottenGoWithIt(t *testing.T) {
	dir := t.TempDir()
	s := openIn(t, dir)
	files := filepath.Join(dir, FilesDir)
	must.Do(t, os.Mkdir(files, 0o700))
	for _, name := range []string{"shown-01.png", "answered-02.txt", "long-03.txt", "both-04.png", "kept-05.png"} {
		must.Do(t, os.WriteFile(filepath.Join(files, name), []byte("zebra"), 0o600))
	}
	said := func(thread, id string, m core.Message) core.MessageRow {
		m.ID, m.Run, m.Time = id, thread+"/run", storetest.At(4)
		return core.MessageRow{Thread: thread, Message: m}
	}
	for _, thread := range []string{"a", "b"} {
		mustPut(t, s, storetest.Begin(thread)...)
	}
	mustPut(t, s,
		said("a", "1", core.Message{Role: core.RoleUser, Text: "look", Files: []core.File{{Name: "shown-01.png"}, {Name: "both-04.png"}}}),
		said("a", "2", core.Message{Role: core.RoleTool, Result: &core.ToolResult{Text: "all of it is in files/long-03.txt", Files: []core.File{{Name: "answered-02.txt"}}}}),
		said("b", "3", core.Message{Role: core.RoleUser, Text: "look", Files: []core.File{{Name: "both-04.png"}}}),
	)
	for _, thread := range []string{"a", "b"} {
		mustPut(t, s, core.RunRow{ID: thread + "/run", Thread: thread, State: core.RunCompleted, Time: storetest.At(5)})
	}
	must.Get(s.Forget(t.Context(), core.ForgetQuery{Thread: "a"}))(t)
	must.Equal(t, []string{"both-04.png", "kept-05.png"}, whereIs(t, files, "zebra"))
}
