package lang

import (
	"slices"

	"github.com/yaap-chat/yaap/core/linear"
)

// File is the file of a language.
func File(id string) string {
	raw, err := files.ReadFile("words/" + id + ".txt")
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// WorthFeatures are what counts for whether a sentence is worth keeping.
func WorthFeatures(id, sentence string) linear.Features {
	l := language(id)
	return l.worthFeatures(l.declared(expand(tokens(sentence))))
}

// Weights are those that are built in for a kind of clause in a language: worth or task.
func Weights(kind, id string) linear.Weights { return weights(kind, id) }

func language(id string) *Language {
	return tables()[slices.IndexFunc(tables(), func(l *Language) bool { return l.ID == id })]
}
