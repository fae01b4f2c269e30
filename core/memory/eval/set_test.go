package eval

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/rank"
)

// line is a line of our own set.
type line struct {
	Entry, Conversation, Role, Text string
	Question, Category              string
	Evidence                        []string
}

func TestTheSetHasAHundredQuestionsThatShareAtMostHalfOfTheirWordsWithTheAnswer(t *testing.T) {
	checkSet(t, chat)
}

// The second hundred hardly share a word with their answers: what they measure
// is how far words alone do not reach.
func TestTheParaphrasedQuestionsShareAtMostHalfOfTheirWordsToo(t *testing.T) {
	entries, _, _ := bytes.Cut(chat, []byte(`{"question"`))
	questions := must.Get(os.ReadFile("testdata/paraphrased.jsonl"))(t)
	checkSet(t, slices.Concat(entries, questions))
}

func checkSet(t *testing.T, data []byte) {
	t.Helper()
	entries, conversations, questions := map[string]string{}, map[string]bool{}, map[string]bool{}
	for dec := json.NewDecoder(bytes.NewReader(data)); dec.More(); {
		var l line
		must.Do(t, dec.Decode(&l))
		if l.Entry != "" {
			entries[l.Entry] = l.Text
			conversations[l.Conversation] = true
			continue
		}
		questions[l.Question] = true
		if len(l.Evidence) == 0 || (l.Category == "multi") != (len(l.Evidence) > 1) {
			t.Errorf("%s is of category %s and has %d entries as evidence", l.Question, l.Category, len(l.Evidence))
		}
		asked := telling(l.Text)
		for _, id := range l.Evidence {
			said, known := entries[id]
			if !known {
				t.Errorf("%s names the entry %s, which does not come before it", l.Question, id)
			}
			shared := 0
			for stem := range telling(said) {
				if asked[stem] {
					shared++
				}
			}
			if len(asked) == 0 || 2*shared > len(asked) {
				t.Errorf("%s shares %d of its %d words with %s: %q, %q", l.Question, shared, len(asked), id, l.Text, said)
			}
		}
	}
	if len(questions) != 100 || len(entries) < 400 || len(conversations) < 12 {
		t.Errorf("%d questions about %d entries of %d conversations", len(questions), len(entries), len(conversations))
	}
}

// telling returns the stems of the words of a text that are neither stop words
// nor in every other question.
func telling(text string) map[string]bool {
	stems := map[string]bool{}
	for _, w := range rank.Words(text) {
		if rank.Weight(w) > 0.5 {
			stems[rank.Stem(w)] = true
		}
	}
	return stems
}
