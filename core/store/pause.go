package store

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/yaap-chat/yaap/core"
)

func pauseRecord(p core.Pause) (record, error) {
	if p.ID == "" || p.Run == "" {
		return record{}, errors.New("a pause without an id or a run")
	}
	p.Time = instant(p.Time)
	body, err := encode(p)
	if err != nil {
		return record{}, fmt.Errorf("pause %s: %w", p.ID, err)
	}
	return record{kind: kindPause, args: []any{p.ID, p.Run, cmp.Or(p.Root, p.Run), p.Thread, body}}, nil
}

func answerRecord(a core.Answer) (record, error) {
	if a.Pause == "" {
		return record{}, errors.New("an answer to no pause")
	}
	if len(a.Data) > 0 {
		var b bytes.Buffer
		if err := json.Compact(&b, a.Data); err != nil {
			return record{}, fmt.Errorf("answer to %s: %w", a.Pause, err)
		}
		a.Data = b.Bytes()
	}
	a.Time = instant(a.Time)
	return record{kind: kindAnswer, args: []any{a.Pause}, answer: a}, nil
}

// storeAnswer stores the first answer to a pause. One that says the same
// changes nothing, whoever says it and when.
func (s *Store) storeAnswer(ctx context.Context, tx *sql.Tx, a core.Answer) error {
	var body sql.NullString
	err := tx.QueryRowContext(ctx, "SELECT answer.body FROM pause LEFT JOIN answer ON answer.pause = pause.id WHERE pause.id = ?", a.Pause).Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
		return noPause(a.Pause)
	}
	if err != nil {
		return err
	}
	if !body.Valid {
		text, err := encode(a)
		if err != nil {
			return err
		}
		_, err = tx.StmtContext(ctx, s.insert[kindAnswer]).ExecContext(ctx, a.Pause, text)
		return err
	}
	first, err := decoded[core.Answer](s, "answer to "+a.Pause, body.String)
	if err != nil {
		return err
	}
	if first.Text != a.Text || first.ID != a.ID || !bytes.Equal(first.Data, a.Data) {
		return core.Fail(core.CodeConflict, "this question has been answered",
			"the first answer counts; ask again as a new question if it was the wrong one")
	}
	return nil
}

func noPause(id string) error {
	return missing("question", id, "open the conversation again: it shows what waits for an answer")
}

// Pause returns the question of that id, answered or not. It fails with
// [core.CodeNotFound] when there is none.
func (s *Store) Pause(ctx context.Context, id string) (core.Pause, error) {
	return find(ctx, s, "find pause "+id, noPause(id), s.pause, "SELECT id, body FROM pause WHERE id = ?", id)
}

// Pauses returns the questions of a thread that are open, or those of all
// threads when none is given, in the order they were asked: nobody has
// answered them, and their root runs are interrupted.
func (s *Store) Pauses(ctx context.Context, thread string) ([]core.Pause, error) {
	return list(ctx, s, "list the open questions", s.pause, `
		SELECT pause.id, pause.body FROM pause JOIN run ON run.id = pause.root
		WHERE run.state = 'interrupted' AND ? IN ('', pause.thread) AND NOT EXISTS (SELECT 1 FROM answer WHERE pause = pause.id)
		ORDER BY n`, thread)
}

func (s *Store) pause(rows *sql.Rows) (core.Pause, error) {
	return scanBody[core.Pause](s, "pause ", rows)
}

func (s *Store) answer(rows *sql.Rows) (core.Answer, error) {
	return scanBody[core.Answer](s, "answer to ", rows)
}
