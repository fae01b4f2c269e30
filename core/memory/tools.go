package memory

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/schema"
	"github.com/yaap-chat/yaap/core/text"
)

// Directory is what there is in a store.
type Directory interface {
	Vaults(ctx context.Context) ([]core.Vault, error)
	Memories(ctx context.Context, vault string) ([]core.Memory, error)
	Memory(ctx context.Context, id string) (core.Memory, error)
	Forget(ctx context.Context, q core.ForgetQuery) (core.Forgotten, error)
}

// ToolsConfig is what the tools of a memory are made of. Store, Directory,
// Memory and Asker are required.
type ToolsConfig struct {
	Store     Store
	Directory Directory
	Memory    core.Memory // the one that is meant where a call names none
	Prompts   Prompts
	Asker     core.Asker // asked before a vault or a memory is made
	// Await is [Recorder.Await] where Memory has a worker, whose messages are
	// waited for, too; nil: it has none.
	Await func(ctx context.Context) (core.Consistency, error)
	Off   func() bool // reports whether nothing may be remembered; nil: it may
	Now   func() time.Time
}

// Tools are what other programs may do with what is remembered. Every vault and
// memory can be named; what a call names has to belong together. A result's
// Data is what the program reads; that of a refusal is code, message and hint.
func Tools(cfg ToolsConfig) []core.Tool {
	o := newOpen(cfg)
	return append(o.changes(), []core.Tool{
		writing(tool("create_vault", "Makes a vault, which holds memories. The user is asked first, and may take a minute.",
			`"required":["title"],"properties":{"title":`+titleSchema+`}`, o.createVault)),
		tool("list_vaults", "Lists the vaults, and says which memory is that of the room.", `"properties":{}`, o.listVaults),
		writing(tool("create_memory_in_vault", "Makes a memory in a vault. The user is asked first, and may take a minute.",
			`"required":["title"],"properties":{"vault_id":`+vaultSchema+`,"title":`+titleSchema+`,"memory_type":`+typeSchema+`}`, o.createMemory)),
		tool("list_memories", "Lists the memories of a vault.", `"properties":{"vault_id":`+vaultSchema+`}`, o.listMemories),
		tool("get_memory", "Describes a memory.", `"properties":{`+whereSchema+`}`, o.getMemory),
		writing(tool("add_entry", "Remembers a message, word for word. A long one becomes several entries, which are linked. Secrets in it are masked.",
			`"required":["raw_entry"],"properties":{`+whereSchema+`,
			"raw_entry":{"type":"string","minLength":1,"maxLength":`+fmt.Sprint(maxParts*core.MaxRaw)+`,"description":"The message as it was said."},
			"summary":{"type":"string","maxLength":512,"description":"What it says, in the past tense, with its numbers, names and dates. Without one an extract is made."},
			"tags":{"type":"object","maxProperties":29,"additionalProperties":{"type":"string","maxLength":1024},"description":"The tag role says whose message it is: user (if it is left out), assistant, system or tool."},
			"expiration_time":{"type":"string","description":"From then on it is not remembered any more, such as 2027-01-31T12:00:00Z."},
			"idempotency_key":{"type":"string","minLength":1,"maxLength":200,"description":"Adding the same message again under the same key changes nothing."}}`, o.addEntry)),
		tool("list_entries", "Lists entries, the newest first.",
			`"properties":{`+whereSchema+`,"limit":`+numberSchema("1 to 50; 10 if it is left out.")+`,
			"before":`+numberSchema("A seq: only entries before it.")+`,"after":`+numberSchema("A seq: only entries after it.")+`}`, o.listEntries),
		tool("get_entry", "Returns an entry.",
			`"required":["entry_id"],"properties":{`+whereSchema+`,"entry_id":{"type":"string","minLength":1,"maxLength":256}}`, o.getEntry),
		tool("search_memories", "Finds entries by their words, the best first, and tells the latest context.",
			`"required":["query"],"properties":{`+whereSchema+`,"query":{"type":"string","minLength":1,"maxLength":1000,"description":"Words that the entry holds. `+core.SearchFilters+`."},
			"top_ke":`+numberSchema("How many entries, 1 to 50; 5 if it is left out.")+`,
			"top_kc":`+numberSchema("How many earlier contexts that hold these words, 0 to 10; none if it is left out.")+`}`, o.search),
		writing(tool("put_context", "Writes what a memory comes to. The versions before are kept. Secrets in it are masked.",
			`"required":["content"],"properties":{`+whereSchema+`,"content":{"type":"string","minLength":1,"maxLength":5000,"description":"Markdown; get_default_prompts tells its sections."}}`, o.putContext)),
		tool("get_context", "Returns what a memory comes to.", `"properties":{`+whereSchema+`}`, o.getContext),
		tool("list_contexts", "Lists the versions of a context, the newest first.",
			`"properties":{`+whereSchema+`,"limit":`+numberSchema("1 to 50; 10 if it is left out.")+`}`, o.listContexts),
		tool("await_consistency", "Returns when everything that was added before is on disk and can be found, or says what failed.",
			`"properties":{`+whereSchema+`,"timeout_ms":{"type":"integer","minimum":1,"maximum":60000,"description":"10000 if it is left out."}}`, o.await),
		tool("get_default_prompts", "Returns the rules that entries, summaries and contexts are written by.",
			`"properties":{"memory_type":`+typeSchema+`}`, o.prompts),
	}...)
}

// Parts of schemas.
const (
	titleSchema = `{"type":"string","minLength":1,"maxLength":50,"description":"Letters, digits and hyphens, such as my-project."}`
	vaultSchema = `{"type":"string","maxLength":256,"description":"That of the room if it is left out."}`
	whereSchema = `"vault_id":{"type":"string","maxLength":256},"memory_id":{"type":"string","maxLength":256,"description":"That of the room if both are left out."}`
	typeSchema  = `{"type":"string","enum":["chat"]}`
)

// numberSchema takes numbers as texts, too: many programs send these.
func numberSchema(description string) string {
	return `{"type":["integer","string"],"minimum":0,"pattern":"^[0-9]{1,18}$","description":"` + description + `"}`
}

// number is an integer, or one that is written as a text.
type number int64

// UnmarshalJSON implements [json.Unmarshaler].
func (n *number) UnmarshalJSON(raw []byte) error {
	v, err := strconv.ParseInt(string(bytes.Trim(raw, `"`)), 10, 64)
	*n = number(v)
	return err
}

// open is a memory as other programs see it.
type open struct {
	ToolsConfig
	others *others
}

// others are the memories beside that of the room that the user lets programs use.
type others struct {
	sync.Mutex
	allowed []string // ids
}

func newOpen(cfg ToolsConfig) open {
	if cfg.Off == nil {
		cfg.Off = func() bool { return false }
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return open{cfg, new(others)}
}

// handled is a tool made of a function.
type handled struct {
	spec   core.ToolSpec
	handle func(context.Context, core.Call) (map[string]any, error)
}

// claims says of a tool that it only reads, or that it adds something.
func claims(reads bool) core.Claims {
	no := false
	c := core.Claims{ReadOnly: &reads, OpenWorld: &no}
	if !reads {
		c.Destructive = &no
	}
	return c
}

// writing says of a tool that it adds something.
func writing(t handled) handled {
	t.spec.Claims = claims(false)
	return t
}

// tool makes a tool of a function that takes A; fields are those of the schema
// of A, which holds before the function is called.
func tool[A any](name, description, fields string, do func(context.Context, A) (map[string]any, error)) handled {
	spec := core.ToolSpec{
		Name: name, Description: description, Claims: claims(true), Schema: json.RawMessage(`{"type":"object","additionalProperties":false,` + fields + `}`),
	}
	read := argsReader[A](spec.Schema)
	return handled{spec, func(ctx context.Context, c core.Call) (map[string]any, error) {
		args, issues, err := read(c.Args)
		switch {
		case err != nil:
			return nil, err
		case issues != "":
			return nil, core.Fail(core.CodeInvalid, issues, "the schema of "+name+" tells what it takes")
		}
		return do(ctx, args)
	}}
}

// argsReader returns a function that reads arguments as a schema has them, and says
// what is wrong with them. The schema is compiled for the first call: most tools are
// never called.
func argsReader[A any](wanted json.RawMessage) func(raw json.RawMessage) (args A, issues string, err error) {
	compiled := sync.OnceValues(func() (*schema.Schema, error) { return schema.Compile(wanted) })
	return func(raw json.RawMessage) (args A, issues string, err error) {
		if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
			raw = json.RawMessage("{}")
		}
		s, err := compiled()
		if err != nil {
			return args, "", err
		}
		if issues = strings.Join(s.Check(raw), "; "); issues == "" {
			if err := json.Unmarshal(raw, &args); err != nil {
				issues = err.Error()
			}
		}
		return args, short(issues), nil
	}
}

// Spec implements [core.Tool].
func (t handled) Spec() core.ToolSpec { return t.spec }

// Call implements [core.Tool].
func (t handled) Call(ctx context.Context, c core.Call) (core.ToolResult, error) {
	data, err := t.handle(ctx, c)
	if err == nil {
		return core.ToolResult{Status: core.ToolSuccess, Data: data}, nil
	}
	code := core.CodeOf(err)
	result := core.ToolFailure(core.ToolError, core.ToolCodeExecutionFailed, err.Error())
	switch code {
	case core.CodeInvalid, core.CodeNotFound, core.CodeConflict:
		result.Status, result.Code = core.ToolValidationError, core.ToolCodeInvalidInput
	case core.CodeRefused:
		result.Status, result.Code = core.ToolPermissionDenied, core.ToolCodePermissionDenied
	default:
	}
	result.Data = map[string]any{"code": code, "message": err.Error(), "hint": cmp.Or(core.HintOf(err), "try again; the room's log tells more")}
	return result, ctx.Err()
}

// place is where a call wants to work.
type place struct {
	Vault  string `json:"vault_id"`
	Memory string `json:"memory_id"`
}

// locate returns the memory of a place, for what tells nothing of its entries.
func (o open) locate(ctx context.Context, p place) (core.Memory, error) {
	if p == (place{}) {
		p.Memory = o.Memory.ID
	}
	if p.Memory == "" {
		return core.Memory{}, core.Fail(core.CodeInvalid, "a vault is named and no memory",
			"name a memory_id of it, as list_memories tells them, or leave both out")
	}
	m, err := o.Directory.Memory(ctx, p.Memory)
	if core.CodeOf(err) == core.CodeNotFound || err == nil && p.Vault != "" && p.Vault != m.Vault {
		return core.Memory{}, core.Fail(core.CodeNotFound, fmt.Sprintf("there is no memory %q in the vault %q", short(p.Memory), short(cmp.Or(p.Vault, "(any)"))),
			"list_vaults and list_memories tell what there is")
	}
	return m, err
}

// vault returns the vault of that id; without one, that of the room.
func (o open) vault(ctx context.Context, id string) (core.Vault, error) {
	id = cmp.Or(id, o.Memory.Vault)
	vaults, err := o.Directory.Vaults(ctx)
	if err != nil {
		return core.Vault{}, err
	}
	for _, v := range vaults {
		if v.ID == id {
			return v, nil
		}
	}
	return core.Vault{}, core.Fail(core.CodeNotFound, fmt.Sprintf("there is no vault %q", short(id)), "list_vaults tells what there is")
}

// writable fails while the user wants nothing to be remembered.
func (o open) writable() error {
	if !o.Off() {
		return nil
	}
	return core.Fail(core.CodeRefused, "nothing is remembered in this room at the moment", "the user turns it on with /memory on")
}

// told is an error of the store with a hint that fits a program.
func told(err error, hint string) error {
	var known *core.Error
	if !errors.As(err, &known) || known.Code == core.CodeInternal {
		return err
	}
	return core.Fail(known.Code, known.Message, hint)
}

// masked adds to an answer how many secrets were masked.
func masked(answer map[string]any, secrets int) map[string]any {
	if secrets > 0 {
		answer["secrets_masked"] = secrets
	}
	return answer
}

// short is the beginning of what a program wrote, for messages.
func short(s string) string { return text.Cut(s, 300, " …") }
