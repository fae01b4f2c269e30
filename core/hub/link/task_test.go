package link_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/hub/link"
	"github.com/yaap-chat/yaap/core/must"
)

// tasks is a child with one tool that runs as a task only. The prompt of a call says
// how the task goes; it works until it was looked at twice.
func tasks() {
	looks, cancelled, waits := map[string]int{}, "", json.RawMessage(nil)
	how := map[string]string{}
	task := func(id, status string) map[string]any {
		return map[string]any{"taskId": id, "status": status, "statusMessage": fmt.Sprint(how[id], " ", looks[id]), "createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttl": 60000, "pollInterval": 20}
	}
	fail := func(id json.RawMessage, message string) {
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":%q}}`+"\n", id, message)
	}
	each(func(id json.RawMessage, method string, params json.RawMessage) {
		var said struct {
			TaskID    string
			Task      map[string]any
			Arguments struct{ Prompt string }
		}
		if json.Unmarshal(params, &said) != nil {
			os.Exit(2)
		}
		switch method {
		case "tools/list":
			respond(id, map[string]any{"tools": []any{map[string]any{"name": "dive", "inputSchema": map[string]any{"type": "object"}, "execution": map[string]any{"taskSupport": "required"}}}})
		case "tools/call":
			if prompt := said.Arguments.Prompt; prompt == "refuse" || said.Task == nil {
				respond(id, map[string]any{"isError": true, "content": []any{map[string]any{"type": "text", "text": "it is too cold"}}})
				return
			}
			name := fmt.Sprint("task-", len(how)+1)
			how[name] = said.Arguments.Prompt
			respond(id, map[string]any{"task": task(name, "working")})
		case "tasks/get":
			looks[said.TaskID]++
			status := "working"
			switch prompt := how[said.TaskID]; {
			case prompt == "lose":
				fail(id, "there is no such task")
				return
			case prompt == "ask":
				status = "input_required"
			case prompt != "long" && looks[said.TaskID] > 2:
				status = map[string]string{"fail": "failed", "drop": "cancelled"}[prompt]
				if status == "" {
					status = "completed"
				}
			}
			respond(id, task(said.TaskID, status))
		case "tasks/cancel":
			cancelled = how[said.TaskID]
			fmt.Fprintln(os.Stderr, "no more of", cancelled)
			respond(id, task(said.TaskID, "cancelled"))
		case "tasks/result":
			switch prompt := how[said.TaskID]; prompt {
			case "fail":
				fail(id, "the water is gone")
			case "ask": // the answer comes when the user has given theirs
				waits = id
				fmt.Printf(`{"jsonrpc":"2.0","id":"q",%s}`+"\n", form)
			default:
				respond(id, map[string]any{"content": []any{map[string]any{"type": "text", "text": fmt.Sprintf("%s after %d looks", prompt, looks[said.TaskID])}}, "structuredContent": map[string]any{"depth": 3}})
			}
		}
	}, func(answer json.RawMessage) { respond(waits, text(string(answer))) })
}

func divers(t *testing.T, ask func(context.Context, core.Pause) (core.Answer, error)) *room {
	t.Helper()
	r := openWith(t, &link.Opener{Version: "test", Lookup: os.LookupEnv, Ask: ask})
	r.add("", "tasks")
	r.joined("echo")
	return r
}

func TestAToolThatRunsAsATaskIsAskedForItsResultWhenThatIsThere(t *testing.T) {
	r := divers(t, nil)
	var heard []string
	got := r.call(t.Context(), "echo__dive", "deep", func(c *core.Call) {
		c.Progress = func(p core.ToolProgress) { heard = append(heard, p.Message) }
	})
	if !got.OK() || got.Text != "deep after 3 looks" || got.Data["depth"] != 3.0 {
		t.Errorf("got %+v", got)
	}
	if !slices.Equal(heard, []string{"deep 0", "deep 1", "deep 2", "deep 3"}) {
		t.Errorf("it said %q", heard)
	}
}

func TestATaskThatFailsFailsItsCallInTheWordsOfTheServer(t *testing.T) {
	r := divers(t, nil)
	for how, want := range map[string]string{
		"fail": "the water is gone", "drop": "its server has cancelled the task: drop 3", "lose": "there is no such task", "refuse": "it is too cold",
	} {
		if got := r.call(t.Context(), "echo__dive", how); got.OK() || got.Code != core.ToolCodeExecutionFailed || got.Text != want {
			t.Errorf("%s: got %+v", how, got)
		}
	}
}

func TestATaskAsksTheUserForWhatItNeeds(t *testing.T) {
	r := divers(t, func(context.Context, core.Pause) (core.Answer, error) {
		return core.Answer{ID: core.Accept, Data: json.RawMessage(`{"name":"Ada"}`)}, nil
	})
	if got := r.call(t.Context(), "echo__dive", "ask"); !got.OK() || !strings.Contains(got.Text, `"name":"Ada"`) {
		t.Errorf("got %+v", got)
	}
}

func TestATaskOfACallThatIsCancelledIsCancelled(t *testing.T) {
	r := divers(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	r.call(ctx, "echo__dive", "long", func(c *core.Call) { c.Progress = func(core.ToolProgress) { cancel() } })
	eventually(t, "the server hears that it is cancelled", func() bool {
		return strings.Contains(strings.Join(r.Experts()[0].Stderr, "\n"), "no more of long")
	})
}

func TestAToolThatIsATaskOnlyIsNotOfferedWhereItsServerHasNoTasks(t *testing.T) {
	r := open(t)
	must.Do(t, r.Add(t.Context(), hub.Spec{Command: []string{os.Args[0], "child", "task"}}))
	r.joined("echo")
	if specs := r.Tools().Specs(); len(specs) != 1 || specs[0].Name != "echo__may" {
		t.Errorf("got %+v", specs)
	}
	want := []string{"must: it can only be called as a task, and its server does not say that it has tasks"}
	if got := r.Experts()[0].Omitted; !slices.Equal(got, want) {
		t.Errorf("it says %q", got)
	}
}
