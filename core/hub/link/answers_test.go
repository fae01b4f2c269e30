package link

import (
	"context"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// ask begins a call of a tool.
func (a *answers) ask(t *testing.T, id int64) context.Context {
	ctx, fail := context.WithCancelCause(t.Context())
	a.begin(transport.JSONRPCRequest{ID: mcp.NewRequestId(id), Method: string(mcp.MethodToolsCall)}, fail)
	return ctx
}

func TestALineThatIsNoMessageFailsTheRunningCallsAtOnce(t *testing.T) {
	for _, line := range []string{
		"Herons eat fish.", "[INFO] fishing", "NaN", "{", `"fish"`, `{"level":"info"}`, strings.Repeat("[", 1000),
		`{"jsonrpc":"2.0","result":{"a":NaN}}`, `{"jsonrpc":"2.0","res`, `{"jsonrpc":"2.0","id":9,"result":{}}`,
	} {
		var a answers
		first, second := a.ask(t, 1), a.ask(t, 2)
		a.take([]byte(line))
		for _, call := range []context.Context{first, second} {
			if cause := context.Cause(call); cause == nil || !strings.Contains(cause.Error(), "cannot be read") {
				t.Errorf("%.40s: %v", line, cause)
			}
		}
		if a.take([]byte(line)); a.ask(t, 3).Err() != nil {
			t.Errorf("%.40s fails a call that came later", line)
		}
	}
}

func TestLogLinesOfAChildThatIsKnownToLogFailNoCall(t *testing.T) {
	log := []string{"[INFO] fishing", "{", `  "hours": [`, "]", `{"level":"info","id":2}`, "NaN", strings.Repeat("[", 1000)}
	for name, before := range map[string]func(*answers){
		"it logged at its start": func(a *answers) { a.take([]byte("✅ ready")) },
		"it logged between calls": func(a *answers) {
			call := a.ask(t, 1)
			a.take([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`))
			if a.take([]byte("done")); call.Err() != nil {
				t.Error("it failed a call that was answered")
			}
		},
		"it answered after all": func(a *answers) {
			call := a.ask(t, 1)
			if a.take([]byte("working")); call.Err() == nil {
				t.Error("the first call did not fail")
			}
			a.take([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			var a answers
			before(&a)
			call := a.ask(t, 2)
			for _, line := range log {
				if a.take([]byte(line)); call.Err() != nil {
					t.Fatalf("failed by %.40s", line)
				}
			}
			if a.take([]byte(`{"jsonrpc":"2.0","id":2,"result":{"a":NaN}}`)); call.Err() == nil {
				t.Error("an answer that cannot be read did not fail it")
			}
		})
	}
}

func TestALogLineOfAnExpertThatSaidHelloFailsItsCalls(t *testing.T) {
	var a answers
	a.take([]byte("✅ ready"))
	a.said()
	call := a.ask(t, 1)
	if a.take([]byte("[INFO] fishing")); call.Err() == nil {
		t.Error("it did not fail")
	}
}

func TestWhatTheLibraryWouldReadDifferentlyIsNoMessage(t *testing.T) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","ID":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"result":{},"Method":"x"}`, `{"jsonrpc":"2.0","id":1,"re\u017fult":{}}`,
		`{"jsonrpc":"2.0","id":1,"result":{},"Error":{"code":1,"message":"x"}}`, `{"jsonrpc":"2.0","id":1,"method":null,"result":{}}`,
	} {
		var a answers
		call := a.ask(t, 1)
		if a.take([]byte(line)) || call.Err() == nil {
			t.Errorf("%s is a message", line)
		}
	}
}

func TestAnAnswerOnSeveralLinesIsNoLog(t *testing.T) {
	var a answers
	for id := range int64(3) {
		call := a.ask(t, id)
		for _, line := range []string{"{", `  "jsonrpc": "2.0",`, `  "id": 1`, "}", "Herons", "eat fish."} {
			a.take([]byte(line))
		}
		if call.Err() == nil {
			t.Errorf("call %d did not fail", id)
		}
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
