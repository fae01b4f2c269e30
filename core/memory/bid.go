package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/rank"
)

// RecallName is the name of the tool that answers from what the user said.
const RecallName = "recall"

// What a question is worth as a bid.
const (
	bidOwn     = 0.95 // it asks for what was said, or is the user's own: "my flight"
	bidOther   = 0.7  // it may be anybody's: an expert that reads it knows better
	bidNothing = 0.6  // it asks for what was said, and there is nothing
	leastRead  = 0.5  // of the words, by weight
	leastThing = 0.75 // of those that name a thing: "my sister's name" is not "my sister's birthday"
	statedMost = 2000 // bytes of a message in which statements are looked for
	unknown    = 1.5  // how much a word weighs that nobody ever said here
)

// Said is where what was said is read.
type Said interface {
	Mentions(ctx context.Context, q core.MentionQuery) (core.Mentions, error)
	Unrecorded(ctx context.Context, memory string, limit int) ([]core.Unrecorded, error)
	Entries(ctx context.Context, memory string, q core.EntryQuery) ([]core.Entry, error)
	Messages(ctx context.Context, thread string) ([]core.Message, error)
}

// Recaller answers questions with what the user stated: not with questions,
// requests, or what anybody else said. It writes nothing. Its methods may be
// called from any goroutine.
type Recaller struct {
	said   Said
	memory string // its id
	now    func() time.Time
}

// NewRecaller returns a recaller of a memory. now may be nil.
func NewRecaller(said Said, memory string, now func() time.Time) *Recaller {
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
	if q.talk {
		return core.Bid{Score: bidOwn, Reads: "what was said in this conversation"}
	}
	found := r.find(ctx, q, said)
	if len(found) == 0 {
		if q.looks {
			return core.Bid{Score: bidNothing, Reads: "what you said about " + q.topic()}
		}
		return core.Bid{}
	}
	most := bidOther
	if q.looks || q.mine {
		most = bidOwn
	}
	return core.Bid{Score: most * found[0].read, Reads: "what you said about " + q.topic()}
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
		q = inquiry{lang: lang.Of(args.Prompt), text: args.Prompt, looks: true}
		q.read()
	}
	var result core.ToolResult
	if q.talk {
		result = t.talked(ctx, q, c)
	} else {
		result = t.answer(q, t.find(ctx, q, c.Context))
	}
	return result, ctx.Err()
}

// statement is one that may answer a question.
type statement struct {
	text  string
	kind  lang.Kind
	at    time.Time
	entry string // its id; empty: it has none yet
	order int    // the higher, the later

	read    float64 // share of the question's words
	subject bool    // they are what it is about
	extra   int     // other words in its subject
}

// find returns the statements that answer a question, the best first.
func (r *Recaller) find(ctx context.Context, q inquiry, said []core.Message) []statement {
	query := core.MentionQuery{Memory: r.memory, Limit: core.MaxEntries}
	for _, w := range q.words {
		query.Words = append(query.Words, w.spellings(q.lang))
	}
	if len(q.words) == 0 {
		if !q.decided {
			return nil
		}
		query.Words = [][]string{decisive()}
	}
	// What is recorded meanwhile is found as an entry: the other way round it
	// would be neither.
	waiting, err := r.said.Unrecorded(ctx, r.memory, depth)
	if err != nil {
		return nil
	}
	m, err := r.said.Mentions(ctx, query)
	if err != nil {
		return nil
	}
	weights := make([]float64, len(q.words))
	for i, w := range q.words {
		n := float64(m.Counts[i])
		weights[i] = w.weight * math.Log(1+(float64(m.All)-n+0.5)/(n+0.5))
		if n == 0 {
			weights[i] = w.weight * unknown * math.Log(1+2*(float64(m.All)+0.5))
		}
	}
	var found []statement
	for _, s := range statements(q, waiting, m.Entries, said) {
		if s.weigh(q, weights) {
			found = append(found, s)
		}
	}
	slices.SortStableFunc(found, func(a, b statement) int {
		return cmp.Or(cmp.Compare(b.rank(), a.rank()), cmp.Compare(b.order, a.order))
	})
	return found
}

// rank is how well a statement answers: one that reads more comes first, then
// one that is about nothing else.
func (s statement) rank() float64 {
	n := math.Round(s.read*10) / 10
	if s.subject {
		n += 0.04
	}
	return n - 0.02*float64(min(s.extra, 4))
}

// statements are those of what has no entry yet, of some entries, and of the
// conversation.
func statements(q inquiry, waiting []core.Unrecorded, entries []core.Entry, said []core.Message) []statement {
	var all []statement
	seen := map[string]bool{}
	take := func(raw, entry string, at time.Time, order int) {
		sentences := lang.Sentences(strings.ToValidUTF8(raw[:min(len(raw), statedMost)], ""))
		if len(raw) > statedMost { // the last one may be cut
			sentences = sentences[:max(len(sentences)-1, 0)]
		}
		for _, sentence := range sentences {
			if kind, ok := lang.Statement(sentence); ok && !seen[sentence] && !strings.HasPrefix(strings.ToLower(q.text), strings.ToLower(sentence)) { // what the question says is no answer to it
				seen[sentence] = true
				all = append(all, statement{text: sentence, kind: kind, at: at, entry: entry, order: order})
			}
		}
	}
	later := math.MaxInt32
	for i, w := range slices.Backward(waiting) {
		if w.Message.Role == core.RoleUser {
			take(w.Message.Text, "", w.Message.Time, later+i)
		}
	}
	for _, e := range entries {
		take(e.Raw, e.ID, e.Created, int(e.Seq))
	}
	for _, m := range slices.Backward(said) {
		if m.Role == core.RoleUser {
			take(m.Text, "", m.Time, 0)
		}
	}
	return all
}

// weigh sets how much of a question is read in a statement, and reports whether
// that answers it.
func (s *statement) weigh(q inquiry, weights []float64) bool {
	l := lang.Of(s.text)
	words := lang.Words(s.text)
	stems, subject := stemsOf(words), stemsOf(l.Subject(s.text))
	var read, all float64
	inSubject := false
	for i, w := range q.words {
		all += weights[i]
		if w.in(stems) {
			read += weights[i]
			inSubject = inSubject || w.in(subject)
		}
	}
	s.read = 1
	if all > 0 {
		s.read = read / all
	}
	s.subject = inSubject
	for _, w := range l.Subject(s.text) {
		if !l.Has(lang.Function, w) && !slices.ContainsFunc(q.words, func(v word) bool { return v.in(stemsOf([]string{w})) }) {
			s.extra++
		}
	}
	own := s.kind == lang.Task || l.Opens(s.text, "selfverb") > 0 || slices.ContainsFunc(words, func(w string) bool { return l.Has(lang.Mine, w) })
	switch {
	case s.read < leastRead, q.subjects && s.read < leastThing, q.yesNo && s.read < 0.99:
		return false
	case q.decided && len(q.words) == 0:
		return s.kind == lang.Decision
	case q.looks:
		return true
	case q.self && !own, q.mine && !own && s.extra > 0:
		return false
	case q.subjects && !own && !inSubject:
		return false
	}
	return s.holds(q.demands, l, words)
}

// holds reports whether a statement holds what a question of a kind asks for.
func (s *statement) holds(demands string, l *lang.Language, words []string) bool {
	digits := strings.ContainsAny(s.text, "0123456789")
	is := func(kinds ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool {
			return slices.ContainsFunc(kinds, func(kind string) bool { return l.Has(kind, w) || l.Has(kind, strings.TrimSuffix(w, "s")) })
		})
	}
	switch demands {
	case lang.When:
		return digits || is(lang.Time)
	case lang.HowMany:
		return digits || is("number")
	case lang.Where:
		named := s.subject && s.extra == 0 && s.read > 0.99 // "where is the printer?", "the printer is lp-3"
		return named || is("where at") || strings.ContainsAny(s.text, "/:")
	}
	return true
}

func stemsOf(words []string) map[string]bool {
	stems := map[string]bool{}
	add := func(w string) {
		stems[w], stems[rank.Stem(w)] = true, true
	}
	for _, w := range words {
		w = strings.TrimSuffix(w, "'s")
		add(w)
		for part := range strings.FieldsFuncSeq(w, func(r rune) bool { return strings.ContainsRune("-/.:_", r) }) {
			add(part)
		}
	}
	return stems
}

// decisive are the words of decisions in all languages.
func decisive() []string {
	var all []string
	for _, l := range lang.Languages() {
		all = append(all, l.Words("decisive")...)
	}
	return all
}
