package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/yaap-chat/yaap/core"
)

// VerifyAudit checks that every row of the audit log is as it was written and in
// its place, that the rows up to the head kept outside the database are still the
// same, and that the table of runs is what the log tells of them. Where an earlier head is
// known, from a print of it say, the rows up to that are checked, too; the zero
// head is none. What it finds is in the report; an error says that it could not
// look.
//
// Whoever can write both the database and the file beside it can make both anew:
// only a head that is known from elsewhere tells.
func (s *Store) VerifyAudit(ctx context.Context, known core.AuditHead) (core.AuditReport, error) {
	report, err := s.verifyAudit(ctx, known)
	return report, s.fail("verify the audit log", err)
}

func (s *Store) verifyAudit(ctx context.Context, known core.AuditHead) (core.AuditReport, error) {
	c := auditCheck{hash: make([]byte, sha256.Size)}
	// The head and the last number come before the rows: those that are appended
	// meanwhile are not missed.
	kept, err := s.KeptHead()
	if core.CodeOf(err) == core.CodeCorrupt {
		c.fault(0, "the file "+s.headFile()+" does not hold the head of an audit log")
	} else if err != nil {
		return core.AuditReport{}, err
	}
	c.report.Kept = kept
	c.heads = []earlierHead{{kept, "that was kept in " + s.headFile()}, {known, "that was given"}}
	if err := s.reader.QueryRowContext(ctx, "SELECT "+lastAudit).Scan(&c.given); err != nil {
		return core.AuditReport{}, err
	}
	for a, err := range stream(scanAudit)(s.reader.QueryContext(ctx, selectAudit+"ORDER BY seq")) {
		if err != nil {
			return core.AuditReport{}, err
		}
		c.add(a)
	}
	c.end()
	if err := s.checkRedacted(ctx, &c); err != nil {
		return core.AuditReport{}, err
	}
	return c.report, s.compareRuns(ctx, &c)
}

// earlierHead is a head that the log must have had.
type earlierHead struct {
	core.AuditHead
	from string // where it is known from
}

// auditCheck is the audit log as far as it has been checked.
type auditCheck struct {
	given  int64 // the last number that was given out
	heads  []earlierHead
	broken bool  // the chain is: what follows cannot be told
	seq    int64 // of the last row
	hash   []byte
	report core.AuditReport
}

func (c *auditCheck) fault(row int64, why string) {
	c.report.Faults = append(c.report.Faults, core.AuditFault{Row: row, Why: why})
}

func (c *auditCheck) add(a auditRow) {
	if why := c.check(a); why != "" && !c.broken {
		row := a.seq
		switch {
		case a.seq > c.seq+1:
			row = c.seq + 1
		case a.seq == 0: // there is no such place
			row = 1
		}
		c.broken = true
		c.fault(row, why)
	}
	for i, head := range c.heads {
		if head.Rows == a.seq && head.Rows > 0 && head.Hash != hex.EncodeToString(a.hash) {
			c.fault(a.seq, "it is not the row that the head names "+head.from+": rows up to it were written anew, or the database is another one")
			c.heads[i].AuditHead = core.AuditHead{}
		}
	}
	if a.redacted.Valid {
		c.report.Redacted++
	}
	c.seq, c.hash = a.seq, a.hash
	c.report.Rows++
	c.report.Head = core.AuditHead{Rows: a.seq, Hash: hex.EncodeToString(a.hash)}
}

func (c *auditCheck) check(a auditRow) string {
	switch {
	case a.seq > c.seq+1:
		return "it is missing"
	case a.seq != c.seq+1:
		return "it was put before the first"
	case !bytes.Equal(a.prev, c.hash):
		return "it does not follow the row before it"
	case a.redacted.Valid && a.state.Valid:
		return "its content was taken away, and it tells of a run, of which nothing is forgotten"
	case a.redacted.Valid && (a.payload.Valid || a.salt != nil):
		return "it is marked as redacted and has content"
	case !a.payload.Valid && !a.redacted.Valid:
		return "its content was taken away"
	case a.payload.Valid && (len(a.salt) != saltLen || !json.Valid([]byte(a.payload.String)) || !bytes.Equal(a.sumPayload(), a.payloadHash)):
		return "its content was changed"
	case !bytes.Equal(a.sum(), a.hash):
		return "it was changed"
	}
	return ""
}

func (c *auditCheck) end() {
	if c.given > c.seq && !c.broken {
		c.fault(c.seq+1, "it is missing")
	}
	for _, head := range c.heads {
		switch {
		case head.Rows <= c.seq:
		case c.seq == 0:
			c.fault(1, fmt.Sprintf("the log is empty, and the head %s names %d rows: it was emptied, or the database is another one", head.from, head.Rows))
		default:
			c.fault(c.seq+1, fmt.Sprintf("the log ends before it, and the head %s names %d rows: the last ones were taken away, or the database is an older copy", head.from, head.Rows))
		}
	}
}

// checkRedacted checks that of every row without content another, which was written then,
// says that it was forgotten. A row of a log that is older names none, and counts for all.
func (s *Store) checkRedacted(ctx context.Context, c *auditCheck) error {
	var unsaid sql.NullInt64
	err := s.reader.QueryRowContext(ctx, `
		WITH said(at, rows) AS MATERIALIZED (
				SELECT at_us, json_extract(json_extract(payload, '$.data'), '$.rows') FROM audit
				WHERE actor = ? AND state IS NULL AND json_valid(payload) AND json_valid(json_extract(payload, '$.data'))),
			forgot(at, seq) AS MATERIALIZED (SELECT at, value FROM said, json_each(rows))
		SELECT min(seq) FROM audit WHERE redacted_us IS NOT NULL
			AND (redacted_us, seq) NOT IN (SELECT at, seq FROM forgot)
			AND redacted_us NOT IN (SELECT at FROM said WHERE rows IS NULL)`, forgetter).Scan(&unsaid)
	if err == nil && unsaid.Valid {
		c.fault(unsaid.Int64, "its content was taken away, and no row says that it was forgotten then")
	}
	return err
}
