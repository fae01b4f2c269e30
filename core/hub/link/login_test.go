package link_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/server"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/hub/link"
	"github.com/yaap-chat/yaap/core/hub/login"
	"github.com/yaap-chat/yaap/core/hub/login/logintest"
	"github.com/yaap-chat/yaap/core/must"
)

// signIn is a user who signs in at once.
func signIn(t *testing.T, k *login.TokenStore, s *logintest.Servers) {
	t.Helper()
	var came int
	err := k.Login(t.Context(), s.URL, core.OAuthClient{}, func(address, _ string) {
		go func() { _, _ = s.Browse(address) }()
		came++
	})
	if err != nil || came != 1 {
		t.Fatalf("%v (%s), shown %d times", err, core.HintOf(err), came)
	}
}

func TestAServerThatWantsTheUserToSignInWaitsForThatAndThenJoins(t *testing.T) {
	for name, handler := range map[string]http.Handler{
		"streamable": server.NewStreamableHTTPServer(herons(nil)),
		"sse":        server.NewSSEServer(herons(nil), server.WithSSEEndpoint(logintest.Path)),
		"only sse":   server.NewSSEServer(herons(nil), server.WithSSEEndpoint(logintest.Path)),
	} {
		t.Run(name, func(t *testing.T) {
			s := logintest.New(t, handler)
			logins := login.New(t.TempDir())
			r := openWith(t, &link.Opener{Version: "test", Logins: logins})
			defer r.stop()
			must.Do(t, r.Add(t.Context(), hub.Spec{Name: "herons", URL: s.URL, SSE: name == "only sse"}))
			if got := r.state("herons", core.ExpertSignedOut); got.Message != "it wants you to sign in: /experts login herons" {
				t.Errorf("it says %q", got.Message)
			}
			signIn(t, logins, s)
			must.Do(t, r.Restart("herons"))
			r.joined("herons")
			if got := r.call(t.Context(), "herons__fish", "trout"); got.Text != "herons eat trout" {
				t.Errorf("got %+v", got)
			}
			s.With(func(k *logintest.State) { k.Valid = nil }) // the token is no longer taken, before its time
			r.call(t.Context(), "herons__fish", "trout")
			r.left("herons")
			r.joined("herons")
			if got := r.call(t.Context(), "herons__fish", "frogs"); got.Text != "herons eat frogs" {
				t.Errorf("with a fresh token: %+v", got)
			}
			s.With(func(k *logintest.State) {
				if strings.Join(k.Asked, " ") != "authorization_code refresh_token" {
					t.Errorf("it was asked for %q", k.Asked)
				}
				k.Valid, k.Fresh = nil, nil // now the user has to come again
			})
			r.call(t.Context(), "herons__fish", "trout")
			r.state("herons", core.ExpertSignedOut)
		})
	}
}

func TestAKeyOfTheConfigurationCountsMoreThanALogin(t *testing.T) {
	s := logintest.New(t, server.NewStreamableHTTPServer(herons(nil)))
	logins := login.New(t.TempDir())
	signIn(t, logins, s)
	r := openWith(t, &link.Opener{Version: "test", Logins: logins})
	defer r.stop()
	must.Do(t, r.Add(t.Context(), hub.Spec{Name: "herons", URL: s.URL, Headers: map[string]string{"authorization": "Bearer of-mine"}}))
	if got := r.state("herons", core.ExpertRestarting); !strings.Contains(got.Message, "it does not take the Authorization header that it is given (401)") {
		t.Errorf("it says %q", got.Message)
	}
	s.With(func(k *logintest.State) {
		if slices.ContainsFunc(k.Bearers, func(token string) bool { return token != "of-mine" }) {
			t.Errorf("it was sent %q", k.Bearers)
		}
		k.Valid["of-mine"] = true
	})
	must.Do(t, r.Restart("herons"))
	r.joined("herons")
}
