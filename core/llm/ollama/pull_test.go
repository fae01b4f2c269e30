package ollama_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/ollama"
	"github.com/yaap-chat/yaap/core/llm/ollama/ollamatest"
)

func TestAModelComesAndSaysHowFarItIs(t *testing.T) {
	server := ollamatest.New(t)
	server.SetPulls(strings.Join([]string{
		`{"status":"pulling manifest"}`,
		`{"status":"pulling aa","digest":"aa","total":100,"completed":40}`,
		`{"status":"pulling bb","digest":"bb","total":10}`,
		`{"status":"pulling aa","digest":"aa","total":100,"completed":100}`,
		`{"status":"success"}`, ``,
	}, "\n"))
	var got []ollama.Pulled
	if err := ollama.Pull(t.Context(), server.URL, "tiny:1b", func(p ollama.Pulled) { got = append(got, p) }); err != nil {
		t.Fatal(err)
	}
	want := []ollama.Pulled{{Status: "pulling manifest"}, {Status: "pulling aa", Done: 40, Total: 100}, {Status: "pulling bb", Done: 40, Total: 110}, {Status: "pulling aa", Done: 100, Total: 110}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAModelThatDoesNotComeIsSaidInWords(t *testing.T) {
	for name, test := range map[string]struct{ body, says string }{
		"it is nowhere":           {`{"error":"pull model manifest: file does not exist"}` + "\n", "file does not exist"},
		"the connection is lost":  {`{"status":"pulling manifest"}` + "\n", "the connection to Ollama was lost"},
		"it is not Ollama":        {"<html>\n", "does not speak like Ollama"},
		"a line without an end":   {strings.Repeat("x", 1<<20), "the connection to Ollama was lost"},
		"nothing comes of an end": {"", "the connection to Ollama was lost"},
	} {
		t.Run(name, func(t *testing.T) {
			server := ollamatest.New(t)
			server.SetPulls(test.body)
			err := ollama.Pull(t.Context(), server.URL, "tiny:1b", func(ollama.Pulled) {})
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestADownloadThatIsGivenUpEnds(t *testing.T) {
	server := ollamatest.New(t)
	server.SetPulls(`{"status":"pulling manifest"}` + "\n")
	ctx, cancel := context.WithCancel(t.Context())
	err := ollama.Pull(ctx, server.URL, "tiny:1b", func(ollama.Pulled) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestTheReasoningIsAsTheModelKnowsIt(t *testing.T) {
	for _, test := range []struct {
		can, architecture, effort, want string
	}{
		{"thinking", "gptoss", "high", `"think":"high"`},
		{"thinking", "qwen3", "high", `"think":true`},
		{"thinking", "qwen3", "none", `"think":false`},
		{"tools", "llama", "high", ""},
		{"thinking", "qwen3", "", ""},
	} {
		server := ollamatest.New(t, ollamatest.Reply{Text: "fine"})
		server.SetModels(ollamatest.Model{Name: ollamatest.Name, Capabilities: []string{"completion", test.can}, Architecture: test.architecture, Context: 8192})
		warm := 0.5
		m := ollama.New(ollama.Config{BaseURL: server.URL, Model: ollamatest.Name, Effort: test.effort, Temperature: &warm})
		for _, err := range m.Stream(t.Context(), llm.Request{Messages: []core.Message{{Role: core.RoleUser, Text: "well?"}}}) {
			if err != nil {
				t.Fatal(err)
			}
		}
		body := string(server.Requests()[0].Raw)
		if !strings.Contains(body, test.want) || test.want == "" && strings.Contains(body, `"think"`) || !strings.Contains(body, `"temperature":0.5`) {
			t.Errorf("%v: %s", test, body)
		}
	}
}

func TestAModelIsLoadedAsItIsAskedLater(t *testing.T) {
	server := ollamatest.New(t, ollamatest.Reply{Text: "fine"})
	m := ollama.New(ollama.Config{BaseURL: server.URL, Model: ollamatest.Name})
	if err := m.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, err := range m.Stream(t.Context(), llm.Request{Messages: []core.Message{{Role: core.RoleUser, Text: "well?"}}}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	of := func(body string) string { return body[strings.Index(body, `"options"`):][:40] }
	loaded := server.Loaded()
	if len(loaded) != 1 || of(loaded[0]) != of(string(server.Requests()[0].Raw)) || slices.Contains(loaded, `"messages"`) {
		t.Error(loaded)
	}
}
