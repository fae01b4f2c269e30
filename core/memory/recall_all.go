package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/memory/extract"
)

const (
	wholeShown = 20 // notes of an answer
	lastShown  = 8  // of those that were told last
	pagesBack  = 20 // of entries, for what was said on a day
)

// whole answers what asks for all that is known of the user, of what they like, of what they
// work on, of what was decided, of what is to be done, or of what was told last.
func (r *Recaller) whole(ctx context.Context, q inquiry, c core.Call) core.ToolResult {
	notes, err := r.standing(ctx, q, c.Context)
	if err != nil {
		return core.ToolFailure(core.ToolError, core.ToolCodeExecutionFailed, err.Error())
	}
	told := wanted(q.whole, notes)
	if len(told) == 0 {
		return statements(q.Lang.Phrase("nothing of " + q.whole))
	}
	if older := len(told) - lastShown; q.whole == whereWeWere && older > 0 { // of what was said long ago, what is still to be done
		told = append(slices.DeleteFunc(slices.Clone(told[:older]), func(n *extract.Note) bool { return n.Kind != lang.Task }), told[older:]...)
	}
	return r.list(q, q.Lang.Phrase(q.whole), told[max(0, len(told)-wholeShown):])
}

// wanted are the notes that answer what asks for all of a kind.
func wanted(whole string, notes *extract.Notes) (told []*extract.Note) {
	kinds := map[string][]lang.Kind{
		aboutMe: {lang.Fact, lang.Preference}, aboutProject: {lang.Decision, lang.Fact},
		leftToDo: {lang.Task}, allDecided: {lang.Decision}, preferences: {lang.Preference},
		whereWeWere: {lang.Fact, lang.Decision, lang.Preference, lang.Task},
	}[whole]
	for _, n := range notes.Current(kinds...) {
		l := lang.Of(n.Text)
		others := whole == aboutMe && !l.IsAboutSpeaker(n.Text) && n.Kind != lang.Preference
		own := whole == aboutProject && l.IsAboutSpeaker(n.Text) && l.SubjectIsSpeaker(n.Text)
		if !others && !own {
			told = append(told, n)
		}
	}
	return told
}

// list tells notes, the newest last.
func (r *Recaller) list(q inquiry, head string, notes []*extract.Note) core.ToolResult {
	lines := []string{head}
	data := make([]any, len(notes))
	for i, n := range notes {
		text := strings.TrimSpace(n.Text)
		if n.Kind == lang.Task || n.Kind == lang.Decision {
			text = strings.TrimSpace(lang.TrimStatementPrefix(text))
		}
		day := ""
		if !n.Time.IsZero() {
			day = r.day(q.Lang, n.Time) + ": "
		}
		lines = append(lines, "- "+day+quoted(text)+toOpen(n.Entry, n.Order))
		data[i] = map[string]any{"entry_id": n.Entry, "time": n.Time, "statement": n.Text, "kind": string(n.Kind)}
	}
	return statements(strings.Join(lines, "\n"), data...)
}

// toOpen is where a note can be opened: "/memory show 12".
func toOpen(entry string, order int) string {
	if entry == "" || order <= 0 {
		return ""
	}
	return fmt.Sprintf(" (#%d)", order)
}

// standing are the notes of the newest context, and of what was said since.
func (r *Recaller) standing(ctx context.Context, q inquiry, said []core.Message) (*extract.Notes, error) {
	waiting, err := r.said.Unrecorded(ctx, r.memory, depth)
	if err != nil {
		return nil, err
	}
	docs, err := r.said.Contexts(ctx, r.memory, 1)
	if err != nil {
		return nil, err
	}
	notes, upto := &extract.Notes{}, int64(0)
	if len(docs) > 0 {
		notes, upto = extract.ReadContext(docs[0].Content), docs[0].Upto
	}
	entries, err := r.said.Entries(ctx, r.memory, core.EntryQuery{Limit: core.MaxEntries, After: upto})
	if err != nil {
		return nil, err
	}
	entries = slices.DeleteFunc(entries, func(e core.Entry) bool { return e.Role != core.RoleUser || !holds(e) })
	for _, n := range toldIn(q, waiting, entries, nil) {
		notes.AddNote(n)
	}
	for _, n := range notes.List {
		if n.Entry == "" {
			if e, ok := sourceOf(ctx, r.said, r.memory, n); ok {
				n.Entry, n.Order, n.Time = e.ID, int(e.Seq), e.Created
			}
		}
	}
	return notes, nil
}

// talkedThen tells what was said in some time: what was told, or else what was
// asked.
func (r *Recaller) talkedThen(ctx context.Context, q inquiry, from, to time.Time) core.ToolResult {
	then, err := r.since(ctx, from)
	if err != nil {
		return core.ToolFailure(core.ToolError, core.ToolCodeExecutionFailed, err.Error())
	}
	then = slices.DeleteFunc(then, func(e core.Entry) bool { return !e.Created.Before(to) })
	slices.Reverse(then)
	notes := &extract.Notes{}
	for _, e := range then {
		notes.List = append(notes.List, extract.NotesOf(e.Raw, e.Created, e.ID, int(e.Seq))...)
	}
	if len(notes.List) == 0 {
		for _, e := range then {
			if text := strings.Join(strings.Fields(e.Raw), " "); strings.ContainsFunc(text, unicode.IsLetter) {
				notes.List = append(notes.List, extract.QuestionNote(text, e.Created, e.ID, int(e.Seq)))
			}
		}
	}
	if len(notes.List) == 0 {
		return statements(q.Lang.Phrase("nothing then"))
	}
	return r.list(q, q.Lang.Phrase("talked"), notes.List[max(0, len(notes.List)-wholeShown):])
}
