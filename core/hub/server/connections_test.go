package server_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/hub/server"
	"github.com/yaap-chat/yaap/core/must"
)

// knock sends a request with the token and reports whether it went over a
// connection that was there already.
func knock(t *testing.T, client *http.Client, a server.Address) (reused bool) {
	t.Helper()
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused = i.Reused }})
	request := must.Get(http.NewRequestWithContext(ctx, http.MethodPost, a.URL+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)))(t)
	request.Header.Set("Authorization", "Bearer "+a.Token)
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	must.Do(t, err)
	_, _ = io.Copy(io.Discard, response.Body)
	if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("got %s, %v", response.Status, err)
	}
	return reused
}

func TestIdleStrangersDoNotKeepTheHolderOfTheTokenOut(t *testing.T) {
	r := open(t)
	a := r.address()
	early := &http.Client{Transport: new(http.Transport)}
	knock(t, early, a)
	for range 2000 {
		conn := must.Get(new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(a.URL, "http://")))(t)
		defer conn.Close() //nolint:errcheck // nothing is said over it
	}
	late := server.Client(a)
	knock(t, late, a)
	if !knock(t, early, a) {
		t.Error("the connection of somebody who had shown the token was closed")
	}
	if !knock(t, late, a) {
		t.Error("the connection of somebody who has shown the token was closed")
	}
	early.CloseIdleConnections()
	late.CloseIdleConnections()
}

func TestWhoHasNoTokenHasToConnectAgain(t *testing.T) {
	r := open(t)
	a := r.address()
	response, err := http.Post(a.URL+"/mcp", "application/json", strings.NewReader("{}")) //nolint:noctx // it is answered at once
	must.Do(t, err)
	if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusUnauthorized || !response.Close {
		t.Errorf("got %s, close %v, %v", response.Status, response.Close, err)
	}
}
