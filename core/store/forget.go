package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/yaap-chat/yaap/core"
)

// Forget removes the words of an entry or of a conversation from every file of
// the database, for good; that something was forgotten is noted in the audit
// log.
//
// With an entry go the message that it was made of and the outcome in the
// same run, with their files where no other message has them, with an answer what tools said for it, and the entries that it corrects or that correct it; with a
// conversation all that was said in it, and its title. Of their runs the
// events, checkpoints and questions are removed, too, what the runs below them
// said, what experts have learned from them, and the content of their audit rows,
// whose hashes stay good; the runs cannot be resumed. So go the runs in which a tool told one of the
// entries, but for what the user said in them. Versions of a memory's context
// that may know the entries are removed: those that were written since, as
// another program may have read more than the room; and all copies that were
// made of the database. What was repeated elsewhere, in a later question say, stays there.
//
// The entries stay as places without words: they tell that something was there,
// and when it was taken away. A forgotten message does not come
// back when it is put again, nor does an entry of it; and a context that may
// know an entry and was begun before that was forgotten, going by its Created,
// fails to be put with [core.CodeConflict].
//
// Forget fails with [core.CodeNotFound] when there is nothing of that name,
// and with [core.CodeBusy] while a run that is to be forgotten goes on; then
// nothing is changed. When it fails after that, the words cannot be read or
// found any more, but may be left in the files: forgetting again removes them,
// and so does the next Open, also after a kill.
func (s *Store) Forget(ctx context.Context, q core.ForgetQuery) (core.Forgotten, error) {
	if err := q.Check(); err != nil {
		return core.Forgotten{}, err
	}
	marked, err := s.markUnscrubbed()
	if err != nil {
		return core.Forgotten{}, cannotWrite(s.path, err)
	}
	var much core.Forgotten
	err = transact(ctx, s.writer, func(tx *sql.Tx) (err error) {
		much, err = s.forget(ctx, tx, q)
		return err
	})
	if err != nil {
		if marked {
			_ = os.Remove(s.unscrubbed()) // at worst the next Open has nothing to do
		}
		return core.Forgotten{}, s.fail("forget", err)
	}
	s.signs.forget()
	s.keepHead(ctx)
	return much, s.fail("forget", s.scrub(ctx))
}

func (s *Store) forget(ctx context.Context, tx *sql.Tx, q core.ForgetQuery) (much core.Forgotten, err error) {
	now := time.Now()
	if err := s.interruptDead(ctx, tx, now); err != nil {
		return much, err
	}
	gone, err := reach(ctx, tx, q)
	if err != nil {
		return much, err
	}
	files, err := s.filesOf(ctx, tx, gone)
	if err != nil {
		return much, err
	}
	for _, step := range []struct {
		statement string
		count     *int
	}{
		{"DELETE FROM entry_tag WHERE seq IN (SELECT seq FROM entry WHERE id IN " + entriesGone + ")", nil},
		{"DELETE FROM embedding WHERE seq IN (SELECT seq FROM entry WHERE id IN " + entriesGone + ")", nil},
		{`DELETE FROM context WHERE EXISTS (SELECT 1 FROM entry
			WHERE id IN ` + entriesGone + ` AND entry.memory = context.memory
				AND (upto = 0 OR upto >= entry.seq OR context.created_us >= entry.created_us))`, &much.Contexts},
		{"UPDATE entry SET raw = '', summary = '', tags = '{}', reason = '', redacted_us = :now WHERE redacted_us IS NULL AND id IN " + entriesGone, &much.Entries},
		{"DELETE FROM answer WHERE pause IN (SELECT id FROM pause WHERE run IN " + runsGone + ")", nil},
		{"DELETE FROM pause WHERE run IN " + runsGone, nil},
		{"DELETE FROM checkpoint WHERE run IN " + runsGone, nil},
		{"DELETE FROM event WHERE thread IN " + threadsGone + " AND (run IS NULL OR run IN " + runsGone + ")", nil},
		{"INSERT INTO forgotten(message) SELECT value FROM json_each(:messages) WHERE true ON CONFLICT DO NOTHING", nil},
		{"DELETE FROM message WHERE id IN " + messagesGone, &much.Messages},
		{"UPDATE audit SET payload = NULL, salt = NULL, redacted_us = :now WHERE redacted_us IS NULL AND state IS NULL AND NOT (actor = '" + forgetter + "' AND run = '') AND (run IN " + runsGone + " OR :thread <> '' AND thread = :thread)", nil},
		{"UPDATE thread SET title = '' WHERE id IN " + threadsGone, nil},
		{"DELETE FROM learned WHERE run IN " + runsGone + " OR :thread <> '' AND thread = :thread", nil},
		{"DELETE FROM memory_state WHERE :thread <> '' AND thread = :thread", nil},
	} {
		done, err := tx.ExecContext(ctx, step.statement,
			sql.Named("entries", gone.entries), sql.Named("messages", gone.messages), sql.Named("runs", gone.runs),
			sql.Named("threads", gone.threads), sql.Named("thread", q.Thread), sql.Named("now", now.UnixMicro()))
		if err != nil {
			return much, err
		}
		if step.count != nil {
			n, _ := done.RowsAffected() // SQLite always tells
			*step.count = int(n)
		}
	}
	if err := s.removeFiles(ctx, tx, files); err != nil {
		return much, err
	}
	if err := s.changeRuns(ctx, tx, "UPDATE run SET state = 'completed', state_us = ? WHERE state <> 'completed' AND id IN (SELECT value FROM json_each(?))",
		now.UnixMicro(), gone.runs); err != nil {
		return much, err
	}
	return much, s.noteForgotten(ctx, tx, q, now)
}

// FilesDir is the directory beside the database with the files that messages name: those
// that the user attached, and those that an answer had.
const FilesDir = "files"

// filesOf are the names of the files that messages which are to go name.
func (s *Store) filesOf(ctx context.Context, tx *sql.Tx, g gone) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(filepath.Dir(s.path), FilesDir))
	if err != nil || len(entries) == 0 {
		return nil, nil //nolint:nilerr // there is none
	}
	all := make([]string, len(entries))
	for i, e := range entries {
		all[i] = e.Name()
	}
	names, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	return collect(scanText)(tx.QueryContext(ctx, `SELECT value FROM json_each(:names) AS file
		WHERE EXISTS (SELECT 1 FROM message WHERE id IN `+messagesGone+` AND instr(body, file.value) > 0)`,
		sql.Named("names", string(names)), sql.Named("messages", g.messages)))
}

// removeFiles takes the files away that no message names any more.
func (s *Store) removeFiles(ctx context.Context, tx *sql.Tx, names []string) error {
	for _, name := range names {
		var named bool
		if err := tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM message WHERE instr(body, ?) > 0)", name).Scan(&named); err != nil {
			return err
		}
		if named {
			continue
		}
		if err := os.Remove(filepath.Join(filepath.Dir(s.path), FilesDir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// What is in reach, as sets of SQL.
const (
	entriesGone  = "(SELECT value FROM json_each(:entries))"
	messagesGone = "(SELECT value FROM json_each(:messages))"
	runsGone     = "(SELECT value FROM json_each(:runs))"
	threadsGone  = "(SELECT value FROM json_each(:threads))"
)

// gone is what is to be forgotten: ids, as arrays in JSON.
type gone struct{ entries, messages, runs, threads string }

// reach returns what has to be forgotten with what is named.
func reach(ctx context.Context, tx *sql.Tx, q core.ForgetQuery) (g gone, err error) {
	seed, id := "SELECT id, message FROM entry WHERE id = ?1", q.Entry
	if q.Thread != "" {
		seed, id = "SELECT id, message FROM entry WHERE thread = ?1 UNION SELECT NULL, id FROM message WHERE thread = ?1", q.Thread
	}
	var running bool
	err = tx.QueryRowContext(ctx, `
		WITH RECURSIVE told(entry, statement, run) AS MATERIALIZED ( -- by tools, each found entry with its words
			SELECT CASE found.type WHEN 'object' THEN json_extract(found.value, '$.entry_id') END, CASE found.type WHEN 'object' THEN json_extract(found.value, '$.statement') END, message.run
				FROM message, json_each('["$.result.data.entries","$.result.data.statements"]') AS path,
					json_each(CASE WHEN json_valid(body) THEN body ELSE '{}' END, path.value) AS found
				WHERE role = 'tool' AND message.run IS NOT NULL
			UNION SELECT entry, statement, run.parent FROM told JOIN run ON run.id = told.run WHERE run.parent IS NOT NULL),
		gone(entry, message) AS (
			`+seed+`
			UNION SELECT entry.id, entry.message FROM gone JOIN entry ON entry.corrects = gone.entry
			UNION SELECT entry.id, entry.message FROM gone JOIN entry AS later ON later.id = gone.entry JOIN entry ON entry.id = later.corrects
			UNION SELECT entry.id, entry.message FROM gone JOIN entry ON entry.message = gone.message
			UNION SELECT NULL, later.id FROM gone JOIN message ON message.id = gone.message
				JOIN message AS later ON later.run = message.run AND later.n >= message.n
			UNION SELECT NULL, earlier.id FROM gone JOIN message ON message.id = gone.message AND message.role = 'assistant'
				JOIN message AS earlier ON earlier.run = message.run AND earlier.role <> 'user' -- what the answer was made of
			UNION SELECT NULL, message.id FROM gone JOIN told ON told.entry = gone.entry
				OR coalesce(told.entry, '') = '' AND length(told.statement) > 7 -- told before it had an entry
					AND instr((SELECT raw FROM entry WHERE id = gone.entry), told.statement) > 0
				JOIN message ON message.run = told.run AND role <> 'user'),
		below(run) AS (
			SELECT run.id FROM gone JOIN message ON message.id = gone.message JOIN run ON run.parent = message.run
			UNION SELECT run.id FROM below JOIN run ON run.parent = below.run),
		words(message) AS (SELECT message FROM gone WHERE message IS NOT NULL UNION SELECT id FROM message JOIN below ON below.run = message.run),
		runs(run) AS (SELECT message.run FROM words JOIN message ON message.id = words.message WHERE message.run IS NOT NULL
			UNION SELECT run FROM below UNION SELECT id FROM run WHERE thread = ?2)
		SELECT (SELECT json_group_array(DISTINCT entry) FROM gone WHERE entry IS NOT NULL),
			(SELECT json_group_array(message) FROM words), (SELECT json_group_array(run) FROM runs),
			(SELECT json_group_array(thread) FROM (SELECT message.thread FROM words JOIN message ON message.id = words.message UNION SELECT id FROM thread WHERE id = ?2)),
			EXISTS (SELECT 1 FROM runs JOIN run ON run.id = runs.run WHERE state = 'running')`, id, q.Thread,
	).Scan(&g.entries, &g.messages, &g.runs, &g.threads, &running)
	switch {
	case err != nil:
		return g, err
	case running:
		return g, core.Fail(core.CodeBusy, "what is to be forgotten is still being worked on", "wait for the answer, or stop it first")
	case g.entries == "[]" && q.Entry != "":
		return g, noEntry(q.Entry)
	case g.entries == "[]" && g.threads == "[]":
		return g, noThread(q.Thread)
	}
	return g, nil
}

// forgetter is who says in the audit log that something was forgotten.
const forgetter = "memory"

// noteForgotten says in the audit log that something was forgotten, and of which rows of it
// the content was taken away then.
func (s *Store) noteForgotten(ctx context.Context, tx *sql.Tx, q core.ForgetQuery, at time.Time) error {
	rows, err := collect(scanSeq)(tx.QueryContext(ctx, "SELECT seq FROM audit WHERE redacted_us = ? ORDER BY seq", at.UnixMicro()))
	if err != nil {
		return err
	}
	data, err := json.Marshal(map[string]any{"entry": q.Entry, "thread": q.Thread, "rows": append([]int64{}, rows...)})
	if err != nil {
		return err
	}
	r, err := auditRecord(core.AuditRow{
		ID: newID(), Time: at, Thread: q.Thread, Actor: forgetter, AuditReply: core.AuditReply{
			Said: core.StatusSuccess, Status: core.StatusSuccess,
			Data: string(data), Message: "something was forgotten", Outcome: "forgotten", Severity: "info",
		},
	})
	if err != nil {
		return err
	}
	return s.storeAudit(ctx, tx, r.audit)
}

func scanSeq(rows *sql.Rows) (seq int64, err error) {
	err = rows.Scan(&seq)
	return seq, err
}

// unscrubbed is the file that is there while words that were forgotten may be
// left in the others.
func (s *Store) unscrubbed() string { return s.path + ".unscrubbed" }

// markUnscrubbed makes that file, and reports false where it is there already.
func (s *Store) markUnscrubbed() (made bool, err error) {
	f, err := os.OpenFile(s.unscrubbed(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, f.Close()
}

// scrubLate finishes what was forgotten by a program that was killed before the
// words were out of the files. What cannot be done now is left to the next one.
func (s *Store) scrubLate(ctx context.Context) {
	if _, err := os.Stat(s.unscrubbed()); err == nil {
		_ = s.scrub(ctx)
	}
}

// scrub removes from the files what is no longer in the database.
func (s *Store) scrub(ctx context.Context) error {
	turn, err := takeTurn(ctx, filepath.Dir(s.path)) // nobody makes a copy meanwhile
	if err != nil {
		return err
	}
	defer turn.Close() //nolint:errcheck // nothing was written to it
	// Deleting overwrites what is deleted, but not what was moved before, when a
	// page was split: only a file that is written anew is free of that.
	if _, err := s.writer.ExecContext(ctx, "VACUUM"); err != nil {
		return err
	}
	var busy bool
	var log, moved int
	if err := s.writer.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &moved); err != nil {
		return err
	}
	if busy {
		return core.Fail(core.CodeBusy, "the words are forgotten, but another window keeps them in the log of the database",
			"forget them again in a moment, or close the other windows first")
	}
	if err := prune(s.copies(), 0); err != nil {
		return err
	}
	if err := os.Remove(s.unscrubbed()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
