package files

import (
	"context"
	_ "embed"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/linear"
	"github.com/yaap-chat/yaap/core/question"
	"github.com/yaap-chat/yaap/core/rank"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/plain"
)

const (
	maxPassage   = 600 // bytes that are shown of one
	maxQuestion  = 300 // bytes of a question that a sentence answers
	maxCandidate = 80  // sentences that are looked at for one
	leastSure    = 0.5 // how likely a sentence has to answer for being told

	// passageBid is the bid on a question that a document answers: more than that of a memory
	// in which nothing was said of it.
	passageBid = 0.7
)

// passageText are the weights by which a sentence of a document is told to answer a question.
// They are fitted to the questions of testdata/documents.
//
//go:embed passages.txt
var passageText string

//nolint:gochecknoglobals // parsed once from the embedded file, and never changed
var passageWeights = sync.OnceValue(func() linear.Weights { return linear.MustParse(passageText) })

// candidate is a sentence that may answer a question.
type candidate struct {
	passage  *passage
	text     string
	features linear.Features
}

// passageFor is the passage that answers a question, and its sentence that does; nil: there
// is none.
func (t *tree) passageFor(ctx context.Context, prompt string) (best *passage, sentence string) {
	most := math.Log(leastSure / (1 - leastSure))
	for _, c := range t.candidates(ctx, prompt) {
		if score := passageWeights().Score(c.features); score > most {
			best, sentence, most = c.passage, c.text, score
		}
	}
	return best, sentence
}

// readQuestion reads what documents may be asked: one question, or what is asked for by
// its name alone.
func readQuestion(prompt string) (question.Question, bool) {
	prompt = strings.TrimSpace(prompt)
	q := question.Question{Lang: lang.Of(prompt), Text: prompt}
	if prompt == "" || len(prompt) > maxQuestion || strings.ContainsAny(prompt, "\n{}|=+*^") || strings.ContainsAny(prompt[:1], "@/") || len(lang.Sentences(prompt)) > 1 {
		return q, false
	}
	if _, told := lang.Statement(prompt); told || !lang.IsQuestion(prompt) && q.Lang.OpeningLength(prompt, "command") > 0 {
		return q, false
	}
	q.ReadForm()
	if toldHere := q.LooksBack(lang.IsQuestion(prompt)) && (asks(&q, lang.You) || asks(&q, "myself")); toldHere || q.Lang.HasPhrase(prompt, lang.AboutMe) || q.Lang.HasPhrase(prompt, "about project") {
		return q, false
	}
	q.ReadWords()
	return q, len(q.Words) > 0
}

// asks reports whether a word of a question is of a kind.
func asks(q *question.Question, kind string) bool {
	return slices.ContainsFunc(lang.Words(q.Text), func(w string) bool { return q.Lang.Has(kind, w) })
}

// candidates are the sentences that may answer a question.
func (t *tree) candidates(ctx context.Context, prompt string) (all []candidate) {
	q, ok := readQuestion(prompt)
	if !ok {
		return nil
	}
	passages, index, of := t.sentences(ctx)
	found, weights := index.Find(&q, maxCandidate)
	var statements []question.Statement
	var features []linear.Features
	for _, at := range found {
		s := q.Measure(index.Sentence(at), weights)
		p := &passages[of[at]]
		if !s.IsAbout(&q) || p.onlyToDo(&q, s) || p.form == isHeading && q.Demands != "" {
			continue
		}
		f := q.Features(s, weights)
		q.MismatchFeatures(f, s)
		p.features(f, &q, s, weights)
		statements, features = append(statements, s), append(features, f)
		all = append(all, candidate{p, s.Text, f})
	}
	question.Compare(statements, features)
	return all
}

// onlyToDo reports whether a sentence says what is to be done, and not what a question asks:
// where something is, or who did anything else with it, and when.
func (p *passage) onlyToDo(q *question.Question, s question.Statement) bool {
	return p.box != "" && (q.Demands == lang.Where || (q.Demands == lang.Who || q.Demands == lang.When) && (len(q.Words) < 2 || s.Read < 0.99))
}

// features adds what counts of a passage for how well a sentence of it answers a question.
func (p *passage) features(f linear.Features, q *question.Question, s question.Statement, weights []float64) {
	whole, own, before, heading := 1e-9, 0.0, 0.0, 0.0
	for i, w := range q.Words {
		whole += weights[i]
		if s.Holding[i] && !s.Above[i] {
			own += weights[i]
		}
		if !s.Holding[i] && !s.Near[i] && p.saysBefore(s, w) {
			before += weights[i]
		}
		if w.In(p.headed) {
			heading += weights[i]
		}
	}
	f["own"], f["before"], f["heading"] = own/whole, before/whole, heading/whole
	f.If("nothing own", own == 0)
	f.If("first below", p.below == 1)
	f.Set(string(p.form))
	f.If("to do", p.box != "")
	f.If("no question", !lang.IsQuestion(q.Text))
	f.If("you", asks(q, lang.You))
	if p.label == "" {
		return
	}
	asked, told := 0, 0
	for _, w := range lang.Words(p.label) {
		if q.Lang.Has(lang.Function, w) {
			continue
		}
		told++
		if q.IsAbout(w) {
			asked++
		}
	}
	f.Set("labelled")
	f.If("label is asked", asked > 0 && asked == told)
	f.If("label is asked in part", asked > 0 && asked < told)
	f.If("label and column are asked", asked > 0 && slices.ContainsFunc(q.Words, func(w question.Word) bool { return w.In(p.columns) }))
}

// saysBefore reports whether a sentence of a passage before another one holds a word.
func (p *passage) saysBefore(s question.Statement, w question.Word) bool {
	for _, earlier := range p.sentences {
		if earlier.Text == s.Text {
			return false
		}
		if earlier.Holds(w) {
			return true
		}
	}
	return false
}

// headed is the heading of the file of a question that has all of its words, and the fewest
// beside them; nil: there is none.
func (t *tree) headed(ctx context.Context, q query) (best *passage) {
	words := lang.Words(strings.ToLower(strings.Join(q.texts(), " ")))
	all := t.passages(ctx)
	for i, p := range all {
		lacks := func(w string) bool { return !p.headed[w] && !p.headed[rank.Stem(w)] }
		if p.form == isHeading && slices.Contains(q.scope.files, p.path) && !slices.ContainsFunc(words, lacks) && (best == nil || len(p.headed) < len(best.headed)) {
			best = &all[i]
		}
	}
	return best
}

// section is a heading with what is below it, to the next one of its level.
func (p *passage) section(body string) section {
	lines := split(body)
	level, _ := headingOf(strings.TrimSpace(lines[min(p.line, len(lines))-1]))
	s := section{title: p.heading, line: p.line}
	code := false
	for _, line := range lines[min(p.line, len(lines)):] {
		text := strings.TrimSpace(line)
		code = code != strings.HasPrefix(text, "```")
		if at, _ := headingOf(text); at > 0 && at <= max(level, 1) && !code {
			break
		}
		s.lines = append(s.lines, tidy(line))
	}
	s.lines = split(strings.TrimSpace(strings.Join(s.lines, "\n")))
	return s
}

// passage answers with what a document says, and where.
func (t *tree) passage(_ context.Context, q query) (core.Reply, error) {
	p := q.passage
	if p.form == isSetting {
		return experts.Success(p.text, map[string]any{"path": p.path, "line": float64(p.line), "text": p.text}), nil
	}
	if p.text == "" {
		body, _, err := t.text(p.path)
		if err != nil {
			return core.Reply{}, err
		}
		s := p.section(body)
		return t.told(p.path, &s), nil
	}
	text := p.text
	switch answer := strings.TrimSpace(q.sentence); {
	case len(p.text) > maxPassage:
		text = "**" + clip(answer, maxPassage) + "**"
	case strings.Contains(answer, "**"):
	case answer != "" && strings.Contains(text, answer) && !strings.Contains(text, "**"):
		text = strings.Replace(text, answer, "**"+answer+"**", 1)
	case !strings.Contains(text, "**"):
		text = "**" + text + "**"
	}
	if p.box != "" {
		text = "[" + p.box + "] " + text
	}
	message := text + " (" + plain.Code(p.path+":"+strconv.Itoa(p.line)) + ")"
	if p.heading != "" {
		message = p.heading + ": " + message
	}
	return experts.Success(message, map[string]any{"path": p.path, "line": float64(p.line), "title": p.heading, "text": p.text}), nil
}
