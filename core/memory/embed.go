package memory

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/text"
)

// Embedder makes vectors of texts: what means the same points the same way.
type Embedder interface {
	Model() string                                                  // its name; vectors of another one cannot be compared
	Embed(ctx context.Context, texts []string) ([][]float32, error) // of length 1, one for each text
}

// Vectors is where the vectors of entries are kept.
type Vectors interface {
	Unembedded(ctx context.Context, memory, model string, limit int) ([]core.Entry, error)
	PutEmbeddings(ctx context.Context, all ...core.Embedding) error
}

const (
	embedBatch  = 16
	embedTime   = 2 * time.Minute // for a batch: the model may have to be loaded
	embedAgain  = time.Minute     // after which a model that was not there is looked for
	embedSearch = 2 * time.Second // for a question; then only its words count
	embedText   = 2000            // bytes of an entry
)

// SemanticSearch is a store whose searches also go by what entries mean, where a model
// is there that can tell. Where none is, or it fails, they go by words alone.
type SemanticSearch struct {
	Store
	vectors Vectors
	memory  string
	find    func(context.Context) (Embedder, error)
	wake    chan struct{}

	mu       sync.Mutex
	embedder Embedder  // nil: none is known
	late     bool      // it did not answer the last search in time
	broken   error     // why there is none, though one is wanted
	asked    time.Time // when it was looked for last
}

// NewSemanticSearch returns a store around another one for the entries of a memory.
// find looks for an embedder; it may be asked again every minute. Nothing is
// made a vector of before Run.
func NewSemanticSearch(s Store, v Vectors, memory string, find func(context.Context) (Embedder, error)) *SemanticSearch {
	return &SemanticSearch{Store: s, vectors: v, memory: memory, find: find, wake: make(chan struct{}, 1)}
}

// ErrNoEmbedder is the cause with which find fails if the user wants no embedder.
var ErrNoEmbedder = errors.New("no embedder is wanted")

// WordsOnlyReason says why searches go by words alone, though an embedder is wanted; nil: all
// is well.
func (m *SemanticSearch) WordsOnlyReason() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.broken
}

// Mode says by what searches go: the last one, where there was one.
func (m *SemanticSearch) Mode() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.embedder == nil:
		return "words"
	case m.late:
		return "words; " + m.embedder.Model() + " did not answer in time"
	}
	return "words and meaning: " + m.embedder.Model()
}

// Put implements [Store]. Of new entries vectors are made soon.
func (m *SemanticSearch) Put(ctx context.Context, rows ...core.Row) error {
	err := m.Store.Put(ctx, rows...)
	if err == nil {
		wake(m.wake)
	}
	return err
}

// Search implements [Store].
func (m *SemanticSearch) Search(ctx context.Context, q core.SearchQuery) ([]core.Found, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	if e := m.found(ctx); e != nil {
		asking, stop := context.WithTimeout(ctx, embedSearch)
		vectors, err := e.Embed(asking, []string{bounded(q.Text)})
		if err == nil && len(vectors) == 1 {
			q.Meaning = core.Embedding{Model: e.Model(), Vector: vectors[0]}
			if q.Meaning.Check() != nil {
				q.Meaning = core.Embedding{}
			}
		}
		late := err != nil && asking.Err() != nil // as one is that is being loaded
		if err != nil && !late {
			m.lose(err)
		}
		m.mu.Lock()
		m.late = late
		m.mu.Unlock()
		stop()
	}
	return m.Store.Search(ctx, q)
}

// found returns the embedder, or nil. Where none is known it is looked for, but
// not all the time.
func (m *SemanticSearch) found(ctx context.Context) Embedder {
	m.mu.Lock()
	known, asked := m.embedder, m.asked
	if known == nil && time.Since(asked) >= embedAgain {
		m.asked = time.Now()
	}
	m.mu.Unlock()
	if known != nil || time.Since(asked) < embedAgain {
		return known
	}
	looking, stop := context.WithTimeout(ctx, embedSearch)
	defer stop()
	e, err := m.find(looking)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken = err; errors.Is(err, ErrNoEmbedder) {
		m.broken = nil
	}
	if err != nil {
		return nil
	}
	m.embedder = e
	return e
}

// lose forgets an embedder that failed.
func (m *SemanticSearch) lose(why error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.embedder, m.asked, m.broken = nil, time.Now(), why
}

// Run makes vectors of entries that have none, those that are put meanwhile
// included, until ctx ends. What is not done by then is done at the next start.
func (m *SemanticSearch) Run(ctx context.Context) error {
	again := time.NewTicker(embedAgain)
	defer again.Stop()
	for {
		m.catchUp(ctx)
		select {
		case <-m.wake:
		case <-again.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// EmbedAll makes vectors of all entries that have none, and blocks until that is done.
func (m *SemanticSearch) EmbedAll(ctx context.Context) error {
	m.catchUp(ctx)
	return cmp.Or(ctx.Err(), m.WordsOnlyReason())
}

func (m *SemanticSearch) catchUp(ctx context.Context) {
	for m.embedSome(ctx) {
	}
}

// embedSome makes vectors of a batch of entries, and reports whether there may
// be more to do.
func (m *SemanticSearch) embedSome(ctx context.Context) bool {
	e := m.found(ctx)
	if e == nil || ctx.Err() != nil {
		return false
	}
	entries, err := m.vectors.Unembedded(ctx, m.memory, e.Model(), embedBatch)
	if err != nil || len(entries) == 0 {
		return false
	}
	texts := make([]string, len(entries))
	for i, entry := range entries {
		texts[i] = bounded(entry.Raw)
	}
	working, stop := context.WithTimeout(ctx, embedTime)
	defer stop()
	vectors, err := e.Embed(working, texts)
	if err == nil && len(vectors) != len(entries) {
		err = core.Fail(core.CodeNoModel, e.Model()+" did not answer with a vector for each text", "name another one with memory_embeddings")
	}
	if err != nil {
		m.lose(err)
		return false
	}
	rows := make([]core.Embedding, len(entries))
	for i, entry := range entries {
		rows[i] = core.Embedding{Seq: entry.Seq, Model: e.Model(), Vector: vectors[i]}
	}
	if err := m.vectors.PutEmbeddings(ctx, rows...); err != nil {
		m.lose(err)
		return false
	}
	return len(entries) == embedBatch
}

func bounded(s string) string { return text.CutBytes(s, embedText, "") }
