package roomhelp

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core/lang"
)

//go:embed topics.txt
var topicsFile string

// topic is something that the room can be asked about itself.
type topic struct {
	name   string
	asks   [][]string // meanings that must all be there; one row is enough
	with   []string   // meanings that may stand beside them
	says   []string   // lines, with references
	answer string     // the same, as it is said
}

// meanings are those of words, in any language.
type meanings map[string][]string

// readTopics reads the embedded topics, and what their words mean.
func readTopics() ([]topic, meanings) {
	var topics []topic
	words := meanings{}
	for line := range strings.Lines(topicsFile) {
		line = strings.TrimSpace(line)
		key, rest, _ := strings.Cut(line, ": ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "= "):
			for word := range strings.FieldsSeq(rest) {
				words[word] = append(words[word], strings.TrimPrefix(key, "= "))
			}
		case key == "ask":
			for row := range strings.SplitSeq(rest, "|") {
				topics[len(topics)-1].asks = append(topics[len(topics)-1].asks, strings.Fields(row))
			}
		case key == "with":
			topics[len(topics)-1].with = strings.Fields(rest)
		case key == "say":
			topics[len(topics)-1].says = append(topics[len(topics)-1].says, rest)
		default:
			topics = append(topics, topic{name: line})
		}
	}
	return topics, words
}

// What a word weighs in a question.
const (
	ofTopic  = 1.0  // its meaning is known
	idle     = 0.25 // it is one of those that say little, and is asked for
	stranger = 2.0  // nothing here is about it
)

// share returns how much of a question a topic reads: 0 where it is not asked
// for.
func (t topic) share(words []string, known meanings, l *lang.Language) float64 {
	best := 0.
	for _, row := range t.asks {
		best = max(best, t.shareOf(row, words, known, l))
	}
	return best
}

func (t topic) shareOf(row, words []string, known meanings, l *lang.Language) float64 {
	asked := map[string]bool{}
	var read, all float64
	for _, w := range words {
		weight := ofTopic
		if l.Has(lang.Function, w) || l.Has(lang.Question, w) || slices.Contains(known[w], "filler") {
			weight = idle
		}
		of := known[w]
		hits := slices.ContainsFunc(of, func(m string) bool { return slices.Contains(row, m) && !asked[m] })
		for _, m := range of {
			if slices.Contains(row, m) {
				asked[m] = true
			}
		}
		beside := slices.ContainsFunc(of, func(m string) bool { return slices.Contains(t.with, m) || slices.Contains(row, m) })
		switch {
		case hits:
			read, all = read+weight, all+weight
		case beside, slices.Contains(t.with, w), slices.Contains(of, "keys"): // "which key" asks for what it does
		case slices.ContainsFunc(of, places), weight == ofTopic && len(of) == 0:
			all += stranger
		case weight == ofTopic:
			all += weight
		}
	}
	if len(asked) < len(row) || all == 0 {
		return 0
	}
	return read / all
}

// places reports whether a meaning asks for somebody or some place: an answer
// that tells neither is none.
func places(meaning string) bool { return meaning == "who" || meaning == "where" }
