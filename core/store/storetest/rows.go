// Package storetest holds what the tests of several packages put into a store.
package storetest

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/yaap-chat/yaap/core"
)

// At is a moment for rows of tests, n microseconds after a fixed one.
func At(n int) time.Time {
	return time.Date(2026, 8, 11, 12, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Microsecond)
}

// Begin returns the rows that begin a conversation: its thread, its first
// message and its first run, "THREAD/run".
func Begin(thread string) []core.Row {
	run := thread + "/run"
	return []core.Row{
		core.Session{ID: "session", Started: At(0)},
		core.Thread{ID: thread, Session: "session", Title: "about " + thread, Created: At(0), Updated: At(0)},
		core.RunRow{ID: run, Thread: thread, Runner: "agent/main", State: core.RunRunning, Time: At(1)},
		Say(thread, run, thread+"/question"),
	}
}

// Say returns a message of a run.
func Say(thread, run, id string) core.MessageRow {
	return core.MessageRow{Thread: thread, Message: core.Message{ID: id, Run: run, Role: core.RoleUser, Text: "text of " + id, Time: At(2)}}
}

// Ask returns the question of a run that asks in it under that name.
func Ask(thread, run, name string) core.Pause {
	return core.Pause{
		ID: run + "#" + name, Run: run, Root: run, Thread: thread, Kind: core.PauseClarification, From: "main",
		Question: name + "?", Options: []core.Option{{ID: "1", Label: "<one> & all"}, {ID: "2", Label: "two"}},
		Schema: json.RawMessage(`{"type":"object"}`), Time: At(3),
	}
}

// Said returns the audit row of a reply in a run.
func Said(thread, run, id string) core.AuditRow {
	return core.AuditRow{
		ID: id, Time: At(3), Thread: thread, Run: run, Trace: run, Actor: "agent/main", Node: "node\x00",
		AuditReply: core.AuditReply{
			Said: core.StatusSuccess, Status: core.StatusFailure, Thought: "thought of " + id, Data: `{"n":1}`,
			Message: "<message> of " + id, RawHash: "00", Outcome: "read", Severity: "info",
		},
		Model: "offline", Tokens: 7, MS: 8,
	}
}

// Recall returns the rows that make the vault "v" and a memory in it.
func Recall(memory string) []core.Row {
	return []core.Row{
		core.Vault{ID: "v", Title: "default", Created: At(0)},
		core.Memory{ID: memory, Vault: "v", Title: "about-" + memory, Kind: "chat", Created: At(0)},
	}
}

// Note returns an entry of a memory.
func Note(memory, id, raw string) core.Entry {
	return core.Entry{ID: id, Memory: memory, Role: core.RoleUser, Raw: raw, Summary: "summary of " + id, Created: At(1)}
}

// Step returns a checkpoint of a conversation in a memory.
func Step(memory, thread string, step int, messages ...core.Message) core.MemoryState {
	return core.MemoryState{
		ID: memory + "/" + thread + "/" + strconv.Itoa(step), Memory: memory, Thread: thread, Step: step, Control: "process_message",
		Count: step, Process: messages, Tools: []string{"add_entry"}, Time: At(step),
	}
}
