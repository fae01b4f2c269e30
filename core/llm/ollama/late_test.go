package ollama

import (
	"context"
	"testing"

	"github.com/yaap-chat/yaap/core"
)

func TestAServerThatKeepsSilentIsUnreachable(t *testing.T) {
	ctx, cancel := context.WithTimeoutCause(t.Context(), 0, errSilent)
	defer cancel()
	c := client{base: "http://127.0.0.1:1", http: NewHTTP(nil)}
	err := c.server().TimeoutError(ctx, c.server().Get(ctx, "/api/tags", nil, nil))
	if core.CodeOf(err) != core.CodeUnreachable || core.HintOf(err) == "" {
		t.Errorf("error %v", err)
	}
}
