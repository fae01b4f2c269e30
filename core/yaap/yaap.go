// Package yaap is the wire contract between a room and its experts, YAAP/1:
// the names of the tools and notifications, the JSON they carry, and what is
// allowed in it. It is what an author in another language reads.
//
// YAAP is carried by MCP and rests on plain tool calls only: no session, no
// ping and no request from server to client is needed. An expert that connects
// by itself (a peer) holds a lease, given by hello; an expert that the room
// started (a child) is known by its pipe.
//
// A child is given PATH, HOME, LANG, TZ and TMPDIR, the variables that the user allows
// it, and YAAP_EXPERT: whatever it starts in the background keeps this, and is
// ended with it.
//
// A peer finds the room by the file hub.json, {url, token, pid, dir}, in
// $XDG_RUNTIME_DIR/yaap and in ~/.local/state/yaap/run: it calls url/yaap with
// the token as bearer. Of several rooms the file speaks of the one that opened
// last and is still open; each room has a file of its own beside it, room-*.json,
// of which dir is the directory that the room works in.
//
// An open room holds its file locked (flock). A peer that can lock hub.json reads
// what a killed room left behind, which the next yaap removes: it should not send
// the token. To be sure of who listens it asks GET url/proof?nonce=X first, with
// an X of its own making, and over the same connection: the room answers with
// HMAC-SHA256, in hex, of "yaap room HOST:PORT X" under the token.
package yaap

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Version is the version of the protocol.
const Version = 1

// The tools of the room's server.
const (
	ToolHello    = "hello"
	ToolNext     = "next"
	ToolReply    = "reply"
	ToolProgress = "progress"
	ToolGoodbye  = "goodbye"
	ToolInvite   = "invite"   // an MCP server of another terminal into the room
	ToolChat     = "chat"     // at /mcp, for anybody who may talk to the room
	ToolBid      = "yaap_bid" // of a child that bids; models never see it
)

// What a child and the room say beside MCP's own messages.
const (
	Capability     = "yaap"                       // key under capabilities.experimental; holds a ChildHello
	NotifyWelcome  = "notifications/yaap/welcome" // room → child: {tool}
	NotifyGoodbye  = "notifications/yaap/goodbye" // child → room: {reason?}
	NotifyBye      = "notifications/yaap/bye"     // room → child: {reason}
	MetaContext    = "yaap/context"               // key in _meta of tools/call; holds []Utterance
	MetaDepth      = "yaap/depth"                 // key in _meta of tools/call; an integer
	MetaCall       = "yaap/call"                  // key in _meta of tools/call; a string, the same one where a call is made again after a crash
	OutputSACP     = "sacp"                       // Introduction.Output
	OutputText     = "text"
	MaxDescription = 1024 // characters
	MaxExamples    = 5
	MaxExample     = 200       // characters
	MaxSchema      = 32 << 10  // bytes
	MaxReply       = 1 << 20   // bytes
	MaxTexts       = 64        // in one request for bids
	MaxReads       = 120       // characters of Bid.Reads, and of each of Bid.Needs
	MaxNeeds       = 4         // of a Bid
	PollMS         = 20_000    // how long next waits
	LeaseMS        = 45_000    // the longest that an expert is kept whose end was not seen
	MaxTimeoutMS   = 3_600_000 // the longest call_timeout_ms
)

// Introduction is how an expert presents itself.
type Introduction struct {
	Name          string          `json:"name"`
	Description   string          `json:"description"`
	Examples      []string        `json:"examples,omitempty"`
	InputSchema   json.RawMessage `json:"input_schema,omitempty"` // default: one required string, prompt
	Output        string          `json:"output,omitempty"`       // text (default) or sacp
	Concurrency   int             `json:"concurrency,omitempty"`  // 1 to 64
	CallTimeoutMS int             `json:"call_timeout_ms,omitempty"`
	Context       bool            `json:"context,omitempty"` // the recent conversation comes with each call
	Acts          bool            `json:"acts,omitempty"`    // it changes something in the world: the user is asked before a call
	Bids          bool            `json:"bids,omitempty"`    // it says what it reads in a text before it is called

	// Adopted says that this was read off an ordinary MCP server, which said no
	// hello: it is told nothing of the conversation, and what it does not
	// declare to be read-only is taken to act.
	Adopted bool `json:"-"`
}

// ChildHello is a child's hello, in the capabilities of its handshake.
type ChildHello struct {
	V int `json:"v"`
	Introduction
}

// Hello are the arguments of the tool hello.
type Hello struct {
	YAAP int `json:"yaap"`
	Introduction
	Instance string `json:"instance,omitempty"` // the same again is a resume
}

// Welcome answers hello.
type Welcome struct {
	Lease         string `json:"lease"`
	Tool          string `json:"tool"`
	PollMS        int    `json:"poll_ms"`
	LeaseMS       int    `json:"lease_ms"`
	MaxReplyBytes int    `json:"max_reply_bytes"`
}

// Next are the arguments of the tool next, a long poll.
//
// An answer can be lost on its way. Who wants the calls in it again sends Ack,
// from the first poll on: the highest Seq that it has seen, 0 before any. Calls
// that came after it and are not answered yet are sent again, under the same
// call id, so that who has them already can pass over them. Without Ack
// nothing is sent twice.
type Next struct {
	Lease  string `json:"lease"`
	WaitMS int    `json:"wait_ms,omitempty"`
	Ack    *int64 `json:"ack,omitempty"`
}

// Events answers next.
type Events struct {
	Events []Event `json:"events"`
	Seq    int64   `json:"seq,omitempty"` // rises; there is none without events
}

// The types of an [Event].
const (
	EventCall   = "call"
	EventBid    = "bid" // answered by reply, with BidAnswer in data
	EventCancel = "cancel"
	EventBye    = "bye"
)

// Event is one thing the room tells a peer.
type Event struct {
	Type       string          `json:"type"`
	CallID     string          `json:"call_id,omitempty"`
	Arguments  json.RawMessage `json:"arguments,omitempty"`
	Texts      []string        `json:"texts,omitempty"` // of a bid
	Context    []Utterance     `json:"context,omitempty"`
	DeadlineMS int64           `json:"deadline_ms,omitempty"` // from now
	Depth      int             `json:"depth,omitempty"`       // how many rooms deep; goes along when the expert itself chats with the room
	Reason     string          `json:"reason,omitempty"`
}

// Utterance is one message of the recent conversation.
type Utterance struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// Reply are the arguments of the tool reply.
type Reply struct {
	Lease  string         `json:"lease"`
	CallID string         `json:"call_id"`
	OK     bool           `json:"ok"`
	Text   string         `json:"text"`
	Data   map[string]any `json:"data,omitempty"`
}

// Progress are the arguments of the tool progress.
type Progress struct {
	Lease    string   `json:"lease"`
	CallID   string   `json:"call_id"`
	Message  string   `json:"message"`
	Fraction *float64 `json:"fraction,omitempty"`
}

// Accepted answers reply and progress; a late or second reply is not accepted.
type Accepted struct {
	Accepted bool `json:"accepted"`
}

// Goodbye are the arguments of the tool goodbye.
type Goodbye struct {
	Lease  string `json:"lease"`
	Reason string `json:"reason,omitempty"`
}

// OK answers goodbye.
type OK struct {
	OK bool `json:"ok"`
}

// The codes of a [Refusal]. What fails inside the room has a code of the room's
// own beside them: busy, refused, no_model, timeout, cancelled, internal and such.
const (
	BadVersion     = "bad_version"
	BadName        = "bad_name"
	BadDescription = "bad_description"
	BadSchema      = "bad_schema"
	NameTaken      = "name_taken"
	TooLarge       = "too_large"
	TooMany        = "too_many"
	Denied         = "denied"
	UnknownLease   = "unknown_lease"
	Gone           = "gone"
)

// Refusal is a no from the room; it goes over the wire as an error result.
type Refusal struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"` // what to do about it
}

// Error returns the message.
func (r *Refusal) Error() string { return r.Message }

// Refuse returns a refusal with a formatted message.
func Refuse(code, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Message: fmt.Sprintf(format, args...)}
}

var nameRule = regexp.MustCompile(`^[a-z][a-z0-9_-]{1,47}$`)

// CheckName returns a refusal that names the rule which name breaks.
func CheckName(name string) error {
	if !nameRule.MatchString(name) {
		return Refuse(BadName, "the name %.60q is not allowed: it must be 2 to 48 characters of a-z, 0-9, _ and -, beginning with a letter", name)
	}
	if strings.Contains(Canonical(name), "__") {
		return Refuse(BadName, "the name %q is not allowed: two of _ and - stand between an expert and its tool", name)
	}
	if reserved(Canonical(name)) {
		return Refuse(BadName, "the name %q is reserved by yaap: choose another one", name)
	}
	return nil
}

// MakeName makes a name out of somebody's own words for something; the result
// still has to pass [CheckName].
func MakeName(own string) string {
	name := strings.TrimLeft(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '-'
	}, strings.ToLower(own)), "-_0123456789")
	return strings.TrimRight(name[:min(len(name), 48)], "-_")
}

// Canonical is what two names are compared by: - and _ are the same.
func Canonical(name string) string { return strings.ReplaceAll(name, "-", "_") }

func reserved(name string) bool {
	if strings.HasPrefix(name, "yaap_") || strings.HasPrefix(name, "handoff_") {
		return true
	}
	return slices.Contains([]string{
		ToolHello, ToolNext, ToolReply, ToolProgress, ToolGoodbye, ToolChat,
		"yaap", "you", "return_to_caller", "request_user_clarification", "find_expert", "update_todo", "earlier_result",
		"add_entry", "correct_entry", "tag_entry", "expire_entry", "forget_entry", "list_entries", "get_entry", "search_memories", "put_context", "get_context",
		"await_consistency", "create_vault", "list_vaults", "create_memory_in_vault", "list_memories",
		"get_memory", "list_contexts", "get_default_prompts", "recall", "correct", "forget", "help",
	}, name)
}

// Check returns a refusal when the introduction breaks a rule.
func (in Introduction) Check() error {
	if err := CheckName(in.Name); err != nil {
		return err
	}
	switch n := utf8.RuneCountInString(in.Description); {
	case strings.TrimSpace(in.Description) == "":
		return Refuse(BadDescription, "a description is required: say in words a user would use what %s knows", in.Name)
	case n > MaxDescription:
		return Refuse(TooLarge, "the description has %d characters: at most %d are allowed", n, MaxDescription)
	}
	if len(in.Examples) > MaxExamples {
		return Refuse(TooMany, "there are %d examples: at most %d are allowed", len(in.Examples), MaxExamples)
	}
	for _, example := range in.Examples {
		if n := utf8.RuneCountInString(example); n > MaxExample {
			return Refuse(TooLarge, "an example has %d characters: at most %d are allowed", n, MaxExample)
		}
	}
	if in.Output != "" && in.Output != OutputText && in.Output != OutputSACP {
		return Refuse(BadSchema, "output is %.20q: it must be %q or %q", in.Output, OutputText, OutputSACP)
	}
	if in.Concurrency < 0 || in.Concurrency > 64 {
		return Refuse(BadSchema, "concurrency is %d: it must be 1 to 64", in.Concurrency)
	}
	if in.CallTimeoutMS < 0 || in.CallTimeoutMS > MaxTimeoutMS {
		return Refuse(BadSchema, "call_timeout_ms is %d: it must be 1 to %d", in.CallTimeoutMS, MaxTimeoutMS)
	}
	return CheckSchema(in.InputSchema)
}

// ExplainDecodeError says why JSON does not fit a type of the contract: which key has to
// hold what.
func ExplainDecodeError(err error) string {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err.Error()
	}
	kind := "an object"
	switch wrong.Type.Kind() {
	case reflect.String:
		kind = "a string"
	case reflect.Int, reflect.Int64:
		kind = "a whole number"
	case reflect.Float64:
		kind = "a number"
	case reflect.Bool:
		kind = "true or false"
	case reflect.Slice:
		kind = "a list"
	default: // a struct or a map
	}
	key := cmp.Or(wrong.Field[strings.LastIndex(wrong.Field, ".")+1:], "it")
	return key + " must be " + kind
}

const maxSchemaDepth = 16

// CheckSchema returns a refusal unless schema is empty or a JSON object of
// type object that is small, shallow and refers to nothing outside itself.
func CheckSchema(schema json.RawMessage) error {
	if len(schema) == 0 {
		return nil
	}
	if len(schema) > MaxSchema {
		return Refuse(TooLarge, "the schema has %d bytes: at most %d are allowed", len(schema), MaxSchema)
	}
	var object map[string]any
	if json.Unmarshal(schema, &object) != nil {
		return Refuse(BadSchema, "the schema is not a JSON object")
	}
	if object == nil {
		return Refuse(BadSchema, "the schema is null, not a JSON object")
	}
	if kind, ok := object["type"]; ok && kind != "object" {
		return Refuse(BadSchema, "the schema must be of type object")
	}
	return checkNode(object, 0)
}

func checkNode(node any, depth int) error {
	if depth > maxSchemaDepth {
		return Refuse(BadSchema, "the schema is nested deeper than %d levels", maxSchemaDepth)
	}
	switch node := node.(type) {
	case map[string]any:
		if ref, ok := node["$ref"].(string); ok && !strings.HasPrefix(ref, "#") {
			return Refuse(BadSchema, "the schema refers to %.80q: only references within itself are allowed", ref)
		}
		for _, child := range node {
			if err := checkNode(child, depth+1); err != nil {
				return err
			}
		}
	case []any:
		for _, child := range node {
			if err := checkNode(child, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}
