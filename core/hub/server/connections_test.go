package server_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core/hub/server"
	"github.com/yaap-chat/yaap/core/must"
)

// firstLeaves is when the server gives up on a connection that says nothing.
const firstLeaves = 5 * time.Second

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

// isOpen reports whether the other end has not closed the connection.
func isOpen(t *testing.T, conn net.Conn) bool {
	t.Helper()
	must.Do(t, conn.SetReadDeadline(time.Now().Add(time.Millisecond)))
	_, err := conn.Read(make([]byte, 1))
	return errors.Is(err, os.ErrDeadlineExceeded)
}

func TestIdleStrangersDoNotKeepTheHolderOfTheTokenOut(t *testing.T) {
	r := open(t)
	a := r.address()
	early := &http.Client{Transport: new(http.Transport)}
	knock(t, early, a)
	start := time.Now()
	idle := make([]net.Conn, 2000)
	for i := range idle {
		conn := must.Get(new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(a.URL, "http://")))(t)
		defer conn.Close() //nolint:errcheck // nothing is said over it
		idle[i] = conn
	}
	late := server.Client(a)
	knock(t, late, a)
	if took := time.Since(start); took > firstLeaves {
		t.Errorf("it got in after %s: the strangers had to leave first", took)
	}
	last := idle[len(idle)-1]
	if !isOpen(t, last) {
		t.Error("the last stranger was gone: it is not known whether it mattered")
	}
	if isOpen(t, idle[0]) {
		t.Error("the first stranger is still there")
	}
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
