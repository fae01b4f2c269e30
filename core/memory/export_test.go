package memory

import (
	"math"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/linear"
	"github.com/yaap-chat/yaap/core/memory/extract"
	"github.com/yaap-chat/yaap/core/question"
)

// LeastScore is the score of a statement that is told.
var LeastScore = math.Log(leastSure / (1 - leastSure))

// MatchWeights are those that are fitted.
func MatchWeights() linear.Weights { return matchWeights() }

// Candidate is a statement that may answer a question.
type Candidate struct {
	Text     string
	Features linear.Features
}

// Candidates returns those of what was said that hold words of a question; false
// where it is none that they are looked for.
func Candidates(asked string, notes *extract.Notes, said []string) (all []Candidate, ok bool) {
	q, ok := readQuestion(asked)
	if !ok || q.Looks || q.Past || q.whole != "" || q.talk || q.prompts != "" {
		return nil, false
	}
	m := core.Mentions{All: len(said)}
	for _, w := range q.Words {
		n := 0
		for _, s := range said {
			if w.In(question.Stems(lang.Words(s))) {
				n++
			}
		}
		m.Counts = append(m.Counts, n)
	}
	weights := weigh(q, m, notes)
	found, features := q.match(q.pool(notes, weights), weights)
	for i, s := range found {
		all = append(all, Candidate{s.Text, features[i]})
	}
	return all, true
}
