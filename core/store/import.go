package store

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/text"
)

const (
	importLine     = 1 << 20   // bytes
	importLines    = 5_000_000 // of one file
	importMemories = 10_000    // and vaults
)

// Imported counts what an import found.
type Imported struct {
	Memories  int `json:"memories"` // that were not there
	Entries   int `json:"entries"`
	Contexts  int `json:"contexts"`
	Known     int `json:"known"`     // entries and contexts that are there already, or newer ones
	Forgotten int `json:"forgotten"` // entries and contexts whose words were removed here: they stay away
}

// Import stores what [Store.Export] returned, all or nothing: into the memory of
// that id, or where none is given into the memories that the lines name, by
// their ids or else by their titles. What is there already, by its id, is left
// as it is, so that importing again changes nothing; a version of the context
// that is older than the newest here is left out. What was forgotten here does
// not come back.
//
// Every text of an entry, tag or context goes through clean before it is stored,
// which returns it without its secrets; nil leaves all as it is.
//
// Import fails with [core.CodeInvalid] for a file that is damaged or was cut
// off, and names the line.
func (s *Store) Import(ctx context.Context, r io.Reader, into string, clean func(string) string) (Imported, error) {
	if clean == nil {
		clean = func(text string) string { return text }
	}
	i := &importer{
		Store: s, into: into, clean: clean, now: time.Now(), vaults: map[string]string{},
		memories: map[string]string{}, forgotten: map[string]bool{}, stale: map[string]bool{},
	}
	if err := transact(ctx, s.writer, func(tx *sql.Tx) (err error) {
		i.tx = tx
		if into != "" {
			if known, err := i.find(ctx, "SELECT id FROM memory WHERE id = ?", into); err != nil || known == "" {
				return cmp.Or(err, noMemory(into))
			}
		}
		i.isGone, err = tx.PrepareContext(ctx, `SELECT EXISTS (SELECT 1 FROM entry WHERE id IN (?1, ?2) AND redacted_us IS NOT NULL)
			OR EXISTS (SELECT 1 FROM forgotten WHERE message = ?3)`)
		if err != nil {
			return err
		}
		defer i.isGone.Close() //nolint:errcheck // it only reads
		return i.read(ctx, r)
	}); err != nil {
		return Imported{}, s.fail("import", err)
	}
	return i.much, nil
}

// importer reads lines into a transaction.
type importer struct {
	*Store
	much      Imported
	tx        *sql.Tx
	isGone    *sql.Stmt // whether an entry, what it corrects, or its message was forgotten
	into      string
	clean     func(string) string
	now       time.Time
	line      int
	located   bool // the refusal names the line
	ended     bool
	vaults    map[string]string // ids here, by those of the file
	memories  map[string]string
	last      string          // id of the last entry of the file
	forgotten map[string]bool // ids of entries that stay away
	stale     map[string]bool // ids of memories here, whose contexts in the file may know what was forgotten
}

func (i *importer) read(ctx context.Context, r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), importLine)
	for lines.Scan() {
		i.line++
		if err := i.take(ctx, lines.Bytes()); err != nil {
			return err
		}
	}
	err := lines.Err()
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		i.line++
		return i.damaged(fmt.Sprintf("it is longer than %d bytes", importLine))
	case err != nil:
		return core.Fail(core.CodeRefused, "the export cannot be read", "look after the file; nothing was imported").Because(err)
	case !i.ended:
		i.line++
		return i.damaged("it is missing: the export was cut off")
	}
	return nil
}

// take stores what a line says.
func (i *importer) take(ctx context.Context, line []byte) error {
	var kind struct {
		T      string `json:"t"`
		Export int    `json:"yaap_export"`
		Lines  int    `json:"lines"`
	}
	switch {
	case !utf8.Valid(line):
		return i.damaged("it holds bytes that are not text (invalid UTF-8)")
	case i.ended:
		return i.damaged("it comes after the end")
	case i.line > importLines:
		return i.damaged(fmt.Sprintf("more than %d lines are not imported at once", importLines))
	}
	if err := json.Unmarshal(line, &kind); err != nil || !bytes.HasPrefix(line, []byte("{")) {
		return i.damaged("it is not an object in JSON")
	}
	switch {
	case i.line == 1 && kind.Export > exportVersion:
		return core.Fail(core.CodeTooNew, "the export was written by a newer yaap", "use the newer yaap; nothing was imported")
	case i.line == 1 && kind.Export == exportVersion:
		return nil
	case i.line == 1:
		return i.damaged("it does not begin as an export does")
	}
	switch kind.T {
	case "vault":
		return takeLine(ctx, i, line, i.vault)
	case "memory":
		return takeLine(ctx, i, line, i.memory)
	case "entry":
		return takeLine(ctx, i, line, i.entry)
	case "tag":
		return takeLine(ctx, i, line, i.tag)
	case "expiry":
		return takeLine(ctx, i, line, i.expiry)
	case "context":
		return takeLine(ctx, i, line, i.context)
	case "end":
		if kind.Lines != i.line-1 {
			return i.damaged(fmt.Sprintf("%d lines should come before it", kind.Lines))
		}
		i.ended = true
		return nil
	}
	return i.damaged(fmt.Sprintf("there is no %.40q in an export", kind.T))
}

// takeLine reads a line and stores it. What is wrong with it is told with its
// number.
func takeLine[T any](ctx context.Context, i *importer, line []byte, store func(context.Context, T) error) error {
	var v T
	if err := json.Unmarshal(line, &v); err != nil {
		return i.damaged("a field of it is of another kind: " + err.Error())
	}
	err := store(ctx, v)
	if e, ok := errors.AsType[*core.Error](err); ok && e.Code == core.CodeInvalid && !i.located {
		return i.damaged(e.Message)
	}
	return err
}

// damaged refuses the line that is read, and why.
func (i *importer) damaged(why string) error {
	i.located = true
	return core.Fail(core.CodeInvalid, fmt.Sprintf("line %d of the export is damaged: %s", i.line, why),
		"export again, or mend that line; nothing was imported")
}

func (i *importer) vault(ctx context.Context, v core.Vault) error {
	if err := v.Check(); err != nil {
		return err
	}
	if len(i.vaults) >= importMemories {
		return i.damaged("there are too many vaults")
	}
	if i.into != "" {
		return nil
	}
	here, err := i.find(ctx, "SELECT id FROM vault WHERE id = ?1 OR title = ?2 ORDER BY id <> ?1 LIMIT 1", v.ID, v.Title)
	if err != nil {
		return err
	}
	if i.vaults[v.ID] = here; here != "" {
		return nil
	}
	i.vaults[v.ID] = v.ID
	return storeVault(ctx, i.tx, v)
}

func (i *importer) memory(ctx context.Context, m core.Memory) error {
	if err := m.Check(); err != nil {
		return err
	}
	if len(i.memories) >= importMemories {
		return i.damaged("there are too many memories")
	}
	if i.into != "" {
		if i.memories[m.ID] = i.into; len(i.memories) > 1 {
			return core.Fail(core.CodeInvalid, "the export holds several memories, and they cannot become one",
				"import it without --memory, or export one memory; nothing was imported")
		}
		return nil
	}
	vault, ok := i.vaults[m.Vault]
	if !ok {
		return i.damaged("it is a memory of a vault that no line before it names")
	}
	here, err := i.find(ctx, "SELECT id FROM memory WHERE id = ?1 OR vault = ?2 AND title = ?3 ORDER BY id <> ?1 LIMIT 1", m.ID, vault, m.Title)
	if err != nil {
		return err
	}
	if i.memories[m.ID] = here; here != "" {
		return nil
	}
	i.memories[m.ID], m.Vault = m.ID, vault
	i.much.Memories++
	return storeMemory(ctx, i.tx, m)
}

func (i *importer) entry(ctx context.Context, e core.Entry) error {
	memory, ok := i.memories[e.Memory]
	if !ok {
		return i.damaged("it is an entry of a memory that no line before it names")
	}
	e.Memory, i.last = memory, e.ID
	e.Raw, e.Summary, e.Reason = i.cleaned(e.Raw, core.MaxRaw), i.cleaned(e.Summary, core.MaxSummary), i.cleaned(e.Reason, core.MaxReason)
	for key, value := range e.Tags {
		e.Tags[key] = i.cleaned(value, core.MaxTagValue)
	}
	r, err := entryRecord(e)
	if err != nil {
		return err
	}
	gone := false
	if err := i.isGone.QueryRowContext(ctx, e.ID, e.Corrects, e.Message).Scan(&gone); err != nil {
		return err
	}
	if gone || i.forgotten[e.Corrects] {
		i.forgotten[e.ID], i.stale[memory] = true, true
		i.much.Forgotten++
		return nil
	}
	done, err := i.tx.StmtContext(ctx, i.insert[r.kind]).ExecContext(ctx, r.args...)
	if err != nil {
		return err
	}
	n, err := done.RowsAffected()
	if err != nil || n == 0 {
		i.much.Known++
		return err
	}
	i.much.Entries++
	if words := partsOf(e); words != "" {
		_, err = i.tx.StmtContext(ctx, i.insert[kindParts]).ExecContext(ctx, e.ID, words, e.Raw)
	}
	return err
}

// beside stores what is said about the last entry, unless that stays away.
func (i *importer) beside(ctx context.Context, entry string, row core.Row) error {
	if entry == "" || entry != i.last {
		return i.damaged("it does not come after its entry")
	}
	r, err := newRecord("", row)
	if err != nil {
		return err
	}
	if err := i.storeBeside(ctx, i.tx, r); core.CodeOf(err) != core.CodeNotFound {
		return err
	}
	return nil
}

// cleaned is a text without its secrets. What stands in their place may be
// longer than they were: the end goes that does not fit any more.
func (i *importer) cleaned(s string, most int) string {
	if clean := i.clean(s); clean != s {
		return text.Cut(clean, most, "")
	}
	return s
}

// A time that is to come would make what the user says later count for nothing.
func (i *importer) past(t time.Time) time.Time {
	if t.After(i.now) {
		return i.now
	}
	return t
}

func (i *importer) tag(ctx context.Context, t core.Tag) error {
	t.Time, t.Value = i.past(t.Time), i.cleaned(t.Value, core.MaxTagValue)
	return i.beside(ctx, t.Entry, t)
}

func (i *importer) expiry(ctx context.Context, x core.Expiry) error {
	x.Time = i.past(x.Time)
	return i.beside(ctx, x.Entry, x)
}

func (i *importer) context(ctx context.Context, c contextLine) error {
	memory, ok := i.memories[c.Memory]
	if !ok {
		return i.damaged("it is a context of a memory that no line before it names")
	}
	doc := c.ContextDoc
	doc.Memory, doc.Upto, doc.Content = memory, 0, i.cleaned(doc.Content, core.MaxContext)
	if err := doc.Check(); err != nil {
		return err
	}
	var known bool
	err := i.tx.QueryRowContext(ctx, `SELECT coalesce((SELECT seq FROM entry WHERE id = ?1), 0),
		EXISTS (SELECT 1 FROM context WHERE id = ?2 OR memory = `+memoryNo("?3")+` AND created_us >= ?4)`,
		c.UptoEntry, c.ID, memory, c.Created.UnixMicro()).Scan(&doc.Upto, &known)
	switch {
	case err != nil:
		return err
	case i.stale[memory]:
		i.much.Forgotten++
		return nil
	case known:
		i.much.Known++
		return nil
	}
	r, err := newRecord("", doc)
	if err != nil {
		return err
	}
	err = i.storeContext(ctx, i.tx, r)
	switch core.CodeOf(err) {
	case "":
		i.much.Contexts++
	case core.CodeConflict:
		i.much.Forgotten++
		return nil
	}
	return err
}

// find returns the text that a query finds, empty when it finds none.
func (i *importer) find(ctx context.Context, query string, args ...any) (text string, err error) {
	err = i.tx.QueryRowContext(ctx, query, args...).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return text, err
}
