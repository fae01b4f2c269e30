package memory

import (
	"cmp"
	_ "embed"
	"math"
	"slices"
	"sync"

	"github.com/yaap-chat/yaap/core/linear"
	"github.com/yaap-chat/yaap/core/question"
)

// matchText are the weights by which a statement is told to answer a question. They are
// fitted to the questions of package eval.
//
//go:embed match.txt
var matchText string

//nolint:gochecknoglobals // parsed once from the embedded file, and never changed
var matchWeights = sync.OnceValue(func() linear.Weights { return linear.MustParse(matchText) })

// leastSure is how likely a statement has to answer a question for being told.
const leastSure = 0.5

// matched returns the statements that hold a word of a question, that which is likeliest
// to answer it first.
func (q inquiry) matched(all []statement, weights []float64) []statement {
	found, features := q.match(all, weights)
	for i := range found {
		found[i].sure = 1 / (1 + math.Exp(-matchWeights().Score(features[i])))
	}
	slices.SortStableFunc(found, func(a, b statement) int {
		return cmp.Or(cmp.Compare(b.sure, a.sure), cmp.Compare(b.Order, a.Order))
	})
	return found
}

// match returns the statements that hold a word of a question, and what counts for how
// well each answers it.
func (q inquiry) match(all []statement, weights []float64) ([]statement, []linear.Features) {
	found := slices.DeleteFunc(all, func(s statement) bool { return !s.IsAbout(&q.Question) || q.TellsAnother(s.Statement) })
	features, beside := make([]linear.Features, len(found)), make([]question.Statement, len(found))
	for i, s := range found {
		features[i], beside[i] = q.Features(s.Statement, weights), s.Statement
		features[i].Set("is " + string(s.kind))
		q.MismatchFeatures(features[i], s.Statement)
	}
	question.Compare(beside, features)
	return found, features
}
