package store

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/private"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

func TestEveryConnectionIsSetUp(t *testing.T) {
	steps := must.Get(migrations())(t)
	s := openIn(t, t.TempDir())
	for _, c := range []struct {
		db     *sql.DB
		name   string
		pragma map[string]string
	}{
		{s.writer, "writer", map[string]string{
			"journal_mode": "wal", "synchronous": "2", "busy_timeout": "5000", "foreign_keys": "1", "secure_delete": "1",
			"recursive_triggers": "1", "trusted_schema": "0", "query_only": "0", "journal_size_limit": "67108864",
			"application_id": strconv.Itoa(application), "user_version": strconv.Itoa(len(steps)),
		}},
		{s.reader, "reader", map[string]string{"journal_mode": "wal", "busy_timeout": "5000", "trusted_schema": "0", "query_only": "1"}},
	} {
		for name, want := range c.pragma {
			var got string
			must.Do(t, c.db.QueryRowContext(t.Context(), "PRAGMA "+name).Scan(&got))
			if got != want {
				t.Errorf("%s: %s is %s, want %s", c.name, name, got, want)
			}
		}
	}
	must.Equal(t, 1, s.writer.Stats().MaxOpenConnections)
	must.Equal(t, readers, s.reader.Stats().MaxOpenConnections)
}

func TestOnlyTheOwnerMayReadTheFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "yaap")
	s := openIn(t, dir)
	mustPut(t, s, storetest.Begin("a")...)
	must.Do(t, os.Chmod(s.path, 0o644))
	openIn(t, dir)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return nil
	})
	must.Do(t, err)
}

func TestAnyDirectoryNameWillDo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b?c#d%20é&_txlock=x;'\"")
	mustPut(t, openIn(t, dir), storetest.Begin("a")...)
	if _, err := os.Stat(filepath.Join(dir, File)); err != nil {
		t.Error(err)
	}
}

// written returns the bytes of a database with something in it.
func written(t testing.TB) []byte {
	t.Helper()
	dir := t.TempDir()
	s := must.Get(Open(t.Context(), dir))(t)
	storetest.Start(t, s)
	mustPut(t, s, storetest.Begin("a")...)
	for n := range 20 {
		mustPut(t, s, storetest.Say("a", "a/run", strconv.Itoa(n)), storetest.Said("a", "a/run", strconv.Itoa(n)))
	}
	mustPut(t, s, storetest.Ask("a", "a/run", "which"), core.Answer{Pause: "a/run#which", Text: "that"})
	mustPut(t, s, append(storetest.Recall("m"), core.Recording{Thread: "a", Memory: "m"}, core.ContextDoc{ID: "c", Memory: "m", Content: "c"})...)
	for n := range 20 {
		mustPut(t, s, storetest.Note("m", strconv.Itoa(n), "words "+strconv.Itoa(n)))
	}
	must.Do(t, s.Close())
	b := must.Get(os.ReadFile(filepath.Join(dir, File)))(t)
	return b
}

func TestAFileThatIsNotOursIsRefusedAndLeftAlone(t *testing.T) {
	good := written(t)
	noise := make([]byte, 20000)
	chacha := rand.NewChaCha8([32]byte{1})
	must.Get(chacha.Read(noise))(t)
	cases := map[string]struct {
		file []byte
		code core.Code
	}{
		"random bytes":        {noise, core.CodeCorrupt},
		"text":                {[]byte("dear diary"), core.CodeCorrupt},
		"a header of noise":   {append(slices.Clone(good[:100]), noise...), core.CodeCorrupt},
		"another program's":   {foreign(t, "CREATE TABLE t(x)"), core.CodeCorrupt},
		"another application": {foreign(t, "PRAGMA application_id=7; PRAGMA user_version=1; CREATE TABLE t(x)"), core.CodeCorrupt},
		"a newer one":         {foreign(t, "PRAGMA application_id=2036425072; PRAGMA user_version=99; CREATE TABLE t(x)"), core.CodeTooNew},
		"a negative version":  {foreign(t, "PRAGMA application_id=2036425072; PRAGMA user_version=-1"), core.CodeCorrupt},
	}
	for _, size := range []int{1, 15, 99, 100, 4095, 4096, 4097, len(good) / 2, len(good) - 4096, len(good) - 1} {
		cases[fmt.Sprintf("truncated to %d bytes", size)] = struct {
			file []byte
			code core.Code
		}{good[:size], core.CodeCorrupt}
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, File)
			must.Do(t, os.WriteFile(path, c.file, 0o600))
			s, err := Open(t.Context(), dir)
			if err == nil {
				_ = s.Close()
			}
			refused(t, err, c.code, path)
			after := must.Get(os.ReadFile(path))(t)
			if !bytes.Equal(after, c.file) {
				t.Error("the file was changed")
			}
			if left, err := filepath.Glob(filepath.Join(dir, "room-*")); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
		})
	}
}

// foreign returns the bytes of an SQLite file that was not made by the store.
func foreign(t *testing.T, statements string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.db")
	db := must.Get(sql.Open("sqlite", path))(t)
	must.Get(db.ExecContext(t.Context(), "PRAGMA journal_mode=WAL;"+statements))(t)
	must.Do(t, db.Close())
	b := must.Get(os.ReadFile(path))(t)
	return b
}

// refused fails the test unless err has the code, names the path and says what
// to do.
func refused(t *testing.T, err error, code core.Code, path string) {
	t.Helper()
	var e *core.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	if !strings.Contains(e.Message+e.Hint, path) || e.Hint == "" {
		t.Errorf("message %q and hint %q do not name %s and what to do", e.Message, e.Hint, path)
	}
}

func TestAPlaceThatCannotBeWrittenIsRefused(t *testing.T) {
	t.Run("below a file", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		must.Do(t, os.WriteFile(file, nil, 0o600))
		_, err := Open(t.Context(), file)
		refused(t, err, core.CodeRefused, file)
	})
	t.Run("nowhere", func(t *testing.T) {
		_, err := Open(t.Context(), "")
		refused(t, err, core.CodeInvalid, "")
	})
	t.Run("a directory in place of the file", func(t *testing.T) {
		dir := t.TempDir()
		must.Do(t, os.Mkdir(filepath.Join(dir, File), 0o700))
		_, err := Open(t.Context(), dir)
		refused(t, err, core.CodeInvalid, dir)
	})
	for _, mode := range []os.FileMode{0o500, 0o000} {
		t.Run(fmt.Sprintf("a directory of mode %o", mode), func(t *testing.T) {
			dir := t.TempDir()
			asStranger(t, dir)
			must.Do(t, os.Chmod(dir, mode))
			_, err := Open(t.Context(), dir)
			refused(t, err, core.CodeRefused, dir)
		})
	}
	t.Run("a file that may not be written", func(t *testing.T) {
		dir := t.TempDir()
		must.Do(t, os.WriteFile(filepath.Join(dir, File), written(t), 0o400))
		asStranger(t, dir)
		_, err := Open(t.Context(), dir)
		refused(t, err, core.CodeRefused, dir)
	})
}

func TestAFileThatMayBeWrittenAgainIsWritten(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, File)
	must.Do(t, os.WriteFile(path, written(t), 0o400))
	asStranger(t, dir)
	if s, err := Open(t.Context(), dir); err == nil {
		_ = s.Close()
	}
	if _, err := os.Stat(path + "-shm"); err != nil {
		t.Fatal(err) // SQLite gives it the mode of the file, and leaves it there
	}
	must.Do(t, os.Chmod(path, 0o600))
	mustPut(t, openIn(t, dir), core.Thread{ID: "t"})
}

func TestDamageInsideTheFileIsReportedNotCrashedOn(t *testing.T) {
	good := written(t)
	for seed := range byte(20) {
		b := slices.Clone(good)
		r := rand.New(rand.NewChaCha8([32]byte{seed}))
		for range 1 + r.IntN(400) {
			b[100+r.IntN(len(b)-100)] ^= byte(1 + r.IntN(255))
		}
		use(t, b)
	}
}

func FuzzAnyFileIsOpenedOrRefused(f *testing.F) {
	good := written(f)
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add([]byte("SQLite format 3\x00"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, file []byte) { use(t, file) })
}

// use opens a file of any content and does everything once. What fails must
// fail with words for the user or, for a Put, be refused by the schema.
func use(t *testing.T, file []byte) {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, File), file, 0o600))
	s, err := Open(t.Context(), dir)
	if err != nil {
		if core.HintOf(err) == "" {
			t.Errorf("Open fails without a hint: %v", err)
		}
		return
	}
	storetest.Start(t, s)
	_ = s.Put(t.Context(), storetest.Begin("z")...) // may fail, may not crash
	_, load := s.Load(t.Context(), "a/run")
	_, threads := s.Threads(t.Context(), core.ThreadQuery{Limit: 10})
	_, messages := s.Messages(t.Context(), "a")
	_, events := s.Page(t.Context(), "a", "", 10)
	_, below := s.RunEvents(t.Context(), "a/run")
	_, runs := s.Runs(t.Context(), "", 10)
	_, pauses := s.Pauses(t.Context(), "")
	_, audit := s.Audit(t.Context(), core.AuditQuery{})
	_, verify := s.VerifyAudit(t.Context(), core.AuditHead{})
	_, vaults := s.Vaults(t.Context())
	_, memories := s.Memories(t.Context(), "v")
	_, entries := s.Entries(t.Context(), "m", core.EntryQuery{IncludeExpired: true})
	_, contexts := s.Contexts(t.Context(), "m", 10)
	_, unrecorded := s.Unrecorded(t.Context(), "m", 10)
	_, search := s.Search(t.Context(), core.SearchQuery{Text: "words"})
	for name, err := range map[string]error{
		"Vaults": vaults, "Memories": memories, "Entries": entries, "Contexts": contexts,
		"Unrecorded": unrecorded, "Search": search, "Load": load, "Threads": threads, "Messages": messages, "Page": events, "RunEvents": below, "Runs": runs,
		"Pauses": pauses, "Audit": audit, "VerifyAudit": verify,
	} {
		if err != nil && core.CodeOf(err) != core.CodeCorrupt {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnOlderDatabaseIsCopiedAndBroughtUpToDate(t *testing.T) {
	dir := t.TempDir()
	steps := must.Get(migrations())(t)
	first := len(steps)
	mustPut(t, openSteps(t, dir, steps), storetest.Begin("a")...)
	for n := first + 1; n <= first+5; n++ {
		steps = append(steps, fmt.Sprintf("CREATE TABLE extra%d(x TEXT) STRICT; INSERT INTO extra%d VALUES('new')", n, n))
		s := openSteps(t, dir, steps)
		if version, err := s.version(t.Context()); err != nil || version != n {
			t.Fatalf("version %d, %v; want %d", version, err, n)
		}
		mustPut(t, s, storetest.Say("a", "a/run", strconv.Itoa(n)))
	}
	copies := must.Get(filepath.Glob(filepath.Join(dir, File+".bak-*")))(t)
	if len(copies) != backups {
		t.Fatalf("%d copies are kept, want %d: %v", len(copies), backups, copies)
	}
	slices.SortFunc(copies, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }) // 9 before 10
	for i, path := range copies {
		version := first + 2 + i // the newest is of the version before the last
		if !strings.HasPrefix(filepath.Base(path), fmt.Sprintf("%s.bak-%d-", File, version)) {
			t.Errorf("copy %s, want one of version %d", path, version)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", path, info.Mode(), err)
		}
		b := must.Get(os.ReadFile(path))(t)
		restored := t.TempDir()
		must.Do(t, os.WriteFile(filepath.Join(restored, File), b, 0o600))
		messages, err := openSteps(t, restored, steps[:version]).Messages(t.Context(), "a")
		if err != nil || len(messages) != version-first+1 {
			t.Errorf("the copy of version %d holds %d messages, %v", version, len(messages), err)
		}
	}
	_, err := Open(t.Context(), dir)
	refused(t, err, core.CodeTooNew, dir)
}

func TestADatabaseOfTheFirstVersionIsBroughtUpToDate(t *testing.T) {
	dir := t.TempDir()
	steps := must.Get(migrations())(t)
	db := must.Get(connect(writerDSN(filepath.Join(dir, File)), 1))(t)
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	if _, err := db.ExecContext(t.Context(), steps[0]+`; PRAGMA user_version = 1;
		INSERT INTO thread(id, session, title, created_us, updated_us) VALUES('a', 's', 'T', 1, 1);
		INSERT INTO run(id, thread, runner, room, state, depth, started_us, state_us) VALUES('a/run', 'a', 'agent/main', 'r', 'interrupted', 0, 1, 1);
		INSERT INTO message(id, thread, n, run, role, at_us, body) VALUES
			('said', 'a', 1, 'a/run', 'user', 1, '{"id":"said","run":"a/run","role":"user","text":"hi"}'),
			('calls', 'a', 2, NULL, 'assistant', 1, '{"id":"calls","role":"assistant"}'),
			('deep', 'a', 3, NULL, 'assistant', 1, '{"id":"deep","role":"assistant","calls":[{"id":"c","tool":"t","args":`+deep+`}]}'),
			('tool', 'a', 4, NULL, 'tool', 1, '{"id":"tool","role":"tool","text":"it"}'),
			('answer', 'a', 5, NULL, 'assistant', 1, '{"id":"answer","role":"assistant","text":"hello"}')`); err != nil {
		t.Fatal(err)
	}
	must.Do(t, db.Close())
	s := openIn(t, dir)
	mustPut(t, s, storetest.Ask("a", "a/run", "which"), storetest.Said("a", "a/run", "reply"))
	saved, err := s.Load(t.Context(), "a/run")
	if err != nil || len(saved.Messages) != 1 || len(saved.Pauses) != 1 {
		t.Errorf("loaded %+v, %v; want what was there and what came", saved, err)
	}
	if report, err := s.VerifyAudit(t.Context(), core.AuditHead{}); err != nil || report.Rows != 2 || len(report.Faults) > 0 {
		t.Errorf("the audit log is %+v, %v; want the run that was there and the reply", report, err)
	}
	must.Get(s.writer.ExecContext(t.Context(), "UPDATE run SET runner = 'agent/other'"))(t)
	if report, err := s.VerifyAudit(t.Context(), core.AuditHead{}); err != nil || len(report.Faults) != 1 {
		t.Errorf("a run that was there is changed, and the audit log is %+v, %v", report, err)
	}
	mustPut(t, s, append(storetest.Recall("m"), core.Recording{Thread: "a", Memory: "m"})...)
	mustPut(t, s, storetest.Say("a", "", "new"))
	var unrecorded []string
	for _, u := range must.Get(s.Unrecorded(t.Context(), "m", 0))(t) {
		unrecorded = append(unrecorded, u.Message.ID)
	}
	must.Equal(t, "said answer new", strings.Join(unrecorded, " "))
	if copies, err := filepath.Glob(filepath.Join(dir, File+".bak-1-*")); err != nil || len(copies) != 1 {
		t.Errorf("copies %v, %v", copies, err)
	}
}

func TestAMigrationThatFailsChangesNothing(t *testing.T) {
	dir := t.TempDir()
	steps, err := migrations()
	must.Do(t, err)
	mustPut(t, openSteps(t, dir, steps), storetest.Begin("a")...)
	_, err = open(t.Context(), dir, append(slices.Clone(steps), "DROP TABLE event; CREATE TABLE event(x TEXT); CREATE TABLE thread(x TEXT)"))
	refused(t, err, core.CodeCorrupt, dir)
	copies, globbed := filepath.Glob(filepath.Join(dir, fmt.Sprintf("%s.bak-%d-*", File, len(steps))))
	if globbed != nil || len(copies) != 1 || !strings.Contains(core.HintOf(err), copies[0]) {
		t.Errorf("copies %v, hint %q", copies, core.HintOf(err))
	}
	s := openSteps(t, dir, steps)
	if version, err := s.version(t.Context()); err != nil || version != len(steps) {
		t.Errorf("version %d, %v", version, err)
	}
	mustPut(t, s, core.EventRow{Event: &core.Event{Seq: 1, Scope: core.Scope{Thread: "a"}, Body: core.TurnEnd{}}})
}

// openSteps opens the database as a yaap with these migrations would.
func openSteps(t *testing.T, dir string, steps []string) *Store {
	t.Helper()
	s := must.Get(open(t.Context(), dir, steps))(t)
	storetest.Start(t, s)
	return s
}

func TestManyMayOpenANewDirectoryAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			s, err := Open(t.Context(), dir)
			if err != nil {
				t.Error(err)
				return
			}
			storetest.Start(t, s)
			must.Report(t, s.Put(t.Context(), storetest.Begin(strconv.Itoa(n))...))
		})
	}
	all.Wait()
	if copies, err := filepath.Glob(filepath.Join(dir, "*.bak*")); err != nil || len(copies) > 0 {
		t.Errorf("copies of a new database: %v %v", copies, err)
	}
}

func TestOpenWaitsForItsTurnButNotForEver(t *testing.T) {
	dir := t.TempDir()
	hold := func(t *testing.T) {
		f := must.Get(os.OpenFile(filepath.Join(dir, "open.lock"), os.O_CREATE|os.O_RDWR, 0o600))(t)
		must.Do(t, private.Lock(f, private.Exclusive))
		t.Cleanup(func() { _ = f.Close() })
	}
	t.Run("the other never ends", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			hold(t)
			_, err := Open(t.Context(), dir)
			refused(t, err, core.CodeBusy, dir)
		})
	})
	t.Run("the user does not want to wait", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			hold(t)
			ctx, cancel := context.WithCancel(t.Context())
			opened := make(chan error, 1)
			go func() {
				_, err := Open(ctx, dir)
				opened <- err
			}()
			synctest.Wait()
			cancel()
			if err := <-opened; !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want %v", err, context.Canceled)
			}
		})
	})
}

// withoutParts takes the index of parts of words out of a database, as it was before there was one.
func withoutParts(t testing.TB, s *Store) {
	t.Helper()
	must.Get(s.writer.ExecContext(t.Context(), `DROP TRIGGER part_redact; DROP TABLE part_fts; DROP TABLE entry_part; PRAGMA user_version = 11`))(t)
	must.Do(t, s.Close())
}

func TestPartsOfWordsOfBeforeTheirIndexAreFound(t *testing.T) {
	dir := t.TempDir()
	s := openIn(t, dir)
	mustPut(t, s, storetest.Recall("m")...)
	rows := make([]core.Row, partedAtOnce)
	for i := range rows {
		rows[i] = storetest.Note("m", strconv.Itoa(i), "nothing of note")
	}
	mustPut(t, s, rows...)
	mustPut(t, s, storetest.Note("m", "camel", "call getHeron"), storetest.Note("m", "glued", "我用React写"), storetest.Note("m", "tagged", "tea"),
		core.Tag{Entry: "tagged", Key: "topic", Value: "kestrel", Time: storetest.At(3)})
	withoutParts(t, s)
	s = openIn(t, dir)
	for query, want := range map[string]string{"heron": "camel", "React": "glued", "kestrel": "tagged"} {
		if got := search(t, s, core.SearchQuery{Text: query}); got != want {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
}
