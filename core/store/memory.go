package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/yaap-chat/yaap/core"
)

// memoryNo is the number of the memory whose id is the parameter, NULL when
// there is none.
func memoryNo(parameter string) string { return "(SELECT no FROM memory WHERE id = " + parameter + ")" }

// numberOf is the number of the memory of that id. It fails with
// [core.CodeNotFound] when there is none.
func numberOf(ctx context.Context, tx *sql.Tx, memory string) (int64, error) {
	var no sql.NullInt64
	err := tx.QueryRowContext(ctx, "SELECT "+memoryNo("?"), memory).Scan(&no)
	if err == nil && !no.Valid {
		err = noMemory(memory)
	}
	return no.Int64, err
}

func entryRecord(e core.Entry) (record, error) {
	if err := e.Check(); err != nil {
		return record{}, err
	}
	tags := "{}"
	if len(e.Tags) > 0 {
		var err error
		if tags, err = encode(e.Tags); err != nil {
			return record{}, fmt.Errorf("entry %s: %w", e.ID, err)
		}
	}
	return record{kind: kindEntry, args: []any{
		e.ID, e.Memory, e.Thread, e.Message, e.Part, string(e.Role), e.Raw, e.Summary, tags, e.Corrects, e.Reason,
		e.Created.Format("Monday 2 January 2006 2006-01-02"), // where it was said
		e.Created.UnixMicro(), orNull(e.Expires),
	}}, nil
}

func storeVault(ctx context.Context, tx *sql.Tx, v core.Vault) error {
	var known, taken bool
	err := tx.QueryRowContext(ctx,
		"SELECT EXISTS(SELECT 1 FROM vault WHERE id = ?), EXISTS(SELECT 1 FROM vault WHERE title = ?)", v.ID, v.Title).Scan(&known, &taken)
	switch {
	case err != nil || known:
		return err
	case taken:
		return core.Fail(core.CodeConflict, fmt.Sprintf("there is a vault %q already", v.Title), "use that one, or choose another title")
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO vault(id, title, created_us) VALUES(?, ?, ?)", v.ID, v.Title, v.Created.UnixMicro())
	return err
}

func storeMemory(ctx context.Context, tx *sql.Tx, m core.Memory) error {
	var known, taken, vault bool
	err := tx.QueryRowContext(ctx, `SELECT EXISTS(SELECT 1 FROM memory WHERE id = ?1),
		EXISTS(SELECT 1 FROM memory WHERE vault = ?2 AND title = ?3), EXISTS(SELECT 1 FROM vault WHERE id = ?2)`,
		m.ID, m.Vault, m.Title).Scan(&known, &taken, &vault)
	switch {
	case err != nil || known:
		return err
	case !vault:
		return missing("vault", m.Vault, "/memory list shows the vaults and what is in them")
	case taken:
		return core.Fail(core.CodeConflict, fmt.Sprintf("there is a memory %q in this vault already", m.Title),
			"use that one, or choose another title")
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO memory(id, vault, title, kind, created_us) VALUES(?, ?, ?, ?, ?)",
		m.ID, m.Vault, m.Title, cmp.Or(m.Kind, "chat"), m.Created.UnixMicro())
	return err
}

// storeIn stores what belongs to a memory, whose id is its second argument.
// Only when that fails it is asked whether there is such a memory: entries are
// many.
func (s *Store) storeIn(ctx context.Context, tx *sql.Tx, r record) error {
	_, err := tx.StmtContext(ctx, s.insert[r.kind]).ExecContext(ctx, r.args...)
	if err == nil {
		return nil
	}
	var known bool
	if looked := tx.QueryRowContext(ctx, "SELECT EXISTS(SELECT 1 FROM memory WHERE id = ?)", r.args[1]).Scan(&known); looked == nil && !known {
		return noMemory(fmt.Sprint(r.args[1]))
	}
	return err
}

// storeRecording stores that a thread is remembered, or no longer when the
// memory is empty.
func (s *Store) storeRecording(ctx context.Context, tx *sql.Tx, r record) error {
	var known bool
	if err := tx.QueryRowContext(ctx, "SELECT ?1 = '' OR EXISTS(SELECT 1 FROM memory WHERE id = ?1)", r.args[1]).Scan(&known); err != nil {
		return err
	}
	if !known {
		return noMemory(fmt.Sprint(r.args[1]))
	}
	_, err := tx.StmtContext(ctx, s.insert[r.kind]).ExecContext(ctx, r.args...)
	return err
}

// storeContext stores a version of a memory's context, unless something that it
// may know was forgotten since it was begun. What was forgotten at a time that
// is to come was forgotten before the clock was set back, and does not count.
func (s *Store) storeContext(ctx context.Context, tx *sql.Tx, r record) error {
	var known, late bool
	err := tx.QueryRowContext(ctx, `SELECT EXISTS(SELECT 1 FROM context WHERE id = ?1),
		EXISTS(SELECT 1 FROM entry WHERE memory = `+memoryNo("?2")+` AND redacted_us BETWEEN ?5 AND ?6 AND (?3 = 0 OR ?3 >= seq))`,
		append(slices.Clone(r.args), time.Now().UnixMicro())...).Scan(&known, &late)
	switch {
	case err != nil || known:
		return err
	case late:
		return core.Fail(core.CodeConflict, "something was forgotten since this context was begun", "read the entries again and write it anew")
	}
	return s.storeIn(ctx, tx, r)
}

func noMemory(id string) error {
	return missing("memory", id, "/memory list shows the memories")
}

func noEntry(id string) error {
	return missing("entry", id, "/memory shows what is remembered; what has expired is gone")
}

// Vaults returns the vaults by their titles.
func (s *Store) Vaults(ctx context.Context) ([]core.Vault, error) {
	return list(ctx, s, "list the vaults", scanVault, "SELECT id, title, created_us FROM vault ORDER BY title")
}

func scanVault(rows *sql.Rows) (v core.Vault, err error) {
	err = rows.Scan(&v.ID, &v.Title, stamp{&v.Created})
	return v, err
}

const selectMemory = "SELECT memory.id, memory.vault, memory.title, memory.kind, memory.created_us FROM memory "

func scanMemory(rows *sql.Rows) (m core.Memory, err error) {
	err = rows.Scan(&m.ID, &m.Vault, &m.Title, &m.Kind, stamp{&m.Created})
	return m, err
}

// Memories returns the memories of a vault by their titles, none when there is
// no such vault.
func (s *Store) Memories(ctx context.Context, vault string) ([]core.Memory, error) {
	return list(ctx, s, "list the memories of vault "+vault, scanMemory, selectMemory+"WHERE vault = ? ORDER BY title", vault)
}

// Memory returns the memory of that id. It fails with [core.CodeNotFound] when
// there is none.
func (s *Store) Memory(ctx context.Context, id string) (core.Memory, error) {
	return find(ctx, s, "find memory "+id, noMemory(id), scanMemory, selectMemory+"WHERE id = ?", id)
}

// FindMemory returns the memory of these titles. It fails with
// [core.CodeNotFound] when there is none.
func (s *Store) FindMemory(ctx context.Context, vault, title string) (core.Memory, error) {
	name := vault + "/" + title
	return find(ctx, s, "find memory "+name, noMemory(name), scanMemory,
		selectMemory+"JOIN vault ON vault.id = memory.vault WHERE vault.title = ? AND memory.title = ?", vault, title)
}

// Whether a tool answered a message of the user's whose id stands between these two.
const (
	answeredOf = `EXISTS(SELECT 1 FROM message AS asked JOIN message AS called ON called.run = asked.run AND called.role = 'tool' WHERE asked.id = `
	byATool    = ` AND asked.role = 'user' AND coalesce(called.body ->> '$.result.reply.status', called.body ->> '$.result.status') IN ('success', 'completed'))`
)

const selectEntry = `SELECT entry.id, memory.id, seq, thread, coalesce(message, ''), part, role, raw, summary, tags,
	coalesce(corrects, ''), reason, ` + corrected + `, ` + expires + `, ` + tagsBeside + `, entry.created_us, coalesce(redacted_us, 0), ` + answeredOf + "entry.message" + byATool + `
	FROM entry JOIN memory ON memory.no = entry.memory `

func (s *Store) entryRow(rows *sql.Rows) (e core.Entry, err error) {
	var (
		tags, beside               string
		expires, created, redacted int64
	)
	if err := rows.Scan(&e.ID, &e.Memory, &e.Seq, &e.Thread, &e.Message, &e.Part, &e.Role, &e.Raw, &e.Summary, &tags,
		&e.Corrects, &e.Reason, &e.Corrected, &expires, &beside, &created, &redacted, &e.Answered); err != nil {
		return e, err
	}
	e.Created = micros(created)
	if expires != never {
		e.Expires = micros(expires)
	}
	if redacted != 0 {
		e.Redacted = micros(redacted)
	}
	if e.Tags, err = merged(tags, beside); err != nil {
		return e, s.damaged("read the tags of entry "+e.ID, err)
	}
	return e, nil
}

// Entries returns entries of a memory, the newest first. A limit leaves the
// oldest out. Those that were forgotten are among them, without words; those
// that have expired are not, unless q asks for them.
func (s *Store) Entries(ctx context.Context, memory string, q core.EntryQuery) ([]core.Entry, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	where, args := "WHERE entry.memory = "+memoryNo("?"), []any{memory}
	and := func(condition string, arg any) { where, args = where+" AND "+condition, append(args, arg) }
	if q.Before != 0 {
		and("seq < ?", q.Before)
	}
	if q.After != 0 {
		and("seq > ?", q.After)
	}
	if q.Thread != "" {
		and("thread = ?", q.Thread)
	}
	if !q.IncludeExpired {
		and(unexpired, time.Now().UnixMicro())
	}
	return list(ctx, s, "list the entries of memory "+memory, s.entryRow, selectEntry+where+" ORDER BY seq DESC LIMIT ?", append(args, cmp.Or(q.Limit, defaultLimit))...)
}

const defaultLimit = 10 // of entries

// Entry returns the entry of that id. It fails with [core.CodeNotFound] when
// there is none, or when it has expired.
func (s *Store) Entry(ctx context.Context, id string) (core.Entry, error) {
	return find(ctx, s, "find entry "+id, noEntry(id), s.entryRow,
		selectEntry+"WHERE entry.id = ? AND "+unexpired, id, time.Now().UnixMicro())
}

// Contexts returns the versions of a memory's context, the newest first, at
// most limit of them; a limit below 1 is none.
func (s *Store) Contexts(ctx context.Context, memory string, limit int) ([]core.ContextDoc, error) {
	return list(ctx, s, "read the context of memory "+memory, func(rows *sql.Rows) (c core.ContextDoc, err error) {
		err = rows.Scan(&c.ID, &c.Memory, &c.Seq, &c.Upto, &c.Content, stamp{&c.Created})
		return c, err
	}, `
		SELECT context.id, memory.id, seq, upto, content, context.created_us FROM context JOIN memory ON memory.no = context.memory
		WHERE memory.id = ? ORDER BY seq DESC LIMIT ?`, memory, bound(limit))
}

// Unrecorded returns the messages that are to be remembered in a memory and
// have no entry yet, in the order they were put, at most limit of them; a limit
// below 1 is none. They are what users and root runs said in words while their
// thread was recorded; and before that, when nothing had been said about
// recording it.
func (s *Store) Unrecorded(ctx context.Context, memory string, limit int) ([]core.Unrecorded, error) {
	return list(ctx, s, "list what memory "+memory+" has not recorded", func(rows *sql.Rows) (u core.Unrecorded, err error) {
		var id, body string
		if err := rows.Scan(&u.Thread, &id, &body, &u.Answered); err != nil {
			return u, err
		}
		u.Message, err = decoded[core.Message](s, "message "+id, body)
		return u, err
	}, `
		SELECT message.thread, message.id, message.body, `+answeredOf+"message.id"+byATool+` FROM unrecorded JOIN message ON message.id = unrecorded.message
		WHERE unrecorded.memory = `+memoryNo("?")+` ORDER BY unrecorded.no LIMIT ?`, memory, bound(limit))
}
