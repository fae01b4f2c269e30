// Package export writes a conversation down for people and programs: as Markdown, as
// one HTML file that needs no network, as the lines of its events.
//
// What was said is untrusted: no text can be more than a text in what is written.
package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/diagram"
	"github.com/yaap-chat/yaap/core/runlog"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/text"
)

// Conversation is what is written.
type Conversation struct {
	Title string
	ID    string
	Turns []Turn
}

// Turn is a question with its answer.
type Turn struct {
	Question string
	At       time.Time
	Events   []core.Event  // of the run that answered and of those below it
	Run      *runlog.Run   // their fold; nil: nothing was stored of it
	Reply    *core.Reply   // nil: it was not answered
	Chain    diagram.Graph // how the chain is written that answered, as far as that is known
}

// JSONL writes the events, one a line, as `yaap run --json` prints them.
func JSONL(w io.Writer, c Conversation) error {
	for _, t := range c.Turns {
		for _, e := range t.Events {
			raw, err := json.Marshal(e)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(w, "%s\n", raw); err != nil {
				return err
			}
		}
	}
	return nil
}

// Markdown writes the questions and answers, each with what was called for it.
func Markdown(w io.Writer, c Conversation) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n_%s_\n", escaped(c.title()), c.about())
	for _, t := range c.Turns {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", t.At.Format("15:04"), quoted(t.asked()))
		for _, line := range t.steps() {
			fmt.Fprintf(&b, "- %s\n", code(line))
		}
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(safe.Text(t.answer())))
		if by := t.by(); by != "" {
			fmt.Fprintf(&b, "\n_%s_\n", escaped(by))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (c Conversation) title() string { return cmp.Or(safe.Line(c.Title), "A conversation") }

func (c Conversation) about() string {
	about := "yaap session " + safe.Line(c.ID)
	if len(c.Turns) > 0 {
		about = c.Turns[0].At.Format("2 January 2006") + ", " + about
	}
	return about
}

// asked is the question, with what the user said while it was answered.
func (t Turn) asked() string {
	said := t.Question
	for _, e := range t.Events {
		if b, ok := e.Body.(core.Steered); ok {
			said += "\n\n" + core.WithoutAttached(b.Text)
		}
	}
	return said
}

// steps are lines of what was called, and how it ended.
func (t Turn) steps() (lines []string) {
	if t.Run == nil {
		return nil
	}
	if _, chain := t.Run.Chain(); chain {
		for _, v := range t.Run.Visits {
			lines = append(lines, safe.Cut(safe.Line(v.Node+"  "+string(v.State())), maxLine))
		}
		return lines
	}
	for _, call := range t.Run.Calls() {
		line := call.Tool + "  " + runlog.Asked(call.Args)
		if call.End != nil {
			line += "  " + string(call.End.Status)
			if call.End.MS > 0 {
				line += fmt.Sprintf("  %d ms", call.End.MS)
			}
		}
		lines = append(lines, safe.Cut(safe.Line(line), maxLine))
	}
	return lines
}

// answer is what was answered, or why nothing was.
func (t Turn) answer() string {
	switch {
	case t.Reply != nil && t.Reply.Message != "":
		return t.Reply.Message
	case t.Run != nil && t.Run.End != nil && t.Run.End.Error != "":
		return t.Run.End.Error
	}
	return "(not answered)"
}

// by is who answered: the model, and how long it took.
func (t Turn) by() string {
	if t.Run == nil || t.Run.End == nil {
		return ""
	}
	by := fmt.Sprintf("%d ms", t.Run.End.MS)
	if model := t.Run.Plan.Model; model != "" {
		by = safe.Line(model) + ", " + by
	}
	return by
}

const maxLine = 300 // bytes of a step

var special = regexp.MustCompile("[\\\\`*_{}\\[\\]<>#|]")

// escaped is a text that Markdown shows as it is.
func escaped(text string) string { return special.ReplaceAllString(text, `\$0`) }

// code is a line as code, whatever it holds.
func code(line string) string {
	ticks := "`"
	for strings.Contains(line, ticks) {
		ticks += "`"
	}
	return ticks + " " + line + " " + ticks
}

// quoted is a text as it was typed, in a block that it cannot end.
func quoted(said string) string {
	return text.Fenced(safe.Text(said), "text")
}
