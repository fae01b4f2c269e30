package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/yaap-chat/yaap/core"
)

const (
	exportVersion = 1
	exportPage    = 500 // entries that are read at once
)

// The lines of an export, each an object in JSON. The first is a header, the
// last says how many came before it, so that a file that was cut off is told
// from a whole one. The tags and the expiry of an entry follow it.
type (
	headerLine struct {
		Export int `json:"yaap_export"`
		Schema int `json:"schema"`
	}
	vaultLine struct {
		T string `json:"t"`
		core.Vault
	}
	memoryLine struct {
		T string `json:"t"`
		core.Memory
	}
	entryLine struct {
		T string `json:"t"`
		core.Entry
	}
	tagLine struct {
		T string `json:"t"`
		core.Tag
	}
	expiryLine struct {
		T string `json:"t"`
		core.Expiry
	}
	contextLine struct {
		T string `json:"t"`
		core.ContextDoc
		// UptoEntry is the last entry that it knows: places are others elsewhere.
		UptoEntry string `json:"upto_entry,omitempty"`
	}
	endLine struct {
		T     string `json:"t"`
		Lines int    `json:"lines"`
	}
)

// Export returns what is in these memories, all when none is named, as lines
// for [Store.Import]: vaults, memories, entries with what is said about them,
// and the versions of the context. What has expired or was forgotten is not
// among them, nor are conversations and what is computed. It is how things are
// at one moment. An error is the last thing that is returned.
func (s *Store) Export(ctx context.Context, memories ...string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		err := transact(ctx, s.reader, func(tx *sql.Tx) error { // what is read belongs together
			return s.export(ctx, tx, &exporter{yield: yield}, memories)
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield("", s.fail("export", err))
		}
	}
}

// exporter hands lines on.
type exporter struct {
	yield func(string, error) bool
	lines int
}

// errEnough says that nobody wants more lines.
var errEnough = errors.New("enough")

func (x *exporter) add(line any) error {
	text, err := encode(line)
	if err != nil {
		return err
	}
	if x.lines++; !x.yield(text, nil) {
		return errEnough
	}
	return nil
}

func (s *Store) export(ctx context.Context, tx *sql.Tx, out *exporter, ids []string) error {
	steps, err := migrations()
	if err != nil {
		return err
	}
	wanted, err := json.Marshal(append([]string{}, ids...))
	if err != nil {
		return err
	}
	const chosen = " WHERE json_array_length(?1) = 0 OR memory.id IN (SELECT value FROM json_each(?1)) "
	vaults, err := collect(scanVault)(tx.QueryContext(ctx,
		"SELECT DISTINCT vault.id, vault.title, vault.created_us FROM vault JOIN memory ON memory.vault = vault.id"+chosen+"ORDER BY vault.title", wanted))
	if err != nil {
		return err
	}
	memories, err := collect(scanMemory)(tx.QueryContext(ctx, selectMemory+chosen+"ORDER BY memory.no", wanted))
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !slices.ContainsFunc(memories, func(m core.Memory) bool { return m.ID == id }) {
			return noMemory(id)
		}
	}
	if err := out.add(headerLine{exportVersion, len(steps)}); err != nil {
		return err
	}
	for _, v := range vaults {
		if err := out.add(vaultLine{"vault", v}); err != nil {
			return err
		}
	}
	for _, m := range memories {
		if err := out.add(memoryLine{"memory", m}); err != nil {
			return err
		}
		if err := s.exportEntries(ctx, tx, out, m.ID); err != nil {
			return err
		}
		if err := s.exportContexts(ctx, tx, out, m.ID); err != nil {
			return err
		}
	}
	return out.add(endLine{"end", out.lines})
}

func (s *Store) exportEntries(ctx context.Context, tx *sql.Tx, out *exporter, memory string) error {
	now := time.Now().UnixMicro()
	for after := int64(0); ; {
		page, err := collect(s.entryRow)(tx.QueryContext(ctx, selectEntry+
			"WHERE entry.memory = "+memoryNo("?")+" AND seq > ? AND redacted_us IS NULL AND "+unexpired+" ORDER BY seq LIMIT ?", memory, after, now, exportPage))
		if err != nil || len(page) == 0 {
			return err
		}
		last := page[len(page)-1].Seq
		tags, err := beside(ctx, tx, "SELECT seq, key, value, at_us FROM entry_tag WHERE seq > ? AND seq <= ? ORDER BY seq, key", after, last, func(rows *sql.Rows) (seq int64, t core.Tag, err error) {
			err = rows.Scan(&seq, &t.Key, &t.Value, stamp{&t.Time})
			return seq, t, err
		})
		if err != nil {
			return err
		}
		expiries, err := beside(ctx, tx, "SELECT seq, until_us, at_us FROM entry_life WHERE seq > ? AND seq <= ?", after, last, func(rows *sql.Rows) (seq int64, x core.Expiry, err error) {
			var until int64
			if err = rows.Scan(&seq, &until, stamp{&x.Time}); until != never {
				x.At = micros(until)
			}
			return seq, x, err
		})
		if err != nil {
			return err
		}
		for _, e := range page {
			seq := e.Seq
			e.Seq, e.EntryState = 0, core.EntryState{} // set where it is imported
			if err := out.add(entryLine{"entry", e}); err != nil {
				return err
			}
			for _, t := range tags[seq] {
				t.Entry = e.ID
				if err := out.add(tagLine{"tag", t}); err != nil {
					return err
				}
			}
			for _, x := range expiries[seq] {
				x.Entry = e.ID
				if err := out.add(expiryLine{"expiry", x}); err != nil {
					return err
				}
			}
		}
		after = last
	}
}

// beside returns what is said about the entries of these places, by them.
func beside[T any](ctx context.Context, tx *sql.Tx, query string, after, last int64, scan func(*sql.Rows) (int64, T, error)) (map[int64][]T, error) {
	said := map[int64][]T{}
	_, err := collect(func(rows *sql.Rows) (struct{}, error) {
		seq, v, err := scan(rows)
		said[seq] = append(said[seq], v)
		return struct{}{}, err
	})(tx.QueryContext(ctx, query, after, last))
	return said, err
}

func (s *Store) exportContexts(ctx context.Context, tx *sql.Tx, out *exporter, memory string) error {
	lines, err := collect(func(rows *sql.Rows) (c contextLine, err error) {
		c.T = "context"
		err = rows.Scan(&c.ID, &c.Memory, &c.Content, stamp{&c.Created}, &c.UptoEntry)
		return c, err
	})(tx.QueryContext(ctx, `
		SELECT context.id, memory.id, content, context.created_us,
			coalesce((SELECT id FROM entry WHERE entry.memory = context.memory AND seq <= upto AND redacted_us IS NULL ORDER BY seq DESC LIMIT 1), '')
		FROM context JOIN memory ON memory.no = context.memory WHERE memory.id = ? ORDER BY seq`, memory))
	if err != nil {
		return err
	}
	for _, c := range lines {
		if err := out.add(c); err != nil {
			return err
		}
	}
	return nil
}
