package eval

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/memory"
)

// Searcher is what is measured.
type Searcher interface {
	Search(ctx context.Context, q core.SearchQuery) ([]core.Found, error)
}

// shown is how many entries a search is asked for.
const shown = 20

func memoryID(i int) string { return fmt.Sprintf("bench-%d", i) }

func messageID(memory, i int) string { return fmt.Sprintf("bench-%d-%d", memory, i) }

func threadID(memory int, thread string) string { return fmt.Sprintf("bench-%d-%.40s", memory, thread) }

// Fill puts the messages of a set into a store, as they are recorded where no
// model writes their summaries.
func Fill(ctx context.Context, into memory.Store, set Set) error {
	vault := core.Vault{ID: "bench", Title: "bench", Created: time.Now()}
	if err := into.Put(ctx, vault); err != nil {
		return err
	}
	for i, mem := range set.Memories {
		row := core.Memory{ID: memoryID(i), Vault: vault.ID, Title: memoryID(i), Created: vault.Created}
		if err := into.Put(ctx, row); err != nil {
			return err
		}
		agent := memory.NewAgent(memory.Config{Store: into, Vault: vault, Memory: row})
		var said []core.Message
		for j, m := range mem.Messages {
			text := strings.ToValidUTF8(strings.ReplaceAll(m.Text, "\x00", ""), "")
			if strings.TrimSpace(text) != "" {
				said = append(said, core.Message{ID: messageID(i, j), Role: m.Role, Text: text, Time: m.Time})
			}
			if last := j == len(mem.Messages)-1; len(said) > 0 && (last || mem.Messages[j+1].Thread != m.Thread) {
				if err := agent.Invoke(ctx, memory.ProcessMessage, threadID(i, m.Thread), said...); err != nil {
					return err
				}
				said = nil
			}
		}
	}
	return nil
}

// Embed makes vectors of all that a store was filled with, and returns a search that
// goes by them, too.
func Embed(ctx context.Context, s memory.Store, v memory.Vectors, e memory.Embedder, set Set) (Searcher, error) {
	var by *memory.SemanticSearch
	for i := range set.Memories {
		by = memory.NewSemanticSearch(s, v, memoryID(i), func(context.Context) (memory.Embedder, error) { return e, nil })
		if err := by.EmbedAll(ctx); err != nil {
			return nil, err
		}
	}
	return by, nil
}

// Result is how well one search did.
type Result struct {
	Name       string             `json:"name"`
	All        Figures            `json:"all"`
	Categories map[string]Figures `json:"categories"`
	P50        float64            `json:"p50_ms"`
	P99        float64            `json:"p99_ms"`

	scores []score
}

// score is how well one question was answered.
type score struct {
	category                         string
	recall5, recall10, recall20, mrr float64
	anyHit10, session5, session10    float64
}

// Run asks a search every question of a set that a store was filled with.
func Run(ctx context.Context, name string, s Searcher, set Set) (Result, error) {
	indexes := map[string]int{}
	for i, m := range set.Memories {
		indexes[m.ID] = i
	}
	r := Result{Name: name}
	var took []time.Duration
	names := map[string]Message{} // of the messages of one memory, by their id in the store
	of := -1
	for _, q := range set.Questions {
		i := indexes[q.Memory]
		if i != of {
			clear(names)
			for j, m := range set.Memories[i].Messages {
				names[messageID(i, j)] = m
			}
			of = i
		}
		begun := time.Now()
		found, err := s.Search(ctx, core.SearchQuery{Text: q.Text, Memories: []string{memoryID(i)}, Limit: shown})
		if err != nil {
			return r, err
		}
		took = append(took, time.Since(begun))
		var messages []Message
		seen := map[string]bool{}
		for _, f := range found {
			if !seen[f.Entry.Message] { // a long one has several entries
				messages = append(messages, names[f.Entry.Message])
			}
			seen[f.Entry.Message] = true
		}
		r.scores = append(r.scores, rate(q, messages, names))
	}
	slices.Sort(took)
	r.P50, r.P99 = milliseconds(took, 50), milliseconds(took, 99)
	r.All, r.Categories = figures(r.scores), map[string]Figures{}
	for _, s := range r.scores {
		if _, done := r.Categories[s.category]; done {
			continue
		}
		r.Categories[s.category] = figures(slices.DeleteFunc(slices.Clone(r.scores), func(o score) bool { return o.category != s.category }))
	}
	return r, nil
}

func milliseconds(sorted []time.Duration, percent int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return float64(sorted[(len(sorted)-1)*percent/100].Microseconds()) / 1000
}

// rate compares what was found, the best first, with the evidence.
func rate(q Question, found []Message, all map[string]Message) score {
	s := score{category: q.Category}
	threads := map[string]bool{}
	for _, m := range all {
		if slices.Contains(q.Evidence, m.ID) {
			threads[m.Thread] = true
		}
	}
	share := 1 / float64(len(q.Evidence))
	for at, m := range found {
		if at < 5 && threads[m.Thread] {
			s.session5 = 1
		}
		if at < 10 && threads[m.Thread] {
			s.session10 = 1
		}
		if !slices.Contains(q.Evidence, m.ID) {
			continue
		}
		if s.mrr == 0 {
			s.mrr = 1 / float64(at+1)
		}
		if at < 5 {
			s.recall5 += share
		}
		if at < 10 {
			s.recall10 += share
			s.anyHit10 = 1
		}
		if at < 20 {
			s.recall20 += share
		}
	}
	return s
}
