package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/memory/extract"
	"github.com/yaap-chat/yaap/core/question"
)

// RecallName is the name of the tool that answers from what the user said.
const RecallName = "recall"

// What a question is worth as a bid.
const (
	bidOwn     = 0.95 // it asks for what was said, or is the user's own: "my flight"
	bidOther   = 0.7  // it may be anybody's: an expert that reads it knows better
	bidNothing = 0.6  // it asks for what was said, and there is nothing
	bidMine    = 0.4  // it asks for something of the user's of which nothing was said: anybody may know better
	bidUnsaid  = 0.35 // it asks for something that both know, and nothing was said of it
	leastRead  = 0.5  // of the words, by weight
	hopWords   = 12   // by which what became of a statement is looked for
)

// StatementSource reads what the user stated: entries of the memory, and messages that are
// not recorded yet.
type StatementSource interface {
	Mentions(ctx context.Context, q core.MentionQuery) (core.Mentions, error)
	Unrecorded(ctx context.Context, memory string, limit int) ([]core.Unrecorded, error)
	Entries(ctx context.Context, memory string, q core.EntryQuery) ([]core.Entry, error)
	Messages(ctx context.Context, thread string) ([]core.Message, error)
	Contexts(ctx context.Context, memory string, limit int) ([]core.ContextDoc, error)
}

// Recaller answers questions with what the user stated: not with questions,
// requests, or what anybody else said. It writes nothing. Its methods may be
// called from any goroutine.
type Recaller struct {
	said   StatementSource
	memory string // its id
	now    func() time.Time
}

// NewRecaller returns a recaller of a memory. now may be nil.
func NewRecaller(said StatementSource, memory string, now func() time.Time) *Recaller {
	if now == nil {
		now = time.Now
	}
	return &Recaller{said: said, memory: memory, now: now}
}

// Bid returns what is read in a text: the share of its words, by how rare they
// are in the memory, that a statement of the user holds.
func (r *Recaller) Bid(ctx context.Context, text string, said []core.Message) core.Bid {
	q, ok := readQuestion(text)
	if !ok {
		return core.Bid{}
	}
	if q.whole == aboutProject || q.whole == leftToDo { // its files may tell where nobody did
		if notes, err := r.standing(ctx, q, said); err != nil || len(wanted(q.whole, notes)) == 0 {
			reads := map[string]string{aboutProject: "what was said about the project", leftToDo: "what is to be done"}[q.whole]
			return core.Bid{Score: bidNothing, Reads: reads}
		}
	}
	if q.talk || q.whole != "" {
		return core.Bid{Score: bidOwn, Reads: "what was said in this conversation"}
	}
	if q.prompts != "" {
		return core.Bid{Score: bidOwn, Reads: "what you asked here before"}
	}
	candidates, err := r.candidates(ctx, q, said)
	if err != nil { // it is not known whether anything was said
		return core.Bid{}
	}
	found := answering(candidates)
	if len(found) == 0 {
		switch reads := "what you said about " + q.topic(); {
		case q.somebody:
			return core.Bid{}
		case q.Looks:
			return core.Bid{Score: bidNothing, Reads: reads}
		case q.Now: // what is so just now others may know
			return core.Bid{}
		case q.Mine && q.Subjects:
			return core.Bid{Score: bidMine, Reads: reads}
		case q.ofSomebody(), !q.namesOther(candidates) && (q.definite || slices.ContainsFunc(candidates, kept)): // the capital of France is the world's
			return core.Bid{Score: bidUnsaid, Reads: reads}
		}
		return core.Bid{}
	}
	most := bidOther
	if q.Looks || q.Mine {
		most = bidOwn
	}
	return core.Bid{Score: most * max(found[0].sure, found[0].Read), Reads: "what you said about " + q.topic()}
}

// kept reports whether a statement is worth keeping.
func kept(s statement) bool { return s.kind != lang.Said }

// namesOther reports whether a question names something that no statement does.
func (q inquiry) namesOther(statements []statement) bool {
	for i, w := range q.Words {
		if q.Names(w.Text) && !slices.ContainsFunc(statements, func(s statement) bool { return s.Holding[i] }) {
			return true
		}
	}
	return false
}

// Tool answers a prompt as the bid says that it can.
func (r *Recaller) Tool() core.Tool { return recallTool{r} }

type recallTool struct{ *Recaller }

// Spec implements [core.Tool].
func (recallTool) Spec() core.ToolSpec {
	return core.ToolSpec{
		Name:        RecallName,
		Description: "Answers from what the user stated here before: facts, decisions, preferences, tasks." + Kept,
		Examples:    []string{"do you remember our staging host?", "what did we decide about the database?", "what did I ask first?"},
	}
}

// Call implements [core.Tool].
func (t recallTool) Call(ctx context.Context, c core.Call) (core.ToolResult, error) {
	var args struct {
		Prompt string `json:"prompt"`
	}
	if err := json.Unmarshal(c.Args, &args); err != nil || strings.TrimSpace(args.Prompt) == "" {
		return core.ToolFailure(core.ToolValidationError, core.ToolCodeInvalidInput, "prompt must be a question about what was said"), nil
	}
	q, ok := readQuestion(args.Prompt)
	if !ok { // it was asked all the same
		q = inquiry{Question: question.Question{Lang: lang.Of(args.Prompt), Text: args.Prompt, Looks: true}}
		q.ReadWords()
	}
	var result core.ToolResult
	switch {
	case q.prompts != "":
		result = t.prompted(ctx, q, c)
	case q.talk:
		result = t.talked(ctx, q, c)
	case q.whole != "":
		result = t.whole(ctx, q, c)
	default:
		found, err := t.find(ctx, q, c.Context)
		if err != nil {
			return core.ToolResult{}, err
		}
		result = t.answer(ctx, q, found)
	}
	return result, ctx.Err()
}

// statement is one that may answer a question.
type statement struct {
	question.Statement

	kind  lang.Kind
	at    time.Time
	entry string // its id; empty: it has none yet
	note  *extract.Note
	sure  float64 // how likely it answers
}

func statementOf(n *extract.Note, measured question.Statement) statement {
	return statement{Statement: measured, kind: n.Kind, at: n.Time, entry: n.Entry, note: n}
}

// find returns the statements that answer a question, the best first.
func (r *Recaller) find(ctx context.Context, q inquiry, said []core.Message) ([]statement, error) {
	candidates, err := r.candidates(ctx, q, said)
	return answering(candidates), err
}

// answering are those of some candidates that answer.
func answering(candidates []statement) []statement {
	return slices.DeleteFunc(slices.Clone(candidates), func(s statement) bool { return s.sure < leastSure })
}

// candidates are the statements that may answer a question, the best first.
func (r *Recaller) candidates(ctx context.Context, q inquiry, said []core.Message) ([]statement, error) {
	query := core.MentionQuery{Memory: r.memory, Limit: core.MaxEntries}
	for _, w := range q.Words {
		query.Words = append(query.Words, spellings(w, q.Lang))
	}
	if len(q.Words) == 0 {
		if !q.Decided {
			return nil, nil
		}
		query.Words = [][]string{decisive()}
	}
	notes, m, err := r.notes(ctx, q, query, said)
	if err == nil && q.AsksMyName() { // who says it need not say "name"
		var all *extract.Notes
		if all, err = r.standing(ctx, q, said); err == nil {
			notes.List = append(notes.List, all.List...)
		}
	}
	if err != nil {
		return nil, err
	}
	weights := weigh(q, m, notes)
	found := q.pool(notes, weights)
	if !q.Looks {
		return q.matched(found, weights), nil
	}
	found = slices.DeleteFunc(found, func(s statement) bool { return !s.told(q) })
	for i := range found {
		found[i].sure = found[i].Read
	}
	if q.Decided { // what was weighed only is no answer
		decided := slices.DeleteFunc(slices.Clone(found), func(s statement) bool { return s.kind != lang.Decision })
		if len(decided) == 0 {
			decided = slices.DeleteFunc(found, func(s statement) bool {
				return s.kind == lang.Discussed || s.kind == lang.Task || s.Read < 0.99 || !s.Subject && s.kind != lang.Preference && !s.note.Changes
			})
		}
		found = decided
	}
	slices.SortStableFunc(found, func(a, b statement) int {
		return cmp.Or(cmp.Compare(b.rank(), a.rank()), cmp.Compare(b.Order, a.Order))
	})
	return found, nil
}

// pool are the statements among which the answer to a question is looked for.
func (q inquiry) pool(notes *extract.Notes, weights []float64) []statement {
	pool := notes.Current(lang.Fact, lang.Decision, lang.Preference, lang.Task, lang.Discussed)
	formerly := func(n *extract.Note) bool { return lang.Of(n.Text).IsFormer(n.Text) }
	switch {
	case q.ever:
		pool = append(pool, notes.Replaced()...)
	case q.Past:
		replaced := notes.Replaced()
		gives := func(n *extract.Note) bool { // "we went from Redis to NATS", where nothing else was said of Redis
			return len(lang.Of(n.Text).FormerValues(n.Text)) > 0 && !slices.ContainsFunc(replaced, func(old *extract.Note) bool { return old.Now == n })
		}
		pool = append(replaced, slices.DeleteFunc(pool, func(n *extract.Note) bool { return !formerly(n) && !gives(n) })...)
		pool = append(pool, slices.DeleteFunc(notes.Ended(), func(n *extract.Note) bool { return !lang.Of(n.Text).TellsPastHabit(n.Text) })...)
	default:
		pool = slices.DeleteFunc(pool, formerly)
	}
	if q.YesNo || q.Decided { // "was it cancelled"
		pool = append(pool, notes.Ended()...)
	}
	if !q.Looks {
		pool = append(append(pool, notes.Finished()...), notes.Passing...)
	}
	var all []statement
	for _, n := range pool {
		if len(lang.Words(n.Text)) == 0 {
			continue
		}
		about := n.ReplacedWords()
		if q.Past {
			maps.Copy(about, n.ReplacingWords())
		}
		sentence := question.NewSentence(lang.Of(n.Text), n.Text, about)
		sentence.Dated, sentence.Own, sentence.Order = n.Dated(), n.Ours, n.Order
		all = append(all, statementOf(n, q.Measure(sentence, weights)))
	}
	return all
}

// weigh returns how much each word of a question counts: the more, the rarer it is. It
// notes which were ever said.
func weigh(q inquiry, m core.Mentions, notes *extract.Notes) []float64 {
	weights := q.Weigh(m.Counts, m.All)
	for i, w := range q.Words {
		names := w.Weight == question.ClassWeight && q.Demands != lang.HowMany || w.Weight == question.LightWeight // what a thing is need not be said
		if names && (!w.Heard || !slices.ContainsFunc(notes.List, func(n *extract.Note) bool { return w.In(question.Stems(lang.Words(n.Text))) })) {
			weights[i] /= 6
		}
	}
	return weights
}

// rank is how well a statement answers: one that reads more comes first, then
// one that is about nothing else.
func (s statement) rank() float64 {
	n := math.Round(s.Read*10) / 10
	if s.Subject {
		n += 0.04
	}
	if s.kind == lang.Task {
		n -= 0.05
	}
	return n - 0.02*float64(min(s.Extra, 4))
}

// notes are what was told that holds words of a question, with what became of it:
// what replaces it need not hold them.
func (r *Recaller) notes(ctx context.Context, q inquiry, query core.MentionQuery, said []core.Message) (*extract.Notes, core.Mentions, error) {
	// What is recorded meanwhile is found as an entry: the other way round it
	// would be neither.
	waiting, err := r.said.Unrecorded(ctx, r.memory, depth)
	if err != nil {
		return nil, core.Mentions{}, err
	}
	m, err := r.said.Mentions(ctx, query)
	if err != nil {
		return nil, m, err
	}
	for _, w := range waiting { // they count as they do when they have an entry
		stems := question.Stems(lang.Words(core.WithoutAttached(w.Message.Text)))
		m.All++
		for i, word := range q.Words {
			if i < len(m.Counts) && word.In(stems) {
				m.Counts[i]++
			}
		}
	}
	entries := m.Entries
	notes := notesOf(q, waiting, entries, said)
	hop := core.MentionQuery{Memory: r.memory, Limit: core.MaxEntries}
	for _, n := range slices.Backward(notes.List) {
		if words := n.SearchWords(); n.Kind != lang.Ended && len(hop.Words)+len(words) <= hopWords {
			for _, w := range words {
				hop.Words = append(hop.Words, []string{w})
			}
		}
	}
	if len(hop.Words) > 0 {
		more, err := r.said.Mentions(ctx, hop)
		if err != nil {
			return nil, m, err
		}
		for _, e := range more.Entries {
			if !slices.ContainsFunc(entries, func(known core.Entry) bool { return known.ID == e.ID }) {
				entries = append(entries, e)
			}
		}
		notes = notesOf(q, waiting, entries, said)
	}
	return notes, m, nil
}

// notesOf are the notes of some entries, of what has no entry yet, and of the
// conversation, and what became of them.
func notesOf(q inquiry, waiting []core.Unrecorded, entries []core.Entry, said []core.Message) *extract.Notes {
	notes := &extract.Notes{}
	for _, n := range toldIn(q, waiting, entries, said) {
		notes.AddNote(n)
	}
	return notes
}

// toldIn is what some entries tell, what has no entry yet, and the conversation, in the
// order in which it was said.
func toldIn(q inquiry, waiting []core.Unrecorded, entries []core.Entry, said []core.Message) (all []*extract.Note) {
	seen := map[string]bool{}
	take := func(raw, entry string, at time.Time, order int, answered bool) {
		if raw = strings.TrimSpace(raw); !seen[raw] && !strings.EqualFold(raw, strings.TrimSpace(q.Text)) && !q.repeats(raw) {
			seen[raw] = true
			all = append(all, slices.DeleteFunc(extract.NotesWithPassing(strings.ToValidUTF8(raw, ""), at, entry, order), func(n *extract.Note) bool {
				return answered && n.IsPhrase()
			})...)
		}
	}
	known := map[string]bool{}
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b core.Entry) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, e := range entries {
		known[strings.TrimSpace(e.Raw)] = true
	}
	for _, w := range waiting {
		known[strings.TrimSpace(core.WithoutAttached(w.Message.Text))] = true
	}
	for i, m := range said {
		if text := core.WithoutAttached(m.Text); m.Role == core.RoleUser && !known[strings.TrimSpace(text)] {
			take(text, "", m.Time, i-len(said), answeredIn(said, m.Run))
		}
	}
	for i, e := range entries { // of what was said twice the later counts
		if !slices.ContainsFunc(entries[i+1:], func(later core.Entry) bool { return later.Raw == e.Raw }) {
			take(e.Raw, e.ID, e.Created, int(e.Seq), e.Answered)
		}
	}
	for i, w := range waiting {
		if w.Message.Role == core.RoleUser {
			take(core.WithoutAttached(w.Message.Text), "", w.Message.Time, math.MaxInt32+i, w.Answered)
		}
	}
	return all
}

// answeredIn reports whether a tool answered in a run.
func answeredIn(said []core.Message, run string) bool {
	return run != "" && slices.ContainsFunc(said, func(m core.Message) bool {
		return m.Run == run && m.Role == core.RoleTool && m.Result != nil && m.Result.Status == core.ToolSuccess
	})
}

// repeats reports whether a question begins with what was said, or is a part of it as of a
// prompt of several: that is no answer to it.
func (q inquiry) repeats(said string) bool {
	asked, told := strings.ToLower(q.Text), strings.ToLower(said)
	part := len(lang.Words(asked)) > 2 && strings.Contains(told, strings.TrimRight(asked, "?!. "))
	return part || len(told) > 1 && strings.HasPrefix(asked, told)
}

// told reports whether a statement is what was said of something.
func (s *statement) told(q inquiry) bool {
	return s.Read >= leastRead && (s.kind != lang.Discussed || !q.Decided) && (!q.Costs || s.Priced())
}

// decisive are the words of decisions in all languages.
func decisive() []string {
	var all []string
	for _, l := range lang.Languages() {
		all = append(all, l.Words("decisive")...)
	}
	return all
}
