package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

// mentions returns the ids of what the user said with these words, and how many
// entries hold each.
func mentions(t testing.TB, s *Store, words ...string) (ids string, counts []int) {
	t.Helper()
	q := core.MentionQuery{Memory: "m", Limit: core.MaxEntries}
	for _, w := range words {
		q.Words = append(q.Words, strings.Split(w, "|"))
	}
	m := must.Get(s.Mentions(t.Context(), q))(t)
	for _, e := range m.Entries {
		ids += " " + e.ID
	}
	return strings.TrimSpace(ids), m.Counts
}

func TestMentionsAreWhatTheUserSaidTheNewestFirst(t *testing.T) {
	s := remembering(t)
	answer := storetest.Note("m", "answer", "the staging host is old")
	answer.Role = core.RoleAssistant
	over := storetest.Note("m", "over", "the staging host was before")
	over.Expires = time.Now().Add(-time.Hour)
	right := storetest.Note("m", "right", "it is kestrel-3")
	right.Corrects = "wrong"
	mustPut(t, s, storetest.Note("m", "first", "our staging host is osprey-1"), answer, over,
		storetest.Note("m", "gone", "the staging secret"), storetest.Note("m", "wrong", "the bastion is kestrel-2"), right,
		storetest.Note("m", "last", "the staging host is heron-9"), storetest.Note("m", "other", "a host of herons"))
	must.Get(s.Forget(t.Context(), core.ForgetQuery{Entry: "gone"}))(t)
	for _, c := range []struct{ words, want string }{
		{"staging", "last first"},
		{"staging host", "other last first"},
		{"bastion", "right"},
		{"sta*", "last first"},
		{"nothing", ""},
		{"nothing|osprey-1", "first"},
		{`"staging" -*`, "last first"},
	} {
		if got, counts := mentions(t, s, strings.Fields(c.words)...); got != c.want {
			t.Errorf("%q: %q, want %q; counts %v", c.words, got, c.want, counts)
		}
	}
	if _, counts := mentions(t, s, "staging", "nothing", "m1"); fmt.Sprint(counts) != "[4 0 0]" {
		t.Errorf("counts %v", counts)
	}
}

func TestMentionsOfAMemoryThatIsNotThereFail(t *testing.T) {
	if _, err := remembering(t).Mentions(t.Context(), core.MentionQuery{Memory: "nobody", Words: [][]string{{"word"}}}); core.CodeOf(err) != core.CodeNotFound {
		t.Error(err)
	}
}

// BenchmarkMentions looks for four words, common and rare, among 10 000 entries.
func BenchmarkMentions(b *testing.B) {
	s := openIn(b, b.TempDir())
	questions := fill(b, s, 1, 10_000)
	n := 0
	for b.Loop() {
		q := core.MentionQuery{Memory: "m0", Limit: core.MaxEntries, Words: [][]string{{"w1x"}}} // one that most entries have
		for _, w := range strings.Fields(questions[n%len(questions)])[:3] {
			q.Words = append(q.Words, []string{w, w + "*"})
		}
		must.Get(s.Mentions(b.Context(), q))(b)
		n++
	}
}
