package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

// batch makes one batch of Puts, as take would.
func batch(t *testing.T, puts ...[]core.Row) []*put {
	t.Helper()
	var all []*put
	for _, rows := range puts {
		r := must.Get(records("room", rows))(t)
		all = append(all, newPut(r))
	}
	return all
}

// outcome is what became of a Put.
func outcome(p *put) error {
	<-p.settled
	return p.err
}

func ids(t *testing.T, s *Store, thread string) string {
	t.Helper()
	messages := must.Get(s.Messages(t.Context(), thread))(t)
	var all []string
	for _, m := range messages {
		all = append(all, strings.TrimPrefix(m.ID, thread+"/"))
	}
	return strings.Join(all, " ")
}

func TestABadPutDoesNotSinkItsNeighbours(t *testing.T) {
	s := openIn(t, t.TempDir())
	mustPut(t, s, storetest.Begin("a")...)
	puts := batch(t,
		[]core.Row{storetest.Say("a", "a/run", "1"), storetest.Say("a", "a/run", "2")},
		[]core.Row{storetest.Say("a", "a/run", "bad"), storetest.Say("a", "nowhere", "worse")},
		[]core.Row{core.RunRow{ID: "second", Thread: "a", State: core.RunRunning}, storetest.Say("a", "second", "bad too")},
		[]core.Row{storetest.Say("a", "a/run", "3")},
	)
	errs, err := s.commit(t.Context(), puts)
	if err != nil {
		t.Fatalf("the batch fails as a whole: %v", err)
	}
	if errs[0] != nil || errs[3] != nil {
		t.Errorf("good Puts fail: %v, %v", errs[0], errs[3])
	}
	if errs[1] == nil || !strings.Contains(errs[1].Error(), "message worse") {
		t.Errorf("a bad Put: %v, want an error that names the row", errs[1])
	}
	if core.CodeOf(errs[2]) != core.CodeBusy {
		t.Errorf("a second claim: %v, want %s", errs[2], core.CodeBusy)
	}
	must.Equal(t, "question 1 2 3", ids(t, s, "a"))
}

func TestAPutThatTakesTheTransactionWithItFailsAlone(t *testing.T) {
	for name, trigger := range map[string]string{
		"in the commit":     "INSERT INTO doom VALUES('nowhere')",
		"before the commit": "SELECT RAISE(ROLLBACK, 'doom')",
	} {
		t.Run(name, func(t *testing.T) {
			s := openIn(t, t.TempDir())
			mustPut(t, s, storetest.Begin("a")...)
			if _, err := s.writer.ExecContext(t.Context(), `
				CREATE TABLE doom(thread TEXT REFERENCES thread DEFERRABLE INITIALLY DEFERRED);
				CREATE TRIGGER doom AFTER INSERT ON message WHEN new.id = 'doom' BEGIN `+trigger+`; END`); err != nil {
				t.Fatal(err)
			}
			puts := batch(t,
				[]core.Row{storetest.Say("a", "a/run", "1")},
				[]core.Row{storetest.Say("a", "a/run", "beside doom"), storetest.Say("a", "a/run", "doom")},
				[]core.Row{storetest.Say("a", "a/run", "2")})
			s.write(t.Context(), puts)
			if err := errors.Join(outcome(puts[0]), outcome(puts[2])); err != nil {
				t.Errorf("good Puts fail: %v", err)
			}
			if err := outcome(puts[1]); err == nil {
				t.Error("the bad Put is acknowledged")
			}
			must.Equal(t, "question 1 2", ids(t, s, "a"))
		})
	}
}

func TestAFullDiskFailsOnlyWhatDoesNotFit(t *testing.T) {
	s := openIn(t, t.TempDir())
	mustPut(t, s, storetest.Begin("a")...)
	var pages int
	must.Do(t, s.writer.QueryRowContext(t.Context(), "PRAGMA page_count").Scan(&pages))
	limit := func(pages int) {
		must.Get(s.writer.ExecContext(t.Context(), fmt.Sprintf("PRAGMA max_page_count = %d", pages)))(t)
	}
	limit(pages + 4)
	huge := storetest.Say("a", "a/run", "huge")
	huge.Message.Text = strings.Repeat("x", 100_000)
	puts := batch(t,
		[]core.Row{storetest.Say("a", "a/run", "1")},
		[]core.Row{storetest.Say("a", "a/run", "beside huge"), huge},
		[]core.Row{storetest.Say("a", "a/run", "2")})
	s.write(t.Context(), puts)
	if err := errors.Join(outcome(puts[0]), outcome(puts[2])); err != nil {
		t.Errorf("small Puts fail: %v", err)
	}
	if err := outcome(puts[1]); core.CodeOf(err) != core.CodeRefused || core.HintOf(err) == "" {
		t.Errorf("the huge Put: %v, want %s with a hint", err, core.CodeRefused)
	}
	limit(1 << 20)
	mustPut(t, s, huge)
	must.Equal(t, "question 1 2 huge", ids(t, s, "a"))
}

func TestWhatIsPutBeforeRunWaitsForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := must.Get(Open(t.Context(), t.TempDir()))(t)
		t.Cleanup(func() { _ = s.Close() })
		stored := make(chan error, 1)
		go func() { stored <- s.Put(t.Context(), storetest.Begin("a")...) }()
		ctx, cancel := context.WithCancel(t.Context())
		gaveUp := make(chan error, 1)
		go func() { gaveUp <- s.Put(ctx, storetest.Begin("b")...) }()
		synctest.Wait()
		select {
		case err := <-stored:
			t.Fatalf("Put returned before Run was called: %v", err)
		default:
		}
		cancel()
		if err := <-gaveUp; !errors.Is(err, context.Canceled) {
			t.Errorf("a Put that was given up: %v", err)
		}
		// A Run whose time is over stores what it has accepted, and no more.
		if err := s.Run(ctx); err != nil {
			t.Errorf("Run: %v", err)
		}
		if err := <-stored; err != nil {
			t.Errorf("Put: %v", err)
		}
		threads, err := s.Threads(t.Context(), core.ThreadQuery{})
		if err != nil || len(threads) != 1 || threads[0].ID != "a" {
			t.Errorf("threads %v, %v; want a alone", threads, err)
		}
		if err := s.Put(t.Context(), storetest.Begin("c")...); core.CodeOf(err) != core.CodeInternal {
			t.Errorf("Put after Run: %v", err)
		}
	})
}

func TestRunDrainsEverythingInOneOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := must.Get(Open(t.Context(), t.TempDir()))(t)
		t.Cleanup(func() { _ = s.Close() })
		const puts = 3*batchLimit/2 + 1
		var all sync.WaitGroup
		all.Go(func() {
			must.Report(t, s.Put(t.Context(), core.Thread{ID: "a"}))
		})
		synctest.Wait()
		for n := range puts {
			all.Go(func() {
				must.Report(t, s.Put(t.Context(), storetest.Say("a", "", fmt.Sprint(n))))
			})
		}
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		must.Do(t, s.Run(ctx))
		all.Wait()
		messages, err := s.Messages(t.Context(), "a")
		if err != nil || len(messages) != puts {
			t.Errorf("%d messages, %v; want %d", len(messages), err, puts)
		}
	})
}

func TestASecondRunIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := must.Get(Open(t.Context(), t.TempDir()))(t)
		ran := make(chan error, 1)
		go func() { ran <- s.Run(t.Context()) }()
		synctest.Wait()
		if err := s.Run(t.Context()); core.CodeOf(err) != core.CodeInternal {
			t.Errorf("a second Run: %v", err)
		}
		must.Report(t, s.Close())
		if err := <-ran; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
}

func TestAClosedStoreSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := must.Get(Open(t.Context(), t.TempDir()))(t)
		waiting := make(chan error, 1)
		go func() { waiting <- s.Put(t.Context(), storetest.Begin("a")...) }()
		synctest.Wait()
		for range 2 {
			if err := s.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		}
		ctx := t.Context()
		_, load := s.Load(ctx, "a/run")
		_, threads := s.Threads(ctx, core.ThreadQuery{Limit: 1})
		_, thread := s.Thread(ctx, "a")
		_, messages := s.Messages(ctx, "a")
		_, events := s.Page(ctx, "a", "", 1)
		_, below := s.RunEvents(ctx, "a/run")
		_, run := s.FindRun(ctx, "a/run")
		_, runs := s.Runs(ctx, "", 1)
		_, pause := s.Pause(ctx, "a/run#which")
		_, pauses := s.Pauses(ctx, "a")
		_, audit := s.Audit(ctx, core.AuditQuery{})
		_, verify := s.VerifyAudit(ctx, core.AuditHead{})
		_, vaults := s.Vaults(ctx)
		_, memories := s.Memories(ctx, "v")
		_, memory := s.Memory(ctx, "m")
		_, found := s.FindMemory(ctx, "default", "m")
		_, entries := s.Entries(ctx, "m", core.EntryQuery{})
		_, entry := s.Entry(ctx, "e")
		_, contexts := s.Contexts(ctx, "m", 1)
		_, unrecorded := s.Unrecorded(ctx, "m", 1)
		_, search := s.Search(ctx, core.SearchQuery{Text: "words"})
		_, purge := s.PurgeExpired(ctx)
		_, await := s.Await(ctx, core.AwaitQuery{Memory: "m"})
		_, states := s.States(ctx, "m", "a", 0)
		_, last := s.LastStates(ctx, "m", 1)
		_, stats := s.MemoryStats(ctx, "")
		_, place := s.FindEntry(ctx, "#1")
		_, imported := s.Import(ctx, strings.NewReader(""), "", nil)
		var exported error
		for _, exported = range s.Export(ctx) {
		}
		for name, err := range map[string]error{
			"a Put that waited": <-waiting, "Put": s.Put(ctx, core.Thread{ID: "a"}), "Load": load,
			"Threads": threads, "Thread": thread, "Messages": messages, "Page": events,
			"RunEvents": below, "FindRun": run, "Runs": runs,
			"Pause": pause, "Pauses": pauses, "Audit": audit, "VerifyAudit": verify,
			"Vaults": vaults, "Memories": memories, "Memory": memory, "FindMemory": found,
			"Entries": entries, "Entry": entry, "Contexts": contexts, "Unrecorded": unrecorded,
			"Search": search, "PurgeExpired": purge, "Await": await, "States": states, "LastStates": last,
			"DeleteStates": s.DeleteStates(ctx, "m", "a"), "MemoryStats": stats, "FindEntry": place, "Import": imported,
			"Export": exported, "Forget": forgotten(t, s, core.ForgetQuery{Entry: "e"}),
		} {
			if core.CodeOf(err) != core.CodeInternal || core.HintOf(err) == "" {
				t.Errorf("%s: %v, want %s with a hint", name, err, core.CodeInternal)
			}
		}
		if err := s.Run(ctx); err != nil {
			t.Errorf("Run: %v", err)
		}
		if s.Room() == "" {
			t.Error("the room has lost its name")
		}
	})
}

func TestTwoWindowsWriteOneFile(t *testing.T) {
	const putters, puts = 4, 40
	dir := t.TempDir()
	windows := []*Store{openIn(t, dir), openIn(t, dir)}
	mustPut(t, windows[0], storetest.Begin("a")...)
	var all sync.WaitGroup
	for w, s := range windows {
		for p := range putters {
			all.Go(func() {
				for n := range puts {
					id := fmt.Sprintf("%d-%d-%d", w, p, n)
					if err := s.Put(t.Context(), storetest.Say("a", "a/run", id), storetest.Say("a", "a/run", id+"'")); err != nil {
						t.Errorf("Put %s: %v", id, err)
					}
				}
			})
		}
	}
	all.Wait()
	for _, s := range windows {
		got := strings.Fields(ids(t, s, "a"))[1:]
		if want := 2 * len(windows) * putters * puts; len(got) != want {
			t.Fatalf("%d messages are stored, want %d", len(got), want)
		}
		for i := 0; i < len(got); i += 2 {
			if got[i+1] != got[i]+"'" {
				t.Fatalf("%s and %s stand together: a Put was split", got[i], got[i+1])
			}
		}
	}
	var last int
	must.Do(t, windows[0].reader.QueryRowContext(t.Context(), "SELECT max(n) FROM message WHERE thread = 'a'").Scan(&last))
	if want := 1 + 2*len(windows)*putters*puts; last != want {
		t.Errorf("the last position is %d, want %d", last, want)
	}
}

func TestRowsThatAreNotJSONAreRefused(t *testing.T) {
	s := openIn(t, t.TempDir())
	mustPut(t, s, storetest.Begin("a")...)
	row := storetest.Say("a", "a/run", "bad")
	row.Message.Calls = []core.Call{{ID: "c", Tool: "calc", Args: json.RawMessage(`{"prompt":`)}}
	if err := s.Put(t.Context(), row); err == nil || !strings.Contains(err.Error(), "message bad") {
		t.Errorf("got %v, want an error that names the message", err)
	}
	if err := s.Put(t.Context(), nil); err == nil {
		t.Error("a nil row is stored")
	}
}
