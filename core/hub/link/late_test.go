package link

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core/must"
)

type carrier func(*http.Request) (*http.Response, error)

func (c carrier) RoundTrip(r *http.Request) (*http.Response, error) { return c(r) }

func TestOnlyAnAnswerIsSentAfterItsTime(t *testing.T) {
	over, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	for body, sent := range map[string]bool{
		`{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}`:           true,
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}`: true,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{}}`:      false,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`:          false,
	} {
		request := must.Get(http.NewRequestWithContext(over, http.MethodPost, "http://x.example/mcp", strings.NewReader(body)))(t)
		response, err := late{carrier(func(r *http.Request) (*http.Response, error) {
			return &http.Response{Body: http.NoBody}, r.Context().Err()
		})}.RoundTrip(request)
		_ = response.Body.Close()
		if (err == nil) != sent {
			t.Errorf("%s: %v", body, err)
		}
	}
}
