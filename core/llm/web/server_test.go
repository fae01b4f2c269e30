package web_test

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/yaap-chat/yaap/core/llm/web"
	"github.com/yaap-chat/yaap/core/wire"
)

func TestQuestionsToAProviderShareAConnection(t *testing.T) {
	addresses := make(map[string]bool)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		addresses[r.Proto+" "+r.RemoteAddr] = true
		_, _ = w.Write([]byte("data: 1\n\ndata: 2\n\n"))
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	client := web.NewHTTP(nil, "acme", nil)
	defer client.CloseIdleConnections()
	seen, ok := client.Transport.(*wire.Transport)
	if !ok {
		t.Fatalf("the client goes through %T", client.Transport)
	}
	transport, ok := seen.Next.(*http.Transport)
	if !ok {
		t.Fatalf("the client goes through %T", seen.Next)
	}
	transport.TLSClientConfig = &tls.Config{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	s := web.NewServer(web.Config{Name: "acme", BaseURL: server.URL, HTTP: client})
	for range 3 {
		resp, err := s.Do(t.Context(), "/", nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := resp.Body.Read(make([]byte, 4)); err != nil { // an answer is left when its last word is read
			t.Error(err)
		}
		_ = resp.Body.Close()
	}
	if len(addresses) != 1 {
		t.Errorf("connections: %v", addresses)
	}
}
