package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/memory"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/orchestrator"
)

// asker is the user of a program that can ask: it says yes or no, and what it was asked.
type asker struct {
	mu    sync.Mutex
	allow bool
	asked []string
}

func (a *asker) Elicit(_ context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = append(a.asked, r.Params.Message)
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"allow": a.allow},
	}}, nil
}

func (a *asker) says(allow bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.allow = allow
}

func TestAProgramCorrectsTagsAndExpiresWhatItAdded(t *testing.T) {
	e := openMemory(t)
	id := e.call("add_entry", args{"raw_entry": "The boiler was made in 1987."})["entry_id"]
	right := e.call("correct_entry", args{"entry_id": id, "text": "The boiler was made in 1978.", "reason": "read the plate"})
	found := e.call("search_memories", args{"query": "boiler"})
	if at(found, "entries", 0, "entry_id") != right["entry_id"] || at(found, "entries", 0, "corrects") != id || at(found, "entries", 0, "reason") != "read the plate" {
		t.Errorf("got %v", found)
	}
	tagged := e.call("tag_entry", args{"entry_id": id, "tags": args{"room": "cellar", "password": "password: hunter2-is-it"}})
	if at(tagged, "tags", "room") != "cellar" || strings.Contains(fmt.Sprint(tagged), "hunter2") {
		t.Errorf("got %v", tagged)
	}
	if tagged = e.call("tag_entry", args{"entry_id": id, "tags": args{"room": ""}}); at(tagged, "tags", "room") != nil {
		t.Errorf("got %v", tagged)
	}
	e.refused("tag_entry", args{"entry_id": id, "tags": args{"source": ""}}, core.CodeInvalid)
	e.refused("expire_entry", args{"entry_id": id, "expiration_time": "2001-01-01T00:00:00Z"}, core.CodeInvalid)
	e.refused("correct_entry", args{"entry_id": "nobody", "text": "x"}, core.CodeNotFound)
	e.refused("correct_entry", args{"entry_id": id, "text": " "}, core.CodeInvalid)

	alone := e.call("add_entry", args{"raw_entry": "It is by Vaillant."})["entry_id"]
	if got := e.call("expire_entry", args{"entry_id": alone, "expiration_time": "2930-01-31T12:00:00Z"}); got["expiration_time"] != "2930-01-31T12:00:00Z" {
		t.Errorf("got %v", got)
	}
	if got := e.call("expire_entry", args{"entry_id": alone, "expiration_time": "never"}); got["expiration_time"] != "never" {
		t.Errorf("got %v", got)
	}
	if e.call("forget_entry", args{"entry_id": alone}); at(e.call("search_memories", args{"query": "Vaillant"}), "entries", 0) != nil {
		t.Error("it is still found")
	}
	e.refused("forget_entry", args{"entry_id": alone}, core.CodeConflict)
	if got := e.user.questions(); len(got) != 0 {
		t.Errorf("the user was asked %q", got)
	}
}

func TestWhatTheUserSaidIsTakenAwayOnlyWhenTheUserSaysSo(t *testing.T) {
	user := &asker{}
	e := openMemoryOf(t, client.WithElicitationHandler(user))
	said := core.Entry{ID: "said", Memory: roomMemory, Role: core.RoleUser, Raw: "The heron nests in the oak.", Created: time.Date(2026, 3, 4, 5, 6, 0, 0, time.Local)}
	must.Do(t, e.kept.Put(t.Context(), said))
	soon := time.Now().Add(time.Hour).Format(time.RFC3339)
	e.refused("forget_entry", args{"entry_id": "said"}, core.CodeRefused)
	e.refused("expire_entry", args{"entry_id": "said", "expiration_time": soon}, core.CodeRefused)
	right := e.call("correct_entry", args{"entry_id": "said", "text": "The heron nests in the elm."})["entry_id"]
	e.refused("forget_entry", args{"entry_id": right}, core.CodeRefused) // what it corrects would go with it
	want := `the memory asks: A program that is connected to this room wants to remove for good, from every file, what was said on 4 March 2026 at 05:06: "The heron nests in the oak."`
	if len(user.asked) != 3 || user.asked[0] != want {
		t.Errorf("got %q", user.asked)
	}
	user.says(true)
	e.call("forget_entry", args{"entry_id": "said"})
	if at(e.call("search_memories", args{"query": "heron"}), "entries", 0) != nil || len(e.user.questions()) != 0 {
		t.Errorf("it is still there, or the room was asked: %q", e.user.questions())
	}
}

func TestTheMemoryOfAnotherDirectoryIsUsedOnlyWhenTheUserSaysSo(t *testing.T) {
	user := &asker{}
	e := openMemoryOf(t, client.WithElicitationHandler(user))
	must.Do(t, e.kept.Put(t.Context(), core.Memory{ID: "elsewhere", Vault: roomVault, Title: "diary", Kind: "chat"}))
	there := args{"memory_id": "elsewhere"}
	if r := e.refused("list_entries", there, core.CodeRefused); r != "the user said no" {
		t.Errorf("got %q", r)
	}
	if got := e.call("get_memory", there); at(got, "memory", "title") != "diary" {
		t.Errorf("got %v", got)
	}
	user.says(true)
	e.call("list_entries", there)
	e.call("search_memories", args{"memory_id": "elsewhere", "query": "heron"})
	want := `the memory asks: A program that is connected to this room wants to use the memory "diary", which is not that of this directory, until the room closes.`
	must.Equal(t, []string{want, want}, user.asked)
}

func TestAProgramThatCannotAskIsRefusedKindlyWhereNobodySits(t *testing.T) {
	e := openMemory(t)
	e.user.says(core.Deny)
	must.Do(t, e.kept.Put(t.Context(), core.Memory{ID: "elsewhere", Vault: roomVault, Title: "diary", Kind: "chat"}))
	e.refused("list_entries", args{"memory_id": "elsewhere"}, core.CodeRefused)
	nobody := orchestrator.New(orchestrator.Config{Sink: silence{}})
	tools := core.Toolset{Tools: memory.Tools(memory.ToolsConfig{Asker: nobody, Store: e.kept, Directory: e.kept, Memory: core.Memory{ID: roomMemory}})}
	tool, _ := tools.Find("list_entries")
	got, err := tool.Call(t.Context(), core.Call{Args: json.RawMessage(`{"memory_id":"elsewhere"}`)})
	if err != nil || got.Data["code"] != core.CodeRefused || !strings.Contains(fmt.Sprint(got.Data["hint"]), "open yaap in this directory") {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestToolsSayWhatTheyDoToTheMemory(t *testing.T) {
	e := openMemory(t)
	all := must.Get(e.c.ListTools(t.Context(), mcp.ListToolsRequest{}))(t)
	is := func(b *bool) string {
		if b == nil {
			return "?"
		}
		return fmt.Sprint(*b)
	}
	for _, tool := range all.Tools {
		a := tool.Annotations
		got := strings.Join([]string{is(a.ReadOnlyHint), is(a.DestructiveHint), is(a.IdempotentHint)}, " ")
		if want, ok := map[string]string{
			"search_memories": "true ? ?", "add_entry": "false false ?", "correct_entry": "false false false",
			"tag_entry": "false true true", "expire_entry": "false true true", "forget_entry": "false true true",
		}[tool.Name]; ok && got != want {
			t.Errorf("%s: got %s, want %s", tool.Name, got, want)
		}
	}
}
