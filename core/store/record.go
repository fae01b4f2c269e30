package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
)

// kind says which table a record goes to. Rows of one Put are stored in the
// order of their kinds, so that what a row refers to is there before it.
type kind int

const (
	kindSession kind = iota
	kindThread
	kindBranch // after both conversations
	kindVault
	kindMemory
	kindRecording // before the messages: it says which of them are remembered
	kindRun
	kindMessage
	kindEntry
	kindParts // of the words of an entry
	kindTag
	kindExpiry
	kindContext
	kindState
	kindEvent
	kindCheckpoint
	kindPause
	kindAnswer
	kindAudit
	kinds // how many
)

// record is a row that is checked and encoded, ready for the writer.
type record struct {
	kind   kind
	args   []any       // of the kind's statement; the id alone where one of these is stored
	run    core.RunRow // kindRun
	vault  core.Vault  // kindVault
	memory core.Memory // kindMemory
	answer core.Answer // kindAnswer
	audit  auditRow    // kindAudit
}

// inserts returns the statements that store records, by their kinds; putting one
// again changes nothing, unless it is said when it may be used. Runs, vaults and
// memories have none.
func inserts() [kinds]string {
	return [kinds]string{
		kindSession: `INSERT INTO session(id, started_us, ended_us, dir, unattended) VALUES(?, ?, ?, ?, ?)
			ON CONFLICT(id) DO UPDATE SET ended_us = excluded.ended_us WHERE ended_us IS NULL AND excluded.ended_us IS NOT NULL`,
		kindThread: `INSERT INTO thread(id, session, title, created_us, updated_us) VALUES(?, ?, ?, ?, ?)
			ON CONFLICT(id) DO UPDATE SET title = coalesce(nullif(excluded.title, ''), title), updated_us = excluded.updated_us
			WHERE updated_us < excluded.updated_us`,
		kindBranch: `INSERT INTO branch(thread, parent, upto)
			SELECT ?1, ?2, CASE ?3 WHEN '' THEN coalesce(max(n), 0) + 1 ELSE min(n) FILTER (WHERE run = ?3) END FROM message WHERE thread = ?2
			ON CONFLICT(thread) DO NOTHING`,
		kindMessage: `INSERT INTO message(id, thread, n, run, role, at_us, body, spoken)
			SELECT ?1, ?2, coalesce(max(n), 0) + 1, nullif(?3, ''), ?4, ?5, ?6, ?7 FROM message WHERE thread = ?2
			ON CONFLICT(id) DO NOTHING`,
		kindRecording: // unless it says what the last one of its thread said
		`INSERT INTO recording(thread, memory, at_us)
			SELECT ?1, CASE WHEN ?2 <> '' THEN ` + memoryNo("?2") + ` END, ?3
			WHERE ?2 IS NOT (SELECT coalesce(memory.id, '') FROM recording LEFT JOIN memory ON memory.no = recording.memory WHERE thread = ?1 ORDER BY recording.no DESC LIMIT 1)
			ON CONFLICT(thread, at_us) DO NOTHING`,
		kindEntry: insertEntries(1),
		kindParts: `INSERT INTO entry_part(seq, scope, words)
			SELECT seq, scope, ?2 FROM entry WHERE id = ?1 AND raw = ?3 AND redacted_us IS NULL ON CONFLICT DO NOTHING`,
		kindTag: `INSERT INTO entry_tag(seq, key, value, at_us) SELECT seq, ?2, ?3, ?4 FROM entry WHERE id = ?1
			ON CONFLICT(seq, key) DO UPDATE SET value = excluded.value, at_us = excluded.at_us WHERE at_us < excluded.at_us`,
		kindExpiry: // of the entry, what it corrects and what corrects it
		`INSERT INTO entry_life(seq, until_us, at_us)
			WITH RECURSIVE family(id) AS (VALUES(?1)
				UNION SELECT entry.id FROM family JOIN entry ON entry.corrects = family.id
				UNION SELECT entry.corrects FROM family JOIN entry ON entry.id = family.id WHERE entry.corrects IS NOT NULL)
			SELECT entry.seq, ?2, ?3 FROM family JOIN entry ON entry.id = family.id WHERE true
			ON CONFLICT(seq) DO UPDATE SET until_us = excluded.until_us, at_us = excluded.at_us WHERE at_us < excluded.at_us`,
		kindContext: `INSERT INTO context(id, memory, upto, content, created_us) VALUES(?1, ` + memoryNo("?2") + `, ?3, ?4, ?5) ON CONFLICT(id) DO NOTHING`,
		kindState: // the next one of its thread
		`INSERT INTO memory_state(id, memory, thread, step, control, count, messages, tools, context, upto, at_us)
			VALUES(?1, ` + memoryNo("?2") + `, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)`,
		kindEvent: `INSERT INTO event(room, seq, thread, run, parent, type, at_us, body)
			VALUES(?, ?, nullif(?, ''), nullif(?, ''), nullif(?, ''), ?, ?, ?)
			ON CONFLICT(room, seq) DO NOTHING`,
		kindCheckpoint: `INSERT INTO checkpoint(run, step, state, at_us) VALUES(?, ?, ?, ?) ON CONFLICT(run, step) DO NOTHING`,
		kindPause:      `INSERT INTO pause(id, run, root, thread, body) VALUES(?, ?, ?, ?, ?) ON CONFLICT(id) DO NOTHING`,
		kindAnswer:// to a pause that is there and has none
		`INSERT INTO answer(pause, body) VALUES(?, ?)`,
		kindAudit: // of a new id
		`INSERT INTO audit(seq, id, at_us, thread, run, actor, node, status, salt, payload, payload_hash, prev_hash, hash, state)
			VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	}
}

func (r record) String() string {
	switch r.kind {
	case kindEvent:
		return fmt.Sprint("event ", r.args[1])
	case kindCheckpoint:
		return fmt.Sprint("checkpoint ", r.args[1], " of run ", r.args[0])
	}
	what := [kinds]string{
		kindSession: "session", kindThread: "thread", kindBranch: "branch", kindMessage: "message",
		kindRecording: "recording of thread", kindEntry: "entry", kindParts: "parts of entry",
		kindTag: "what is said about entry", kindExpiry: "what is said about entry",
		kindContext: "context", kindState: "memory checkpoint", kindPause: "pause",
		kindRun: "run", kindVault: "vault", kindMemory: "memory", kindAnswer: "answer to", kindAudit: "audit row",
	}[r.kind]
	return fmt.Sprint(what, " ", r.args[0])
}

// failed names the row that could not be stored. A failure that has words of
// its own keeps them.
func (r record) failed(err error) error {
	if codeIn(err) != "" {
		return err
	}
	return fmt.Errorf("%s: %w", r, err)
}

// records checks and encodes the rows of one Put. Transient events are left out.
func records(room string, rows []core.Row) ([]record, error) {
	out := make([]record, 0, len(rows))
	for _, row := range rows {
		if e, ok := row.(core.EventRow); ok && core.IsTransient(e.Event.Body) {
			continue
		}
		r, err := newRecord(room, row)
		if err != nil {
			return nil, fmt.Errorf("store: put: %w", err)
		}
		out = append(out, r)
		if e, ok := row.(core.Entry); ok {
			if words := partsOf(e); words != "" {
				out = append(out, record{kind: kindParts, args: []any{e.ID, words, e.Raw}})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b record) int { return int(a.kind - b.kind) })
	return out, nil
}

func newRecord(room string, row core.Row) (record, error) {
	switch row := row.(type) {
	case core.Session:
		return record{kind: kindSession, args: []any{row.ID, row.Started.UnixMicro(), orNull(row.Ended), row.Dir, row.Unattended}}, named("session", row.ID)
	case core.Thread:
		return record{kind: kindThread, args: []any{row.ID, row.Session, row.Title, row.Created.UnixMicro(), row.Updated.UnixMicro()}}, named("thread", row.ID)
	case core.Branch:
		if row.Thread == "" || row.From == "" || row.Thread == row.From {
			return record{}, errors.New("a branch without two threads")
		}
		return record{kind: kindBranch, args: []any{row.Thread, row.From, row.Before}}, nil
	case core.RunRow:
		return record{kind: kindRun, args: []any{row.ID}, run: row}, named("run", row.ID)
	case core.MessageRow:
		return messageRecord(row)
	case core.EventRow:
		return eventRecord(room, *row.Event)
	case core.Checkpoint:
		if !json.Valid(row.State) {
			return record{}, fmt.Errorf("checkpoint %d of run %s: the state is not JSON", row.Step, row.Run)
		}
		return record{kind: kindCheckpoint, args: []any{row.Run, row.Step, string(row.State), row.Time.UnixMicro()}}, nil
	case core.Vault:
		return record{kind: kindVault, args: []any{row.ID}, vault: row}, row.Check()
	case core.Memory:
		return record{kind: kindMemory, args: []any{row.ID}, memory: row}, row.Check()
	case core.Recording:
		return record{kind: kindRecording, args: []any{row.Thread, row.Memory, row.Time.UnixMicro()}}, row.Check()
	case core.Entry:
		return entryRecord(row)
	case core.Tag:
		return record{kind: kindTag, args: []any{row.Entry, row.Key, row.Value, row.Time.UnixMicro()}}, row.Check()
	case core.Expiry:
		return expiryRecord(row)
	case core.ContextDoc:
		return record{kind: kindContext, args: []any{row.ID, row.Memory, row.Upto, row.Content, row.Created.UnixMicro()}}, row.Check()
	case core.MemoryState:
		return stateRecord(row)
	case core.Pause:
		return pauseRecord(row)
	case core.Answer:
		return answerRecord(row)
	case core.AuditRow:
		return auditRecord(row)
	}
	return record{}, fmt.Errorf("a row of type %T", row)
}

func named(what, id string) error {
	if id == "" {
		return fmt.Errorf("a %s without an id", what)
	}
	return nil
}

// orNull is a time in microseconds, and NULL where there is none.
func orNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}

func messageRecord(row core.MessageRow) (record, error) {
	m := row.Message
	m.Time = instant(m.Time)
	body, err := encode(m)
	if err != nil {
		return record{}, fmt.Errorf("message %s: %w", m.ID, err)
	}
	spoken := (m.Role == core.RoleUser || m.Role == core.RoleAssistant) && strings.TrimSpace(m.Text) != ""
	return record{kind: kindMessage, args: []any{m.ID, row.Thread, m.Run, string(m.Role), m.Time.UnixMicro(), body, spoken}}, named("message", m.ID)
}

func eventRecord(room string, e core.Event) (record, error) {
	if e.Body == nil {
		return record{}, fmt.Errorf("event %d without a body", e.Seq)
	}
	body, err := encode(withoutColumns(e))
	if err != nil {
		return record{}, fmt.Errorf("event %d: %w", e.Seq, err)
	}
	return record{kind: kindEvent, args: []any{room, int64(e.Seq), e.Thread, e.Run, e.Parent, e.Type(), e.Time.UnixMicro(), body}}, nil
}

// instant is t as it is stored.
func instant(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// encode returns v as JSON that keeps raw JSON within it as it is written.
func encode(v any) (string, error) {
	raw, err := core.EncodeJSON(v)
	return string(raw), err
}

// insertEntries is the statement that stores n entries.
func insertEntries(n int) string {
	row := "(?, " + memoryNo("?") + ", ?, nullif(?, ''), ?, ?, ?, ?, ?, nullif(?, ''), ?, ?, ?, ?)"
	return `INSERT INTO entry(id, memory, thread, message, part, role, raw, summary, tags, corrects, reason, day, created_us, expires_us)
		VALUES` + strings.Repeat(row+", ", n-1) + row + ` ON CONFLICT DO NOTHING`
}
