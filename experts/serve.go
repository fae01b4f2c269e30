package experts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/yaap"
)

const (
	workers          = 32                     // questions answered at the same time
	progressInterval = 100 * time.Millisecond // a reader that lags loses the rest
	drainTime        = 5 * time.Second        // after goodbye
)

// Serve says hello to the room that started this process and answers its
// questions over standard input and output. It blocks until standard input
// ends. When ctx ends it says goodbye; questions that are being answered then
// have 5 s more. It returns an error when the expert's introduction breaks a
// rule or its pipe fails.
func Serve(ctx context.Context, e Expert) error {
	return serve(ctx, e, os.Stdin, os.Stdout)
}

func serve(ctx context.Context, e Expert, in io.Reader, out io.Writer) error {
	if e.Here != nil {
		e.Examples = e.Here(ctx)
	}
	hello := yaap.ChildHello{V: yaap.Version, Introduction: yaap.Introduction{
		Name: e.Name, Description: e.Description, Examples: e.Examples, Output: yaap.OutputSACP, Context: e.Context, Acts: e.Acts, Bids: e.Bid != nil,
	}}
	if err := hello.Check(); err != nil {
		return err
	}
	if e.Answer == nil {
		return fmt.Errorf("expert %s has no Answer", e.Name)
	}
	room := server.NewMCPServer(e.Name, "1",
		server.WithToolCapabilities(false),
		server.WithRecovery(),
		server.WithInstructions(e.Description),
		server.WithExperimental(map[string]any{yaap.Capability: hello}),
	)
	tool := mcp.NewToolWithRawSchema(e.Name, e.Description, core.PromptSchema())
	room.AddTool(tool, func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return e.handle(ctx, req), nil
	})
	if e.Bid != nil {
		room.AddTool(mcp.NewToolWithRawSchema(yaap.ToolBid, "What it reads in each text.", bidSchema()),
			func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return e.bid(ctx, req), nil
			})
	}

	stdio := server.NewStdioServer(room)
	stdio.SetErrorLogger(slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo))
	server.WithWorkerPoolSize(workers)(stdio)

	lines := &lineWriter{w: out}
	serving, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	stop := context.AfterFunc(ctx, func() {
		if lines.notify(yaap.NotifyGoodbye) != nil {
			end() // nobody listens
		}
		time.AfterFunc(drainTime, end)
	})
	defer stop()
	err := stdio.Listen(serving, in, lines)
	if serving.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// handle answers one call. Nothing that goes wrong inside leaves it but as an
// error result.
func (e Expert) handle(ctx context.Context, req mcp.CallToolRequest) (result *mcp.CallToolResult) {
	defer func() {
		if p := recover(); p != nil {
			result = mcp.NewToolResultError(fmt.Sprintf("%s failed on this question: %v", e.Name, p))
		}
	}()
	prompt, err := req.RequireString("prompt")
	if err != nil {
		return mcp.NewToolResultError("the argument prompt is missing: a string with the question")
	}
	reply, err := e.Answer(ctx, Question{
		Prompt:   prompt,
		Call:     callKey(req.Params.Meta),
		Context:  conversation(req.Params.Meta),
		Progress: progress(ctx, req.Params.Meta),
	})
	if err != nil {
		return mcp.NewToolResultError(err.Error())
	}
	if reply.Data == nil {
		reply.Data = map[string]any{}
	}
	text, err := json.Marshal(reply)
	if err != nil {
		return mcp.NewToolResultError(fmt.Sprintf("%s gave an answer that is not JSON: %v", e.Name, err))
	}
	if len(text) > yaap.MaxReply {
		return mcp.NewToolResultError(fmt.Sprintf("the answer has %d bytes, more than the %d that a room takes: ask for less", len(text), yaap.MaxReply))
	}
	return mcp.NewToolResultStructured(json.RawMessage(text), string(text))
}

// callKey reads what the room names the call by.
func callKey(meta *mcp.Meta) string {
	if meta == nil {
		return ""
	}
	key, _ := meta.AdditionalFields[yaap.MetaCall].(string)
	return key
}

// conversation reads the recent messages that the room sends along.
func conversation(meta *mcp.Meta) []core.Message {
	if meta == nil {
		return nil
	}
	raw, err := json.Marshal(meta.AdditionalFields[yaap.MetaContext])
	if err != nil {
		return nil
	}
	var said []yaap.Utterance
	if json.Unmarshal(raw, &said) != nil {
		return nil
	}
	return messages(said)
}

func messages(said []yaap.Utterance) []core.Message {
	messages := make([]core.Message, len(said))
	for i, u := range said {
		messages[i] = core.Message{Role: core.Role(u.Role), Text: u.Text}
	}
	return messages
}

// progress returns what shows text beside the call, at most ten times a second.
func progress(ctx context.Context, meta *mcp.Meta) func(string, float64) {
	room := server.ServerFromContext(ctx)
	if meta == nil || meta.ProgressToken == nil || room == nil {
		return func(string, float64) {}
	}
	var mu sync.Mutex
	var last time.Time
	var step int
	return func(text string, fraction float64) {
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		if now.Sub(last) < progressInterval && fraction < 1 {
			return
		}
		last = now
		step++
		params := map[string]any{"progressToken": meta.ProgressToken, "message": text, "progress": float64(step)}
		if fraction >= 0 {
			params["progress"], params["total"] = fraction, 1.0
		}
		// Progress is best effort: a room that does not read loses it.
		_ = room.SendNotificationToClient(ctx, "notifications/progress", params)
	}
}

// lineWriter keeps messages whole when several goroutines write them.
type lineWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// Write implements [io.Writer].
func (l *lineWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

func (l *lineWriter) notify(method string) error {
	line, err := json.Marshal(map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "method": method})
	if err != nil {
		return err
	}
	_, err = l.Write(append(line, '\n'))
	return err
}
