package login

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

// callbackServer is where the user sets out in the browser and comes back to: a server
// on the loopback that takes one answer.
type callbackServer struct {
	listener net.Listener
	back     *url.URL // where the browser comes to
	state    string   // that the answer has to name
	issuer   string   // who gives it
	word     string   // at which whoever knows it is led on
	open     string   // to there
	taken    atomic.Bool
	answers  chan answer
}

// newCallbackServer listens where redirect says, an address of this machine, or at a port that is
// free.
func newCallbackServer(ctx context.Context, redirect string) (*callbackServer, error) {
	back, err := url.Parse(cmp.Or(redirect, "http://127.0.0.1:0/callback"))
	if err != nil || back.Scheme != "http" || !isLoopback(back) || back.Port() == "" {
		return nil, refused(safe.Line(redirect)+" is no address of this machine to come back to", "write it as http://localhost:PORT/callback")
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:"+back.Port())
	if err != nil {
		return nil, core.Fail(core.CodeConflict, "another program listens at "+back.Host+", where the browser is to come back",
			"close that program, or register another port").Because(err)
	}
	if redirect == "" {
		back.Host = listener.Addr().String()
	}
	return &callbackServer{listener: listener, back: back}, nil
}

type answer struct {
	code string
	err  error
}

// wait serves, calls begin, and blocks until the answer came or ctx ends.
func (d *callbackServer) wait(ctx context.Context, begin func()) (string, error) {
	d.answers = make(chan answer, 1)
	server := &http.Server{Handler: d, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Second, MaxHeaderBytes: 32 << 10, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	served := make(chan struct{})
	go func() { defer close(served); _ = server.Serve(d.listener) }()
	defer func() { // the page is still on its way
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = server.Shutdown(closing)
		_ = server.Close()
		<-served
	}()
	begin()
	select {
	case a := <-d.answers:
		return a.code, a.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// ServeHTTP implements [http.Handler].
func (d *callbackServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Connection", "close")
	switch {
	case r.Method != http.MethodGet || r.Host != d.back.Host:
		w.WriteHeader(http.StatusNotFound)
	case r.URL.Path == "/"+d.word:
		http.Redirect(w, r, d.open, http.StatusFound)
	case r.URL.Path != d.back.Path:
		w.WriteHeader(http.StatusNotFound)
	case subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(d.state)) != 1:
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintln(w, "This is not the answer that yaap waits for.")
	case !d.taken.CompareAndSwap(false, true):
		w.WriteHeader(http.StatusGone)
		_, _ = fmt.Fprintln(w, "yaap has its answer already.")
	default:
		a := answer{code: query.Get("code")}
		iss, said := query.Get("iss"), query.Get("error")
		switch {
		case said != "":
			a.err = errors.New(safe.Cut(cmp.Or(query.Get("error_description"), said), maxWords))
		case iss != "" && strings.TrimSuffix(iss, "/") != strings.TrimSuffix(d.issuer, "/"):
			a.err = errors.New("the answer is of somebody else")
		case a.code == "":
			a.err = errors.New("the answer has no code")
		}
		page := "You can close this page: yaap goes on.\n"
		if a.err != nil {
			page = "You are not signed in: yaap says why.\n"
		}
		_, _ = io.WriteString(w, page)
		d.answers <- a
	}
}
