package memory_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/memory"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/yaap"
)

// programs are the tools of a room as another program has them.
type programs struct {
	t    *testing.T
	room *room
	cfg  memory.ToolsConfig
}

func newPrograms(t *testing.T) *programs {
	t.Helper()
	r := newRoom(t, nil)
	r.put(core.Memory{ID: "n", Vault: "v", Title: "there"})
	return &programs{t, r, memory.ToolsConfig{Store: r.cfg.Store, Directory: r.store, Memory: r.cfg.Memory, Asker: yes{}}}
}

type yes struct{}

func (yes) Ask(context.Context, core.Pause) (core.Answer, error) {
	return core.Answer{ID: core.AllowOnce}, nil
}

func (p *programs) call(tool, args string) core.ToolResult {
	p.t.Helper()
	found, ok := core.Toolset{Tools: memory.Tools(p.cfg)}.Find(tool)
	if !ok {
		p.t.Fatalf("there is no tool %s", tool)
	}
	return p.use(found, args)
}

func (p *programs) use(tool core.Tool, args string) core.ToolResult {
	p.t.Helper()
	got := must.Get(tool.Call(p.t.Context(), core.Call{ID: "c", Tool: tool.Spec().Name, Args: json.RawMessage(args)}))(p.t)
	return got
}

func TestTheToolsHaveTheNamesThatNoExpertMayTake(t *testing.T) {
	p := newPrograms(t)
	var names []string
	for _, tool := range memory.Tools(p.cfg) {
		spec := tool.Spec()
		names = append(names, spec.Name)
		if yaap.CheckName(spec.Name) == nil || spec.Description == "" || !json.Valid(spec.Schema) {
			t.Errorf("%s: %s %s", spec.Name, spec.Description, spec.Schema)
		}
	}
	want := "correct_entry tag_entry expire_entry forget_entry create_vault list_vaults create_memory_in_vault list_memories get_memory add_entry list_entries get_entry " +
		"search_memories put_context get_context list_contexts await_consistency get_default_prompts"
	must.Equal(t, want, strings.Join(names, " "))
}

func TestAwaitConsistencyWaitsForTheLaneOfTheRoomAndTellsWhatFailed(t *testing.T) {
	p := newPrograms(t)
	p.cfg.Await = func(context.Context) (core.Consistency, error) {
		return core.Consistency{Durable: 7, Failed: []core.Failure{{ID: "e", Reason: "the disk is full"}}, WaitedMS: 3}, nil
	}
	want := map[string]any{"durable_seq": int64(7), "failed": []core.Failure{{ID: "e", Reason: "the disk is full"}}, "waited_ms": int64(3)}
	must.Equal(t, want, p.call("await_consistency", ``).Data)
	added := p.call("add_entry", `{"memory_id":"n","raw_entry":"one"}`)
	other := p.call("await_consistency", `{"memory_id":"n"}`)
	if other.Data["durable_seq"] != added.Data["seq"] || len(other.Data["failed"].([]core.Failure)) != 0 {
		t.Errorf("a memory without a lane: %+v", other)
	}
}

func TestAwaitConsistencyReturnsAtItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPrograms(t)
		p.cfg.Await = memory.NewRecorder(p.room.cfg).Await // it does not run
		p.room.say("t", "The heron nests in the oak.")
		begun := time.Now()
		got := p.call("await_consistency", `{"timeout_ms":1500}`)
		if got.OK() || got.Data["code"] != core.CodeTimedOut || got.Data["hint"] == "" || time.Since(begun) != 1500*time.Millisecond {
			t.Errorf("got %+v after %v", got, time.Since(begun))
		}
	})
}

func TestABlankTextIsNotRemembered(t *testing.T) {
	p := newPrograms(t)
	for tool, args := range map[string]string{"add_entry": `{"raw_entry":" \n\t"}`, "put_context": `{"content":" \n"}`} {
		if got := p.call(tool, args); got.Data["code"] != core.CodeInvalid || got.Data["hint"] == "" {
			t.Errorf("%s: %+v", tool, got)
		}
	}
}

func TestNothingIsWrittenWhileTheUserWantsNothingRemembered(t *testing.T) {
	p := newPrograms(t)
	p.call("add_entry", `{"raw_entry":"before"}`)
	p.cfg.Off = func() bool { return true }
	for tool, args := range map[string]string{
		"add_entry": `{"raw_entry":"x"}`, "put_context": `{"content":"x"}`, "create_vault": `{"title":"x"}`, "create_memory_in_vault": `{"title":"x"}`,
	} {
		if got := p.call(tool, args); got.Status != core.ToolPermissionDenied || got.Data["hint"] != "the user turns it on with /memory on" {
			t.Errorf("%s: got %+v", tool, got)
		}
	}
	if got := p.call("list_entries", ``); !got.OK() || len(got.Data["entries"].([]core.Entry)) != 1 {
		t.Errorf("what is remembered cannot be read: %+v", got)
	}
}

func TestAKeyIsOneMemorysOwn(t *testing.T) {
	p := newPrograms(t)
	here := p.call("add_entry", `{"raw_entry":"one","idempotency_key":"k"}`)
	there := p.call("add_entry", `{"memory_id":"n","raw_entry":"two","idempotency_key":"k"}`)
	if !here.OK() || !there.OK() || here.Data["entry_id"] == there.Data["entry_id"] {
		t.Errorf("got %+v, %+v", here, there)
	}
	long := strings.Repeat("x", 2*core.MaxRaw)
	if got := p.call("add_entry", `{"raw_entry":"`+long+`","idempotency_key":"k"}`); got.Data["code"] != core.CodeConflict {
		t.Errorf("got %+v", got)
	}
	if got := p.call("list_entries", ``); len(got.Data["entries"].([]core.Entry)) != 1 {
		t.Errorf("a part of what was refused is there: %+v", got)
	}
}

func TestAnEntryIsGoneWhenItsTimeIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPrograms(t)
		args := `{"raw_entry":"The door code is 1987 until tomorrow.","idempotency_key":"k","expiration_time":"` + time.Now().Add(time.Hour).Format(time.RFC3339) + `"}`
		added := p.call("add_entry", args)
		if again := p.call("add_entry", args); again.Data["seq"] != added.Data["seq"] {
			t.Errorf("got %+v, then %+v", added, again)
		}
		<-time.After(time.Hour)
		if got := p.call("get_entry", `{"entry_id":"`+added.Data["entry_id"].(string)+`"}`); got.Data["code"] != core.CodeNotFound {
			t.Errorf("got %+v", got)
		}
		lasting, _, _ := strings.Cut(args, `,"expiration_time"`)
		if got := p.call("add_entry", lasting+`}`); got.Data["code"] != core.CodeConflict {
			t.Errorf("got %+v", got)
		}
	})
}

func TestAContextOfAProgramHidesNoEntryFromTheNextOne(t *testing.T) {
	p := newPrograms(t)
	messages := p.room.say("t", "The heron nests in the oak.")
	must.Do(t, memory.NewAgent(p.room.cfg).Invoke(t.Context(), memory.ProcessMessage, "t", messages...))
	if got := p.call("put_context", `{"content":"## Facts\nNothing of note."}`); !got.OK() {
		t.Fatalf("got %+v", got)
	}
	must.Do(t, memory.NewAgent(p.room.cfg).Invoke(t.Context(), memory.EndSession, "t"))
	if got := p.call("get_context", ``); !strings.Contains(got.Data["content"].(string), "heron") {
		t.Errorf("what was said is in no context: %v", got.Data["content"])
	}
}

func TestAStoreThatFailsIsARefusalLikeAnyOther(t *testing.T) {
	p := newPrograms(t)
	p.cfg.Store = full{p.cfg.Store}
	got := p.call("add_entry", `{"raw_entry":"x"}`)
	want := map[string]any{"code": core.CodeInternal, "message": "no space left", "hint": "try again; the room's log tells more"}
	if diff := cmp.Diff(want, got.Data); got.Status != core.ToolError || diff != "" {
		t.Errorf("got %+v %s", got, diff)
	}
}

type full struct{ memory.Store }

func (full) Put(context.Context, ...core.Row) error { return errors.New("no space left") }

func FuzzToolsAnswerWhateverTheyAreGiven(f *testing.F) {
	for _, args := range []string{``, `null`, `[]`, `{"limit":"007"}`, `{"limit":1e300}`, `{"raw_entry":"\ud800"}`, `{"before":99999999999999999999}`, `{"memory_id":"m","vault_id":"v","query":"a"}`} {
		f.Add(args)
	}
	f.Fuzz(func(t *testing.T, args string) {
		p := newPrograms(t)
		tools := memory.Tools(p.cfg)
		for _, tool := range tools {
			name := tool.Spec().Name
			got := p.use(tool, args)
			if _, err := json.Marshal(got.Data); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if !got.OK() && (got.Data["code"] == "" || got.Data["message"] == "" || got.Data["hint"] == "") {
				t.Errorf("%s refuses without saying why: %+v", name, got)
			}
		}
	})
}
