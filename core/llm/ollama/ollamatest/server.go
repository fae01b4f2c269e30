// Package ollamatest has servers of Ollama for tests. [Server] is a fake: it answers as
// it is told, refuses what the real one refuses, and fails in the ways the real one fails.
// [Real] is the real one, on models that say what they are told.
package ollamatest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
	"github.com/yaap-chat/yaap/core/llm/web/webtest"
)

// Name is the model that a new server has. It can call tools and read 32768
// tokens.
const Name = "scripted:1b"

// Reply is the answer to one /api/chat.
type Reply struct {
	Thinking   string
	Text       string
	Calls      []core.Call // one line each
	Reason     string      // default "stop", with calls too
	Prompt     int         // prompt_eval_count, default 26
	Completion int         // eval_count, default 7
	Pieces     int         // most bytes of text in a line, default 4; runes stay whole

	Status int         // not 0: an error with this status and nothing else
	Header http.Header // sent with Status
	Error  string      // the error's text; without Status it comes in a line after the text
	Raw    string      // sent as it is after the text
	End    webtest.Ending

	Forever bool // answers every further request too; for the last reply
}

// From makes a reply of a turn.
func From(turn llmtest.Turn) Reply {
	r := Reply{
		Thinking: turn.Thinking, Text: turn.Text, Calls: turn.Calls, Pieces: turn.Pieces,
		Reason: string(turn.Reason), Prompt: turn.Usage.Prompt, Completion: turn.Usage.Completion,
	}
	switch {
	case turn.Hang:
		r.End = webtest.EndHang
	case turn.Truncate:
		r.End = webtest.EndCut
	}
	return r
}

// Model is a model that a [Server] has.
type Model struct {
	Name         string
	Digest       string // default: made from the name
	Size         int64
	Capabilities []string // completion, tools, embedding, thinking
	Context      int      // tokens
	Architecture string   // default "llama"
	RemoteHost   string   // set: it runs in the cloud
}

// Request is a /api/chat that a [Server] got.
type Request struct {
	api.ChatRequest
	Raw json.RawMessage // the body as it came
}

// Server is an Ollama server on a port of the loopback.
type Server struct {
	URL string // also good as OLLAMA_HOST

	script *webtest.Script[Reply]

	mu       sync.Mutex
	models   []Model
	vector   func(text string) []float32
	requests []Request
	pulls    []string
	loaded   []string
}

// New starts a server that answers the first /api/chat with the first of
// replies and so on. It stops when the test ends. The test fails when replies
// are left over then, and when more is asked than there are replies.
func New(t testing.TB, replies ...Reply) *Server {
	t.Helper()
	s := &Server{models: []Model{{Name: Name, Size: 1 << 30, Capabilities: []string{"completion", "tools"}, Context: 32768}}}
	s.script = webtest.NewScript(t, func(r Reply) bool { return r.Forever }, replies)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/tags", s.tags)
	mux.HandleFunc("POST /api/show", s.show)
	mux.HandleFunc("POST /api/chat", s.chat)
	mux.HandleFunc("POST /api/embed", s.embed)
	mux.HandleFunc("POST /api/generate", s.load)
	mux.HandleFunc("POST /api/pull", s.pull)
	s.URL = s.script.Serve(mux)
	return s
}

// SetModels replaces the models that the server has.
func (s *Server) SetModels(models ...Model) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.models = models
}

// Requests returns every /api/chat so far, the refused ones included.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// SetVectors says what vectors the server makes of texts. Without it there are
// none.
func (s *Server) SetVectors(vector func(text string) []float32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.vector = vector
}

func (s *Server) embed(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	m, ok := s.find(req.Model)
	s.mu.Lock()
	vector := s.vector
	s.mu.Unlock()
	switch {
	case !ok:
		fail(w, http.StatusNotFound, fmt.Sprintf("model %q not found, try pulling it first", req.Model))
	case !slices.Contains(m.Capabilities, "embedding"):
		fail(w, http.StatusInternalServerError, "this model does not support embeddings")
	case vector == nil:
		write(w, http.StatusOK, map[string]any{"model": m.Name, "embeddings": [][]float32{}})
	default:
		vectors := make([][]float32, len(req.Input))
		for i, text := range req.Input {
			vectors[i] = vector(text)
		}
		write(w, http.StatusOK, map[string]any{"model": m.Name, "embeddings": vectors})
	}
}

func (s *Server) tags(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list api.ListResponse
	for _, m := range s.models {
		digest := cmp.Or(m.Digest, fmt.Sprintf("%x", m.Name))
		list.Models = append(list.Models, api.ListModelResponse{
			Name: m.Name, Model: m.Name, Digest: digest, Size: m.Size, RemoteHost: m.RemoteHost,
		})
	}
	write(w, http.StatusOK, list)
}

func (s *Server) show(w http.ResponseWriter, r *http.Request) {
	var req api.ShowRequest
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	m, ok := s.find(req.Model)
	if !ok {
		fail(w, http.StatusNotFound, fmt.Sprintf("model '%s' not found", req.Model))
		return
	}
	write(w, http.StatusOK, map[string]any{
		"capabilities": m.Capabilities,
		"model_info": map[string]any{
			"general.architecture": cmp.Or(m.Architecture, "llama"), "llama.context_length": m.Context, "llama.embedding_length": 128,
		},
	})
}

func (s *Server) find(name string) (Model, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.models, func(m Model) bool { return m.Name == name })
	if i < 0 {
		return Model{}, false
	}
	return s.models[i], true
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	var req api.ChatRequest
	if err := json.Unmarshal(body, &req); err != nil {
		s.record(Request{Raw: body})
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	s.record(Request{ChatRequest: req, Raw: body})
	m, ok := s.find(req.Model)
	switch {
	case !ok:
		fail(w, http.StatusNotFound, fmt.Sprintf("model '%s' not found", req.Model))
		return
	case len(req.Tools) > 0 && !slices.Contains(m.Capabilities, "tools"):
		fail(w, http.StatusBadRequest, "registry.ollama.ai/library/"+m.Name+" does not support tools")
		return
	}
	reply, ok := s.script.Next()
	switch {
	case !ok:
		fail(w, http.StatusInternalServerError, "the script has no reply left")
	case reply.Status != 0:
		maps.Copy(w.Header(), reply.Header)
		fail(w, reply.Status, reply.Error)
	default:
		s.stream(w, r, m.Name, reply)
	}
}

func (s *Server) record(r Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
}

// stream writes the reply line by line, as the real server does.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, model string, reply Reply) {
	line := func(message, more map[string]any) {
		v := map[string]any{"model": model, "created_at": time.Unix(0, 0).UTC(), "done": false}
		message["role"] = "assistant"
		if message["content"] == nil {
			message["content"] = ""
		}
		v["message"] = message
		maps.Copy(v, more)
		writeLine(w, v)
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	for _, p := range webtest.Cut(reply.Thinking, reply.Pieces) {
		line(map[string]any{"thinking": p}, nil)
	}
	for _, p := range webtest.Cut(reply.Text, reply.Pieces) {
		line(map[string]any{"content": p}, nil)
	}
	if reply.Raw != "" {
		_, _ = io.WriteString(w, reply.Raw) // the client may have gone
		webtest.Flush(w)
	}
	if reply.Error != "" {
		writeLine(w, map[string]string{"error": reply.Error})
		return
	}
	switch reply.End {
	case webtest.EndHang:
		select {
		case <-r.Context().Done():
		case <-s.script.Quit():
		}
		return
	case webtest.EndCut:
		panic(http.ErrAbortHandler)
	case webtest.EndQuiet:
		return
	case webtest.EndDone:
	}
	for i, c := range reply.Calls {
		args := c.Args
		if len(args) == 0 {
			args = json.RawMessage("{}")
		}
		call := map[string]any{"function": map[string]any{"index": i, "name": c.Tool, "arguments": args}}
		if c.ID != "" {
			call["id"] = c.ID
		}
		line(map[string]any{"tool_calls": []any{call}}, nil)
	}
	done := map[string]any{
		"done": true, "done_reason": "stop", "total_duration": 5, "load_duration": 1,
		"prompt_eval_count": cmp.Or(reply.Prompt, 26), "eval_count": cmp.Or(reply.Completion, 7),
	}
	if reply.Reason != "" {
		done["done_reason"] = reply.Reason
	}
	line(map[string]any{}, done)
}

func fail(w http.ResponseWriter, status int, text string) {
	write(w, status, map[string]string{"error": text})
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	writeLine(w, v)
}

func writeLine(w http.ResponseWriter, v any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		b.Reset()
		b.WriteString("ollamatest: " + err.Error() + "\n")
	}
	_, _ = w.Write(b.Bytes()) // the client may have gone
	webtest.Flush(w)
}
