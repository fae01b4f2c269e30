package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
)

// MemoryStats returns what there is in the memory of that id, or in every
// memory when it is empty, by the titles of vaults and memories.
func (s *Store) MemoryStats(ctx context.Context, memory string) ([]core.MemoryStats, error) {
	stats, err := collect(func(rows *sql.Rows) (m core.MemoryStats, err error) {
		var first, last sql.NullInt64
		err = rows.Scan(&m.Vault, &m.Memory, &m.ID, &m.Entries, &m.Corrections, &m.Redacted, &m.Expired, &first, &last, &m.Waiting, &m.Contexts, &m.Tags)
		if first.Valid {
			m.First, m.Last = micros(first.Int64), micros(last.Int64)
		}
		return m, err
	})(s.reader.QueryContext(ctx, `
		SELECT vault.title, memory.title, memory.id, count(entry.seq),
			count(CASE WHEN entry.corrects IS NOT NULL THEN 1 END), count(entry.redacted_us),
			count(CASE WHEN entry.redacted_us IS NULL AND NOT `+unexpired+` THEN 1 END), min(entry.created_us), max(entry.created_us),
			(SELECT count(*) FROM unrecorded WHERE unrecorded.memory = memory.no), (SELECT count(*) FROM context WHERE context.memory = memory.no),
			(SELECT count(DISTINCT key) FROM (
				SELECT own.key FROM entry AS tagged, json_each(tagged.tags) AS own WHERE tagged.memory = memory.no AND tagged.tags <> '{}'
					AND NOT EXISTS (SELECT 1 FROM entry_tag WHERE entry_tag.seq = tagged.seq AND entry_tag.key = own.key)
				UNION SELECT key FROM entry_tag JOIN entry AS tagged ON tagged.seq = entry_tag.seq WHERE tagged.memory = memory.no AND value <> ''))
		FROM memory JOIN vault ON vault.id = memory.vault LEFT JOIN entry ON entry.memory = memory.no
		WHERE ? IN ('', memory.id) GROUP BY memory.no ORDER BY vault.title, memory.title`, time.Now().UnixMicro(), memory))
	if err != nil {
		return nil, s.fail("count what is remembered", err)
	}
	if memory != "" && len(stats) == 0 {
		return nil, noMemory(memory)
	}
	return stats, nil
}

// Size returns how many bytes the database takes on the disk, its copies
// left out.
func (s *Store) Size() (total int64, err error) {
	for _, path := range []string{s.path, s.path + "-wal"} {
		info, err := os.Stat(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, s.fail("measure", err)
		}
		total += info.Size()
	}
	return total, nil
}

// FindEntry returns the entry of that id, or of that place: #12, or 12; also one
// that has expired and is not purged yet. It fails with [core.CodeNotFound] when
// there is none.
func (s *Store) FindEntry(ctx context.Context, name string) (core.Entry, error) {
	where, key := "WHERE entry.id = ?", any(name)
	if seq, err := strconv.ParseInt(strings.TrimPrefix(name, "#"), 10, 64); err == nil {
		where, key, name = "WHERE seq = ?", seq, fmt.Sprintf("#%d", seq)
	}
	return find(ctx, s, "find entry "+name, noEntry(name), s.entryRow, selectEntry+where, key)
}
