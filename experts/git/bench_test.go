package git

import (
	"strings"
	"testing"
)

// hostile are texts that a careless reader would spend seconds on.
func hostile() []string {
	return []string{
		strings.Repeat("(", 10_000), strings.Repeat("7", 8<<10), strings.Repeat("a b ", 2<<10), strings.Repeat("commits by ann ", 40), "commits " + strings.Repeat("by ann ", 50),
		"commits " + strings.Repeat("last week ", 25), "who changed " + strings.Repeat("main.go ", 50), strings.Repeat("show please ", 25), "between " + strings.Repeat("1 may and ", 40), strings.Repeat("\"", 500),
	}
}

func BenchmarkBid(b *testing.B) {
	e, fix := desk(b)
	halves := halvesOf(b, "questions.txt", fix)
	questions := append(halves[0], halves[1]...)
	for i := range questions {
		questions[i], _, _ = strings.Cut(questions[i], " => ")
	}
	others := halvesOf(b, "others.txt", fix)
	for name, texts := range map[string][]string{"questions": questions, "others": append(others[0], others[1]...), "hostile": hostile()} {
		b.Run(name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				e.bid(b.Context(), texts[i%len(texts)], nil)
			}
		})
	}
}
