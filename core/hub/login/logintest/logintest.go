// Package logintest is a server that wants its users to sign in, and the authorization
// server at which they do: real HTTP, for tests.
package logintest

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// Path is where the server is on its host.
const Path = "/mcp"

// Servers are the two. What they know is changed with With.
type Servers struct {
	URL    string // of the server that wants a token
	Issuer string // who gives it

	mu    sync.Mutex
	state State
}

// State is what the servers know and how they behave.
type State struct {
	Lives    int            // seconds that a token says it lives; 0: it does not say
	Mute     bool           // the 401 does not name the document that says who signs in
	Bare     bool           // there is no such document: the server gives tokens itself, as in 2024
	Late     bool           // it lets everybody in that does not show a wrong token
	More     string         // the scope that it wants of those whom it knows
	Leads    string         // where its documents are said to be instead
	Scopes   string         // that the 401 names
	Busy     int            // what the authorization server answers to everything; 0: what it should
	Resource map[string]any // put into that document
	Metadata map[string]any // put into the document of the authorization server
	Deny     bool           // the user says no
	Thief    bool           // codes come to others than those who asked for them
	Kind     string         // of token; empty: bearer
	Suffix   string         // of each token
	Away     bool           // nobody gives tokens now
	Says     string         // who the answer to the browser says it is of
	Scope    string         // that was asked for last

	Redirects map[string]string // of clients that are registered
	Secrets   map[string]string // of those that have one
	Codes     map[string]Grant
	Valid     map[string]bool   // tokens that are taken
	Fresh     map[string]string // refresh tokens that are taken, and whose
	Bearers   []string          // all tokens that the server was sent
	Asked     []string          // the kinds of grant that were asked for, in order
}

// Grant is what a code was given for.
type Grant struct{ Client, Redirect, Challenge string }

// New starts the servers; behind is what those reach that are let in.
func New(t *testing.T, behind http.Handler) *Servers {
	t.Helper()
	s := &Servers{state: State{Scopes: "birds fish", Redirects: map[string]string{}, Codes: map[string]Grant{}, Valid: map[string]bool{}, Fresh: map[string]string{}}}
	authority := httptest.NewServer(http.HandlerFunc(s.authority))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.server(w, r, behind) }))
	t.Cleanup(func() {
		for _, web := range []*httptest.Server{server, authority} {
			web.CloseClientConnections()
			web.Close()
		}
	})
	s.URL, s.Issuer = server.URL+Path, authority.URL
	return s
}

// With changes or reads what the servers know.
func (s *Servers) With(do func(*State)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do(&s.state)
}

// Browse is the user who opens an address, says yes and is sent back. It returns what
// is shown then.
func (s *Servers) Browse(address string) (int, error) {
	response, err := http.Get(address) //nolint:noctx,gosec // of a test
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

func (s *Servers) server(w http.ResponseWriter, r *http.Request, behind http.Handler) {
	own := strings.TrimSuffix(s.URL, Path)
	document := own + "/.well-known/oauth-protected-resource" + Path
	bare := false
	s.With(func(k *State) { bare = k.Bare })
	if bare && r.URL.Path != Path {
		s.authority(w, r)
		return
	}
	if strings.HasPrefix(r.URL.Path, "/.well-known/") {
		s.With(func(k *State) {
			if !strings.HasSuffix(document, r.URL.Path) {
				http.NotFound(w, r)
				return
			}
			if k.Leads != "" {
				http.Redirect(w, r, k.Leads, http.StatusFound)
				return
			}
			said := map[string]any{"resource": s.URL, "authorization_servers": []string{s.Issuer}}
			maps.Copy(said, k.Resource)
			answer(w, http.StatusOK, said)
		})
		return
	}
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	in := false
	s.With(func(k *State) {
		if token != "" {
			k.Bearers = append(k.Bearers, token)
		}
		if k.Valid[token] && k.More != "" && !strings.Contains(k.Scope, k.More) {
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer error="insufficient_scope", scope=%q`, k.More))
			w.WriteHeader(http.StatusForbidden)
			return
		}
		if in = k.Valid[token] || k.Late && token == ""; !in {
			says := fmt.Sprintf(`Bearer error="invalid_token", resource_metadata=%q`, document)
			if k.Scopes != "" {
				says += fmt.Sprintf(`, scope=%q`, k.Scopes)
			}
			if k.Mute || k.Bare {
				says = "Bearer"
			}
			w.Header().Set("WWW-Authenticate", says)
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	if in {
		behind.ServeHTTP(w, r)
	}
}

func (s *Servers) authority(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	issuer := s.Issuer
	if s.state.Bare {
		issuer = strings.TrimSuffix(s.URL, Path)
	}
	if s.state.Busy != 0 {
		w.WriteHeader(s.state.Busy)
		return
	}
	switch r.Method + " " + r.URL.Path {
	case "GET /.well-known/oauth-authorization-server":
		said := map[string]any{
			"issuer": issuer, "authorization_endpoint": issuer + "/authorize?tenant=1", "token_endpoint": issuer + "/token",
			"registration_endpoint": issuer + "/register", "response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
		}
		maps.Copy(said, s.state.Metadata)
		answer(w, http.StatusOK, said)
	case "POST /register":
		var asks struct {
			Redirects []string `json:"redirect_uris"`
			Method    string   `json:"token_endpoint_auth_method"`
		}
		if json.NewDecoder(r.Body).Decode(&asks) != nil || len(asks.Redirects) != 1 || asks.Method != "none" {
			refuse(w, "invalid_client_metadata")
			return
		}
		id := fmt.Sprintf("client-%d", len(s.state.Redirects)+1)
		s.state.Redirects[id] = asks.Redirects[0]
		answer(w, http.StatusCreated, map[string]any{"client_id": id, "token_endpoint_auth_method": "none"})
	case "GET /authorize":
		s.authorize(w, r)
	case "POST /token":
		s.token(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (s *Servers) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	client, back := q.Get("client_id"), q.Get("redirect_uri")
	if back == "" || s.state.Redirects[client] != back || q.Get("tenant") != "1" {
		refuse(w, "invalid_client")
		return
	}
	says := url.Values{"state": {q.Get("state")}}
	if s.state.Says != "" {
		says.Set("iss", s.state.Says)
	}
	s.state.Scope = q.Get("scope")
	switch {
	case s.state.Deny:
		says.Set("error", "access_denied")
	case q.Get("code_challenge_method") != "S256" || q.Get("code_challenge") == "" || q.Get("response_type") != "code" || q.Get("resource") != s.URL && !s.state.Bare:
		says.Set("error", "invalid_request")
	default:
		code := fmt.Sprintf("code-%d", len(s.state.Codes)+1)
		s.state.Codes[code] = Grant{client, back, q.Get("code_challenge")}
		if s.state.Thief {
			s.state.Codes[code] = Grant{client, back, "of the thief"}
		}
		says.Set("code", code)
	}
	http.Redirect(w, r, back+"?"+says.Encode(), http.StatusFound)
}

func (s *Servers) token(w http.ResponseWriter, r *http.Request) {
	if s.state.Away {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	kind, client, secret := r.FormValue("grant_type"), r.FormValue("client_id"), r.FormValue("client_secret")
	if id, key, basic := r.BasicAuth(); basic {
		client, secret = id, key
	}
	s.state.Asked = append(s.state.Asked, kind)
	old := r.FormValue("refresh_token")
	code := r.FormValue("code")
	g := s.state.Codes[code]
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	switch {
	case s.state.Secrets[client] != secret:
		refuse(w, "invalid_client")
		return
	case r.FormValue("resource") != s.URL && !s.state.Bare:
		refuse(w, "invalid_target")
		return
	case kind == "refresh_token" && old != "" && s.state.Fresh[old] == client:
		delete(s.state.Fresh, old) // it is good for one use
	case kind == "authorization_code" && g.Client != "" && g.Client == client && g.Redirect == r.FormValue("redirect_uri") &&
		g.Challenge == base64.RawURLEncoding.EncodeToString(sum[:]):
		s.state.Codes[code] = Grant{}
	default:
		refuse(w, "invalid_grant")
		return
	}
	n := len(s.state.Asked)
	token, fresh := fmt.Sprintf("at-%d", n), fmt.Sprintf("rt-%d", n)
	s.state.Valid, s.state.Fresh[fresh] = map[string]bool{token: true}, client
	said := map[string]any{"access_token": token + s.state.Suffix, "token_type": cmp.Or(s.state.Kind, "bearer"), "refresh_token": fresh}
	if s.state.Lives > 0 {
		said["expires_in"] = s.state.Lives
	}
	answer(w, http.StatusOK, said)
}

func refuse(w http.ResponseWriter, why string) {
	answer(w, http.StatusBadRequest, map[string]any{"error": why})
}

func answer(w http.ResponseWriter, code int, said map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(said)
}
