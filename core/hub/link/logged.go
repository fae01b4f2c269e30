package link

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	maxLogLine = 1000 // bytes of what is logged at once
	maxLogs    = 20   // lines of one expert in a second; more are left out
)

// logbook is what is reported of what an expert logs.
type logbook struct {
	least int // of [core.LogLevels]
	pace  pace
	told  func(core.ExpertLogged)
	kept  tail // what is no error: that would say why it ended
}

// setLogLevel asks an expert for what it logs at the level of its spec, or a worse one.
// One that logs nothing, or does not know the level, is left as it is.
func (l *childLink) setLogLevel(ctx context.Context, spec hub.Spec) {
	l.log.least = core.LogLevel(spec.Log)
	if l.client.GetServerCapabilities().Logging == nil {
		return
	}
	var request mcp.SetLevelRequest
	request.Params.Level = mcp.LoggingLevel(core.LogLevels()[l.log.least])
	_ = l.client.SetLevel(ctx, request) //nolint:staticcheck // servers of the older era log so
}

// logged takes what an expert logs: the last of it is kept beside what it prints, an error
// as the reason if it ends, and it is reported where it is bad enough.
func (l *childLink) logged(fields map[string]any) {
	level, _ := fields["level"].(string)
	at := slices.Index(core.LogLevels(), level)
	text := logText(fields["data"])
	if logger, _ := fields["logger"].(string); logger != "" {
		text = logger + ": " + text
	}
	text = safe.Cut(safe.Line(strings.TrimSpace(text)), maxLogLine)
	l.mu.Lock()
	caller := l.calls[l.newest()].Log // it does not say of which call it tells
	l.mu.Unlock()
	if caller != nil && text != "" {
		caller(level, text)
	}
	if at < l.log.least || text == "" || !l.log.pace.take(time.Now()) {
		return
	}
	if line := level + ": " + text; at >= core.LogLevel("error") {
		l.way.note(line)
	} else {
		_, _ = l.log.kept.Write([]byte(line + "\n"))
	}
	if l.log.told != nil {
		l.log.told(core.ExpertLogged{Name: l.name, Level: level, Text: text})
	}
}

// logText is what a logger says as a line: the message of an object stands before the rest
// of it.
func logText(data any) string {
	if text, ok := data.(string); ok {
		return text
	}
	text := ""
	if o, ok := data.(map[string]any); ok {
		if message, ok := o["message"].(string); ok {
			if o = maps.Clone(o); len(o) == 1 {
				return message
			}
			delete(o, "message")
			text, data = message+" ", o
		}
	}
	raw, err := json.Marshal(data)
	if err != nil {
		return text
	}
	return text + string(raw)
}

// pace lets so much pass in each second.
type pace struct {
	second int64
	n      int
}

func (p *pace) take(now time.Time) bool {
	if s := now.Unix(); s != p.second {
		p.second, p.n = s, 0
	}
	p.n++
	return p.n <= maxLogs
}
