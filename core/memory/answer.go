package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/question"
	"github.com/yaap-chat/yaap/core/text"
)

const (
	moreShown = 2   // statements beside the first
	talkShown = 5   // of a conversation
	quoteMost = 300 // characters
	turnWords = 25  // of a statement that is told in other words
)

// topic is what a question is about, in its own words.
func (q inquiry) topic() string {
	if len(q.Words) == 0 {
		return "it"
	}
	var words []string
	for _, w := range q.Words {
		if w.Weight > question.LightWeight || len(q.Words) == 1 {
			words = append(words, q.Written(w.Text))
		}
	}
	return strings.Join(words, " ")
}

// answer tells the statements that answer a question; where none does, what the user
// said with all of its words.
func (r *Recaller) answer(ctx context.Context, q inquiry, found []statement) core.ToolResult {
	if len(found) == 0 {
		if e, ok := r.mentioning(ctx, q); ok {
			return statements(fmt.Sprintf(q.Lang.Phrase("nothing but"), q.topic(), r.day(q.Lang, e.Created), quoted(strings.TrimSpace(e.Raw))))
		}
		return statements(fmt.Sprintf(q.Lang.Phrase("nothing"), q.topic()))
	}
	shown := found[:1]
	if q.Looks {
		for _, s := range found[1:] {
			if s.Read > found[0].Read-0.05 && len(shown) <= moreShown && !slices.ContainsFunc(shown, func(t statement) bool { return sameSubject(s.Text, t.Text) }) {
				shown = append(shown, s)
			}
		}
	}
	if n := shown[0].note; n != nil && n.Now != nil && !n.Over { // a part of it has changed
		shown = append(slices.Clip(shown), statementOf(n.Now, question.Statement{Sentence: question.Sentence{Text: n.Now.Text}}))
	}
	var lines []string
	told := make([]any, len(shown))
	for i, s := range shown {
		lines = append(lines, r.tell(q.Lang, s))
		told[i] = map[string]any{"entry_id": s.entry, "time": s.at, "statement": s.Text, "kind": string(s.kind)}
	}
	return statements(strings.Join(lines, "\n"), told...)
}

// mentioning is the newest entry of the user with all words that a question for what was
// said is about.
func (r *Recaller) mentioning(ctx context.Context, q inquiry) (newest core.Entry, found bool) {
	query := core.MentionQuery{Memory: r.memory, Limit: core.MaxEntries}
	for _, w := range q.Words {
		query.Words = append(query.Words, spellings(w, q.Lang))
	}
	if !q.Looks || len(q.Words) == 0 {
		return newest, false
	}
	m, err := r.said.Mentions(ctx, query)
	if err != nil {
		return newest, false
	}
	for _, e := range m.Entries {
		stems := question.Stems(lang.Words(e.Raw))
		missing := func(w question.Word) bool { return w.Weight > question.LightWeight && !w.In(stems) }
		_, amends := lang.ReadAmendment(e.Raw)
		asks := amends || lang.IsQuestion(e.Raw) || lang.Of(e.Raw).OpeningLength(e.Raw, "command") > 0 || strings.Contains(e.Raw, "?") || strings.Contains(strings.TrimSpace(e.Raw), "\n") || lang.IsMachineText(e.Raw)
		if e.Role == core.RoleUser && e.Seq > newest.Seq && !asks && !slices.ContainsFunc(q.Words, missing) {
			newest, found = e, true
		}
	}
	return newest, found
}

// statements is an answer in words, and what it tells.
func statements(text string, told ...any) core.ToolResult {
	return core.ToolResult{Status: core.ToolSuccess, Text: text, Data: map[string]any{"statements": list(told)}}
}

// sameSubject reports whether two statements tell something of the same thing:
// the later one counts.
func sameSubject(a, b string) bool {
	one, other := subjectOf(a), subjectOf(b)
	return len(one) > 0 && slices.Equal(one, other)
}

func subjectOf(text string) []string {
	l := lang.Of(text)
	return slices.DeleteFunc(l.Subject(text), func(w string) bool { return l.Has(lang.Function, w) })
}

// tell words a statement as an answer, with when it was said.
func (r *Recaller) tell(l *lang.Language, s statement) string {
	day := r.day(l, s.at)
	text := strings.TrimSpace(lang.TrimStatementPrefix(s.Text))
	if s.note != nil && s.note.Over && s.kind != lang.Ended && (s.kind != lang.Done || s.note.Now != nil) { // what was done stays done
		return fmt.Sprintf(l.Phrase("no longer"), r.day(l, s.at), quoted(text))
	}
	if said := l.Phrase("you said"); said != "" && s.kind != lang.Task && lang.Of(text).ID == l.ID {
		if turned, ok := turn(text); ok {
			return turned + fmt.Sprintf(said, day)
		}
	}
	return fmt.Sprintf(l.Phrase("you quoted"), day, quoted(text))
}

func quoted(s string) string { return text.Cut(s, quoteMost, "…") }

// turn makes "your staging host" of "my staging host". Where that is not sure to
// be right it is not done.
func turn(text string) (string, bool) {
	text = strings.TrimRight(text, " .!")
	words := strings.Fields(text)
	if len(words) == 0 || len(words) > turnWords || strings.ContainsAny(text, "\"“”'’;()!") || strings.Contains(text, ". ") {
		return "", false
	}
	before := ""
	for i, w := range words {
		bare := strings.TrimRight(w, ",.:")
		lower := strings.ToLower(bare)
		instead := ""
		switch lower {
		case "i", "we", "me", "us":
			instead = "you"
		case "my", "our":
			instead = "your"
		case "mine", "ours":
			instead = "yours"
		case "am":
			instead = "are"
		case "was":
			if before == "i" {
				instead = "were"
			}
		case "you", "your", "yours", "myself", "ourselves", "tomorrow", "yesterday", "today", "tonight", "now", "this", "next", "last", "ago":
			return "", false
		}
		if instead != "" {
			words[i] = instead + w[len(bare):]
		}
		before = lower
	}
	text = strings.Join(words, " ")
	first, size := utf8.DecodeRuneInString(text)
	if strings.ContainsAny(words[0], "0123456789/._:@") { // a name or a path stays as it is
		return text, true
	}
	return string(unicode.ToUpper(first)) + text[size:], true
}

// day says when something was said.
func (r *Recaller) day(l *lang.Language, at time.Time) string {
	now := r.now()
	at = at.In(now.Location())
	days := func(t time.Time) time.Time {
		return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	}
	switch days(now).Sub(days(at)) {
	case 0:
		return l.Phrase("today")
	case 24 * time.Hour:
		return l.Phrase("yesterday")
	}
	layout := l.Phrase("on")
	if at.Year() != now.Year() {
		layout = l.Phrase("on year")
	}
	text := at.Format(layout)
	if months := strings.Fields(l.Phrase("months")); len(months) == 12 {
		text = strings.Replace(text, at.Month().String(), months[at.Month()-1], 1)
	}
	return text
}

// talked answers what is asked about the conversation itself.
func (r *Recaller) talked(ctx context.Context, q inquiry, c core.Call) core.ToolResult {
	said := r.earlier(ctx, q, c)
	reply := core.ToolResult{Status: core.ToolSuccess}
	words := lang.Words(q.Text)
	has := func(kind string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return q.Lang.Has(kind, w) })
	}
	one := func(phrase string, m core.Message) string {
		return fmt.Sprintf(q.Lang.Phrase(phrase), r.day(q.Lang, m.Time), quoted(strings.TrimSpace(m.Text)))
	}
	if then, dated := lang.PeriodIn(q.Text, r.now()); dated {
		return r.talkedThen(ctx, q, then.From, then.To)
	}
	switch {
	case len(said) == 0:
		reply.Text = q.Lang.Phrase("nothing at all")
	case has(lang.First):
		reply.Text = one("asked first", said[0])
	case has("latest") && !has("together"):
		reply.Text = one("asked last", said[len(said)-1])
	default:
		lines := []string{q.Lang.Phrase("talked")}
		for _, m := range said[max(0, len(said)-talkShown):] {
			lines = append(lines, "- "+r.day(q.Lang, m.Time)+": "+quoted(strings.Join(strings.Fields(m.Text), " ")))
		}
		reply.Text = strings.Join(lines, "\n")
	}
	return reply
}

// earlier is what the user said before a question: in this conversation, or where
// nothing was, in those before.
func (r *Recaller) earlier(ctx context.Context, q inquiry, c core.Call) []core.Message {
	messages := c.Context
	if c.Scope.Thread != "" {
		if stored, err := r.said.Messages(ctx, c.Scope.Thread); err == nil && len(stored) > 0 {
			messages = stored
		}
	}
	var said []core.Message
	for _, m := range messages {
		if m.Text = core.WithoutAttached(m.Text); m.Role == core.RoleUser && strings.TrimSpace(m.Text) != "" {
			said = append(said, m)
		}
	}
	if n := len(said); n > 0 && strings.Contains(said[n-1].Text, strings.TrimRight(q.Text, " ?.!")) { // the question itself
		said = said[:n-1]
	}
	if len(said) > 0 {
		return said
	}
	entries, err := r.said.Entries(ctx, r.memory, core.EntryQuery{Limit: core.MaxEntries})
	if err != nil {
		return nil
	}
	for _, e := range slices.Backward(entries) {
		if e.Role == core.RoleUser && e.Raw != "" && !strings.EqualFold(strings.TrimSpace(e.Raw), q.Text) {
			said = append(said, core.Message{Role: e.Role, Text: e.Raw, Time: e.Created})
		}
	}
	return said
}
