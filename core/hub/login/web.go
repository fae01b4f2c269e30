package login

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
)

const (
	maxAnswer  = 1 << 20 // bytes
	answerTime = 30 * time.Second
	maxLeads   = 5
)

// Sign returns a way to the server at address whose requests carry the user's token,
// or next where the user has not signed in to it.
func (k *TokenStore) Sign(address string, next http.RoundTripper) (http.RoundTripper, error) {
	e, err := k.read(address)
	if errors.Is(err, fs.ErrNotExist) {
		return next, nil
	}
	if err != nil {
		return nil, err
	}
	home, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	s := &signed{next: next, keeper: k, address: address, home: home, web: carefully(home, e.Endpoint)}
	s.handler = transport.NewOAuthHandler(transport.OAuthConfig{
		ClientID: e.ID, ClientSecret: e.Secret, TokenEndpointAuthMethod: e.Method, PKCEEnabled: true,
		ProtectedResourceMetadataURL: e.Metadata, TokenStore: kept{k, address}, HTTPClient: s.web,
	})
	s.handler.SetBaseURL(e.Base)
	return s, nil
}

// signed sends requests to one server, each with the user's token, which it has
// renewed when its time is over.
type signed struct {
	next    http.RoundTripper
	keeper  *TokenStore
	address string
	home    *url.URL
	handler *transport.OAuthHandler
	web     *http.Client
}

// RoundTrip implements [http.RoundTripper].
func (s *signed) RoundTrip(request *http.Request) (*http.Response, error) {
	if !sameOrigin(request.URL, s.home) {
		return nil, fmt.Errorf("it leads to another address, %s", request.URL.Host)
	}
	header, err := s.handler.GetAuthorizationHeader(request.Context())
	if lost := s.web.Transport.(*careful).lost.Load(); err != nil && lost != nil { //nolint:forcetypeassert // of carefully
		return nil, *lost
	}
	if err != nil {
		return nil, err
	}
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", header)
	response, err := s.next.RoundTrip(request)
	if err != nil || response.StatusCode != http.StatusForbidden {
		return response, err
	}
	if said := read(response.Header, s.home); said.more && s.keeper.keepMissingScopes(s.address, said.scopes) == nil {
		_ = response.Body.Close()
		response.Body = io.NopCloser(strings.NewReader("it wants to be allowed more; /experts login asks you for that"))
	}
	return response, nil
}

// careful sends the requests of a login. They go to places only where they can be
// trusted to arrive, and their answers are bounded.
type careful struct {
	home     *url.URL              // of the server that is signed in to
	endpoint string                // who alone is told anything; empty: whoever the server names
	lost     atomic.Pointer[error] // why the last request had no answer
}

func carefully(home *url.URL, endpoint string) *http.Client {
	return &http.Client{Timeout: answerTime, Transport: &careful{home: home, endpoint: endpoint}, CheckRedirect: sameHost}
}

// RoundTrip implements [http.RoundTripper].
func (c *careful) RoundTrip(request *http.Request) (*http.Response, error) {
	if !permits(c.home, request.URL) || c.endpoint != "" && request.Method != http.MethodGet && request.URL.String() != c.endpoint {
		return nil, refused("it leads to "+request.URL.Host+", where nobody should sign in", "tell those who run the server; /experts login signs in anew")
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err == nil && (response.StatusCode >= http.StatusInternalServerError || response.StatusCode == http.StatusTooManyRequests) {
		busy := fmt.Errorf("%s has a fault: %s", request.URL.Host, response.Status)
		c.lost.Store(&busy)
	} else if c.lost.Store(nil); err != nil {
		c.lost.Store(&err)
	}
	if err == nil {
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(response.Body, maxAnswer), response.Body}
	}
	return response, err
}

// CloseIdleConnections is called by [http.Client].
func (c *careful) CloseIdleConnections() {
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
} //nolint:forcetypeassert // of the standard library

func sameHost(request *http.Request, via []*http.Request) error {
	if len(via) > maxLeads || !sameOrigin(request.URL, via[0].URL) {
		return fmt.Errorf("it leads to another address, %s", request.URL.Host)
	}
	return nil
}

// permits reports whether a login at home may go on at that place: nobody can listen
// on the way, and a server of the network does not lead to what listens here only.
func permits(home, at *url.URL) bool {
	if at.Host == "" || at.User != nil {
		return false
	}
	if isLoopback(at) {
		return isLoopback(home) && (at.Scheme == "https" || at.Scheme == "http")
	}
	return at.Scheme == "https"
}

func isLoopback(at *url.URL) bool {
	ip := net.ParseIP(at.Hostname())
	return ip != nil && (ip.IsLoopback() || ip.IsUnspecified()) || strings.EqualFold(at.Hostname(), "localhost")
}

func origin(at *url.URL) string { return at.Scheme + "://" + at.Host }

func sameOrigin(a, b *url.URL) bool {
	return strings.EqualFold(a.Scheme, b.Scheme) && strings.EqualFold(a.Host, b.Host)
}
