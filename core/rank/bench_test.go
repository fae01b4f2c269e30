package rank_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/rank"
)

// manyTools are 199 tools with descriptions of 20 words and 20 learned questions.
func manyTools() (docs []rank.ToolDoc, questions []string) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same every time
	syllables := strings.Fields("ba co di fu ge ha in jo ka le mo na or pi ra se ti um ve wa ex yo za tion ment er")
	vocabulary := make([]string, 3000)
	for i := range vocabulary {
		for range 2 + random.IntN(3) {
			vocabulary[i] += syllables[random.IntN(len(syllables))]
		}
	}
	text := func(words int) string {
		list := make([]string, words)
		for i := range list {
			list[i] = vocabulary[int(float64(len(vocabulary))*random.Float64()*random.Float64())] // some are frequent
		}
		return strings.Join(list, " ")
	}
	for i := range 199 {
		doc := rank.ToolDoc{Name: fmt.Sprintf("%s_%d", vocabulary[i], i), Description: text(20)}
		for range 20 {
			doc.Learned = append(doc.Learned, text(12))
		}
		docs = append(docs, doc)
	}
	for range 100 {
		questions = append(questions, "can you please find the "+text(20)+"?")
	}
	return docs, questions
}

func BenchmarkOneQuestionAmong199Tools(b *testing.B) {
	docs, questions := manyTools()
	x := rank.NewTools(docs)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		x.Scores(questions[i%len(questions)])
	}
}

func BenchmarkHowWell199ToolsFit(b *testing.B) {
	docs, questions := manyTools()
	x := rank.NewTools(docs)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		x.Fits(questions[i%len(questions)])
	}
}

func BenchmarkIndexOf199Tools(b *testing.B) {
	docs, _ := manyTools()
	b.ReportAllocs()
	for b.Loop() {
		rank.NewTools(docs)
	}
}
