package room

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/ollama/ollamatest"
	"github.com/yaap-chat/yaap/core/llm/openai/openaitest"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/trust"
)

// choosing are models with an Ollama that has one and a server of the configuration that
// has two.
func choosing(t *testing.T, env map[string]string) *models {
	t.Helper()
	house := openaitest.New(t)
	house.SetKey("sk-hunter2")
	house.SetModels(`{"data":[{"id":"big","context_window":131072},{"id":"small","max_model_len":8192}]}`)
	local := ollamatest.New(t)
	local.SetModels(ollamatest.Model{Name: "qwen:1b", Capabilities: []string{"completion"}, Context: 4096})
	env["OLLAMA_HOST"] = local.URL
	cfg := config.Config{
		Model:     config.Value[string]{V: offlineName},
		Providers: config.Value[map[string]config.Provider]{V: map[string]config.Provider{"house": {URL: house.URL, Key: "HOUSE_KEY"}}},
		Models: config.Value[map[string]config.Model]{V: map[string]config.Model{
			"house/small": {Context: 4096, Price: &config.Price{Input: 1, Output: 2.5}},
		}},
	}
	m := must.Get(newModels(cfg, func(name string) string { return env[name] }, nil, trust.New(t.TempDir(), "", trust.Rules{})))(t)
	return m
}

func TestTheModelsThatCanBeUsedNowAreListedWithWhatTheyCan(t *testing.T) {
	doc := listModels(t.Context(), choosing(t, map[string]string{"HOUSE_KEY": "sk-hunter2"}))
	want := [][]string{
		{"offline", "", "calls experts", ""},
		{"ollama/qwen:1b", "4 k", "only chats", ""},
		{"house/big", "128 k", "calls experts", ""},
		{"house/small", "4 k", "calls experts", "1 / 2.5"},
	}
	must.Equal(t, want, doc.Parts[1].Rows)
	doc = listModels(t.Context(), choosing(t, map[string]string{"HOUSE_KEY": "sk-wrong"}))
	if last := doc.Parts[len(doc.Parts)-1].Text; !strings.Contains(last, "house: ") || strings.Contains(last, "sk-") {
		t.Errorf("of the one that refused the key is said %q", last)
	}
}

func TestAModelIsCheckedWhenItIsChosen(t *testing.T) {
	env := map[string]string{"HOUSE_KEY": "sk-hunter2"}
	m := choosing(t, env)
	for name, want := range map[string]string{
		"house/big": "", "house/other": "house does not list it; the next prompt shows whether it is there.", "ollama/qwen:1b": "It cannot call experts.", "offline": "",
	} {
		if remark, err := m.use(t.Context(), name); remark != want || err != nil || m.current().Name() != name {
			t.Errorf("%s: %q, %v; in use is %s", name, remark, err, m.current().Name())
		}
	}
	env["HOUSE_KEY"] = ""
	must.Get(m.use(t.Context(), offlineName))(t)
	for name, want := range map[string]string{"ollama/other": "model pull other", "house/big": "set HOUSE_KEY", "lmstudio/x": "reaches it"} {
		if _, err := m.use(t.Context(), name); err == nil || !strings.Contains(core.HintOf(err), want) || m.current().Name() != offlineName {
			t.Errorf("%s: %v (%s); in use is %s", name, err, core.HintOf(err), m.current().Name())
		}
	}
}

func TestWhatAModelReadsIsAskedForOnceWhereTheConfigurationDoesNotSay(t *testing.T) {
	m := choosing(t, map[string]string{"HOUSE_KEY": "sk-hunter2"})
	for name, want := range map[string]int{"house/big": 131072, "house/small": 4096, "house/other": 0, "ollama/qwen:1b": 4096} {
		model := must.Get(m.named(name, "test"))(t)
		for range 2 {
			if got := model.(llm.Sized).ContextWindow(t.Context()); got != want {
				t.Errorf("%s reads %d, want %d", name, got, want)
			}
		}
	}
}

func TestAKeyIsPrintedByAProgramOnce(t *testing.T) {
	m := &models{keys: map[string]string{}, env: func(string) string { return "" }}
	dir := t.TempDir()
	once := provider{name: "a", Provider: config.Provider{KeyCommand: []string{"sh", "-c", "mkdir " + dir + "/asked && echo sk-1"}}}
	for range 2 {
		if key, err := m.key(once)(t.Context()); key != "sk-1" || err != nil {
			t.Errorf("got %q, %v", key, err)
		}
	}
	for _, script := range []string{"exit 1", "true", "echo a; echo b"} {
		p := provider{name: "b", Provider: config.Provider{KeyCommand: []string{"sh", "-c", script}}}
		if key, err := m.key(p)(t.Context()); core.CodeOf(err) != core.CodeInvalid || strings.Contains(err.Error(), key) && key != "" {
			t.Errorf("%s: got %q, %v", script, key, err)
		}
	}
}

func TestAnOllamaThatIsTooOldIsSaidToBeWhenAModelOfItIsChosen(t *testing.T) {
	old := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, map[string]string{
			"/api/tags": `{"models":[{"name":"qwen:1b"}]}`, "/api/show": `{"capabilities":["completion","tools"]}`, "/api/version": `{"version":"0.17.4"}`,
		}[r.URL.Path])
	}))
	t.Cleanup(old.Close)
	env := map[string]string{}
	m := choosing(t, env)
	env["OLLAMA_HOST"] = old.URL
	if remark, err := m.use(t.Context(), "ollama/qwen:1b"); err != nil || !strings.Contains(remark, "Ollama 0.17.4") {
		t.Errorf("%q, %v", remark, err)
	}
}

func TestAProviderOnAnotherMachineIsReachedUnencryptedWhenTheUserOrAFileSaysSo(t *testing.T) {
	far := map[string]config.Provider{
		"house": {URL: "http://gpu.example/v1"}, "open": {URL: "http://gpu.example/v1", Insecure: true},
		"safe": {URL: "https://gpu.example/v1"}, "near": {URL: "http://127.0.0.1:8000/v1"}, "ollama": {URL: "http://gpu.example:11434"},
	}
	cfg := config.Config{Model: config.Value[string]{V: offlineName}, Providers: config.Value[map[string]config.Provider]{V: far}}
	for answer, then := range map[string]bool{core.AllowSession: true, core.AllowAlways: true, core.Deny: false} {
		u := &user{answer: answer}
		keeper := trust.New(t.TempDir(), "/work", trust.Rules{})
		keeper.SetAsker(u)
		m := must.Get(newModels(cfg, func(string) string { return "" }, nil, keeper))(t)
		for name := range far {
			if got, want := m.mayUnasked(t.Context(), m.provider(name)), name != "house"; got != want || len(u.asked) > 0 {
				t.Errorf("%s may be reached unasked: %v, and %d were asked", name, got, len(u.asked))
			}
		}
		for name := range far {
			m.may(t.Context(), m.provider(name))
		}
		if len(u.asked) != 1 || !strings.Contains(u.asked[0].Question, "unencrypted") || !strings.Contains(string(u.asked[0].Call.Args), far["house"].URL) {
			t.Errorf("%s: asked %+v", answer, u.asked)
		}
		if m.mayUnasked(t.Context(), m.provider("house")) != then || m.may(t.Context(), m.provider("house")) != then || len(u.asked) != 1 {
			t.Errorf("after %s: it may not be as the user said, or the user is asked again", answer)
		}
	}
}

// user answers what is asked.
type user struct {
	answer string
	asked  []core.Pause
}

func (u *user) Ask(_ context.Context, p core.Pause) (core.Answer, error) {
	u.asked = append(u.asked, p)
	return core.Answer{ID: u.answer}, nil
}

func TestAServerOfTheUsersOwnNeedsNoKeyButItsAddress(t *testing.T) {
	own := openaitest.New(t)
	own.SetModels(`{"data":[{"id":"big"}]}`)
	m := choosing(t, map[string]string{"OPENAI_BASE_URL": own.URL})
	if remark, err := m.use(t.Context(), "openai/big"); remark != "" || err != nil {
		t.Errorf("%q %v", remark, err)
	}
	if !strings.Contains(fmt.Sprint(listModels(t.Context(), m).Parts[1].Rows), "openai/big") {
		t.Error("its models are not listed")
	}
}
