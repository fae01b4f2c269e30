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
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"golang.org/x/net/netutil"

	"yaap/core"
	"yaap/core/hub"
	"yaap/core/yaap"
)

const (
	maxConnections = 2*256 + 64
	shutdownTime   = time.Second
	lookEvery      = 2 * time.Second // at hub.json
)

// Config is what a server needs.
type Config struct {
	Hub     *hub.Hub
	Chat    func(ctx context.Context, thread, text string, depth int) (core.Result, error) // the orchestrator's entry
	Thread  func() string                                                                  // the id of a new conversation
	Tools   []core.Tool                                                                    // that programs may call beside chat
	Prompts []Prompt                                                                       // that programs may read
	Dir     string                                                                         // where hub.json is written
	Version string
	Log     *slog.Logger
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

// Address is what hub.json holds. It speaks of the room that opened last; a
// room that closes removes it only if it speaks of that room, and one that is
// still open writes its own then.
type Address struct {
	URL   string `json:"url"` // of the host; /yaap and /mcp are below it
	Token string `json:"token"`
	PID   int    `json:"pid"`
}

// New returns a server that does not listen yet.
func New(cfg Config) *Server {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Server{cfg: cfg, leases: map[[sha256.Size]byte]*lease{}}
}

// Run listens on a free port of 127.0.0.1, writes hub.json, and serves until
// ctx ends.
func (s *Server) Run(ctx context.Context) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen for experts: %w", err)
	}
	address := Address{URL: "http://" + listener.Addr().String(), Token: secret(32), PID: os.Getpid()}
	if err := announce(s.cfg.Dir, address); err != nil {
		return errors.Join(err, listener.Close())
	}
	keeping, stopKeeping := context.WithCancel(ctx)
	var keeper sync.WaitGroup
	keeper.Go(func() { keep(keeping, s.cfg.Dir, address) })
	defer func() {
		stopKeeping()
		keeper.Wait()
		withdraw(s.cfg.Dir, address)
	}()

	web := &http.Server{
		Handler:           door(address.Token, s.routes()),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout, // connections are counted
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
	if err := web.Serve(netutil.LimitListener(listener, maxConnections)); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func secret(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}

// addressFile is where a running room says how it is reached.
const addressFile = "hub.json"

// announce writes hub.json for experts in other terminals. When several rooms
// share dir, the one that opened last is found.
func announce(dir string, a Address) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("announce the room: %w", err)
	}
	raw, err := json.Marshal(a)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, addressFile+".") // for its owner alone
	if err != nil {
		return fmt.Errorf("announce the room: %w", err)
	}
	_, err = f.Write(raw)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, addressFile))
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("announce the room: %w", err)
	}
	return nil
}

// keep announces a whenever no room is announced, until ctx ends: the one that
// was may have closed while this one is open.
func keep(ctx context.Context, dir string, a Address) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if _, err := os.Stat(filepath.Join(dir, addressFile)); errors.Is(err, fs.ErrNotExist) {
			_ = announce(dir, a) // the next look may do better
		}
	}
}

// withdraw removes hub.json if it is what a wrote. Another room may write its
// own at any moment: so the file is taken aside first, and put back, unless
// there is one again, when it turns out to be another's.
func withdraw(dir string, a Address) {
	path := filepath.Join(dir, addressFile)
	if now, err := readAddress(path); err != nil || now != a {
		return
	}
	aside := path + "." + secret(8)
	if os.Rename(path, aside) != nil {
		return
	}
	if taken, err := readAddress(aside); err != nil || taken != a {
		_ = os.Link(aside, path) // it fails if there is one
	}
	_ = os.Remove(aside)
}

// Find returns where the room is that was opened last, by its Config.Dir. It
// fails with [fs.ErrNotExist] when none is open.
func Find(dir string) (Address, error) { return readAddress(filepath.Join(dir, addressFile)) }

func readAddress(path string) (a Address, err error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return a, err
	}
	return a, json.Unmarshal(raw, &a)
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
