package server

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
)

const (
	proofPath = "/proof"
	proofTime = 5 * time.Second
	nonceSize = 16  // bytes
	maxNonce  = 128 // characters
)

// proof is what only the room at host can say of nonce: it holds the token. The
// host is part of it, so that nobody can pass on what the room says elsewhere.
func proof(token, host, nonce string) string {
	mac := hmac.New(sha256.New, []byte(token))
	_, _ = io.WriteString(mac, "yaap room "+host+" "+nonce) // it never fails
	return hex.EncodeToString(mac.Sum(nil))
}

// serveProof answers GET /proof?nonce=X, which needs no token.
func serveProof(w http.ResponseWriter, r *http.Request, a Address) {
	nonce := r.URL.Query().Get("nonce")
	if r.Method != http.MethodGet || nonce == "" || len(nonce) > maxNonce {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	_, _ = io.WriteString(w, proof(a.Token, strings.TrimPrefix(a.URL, "http://"), nonce)) // who asked may be gone
}

// Client returns a client for the room at a. Before anything else is said over a
// connection, the room has to prove that it is the one that announced itself:
// whoever listens there after it has gone is not shown the token.
func Client(a Address) *http.Client {
	host := strings.TrimPrefix(a.URL, "http://")
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, host)
			if err != nil {
				return nil, err
			}
			if err := checkProof(conn, a.Token, host); err != nil {
				_ = conn.Close() // the first error says more
				return nil, core.Fail(core.CodeUnreachable, "what listens at "+host+" is not the room", "open the room again").Because(err)
			}
			return conn, nil
		},
	}}
}

func checkProof(conn net.Conn, token, host string) error {
	if err := conn.SetDeadline(time.Now().Add(proofTime)); err != nil {
		return err
	}
	nonce := Secret(nonceSize)
	if _, err := fmt.Fprintf(conn, "GET %s?nonce=%s HTTP/1.1\r\nHost: %s\r\n\r\n", proofPath, nonce, host); err != nil {
		return err
	}
	response, err := http.ReadResponse(bufio.NewReader(io.LimitReader(conn, maxAddress)), nil)
	if err != nil {
		return err
	}
	defer response.Body.Close() //nolint:errcheck // it is only read
	said, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if !hmac.Equal(said, []byte(proof(token, host, nonce))) {
		return fmt.Errorf("it does not know the token: %s", response.Status)
	}
	return conn.SetDeadline(time.Time{})
}
