package room

import (
	"context"
	"sync/atomic"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/hub/server"
	"github.com/yaap-chat/yaap/core/safe"
)

// tellPrograms tells the programs that are connected what becomes of the experts and
// the runs, until ctx ends.
func tellPrograms(ctx context.Context, feed *event.Feed, door *server.Server) error {
	for {
		events, err := feed.Next(ctx)
		if err != nil {
			return nil //nolint:nilerr // the room closes
		}
		changed := map[string]bool{}
		for _, e := range events {
			if level, text := lineOf(e.Body); text != "" {
				door.Say(level, text)
			}
			for _, uri := range changedBy(e) {
				changed[uri] = true
			}
		}
		for uri := range changed {
			door.Updated(uri)
		}
	}
}

// memoryNews tells programs when what is remembered has changed. Its methods may be
// called of nil, and from any goroutine.
type memoryNews struct {
	updated atomic.Pointer[func(uri string)]
}

// put is called with rows that were stored.
func (n *memoryNews) put(rows []core.Row) {
	var entries, context bool
	for _, row := range rows {
		switch row.(type) {
		case core.Entry, core.Tag, core.Expiry:
			entries = true
		case core.ContextDoc:
			context = true
		default:
		}
	}
	if entries {
		n.tell(entriesURI, graphURI)
	}
	if context {
		n.tell(memoryURI)
	}
}

func (n *memoryNews) tell(uris ...string) {
	if n == nil {
		return
	}
	if updated := n.updated.Load(); updated != nil {
		for _, uri := range uris {
			(*updated)(uri)
		}
	}
}

// lineOf is what is said of an event to programs, at a level of MCP; empty: nothing.
func lineOf(body core.Body) (level, text string) {
	switch b := body.(type) {
	case core.ExpertJoined:
		return "info", safe.Sprintf("%s joined: %s", b.Name, b.Description)
	case core.ExpertChanged:
		return "info", safe.Sprintf("%s has changed", b.Name)
	case core.ExpertLeft:
		text = safe.Sprintf("%s left: %s", b.Name, string(b.Reason))
		if b.Detail != "" {
			text += safe.Sprintf(" (%s)", b.Detail)
		}
		switch b.Reason {
		case core.LeftGoodbye, core.LeftRemoved:
			return "info", text
		case core.LeftQuarantined:
			return "error", text
		}
		return "warning", text
	case core.Notice:
		level = b.Level
		if level == "warn" {
			level = "warning"
		}
		return level, safe.Text(b.Text)
	default: // it is of a run
	}
	return "", ""
}

// changedBy are the addresses of the resources that an event has changed.
func changedBy(e core.Event) []string {
	switch e.Body.(type) {
	case core.ExpertJoined, core.ExpertLeft, core.ExpertChanged, core.ExpertStatus:
		return []string{expertsURI}
	case core.RunStart, core.RunEnd:
		return []string{"yaap://runs", "yaap://runs/" + e.Run}
	case core.TurnEnd, core.ToolCallEnd, core.NodeEnd:
		return []string{"yaap://runs/" + e.Run}
	default:
	}
	return nil
}
