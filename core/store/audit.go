package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/yaap-chat/yaap/core"
)

// auditRow is an entry of the audit log as the table has it. The payload is
// the whole row in JSON; what stands beside it is to find it by, and stays
// when the payload is redacted.
type auditRow struct {
	seq, at                              int64
	id, thread, run, actor, node, status string
	state                                sql.NullString // of a run: the row tells of that
	salt                                 []byte         // keeps what was redacted from being guessed by its hash
	payload                              sql.NullString
	payloadHash                          []byte
	prev, hash                           []byte
	redacted                             sql.NullInt64 // when
}

func auditRecord(row core.AuditRow) (record, error) {
	switch {
	case row.ID == "":
		return record{}, errors.New("an audit row without an id")
	case row.Ran != nil:
		return record{}, errors.New("an audit row of a run, which comes of itself")
	}
	row.Time = instant(row.Time)
	payload, err := encode(row)
	if err != nil {
		return record{}, fmt.Errorf("audit row %s: %w", row.ID, err)
	}
	return record{kind: kindAudit, args: []any{row.ID}, audit: sealed(row, payload)}, nil
}

// sealed is a new row with that content.
func sealed(row core.AuditRow, payload string) auditRow {
	a := auditRow{
		id: row.ID, at: row.Time.UnixMicro(), thread: row.Thread, run: row.Run,
		actor: row.Actor, node: row.Node, status: string(row.Status),
		salt: make([]byte, saltLen), payload: sql.NullString{String: payload, Valid: true},
	}
	rand.Read(a.salt)
	a.payloadHash = a.sumPayload()
	return a
}

const saltLen = 16

// sumPayload is the hash of the content of a row. The salt is always as long, so that
// nothing can move between the two.
func (a auditRow) sumPayload() []byte {
	h := sha256.New()
	h.Write(a.salt)
	h.Write([]byte(a.payload.String))
	return h.Sum(nil)
}

// sum is the hash that ties the row to its place and to the row before it.
// Every field comes with its length, so that nothing can move between them.
func (a auditRow) sum() []byte {
	b := make([]byte, 0, 512)
	b = append(b, a.prev...)
	b = binary.BigEndian.AppendUint64(b, uint64(a.seq))
	b = binary.BigEndian.AppendUint64(b, uint64(a.at))
	for _, field := range []string{a.id, a.thread, a.run, a.actor, a.node, a.status} {
		b = binary.BigEndian.AppendUint64(b, uint64(len(field)))
		b = append(b, field...)
	}
	b = append(b, a.payloadHash...)
	if a.state.Valid { // nothing follows the hash in the others
		b = append(b, a.state.String...)
	}
	sum := sha256.Sum256(b)
	return sum[:]
}

// lastAudit is the last number that was given out, whether or not its row is
// still there.
const lastAudit = `max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'audit'), 0), coalesce((SELECT max(seq) FROM audit), 0))`

// storeAudit appends a row to the chain. The transaction that it is part of
// keeps every other window from appending meanwhile.
func (s *Store) storeAudit(ctx context.Context, tx *sql.Tx, a auditRow) error {
	var known bool
	err := tx.QueryRowContext(ctx,
		"SELECT EXISTS(SELECT 1 FROM audit WHERE id = ?), 1 + "+lastAudit+", coalesce((SELECT hash FROM audit ORDER BY seq DESC LIMIT 1), zeroblob(32))", a.id,
	).Scan(&known, &a.seq, &a.prev)
	if err != nil || known {
		return err
	}
	_, err = tx.StmtContext(ctx, s.insert[kindAudit]).ExecContext(ctx,
		a.seq, a.id, a.at, a.thread, a.run, a.actor, a.node, a.status, a.salt, a.payload, a.payloadHash, a.prev, a.sum(), a.state)
	return err
}

const selectAudit = "SELECT seq, id, at_us, thread, run, actor, node, status, salt, payload, payload_hash, prev_hash, hash, redacted_us, state FROM audit "

func scanAudit(rows *sql.Rows) (a auditRow, err error) {
	return a, rows.Scan(&a.seq, &a.id, &a.at, &a.thread, &a.run, &a.actor, &a.node, &a.status,
		&a.salt, &a.payload, &a.payloadHash, &a.prev, &a.hash, &a.redacted, &a.state)
}

// entry is the row as it was put. Of one that is redacted the time, the place
// and the status are left.
func (s *Store) entry(a auditRow) (core.AuditEntry, error) {
	row := core.AuditRow{
		ID: a.id, Time: micros(a.at), Thread: a.thread, Run: a.run,
		Actor: a.actor, Node: a.node, AuditReply: core.AuditReply{Said: core.Status(a.status), Status: core.Status(a.status)},
	}
	switch {
	case a.state.Valid && a.payload.Valid:
		ran, err := decoded[core.AuditRun](s, "audit row "+a.id, a.payload.String)
		if err != nil {
			return core.AuditEntry{}, err
		}
		row.Ran = &ran
	case a.payload.Valid:
		var err error
		if row, err = decoded[core.AuditRow](s, "audit row "+a.id, a.payload.String); err != nil {
			return core.AuditEntry{}, err
		}
	}
	return core.AuditEntry{Seq: a.seq, Row: row, PrevHash: hex.EncodeToString(a.prev), Hash: hex.EncodeToString(a.hash)}, nil
}

// Audit returns the newest replies in the audit log that q asks for, oldest
// first.
func (s *Store) Audit(ctx context.Context, q core.AuditQuery) ([]core.AuditEntry, error) {
	entries, err := s.audit(ctx, q)
	return entries, s.fail("read the audit log", err)
}

func (s *Store) audit(ctx context.Context, q core.AuditQuery) ([]core.AuditEntry, error) {
	where, args := "WHERE state IS NULL", []any{}
	if q.Thread != "" {
		where, args = where+" AND thread = ?", append(args, q.Thread)
	}
	if q.Run != "" {
		where, args = where+" AND (run = ? OR run >= ? AND run < ?)", append(args, q.Run, q.Run+"/", q.Run+"0") // 0 comes after /
	}
	var entries []core.AuditEntry
	for a, err := range stream(scanAudit)(s.reader.QueryContext(ctx, selectAudit+where+" ORDER BY seq DESC", args...)) {
		if err != nil {
			return nil, err
		}
		e, err := s.entry(a)
		if err != nil {
			return nil, err
		}
		if q.Matches(e) {
			entries = append(entries, e)
		}
		if len(entries) == q.Limit && q.Limit > 0 {
			break
		}
	}
	slices.Reverse(entries)
	return entries, nil
}

// AuditLog goes through the whole audit log, with what became of runs, oldest first, and ends with the
// first error. It reads as it goes and holds a connection meanwhile.
func (s *Store) AuditLog(ctx context.Context) iter.Seq2[core.AuditEntry, error] {
	return func(yield func(core.AuditEntry, error) bool) {
		for a, err := range stream(scanAudit)(s.reader.QueryContext(ctx, selectAudit+"ORDER BY seq")) {
			var e core.AuditEntry
			if err == nil {
				e, err = s.entry(a)
			}
			if err != nil {
				yield(e, s.fail("read the audit log", err))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}
