// Package replay keeps what a run was given from outside (what models said, what experts answered), beside the events that came of
// it, as lines of JSON in a file; and gives a run the same again, so that it can be seen whether the same events come of it.
//
// A file may come from anywhere. It is bounded when it is read, nothing in it is run, and nothing in it is made safe: that is for
// whoever shows it.
package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/guard"
	"github.com/yaap-chat/yaap/core/userfile"
)

const (
	maxFile  = 64 << 20 // bytes that are read
	maxLines = 200_000
	maxTurns = 1000
)

// Types of the lines that are no events.
const (
	typeHead   = "recording"
	typeTools  = "recorded_tools"
	typeReply  = "recorded_reply"
	typeResult = "recorded_result"
	typeOrder  = "recorded_order"
	typeExpert = "recorded_expert"
	typeChain  = "recorded_chain"
)

// Head is what shapes a run beside what it is given. It is the first line.
type Head struct {
	Version   string                           `json:"version"`
	Thread    string                           `json:"thread"`
	Prompt    string                           `json:"prompt"`
	Args      map[string]any                   `json:"args"` // of a chain that was started as one; nil: it was not
	Runner    string                           `json:"runner"`
	Model     string                           `json:"model"`
	Fallbacks []string                         `json:"fallbacks,omitempty"`
	MaxTurns  int                              `json:"max_turns"`
	ReAsks    int                              `json:"re_asks"`
	Guards    map[core.GuardStage]guard.Policy `json:"guards,omitempty"`
	Agents    []Agent                          `json:"agents,omitempty"`
	Chains    []string                         `json:"chains,omitempty"` // that the agent may call
	Own       []core.ToolSpec                  `json:"own,omitempty"`    // the room's own tools
	Said      []core.Message                   `json:"said,omitempty"`   // in the conversation before
	Masked    bool                             `json:"masked,omitempty"`
}

// Agent is an agent of the user. What it is told is not kept: nobody reads it when the run is made again.
type Agent struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Tools       []string `json:"tools,omitempty"`
	Handoffs    []string `json:"handoffs,omitempty"`
	Model       string   `json:"model,omitempty"`
}

// Tools are those of the experts, from the time on when so many requests had been put to models.
type Tools struct {
	After int             `json:"after"`
	Tools []core.ToolSpec `json:"tools"`
}

// Reply is what a model said to a request. Those of a run stand in the order of its requests.
type Reply struct {
	Run      string          `json:"run"`
	Model    string          `json:"model"`
	Reads    int             `json:"reads,omitempty"`     // tokens that the model can read
	AllTools bool            `json:"all_tools,omitempty"` // the model chooses among all tools itself
	Request  string          `json:"request,omitempty"`   // hash of what it was asked
	Thinking string          `json:"thinking,omitempty"`
	Text     string          `json:"text,omitempty"`
	Pieces   []int           `json:"pieces,omitempty"` // bytes of text that came at a time; of thinking where they are below 0
	Calls    []Call          `json:"calls,omitempty"`
	Opaque   json.RawMessage `json:"opaque,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	Usage    core.Usage      `json:"usage"`
	Error    *Failure        `json:"error,omitempty"`
	Masked   bool            `json:"masked,omitempty"` // a secret was taken out
}

// Call is a call that a model asked for. What it wrote need not be JSON.
type Call struct {
	ID   string    `json:"id"`
	Tool string    `json:"tool"`
	Args string    `json:"args"`
	Bid  *core.Bid `json:"bid,omitempty"`
}

// Result is the recorded result of a call. One that was made again has the same key: its results stand in order.
type Result struct {
	Key    string          `json:"key"`
	Tool   string          `json:"tool"`
	Result core.ToolResult `json:"result"`
	Masked bool            `json:"masked,omitempty"`
	told   bool            // by an event only
}

// Order is in which order tools fit a text.
type Order struct {
	Run   string   `json:"run"`
	Text  string   `json:"text"`
	Tools []string `json:"tools"`
}

// Expert is what an expert that was looked for by its name is asked with, or why it cannot be.
type Expert struct {
	Name  string         `json:"name"`
	Spec  *core.ToolSpec `json:"spec,omitempty"`
	Error *Failure       `json:"error,omitempty"`
}

// Chain is a chain as it was written.
type Chain struct {
	Name   string `json:"name"`   // as it was asked for
	Called string `json:"called"` // as runs know it
	Path   string `json:"path"`   // for people
	Dir    string `json:"dir,omitempty"`
	Text   string `json:"text"`
}

// Failure is an error.
type Failure struct {
	Code    core.Code `json:"code"`
	Message string    `json:"message"`
	Hint    string    `json:"hint,omitempty"`
	AfterMS int64     `json:"after_ms,omitempty"` // how long a provider wanted to be left alone
}

// Event is an event and its line.
type Event struct {
	core.Event
	Line json.RawMessage
}

// Recording is a run with all that it was given.
type Recording struct {
	Head
	Tools   []Tools
	Replies map[string][]Reply  // by run
	Results map[string][]Result // by key
	Orders  map[string][]string // by run and text
	Experts map[string]Expert   // by name
	Sources map[string]Chain    // of chains, by name
	Traits  map[string]Reply    // of models, by name: one of their replies
	Events  []Event             // in order
	stored  bool                // it was made of what a store keeps
}

func newRecording() *Recording {
	return &Recording{
		Replies: map[string][]Reply{}, Results: map[string][]Result{}, Orders: map[string][]string{}, Experts: map[string]Expert{},
		Sources: map[string]Chain{}, Traits: map[string]Reply{},
	}
}

// Read reads a file that Create has made.
func Read(path string) (*Recording, error) {
	raw, err := userfile.Read(path, maxFile)
	if errors.Is(err, os.ErrNotExist) {
		return nil, core.Fail(core.CodeNotFound, "there is no file "+path, `make one: yaap run --record `+path+` "what is 12% of 840?"`)
	}
	if err != nil {
		return nil, core.Fail(core.CodeInvalid, "the recording cannot be read", "check the path").Because(err)
	}
	r, n := newRecording(), 0
	for line := range bytes.Lines(raw) {
		if n++; n > maxLines {
			return nil, unreadable(path, n, errors.New("there are too many lines"))
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := r.add(n, line); err != nil {
			return nil, unreadable(path, n, err)
		}
	}
	if n == 0 {
		return nil, unreadable(path, 1, errors.New("it is empty"))
	}
	r.complete()
	return r, nil
}

func unreadable(path string, line int, err error) error {
	return core.Fail(core.CodeInvalid, fmt.Sprintf("line %d of %s is not of a recording", line, path),
		"a recording is what yaap run --record FILE writes; one of a newer yaap needs that yaap").Because(err)
}

// add takes a line.
func (r *Recording) add(n int, line []byte) error {
	var l struct {
		Type string          `json:"type"`
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(line, &l); err != nil {
		return err
	}
	if (n == 1) != (l.Type == typeHead) {
		return errors.New("the first line has the type recording, and no other")
	}
	switch l.Type {
	case typeHead:
		err := core.DecodeJSON(l.Data, &r.Head)
		if err == nil && (r.MaxTurns < 1 || r.MaxTurns > maxTurns) {
			err = fmt.Errorf("max_turns is %d", r.MaxTurns)
		}
		return err
	case typeTools:
		return taken(l.Data, func(t Tools) { r.Tools = append(r.Tools, t) })
	case typeReply:
		return taken(l.Data, r.reply)
	case typeResult:
		return taken(l.Data, r.result)
	case typeOrder:
		return taken(l.Data, func(o Order) { r.Orders[o.Run+"\n"+o.Text] = o.Tools })
	case typeExpert:
		return taken(l.Data, func(e Expert) { r.Experts[e.Name] = e })
	case typeChain:
		return taken(l.Data, func(c Chain) { r.Sources[c.Name] = c })
	}
	e := Event{Line: bytes.Clone(line)}
	if err := json.Unmarshal(line, &e.Event); err != nil {
		return err
	}
	r.Events = append(r.Events, e)
	return nil
}

func (r *Recording) result(x Result) {
	r.Results[x.Key] = append(r.Results[x.Key], x)
	r.Masked = r.Masked || x.Masked
}

func (r *Recording) reply(x Reply) {
	r.Replies[x.Run] = append(r.Replies[x.Run], x)
	r.Traits[x.Model] = x
	r.Masked = r.Masked || x.Masked
}

// taken hands the data of a line on.
func taken[T any](raw json.RawMessage, take func(T)) error {
	var v T
	err := core.DecodeJSON(raw, &v)
	if err == nil {
		take(v)
	}
	return err
}

// complete puts the result of a call in the place of a result that was not kept, for the call was given up.
func (r *Recording) complete() {
	for _, e := range r.Events {
		end, ok := e.Body.(core.ToolCallEnd)
		if !ok {
			continue
		}
		key := e.CallKey(end.Call)
		if len(r.Results[key]) == 0 {
			r.result(Result{Key: key, Tool: end.Tool, told: true, Result: core.ToolResult{Status: end.Status, Code: end.Code, Text: end.Text, Files: end.Files}})
		}
	}
}

// Stored reports whether it was made of what a store keeps.
func (r *Recording) Stored() bool { return r.stored }

// Root is the run that was asked for, with its question; ok is false where none began.
func (r *Recording) Root() (root Event, ok bool) {
	for _, e := range r.Events {
		if _, begins := e.Body.(core.RunStart); begins && e.Depth == 0 && e.Parent == "" {
			return e, true
		}
	}
	return Event{}, false
}

// End is how a run ended; ok is false where it was cut off.
func (r *Recording) End(run string) (end core.RunEnd, ok bool) {
	for _, e := range r.Events {
		if b, ends := e.Body.(core.RunEnd); ends && e.Run == run {
			end, ok = b, true
		}
	}
	return end, ok
}

// Page is the recording as a conversation that was stored.
func (r *Recording) Page() core.Page {
	page := core.Page{Messages: r.Said}
	for _, e := range r.Events {
		page.Events = append(page.Events, e.Event)
	}
	if root, ok := r.Root(); ok {
		question := core.Message{ID: root.Run, Run: root.Run, Role: core.RoleUser, Text: root.Body.(core.RunStart).Prompt, Time: root.Time.Add(-time.Microsecond)}
		page.Messages = append(page.Messages[:len(page.Messages):len(page.Messages)], question)
	}
	return page
}
