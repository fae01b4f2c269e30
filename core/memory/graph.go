package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/yaap-chat/yaap/core"
)

const (
	graphMost = 20_000 // entries of a graph
	tagGraph  = "graph"
	tagName   = "name" // of an entity, or of the one that an observation is about
	tagType   = "type" // of an entity, or of a relation
	tagFrom   = "from"
	tagTo     = "to"

	anEntity      = "entity"
	anObservation = "observation"
	aRelation     = "relation"
)

// entity and relation are the two kinds of things in a knowledge graph, as
// @modelcontextprotocol/server-memory writes them.
type entity struct {
	Name         string   `json:"name"`
	Type         string   `json:"entityType"`
	Observations []string `json:"observations"`
}

type relation struct {
	From string `json:"from"`
	To   string `json:"to"`
	Type string `json:"relationType"`
}

// graph is what there is of both, the oldest first.
type graph struct {
	Entities  []entity   `json:"entities"`
	Relations []relation `json:"relations"`
}

// stored are the entries that a graph is made of.
type stored struct {
	graph
	ofEntity      [][]string   // the ids of their entries, by the place of the entity
	ofObservation [][][]string // and of those of its observations
	ofRelation    [][]string
}

// graphs are the tools of a knowledge graph, which is kept in entries of a memory.
type graphs struct {
	open
	mu *sync.Mutex // what is read and then changed belongs together
}

// thread is the conversation that the entries of the graph count as.
func (g graphs) thread() string { return "graph-" + g.Memory.ID }

// read returns the graph as it is.
func (g graphs) read(ctx context.Context) (stored, error) {
	var entries []core.Entry
	for before := int64(0); ; before = entries[len(entries)-1].Seq {
		page, err := g.Store.Entries(ctx, g.Memory.ID, core.EntryQuery{Limit: core.MaxEntries, Before: before, Thread: g.thread()})
		if err != nil {
			return stored{}, err
		}
		if entries = append(entries, page...); len(page) < core.MaxEntries {
			break
		}
		if len(entries) >= graphMost {
			return stored{}, core.Fail(core.CodeInvalid, "the knowledge graph is too large", "use search_memories of yaap mcp")
		}
	}
	slices.Reverse(entries)
	s := stored{graph: graph{Entities: []entity{}, Relations: []relation{}}}
	for _, e := range entries {
		if e.Corrects != "" || !e.Redacted.IsZero() {
			continue
		}
		right, err := lastOf(ctx, g.Store, e)
		if err != nil && core.CodeOf(err) != core.CodeNotFound {
			return s, err
		}
		s.take(e, right.Raw)
	}
	return s, nil
}

// take adds what an entry says; raw are its words as they were corrected.
func (s *stored) take(e core.Entry, raw string) {
	switch at := s.index(e.Tags[tagName]); e.Tags[tagGraph] {
	case anEntity:
		s.Entities = append(s.Entities, entity{e.Tags[tagName], e.Tags[tagType], []string{}})
		s.ofEntity, s.ofObservation = append(s.ofEntity, []string{e.ID}), append(s.ofObservation, nil)
	case aRelation:
		s.Relations = append(s.Relations, relation{e.Tags[tagFrom], e.Tags[tagTo], e.Tags[tagType]})
		s.ofRelation = append(s.ofRelation, []string{e.ID})
	case anObservation:
		if at < 0 {
			return
		}
		all, ids := s.Entities[at].Observations, s.ofObservation[at]
		if last := len(all) - 1; e.Part > 1 && last >= 0 { // the parts of a long one follow each other
			all[last] += raw
			ids[last] = append(ids[last], e.ID)
			return
		}
		s.Entities[at].Observations, s.ofObservation[at] = append(all, raw), append(ids, []string{e.ID})
	}
}

func (s *stored) index(name string) int {
	return slices.IndexFunc(s.Entities, func(e entity) bool { return e.Name == name })
}

// around is the part of the graph that these entities are in, with their relations.
func (s *stored) around(wanted func(entity) bool) graph {
	out := graph{Entities: []entity{}, Relations: []relation{}}
	in := map[string]bool{}
	for _, e := range s.Entities {
		if wanted(e) {
			in[e.Name] = true
			out.Entities = append(out.Entities, e)
		}
	}
	for _, r := range s.Relations {
		if in[r.From] || in[r.To] {
			out.Relations = append(out.Relations, r)
		}
	}
	return out
}

// says makes entries of what the graph says.
func (g graphs) says(raw string, tags map[string]string) ([]core.Row, error) {
	if strings.TrimSpace(raw) == "" {
		return nil, core.Fail(core.CodeInvalid, "an observation is blank", "leave it out")
	}
	entries, _, err := g.entries(g.Memory, newEntry{Raw: raw, Tags: tags})
	for i := range entries {
		entries[i].Thread, entries[i].Role = g.thread(), core.RoleAssistant // a model says so, and not the user
	}
	return rowsOf(entries), err
}

func (g graphs) observes(name, content string) ([]core.Row, error) {
	return g.says(content, map[string]string{tagGraph: anObservation, tagName: name})
}

// change reads the graph, and stores what do makes of it.
func (g graphs) change(ctx context.Context, do func(*stored) ([]core.Row, error)) error {
	if err := g.writable(); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	s, err := g.read(ctx)
	if err != nil {
		return err
	}
	rows, err := do(&s)
	if err != nil || len(rows) == 0 {
		return err
	}
	return g.Store.Put(ctx, rows...)
}

func (g graphs) createEntities(ctx context.Context, a struct{ Entities []entity }) (any, map[string]any, error) {
	added := []entity{}
	err := g.change(ctx, func(s *stored) (rows []core.Row, err error) {
		for _, e := range a.Entities {
			if s.index(e.Name) >= 0 {
				continue
			}
			added = append(added, e)
			more, err := g.says(e.Name+" ("+e.Type+")", map[string]string{tagGraph: anEntity, tagName: e.Name, tagType: e.Type})
			if err != nil {
				return nil, err
			}
			rows = append(rows, more...)
			for _, content := range e.Observations {
				if more, err = g.observes(e.Name, content); err != nil {
					return nil, err
				}
				rows = append(rows, more...)
			}
		}
		return rows, nil
	})
	return added, map[string]any{"entities": added}, err
}

func (g graphs) createRelations(ctx context.Context, a struct{ Relations []relation }) (any, map[string]any, error) {
	added := []relation{}
	err := g.change(ctx, func(s *stored) (rows []core.Row, err error) {
		for _, r := range a.Relations {
			if slices.Contains(s.Relations, r) {
				continue
			}
			added = append(added, r)
			more, err := g.says(r.From+" "+r.Type+" "+r.To, map[string]string{tagGraph: aRelation, tagFrom: r.From, tagTo: r.To, tagType: r.Type})
			if err != nil {
				return nil, err
			}
			rows = append(rows, more...)
		}
		return rows, nil
	})
	return added, map[string]any{"relations": added}, err
}

// observed is what one entity is to be known by.
type observed struct {
	Entity   string   `json:"entityName"`
	Contents []string `json:"contents"`
}

type observedNow struct {
	Entity string   `json:"entityName"`
	Added  []string `json:"addedObservations"`
}

func (g graphs) addObservations(ctx context.Context, a struct{ Observations []observed }) (any, map[string]any, error) {
	added := []observedNow{}
	err := g.change(ctx, func(s *stored) (rows []core.Row, err error) {
		for _, o := range a.Observations {
			at := s.index(o.Entity)
			if at < 0 {
				return nil, core.Fail(core.CodeNotFound, fmt.Sprintf("Entity with name %s not found", o.Entity), "create_entities makes it")
			}
			now := observedNow{o.Entity, []string{}}
			for _, content := range o.Contents {
				if slices.Contains(s.Entities[at].Observations, content) {
					continue
				}
				now.Added = append(now.Added, content)
				more, err := g.observes(o.Entity, content)
				if err != nil {
					return nil, err
				}
				rows = append(rows, more...)
			}
			s.Entities[at].Observations = append(s.Entities[at].Observations, now.Added...)
			added = append(added, now)
		}
		return rows, nil
	})
	return added, map[string]any{"results": added}, err
}

// ended are the rows by which entries are over at once. Their words go when they are
// purged, as those of every entry whose time is over.
func (g graphs) ended(ids ...[]string) (rows []core.Row) {
	now := g.Now()
	for _, id := range slices.Concat(ids...) {
		rows = append(rows, core.Expiry{Entry: id, At: now, Time: now})
	}
	return rows
}

func gone(what string, err error) (any, map[string]any, error) {
	text := what + " deleted successfully"
	return text, map[string]any{"success": true, "message": text}, err
}

type entityNames struct {
	Names []string `json:"entityNames"`
}

func (g graphs) deleteEntities(ctx context.Context, a entityNames) (any, map[string]any, error) {
	return gone("Entities", g.change(ctx, func(s *stored) (rows []core.Row, err error) {
		for i, e := range s.Entities {
			if slices.Contains(a.Names, e.Name) {
				rows = append(rows, g.ended(append(s.ofObservation[i], s.ofEntity[i])...)...)
			}
		}
		for i, r := range s.Relations {
			if slices.Contains(a.Names, r.From) || slices.Contains(a.Names, r.To) {
				rows = append(rows, g.ended(s.ofRelation[i])...)
			}
		}
		return rows, nil
	}))
}

type deletions struct {
	Deletions []struct {
		Entity       string   `json:"entityName"`
		Observations []string `json:"observations"`
	}
}

func (g graphs) deleteObservations(ctx context.Context, a deletions) (any, map[string]any, error) {
	return gone("Observations", g.change(ctx, func(s *stored) (rows []core.Row, err error) {
		for _, d := range a.Deletions {
			at := s.index(d.Entity)
			if at < 0 {
				continue
			}
			for i, content := range s.Entities[at].Observations {
				if slices.Contains(d.Observations, content) {
					rows = append(rows, g.ended(s.ofObservation[at][i])...)
				}
			}
		}
		return rows, nil
	}))
}

func (g graphs) deleteRelations(ctx context.Context, a struct{ Relations []relation }) (any, map[string]any, error) {
	return gone("Relations", g.change(ctx, func(s *stored) (rows []core.Row, err error) {
		for i, r := range s.Relations {
			if slices.Contains(a.Relations, r) {
				rows = append(rows, g.ended(s.ofRelation[i])...)
			}
		}
		return rows, nil
	}))
}

// told returns a part of the graph.
func (g graphs) told(ctx context.Context, wanted func(entity) bool) (any, map[string]any, error) {
	s, err := g.read(ctx)
	part := s.around(wanted)
	return part, map[string]any{"entities": part.Entities, "relations": part.Relations}, err
}

func (g graphs) readGraph(ctx context.Context, _ struct{}) (any, map[string]any, error) {
	return g.told(ctx, func(entity) bool { return true })
}

func (g graphs) searchNodes(ctx context.Context, a struct{ Query string }) (any, map[string]any, error) {
	query := strings.ToLower(a.Query)
	has := func(text string) bool { return strings.Contains(strings.ToLower(text), query) }
	return g.told(ctx, func(e entity) bool { return has(e.Name) || has(e.Type) || slices.ContainsFunc(e.Observations, has) })
}

func (g graphs) openNodes(ctx context.Context, a struct{ Names []string }) (any, map[string]any, error) {
	return g.told(ctx, func(e entity) bool { return slices.Contains(a.Names, e.Name) })
}
