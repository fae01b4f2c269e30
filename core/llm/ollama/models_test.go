package ollama_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/ollama"
	"github.com/yaap-chat/yaap/core/llm/ollama/ollamatest"
)

func TestTheAddressComesFromOllamaHost(t *testing.T) {
	for _, test := range []struct{ host, want string }{
		{"", "http://127.0.0.1:11434"},
		{" \"\" ", "http://127.0.0.1:11434"},
		{"0.0.0.0", "http://127.0.0.1:11434"},
		{"0.0.0.0:1234", "http://127.0.0.1:1234"},
		{":1234", "http://127.0.0.1:1234"},
		{"::", "http://[::1]:11434"},
		{"[::]:1234", "http://[::1]:1234"},
		{"fe80::1", "http://[fe80::1]:11434"},
		{"gpu.local", "http://gpu.local:11434"},
		{"http://gpu.local", "http://gpu.local:80"},
		{"HTTPS://gpu.local", "https://gpu.local:443"},
		{"https://gpu.local:8443/ollama/", "https://gpu.local:8443/ollama"},
	} {
		got, err := ollama.BaseURL(func(string) string { return test.host })
		if err != nil || got != test.want {
			t.Errorf("BaseURL of %q = %q, %v; want %q", test.host, got, err, test.want)
		}
	}
}

func TestAnAddressThatIsNoneIsRefused(t *testing.T) {
	for _, host := range []string{"ftp://gpu", "unix:///run/ollama", "host:port", "host:0", "host:65536", "a b", "user:secret@gpu", "gpu?x=1", "gpu#x", "%zz"} {
		got, err := ollama.BaseURL(func(string) string { return host })
		if core.CodeOf(err) != core.CodeInvalid || core.HintOf(err) == "" {
			t.Errorf("BaseURL of %q = %q, %v", host, got, err)
		}
	}
}

// server answers every request with f until the test ends.
func server(t *testing.T, f http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return s.URL
}

func TestAServerThatDoesNotTellItsModelsIsUnreachable(t *testing.T) {
	other := server(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) })
	endless := server(t, func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write([]byte(strings.Repeat(" ", 1<<16))); err != nil {
				return
			}
		}
	})
	for name, url := range map[string]string{"nobody": "http://127.0.0.1:1", "other": other, "endless": endless} {
		if got, err := ollama.Models(t.Context(), url); core.CodeOf(err) != core.CodeUnreachable || core.HintOf(err) == "" {
			t.Errorf("%s: Models = %v, %v", name, got, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ollama.Models(ctx, other); core.CodeOf(err) != core.CodeCancelled {
		t.Errorf("cancelled: error %v", err)
	}
}

func TestModelsListsWhatCanChat(t *testing.T) {
	s := ollamatest.New(t)
	s.SetModels(
		ollamatest.Model{Name: "plain:1b", Size: 1, Capabilities: []string{"completion"}, Context: 2048},
		ollamatest.Model{Name: "embed", Size: 2, Capabilities: []string{"embedding"}},
		ollamatest.Model{Name: "tools:4b", Digest: "x", Size: 3, Capabilities: []string{"completion", "tools"}, Context: 40960},
		ollamatest.Model{Name: "alias", Digest: "x", Size: 3},
		ollamatest.Model{Name: "cloud", RemoteHost: "https://ollama.com", Capabilities: []string{"completion", "tools"}},
	)
	got, err := ollama.Models(t.Context(), s.URL)
	if err != nil {
		t.Fatal(err)
	}
	want := []llm.Info{
		{Name: "tools:4b", Tools: true, Context: 40960},
		{Name: "alias", Tools: true, Context: 40960},
		{Name: "plain:1b", Context: 2048},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("models (-want +got):\n%s", d)
	}
}

func TestAModelThatCannotBeAskedAboutIsListedWithoutAbilities(t *testing.T) {
	url := server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/tags" {
			http.Error(w, `{"error":"boom"}`, http.StatusInternalServerError)
			return
		}
		_, _ = fmt.Fprint(w, `{"models":[{"name":"a","size":5},{"name":""}]}`)
	})
	got, err := ollama.Models(t.Context(), url)
	if d := cmp.Diff([]llm.Info{{Name: "a"}}, got); err != nil || d != "" {
		t.Errorf("error %v, models (-want +got):\n%s", err, d)
	}
}
