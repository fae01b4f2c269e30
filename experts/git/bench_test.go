package git

import (
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/experts/expertstest"
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
	expertstest.Bids(b, asked(e), hostile(), "FIX", fix)
}
