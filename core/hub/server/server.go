// Package server is the room's MCP server, in the program's own process and on
// loopback only: experts that come by themselves say hello at /yaap, and any
// MCP client talks to the room with the tool chat at /mcp, where it finds the
// tools and the prompts of its memory, too.
//
// Nothing rests on MCP sessions. A caller needs the token; an expert is known
// by its lease, which is given once, stored hashed, and never shown.
package server

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"yaap/core"
	"yaap/core/hub"
	"yaap/core/wire"
	"yaap/core/yaap"
)

const shutdownTime = time.Second

// Config is what a server needs.
type Config struct {
	Hub     *hub.Hub
	Chat    func(ctx context.Context, thread, text string, depth int) (core.Result, error) // the orchestrator's entry
	Thread  func() string                                                                  // the id of a new conversation
	Tools   []core.Tool                                                                    // that programs may call beside chat
	Prompts []Prompt                                                                       // that programs may read
	Dir     string                                                                         // where the room works
	RunDirs []string                                                                       // where it is announced; absolute
	Leave   func(path string)                                                              // removes the file when the process is gone, however it went
	Version string
	Log     *slog.Logger
	Tap     *wire.Tap // where what passes the door is seen; nil: nowhere
}

// Server is a room's door to other processes.
type Server struct {
	cfg Config

	mu     sync.Mutex
	leases map[[sha256.Size]byte]*lease
}

// lease is what an expert holds.
type lease struct {
	peer *peer
	seat *hub.Seat
}

// New returns a server that does not listen yet.
func New(cfg Config) *Server {
	if cfg.Leave == nil {
		cfg.Leave = func(string) {}
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Server{cfg: cfg, leases: map[[sha256.Size]byte]*lease{}}
}

// Run listens on a free port of 127.0.0.1, announces the room, and serves until
// ctx ends.
func (s *Server) Run(ctx context.Context) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen for experts: %w", err)
	}
	address := Address{URL: "http://" + listener.Addr().String(), Token: secret(32), PID: os.Getpid(), Dir: resolved(s.cfg.Dir)}
	withdraw, err := announceIn(ctx, s.cfg.RunDirs, address, s.cfg.Leave)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer withdraw()

	present := &connections{callers: map[net.Conn]bool{}}
	web := &http.Server{
		Handler:           door(address, present, s.seen(s.routes())),
		ConnContext:       present.arrive,
		ConnState:         present.changed,
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(s.cfg.Log.Handler(), slog.LevelInfo),
		BaseContext:       func(net.Listener) context.Context { return ctx }, // what is asked ends with the room
	}
	shut := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(shut)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
		defer cancel()
		if web.Shutdown(ctx) != nil {
			_ = web.Close() // those who do not go
		}
	})
	defer func() {
		if !stop() {
			<-shut // Serve returns before its handlers have ended
		}
	}()
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func secret(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/yaap", s.endpoint("/yaap", s.yaapTools(), nil))
	mux.Handle("/mcp", s.endpoint("/mcp", s.mcpTools(), s.prompts()))
	return mux
}

func (s *Server) endpoint(path string, tools []server.ServerTool, prompts []server.ServerPrompt) http.Handler {
	m := server.NewMCPServer("yaap", s.cfg.Version,
		server.WithToolCapabilities(true), server.WithRecovery(),
		server.WithInstructions("A chat room that experts join and leave."))
	m.AddTools(tools...)
	if len(prompts) > 0 {
		m.AddPrompts(prompts...)
	}
	return server.NewStreamableHTTPServer(m,
		server.WithEndpointPath(path), server.WithStateLess(true),
		server.WithHTTPContextFunc(withConnection), server.WithStreamableHTTPLogger(s.cfg.Log))
}

// tool makes a tool of a handler that takes A.
func tool[A any](name, description, schema string, handle func(context.Context, A) (any, error)) server.ServerTool {
	return server.ServerTool{
		Tool: mcp.NewToolWithRawSchema(name, description, json.RawMessage(schema)),
		Handler: func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			raw, err := json.Marshal(req.Params.Arguments)
			if err != nil {
				return refused(yaap.Refuse(yaap.BadSchema, "the arguments are not JSON")), nil
			}
			var args A
			if err := json.Unmarshal(raw, &args); err != nil {
				return refused(yaap.Refuse(yaap.BadSchema, "the arguments do not fit: %s", yaap.Misfit(err))), nil
			}
			answer, err := handle(ctx, args)
			if err != nil {
				return refused(err), nil
			}
			return result(answer), nil
		},
	}
}

// result is a value as structured content and as the same JSON in the text.
func result(v any) *mcp.CallToolResult {
	raw, err := json.Marshal(v)
	if err != nil {
		return mcp.NewToolResultError(err.Error())
	}
	return mcp.NewToolResultStructured(json.RawMessage(raw), string(raw))
}

func refused(err error) *mcp.CallToolResult {
	var refusal *yaap.Refusal
	if !errors.As(err, &refusal) {
		refusal = &yaap.Refusal{Code: string(core.CodeOf(err)), Message: err.Error(), Hint: core.HintOf(err)}
	}
	r := result(refusal)
	r.IsError = true
	return r
}
