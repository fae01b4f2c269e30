package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/hub/server"
	"github.com/yaap-chat/yaap/core/memory"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/orchestrator"
	"github.com/yaap-chat/yaap/core/store"
	"github.com/yaap-chat/yaap/core/yaap"
)

const (
	roomVault  = "11111111-1111-4111-8111-111111111111"
	roomMemory = "22222222-2222-4222-8222-222222222222"
)

// desk is where the user sits: every question gets the answer that is set, if
// there is one.
type desk struct {
	chat *orchestrator.Orchestrator
	told chan core.Body // every question and what came of it, where it is not nil

	mu     sync.Mutex
	answer string
	title  string // what the user changes a title to, if anything
	asked  []string
}

func (d *desk) Emit(_ core.Scope, b core.Body) core.Event {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.told != nil {
		d.told <- b
	}
	if q, ok := b.(core.ApprovalRequested); ok {
		d.asked = append(d.asked, q.Reason+" "+string(q.Args))
		answer := core.Answer{Pause: q.Pause, ID: d.answer}
		if d.title != "" {
			answer.Data = json.RawMessage(`{"title":"` + d.title + `"}`)
		}
		go func() { _ = d.chat.Decide(answer) }()
	}
	return core.Event{Body: b}
}

func (d *desk) says(answer string) { d.saysOf(answer, "") }

func (d *desk) saysOf(answer, title string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.answer, d.title = answer, title
}

func (d *desk) questions() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string{}, d.asked...)
}

// editor is an MCP client of a room that remembers: the library's own client,
// over HTTP.
type editor struct {
	t    *testing.T
	c    *client.Client
	user *desk
	kept *store.Store
	at   server.Address
}

func openMemory(t *testing.T) *editor {
	t.Helper()
	return openMemoryOf(t)
}

// openMemoryOf is openMemory for a program with these abilities.
func openMemoryOf(t *testing.T, can ...client.ClientOption) *editor {
	t.Helper()
	return openMemoryAt(t, "/mcp", can...)
}

// openMemoryAt is openMemoryOf for a program at another door.
func openMemoryAt(t *testing.T, path string, can ...client.ClientOption) *editor {
	t.Helper()
	kept := must.Get(store.Open(t.Context(), t.TempDir()))(t)
	user := &desk{answer: core.AllowOnce}
	user.chat = orchestrator.New(orchestrator.Config{Journal: kept, Conversations: kept, Sink: user, Attended: true})
	room := core.Memory{ID: roomMemory, Vault: roomVault, Title: "here", Kind: "chat"}
	dir := t.TempDir()
	cfg := memory.ToolsConfig{
		Store: kept, Directory: kept, Memory: room, Asker: user.chat, Prompts: memory.Prompts{EntryCapture: "CAPTURE", Summary: "SUMMARY", Context: "CONTEXT"},
	}
	s := server.New(server.Config{
		Hub: hub.New(user, nil, nil), RunDirs: []string{dir}, Version: "test", Tools: memory.Tools(cfg), Graph: memory.GraphTools(cfg),
		Prompts: []server.Prompt{{Name: "summary_prompt", Description: "How to sum up.", Text: "SUMMARY"}},
	})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 2)
	go func() { ended <- kept.Run(ctx) }()
	go func() { ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		must.Report(t, errors.Join(<-ended, <-ended, kept.Close()))
	})
	must.Do(t, kept.Put(t.Context(), core.Vault{ID: roomVault, Title: "default"}, room))
	address := addressIn(t, dir)
	return &editor{t: t, c: dial(t, address, path, nil, can...), user: user, kept: kept, at: address}
}

func (e *editor) try(tool string, args any) (map[string]any, *yaap.Refusal) {
	e.t.Helper()
	if args == nil {
		args = map[string]any{}
	}
	request := mcp.CallToolRequest{}
	request.Params.Name, request.Params.Arguments = tool, args
	got := must.Get(e.c.CallTool(e.t.Context(), request))(e.t)
	raw := must.Get(json.Marshal(got.StructuredContent))(e.t)
	if text, ok := got.Content[0].(mcp.TextContent); !ok || !json.Valid([]byte(text.Text)) {
		e.t.Errorf("%s: the text is not the same JSON: %+v", tool, got.Content)
	}
	if got.IsError {
		var r yaap.Refusal
		if err := json.Unmarshal(raw, &r); err != nil || r.Code == "" || r.Message == "" || r.Hint == "" {
			e.t.Errorf("%s refuses without saying why: %s, %v", tool, raw, err)
		}
		return nil, &r
	}
	var answer map[string]any
	must.Do(e.t, json.Unmarshal(raw, &answer))
	return answer, nil
}

// call calls a tool that must not refuse.
func (e *editor) call(tool string, args any) map[string]any {
	e.t.Helper()
	got, refusal := e.try(tool, args)
	if refusal != nil {
		e.t.Fatalf("%s %v: %+v", tool, args, refusal)
	}
	return got
}

// refused calls a tool that must refuse, and returns what it says.
func (e *editor) refused(tool string, args any, code core.Code) string {
	e.t.Helper()
	got, refusal := e.try(tool, args)
	if refusal == nil || refusal.Code != string(code) {
		e.t.Fatalf("%s %.200v: got %v, %+v, want %s", tool, args, got, refusal, code)
	}
	return refusal.Message
}

type args = map[string]any

func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			v, _ = v.(map[string]any)[p]
		case int:
			if all, ok := v.([]any); ok && p < len(all) {
				v = all[p]
			} else {
				v = nil
			}
		}
	}
	return v
}

func TestAProgramRemembersAndFindsAgainWhatItAdded(t *testing.T) {
	e := openMemory(t)
	first := e.call("add_entry", args{"raw_entry": "The boiler was made in 1987.", "summary": "The user said when the boiler was made.", "tags": args{"role": "user", "topic": "boiler"}})
	second := e.call("add_entry", args{"raw_entry": "It is by Vaillant, and its password: Heizung-1987-warm.", "tags": args{"role": "assistant"}})
	if second["secrets_masked"] != 1.0 {
		t.Errorf("the secret was kept: %v", second)
	}
	if at(e.call("get_entry", args{"entry_id": second["entry_id"]}), "entry", "raw_entry") != "It is by Vaillant, and its password: [secret: password]." {
		t.Errorf("got %v", e.call("get_entry", args{"entry_id": second["entry_id"]}))
	}
	entry := at(e.call("get_entry", args{"vault_id": roomVault, "memory_id": roomMemory, "entry_id": first["entry_id"]}), "entry")
	want := map[string]any{
		"entry_id": first["entry_id"], "memory_id": roomMemory, "seq": first["seq"], "role": "user", "created": at(entry, "created"),
		"raw_entry": "The boiler was made in 1987.", "summary": "The user said when the boiler was made.",
		"tags": map[string]any{"role": "user", "topic": "boiler", "source": "mcp"},
	}
	must.Equal(t, want, entry)
	found := e.call("search_memories", args{"query": "who made the boilers?", "top_ke": "3"})
	if at(found, "entries", 0, "entry_id") != first["entry_id"] || !strings.Contains(fmt.Sprint(at(found, "entries", 0, "match")), "**boiler**") || at(found, "latest_context") != memory.NoContext {
		t.Errorf("got %v", found)
	}
	if got := e.call("await_consistency", args{"memory_id": roomMemory}); got["durable_seq"] != second["seq"] || len(got["failed"].([]any)) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestEntriesAreListedInPagesTheNewestFirst(t *testing.T) {
	e := openMemory(t)
	var seqs []any
	for i := range 7 {
		seqs = append(seqs, e.call("add_entry", args{"raw_entry": fmt.Sprint("message ", i)})["seq"])
	}
	var got []any
	page := e.call("list_entries", args{"limit": 3})
	for ; page["next_before"] != nil; page = e.call("list_entries", args{"limit": "3", "before": page["next_before"]}) {
		for i := range 3 {
			got = append(got, at(page, "entries", i, "seq"))
		}
	}
	got = append(got, at(page, "entries", 0, "seq"))
	want := []any{seqs[6], seqs[5], seqs[4], seqs[3], seqs[2], seqs[1], seqs[0]}
	must.Equal(t, want, got)
	if page := e.call("list_entries", args{"after": fmt.Sprint(seqs[4]), "before": seqs[6]}); at(page, "entries", 0, "seq") != seqs[5] || at(page, "entries", 1) != nil {
		t.Errorf("the bounds are not exclusive: %v", page)
	}
	for _, limit := range []any{0, 51, "51", "0", "many", 1.5, -1} {
		e.refused("list_entries", args{"limit": limit}, core.CodeInvalid)
	}
}

func TestALongMessageBecomesLinkedEntriesWithNothingLost(t *testing.T) {
	e := openMemory(t)
	text := strings.Repeat("Grüße aus dem Keller. ", 1000)
	got := e.call("add_entry", args{"raw_entry": text, "summary": "Greetings.", "idempotency_key": "letter"})
	ids, ok := got["entry_ids"].([]any)
	if !ok || len(ids) != 3 || ids[0] != got["entry_id"] {
		t.Fatalf("got %v", got)
	}
	var all string
	for i, id := range ids {
		entry := at(e.call("get_entry", args{"entry_id": id}), "entry")
		all += at(entry, "raw_entry").(string)
		if at(entry, "part") != float64(i+1) || at(entry, "message") != at(e.call("get_entry", args{"entry_id": ids[0]}), "entry", "message") {
			t.Errorf("part %d is not linked: %v", i+1, entry)
		}
	}
	if all != text {
		t.Error("the parts are not the message")
	}
	again := e.call("add_entry", args{"raw_entry": text, "summary": "Greetings.", "idempotency_key": "letter"})
	if diff := cmp.Diff(got, again); diff != "" {
		t.Errorf("adding it again made others: %s", diff)
	}
	e.refused("add_entry", args{"raw_entry": "Something else.", "idempotency_key": "letter"}, core.CodeConflict)
	if entries := e.call("list_entries", nil)["entries"].([]any); len(entries) != 3 {
		t.Errorf("got %d entries, want 3", len(entries))
	}
	e.refused("add_entry", args{"raw_entry": strings.Repeat("x", 32*9000+1)}, core.CodeInvalid)
}

func TestContextsAreVersionsAndTheLatestIsTold(t *testing.T) {
	e := openMemory(t)
	if got := e.call("get_context", nil); got["content"] != memory.NoContext || got["placeholder"] != true {
		t.Errorf("got %v", got)
	}
	for _, content := range []string{"## Facts\nThe heron eats fish.", "## Facts\nThe toad sings.", "## Facts\npassword: hunter2-is-not-it"} {
		e.call("put_context", args{"content": content})
	}
	latest := e.call("get_context", args{"memory_id": roomMemory})
	if strings.Contains(latest["content"].(string), "hunter2") || latest["placeholder"] != nil {
		t.Errorf("got %v", latest)
	}
	if versions := e.call("list_contexts", args{"limit": 2}); at(versions, "contexts", 0, "context_id") != latest["context_id"] || at(versions, "contexts", 1, "content") != "## Facts\nThe toad sings." || at(versions, "contexts", 2) != nil {
		t.Errorf("got %v", versions)
	}
	found := e.call("search_memories", args{"query": "herons", "top_kc": 2})
	if found["latest_context"] != latest["content"] || found["context_time"] != latest["created"] || at(found, "contexts", 0, "content") != "## Facts\nThe heron eats fish." || at(found, "contexts", 1) != nil {
		t.Errorf("got %v", found)
	}
	e.refused("put_context", args{"content": strings.Repeat("x", 5001)}, core.CodeInvalid)
}

func TestAVaultAndAMemoryAreMadeOnlyWhenTheUserSaysSo(t *testing.T) {
	e := openMemory(t)
	vault := e.call("create_vault", args{"title": "work"})
	id := at(vault, "vault", "vault_id")
	mem := e.call("create_memory_in_vault", args{"vault_id": id, "title": "editor", "memory_type": "chat"})
	want := []string{
		`A program that is connected to this room wants to make the vault "work". {"title":"work"}`,
		`A program that is connected to this room wants to make the memory "editor" in the vault "work". {"title":"editor"}`,
	}
	must.Equal(t, want, e.user.questions())
	where := args{"vault_id": id, "memory_id": at(mem, "memory", "memory_id")}
	if got := e.call("get_memory", where); at(got, "memory", "title") != "editor" {
		t.Errorf("got %v", got)
	}

	e.user.says(core.Deny)
	if r := e.refused("create_vault", args{"title": "play"}, core.CodeRefused); r != "the user said no" {
		t.Errorf("got %q", r)
	}
	e.refused("create_memory_in_vault", args{"title": "play"}, core.CodeRefused)
	asked := len(e.user.questions())
	e.refused("create_vault", args{"title": "work"}, core.CodeConflict) // what cannot be done is not asked about
	e.refused("create_vault", args{"title": "two words"}, core.CodeInvalid)
	e.refused("create_memory_in_vault", args{"title": "here"}, core.CodeConflict)
	e.refused("create_memory_in_vault", args{"vault_id": "nowhere", "title": "x"}, core.CodeNotFound)
	if got := len(e.user.questions()); got != asked {
		t.Errorf("the user was asked %d times for nothing", got-asked)
	}
	vaults := e.call("list_vaults", nil)
	if at(vaults, "vaults", 0, "title") != "default" || at(vaults, "vaults", 1, "title") != "work" || at(vaults, "vaults", 2) != nil || at(vaults, "room", "memory_id") != roomMemory {
		t.Errorf("got %v", vaults)
	}
	if got := e.call("list_memories", args{"vault_id": id}); at(got, "memories", 0, "title") != "editor" || at(got, "memories", 1) != nil {
		t.Errorf("got %v", got)
	}
}

func TestTheUserMayGiveAVaultAnotherTitle(t *testing.T) {
	e := openMemory(t)
	e.user.saysOf(core.AllowOnce, "private")
	if got := e.call("create_vault", args{"title": "work"}); at(got, "vault", "title") != "private" {
		t.Errorf("got %v", got)
	}
	e.user.saysOf(core.AllowOnce, "here") // which is there
	e.refused("create_memory_in_vault", args{"title": "there"}, core.CodeConflict)
	e.user.saysOf(core.AllowOnce, "not a title")
	e.refused("create_vault", args{"title": "play"}, core.CodeInvalid)
	if vaults := e.call("list_vaults", nil); at(vaults, "vaults", 1, "title") != "private" || at(vaults, "vaults", 2) != nil {
		t.Errorf("got %v", vaults)
	}
}

func TestAUserWhoDoesNotAnswerMakesNoVault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := orchestrator.New(orchestrator.Config{Sink: silence{}, Attended: true})
		tools := core.Toolset{Tools: memory.Tools(memory.ToolsConfig{Asker: silent, Directory: nothing{}, Memory: core.Memory{ID: roomMemory}})}
		tool, _ := tools.Find("create_vault")
		got, err := tool.Call(t.Context(), core.Call{Args: json.RawMessage(`{"title":"work"}`)}) // a Store would be missing
		if err != nil || got.Status != core.ToolPermissionDenied || got.Data["code"] != core.CodeRefused || got.Data["hint"] != "try again when somebody sits at the room" {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

func TestAProgramThatGoesAwayIsNotAskedForAnyLonger(t *testing.T) {
	e := openMemory(t)
	e.user.told = make(chan core.Body, 2)
	e.user.says("")
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		request := mcp.CallToolRequest{}
		request.Params.Name, request.Params.Arguments = "create_vault", args{"title": "work"}
		_, _ = e.c.CallTool(ctx, request)
	}()
	asked, ok := (<-e.user.told).(core.ApprovalRequested)
	leave()
	if given, over := (<-e.user.told).(core.ApprovalGiven); !ok || !over || given.Pause != asked.Pause || given.Decision != core.Deny {
		t.Errorf("got %+v, then %+v", asked, given)
	}
	<-gone
}

type silence struct{}

func (silence) Emit(core.Scope, core.Body) core.Event { return core.Event{} }

type nothing struct{ memory.Directory }

func (nothing) Vaults(context.Context) ([]core.Vault, error) { return nil, nil }

func TestNoMemoryIsReachedByTheIdsOfAnother(t *testing.T) {
	e := openMemory(t)
	vault := at(e.call("create_vault", args{"title": "work"}), "vault", "vault_id")
	mem := at(e.call("create_memory_in_vault", args{"vault_id": vault, "title": "editor"}), "memory", "memory_id")
	there := args{"vault_id": vault, "memory_id": mem}
	with := func(where args, more args) args {
		all := args{}
		for _, a := range []args{where, more} {
			for k, v := range a {
				all[k] = v
			}
		}
		return all
	}
	id := e.call("add_entry", with(there, args{"raw_entry": "Herons nest in trees."}))["entry_id"]
	e.refused("get_entry", args{"entry_id": id}, core.CodeNotFound)
	if e.call("get_entry", with(there, args{"entry_id": id})); at(e.call("list_entries", nil), "entries", 0) != nil {
		t.Error("an entry of another memory is listed")
	}
	if at(e.call("search_memories", args{"query": "herons"}), "entries", 0) != nil {
		t.Error("an entry of another memory is found")
	}
	crossed := args{"vault_id": roomVault, "memory_id": mem}
	for tool, more := range map[string]args{
		"get_memory": nil, "add_entry": {"raw_entry": "x"}, "list_entries": nil, "get_entry": {"entry_id": id}, "search_memories": {"query": "x"},
		"put_context": {"content": "x"}, "get_context": nil, "list_contexts": nil, "await_consistency": nil,
	} {
		e.refused(tool, with(crossed, more), core.CodeNotFound)
		e.refused(tool, with(args{"memory_id": "nobody"}, more), core.CodeNotFound)
		e.refused(tool, with(args{"vault_id": vault}, more), core.CodeInvalid)
		e.refused(tool, with(args{"memroy_id": mem}, more), core.CodeInvalid) // it would be taken for the room's
	}
}

func TestWhatDoesNotFitIsRefusedAndNothingIsAdded(t *testing.T) {
	e := openMemory(t)
	for name, a := range map[string]args{
		"nothing":             {},
		"empty":               {"raw_entry": ""},
		"a NUL":               {"raw_entry": "a\x00b"},
		"a list":              {"raw_entry": []string{"a"}},
		"a long summary":      {"raw_entry": "a", "summary": strings.Repeat("x", 513)},
		"a huge tag":          {"raw_entry": "a", "tags": args{"key": strings.Repeat("x", 1<<16)}},
		"a huge name of one":  {"raw_entry": "a", "tags": args{strings.Repeat("x", 1<<16): "v"}},
		"a tag of the room's": {"raw_entry": "a", "tags": args{"source": "user"}},
		"a stranger's role":   {"raw_entry": "a", "tags": args{"role": "admin"}},
		"a time that is over": {"raw_entry": "a", "expiration_time": "2001-01-01T00:00:00Z"},
		"no time":             {"raw_entry": "a", "expiration_time": "tomorrow"},
	} {
		if r := e.refused("add_entry", a, core.CodeInvalid); len(r) > 3000 {
			t.Errorf("%s: the message has %d bytes", name, len(r))
		}
	}
	if at(e.call("list_entries", nil), "entries", 0) != nil {
		t.Error("something was added")
	}
	e.refused("search_memories", args{"query": strings.Repeat("x", 1001)}, core.CodeInvalid)
	e.refused("get_default_prompts", args{"memory_type": "dream"}, core.CodeInvalid)
}

func TestThePromptsAreOfferedAsPromptsAndByATool(t *testing.T) {
	e := openMemory(t)
	all, err := e.c.ListPrompts(t.Context(), mcp.ListPromptsRequest{})
	if err != nil || len(all.Prompts) != 1 || all.Prompts[0].Name != "summary_prompt" || all.Prompts[0].Description != "How to sum up." {
		t.Fatalf("got %+v, %v", all, err)
	}
	request := mcp.GetPromptRequest{}
	request.Params.Name = "summary_prompt"
	got, err := e.c.GetPrompt(t.Context(), request)
	if err != nil || len(got.Messages) != 1 {
		t.Fatalf("got %+v, %v", got, err)
	}
	if text, ok := got.Messages[0].Content.(mcp.TextContent); !ok || text.Text != "SUMMARY" {
		t.Errorf("got %+v", got.Messages[0])
	}
	want := map[string]any{"memory_type": "chat", "prompts": map[string]any{
		"entry_capture_prompt": "CAPTURE", "summary_prompt": "SUMMARY", "context_prompt": "CONTEXT",
	}}
	must.Equal(t, want, e.call("get_default_prompts", args{"memory_type": "chat"}))
}

// dial opens the library's client on a path of a room.
func dial(t *testing.T, a server.Address, path string, more []transport.StreamableHTTPCOption, can ...client.ClientOption) *client.Client {
	t.Helper()
	web, err := transport.NewStreamableHTTP(a.URL+path, append([]transport.StreamableHTTPCOption{
		transport.WithContinuousListening(), //nolint:staticcheck // it is of the older era, in which the room asks
		transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + a.Token}),
	}, more...)...)
	must.Do(t, err)
	c := client.NewClient(web, can...)
	t.Cleanup(func() {
		must.Report(t, c.Close())
	})
	must.Do(t, c.Start(t.Context()))
	hello := mcp.InitializeRequest{}
	hello.Params.ProtocolVersion, hello.Params.ClientInfo = mcp.LATEST_PROTOCOL_VERSION, mcp.Implementation{Name: "editor", Version: "1"}
	must.Get(c.Initialize(t.Context(), hello))(t)
	return c
}
