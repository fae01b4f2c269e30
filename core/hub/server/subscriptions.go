package server

import (
	"context"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	maxSubscriptions = 100     // resources that one program subscribes to
	maxSubscribers   = 1000    // programs that subscribe to any
	maxLogged        = 4 << 10 // bytes of a line that an expert says of its work
)

// subscribers are the programs that want to know when a resource has changed.
type subscribers struct {
	mu   sync.Mutex
	uris map[server.ClientSession]map[string]bool
}

// hook has the subscribers kept by what programs ask for, in both eras.
func (f *subscribers) hook(hooks *server.Hooks) {
	hooks.AddAfterSubscribe(func(ctx context.Context, _ any, r *mcp.SubscribeRequest, _ *mcp.EmptyResult) {
		f.subscribe(server.ClientSessionFromContext(ctx), r.Params.URI)
	})
	hooks.AddAfterUnsubscribe(func(ctx context.Context, _ any, r *mcp.UnsubscribeRequest, _ *mcp.EmptyResult) {
		f.mu.Lock()
		defer f.mu.Unlock()
		who := server.ClientSessionFromContext(ctx)
		if delete(f.uris[who], r.Params.URI); len(f.uris[who]) == 0 {
			delete(f.uris, who)
		}
	})
	hooks.AddBeforeSubscriptionsListen(func(ctx context.Context, _ any, r *mcp.SubscriptionsListenRequest) {
		who := server.ClientSessionFromContext(ctx)
		for _, uri := range r.Params.Notifications.ResourceSubscriptions {
			f.subscribe(who, uri)
		}
		context.AfterFunc(ctx, func() { f.unsubscribe(who) })
	})
	hooks.AddOnUnregisterSession(func(_ context.Context, who server.ClientSession) { f.unsubscribe(who) })
}

func (f *subscribers) subscribe(who server.ClientSession, uri string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.uris[who] == nil {
		if who == nil || len(f.uris) >= maxSubscribers {
			return
		}
		f.uris[who] = map[string]bool{}
	}
	if len(f.uris[who]) < maxSubscriptions {
		f.uris[who][uri] = true
	}
}

func (f *subscribers) unsubscribe(who server.ClientSession) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.uris, who)
}

// Updated tells the programs that subscribed to a resource that it has changed. It
// never blocks.
func (s *Server) Updated(uri string) {
	note := mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION}
	note.Method = string(mcp.MethodNotificationResourceUpdated)
	note.Params.AdditionalFields = map[string]any{"uri": uri}
	s.subscribers.mu.Lock()
	defer s.subscribers.mu.Unlock()
	for who, uris := range s.subscribers.uris {
		if !uris[uri] {
			continue
		}
		select {
		case who.NotificationChannel() <- note:
		default: // it does not read
		}
	}
}

// loggers are the programs of the older era, who say from which level on they are
// told what the room says.
type loggers struct {
	mu  sync.Mutex
	all map[string]bool // their names
}

func (l *loggers) hook(hooks *server.Hooks) {
	hooks.AddAfterSetLevel(func(ctx context.Context, _ any, _ *mcp.SetLevelRequest, _ *mcp.EmptyResult) {
		if who := server.ClientSessionFromContext(ctx); who != nil {
			l.mu.Lock()
			defer l.mu.Unlock()
			if len(l.all) < maxSubscribers {
				l.all[who.SessionID()] = true
			}
		}
	})
	hooks.AddOnUnregisterSession(func(_ context.Context, who server.ClientSession) {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.all, who.SessionID())
	})
}

// Say tells the programs that want to hear it what the room says, at a level of MCP.
// It never blocks.
func (s *Server) Say(level, text string) {
	s.logging.mu.Lock()
	defer s.logging.mu.Unlock()
	line := mcp.NewLoggingMessageNotification(mcp.LoggingLevel(level), "room", text)
	for name := range s.logging.all {
		_ = s.programs.SendLogMessageToSpecificClient(name, line) // who is gone hears nothing
	}
}

// logTo returns what tells the program that asked what the tool of a call says of its
// work.
func logTo(ctx context.Context, spec core.ToolSpec) func(level, text string) {
	m := server.ServerFromContext(ctx)
	if m == nil {
		return nil
	}
	return func(level, text string) {
		line := mcp.NewLoggingMessageNotification(mcp.LoggingLevel(level), spec.Name, safe.Prefix(safe.Text(text), maxLogged))
		_ = m.SendLogMessageToClient(ctx, line) // without it the call goes on
	}
}
