// Package webtest is what servers of models for tests have in common: they answer as
// they are told, and fail in the ways that real ones fail.
package webtest

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
)

// Name is the model that a new server has.
const Name = "scripted-1"

// Reply is the answer to one question.
type Reply struct {
	Thinking string
	Text     string
	Calls    []core.Call
	Reason   string     // as the server calls it; default: what fits
	Usage    core.Usage // default 26 and 7
	Pieces   int        // most bytes of text in an event, default 4; runes stay whole

	Status int         // not 0: this status with Raw and nothing else
	Header http.Header // sent first
	Raw    string      // sent as it is after the text
	End    Ending

	Forever bool // answers every further request too; for the last reply
}

// From makes a reply of a turn.
func From(turn llmtest.Turn) Reply {
	r := Reply{Thinking: turn.Thinking, Text: turn.Text, Calls: turn.Calls, Pieces: turn.Pieces, Usage: turn.Usage, Reason: string(turn.Reason)}
	switch {
	case turn.Hang:
		r.End = EndHang
	case turn.Truncate:
		r.End = EndCut
	}
	return r
}

// Length reports whether the reply is one that was cut off.
func (r Reply) Length() bool { return r.Reason == string(llm.ReasonLength) }

// Request is a question that a [Server] got.
type Request struct {
	Header http.Header
	Raw    json.RawMessage // the body as it came
}

// Body is the question read as JSON.
func (r Request) Body() map[string]any {
	var body map[string]any
	_ = json.Unmarshal(r.Raw, &body) // a test that wants something of nothing fails
	return body
}

// Wire is how a server speaks.
type Wire struct {
	Path   string // of questions
	Models string // path of the list of models
	Fault  func(kind, text string) any
	// Check tells what a real server refuses in a question.
	Check func(body map[string]any) string
	// Before and After send the events of a reply until its text has ended, and from then.
	Before, After func(r Reply, send func(event string, v any))
}

// Server is one on a port of the loopback.
type Server struct {
	URL string

	t      testing.TB
	wire   Wire
	script *Script[Reply]

	mu       sync.Mutex
	key      string
	models   string
	refuse   func(body map[string]any) (status int, text string)
	requests []Request
}

// New starts a server that answers the first question with the first of replies and so
// on. It stops when the test ends. The test fails when replies are left over then, and
// when more is asked than there are replies.
func New(t testing.TB, wire Wire, replies ...Reply) *Server {
	t.Helper()
	s := &Server{t: t, wire: wire, models: `{"data":[{"id":"` + Name + `"}]}`}
	s.script = NewScript(t, func(r Reply) bool { return r.Forever }, replies)
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+wire.Models, s.list)
	mux.HandleFunc("GET "+wire.Models+"/{id}", s.show)
	mux.HandleFunc("POST "+wire.Path, s.ask)
	s.URL = s.script.Serve(mux)
	return s
}

// SetKey makes the server refuse who does not have that key.
func (s *Server) SetKey(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key = key
}

// SetModels says what the list of models is.
func (s *Server) SetModels(list string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.models = list
}

// Refuse makes the server refuse questions for which refuse has a status.
func (s *Server) Refuse(refuse func(body map[string]any) (status int, text string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = refuse
}

// Requests returns every question so far, the refused ones included.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *Server) allowed(w http.ResponseWriter, r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := r.Header.Get("X-Api-Key") + strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if s.key == "" || got == s.key {
		return true
	}
	s.fail(w, http.StatusUnauthorized, "authentication_error", "Incorrect API key provided: "+got)
	return false
}

func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	if !s.allowed(w, r) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = io.WriteString(w, s.models)
}

// show answers with one model of the list.
func (s *Server) show(w http.ResponseWriter, r *http.Request) {
	if !s.allowed(w, r) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var list struct {
		Data []map[string]any `json:"data"`
	}
	_ = json.Unmarshal([]byte(s.models), &list) // what cannot be read has no model
	for _, m := range list.Data {
		if m["id"] == r.PathValue("id") {
			_, _ = io.WriteString(w, marshal(m))
			return
		}
	}
	s.fail(w, http.StatusNotFound, "not_found_error", "model: "+r.PathValue("id"))
}

func (s *Server) ask(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	req := Request{Header: r.Header.Clone(), Raw: raw}
	s.mu.Lock()
	s.requests = append(s.requests, req)
	refuse := s.refuse
	s.mu.Unlock()
	body := req.Body()
	if !s.allowed(w, r) {
		return
	}
	if body["model"] != Name {
		s.fail(w, http.StatusNotFound, "not_found_error", "The model does not exist")
		return
	}
	if refuse != nil {
		if status, text := refuse(body); status != 0 {
			s.fail(w, status, "invalid_request_error", text)
			return
		}
	}
	if wrong := s.wire.Check(body); wrong != "" {
		s.t.Errorf("a real server refuses this: %s\n%s", wrong, raw)
		s.fail(w, http.StatusBadRequest, "invalid_request_error", wrong)
		return
	}
	reply, ok := s.script.Next()
	maps.Copy(w.Header(), reply.Header)
	switch {
	case !ok:
		s.fail(w, http.StatusInternalServerError, "api_error", "the script has no reply left")
	case reply.Status != 0:
		w.WriteHeader(reply.Status)
		_, _ = io.WriteString(w, reply.Raw)
	default:
		s.stream(w, r, reply)
	}
}

func (s *Server) stream(w http.ResponseWriter, r *http.Request, reply Reply) {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "text/event-stream")
	}
	send := func(event string, v any) {
		text, ok := v.(string)
		if !ok {
			text = marshal(v)
		}
		if event != "" {
			event = "event: " + event + "\n"
		}
		_, _ = io.WriteString(w, event+"data: "+text+"\n\n") // the client may have gone
		Flush(w)
	}
	if reply.Thinking+reply.Text != "" || reply.Raw == "" && reply.End == EndDone {
		s.wire.Before(reply, send)
	}
	if reply.Raw != "" {
		_, _ = io.WriteString(w, reply.Raw)
		Flush(w)
	}
	switch reply.End {
	case EndQuiet:
		return
	case EndCut:
		panic(http.ErrAbortHandler)
	case EndDone:
		s.wire.After(reply, send)
	case EndHang:
		select {
		case <-r.Context().Done():
		case <-s.script.Quit():
		}
	}
}

// Cut cuts text into what comes in one event each.
func (r Reply) Cut(text string) []string { return Cut(text, r.Pieces) }

func (s *Server) fail(w http.ResponseWriter, status int, kind, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, marshal(s.wire.Fault(kind, text)))
}

func marshal(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "webtest: " + err.Error()
	}
	return strings.TrimSpace(b.String())
}
