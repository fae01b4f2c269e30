// Package server is the room's MCP server, in the program's own process and on
// loopback only: experts that come by themselves say hello at /yaap, and any
// MCP client talks to the room with the tool chat at /mcp, where it finds the
// tools and the prompts of its memory, too.
//
// Nothing rests on MCP sessions. A caller needs the token; an expert is known
// by its lease, which is given once, stored hashed, and never shown.
package server

import (
	"cmp"
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

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/wire"
	"github.com/yaap-chat/yaap/core/yaap"
)

const shutdownTime = time.Second

// Config is what a server needs.
type Config struct {
	Hub    *hub.Hub
	Chat   func(ctx context.Context, thread, text string, depth int) (core.Result, error) // the orchestrator's entry
	Thread func() string                                                                  // the id of a new conversation
	Tools  []core.Tool                                                                    // that programs may call beside chat
	Graph  []core.Tool                                                                    // those at /server-memory, which has no others
	// Experts are the tools of those in the room, as programs may call them; nil: none
	// are offered. It never blocks.
	Experts func() []core.Tool
	// Follow has hear called with what is reported of a conversation, until stop is
	// called; nil: nothing of a run is told before its end.
	Follow func(thread string, hear func(core.Event)) (stop func())
	// Invite has an MCP server of another terminal in the room, until ctx ends or the
	// room does not want it any more; nil: none may come so. joined is told when it is in.
	Invite    func(ctx context.Context, i Invitation, joined func(text string)) error
	Prompts   []Prompt          // that programs may read
	Resources []Resource        // likewise
	Dir       string            // where the room works
	RunDirs   []string          // where it is announced; absolute
	Leave     func(path string) // removes the file when the process is gone, however it went
	Version   string
	Log       *slog.Logger
	Tap       *wire.Tap // where requests and answers are captured; nil: nowhere
	Wire      string    // the file that all frames are written to; empty: none
}

// Server is the HTTP server of a room, for other processes.
type Server struct {
	cfg Config

	mu     sync.Mutex
	leases map[[sha256.Size]byte]*lease

	programs *server.MCPServer // of /mcp
	graph    *server.MCPServer // of /server-memory; nil: there is none
	offering sync.Mutex
	offered  uint64   // the revision of the room whose tools programs see
	told     []string // what these are; nil: none were offered yet

	prompting   sync.Mutex
	prompted    []string // the prompts that programs see
	subscribers subscribers
	logging     loggers
}

// lease is what an expert holds.
type lease struct {
	peer *peer
	seat *hub.Membership
}

// New returns a server that does not listen yet.
func New(cfg Config) *Server {
	if cfg.Leave == nil {
		cfg.Leave = func(string) {}
	}
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	s := &Server{cfg: cfg, leases: map[[sha256.Size]byte]*lease{}}
	s.subscribers.uris, s.logging.all = map[server.ClientSession]map[string]bool{}, map[string]bool{}
	hooks := &server.Hooks{}
	hooks.AddBeforeAny(func(ctx context.Context, _ any, method mcp.MCPMethod, _ any) {
		if method == mcp.MethodToolsCall || method == mcp.MethodToolsList {
			s.offer()
		}
		if method == mcp.MethodPromptsGet || method == mcp.MethodPromptsList {
			s.offerPrompts(ctx)
		}
	})
	s.subscribers.hook(hooks)
	s.logging.hook(hooks)
	s.programs = s.mcpServer(server.WithHooks(hooks), server.WithResourceCapabilities(true, true), server.WithPromptCapabilities(true),
		server.WithLogging(), server.WithCompletions(), server.WithPromptCompletionProvider(completes{s}), server.WithResourceCompletionProvider(completes{s}))
	s.programs.SetTools(s.mcpTools()...)
	s.programs.AddPrompts(s.prompts()...)
	if len(cfg.Graph) > 0 {
		following := &server.Hooks{}
		s.subscribers.hook(following)
		s.graph = s.mcpServer(server.WithHooks(following), server.WithResourceCapabilities(true, false))
		for _, t := range cfg.Graph {
			s.graph.AddTools(offered(t))
		}
	}
	s.offerResources()
	return s
}

// Run listens on a free port of 127.0.0.1, announces the room, and serves until
// ctx ends.
func (s *Server) Run(ctx context.Context) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen for experts: %w", err)
	}
	address := Address{URL: "http://" + listener.Addr().String(), Token: Secret(32), PID: os.Getpid(), Dir: resolved(s.cfg.Dir), Wire: s.cfg.Wire, Since: time.Now().UTC().Truncate(time.Second)}
	withdraw, err := announceIn(ctx, s.cfg.RunDirs, address, s.cfg.Leave)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer withdraw()

	var offering sync.WaitGroup
	offering.Go(func() { s.offerExperts(ctx) })
	defer offering.Wait()
	present := &connections{callers: map[net.Conn]bool{}, most: perExpert*s.cfg.Hub.MaxExperts() + maxOthers}
	web := &http.Server{
		Handler:           requireToken(address, present, s.captured(s.routes())),
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

// Secret is n random bytes in hexadecimal digits.
func Secret(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	peers := s.mcpServer()
	peers.SetTools(s.yaapTools()...)
	if s.cfg.Invite != nil {
		peers.AddTools(s.inviteTool())
	}
	mux.Handle("/yaap", s.endpoint("/yaap", peers, server.WithStateLess(true)))
	mux.Handle("/mcp", s.endpoint("/mcp", s.programs, server.WithSessionIdManager(names{})))
	if s.graph != nil {
		mux.Handle(GraphPath, s.endpoint(GraphPath, s.graph, server.WithSessionIdManager(names{})))
	}
	return mux
}

// GraphPath is where the tools of @modelcontextprotocol/server-memory are.
const GraphPath = "/server-memory"

func (s *Server) mcpServer(more ...server.ServerOption) *server.MCPServer {
	return server.NewMCPServer("yaap", s.cfg.Version, append(more,
		server.WithToolCapabilities(true), server.WithRecovery(), server.WithToolFilter(wanted),
		server.WithInstructions("A chat room that experts join and leave."))...)
}

func (s *Server) endpoint(path string, m *server.MCPServer, more ...server.StreamableHTTPOption) http.Handler {
	return server.NewStreamableHTTPServer(m, append(more,
		server.WithEndpointPath(path),
		server.WithHTTPContextFunc(withConnection), server.WithStreamableHTTPLogger(s.cfg.Log))...)
}

// names gives each client of the older era a name, by which it may cancel what it
// has asked. Nothing rests on it: who has none is served, too. It implements
// [server.SessionIdManager].
type names struct{}

// Generate implements [server.SessionIdManager].
func (names) Generate() string { return Secret(leaseBytes) }

// Validate implements [server.SessionIdManager].
func (names) Validate(string) (bool, error) { return false, nil }

// Terminate implements [server.SessionIdManager].
func (names) Terminate(string) (bool, error) { return false, nil }

// tool makes a tool of a handler that takes A. Its context tells whoever calls it how far it is.
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
				return refused(yaap.Refuse(yaap.BadSchema, "the arguments do not fit: %s", yaap.ExplainDecodeError(err))), nil
			}
			answer, err := handle(context.WithValue(ctx, progressKey{}, progressTo(ctx, req.Params.Meta)), args)
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
