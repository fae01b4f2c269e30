package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/question"
)

// The names of the tools that change what is remembered.
const (
	CorrectName = "correct"
	ForgetName  = "forget"
)

const (
	forgetIt     = "forget" // the option that does
	maxForgotten = 12       // statements at once
)

// EntryChanger is what an [Amender] works on.
type EntryChanger interface {
	correctable
	Search(ctx context.Context, q core.SearchQuery) ([]core.Found, error)
	Forget(ctx context.Context, q core.ForgetQuery) (core.Forgotten, error)
}

// Amender changes what is remembered as the user says: "that is wrong, it is lp-4"
// corrects what was told or said last; "forget that" and "forget the budget" forget it,
// when the user has said yes. Its methods may be called from any goroutine.
type Amender struct {
	*Recaller
	Store EntryChanger
	// Await returns when what was said before has its entry.
	Await func(context.Context) error
	// Ask has the user asked in a call; waits is what the call returns until there is an answer.
	Ask func(ctx context.Context, c core.Call, question string, options []core.Option) (answer core.Answer, waits *core.ToolResult, err error)
}

// BidCorrect is what the tool that corrects bids on a text.
func (a *Amender) BidCorrect(ctx context.Context, text string, said []core.Message) core.Bid {
	return a.bid(ctx, text, said, false)
}

// BidForget is what the tool that forgets bids on a text.
func (a *Amender) BidForget(ctx context.Context, text string, said []core.Message) core.Bid {
	return a.bid(ctx, text, said, true)
}

func (a *Amender) bid(ctx context.Context, text string, said []core.Message, forget bool) core.Bid {
	asks, ok := lang.ReadAmendment(text)
	if !ok || asks.Forget != forget {
		return core.Bid{}
	}
	if _, now := a.recorded(ctx, said, text); now.ID != "" && !forget {
		return core.Bid{Score: bidOwn, Reads: "what you said: " + quoted(now.Raw)}
	}
	found, err := a.meant(ctx, asks, text, said)
	if err != nil {
		return core.Bid{}
	}
	if len(found) > 0 {
		return core.Bid{Score: bidOwn, Reads: "what you said: " + quoted(found[0].Text)}
	}
	if asks.Bare { // it may be meant for who answered last
		return core.Bid{}
	}
	return core.Bid{Score: bidNothing, Reads: "something that you said"}
}

// Tools are the two tools, by which a prompt is carried out as the bid says.
func (a *Amender) Tools() []core.Tool { return []core.Tool{amendTool{a, false}, amendTool{a, true}} }

type amendTool struct {
	*Amender
	forget bool
}

// Spec implements [core.Tool].
func (t amendTool) Spec() core.ToolSpec {
	if t.forget {
		return core.ToolSpec{
			Name: ForgetName, Sequential: true, Description: "Forgets a thing that the user said, from every file: the user is asked first. The prompt is \"forget that\" for what was said last, or \"forget\" and what it is about.",
			Examples: []string{"forget that", "forget what I said about the budget"},
		}
	}
	return core.ToolSpec{
		Name: CorrectName, Sequential: true, Description: "Corrects what the user said last, or was told of it.",
		Examples: []string{"that is wrong, it is lp-4"},
	}
}

// Call implements [core.Tool].
func (t amendTool) Call(ctx context.Context, c core.Call) (core.ToolResult, error) {
	var args struct {
		Prompt string `json:"prompt"`
	}
	asks, ok := lang.Amendment{}, json.Unmarshal(c.Args, &args) == nil
	if ok {
		asks, ok = lang.ReadAmendment(args.Prompt)
	}
	if !ok || asks.Forget != t.forget {
		return core.ToolFailure(core.ToolValidationError, core.ToolCodeInvalidInput, "prompt must say what is wrong, or what is to be forgotten"), nil
	}
	if err := t.Await(ctx); err != nil {
		return core.ToolResult{}, err
	}
	if old, now := t.recorded(ctx, c.Context, args.Prompt); now.ID != "" && !t.forget {
		return statements(fmt.Sprintf(asks.Language.Phrase("corrected"), quoted(now.Raw), quoted(old.Raw))), nil
	}
	found, err := t.meant(ctx, asks, args.Prompt, c.Context)
	if err != nil {
		return core.ToolResult{}, err
	}
	switch {
	case len(found) == 0 && asks.About != "":
		return statements(fmt.Sprintf(asks.Language.Phrase("nothing"), asks.About)), nil
	case len(found) == 0 || found[0].entry == "" || !t.forget && asks.Right == "":
		return statements(asks.Language.Phrase("amend what")), nil
	case t.forget:
		return t.forgetStatements(ctx, c, asks.Language, found, args.Prompt)
	}
	return t.correct(ctx, asks, found[0], args.Prompt)
}

// correct corrects the entry of a statement.
func (t amendTool) correct(ctx context.Context, asks lang.Amendment, s statement, prompt string) (core.ToolResult, error) {
	e, err := t.Store.Entry(ctx, s.entry)
	if err != nil {
		return core.ToolResult{}, err
	}
	right := lang.ApplyCorrection(s.Text, asks.Right)
	said, instead := s.Text, right
	if rest, ok := strings.CutPrefix(right, s.note.Subject+" "); ok && s.note.Subject != "" { // which stands further up
		said, instead = strings.TrimPrefix(said, s.note.Subject+" "), rest
	}
	text := strings.Replace(e.Raw, said, instead, 1)
	if text == e.Raw {
		text = right
	}
	if _, err := Correct(ctx, t.Store, e, text, prompt, nil); err != nil {
		return core.ToolResult{}, err
	}
	return statements(fmt.Sprintf(asks.Language.Phrase("corrected"), quoted(right), quoted(s.Text))), nil
}

// forgetStatements forgets all entries that hold one of some statements, answers that told
// it included, when the user has said yes. The prompt and the question are of the run in
// progress, and stay.
func (t amendTool) forgetStatements(ctx context.Context, c core.Call, l *lang.Language, found []statement, prompt string) (core.ToolResult, error) {
	var texts []string
	for _, s := range found {
		texts = append(texts, quoted(s.Text))
	}
	question := fmt.Sprintf(l.Phrase("forget what"), strings.Join(texts, l.Phrase("quoted and")))
	answer, waits, err := t.Ask(ctx, c, question,
		[]core.Option{{ID: forgetIt, Label: l.Phrase("forget yes"), Also: l.Words("agreeing")}, {ID: "keep", Label: l.Phrase("forget no"), Also: l.Words("declining")}})
	switch {
	case err != nil:
		return core.ToolResult{}, err
	case waits != nil:
		return *waits, nil
	case answer.ID != forgetIt:
		return statements(l.Phrase("kept")), nil
	}
	for _, s := range found {
		e, err := t.Store.Entry(ctx, s.entry)
		if err != nil {
			return core.ToolResult{}, err
		}
		for _, text := range append(t.corrected(ctx, e), s.Text) {
			if err := t.forgetText(ctx, text, question, prompt); err != nil {
				return core.ToolResult{}, err
			}
		}
		if _, err = t.Store.Forget(ctx, core.ForgetQuery{Entry: e.ID}); err != nil {
			return core.ToolResult{}, err
		}
	}
	return statements(l.Phrase("forgot")), nil
}

// corrected is what an entry corrects, and in which words of the user it does.
func (t amendTool) corrected(ctx context.Context, e core.Entry) (texts []string) {
	for range core.MaxEntries {
		old, err := t.Store.Entry(ctx, e.Corrects)
		if err != nil {
			break // it corrects nothing
		}
		texts = append(texts, e.Reason, old.Raw)
		e = old
	}
	return slices.DeleteFunc(texts, func(text string) bool { return strings.TrimSpace(text) == "" })
}

// forgetText forgets all entries that hold a text, or tell it to the user in other words,
// but those that are not to go.
func (t amendTool) forgetText(ctx context.Context, text string, stay ...string) error {
	query := core.SearchQuery{Text: strings.ReplaceAll(text, ":", " "), Memories: []string{t.memory}, Limit: core.MaxEntries} // a colon is a filter's
	found, err := t.Store.Search(ctx, query)
	if err != nil {
		return err
	}
	told, turns := turn(text)
	says := len(lang.Words(text)) > 2 // less may stand anywhere
	for _, f := range found {
		holds := says && (strings.Contains(f.Entry.Raw, text) || turns && strings.Contains(f.Entry.Raw, told))
		if !holds && f.Entry.Raw != text || slices.Contains(stay, f.Entry.Raw) {
			continue
		}
		if _, err := t.Store.Forget(ctx, core.ForgetQuery{Entry: f.Entry.ID}); err != nil {
			return err
		}
	}
	return nil
}

// before is what the user said before a prompt, but what changes something.
func before(said []core.Message, prompt string) []core.Message {
	return slices.DeleteFunc(slices.Clone(said), func(m core.Message) bool {
		_, amends := lang.ReadAmendment(core.WithoutAttached(m.Text))
		return m.Role != core.RoleUser || amends || strings.TrimSpace(core.WithoutAttached(m.Text)) == strings.TrimSpace(prompt)
	})
}

// recorded is what was said right before a prompt and what it was corrected to by that, where
// the prompt was recorded already.
func (a *Amender) recorded(ctx context.Context, said []core.Message, prompt string) (old, now core.Entry) {
	if said = before(said, prompt); len(said) == 0 {
		return old, now
	}
	old, err := a.Store.Entry(ctx, said[len(said)-1].ID+"/1")
	if err != nil || old.Corrected == "" {
		return old, now
	}
	if now, err = a.Store.Entry(ctx, old.Corrected); err != nil || now.Reason != strings.TrimSpace(prompt) {
		return old, core.Entry{}
	}
	return old, now
}

// meant returns the statement that is to be changed: that which is told about something,
// or else what the user said last before, or was told as an answer to it. What is told about
// something has behind it what it replaced, and all of it where all is asked for.
func (a *Amender) meant(ctx context.Context, asks lang.Amendment, prompt string, said []core.Message) ([]statement, error) {
	said = before(said, prompt)
	if asks.About != "" {
		return a.about(ctx, asks, prompt, said)
	}
	if len(said) == 0 {
		return nil, nil
	}
	last := strings.TrimSpace(core.WithoutAttached(said[len(said)-1].Text))
	q, asked := readQuestion(last)
	if !asked {
		q = inquiry{Question: question.Question{Lang: lang.Of(last), Text: prompt, Looks: true}}
		for _, w := range lang.Words(last) {
			q.Words = append(q.Words, question.Word{Text: w, Weight: 1})
		}
	}
	found, err := a.find(ctx, q, said)
	if !asked { // it was said there, or instead of that
		found = slices.DeleteFunc(found, func(s statement) bool {
			return !strings.Contains(last, s.Text) && !sameSubject(s.Text, last)
		})
	}
	found = slices.DeleteFunc(found, func(s statement) bool { return !lang.CanCorrect(s.Text, asks.Right) })
	return found[:min(len(found), 1)], err
}

// about returns what is told about something: the statement that answers for it and those
// that it replaced, or all of it.
func (a *Amender) about(ctx context.Context, asks lang.Amendment, prompt string, said []core.Message) ([]statement, error) {
	q := inquiry{Question: question.Question{Lang: asks.Language, Text: asks.About, Looks: true}, ever: true}
	if q.ReadWords(); len(q.Words) == 0 { // "my name"
		q.Looks = false
		q.ReadWords()
	}
	q.Text = prompt
	found, err := a.find(ctx, q, said)
	found = slices.DeleteFunc(found, func(s statement) bool { return s.entry == "" })
	whole := slices.DeleteFunc(slices.Clone(found), func(s statement) bool { return s.Read < 0.99 })
	if asks.Language.OpeningLength(asks.About, "everything of") > 0 || len(whole) == 0 {
		return whole[:min(len(whole), maxForgotten)], err
	}
	of := whole[max(0, slices.IndexFunc(whole, func(s statement) bool { return s.note.Now == nil }))]
	found = slices.DeleteFunc(found, func(s statement) bool { return s.note == of.note || !s.note.IsReplacedBy(of.note) })
	return append([]statement{of}, found[:min(len(found), maxForgotten-1)]...), err
}
