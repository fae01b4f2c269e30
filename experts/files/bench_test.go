package files

import (
	"strings"
	"testing"
)

// hostile are texts that a careless reader would spend seconds on.
func hostile() []string {
	return []string{
		strings.Repeat("(", 10_000), strings.Repeat("7", 8<<10), strings.Repeat("a b ", 2<<10), strings.Repeat("in the ", 80), strings.Repeat("lines with a or b ", 30),
		"grep " + strings.Repeat("-n ", 50) + "x", strings.Repeat("in docs ", 50), "which files mention " + strings.Repeat("a or ", 50), strings.Repeat("show please ", 25), strings.Repeat("\"", 500),
	}
}

func BenchmarkBid(b *testing.B) {
	e := desk(b)
	halves := table(b, "questions.txt")
	questions := append(halves[0], halves[1]...)
	for i := range questions {
		questions[i], _, _ = strings.Cut(questions[i], " => ")
	}
	for name, texts := range map[string][]string{"questions": questions, "others": append(table(b, "others.txt")[0], table(b, "others.txt")[1]...), "hostile": hostile()} {
		b.Run(name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				e.bid(b.Context(), texts[i%len(texts)], nil)
			}
		})
	}
}
