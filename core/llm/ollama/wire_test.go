package ollama

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/wire"
)

func TestASecretThatAModelStreamsInPiecesIsNotSeenOnTheWire(t *testing.T) {
	lines := `{"message":{"role":"assistant","thinking":"a key"}}
{"message":{"role":"assistant","content":"it is ghp_16C7e42F292c"}}
{"message":{"role":"assistant","content":"6912E7710c838347Ae178B4a"}}
{"message":{"role":"assistant"},"done":true,"eval_count":7}
`
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, lines) }))
	defer web.Close()
	tap := new(wire.Tap)
	defer tap.Capture()()
	response, err := client{base: web.URL, http: NewHTTP(tap)}.server().Do(t.Context(), "/api/chat", json.RawMessage(`{"model":"m"}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(response.Body); err != nil || string(got) != lines {
		t.Errorf("the model's answer came as %q, %v", got, err)
	}
	_ = response.Body.Close()
	seen := tap.Since(0)
	if len(seen) != 2 || seen[0].Method != "POST /api/chat" || string(seen[0].Text) != `{"model":"m"}` || seen[1].To != 1 || seen[1].Size != len(lines) || seen[1].Cut {
		t.Fatalf("seen is %+v", seen)
	}
	if text := string(seen[1].Text); !strings.Contains(text, `"it is [secret: github_token]"`) || strings.Contains(text, "6912E") || !strings.Contains(text, `"eval_count":7`) {
		t.Errorf("the answer is seen as %s", text)
	}
}
