package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/question"
)

const (
	promptsShown = 5 // of those that answer a question
	askReach     = 4 // words from who asked to the verb: "did I ever ask"
)

// What a question about earlier prompts wants of them.
const (
	wasAsked = "asked" // those that asked for something
	wasSaid  = "said"  // all, with their time
)

// prompt is something that the user said.
type prompt struct {
	text    string
	at      time.Time
	message string // its id, which may be empty
	entry   string
	order   int
}

// readPrompts reads a question about what the user asked before, or about when
// something was said, and reports whether it is one.
func (q *inquiry) readPrompts(asks bool) bool {
	l, words := q.Lang, lang.Words(q.Text)
	timed := l.OpeningLength(q.Text, lang.When)+l.OpeningLength(q.Text, lang.HowMany) > 0 || l.HasPhrase(q.Text, "last time")
	seeks := asks || l.OpeningLength(q.Text, lang.Lookup) > 0 || l.OpeningLength(q.Text, "prompts") > 0
	switch {
	case !seeks:
		return false
	case inquired(l, words) || l.HasPhrase(q.Text, "my prompts"):
		q.prompts = wasAsked
	case timed && hasVerb(l, words, "spoken"):
		q.prompts = wasSaid
	default:
		return false
	}
	if l.HasPhrase(q.Text, "unsaid") || severalQuestions(q.Text) {
		return false
	}
	period, dated := lang.PeriodIn(q.Text, time.Time{})
	rest := q.Text
	if q.dated = dated && (period.Relative || !timed && placed(l, words, period.Words)); q.dated {
		for _, w := range period.Words {
			rest = lang.CutPhrase(rest, []string{w})
		}
	}
	about := inquiry{Question: question.Question{Lang: l, Text: rest, Looks: true}}
	for _, w := range about.About("inquired", "inquire", "spoken", "my prompts", "prompts", "last time", lang.First, "latest", "before now") {
		q.Words = append(q.Words, question.Word{Text: w, Weight: 1, Others: l.Synonyms(w)})
	}
	q.same = len(q.Words) == 0 && !q.dated && l.HasPhrase(q.Text, lang.Reference)
	whole := l.HasPhrase(q.Text, lang.Asking) && len(q.Words) == 0 && !q.dated // "what did I ask first"
	q.somebody = q.prompts == wasAsked && q.asksSomebody(words)
	return !whole && !q.somebody
}

// severalQuestions reports whether a text asks more than one thing.
func severalQuestions(text string) bool {
	pieces := lang.Pieces(text)
	return slices.ContainsFunc(pieces[1:], func(p lang.Piece) bool { return lang.AllPhrases().Begins(lang.Question, p.Tokens) > 0 })
}

// asksSomebody reports whether somebody else was asked: "did I ask Anna".
func (q *inquiry) asksSomebody(words []string) bool {
	at := slices.IndexFunc(words, func(w string) bool { return q.Lang.Has("inquire", w) || q.Lang.Has("inquired", w) })
	return q.Lang.ID == "en" && len(q.Words) > 0 && at >= 0 && at+1 < len(words) && words[at+1] == q.Words[0].Text
}

// inquired reports whether who speaks is said to have asked: "did I ask", "I asked".
func inquired(l *lang.Language, words []string) bool {
	past := slices.IndexFunc(words, func(w string) bool { return l.Has(lang.Past, w) })
	self := slices.IndexFunc(words, func(w string) bool { return l.Has(lang.Self, w) })
	return hasVerb(l, words, "inquired") || past >= 0 && past < self && hasVerb(l, words, "inquire")
}

// hasVerb reports whether a verb of a kind says what who speaks did; "to ask" does
// not.
func hasVerb(l *lang.Language, words []string, kind string) bool {
	for i, w := range words {
		drops := l.ID == "es" && l.Has(kind, w) // its verbs say who speaks
		if drops {
			return true
		}
		if !l.Has(lang.Self, w) {
			continue
		}
		for j, verb := range words[i+1:] {
			if l.Has(kind, verb) && words[i+j] != "to" && (j < askReach || l.ID == "de") {
				return true
			}
		}
	}
	return false
}

// placed reports whether a time stands behind a word of place or time: "in May".
func placed(l *lang.Language, words, period []string) bool {
	at := slices.IndexFunc(words, func(w string) bool { return slices.Contains(period, w) })
	return at > 0 && l.Has("day words", words[at-1])
}

// prompted answers what is asked about earlier prompts: the newest first, with when.
func (r *Recaller) prompted(ctx context.Context, q inquiry, c core.Call) core.ToolResult {
	l := q.Lang
	about, meant := q.span(), core.Message{}
	if q.same {
		var ok bool
		if meant, ok = r.meant(ctx, q, c); !ok {
			return statements(l.Phrase("nothing at all"))
		}
		about = quoted(strings.TrimRight(strings.TrimSpace(meant.Text), " ?.!"))
		for _, w := range lang.Words(meant.Text) {
			q.Words = append(q.Words, question.Word{Text: w, Weight: 1})
		}
	}
	found, err := r.prompts(ctx, q, c.Context)
	if err != nil {
		return core.ToolFailure(core.ToolError, core.ToolCodeExecutionFailed, err.Error())
	}
	if q.same {
		found = slices.DeleteFunc(found, func(p prompt) bool { return !p.at.Before(meant.Time) })
	}
	words := lang.Words(q.Text)
	has := func(kind string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return l.Has(kind, w) })
	}
	all := len(found)
	switch {
	case all == 0 && about == "":
		return statements(l.Phrase("nothing then"))
	case all == 0 && q.same:
		return statements(fmt.Sprintf(l.Phrase("nothing same"), about))
	case all == 0:
		return statements(fmt.Sprintf(l.Phrase("nothing "+q.prompts), about))
	case has(lang.First):
		found = found[all-1:]
	case l.HasPhrase(q.Text, "last time"), has("latest") && l.OpeningLength(q.Text, lang.When) > 0:
		found = found[:1]
	}
	told := make([]any, 0, promptsShown)
	var lines []string
	for _, p := range found[:min(len(found), promptsShown)] {
		at := fmt.Sprintf(l.Phrase("at"), r.day(l, p.at), p.at.In(r.now().Location()).Format("15:04"))
		lines = append(lines, at+": “"+quoted(strings.Join(strings.Fields(p.text), " "))+"”")
		if all > 1 {
			lines[len(lines)-1] += toOpen(p.entry, p.order)
		}
		told = append(told, map[string]any{"entry_id": p.entry, "time": p.at, "statement": p.text})
	}
	open := ""
	if p := found[0]; toOpen(p.entry, p.order) != "" {
		open = "\n" + fmt.Sprintf(l.Phrase("opens"), p.order)
	}
	if len(lines) == 1 {
		return statements(fmt.Sprintf(l.Phrase("one "+q.prompts), lines[0])+open, told...)
	}
	return statements(fmt.Sprintf(l.Phrase("many "+q.prompts), all)+"\n- "+strings.Join(lines, "\n- ")+"\n"+open, told...)
}

// meant is the prompt that "this" stands for in a question about prompts: what stands
// before it in the same prompt, or the last one that asks about nothing said.
func (r *Recaller) meant(ctx context.Context, q inquiry, c core.Call) (core.Message, bool) {
	question := strings.TrimRight(q.Text, " ?.!")
	for _, m := range slices.Backward(c.Context) {
		if before, _, ok := strings.Cut(m.Text, question); ok && m.Role == core.RoleUser {
			if tokens := lang.Lex(before); len(tokens) > 1 {
				if last := tokens[len(tokens)-1:]; lang.AllPhrases().Begins(lang.And, last) > 0 {
					before = before[:last[0].Start]
				}
				m.Text = strings.TrimRight(before, " ,;")
				return m, true
			}
			break
		}
	}
	for _, m := range slices.Backward(r.earlier(ctx, q, c)) {
		if other, ok := readQuestion(m.Text); !ok || other.prompts == "" && !other.talk {
			return m, true
		}
	}
	return core.Message{}, false
}

// span is what a question is about, as it is written there: "the ferry to Bergen".
func (q inquiry) span() string {
	from, to := len(q.Text), 0
	lower := strings.ToLower(q.Text)
	if len(lower) != len(q.Text) {
		return q.topic()
	}
	for _, w := range q.Words {
		if at := strings.LastIndex(lower, w.Text); at >= 0 {
			from, to = min(from, at), max(to, at+len(w.Text))
		}
	}
	if from >= to {
		return ""
	}
	return q.Text[from:to]
}

// prompts returns what the user said that a question about prompts asks for, the
// newest first.
func (r *Recaller) prompts(ctx context.Context, q inquiry, said []core.Message) ([]prompt, error) {
	var from, to time.Time
	if q.dated {
		period, _ := lang.PeriodIn(q.Text, r.now())
		from, to = period.From, period.To
	}
	waiting, err := r.said.Unrecorded(ctx, r.memory, depth)
	if err != nil {
		return nil, err
	}
	var entries []core.Entry
	if len(q.Words) > 0 {
		query := core.MentionQuery{Memory: r.memory, Limit: core.MaxEntries}
		for _, w := range q.Words {
			query.Words = append(query.Words, spellings(w, q.Lang))
		}
		m, err := r.said.Mentions(ctx, query)
		if err != nil {
			return nil, err
		}
		entries = m.Entries
	} else if entries, err = r.since(ctx, from); err != nil {
		return nil, err
	}
	var all []prompt
	known := map[string]bool{}
	take := func(p prompt) {
		key := cmp.Or(p.message, p.entry, p.text)
		if p.text = strings.TrimSpace(core.WithoutAttached(p.text)); known[key] || !q.answeredBy(p.text) || q.dated && (p.at.Before(from) || !p.at.Before(to)) {
			return
		}
		known[key] = true
		all = append(all, p)
	}
	for _, e := range entries {
		if e.Role == core.RoleUser {
			take(prompt{e.Raw, e.Created, e.Message, e.ID, int(e.Seq)})
		}
	}
	for _, w := range waiting {
		if w.Message.Role == core.RoleUser {
			take(prompt{text: w.Message.Text, at: w.Message.Time, message: w.Message.ID})
		}
	}
	for _, m := range said {
		if m.Role == core.RoleUser && m.ID != "" {
			take(prompt{text: m.Text, at: m.Time, message: m.ID})
		}
	}
	slices.SortStableFunc(all, func(a, b prompt) int { return b.at.Compare(a.at) })
	return all, nil
}

// answeredBy reports whether a prompt is one that a question about prompts asks for:
// it holds all of the words, and asks about nothing said itself.
func (q inquiry) answeredBy(prompt string) bool {
	if prompt == "" || strings.Contains(strings.ToLower(prompt), strings.ToLower(strings.TrimRight(q.Text, " ?.!"))) {
		return false
	}
	if other, ok := readQuestion(prompt); ok && (other.prompts != "" || other.talk) {
		return false
	}
	if _, told := lang.Statement(prompt); told && q.prompts == wasAsked {
		return false
	}
	stems := question.Stems(lang.Words(prompt))
	return !slices.ContainsFunc(q.Words, func(w question.Word) bool { return !w.In(stems) })
}

// since are the entries of the user from a time on, the newest first; of a bounded
// number.
func (r *Recaller) since(ctx context.Context, from time.Time) (list []core.Entry, err error) {
	before := int64(0)
	for range pagesBack {
		page, err := r.said.Entries(ctx, r.memory, core.EntryQuery{Limit: core.MaxEntries, Before: before})
		if err != nil {
			return nil, err
		}
		for _, e := range page {
			if e.Role == core.RoleUser && holds(e) && !e.Created.Before(from) {
				list = append(list, e)
			}
		}
		if len(page) < core.MaxEntries || page[len(page)-1].Created.Before(from) {
			break
		}
		before = page[len(page)-1].Seq
	}
	return list, nil
}
