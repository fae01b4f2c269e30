package link_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/hub/link"
	"github.com/yaap-chat/yaap/core/must"
)

func requests() {
	var call json.RawMessage
	each(func(id json.RawMessage, method string, params json.RawMessage) {
		switch method {
		case "tools/list":
			respond(id, tools(`{"type":"object"}`))
		case "tools/call":
			var said struct{ Arguments struct{ Prompt string } }
			if json.Unmarshal(params, &said) != nil {
				os.Exit(2)
			}
			call = id
			fmt.Printf(`{"jsonrpc":"2.0","id":"q",%s}`+"\n", said.Arguments.Prompt)
		}
	}, func(answer json.RawMessage) { respond(call, text(string(answer))) })
}

// asked is a room with one child that asks it, and a user who answers.
func asked(t *testing.T, spec hub.Spec, user func(context.Context, core.Pause) (core.Answer, error), more ...func(*core.Call)) func(request string) string {
	t.Helper()
	r := openWith(t, &link.Opener{Version: "test", Lookup: os.LookupEnv, Ask: user})
	spec.Name, spec.Command = "asker", []string{os.Args[0], "child", "requests"}
	must.Do(t, r.Add(t.Context(), spec))
	r.joined("asker")
	return func(request string) string {
		t.Helper()
		in := func(c *core.Call) { c.Scope.Thread, c.Scope.Run = "here", "run" }
		return r.call(t.Context(), "asker__echo", request, append(more, in)...).Text
	}
}

const form = `"method":"elicitation/create","params":{"message":"Who are you?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}`

func TestAnExpertGetsWhatTheUserFillsIn(t *testing.T) {
	var got core.Pause
	ask := asked(t, hub.Spec{}, func(_ context.Context, p core.Pause) (core.Answer, error) {
		got = p
		return core.Answer{ID: core.Accept, Data: json.RawMessage(`{"name":"Ada"}`)}, nil
	})
	if answer := ask(form); answer != `{"action":"accept","content":{"name":"Ada"}}` {
		t.Errorf("it is told %s", answer)
	}
	want := core.Pause{
		Kind: core.PauseElicitation, From: "asker", Thread: "here", Run: "run", Question: "Who are you?",
		Schema: json.RawMessage(`{"properties":{"name":{"type":"string"}},"required":["name"],"type":"object"}`),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the user is asked (-want +got)\n%s", diff)
	}
}

func TestAPageIsNamedToTheUserAndNotVisited(t *testing.T) {
	var got core.Pause
	ask := asked(t, hub.Spec{}, func(_ context.Context, p core.Pause) (core.Answer, error) {
		got = p
		return core.Answer{ID: core.Accept}, nil
	})
	page := `"method":"elicitation/create","params":{"mode":"url","elicitationId":"1","message":"Sign in","url":"https://example.com/in?x=1"}`
	if answer := ask(page); answer != `{"action":"accept"}` || got.URL != "https://example.com/in?x=1" || got.Schema != nil {
		t.Errorf("it is told %s, the user %+v", answer, got)
	}
}

func TestWhatTheUserDoesNotGiveIsDeclinedOrCancelled(t *testing.T) {
	answers := map[string]string{core.Decline: `{"action":"decline"}`, "": `{"action":"cancel"}`}
	for id, want := range answers {
		ask := asked(t, hub.Spec{}, func(context.Context, core.Pause) (core.Answer, error) {
			if id == "" {
				return core.Answer{}, &core.Error{Code: core.CodeRefused, Message: "nobody is here"}
			}
			return core.Answer{ID: id}, nil
		})
		if answer := ask(form); answer != want {
			t.Errorf("%q: it is told %s, want %s", id, answer, want)
		}
	}
}

func TestTheUserIsNotAskedWhatCannotBeShown(t *testing.T) {
	ask := asked(t, hub.Spec{}, func(context.Context, core.Pause) (core.Answer, error) {
		t.Error("the user was asked")
		return core.Answer{}, nil
	})
	for _, params := range []string{
		`{"mode":"url","elicitationId":"1","message":"Sign in","url":"file:///etc/passwd"}`,
		`{"mode":"url","elicitationId":"1","message":"Sign in","url":"javascript:alert(1)"}`,
		`{"message":"no schema"}`,
		`{"mode":"smoke","message":"hi","requestedSchema":{}}`,
	} {
		if answer := ask(`"method":"elicitation/create","params":` + params); answer == "" || answer[0] == '{' {
			t.Errorf("%s: it is told %s", params, answer)
		}
	}
}

func TestTheTimeOfACallStandsStillWhileTheUserIsAsked(t *testing.T) {
	var held []string
	ask := asked(t, hub.Spec{}, func(context.Context, core.Pause) (core.Answer, error) {
		held = append(held, "asked")
		return core.Answer{ID: core.Decline}, nil
	}, func(c *core.Call) {
		c.Hold = func() func() {
			held = append(held, "held")
			return func() { held = append(held, "resumed") }
		}
	})
	if answer := ask(form); answer != `{"action":"decline"}` {
		t.Errorf("it is told %s", answer)
	}
	must.Equal(t, []string{"held", "asked", "resumed"}, held)
}

func TestAnExpertThatMayAsksTheModelInText(t *testing.T) {
	ask := `"method":"sampling/createMessage","params":{"systemPrompt":"Be brief.","maxTokens":9,"messages":[{"role":"user","content":{"type":"text","text":"hi"}}]}`
	for _, may := range []bool{true, false} {
		var got link.Sampling
		r := openWith(t, &link.Opener{Version: "test", Lookup: os.LookupEnv, Sample: func(_ context.Context, s link.Sampling) (link.Sample, error) {
			got = s
			return link.Sample{Text: "hello", Model: "m", Cut: true}, nil
		}})
		must.Do(t, r.Add(t.Context(), hub.Spec{Name: "asker", Command: []string{os.Args[0], "child", "requests"}, Samples: may}))
		r.joined("asker")
		answer := r.call(t.Context(), "asker__echo", ask, func(c *core.Call) { c.Scope.Run = "run" }).Text
		if !may {
			if !strings.Contains(answer, "sampling: TOKENS in its entry") {
				t.Errorf("one that may not is told %s", answer)
			}
			continue
		}
		if want := `{"role":"assistant","content":{"type":"text","text":"hello"},"model":"m","stopReason":"maxTokens"}`; answer != want {
			t.Errorf("it is told %s", answer)
		}
		want := link.Sampling{Expert: "asker", Scope: core.Scope{Run: "run"}, System: "Be brief.", MaxTokens: 9, Messages: []core.Message{{Role: core.RoleUser, Text: "hi"}}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the model is asked (-want +got)\n%s", diff)
		}
	}
}

func TestAnExpertIsToldTheDirectoriesThatItMayLookInto(t *testing.T) {
	ask := asked(t, hub.Spec{Roots: []string{"/srv/a b"}}, nil)
	if answer := ask(`"method":"roots/list"`); answer != `{"roots":[{"uri":"file:///srv/a%20b"}]}` {
		t.Errorf("it is told %s", answer)
	}
	if answer := asked(t, hub.Spec{}, nil)(`"method":"roots/list"`); !strings.Contains(answer, "roots: [DIRECTORY] in its entry") {
		t.Errorf("one that may look into none is told %s", answer)
	}
}
