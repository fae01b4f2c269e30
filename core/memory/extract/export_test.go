package extract

import "github.com/yaap-chat/yaap/core/linear"

// Pair is a new note beside an earlier one.
type Pair struct {
	Old      *Note
	Features linear.Features
}

// Pairs are a new note beside the earlier ones that it may end.
func Pairs(n *Notes, fresh *Note) (all []Pair) {
	for _, c := range n.candidates(fresh) {
		all = append(all, Pair{c.old, c.features})
	}
	return all
}

// ChangesWeights are those that are built in.
func ChangesWeights() linear.Weights { return changesWeights() }
