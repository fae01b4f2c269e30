package login

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/yaap-chat/yaap/core/must"
)

func TestTheDeskTakesOneAnswer(t *testing.T) {
	d := must.Get(newCallbackServer(t.Context(), ""))(t)
	defer d.listener.Close() //nolint:errcheck // of a test
	d.state, d.answers = "s", make(chan answer, 2)
	for _, want := range []int{http.StatusOK, http.StatusGone} {
		w := httptest.NewRecorder()
		d.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, d.back.String()+"?code=c&state=s", nil))
		if w.Code != want {
			t.Errorf("got %d, want %d", w.Code, want)
		}
	}
	if len(d.answers) != 1 {
		t.Errorf("%d answers were taken", len(d.answers))
	}
}

func TestALoginGoesOnOnlyWhereNobodyElseCanListenOrIsMeant(t *testing.T) {
	for _, c := range []struct {
		home, at string
		want     bool
	}{
		{"https://birds.example", "https://login.example/token", true},
		{"https://birds.example", "http://login.example/token", false},
		{"https://birds.example", "https://127.0.0.1:8080/token", false}, // a server of the network does not lead in here
		{"https://birds.example", "http://localhost/token", false},
		{"https://birds.example", "https://[::1]/token", false},
		{"https://birds.example", "https://0.0.0.0/token", false},
		{"https://birds.example", "https://LOCALHOST/token", false},
		{"https://birds.example", "https://a:b@login.example/token", false},
		{"https://birds.example", "ftp://login.example/token", false},
		{"https://birds.example", "https:///token", false},
		{"http://127.0.0.1:1/mcp", "http://127.0.0.1:2/token", true},
		{"http://localhost:1/mcp", "http://[::1]:2/token", true},
		{"http://127.0.0.1:1/mcp", "https://login.example/token", true},
		{"http://127.0.0.1:1/mcp", "http://login.example/token", false},
		{"http://127.0.0.1:1/mcp", "ftp://127.0.0.1/token", false},
	} {
		home, at := parsed(t, c.home), parsed(t, c.at)
		if got := permits(home, at); got != c.want {
			t.Errorf("from %s to %s: %v", c.home, c.at, got)
		}
	}
}

func parsed(t *testing.T, address string) *url.URL {
	t.Helper()
	at := must.Get(url.Parse(address))(t)
	return at
}
