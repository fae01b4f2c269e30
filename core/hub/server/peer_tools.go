package server

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/yaap"
)

const leaseBytes = 16

// yaapTools is what experts call.
func (s *Server) yaapTools() []server.ServerTool {
	return []server.ServerTool{
		tool(yaap.ToolHello, "Introduce yourself to the room. You are a tool of its model when this returns.",
			`{"type":"object","required":["yaap","name","description"],"properties":{
				"yaap":{"type":"integer","description":"1"},"name":{"type":"string"},"description":{"type":"string"},
				"examples":{"type":"array","items":{"type":"string"}},"input_schema":{"type":"object"},
				"output":{"type":"string","enum":["text","sacp"]},"concurrency":{"type":"integer"},
				"call_timeout_ms":{"type":"integer"},"context":{"type":"boolean"},
				"acts":{"type":"boolean"},"bids":{"type":"boolean"},"instance":{"type":"string"}}}`, s.hello),
		tool(yaap.ToolNext, "Wait for what the room has to tell you. Poll again before you work on a call.",
			`{"type":"object","required":["lease"],"properties":{"lease":{"type":"string"},"wait_ms":{"type":"integer"},
				"ack":{"type":"integer","description":"the highest seq that came; later calls come again"}}}`, s.next),
		tool(yaap.ToolReply, "Answer a call.",
			`{"type":"object","required":["lease","call_id","ok","text"],"properties":{"lease":{"type":"string"},
				"call_id":{"type":"string"},"ok":{"type":"boolean"},"text":{"type":"string"},"data":{"type":"object"}}}`, s.reply),
		tool(yaap.ToolProgress, "Show text beside a running call; its deadline moves on.",
			`{"type":"object","required":["lease","call_id","message"],"properties":{"lease":{"type":"string"},
				"call_id":{"type":"string"},"message":{"type":"string"},"fraction":{"type":"number"}}}`, s.progress),
		tool(yaap.ToolGoodbye, "Leave the room. Running calls may still be answered within 5 s.",
			`{"type":"object","required":["lease"],"properties":{"lease":{"type":"string"},"reason":{"type":"string"}}}`, s.goodbye),
	}
}

func (s *Server) hello(ctx context.Context, h yaap.Hello) (any, error) {
	if h.YAAP != yaap.Version {
		return nil, yaap.Refuse(yaap.BadVersion, "this room speaks yaap %d", yaap.Version)
	}
	if err := h.Check(); err != nil {
		return nil, err
	}
	p := newPeer(h.Introduction)
	seat, err := s.cfg.Hub.Join(ctx, hub.Entry{Introduction: h.Introduction, Instance: h.Instance, Transport: hub.Peer, Link: p})
	if err != nil {
		return nil, err
	}
	key := Secret(leaseBytes)
	s.mu.Lock()
	s.leases[sha256.Sum256([]byte(key))] = &lease{peer: p, seat: seat}
	s.forget()
	s.mu.Unlock()
	return yaap.Welcome{
		Lease: key, Tool: seat.Tool, PollMS: yaap.PollMS, LeaseMS: yaap.LeaseMS, MaxReplyBytes: yaap.MaxReply,
	}, nil
}

// forget drops the leases that have ended; s.mu is held.
func (s *Server) forget() {
	for key, l := range s.leases {
		select {
		case <-l.peer.Done():
			delete(s.leases, key)
		default:
		}
	}
}

func (s *Server) lease(key string) (*lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.leases[sha256.Sum256([]byte(key))]
	if l == nil {
		return nil, yaap.Refuse(yaap.UnknownLease, "this lease is not known: say hello")
	}
	return l, nil
}

func (s *Server) next(ctx context.Context, n yaap.Next) (any, error) {
	l, err := s.lease(n.Lease)
	if err != nil {
		return nil, err
	}
	wait := yaap.PollMS * time.Millisecond
	if n.WaitMS > 0 {
		wait = time.Duration(min(n.WaitMS, yaap.PollMS)) * time.Millisecond
	}
	return l.peer.poll(alive(ctx), wait, n.Ack)
}

// reply takes the answer of a peer. One that cannot be read is refused, and
// fails its call: it is not waited for another.
func (s *Server) reply(_ context.Context, raw json.RawMessage) (any, error) {
	var r yaap.Reply
	misfit := json.Unmarshal(raw, &r)
	if misfit != nil {
		var to struct {
			Lease  string `json:"lease"`
			CallID string `json:"call_id"`
		}
		_ = json.Unmarshal(raw, &to) // what of it is there
		r.Lease, r.CallID = to.Lease, to.CallID
	}
	l, err := s.lease(r.Lease)
	if misfit != nil {
		refusal := yaap.Refuse(yaap.BadSchema, "the arguments do not fit: %s", yaap.ExplainDecodeError(misfit))
		if err == nil {
			l.peer.settle(r.CallID, core.ToolFailure(core.ToolError, core.ToolCodeMalformedResponse, "its answer cannot be read: "+refusal.Message))
		}
		return nil, refusal
	}
	if err != nil {
		return nil, err
	}
	var data []byte
	if len(r.Data) > 0 {
		if data, err = json.Marshal(r.Data); err != nil {
			return nil, err
		}
	}
	if size := len(r.Text) + len(data); size > yaap.MaxReply {
		return nil, yaap.Refuse(yaap.TooLarge, "text and data have %d bytes: at most %d are taken", size, yaap.MaxReply)
	}
	return yaap.Accepted{Accepted: l.peer.reply(r)}, nil
}

func (s *Server) progress(_ context.Context, p yaap.Progress) (any, error) {
	l, err := s.lease(p.Lease)
	if err != nil {
		return nil, err
	}
	return yaap.Accepted{Accepted: l.peer.progressed(p)}, nil
}

func (s *Server) goodbye(_ context.Context, g yaap.Goodbye) (any, error) {
	l, err := s.lease(g.Lease)
	if err != nil {
		return nil, err
	}
	l.seat.Goodbye(g.Reason)
	return yaap.OK{OK: true}, nil
}
