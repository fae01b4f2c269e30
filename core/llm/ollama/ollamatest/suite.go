package ollamatest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
	"github.com/yaap-chat/yaap/core/llm/web/webtest"
	"github.com/yaap-chat/yaap/core/sacp"
)

// Suite checks with models of the server what every provider keeps, and what only a real
// server shows. connect returns the model of that name, asked through web. Like
// [llmtest.Suite], it must not run beside parallel tests.
func (r *Real) Suite(t *testing.T, connect func(name string, web *http.Client) llm.Model) {
	t.Helper()
	llmtest.Suite(t, func(t *testing.T, turn llmtest.Turn) (llm.Model, func() int) {
		// It counts tokens itself, and rounds large numbers in what a model calls.
		if turn.Usage.Total() > 0 || len(turn.Calls) == 1 {
			return nil, nil
		}
		web, requests := r.Client(t, turn.Truncate)
		return connect(r.Model(From(turn)), web), requests
	})
	ask := func(t *testing.T, req llm.Request, replies ...Reply) (llmtest.Answer, error) {
		t.Helper()
		web, _ := r.Client(t, false)
		return llmtest.Read(t, connect(r.Model(replies...), web).Stream(t.Context(), req))
	}
	form := llm.Request{System: "Answer in JSON.", Messages: llmtest.Question().Messages[:1], Schema: sacp.Schema()}
	const reply = `{"thought": "18 °C", "status": "success", "data": {"n": 3}, "message": "It rains in Kraków."}`
	t.Run("carries a lonely call", func(t *testing.T) {
		a, err := ask(t, llmtest.Question(), Reply{Calls: []core.Call{{Tool: "weather", Args: json.RawMessage(`{"city":"<Oslo> & \"æ\"","days":3}`)}}})
		if err != nil || len(a.Calls) != 1 || a.Calls[0].Tool != "weather" || string(a.Calls[0].Args) != `{"city":"<Oslo> & \"æ\"","days":3}` {
			t.Errorf("calls %+v, error %v", a.Calls, err)
		}
	})
	t.Run("gives the model the results of its calls", func(t *testing.T) {
		req := llmtest.Question()
		req.Messages = req.Messages[:3]
		a, err := ask(t, req, Reply{Text: "no tools"}, Reply{Text: "no results"}, Reply{Text: "18 degrees"})
		if err != nil || a.Text != "18 degrees" {
			t.Errorf("text %q, error %v", a.Text, err)
		}
	})
	t.Run("names the tools to a model that calls another one", func(t *testing.T) {
		_, err := ask(t, llmtest.Question(), Reply{Calls: []core.Call{{Tool: "sun_and_moon"}}})
		if core.CodeOf(err) != core.CodeModelBehavior || !strings.Contains(err.Error(), "weather, calc") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("carries a reply that keeps to its schema as it is", func(t *testing.T) {
		a, err := ask(t, form, Reply{Text: reply})
		if err != nil || a.Text != reply || a.Done.Reason != llm.ReasonStop {
			t.Errorf("%+v, error %v", a, err)
		}
	})
	t.Run("carries thoughts before a reply that keeps to its schema", func(t *testing.T) {
		a, err := ask(t, form, Reply{Thinking: "No tool is needed.", Text: reply})
		if err != nil || a.Text != reply || a.Thinking != "No tool is needed." {
			t.Errorf("%+v, error %v", a, err)
		}
	})
	t.Run("has a model that babbles keep to the schema", func(t *testing.T) {
		a, err := ask(t, form, Reply{End: webtest.EndHang})
		if err != nil || a.Done.Reason != llm.ReasonStop {
			t.Fatalf("%+v, error %v", a, err)
		}
		got, err := sacp.Parse(a.Text)
		if err != nil {
			t.Errorf("%q: %v", a.Text, err)
		}
		t.Logf("it said %q: %+v", a.Text, got)
	})
	t.Run("ends with a model that says the same for ever", func(t *testing.T) {
		a, err := ask(t, llmtest.Question(), Reply{Text: "round and round", End: webtest.EndQuiet})
		if err == nil || !strings.HasPrefix(a.Text, "round and round") {
			t.Errorf("%+v, error %v", a, err)
		}
	})
	t.Run("says that there is no such model", func(t *testing.T) {
		web, _ := r.Client(t, false)
		_, err := llmtest.Read(t, connect("nobody:1b", web).Stream(t.Context(), form))
		if core.CodeOf(err) != core.CodeNoModel {
			t.Errorf("error %v, want code %s", err, core.CodeNoModel)
		}
	})
}
