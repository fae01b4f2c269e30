package core

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// MatchExplanation says why a search found an entry, and what kept it down.
type MatchExplanation struct {
	Words    []string // of the entry that hit
	Tags     []string // KEY=VALUE, that hold a word of the question
	Speaker  string   // who said it, where the question tells
	Beside   bool     // what was said before and after it fits
	Then     bool     // it is of the time that is asked for
	Meaning  bool     // a vector is near that of the question
	Replaces bool     // the words are in what it corrects
	Asks     bool     // it is a question, and comes after statements
	Echo     bool     // it was no answer, or only repeated what is remembered, and comes last
}

// Explain says why the entry was found by a question.
func (f Found) Explain(question string) MatchExplanation {
	w := MatchExplanation{
		Beside: f.Parts["near"] > 0, Then: f.Parts["date"] > 0, Meaning: f.Parts["vector"] > 0, Replaces: f.Parts["corrects"] > 0,
		Asks: f.Parts["question"] < 0, Echo: f.Parts["status"] < 0,
	}
	for rest := f.Match; ; {
		_, hit, ok := strings.Cut(rest, "\x02")
		if !ok {
			break
		}
		hit, rest, _ = strings.Cut(hit, "\x03")
		if hit = strings.ToLower(hit); !slices.Contains(w.Words, hit) {
			w.Words = append(w.Words, hit)
		}
	}
	asked := strings.FieldsFunc(strings.ToLower(question), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	for _, key := range slices.Sorted(maps.Keys(f.Entry.Tags)) {
		if slices.ContainsFunc(asked, func(word string) bool { return strings.Contains(strings.ToLower(f.Entry.Tags[key]), word) }) {
			w.Tags = append(w.Tags, key+"="+f.Entry.Tags[key])
		}
	}
	if f.Parts["speaker"] > 0 {
		w.Speaker = string(f.Entry.Role)
		if name, _, named := strings.Cut(f.Entry.Raw, ": "); named && slices.ContainsFunc(strings.Fields(strings.ToLower(name)), func(part string) bool { return slices.Contains(asked, part) }) {
			w.Speaker = name
		}
	}
	return w
}

// String puts it into words, for people.
func (w MatchExplanation) String() string {
	var parts []string
	add := func(is bool, words string) {
		if is {
			parts = append(parts, words)
		}
	}
	hits := "says " + strings.Join(w.Words, ", ")
	if w.Replaces {
		hits = "is right in place of one that said " + strings.Join(w.Words, ", ")
	}
	add(len(w.Words) > 0, hits)
	add(len(w.Tags) > 0, "is tagged "+strings.Join(w.Tags, ", "))
	add(w.Speaker != "", "was said by "+w.Speaker)
	add(w.Then, "is of that time")
	add(w.Beside, "stands beside what fits")
	add(w.Meaning, "means something near")
	add(w.Asks, "but only asks")
	add(w.Echo, "but was no answer")
	return strings.Join(parts, "; ")
}
