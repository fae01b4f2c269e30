package ollamatest

import (
	"encoding/json"
	"net/http"

	"github.com/ollama/ollama/api"
)

// SetPulls has /api/pull answer with these bodies, one for each request. The last line
// of one that brings the model is {"status":"success"}.
func (s *Server) SetPulls(bodies ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pulls = bodies
}

// Loaded are the bodies of the requests that had a model loaded.
func (s *Server) Loaded() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loaded
}

func (s *Server) load(w http.ResponseWriter, r *http.Request) {
	var body json.RawMessage
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	s.mu.Lock()
	s.loaded = append(s.loaded, string(body))
	s.mu.Unlock()
	write(w, http.StatusOK, map[string]any{"done": true, "done_reason": "load"})
}

func (s *Server) pull(w http.ResponseWriter, r *http.Request) {
	var req api.PullRequest
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pulls) == 0 {
		fail(w, http.StatusInternalServerError, "pull model manifest: file does not exist")
		return
	}
	_, _ = w.Write([]byte(s.pulls[0]))
	s.pulls = s.pulls[1:]
	s.models = append(s.models, Model{Name: req.Model, Capabilities: []string{"completion", "tools"}, Context: 32768})
}
