package ollama_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/llm/ollama"
)

func TestAServerThatIsTooOldIsSaidToBe(t *testing.T) {
	for version, want := range map[string]bool{
		"0.17.4": true, "0.31.1": true, "v0.9.0": true, "0.31.1-rc2": true,
		"0.31.2": false, "0.32.0-rc1": false, "1.0.0": false, "0.0.0": false, "": false, "new": false, "1.2": false, "0.-3.1": false,
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/api/version" {
				t.Errorf("%s is asked for", r.URL.Path)
			}
			_, _ = fmt.Fprintf(w, `{"version":%q}`, version)
		}))
		is, got := ollama.Version(t.Context(), s.URL)
		s.Close()
		if (got != "") != want || want && (!strings.Contains(got, strings.TrimPrefix(version, "v")) || !strings.Contains(got, "Update it")) {
			t.Errorf("of %q is said %q", version, got)
		}
		if is != version {
			t.Errorf("%q says that it is %q", version, is)
		}
	}
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }))
	t.Cleanup(page.Close)
	for _, url := range []string{page.URL, "http://127.0.0.1:1"} {
		if is, got := ollama.Version(t.Context(), url); is+got != "" {
			t.Errorf("of %s is said %q", url, got)
		}
	}
}
