package link

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// ask begins a call of a tool.
func (a *answers) ask(t *testing.T, id int64) context.Context {
	ctx, fail := context.WithCancelCause(t.Context())
	a.begin(transport.JSONRPCRequest{ID: mcp.NewRequestId(id), Method: string(mcp.MethodToolsCall)}, fail)
	return ctx
}

func TestALineOfProseFailsOnlyWhatRanThenAndHeardNothingSince(t *testing.T) {
	const progress = `{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`
	for name, c := range map[string]struct {
		before, during []string
		fails          bool
	}{
		"a banner before the call":     {before: []string{"Welcome!"}},
		"a log line, then a message":   {during: []string{"[INFO] working", progress}},
		"a log line after a message":   {during: []string{progress, "[INFO] working"}, fails: true},
		"two log lines, and no answer": {during: []string{"one", "two"}, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var a answers
				for _, line := range c.before {
					a.take([]byte(line))
				}
				call := a.ask(t, 1)
				for _, line := range c.during {
					a.take([]byte(line))
				}
				time.Sleep(2 * proseTime) // of the bubble
				if failed := call.Err() != nil; failed != c.fails {
					t.Errorf("failed: %v", failed)
				}
			})
		})
	}
}

func TestALineThatFollowsAnAnswerDoesNotFailItsCall(t *testing.T) {
	var a answers
	first, second := a.ask(t, 1), a.ask(t, 2)
	a.take([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`))
	a.take([]byte(`{"jsonrpc":"2.0","result":NaN}`))
	if first.Err() != nil || second.Err() == nil {
		t.Errorf("the first: %v, the second: %v", first.Err(), second.Err())
	}
}
