package guard

import (
	"sync"
	"testing"

	"github.com/yaap-chat/yaap/core/must"
)

// withRow reads the rules again with one line more in a file of them, until the test ends.
func withRow(t *testing.T, file *string, row string) {
	t.Helper()
	before := *file
	read := func() {
		rules, kindNames = sync.OnceValue(readRules), sync.OnceValue(readKindNames)
	}
	t.Cleanup(func() {
		*file = before
		read()
	})
	*file += "\n" + row + "\n"
	read()
}

func TestADetectorIsOneRowOfOneFile(t *testing.T) {
	for _, c := range []struct {
		file           *string
		row            string
		in, want, noun string
	}{
		{&issuersFile, "acme_key\tAcme key\tacme_\tacme_[0-9a-z]{20}", "use acme_" + body(20, hexa) + " now", "use [secret: acme_key] now", "1 Acme key"},
		{&namesFile, "acme_code: acmecode", `{"acme_code": "q7Rw2Lx9Tz"}`, `{"acme_code": "[secret: acme_code]"}`, "1 acme code"},
		{&flagsFile, "acmectl: --open-with", "acmectl --open-with Otter42", "acmectl --open-with [secret: password]", "1 password"},
		{&phrasesFile, "acme\ttoken\t^\\s+unlock\\s+(\\S+)", "acme unlock Otter42", "acme unlock [secret: token]", "1 token"},
	} {
		t.Run(c.noun, func(t *testing.T) {
			if got, n := Mask(c.in); n > 0 {
				t.Fatalf("without the row it is %q", got)
			}
			withRow(t, c.file, c.row)
			got, hits := Policy{Secrets: Redact}.Text(c.in)
			must.Equal(t, c.want, got)
			must.Equal(t, []Hit{{"secrets", Redact, c.noun, nil}}, hits)
			if mark := FirstMark(got); mark == "" {
				t.Error("its mark is not known as one")
			}
			if got, n := maskValue(got); n > 0 {
				t.Errorf("what is masked is masked again: %s", got)
			}
			must.Equal(t, c.want, stream(c.in, func() int { return 3 }))
		})
	}
}
