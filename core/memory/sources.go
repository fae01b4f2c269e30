package memory

import (
	"context"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/memory/extract"
)

const maxSources = 100 // notes of a context whose entries are looked for

// mentioner finds entries by their words.
type mentioner interface {
	Mentions(ctx context.Context, q core.MentionQuery) (core.Mentions, error)
}

// Sources are the notes of a context with the newest entry that each was taken
// from, in the order of the context. A note whose entry is not found is left out.
func Sources(ctx context.Context, said mentioner, memory, content string) (list []core.Source, err error) {
	for i, n := range extract.ReadContext(content).All() {
		if i == maxSources || ctx.Err() != nil {
			return list, ctx.Err()
		}
		if e, ok := sourceOf(ctx, said, memory, n); ok {
			list = append(list, core.Source{Note: n.Text, Entry: e})
		}
	}
	return list, nil
}

// sourceOf is the newest entry that a note of a context was taken from.
func sourceOf(ctx context.Context, said mentioner, memory string, n *extract.Note) (core.Entry, bool) {
	query := core.MentionQuery{Memory: memory, Limit: core.MaxEntries}
	keys := n.SearchWords()
	if len(keys) == 0 { // as a preference may have none
		keys = lang.Words(n.Text)
	}
	for _, w := range keys {
		query.Words = append(query.Words, []string{w})
	}
	m, err := said.Mentions(ctx, query)
	if err != nil {
		return core.Entry{}, false
	}
	for _, e := range m.Entries {
		if strings.Contains(e.Raw, n.Text) || slices.ContainsFunc(lang.Notes(e.Raw), func(told lang.Noted) bool { return told.Text == n.Text }) {
			return e, true
		}
	}
	return core.Entry{}, false
}
