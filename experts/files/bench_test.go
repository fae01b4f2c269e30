package files

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/yaap-chat/yaap/core/must"
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

// BenchmarkBidOnDocuments is how long a question takes that is looked for in some hundred documents.
func BenchmarkBidOnDocuments(b *testing.B) {
	dir := b.TempDir()
	for _, archive := range must.Get(filepath.Glob("testdata/documents/*/*.txtar"))(b) {
		for _, f := range must.Get(txtar.ParseFile(archive))(b).Files {
			expertstest.Write(b, dir, map[string]string{filepath.Join(filepath.Base(archive), f.Name): string(f.Data)})
		}
	}
	e := newExpert(dir)
	e.bid(b.Context(), "who has the keys?", nil) // the documents are read
	for b.Loop() {
		e.bid(b.Context(), "how long must a dog fast before surgery?", nil)
	}
}
