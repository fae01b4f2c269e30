package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/guard"
	"github.com/yaap-chat/yaap/core/rank"
)

const shownVersions = 50 // of a context that are looked at

type newContext struct {
	place
	Content string `json:"content"`
}

func (o open) putContext(ctx context.Context, a newContext) (map[string]any, error) {
	m, err := o.into(ctx, a.place, a.Content, "content", "write what the memory comes to; get_default_prompts tells its sections")
	if err != nil {
		return nil, err
	}
	now := o.Now()
	previous, err := o.Store.Contexts(ctx, m.ID, 1)
	if err != nil {
		return nil, err
	}
	content, secrets := guard.Mask(a.Content)
	doc := core.ContextDoc{ID: newID(), Memory: m.ID, Content: content, Created: now}
	if len(previous) > 0 {
		doc.Upto = previous[0].Upto // it is not known what else the program has read
	}
	if err := doc.Check(); err != nil {
		return nil, err
	}
	if err := o.Store.Put(ctx, doc); err != nil {
		return nil, told(err, "read the entries again, and write it anew")
	}
	return masked(map[string]any{"context_id": doc.ID, "created": doc.Created}, secrets), nil
}

func (o open) getContext(ctx context.Context, p place) (map[string]any, error) {
	m, err := o.find(ctx, p)
	if err != nil {
		return nil, err
	}
	docs, err := o.Store.Contexts(ctx, m.ID, 1)
	if err != nil {
		return nil, err
	}
	if len(docs) == 0 {
		return map[string]any{"content": NoContext, "placeholder": true}, nil
	}
	return map[string]any{"content": docs[0].Content, "context_id": docs[0].ID, "seq": docs[0].Seq, "created": docs[0].Created}, nil
}

func (o open) listContexts(ctx context.Context, a page) (map[string]any, error) {
	limit, err := most("limit", a.Limit, 1, 10, core.MaxEntries)
	if err != nil {
		return nil, err
	}
	m, err := o.find(ctx, a.place)
	if err != nil {
		return nil, err
	}
	docs, err := o.Store.Contexts(ctx, m.ID, limit)
	return map[string]any{"contexts": list(docs)}, err
}

// hit is an entry that was found, as a program reads it.
type hit struct {
	core.Entry
	Score float64 `json:"score"`
	Match string  `json:"match"` // the words around the hits, which stand between **
}

type searchArgs struct {
	place
	Query    string  `json:"query"`
	Entries  *number `json:"top_ke"`
	Contexts *number `json:"top_kc"`
}

func (o open) search(ctx context.Context, a searchArgs) (map[string]any, error) {
	entries, err := most("top_ke", a.Entries, 1, 5, core.MaxEntries)
	if err != nil {
		return nil, err
	}
	contexts, err := most("top_kc", a.Contexts, 0, 0, 10)
	if err != nil {
		return nil, err
	}
	m, err := o.find(ctx, a.place)
	if err != nil {
		return nil, err
	}
	found, err := o.Store.Search(ctx, core.SearchQuery{Text: a.Query, Memories: []string{m.ID}, Limit: entries})
	if err != nil {
		return nil, err
	}
	hits := make([]hit, len(found))
	marks := strings.NewReplacer("\x02", "**", "\x03", "**")
	for i, f := range found {
		hits[i] = hit{Entry: f.Entry, Score: f.Score, Match: marks.Replace(f.Match)}
	}
	versions, err := o.Store.Contexts(ctx, m.ID, shownVersions)
	if err != nil {
		return nil, err
	}
	answer := map[string]any{"entries": hits, "latest_context": NoContext}
	if len(versions) > 0 {
		answer["latest_context"], answer["context_time"] = versions[0].Content, versions[0].Created
		versions = versions[1:]
	}
	if contexts > 0 {
		answer["contexts"] = best(versions, a.Query, contexts)
	}
	return answer, nil
}

// best are the documents that say most about a question, the best first.
func best(docs []core.ContextDoc, query string, limit int) []core.ContextDoc {
	texts := make([]rank.Document, len(docs))
	for i, d := range docs {
		texts[i] = rank.Document{{Text: d.Content, Weight: 1}}
	}
	scores := rank.New(texts).Scores(query)
	order := make([]int, 0, len(docs))
	for i := range docs {
		if scores[i] > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	out := make([]core.ContextDoc, 0, limit)
	for _, i := range order[:min(len(order), limit)] {
		out = append(out, docs[i])
	}
	return out
}
