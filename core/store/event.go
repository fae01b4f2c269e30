package store

import (
	"database/sql"
	"encoding/json"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
)

// eventColumns are those that [scanEvent] reads.
const eventColumns = "seq, coalesce(thread, ''), coalesce(run, ''), coalesce(parent, ''), at_us, body"

func selectEvents(where string) string {
	return "SELECT " + eventColumns + " FROM event WHERE " + where + " ORDER BY at_us, room, seq"
}

// inOrder reads the events of such a query. Those of a type that this yaap does not know are
// left out.
func inOrder(rows *sql.Rows, err error) ([]core.Event, error) {
	events, err := collect(func(rows *sql.Rows) (*core.Event, error) { return scanEvent(rows) })(rows, err)
	return known(events), err
}

// known are the events among them that could be read.
func known(all []*core.Event) []core.Event {
	events := make([]core.Event, 0, len(all))
	for _, e := range all {
		if e != nil {
			events = append(events, *e)
		}
	}
	return events
}

// scanEvent reads an event whose columns stand behind some others; nil where it is of a type
// that this yaap does not know.
func scanEvent(rows *sql.Rows, before ...any) (*core.Event, error) {
	var (
		scope core.Scope
		seq   uint64
		at    time.Time
		body  string
	)
	if err := rows.Scan(append(before, &seq, &scope.Thread, &scope.Run, &scope.Parent, stamp{&at}, &body)...); err != nil {
		return nil, err
	}
	e := new(core.Event)
	if json.Unmarshal([]byte(body), e) != nil {
		return nil, nil
	}
	e.Seq, e.Time, e.Thread, e.Run, e.Parent = seq, at, scope.Thread, scope.Run, scope.Parent
	if e.Trace == "" {
		e.Trace = rootOf(e.Run)
	}
	return e, nil
}

// withoutColumns is an event as its body says it: without what other columns hold.
func withoutColumns(e core.Event) core.Event {
	if e.Trace == rootOf(e.Run) {
		e.Trace = ""
	}
	e.Seq, e.Time, e.Thread, e.Run, e.Parent = 0, time.Time{}, "", "", ""
	return e
}

// rootOf is the root run of a run, by its id.
func rootOf(run string) string {
	root, _, _ := strings.Cut(run, "/")
	return root
}
