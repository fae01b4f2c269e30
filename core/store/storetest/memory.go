// Package storetest states the contract of every [core.Journal] as a test
// suite, and holds a journal in memory for the tests of other packages.
package storetest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"yaap/core"
)

// Memory is a [core.Journal] in memory, with the rules of the real one: Puts
// are all or nothing and idempotent, a row may only refer to what is there,
// and one root run at a time goes on in a thread. It is one window. It keeps
// no sessions and no events, its audit log has no hashes, and it neither searches
// nor forgets. All methods may be called from any goroutine.
type Memory struct {
	mu       sync.Mutex
	threads  map[string]core.Thread
	runs     map[string]core.RunRow
	claims   map[string]string // thread to its running root run
	messages map[string][]core.Message
	known    map[string]bool // ids of messages
	steps    map[string][]core.Checkpoint
	begun    []string // ids of runs
	pauses   []core.Pause
	answers  map[string]core.Answer // by their pause
	audit    []core.AuditRow
	kept     kept
	undo     []func() // takes back the rows of the current Put, in reverse
}

var _ core.Journal = (*Memory)(nil)

// NewMemory returns an empty journal.
func NewMemory() *Memory {
	return &Memory{
		threads:  map[string]core.Thread{},
		runs:     map[string]core.RunRow{},
		claims:   map[string]string{},
		messages: map[string][]core.Message{},
		known:    map[string]bool{},
		steps:    map[string][]core.Checkpoint{},
		answers:  map[string]core.Answer{},
	}
}

// Put implements [core.Journal].
func (m *Memory) Put(ctx context.Context, rows ...core.Row) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.undo = m.undo[:0]
	for rank := range ranks {
		for _, row := range rows {
			if rankOf(row) != rank {
				continue
			}
			if err := m.put(row); err != nil {
				for _, undo := range slices.Backward(m.undo) {
					undo()
				}
				m.fail(rows, err)
				return err
			}
		}
	}
	return nil
}

const ranks = 14

// rankOf orders the rows of a Put, so that what a row refers to is there first.
func rankOf(row core.Row) int {
	switch row.(type) {
	case core.Session:
		return 0
	case core.Thread:
		return 1
	case core.Vault:
		return 2
	case core.Memory:
		return 3
	case core.Recording: // before the messages: it says which of them are remembered
		return 4
	case core.RunRow:
		return 5
	case core.MessageRow:
		return 6
	case core.Entry, core.ContextDoc, core.MemoryState:
		return 7
	case core.Tag, core.Expiry:
		return 8
	case core.EventRow:
		return 9
	case core.Checkpoint:
		return 10
	case core.Pause:
		return 11
	case core.Answer:
		return 12
	case core.AuditRow:
		return 13
	}
	return 0
}

func (m *Memory) put(row core.Row) error {
	switch row := row.(type) {
	case core.Session:
		if row.ID == "" {
			return errors.New("a session without an id")
		}
		return nil
	case core.Thread:
		return m.putThread(row)
	case core.RunRow:
		return m.putRun(row)
	case core.MessageRow:
		return m.putMessage(row)
	case core.EventRow:
		if row.Event.Body == nil {
			return errors.New("an event without a body")
		}
		return m.refers(row.Event.Thread, row.Event.Run)
	case core.Checkpoint:
		return m.putCheckpoint(row)
	case core.Vault:
		return m.putVault(row)
	case core.Memory:
		return m.putMemory(row)
	case core.Recording:
		return m.putRecording(row)
	case core.Entry:
		return m.putEntry(row)
	case core.Tag:
		return m.putTag(row)
	case core.Expiry:
		return m.putExpiry(row)
	case core.ContextDoc:
		return m.putContext(row)
	case core.MemoryState:
		return m.putState(row)
	case core.Pause:
		return m.putPause(row)
	case core.Answer:
		return m.putAnswer(row)
	case core.AuditRow:
		return m.putAudit(row)
	}
	return fmt.Errorf("a row of type %T", row)
}

func (m *Memory) putThread(row core.Thread) error {
	if row.ID == "" {
		return errors.New("a thread without an id")
	}
	row.Created, row.Updated, row.Count = instant(row.Created), instant(row.Updated), 0
	if old, ok := m.threads[row.ID]; ok {
		if !row.Updated.After(old.Updated) {
			return nil
		}
		row.Session, row.Created, row.Title = old.Session, old.Created, cmp.Or(row.Title, old.Title)
	}
	set(m, m.threads, row.ID, row)
	return nil
}

// putRun follows the rules of the real journal for a single window.
func (m *Memory) putRun(row core.RunRow) error {
	switch row.State {
	case core.RunRunning, core.RunCompleted, core.RunFailed, core.RunInterrupted:
	default:
		return fmt.Errorf("run %s: unknown state %q", row.ID, row.State)
	}
	if row.ID == "" || row.Thread == "" {
		return errors.New("a run without an id or a thread")
	}
	if err := m.refers(row.Thread, row.Parent); err != nil {
		return err
	}
	row.Time = instant(row.Time)
	old, ok := m.runs[row.ID]
	switch {
	case !ok:
	case old.State == row.State && old.Code == row.Code, old.State != core.RunRunning && row.Time.Before(old.Time):
		return nil
	case old.State == core.RunCompleted && row.State == core.RunRunning:
		return &core.Error{Code: core.CodeConflict, Message: "this question has been answered", Hint: "ask it again as a new one"}
	case old.State == core.RunCompleted:
		return nil
	default:
		old.State, old.Code, old.Time = row.State, row.Code, row.Time
		row = old
	}
	if row.Parent == "" {
		holder := m.claims[row.Thread]
		switch {
		case row.State == core.RunRunning && holder != "" && holder != row.ID:
			return &core.Error{Code: core.CodeBusy, Message: "this conversation is still being answered", Hint: "wait for the answer, or stop it first"}
		case row.State == core.RunRunning:
			set(m, m.claims, row.Thread, row.ID)
		case holder == row.ID:
			set(m, m.claims, row.Thread, "")
		}
	}
	if !ok {
		add(m, &m.begun, row.ID)
	}
	set(m, m.runs, row.ID, row)
	return nil
}

func (m *Memory) putMessage(row core.MessageRow) error {
	msg := row.Message
	if msg.ID == "" {
		return errors.New("a message without an id")
	}
	if row.Thread == "" {
		return fmt.Errorf("message %s without a thread", msg.ID)
	}
	if err := m.refers(row.Thread, msg.Run); err != nil {
		return fmt.Errorf("message %s: %w", msg.ID, err)
	}
	if m.known[msg.ID] {
		return nil
	}
	msg.Time = instant(msg.Time)
	set(m, m.known, msg.ID, true)
	set(m, m.messages, row.Thread, append(m.messages[row.Thread], msg))
	if r := m.recording(row.Thread); r.Memory != "" {
		m.remember(r.Memory, row.Thread, msg)
	}
	if t := m.threads[row.Thread]; t.Updated.Before(msg.Time) {
		t.Updated = msg.Time
		set(m, m.threads, row.Thread, t)
	}
	return nil
}

func (m *Memory) putCheckpoint(row core.Checkpoint) error {
	if !json.Valid(row.State) {
		return fmt.Errorf("checkpoint %d of run %s: the state is not JSON", row.Step, row.Run)
	}
	if row.Run == "" {
		return errors.New("a checkpoint without a run")
	}
	if err := m.refers("", row.Run); err != nil {
		return err
	}
	steps := m.steps[row.Run]
	i, known := slices.BinarySearchFunc(steps, row.Step, func(c core.Checkpoint, step int) int { return cmp.Compare(c.Step, step) })
	if known {
		return nil
	}
	row.Time = instant(row.Time)
	if i == len(steps) { // as it is nearly always
		set(m, m.steps, row.Run, append(steps, row))
	} else {
		set(m, m.steps, row.Run, slices.Insert(slices.Clone(steps), i, row))
	}
	return nil
}

func (m *Memory) putPause(row core.Pause) error {
	if row.ID == "" || row.Run == "" || row.Thread == "" {
		return errors.New("a pause without an id, a run or a thread")
	}
	if len(row.Schema) > 0 && !json.Valid(row.Schema) {
		return fmt.Errorf("pause %s: the schema is not JSON", row.ID)
	}
	if err := errors.Join(m.refers(row.Thread, row.Run), m.refers("", row.Root)); err != nil {
		return fmt.Errorf("pause %s: %w", row.ID, err)
	}
	if _, known := m.pause(row.ID); known {
		return nil
	}
	row.Time = instant(row.Time)
	add(m, &m.pauses, row)
	return nil
}

func (m *Memory) putAnswer(row core.Answer) error {
	if len(row.Data) > 0 {
		var data bytes.Buffer
		if err := json.Compact(&data, row.Data); err != nil {
			return fmt.Errorf("answer to %s: %w", row.Pause, err)
		}
		row.Data = data.Bytes()
	}
	if _, known := m.pause(row.Pause); !known {
		return noPause(row.Pause)
	}
	first, answered := m.answers[row.Pause]
	switch {
	case !answered:
		row.Time = instant(row.Time)
		set(m, m.answers, row.Pause, row)
	case first.Text != row.Text || first.ID != row.ID || !bytes.Equal(first.Data, row.Data):
		return &core.Error{Code: core.CodeConflict, Message: "this question has been answered", Hint: "the first answer counts; ask again as a new question if it was the wrong one"}
	}
	return nil
}

func noPause(id string) error {
	return &core.Error{Code: core.CodeNotFound, Message: fmt.Sprintf("there is no question %q", id), Hint: "open the conversation again: it shows what waits for an answer"}
}

func (m *Memory) putAudit(row core.AuditRow) error {
	if row.ID == "" {
		return errors.New("an audit row without an id")
	}
	if slices.ContainsFunc(m.audit, func(old core.AuditRow) bool { return old.ID == row.ID }) {
		return nil
	}
	row.Time = instant(row.Time)
	add(m, &m.audit, row)
	return nil
}

// refers fails when a thread or a run that is named is not there.
func (m *Memory) refers(thread, run string) error {
	if thread != "" {
		if _, ok := m.threads[thread]; !ok {
			return fmt.Errorf("thread %s is not stored", thread)
		}
	}
	if run != "" {
		if _, ok := m.runs[run]; !ok {
			return fmt.Errorf("run %s is not stored", run)
		}
	}
	return nil
}

// set changes an entry and remembers how to take that back.
func set[K comparable, V any](m *Memory, in map[K]V, key K, value V) {
	old, ok := in[key]
	m.undo = append(m.undo, func() {
		if ok {
			in[key] = old
		} else {
			delete(in, key)
		}
	})
	in[key] = value
}

// add appends to a list and remembers how to take that back.
func add[T any](m *Memory, list *[]T, v T) {
	n := len(*list)
	m.undo = append(m.undo, func() { *list = (*list)[:n] })
	*list = append(*list, v)
}

// instant is t as a journal keeps it.
func instant(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }
