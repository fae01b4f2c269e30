package login_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub/login"
	"github.com/yaap-chat/yaap/core/hub/login/logintest"
	"github.com/yaap-chat/yaap/core/must"
)

// birds is what those get who are let in.
var birds = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "birds") })

// user is somebody who signs in at servers of their own.
type user struct {
	*login.TokenStore
	*logintest.Servers
	t     *testing.T
	state string // the directory
	as    core.OAuthClient
}

func newUser(t *testing.T) *user {
	state := t.TempDir()
	return &user{TokenStore: login.New(state), Servers: logintest.New(t, birds), t: t, state: state}
}

// signIn signs in with what the user does at the address that is shown; nil: says yes
// there.
func (u *user) signIn(do func(address string)) error {
	if do == nil {
		do = func(address string) { _, _ = u.Browse(address) }
	}
	ctx, giveUp := context.WithCancel(u.t.Context())
	defer giveUp()
	var at sync.WaitGroup
	defer at.Wait()
	return u.Login(ctx, u.URL, u.as, func(address, _ string) {
		at.Go(func() {
			if do(address); u.t.Failed() {
				giveUp()
			}
		})
	})
}

func (u *user) signedIn() {
	u.t.Helper()
	if err := u.signIn(nil); err != nil {
		u.t.Fatalf("%v (%s)", err, core.HintOf(err))
	}
}

// get asks for what is at an address, by the way to the server.
func (u *user) get(address string) (string, error) {
	u.t.Helper()
	carry := must.Get(u.Sign(u.URL, http.DefaultTransport))(u.t)
	return get(u.t, carry, address)
}

func get(t *testing.T, carry http.RoundTripper, address string) (string, error) {
	t.Helper()
	request := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil))(t)
	response, err := (&http.Client{Transport: carry}).Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(response.Body)
	return response.Status + " " + string(text), err
}

func (u *user) gets(want string) {
	u.t.Helper()
	if got, err := u.get(u.URL); err != nil || got != want {
		u.t.Errorf("got %q, %v", got, err)
	}
}

// asked are the kinds of grant that the authorization server was asked for.
func (u *user) asked() (kinds string) {
	u.With(func(s *logintest.State) { kinds = strings.Join(s.Asked, " ") })
	return kinds
}

// files are those of the logins that are kept.
func (u *user) files() []string {
	u.t.Helper()
	files := must.Get(filepath.Glob(filepath.Join(u.state, "logins", "*")))(u.t)
	return files
}

func TestALoginIsKeptForTheUserAloneUntilItIsForgotten(t *testing.T) {
	u := newUser(t)
	u.gets("401 Unauthorized ")
	u.signedIn()
	u.gets("200 OK birds")
	u.With(func(s *logintest.State) {
		if s.Scope != "birds fish" {
			t.Errorf("it asked for the scope %q, not for that of the 401", s.Scope)
		}
	})
	files := u.files()
	if len(files) != 1 {
		t.Fatalf("it keeps %q", files)
	}
	for path, mode := range map[string]fs.FileMode{files[0]: 0o600, filepath.Dir(files[0]): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	u.TokenStore = login.New(u.state) // of another program
	u.gets("200 OK birds")
	if forgotten, err := u.Forget(u.URL); !forgotten || err != nil {
		t.Errorf("%v, %v", forgotten, err)
	}
	if forgotten, err := u.Forget(u.URL); forgotten || err != nil || len(u.files()) > 0 {
		t.Errorf("%v, %v, %q", forgotten, err, u.files())
	}
	u.gets("401 Unauthorized ")
}

func TestServersThatSayLessAreSignedInTo(t *testing.T) {
	for name, edit := range map[string]func(*logintest.State){
		"the document is at its usual place": func(s *logintest.State) { s.Mute = true },
		"the document names the scopes": func(s *logintest.State) {
			s.Scopes, s.Resource = "", map[string]any{"scopes_supported": []string{"eggs"}}
		},
		"the server of before 2025 signs in itself": func(s *logintest.State) { s.Bare = true },
		"the server asks only later":                func(s *logintest.State) { s.Late = true },
		"the answer says whose it is":               func(s *logintest.State) { s.Says = "ISSUER" },
	} {
		t.Run(name, func(t *testing.T) {
			u := newUser(t)
			u.With(func(s *logintest.State) {
				edit(s)
				s.Says = strings.ReplaceAll(s.Says, "ISSUER", u.Issuer)
			})
			u.signedIn()
			u.gets("200 OK birds")
			u.Expire(u.URL)
			u.gets("200 OK birds")
			if got := u.asked(); got != "authorization_code refresh_token" {
				t.Errorf("it asked for %s", got)
			}
			u.With(func(s *logintest.State) {
				if want := map[bool]string{true: "eggs"}[s.Resource != nil]; s.Resource != nil && s.Scope != want {
					t.Errorf("it asked for the scope %q", s.Scope)
				}
			})
		})
	}
}

func TestATokenIsRenewedOnceForAllWhenItsTimeIsOver(t *testing.T) {
	u := newUser(t)
	u.With(func(s *logintest.State) { s.Lives = 3600 })
	u.signedIn()
	if !u.Expire(u.URL) || u.Expire(u.URL) {
		t.Error("a token can expire once")
	}
	carry := must.Get(u.Sign(u.URL, http.DefaultTransport))(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got, err := get(t, carry, u.URL); err != nil || got != "200 OK birds" {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	all.Wait()
	u.gets("200 OK birds")
	if got := u.asked(); got != "authorization_code refresh_token" {
		t.Errorf("it asked for %s", got)
	}
	u.With(func(s *logintest.State) {
		for _, token := range s.Bearers {
			if token != "at-2" {
				t.Errorf("it sent %s, which is over", token)
			}
		}
	})
}

func TestWhatCannotBeRenewedNowIsRenewedLater(t *testing.T) {
	u := newUser(t)
	u.signedIn()
	u.Expire(u.URL)
	for _, code := range []int{http.StatusServiceUnavailable, http.StatusTooManyRequests} {
		u.With(func(s *logintest.State) { s.Busy = code })
		if _, err := u.get(u.URL); err == nil || errors.Is(err, transport.ErrOAuthAuthorizationRequired) || !strings.Contains(err.Error(), strconv.Itoa(code)) {
			t.Errorf("while nobody renews it: %v", err)
		}
	}
	u.With(func(s *logintest.State) { s.Busy = 0 })
	u.gets("200 OK birds")

	u.Expire(u.URL)
	u.With(func(s *logintest.State) { s.Fresh = nil })
	if _, err := u.get(u.URL); !errors.Is(err, transport.ErrOAuthAuthorizationRequired) {
		t.Errorf("when the user has to come again: %v", err)
	}
}

func TestAServerThatWantsToBeAllowedMoreGetsItAtTheNextLogin(t *testing.T) {
	u := newUser(t)
	u.signedIn()
	u.With(func(s *logintest.State) { s.More = "nests" })
	for range 2 {
		u.gets("403 Forbidden it wants to be allowed more; /experts login asks you for that")
	}
	u.signedIn()
	u.gets("200 OK birds")
	u.With(func(s *logintest.State) {
		if s.Scope != "birds fish nests" {
			t.Errorf("it asked for the scope %q", s.Scope)
		}
	})
}

// other is a server that is nobody's business; it counts who comes.
func other(t *testing.T) (address string, visits func() []string) {
	t.Helper()
	var mu sync.Mutex
	var came []string
	web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		came = append(came, r.Method+" "+r.Header.Get("Authorization")+" "+string(body))
	}))
	t.Cleanup(web.Close)
	return web.URL, func() []string { mu.Lock(); defer mu.Unlock(); return came }
}

func TestATokenGoesToNoOtherHost(t *testing.T) {
	u := newUser(t)
	u.signedIn()
	elsewhere, visits := other(t)
	if _, err := u.get(elsewhere + logintest.Path); err == nil || !strings.Contains(err.Error(), "it leads to another address") {
		t.Errorf("by its address: %v", err)
	}
	carry := must.Get(u.Sign(u.URL, redirecting{elsewhere}))(t)
	if _, err := get(t, carry, u.URL); err == nil || !strings.Contains(err.Error(), "it leads to another address") {
		t.Errorf("by a redirect: %v", err)
	}
	if carry, err := u.Sign(elsewhere, http.DefaultTransport); err != nil || carry != http.DefaultTransport {
		t.Errorf("a stranger is signed in to: %v, %v", carry, err)
	}
	if got := visits(); got != nil {
		t.Errorf("it was told %q", got)
	}
}

// redirecting is a server that leads elsewhere.
type redirecting struct{ to string }

func (r redirecting) RoundTrip(request *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusTemporaryRedirect, Header: http.Header{"Location": {r.to}}, Body: http.NoBody, Request: request,
	}, nil
}

func TestATokenIsRenewedByWhoGaveItOnly(t *testing.T) {
	u := newUser(t)
	u.signedIn()
	u.Expire(u.URL)
	elsewhere, visits := other(t)
	u.With(func(s *logintest.State) { s.Metadata = map[string]any{"token_endpoint": elsewhere + "/token"} })
	if _, err := u.get(u.URL); !errors.Is(err, transport.ErrOAuthAuthorizationRequired) {
		t.Errorf("got %v", err)
	}
	if got := visits(); got != nil {
		t.Errorf("it was told %q", got)
	}
}

func TestALoginThatIsLedAstrayEndsBeforeTheUserSeesAnything(t *testing.T) {
	for name, c := range map[string]struct {
		resource, metadata map[string]any
		says               string
	}{
		"by a host in the name of another":     {nil, map[string]any{"issuer": "https://bank.example", "bare": true}, "it is signed in to at another place, https://bank.example"},
		"by a document of another server":      {map[string]any{"resource": "https://bank.example/mcp"}, nil, "does not match"},
		"to who has another name":              {nil, map[string]any{"issuer": "https://bank.example"}, "declares issuer"},
		"to where anybody can listen":          {nil, map[string]any{"authorization_endpoint": "http://bank.example/authorize"}, "it leads to http://bank.example/authorize, where nobody should sign in"},
		"with a token to where all can listen": {nil, map[string]any{"token_endpoint": "http://bank.example/token"}, "it leads to http://bank.example/token, where nobody should sign in"},
		"to register where all can listen":     {nil, map[string]any{"registration_endpoint": "http://bank.example/register"}, "it leads to bank.example, where nobody should sign in"},
		"with a name before the host":          {nil, map[string]any{"authorization_endpoint": "https://bank.example@evil.example/"}, "where nobody should sign in"},
		"to what is no address":                {nil, map[string]any{"authorization_endpoint": "javascript:alert(1)"}, "it does not say how to sign in"},
		"to who does not know PKCE":            {nil, map[string]any{"code_challenge_methods_supported": []string{"plain"}}, "it does not say how to sign in"},
		"to who knows only programs of old":    {nil, map[string]any{"registration_endpoint": ""}, "it signs in only programs that were registered there beforehand"},
		"by a document without end":            {map[string]any{"a": strings.Repeat("a", 2<<20)}, nil, "unexpected EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			u := newUser(t)
			u.With(func(s *logintest.State) {
				s.Resource, s.Metadata, s.Bare = c.resource, c.metadata, c.metadata["bare"] != nil
			})
			err := u.signIn(func(address string) { t.Errorf("it shows %s", address) })
			if err == nil || !strings.Contains(err.Error(), c.says) || core.HintOf(err) == "" || len(err.Error()) > 400 {
				t.Errorf("it says %v (%s)", err, core.HintOf(err))
			}
			if got := u.files(); got != nil {
				t.Errorf("it keeps %q", got)
			}
		})
	}
}

func TestADocumentIsNotReadWhereItIsSaidToBeInstead(t *testing.T) {
	u := newUser(t)
	elsewhere, visits := other(t)
	u.With(func(s *logintest.State) { s.Leads = elsewhere })
	err := u.signIn(func(address string) { t.Errorf("it shows %s", address) })
	if err == nil || !strings.Contains(err.Error(), "it leads to another address") || visits() != nil {
		t.Errorf("it says %v, and asked for %q", err, visits())
	}
}

func TestAServerThatAnybodyCanListenToIsNotSignedInTo(t *testing.T) {
	for _, address := range []string{"http://birds.example/mcp", "ftp://127.0.0.1/mcp", "https://me@birds.example/mcp", "https:///mcp"} {
		if err := login.New(t.TempDir()).Login(t.Context(), address, core.OAuthClient{}, nil); core.CodeOf(err) != core.CodeRefused || !strings.Contains(err.Error(), "is no place to sign in") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestAServerThatWantsNobodyToSignInSaysSo(t *testing.T) {
	web := httptest.NewServer(birds)
	defer web.Close()
	if err := login.New(t.TempDir()).Login(t.Context(), web.URL, core.OAuthClient{}, nil); err == nil || err.Error() != "it does not ask you to sign in" {
		t.Errorf("got %v", err)
	}
	web.Close()
	if err := login.New(t.TempDir()).Login(t.Context(), web.URL, core.OAuthClient{}, nil); core.CodeOf(err) != core.CodeUnreachable || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("got %v", err)
	}
}

// registered is a user who has registered yaap with who signs in, which takes no one
// else.
func registered(t *testing.T) *user {
	u := newUser(t)
	u.as = core.OAuthClient{ID: "yaap-of-ada", Secret: "s3cret", Scopes: []string{"fish"}, Redirect: "http://localhost:" + freePort(t) + "/back"}
	u.With(func(s *logintest.State) {
		s.Metadata = map[string]any{"registration_endpoint": ""}
		s.Redirects[u.as.ID], s.Secrets = u.as.Redirect, map[string]string{u.as.ID: u.as.Secret}
	})
	return u
}

func freePort(t *testing.T) string {
	t.Helper()
	l := must.Get(new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	defer l.Close() //nolint:errcheck // of a test
	_, port, err := net.SplitHostPort(l.Addr().String())
	must.Do(t, err)
	return port
}

func TestAProgramThatTheUserHasRegisteredSignsInAsThat(t *testing.T) {
	for _, methods := range [][]string{nil, {"client_secret_basic"}} {
		u := registered(t)
		if methods != nil {
			u.With(func(s *logintest.State) { s.Metadata["token_endpoint_auth_methods_supported"] = methods })
		}
		u.signedIn()
		if !u.Expire(u.URL) {
			t.Error("its token cannot be renewed")
		}
		u.gets("200 OK birds")
		if got := u.asked(); got != "authorization_code refresh_token" {
			t.Errorf("%v: it asked for %q", methods, got)
		}
		u.With(func(s *logintest.State) {
			if s.Scope != "fish" {
				t.Errorf("it asked for the scope %q, not for that of the user", s.Scope)
			}
		})
	}
}

func TestARegisteredProgramThatIsNotTakenIsToldWhyWithoutItsSecret(t *testing.T) {
	u := registered(t)
	u.as.Secret = "0ther"
	if err := u.signIn(nil); core.CodeOf(err) != core.CodeRefused || !strings.Contains(err.Error(), "invalid_client") || strings.Contains(err.Error(), u.as.Secret) {
		t.Errorf("got %v", err)
	}
}

func TestABrowserComesBackToThisMachineOnlyAndToAPortThatIsFree(t *testing.T) {
	u := registered(t)
	for redirect, want := range map[string]string{
		"https://evil.example/back": "no address of this machine", "http://evil.example:80/back": "no address of this machine", "http://localhost/back": "no address of this machine",
		strings.TrimSuffix(u.URL, logintest.Path) + "/back": "another program listens at 127.0.0.1",
	} {
		u.as.Redirect = redirect
		if err := u.signIn(func(string) { t.Error("something was shown") }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", redirect, err)
		}
	}
}

func TestAShortAddressLeadsToTheLongOne(t *testing.T) {
	u := newUser(t)
	var at sync.WaitGroup
	defer at.Wait()
	err := u.Login(t.Context(), u.URL, core.OAuthClient{}, func(_, short string) {
		at.Go(func() {
			if code, err := u.Browse(short + "x"); code != http.StatusNotFound || err != nil {
				t.Errorf("a wrong one: %d, %v", code, err)
			}
			if code, err := u.Browse(short); code != http.StatusOK || err != nil {
				t.Errorf("got %d, %v", code, err)
			}
		})
	})
	must.Do(t, err)
	u.gets("200 OK birds")
}

func TestOnlyTheAnswerThatIsWaitedForIsTakenAndOnlyOnce(t *testing.T) {
	u := newUser(t)
	err := u.signIn(func(address string) {
		at, err := url.Parse(address)
		if err != nil {
			t.Error(err)
			return
		}
		back, state := at.Query().Get("redirect_uri"), at.Query().Get("state")
		for _, c := range []struct {
			method, address, host string
			want                  int
		}{
			{http.MethodGet, back + "?code=evil&state=wrong", "", http.StatusBadRequest},
			{http.MethodGet, back + "?code=evil", "", http.StatusBadRequest},
			{http.MethodGet, back + "/more?code=evil&state=" + state, "", http.StatusNotFound},
			{http.MethodGet, back + "?code=evil&state=" + state, "evil.example", http.StatusNotFound},
			{http.MethodPost, back + "?code=evil&state=" + state, "", http.StatusNotFound},
		} {
			request, err := http.NewRequestWithContext(t.Context(), c.method, c.address, nil)
			if err != nil {
				t.Error(err)
				continue
			}
			request.Host = c.host
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Error(err)
				continue
			}
			_ = response.Body.Close()
			if response.StatusCode != c.want {
				t.Errorf("%s %s at %q: %s", c.method, c.address, c.host, response.Status)
			}
		}
		if code, err := u.Browse(address); code != http.StatusOK || err != nil {
			t.Errorf("the right one: %d, %v", code, err)
		}
		if code, err := u.Browse(back + "?code=evil&state=" + state); err == nil && code != http.StatusGone {
			t.Errorf("another one: %d", code)
		}
	})
	must.Do(t, err)
	u.gets("200 OK birds")
}

func TestAnAnswerThatIsNoSignInEndsTheLogin(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*logintest.State)
		says string
	}{
		"the user says no":             {func(s *logintest.State) { s.Deny = true }, "it did not let you in: access_denied"},
		"it is of somebody else":       {func(s *logintest.State) { s.Says = "https://bank.example" }, "it did not let you in: the answer is of somebody else"},
		"the code was stolen":          {func(s *logintest.State) { s.Thief = true }, "invalid_grant"},
		"it is no token that MCP has":  {func(s *logintest.State) { s.Kind = "mac" }, `it gave a token of the kind "mac"`},
		"a token adds a header":        {func(s *logintest.State) { s.Suffix = "\r\nX-Evil: 1" }, "it gave a token that no request can have"},
		"whoever gives tokens is gone": {func(s *logintest.State) { s.Away = true }, "503"},
	} {
		t.Run(name, func(t *testing.T) {
			u := newUser(t)
			u.With(c.edit)
			err := u.signIn(nil)
			if err == nil || !strings.Contains(err.Error(), c.says) || core.HintOf(err) == "" {
				t.Errorf("it says %v (%s)", err, core.HintOf(err))
			}
			if got := u.files(); got != nil {
				t.Errorf("it keeps %q", got)
			}
		})
	}
}

func TestALoginThatNobodyFinishesEnds(t *testing.T) {
	u := newUser(t)
	u.Patience = time.Nanosecond
	var shown string
	err := u.Login(t.Context(), u.URL, core.OAuthClient{}, func(address, _ string) { shown = address })
	if core.CodeOf(err) != core.CodeTimedOut || core.HintOf(err) != "do it again with /experts login" {
		t.Errorf("it says %v (%s)", err, core.HintOf(err))
	}
	at := must.Get(url.Parse(shown))(t)
	if _, err := u.Browse(at.Query().Get("redirect_uri")); err == nil {
		t.Error("it still listens")
	}

	u.Patience = 0
	ctx, giveUp := context.WithCancel(t.Context())
	if err := u.Login(ctx, u.URL, core.OAuthClient{}, func(string, string) { giveUp() }); core.CodeOf(err) != core.CodeCancelled {
		t.Errorf("given up, it says %v", err)
	}
	if got := u.files(); got != nil {
		t.Errorf("it keeps %q", got)
	}
}

func TestAFileOfALoginThatCannotBeUsedIsNamed(t *testing.T) {
	u := newUser(t)
	u.signedIn()
	raw := must.Get(os.ReadFile(u.files()[0]))(t)
	for _, text := range [][]byte{[]byte("}{"), bytes.ReplaceAll(raw, []byte(u.URL), []byte("http://127.0.0.1/mcp")), []byte(`{"address": "` + u.URL + `"}`)} {
		must.Do(t, os.WriteFile(u.files()[0], text, 0o600))
		if _, err := u.Sign(u.URL, http.DefaultTransport); core.CodeOf(err) != core.CodeInvalid || !strings.Contains(err.Error(), u.files()[0]) ||
			core.HintOf(err) != "remove the file, and sign in again" || strings.Contains(err.Error(), "at-1") {
			t.Errorf("it says %v (%s)", err, core.HintOf(err))
		}
	}
}
