// Package roomhelp answers questions about the room itself: its keys, commands
// and settings, who is in it, and where things are. What it tells of them is
// taken from where they are defined.
package roomhelp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/docs"
)

// Name is the name of the tool.
const Name = "help"

// What an answer is worth as a bid.
const (
	bidRead   = 0.95
	bidLikely = 0.8 // found by the words of a key's or a command's own line
	leastRead = 0.5 // of the words, by weight
	longest   = 200 // bytes of a question
)

// Key is a line of the key table.
type Key struct {
	Keys  []string
	Where string // in words; empty: everywhere
	Does  string
}

// Command is something to type: in the chat with its slash, in the shell with
// what stands before it, or a flag with its dashes.
type Command struct {
	Name    string
	Aliases []string
	Args    string
	Does    string
	Key     string // that does the same
}

// Setting is a key of the configuration file.
type Setting struct{ Name, Does string }

// Guide is what there is to tell. Experts may be asked from any goroutine.
type Guide struct {
	Keys          []Key
	Commands      []Command // of the chat
	Shell         []Command
	Flags         []Command
	Settings      []Setting
	State, Config string // where things are kept, and the configuration file
	Experts       func() []core.Expert
}

// Help answers questions about a room. Its methods may be called from any
// goroutine.
type Help struct {
	guide  Guide
	topics []topic
	words  meanings
	lines  []line
}

// New returns the help of a room. It fails where a topic speaks of a key, a
// command or a setting that the guide does not have.
func New(g Guide) (*Help, error) {
	h := &Help{guide: g}
	h.topics, h.words = readTopics()
	for i, t := range h.topics {
		text, err := h.resolve(strings.Join(t.says, "\n"))
		if err != nil {
			return nil, fmt.Errorf("help on %s: %w", t.name, err)
		}
		h.topics[i].answer = text
	}
	h.lines = linesOf(g)
	return h, nil
}

// Bid returns what is read in a text: the share of its words that a topic, a
// key, a command, a setting or an expert of the room is about.
func (h *Help) Bid(_ context.Context, text string, _ []core.Message) core.Bid {
	a := h.find(text)
	if a.share < leastRead {
		return core.Bid{}
	}
	return core.Bid{Score: a.worth * a.share, Reads: a.about}
}

// Tool answers a prompt as the bid says that it can.
func (h *Help) Tool() core.Tool { return tool{h} }

type tool struct{ *Help }

// Spec implements [core.Tool].
func (tool) Spec() core.ToolSpec {
	return core.ToolSpec{
		Name:        Name,
		Description: "Tells how this program, yaap, is used: its keys, slash commands and settings, who is in the room, where its data is.",
		Examples:    []string{"how do I quit yaap?", "how do I add an expert?", "what does f4 show?"},
	}
}

// Call implements [core.Tool].
func (t tool) Call(ctx context.Context, c core.Call) (core.ToolResult, error) {
	var args struct {
		Prompt string `json:"prompt"`
	}
	if err := json.Unmarshal(c.Args, &args); err != nil || strings.TrimSpace(args.Prompt) == "" {
		return core.ToolFailure(core.ToolValidationError, core.ToolCodeInvalidInput, "prompt must be a question about the room"), nil
	}
	a := t.find(args.Prompt)
	if a.share < leastRead {
		a.text = "I have no help on that. " + t.topic("help")
	}
	return core.ToolResult{Status: core.ToolSuccess, Text: t.fill(a.text)}, ctx.Err()
}

// found is an answer and how much of the question it reads.
type found struct {
	text, about  string
	share, worth float64
}

// find returns the answer that reads most of a text.
func (h *Help) find(text string) found {
	text = strings.TrimSpace(text)
	words := lang.Words(strings.ToLower(text))
	l := lang.Of(text)
	if len(words) == 0 || len(text) > longest || strings.Contains(text, "\n") || l.OpeningLength(text, "dismissal") > 0 || l.HasPhrase(text, lang.AboutMe) {
		return found{}
	}
	if _, told := lang.Statement(text); told {
		return found{}
	}
	if otherRoom(words, l) {
		return found{}
	}
	if a := h.named(words, l); a.share >= leastRead {
		return a
	}
	if !lang.IsQuestion(text) && l.OpeningLength(text, lang.Lookup) == 0 && len(words) > shortRequest {
		return found{}
	}
	words = h.withExperts(words)
	best := found{}
	for _, t := range h.topics {
		if share := t.share(words, h.words, l); share > best.share {
			best = found{text: t.answer, about: "help on: " + t.name, share: share, worth: bidRead}
		}
	}
	if best.share >= leastRead {
		return best
	}
	return h.byLine(text, words, l)
}

// otherRoom reports whether words speak of a room of theirs, and not of this one: "the server
// room".
func otherRoom(words []string, l *lang.Language) bool {
	for i := 1; i < len(words); i++ {
		if words[i] == "room" && !l.Has(lang.Function, words[i-1]) && !slices.Contains([]string{"chat", "yaap", "empty", "current"}, words[i-1]) {
			return true
		}
	}
	return false
}

const shortRequest = 4 // words of what is no question: "list the commands"

// withExperts returns words with those of experts' names meaning an expert.
func (h *Help) withExperts(words []string) []string {
	out := slices.Clone(words)
	for i, w := range out {
		if _, ok := h.expert(w); ok && len(h.words[w]) == 0 {
			out[i] = "expert"
		}
	}
	return out
}

// expert returns the expert of that name, if there is one in the room.
func (h *Help) expert(name string) (core.Expert, bool) {
	name = strings.TrimPrefix(name, "@")
	for _, e := range h.guide.Experts() {
		if e.Name == name && e.Present() {
			return e, true
		}
	}
	return core.Expert{}, false
}

// topic is what is said of one.
func (h *Help) topic(name string) string {
	for _, t := range h.topics {
		if t.name == name {
			return t.answer
		}
	}
	return ""
}

// resolve fills in what a text refers to and never changes.
func (h *Help) resolve(text string) (string, error) {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{")
		b.WriteString(before)
		if !ok {
			return b.String(), nil
		}
		name, after, ok := strings.Cut(rest, "}")
		value, err := h.reference(name)
		if !ok || err != nil {
			return "", cmp.Or(err, fmt.Errorf("a brace is not closed"))
		}
		b.WriteString(value)
		text = after
	}
}

func (h *Help) reference(name string) (string, error) {
	g := h.guide
	listed := func(list []Command, name string) bool {
		return slices.ContainsFunc(list, func(c Command) bool { return c.Name == name || slices.Contains(c.Aliases, name) })
	}
	kind, rest, _ := strings.Cut(name, " ")
	switch {
	case name == "experts":
		return present, nil // who is there when it is asked
	case name == "state":
		return "`" + g.State + "`", nil
	case name == "config":
		return "`" + g.Config + "`", nil
	case name == "keys":
		return h.someKeys(), nil
	case name == "commands":
		return h.allCommands(), nil
	case name == "documents":
		return "`/help " + strings.Join(docs.Topics(), "`, `/help ") + "`", nil
	case name == "settings":
		return h.allSettings(), nil
	case kind == "key":
		for _, k := range g.Keys {
			if strings.HasPrefix(k.Does, rest) || strings.HasSuffix(k.Does, rest) {
				return "`" + k.Keys[0] + "`", nil
			}
		}
	case kind == "set" && slices.ContainsFunc(g.Settings, func(s Setting) bool { return s.Name == rest }):
		return rest, nil
	case strings.HasPrefix(name, "/") && listed(g.Commands, name[1:]), strings.HasPrefix(name, "--") && listed(g.Flags, name), listed(g.Shell, name):
		return name, nil
	}
	return "", fmt.Errorf("there is no {%s}", name)
}

// fill puts in who is in the room now.
func (h *Help) fill(text string) string {
	var names []string
	for _, e := range h.guide.Experts() {
		if e.Present() {
			names = append(names, e.Name)
		}
	}
	more := ""
	if n := len(names); n > mostNames {
		names, more = names[:mostNames], fmt.Sprintf(" and %d more", n-mostNames)
	}
	who := "In the room: " + strings.Join(names, ", ") + more + "."
	if len(names) == 0 {
		who = "Nobody is in the room yet: `/experts add COMMAND` brings an expert in."
	}
	return strings.ReplaceAll(text, present, who)
}

const (
	present   = "\x00" // stands for who is in the room
	mostNames = 12
)
