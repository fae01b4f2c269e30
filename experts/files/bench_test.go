package files

import (
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/experts/expertstest"
)

// hostile are texts that a careless reader would spend seconds on.
func hostile() []string {
	return []string{
		strings.Repeat("(", 10_000), strings.Repeat("7", 8<<10), strings.Repeat("a b ", 2<<10), strings.Repeat("in the ", 80), strings.Repeat("lines with a or b ", 30),
		"grep " + strings.Repeat("-n ", 50) + "x", strings.Repeat("in docs ", 50), "which files mention " + strings.Repeat("a or ", 50), strings.Repeat("show please ", 25), strings.Repeat("\"", 500),
	}
}

func BenchmarkBid(b *testing.B) {
	expertstest.Bids(b, asked(desk(b)), hostile())
}
