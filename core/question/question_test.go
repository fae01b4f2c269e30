package question_test

import (
	"slices"
	"testing"

	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/question"
)

func read(text string) question.Question {
	q := question.Question{Lang: lang.Of(text), Text: text}
	q.ReadForm()
	q.ReadWords()
	return q
}

func TestAQuestionIsAboutTheWordsThatSaySomething(t *testing.T) {
	for text, want := range map[string][]string{
		"who owns the search service?":              {"owns", "search", "service"},
		"which port does the booker use?":           {"port", "booker", "use"},
		"Wann ist die Halle geöffnet?":              {"halle", "geöffnet"},
		"¿quién abre la entrada?":                   {"abre", "entrada"},
		"how long do we keep the logs of the pump?": {"keep", "logs", "pump"},
	} {
		q := read(text)
		var got []string
		for _, w := range q.Words {
			got = append(got, w.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestTheMostIsNoUpperLimit(t *testing.T) {
	for text, want := range map[string]bool{"how many retries at most?": true, "who has the most retries?": false, "the most retries": false} {
		q := read(text)
		limit := slices.ContainsFunc(q.Words, func(w question.Word) bool { return slices.Contains(w.Others, "max") })
		if limit != want {
			t.Errorf("%s: it asks for a limit: %v, want %v", text, limit, want)
		}
	}
}

func TestAnIndexFindsTheSentencesThatHoldMostOfAQuestionFirst(t *testing.T) {
	var sentences []question.Sentence
	for _, text := range []string{
		"The pump is in the cellar.", "Logs are kept for thirty days.", "The logs of the pump are kept for a year.", "Nothing else is here.",
	} {
		sentences = append(sentences, question.NewSentence(lang.Of(text), text, nil))
	}
	heading := question.NewSentence(lang.Of("en"), "It is serviced in May.", nil)
	heading.Around = question.Stems([]string{"pump"})
	ix := question.NewIndex(append(sentences, heading))
	q := read("how long do we keep the logs of the pump?")
	found, weights := ix.Find(&q, 3)
	if len(found) != 3 || found[0] != 2 || slices.Contains(found, 3) || len(weights) != len(q.Words) {
		t.Errorf("found %d, weights %v", found, weights)
	}
	s := q.Measure(ix.Sentence(4), weights)
	if at := len(q.Words) - 1; !s.Holding[at] || !s.Above[at] || s.Read > 0.9 {
		t.Errorf("what stands above a sentence: %+v", s)
	}
	if f, less := q.Features(q.Measure(ix.Sentence(2), weights), weights), q.Features(s, weights); f["read"] <= less["read"] || f["all things are there"] == 0 {
		t.Errorf("features %v and %v", f, less)
	}
}

func FuzzAnyQuestionIsMeasuredAgainstAnySentence(f *testing.F) {
	f.Add("who owns the search service?", "Mara owns the payments service")
	f.Add("¿?", "\xff: 80 … 's")
	f.Fuzz(func(_ *testing.T, asked, told string) {
		asked, told = asked[:min(len(asked), 300)], told[:min(len(told), 4<<10)]
		q := read(asked)
		ix := question.NewIndex([]question.Sentence{question.NewSentence(lang.Of(told), told, nil)})
		found, weights := ix.Find(&q, 1)
		for _, at := range found {
			q.Features(q.Measure(ix.Sentence(at), weights), weights)
		}
	})
}
