package lang_test

import (
	"os"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/lang"
)

// rows reads a table of texts and what they are, parted by a bar.
func rows(t *testing.T, name string) (list [][2]string) {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSpace(line)
		if text, kind, ok := strings.Cut(line, " | "); ok && !strings.HasPrefix(line, "#") {
			list = append(list, [2]string{text, kind})
		}
	}
	return list
}

// right counts the rows that are read as they are meant, and the requests that
// are taken for statements.
func right(t *testing.T, name string) (right, stolen, all int) {
	t.Helper()
	list := rows(t, name)
	for _, row := range list {
		kind, ok := lang.Statement(row[0])
		got := "none"
		if ok {
			got = string(kind)
		}
		if got == row[1] {
			right++
			continue
		}
		if row[1] == "none" {
			stolen++
		}
		t.Logf("%q is read as %s, not %s", row[0], got, row[1])
	}
	return right, stolen, len(list)
}

func TestStatementsAreToldFromRequests(t *testing.T) {
	n, stolen, all := right(t, "statements.txt")
	t.Logf("%d of %d", n, all)
	if n < all || stolen > 0 {
		t.Errorf("%d of %d are right, %d requests are taken for statements", n, all, stolen)
	}
}

// The second table was written before the code, and nothing is fitted to it.
func TestStatementsThatNothingWasFittedTo(t *testing.T) {
	n, stolen, all := right(t, "statements_held.txt")
	t.Logf("%d of %d, %d requests are taken for statements", n, all, stolen)
	if n*100 < 85*all || stolen > 1 {
		t.Errorf("%d of %d are right, %d requests are taken for statements", n, all, stolen)
	}
}
