// Package login signs the user in to MCP servers that run elsewhere, by OAuth 2.1 as
// MCP has it, and keeps the tokens: one file for each address, for the user alone. A
// token goes to the server that it is for, and to whoever gave it; to nobody else.
package login

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	patience  = 5 * time.Minute // with the user, in the browser
	maxWords  = 200             // characters of what a server says of a failure
	maxScopes = 64
	wordSize  = 16     // characters that nobody guesses
	ours      = "yaap" // how the program is registered
)

// TokenStore stores the tokens of one state directory. Its methods may be called from any
// goroutine, and by several programs at once.
type TokenStore struct {
	Patience time.Duration // with a user who is to sign in; 0: five minutes
	dir      string
}

// Login signs the user in to the server at address, as the program that as names. show gets the address that the
// user has to open in a browser, and a short one that leads there; it must not block.
// Login returns when the user has come back and the tokens are kept, when ctx ends, or
// when the user took too long.
func (k *TokenStore) Login(ctx context.Context, address string, as core.OAuthClient, show func(open, short string)) error {
	home, err := url.Parse(address)
	if err != nil || !permits(home, home) {
		return refused(safe.Line(address)+" is no place to sign in: what is sent there can be read on the way", "use its https address")
	}
	web := carefully(home, "")
	defer web.CloseIdleConnections()
	said, err := challenge(ctx, web, address)
	if err != nil {
		return failed(ctx, err)
	}
	if len(as.Scopes) > 0 {
		said.scopes = as.Scopes
	}
	said.scopes = append(slices.Clip(said.scopes), k.scopesToAsk(address, said.scopes)...)
	at, err := newCallbackServer(ctx, as.Redirect)
	if err != nil {
		return err
	}
	defer at.listener.Close() //nolint:errcheck // it is closed already where somebody was waited for
	tokens := transport.NewMemoryTokenStore()
	d, err := discover(ctx, home, transport.OAuthConfig{
		ClientID: as.ID, ClientSecret: as.Secret, RedirectURI: at.back.String(), Scopes: said.scopes, PKCEEnabled: true,
		HTTPClient: web, ProtectedResourceMetadataURL: said.metadata, TokenStore: tokens,
	})
	if err != nil && !said.asks {
		err = refused("it does not ask you to sign in", "type /experts restart to try it again")
	}
	if err != nil {
		return failed(ctx, err)
	}
	if as.ID == "" {
		if err := d.register(ctx); err != nil {
			return failed(ctx, err)
		}
	}
	state, err := transport.GenerateState()
	if err != nil {
		return err
	}
	verifier, err := transport.GenerateCodeVerifier()
	if err != nil {
		return err
	}
	word, err := transport.GenerateRandomString(wordSize)
	if err != nil {
		return err
	}
	open, err := d.open(ctx, state, transport.GenerateCodeChallenge(verifier))
	if err != nil {
		return failed(ctx, err)
	}
	at.state, at.issuer, at.word, at.open = state, d.metadata.Issuer, word, open
	code, err := k.comesBack(ctx, at, func() { show(open, "http://"+at.back.Host+"/"+word) })
	if err != nil {
		return err
	}
	if err := d.handler.ProcessAuthorizationResponse(ctx, code, state, verifier); err != nil {
		return failed(ctx, err)
	}
	token, err := tokens.GetToken(ctx)
	if err != nil {
		return failed(ctx, err)
	}
	return k.write(entry{
		Address: address, Base: d.base, Metadata: said.metadata, Endpoint: d.metadata.TokenEndpoint,
		ID: d.handler.GetClientID(), Secret: d.handler.GetClientSecret(), Method: d.handler.GetTokenEndpointAuthMethod(), Token: token,
	})
}

// comesBack blocks until the user has come back with a code.
func (k *TokenStore) comesBack(ctx context.Context, d *callbackServer, begin func()) (string, error) {
	most := cmp.Or(k.Patience, patience)
	waiting, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	code, err := d.wait(waiting, begin)
	switch {
	case ctx.Err() != nil:
		return "", core.Cancelled(ctx)
	case waiting.Err() != nil:
		return "", core.Fail(core.CodeTimedOut, "nobody has signed in within "+most.String(), "do it again with /experts login")
	case err != nil:
		return "", failed(ctx, err)
	}
	return code, nil
}

// challenged is what a server says to somebody whom it does not know.
type challenged struct {
	asks     bool   // it lets nobody in whom it does not know; else it may ask later
	more     bool   // it knows the user, and wants another scope
	metadata string // where it says who signs people in; empty: at the usual place
	scopes   []string
}

var parameter = regexp.MustCompile(`(?i)\b(resource_metadata|scope|error)="([^"]*)"`)

// challenge asks a server for what it wants to know. What it names of another place
// than its own does not count.
func challenge(ctx context.Context, web *http.Client, address string) (said challenged, err error) {
	for _, method := range []string{http.MethodPost, http.MethodGet} {
		request, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		if err != nil {
			return said, err
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		response, err := web.Do(request)
		if err != nil {
			return said, err
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusUnauthorized {
			continue
		}
		said = read(response.Header, request.URL)
		said.asks = true
		if len(said.scopes) == 0 && said.metadata != "" {
			said.scopes = supported(ctx, web, said.metadata)
		}
		return said, nil
	}
	return said, nil
}

// read reads what a server at that place wants of somebody.
func read(header http.Header, home *url.URL) (said challenged) {
	for _, m := range parameter.FindAllStringSubmatch(strings.Join(header.Values("WWW-Authenticate"), ", "), -1) {
		at, err := url.Parse(m[2])
		switch {
		case strings.EqualFold(m[1], "error"):
			said.more = m[2] == "insufficient_scope"
		case strings.EqualFold(m[1], "scope"):
			said.scopes = strings.Fields(m[2])
			said.scopes = said.scopes[:min(len(said.scopes), maxScopes)]
		case err == nil && said.metadata == "" && sameOrigin(at, home):
			said.metadata = m[2]
		}
	}
	return said
}

// supported are the scopes that the document at address says there are. The library
// reads the rest of it.
func supported(ctx context.Context, web *http.Client, address string) []string {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil
	}
	response, err := web.Do(request)
	if err != nil {
		return nil
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	var document struct {
		Scopes []string `json:"scopes_supported"`
	}
	if json.NewDecoder(response.Body).Decode(&document) != nil {
		return nil
	}
	return document.Scopes
}

// discovered is who signs people in at a server.
type discovered struct {
	handler  *transport.OAuthHandler
	metadata *transport.AuthServerMetadata
	home     *url.URL
	base     string // of the addresses that were looked at
}

// discover finds out who signs people in. Servers of before 2025 say so at the root
// of their host only.
func discover(ctx context.Context, home *url.URL, config transport.OAuthConfig) (discovered, error) {
	bases := []string{origin(home) + home.EscapedPath(), origin(home)}
	if config.ProtectedResourceMetadataURL != "" {
		bases = bases[:1]
	}
	var failed error
	for _, base := range bases {
		h := transport.NewOAuthHandler(config)
		h.SetBaseURL(base)
		metadata, err := h.GetServerMetadata(ctx)
		if err != nil {
			failed = err
			continue
		}
		if slices.Contains(metadata.CodeChallengeMethodsSupported, "S256") { // it says so itself, and can do PKCE
			return discovered{h, metadata, home, base}, check(home, metadata)
		}
	}
	if failed != nil {
		return discovered{}, failed
	}
	return discovered{}, refused("it does not say how to sign in as MCP has it (OAuth 2.1 with PKCE)", "if it wants a key, give it a header in the configuration, such as Authorization")
}

// check fails where somebody may not be trusted with a login, or does not offer what
// it takes.
func check(home *url.URL, metadata *transport.AuthServerMetadata) error {
	for _, address := range []string{metadata.AuthorizationEndpoint, metadata.TokenEndpoint} {
		if at, err := url.Parse(address); err != nil || !permits(home, at) {
			return refused("it leads to "+safe.Cut(address, maxWords)+", where nobody should sign in", "tell those who run the server")
		}
	}
	return nil
}

// register has the program registered with those who sign people in.
func (d discovered) register(ctx context.Context) error {
	if d.metadata.RegistrationEndpoint == "" {
		return refused("it signs in only programs that were registered there beforehand, and yaap was not", "register it there, and give the server oauth: {clientId: …} in the configuration; or get a key, and give it a header such as Authorization")
	}
	return d.handler.RegisterClient(ctx, ours)
}

// open is the address at which the user signs in.
func (d discovered) open(ctx context.Context, state, challenge string) (string, error) {
	text, err := d.handler.GetAuthorizationURL(ctx, state, challenge)
	if err != nil {
		return "", err
	}
	if endpoint := d.metadata.AuthorizationEndpoint; strings.Contains(endpoint, "?") { // the library adds another ?
		text = endpoint + "&" + strings.TrimPrefix(text, endpoint+"?")
	}
	at, err := url.Parse(text)
	if err != nil {
		return "", err
	}
	if at.Query().Get("resource") == "" { // no document of the server names who signs in: only its own host may
		if issuer, err := url.Parse(d.metadata.Issuer); err != nil || !sameOrigin(issuer, d.home) {
			return "", refused("it is signed in to at another place, "+safe.Cut(d.metadata.Issuer, maxWords)+", and does not say so itself", "tell those who run the server")
		}
	}
	return at.String(), nil
}

// failed says in the user's words why nobody was signed in.
func failed(ctx context.Context, err error) error {
	var known *core.Error
	var at *url.Error
	switch {
	case ctx.Err() != nil:
		return core.Cancelled(ctx)
	case errors.As(err, &known):
		return known
	case errors.As(err, &at):
		host := at.URL
		if where, err := url.Parse(at.URL); err == nil {
			host = where.Host
		}
		return core.Fail(core.CodeUnreachable, safe.Line(host)+" does not answer: "+safe.Cut(at.Err.Error(), maxWords), "try again in a moment")
	}
	return refused("it did not let you in: "+safe.Cut(err.Error(), maxWords), "try again; if it stays so, tell those who run the server")
}

func refused(message, hint string) *core.Error {
	return core.Fail(core.CodeRefused, message, hint)
}
