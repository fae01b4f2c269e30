package memory_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm/ollama"
	"github.com/yaap-chat/yaap/core/llm/ollama/ollamatest"
	"github.com/yaap-chat/yaap/core/memory"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store"
)

// concepts makes a vector of what a text is about: birds, drinks, or neither.
func concepts(text string) []float32 {
	v := []float32{0, 0, 0.1}
	for _, word := range strings.Fields(strings.ToLower(text)) {
		switch strings.Trim(word, "?.") {
		case "bird", "heron", "herons", "feathered":
			v[0]++
		case "tea", "drink":
			v[1]++
		}
	}
	return v
}

func TestWhatHasNoWordInCommonIsFoundWhenAModelOfOllamaMakesVectors(t *testing.T) {
	s := open(t)
	server := ollamatest.New(t)
	server.SetModels(ollamatest.Model{Name: "vectors:1b", Capabilities: []string{"embedding"}})
	server.SetVectors(concepts)
	told := telling{Store: s, put: make(chan int, 8)}
	m := memory.NewSemanticSearch(s, told, "m", func(ctx context.Context) (memory.Embedder, error) {
		return ollama.NewEmbedder(ctx, ollama.NewHTTP(nil), server.URL, "")
	})
	must.Equal(t, "words", m.Mode())
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- m.Run(ctx) }()
	note := func(id, text string) core.Entry {
		return core.Entry{ID: id, Memory: "m", Role: core.RoleUser, Raw: text, Summary: text, Created: time.Now()}
	}
	must.Do(t, m.Put(t.Context(), note("heron", "I could watch herons for hours"), note("tea", "tea keeps me going")))
	must.Equal(t, 2, <-told.put)
	found, err := m.Search(t.Context(), core.SearchQuery{Text: "which feathered friends do I like?", Memories: []string{"m"}})
	if err != nil || len(found) != 1 || found[0].Entry.ID != "heron" || found[0].Parts["vector"] <= 0 || found[0].Parts["bm25"] != 0 {
		t.Errorf("found %+v, %v", found, err)
	}
	must.Equal(t, "words and meaning: vectors:1b", m.Mode())
	stop()
	must.Report(t, <-ended)

	server.SetModels() // it was removed
	if found, err = m.Search(t.Context(), core.SearchQuery{Text: "tea", Memories: []string{"m"}}); err != nil || len(found) != 1 || found[0].Parts["bm25"] <= 0 {
		t.Errorf("without the model %+v, %v", found, err)
	}
	must.Equal(t, "words", m.Mode())
}

func TestWhatOnlyRepeatsWhatWasRememberedIsFoundAfterIt(t *testing.T) {
	s := open(t)
	m := memory.NewSemanticSearch(s, s, "m", func(context.Context) (memory.Embedder, error) { return nil, errors.New("none") })
	said := core.Entry{ID: "said", Memory: "m", Role: core.RoleUser, Raw: "I like herons and I like tea", Summary: "tea", Created: time.Now()}
	echo := core.Entry{
		ID: "echo", Memory: "m", Role: core.RoleAssistant, Raw: "herons", Summary: "herons", Created: time.Now(), Tags: map[string]string{"status": "recalled"},
	}
	must.Do(t, m.Put(t.Context(), said, echo))
	for limit, want := range []string{"said echo", "said"} {
		found, err := m.Search(t.Context(), core.SearchQuery{Text: "herons", Memories: []string{"m"}, Limit: limit})
		var got []string
		for _, f := range found {
			got = append(got, f.Entry.ID)
		}
		if strings.Join(got, " ") != want || err != nil {
			t.Errorf("at most %d: found %q, %v; want %q", limit, got, err, want)
		}
	}
	if _, err := m.Search(t.Context(), core.SearchQuery{Text: "herons", Limit: -1}); core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("a limit below 0: %v", err)
	}
}

// telling tells how many vectors were put.
type telling struct {
	*store.Store
	put chan int
}

func (s telling) PutEmbeddings(ctx context.Context, all ...core.Embedding) error {
	err := s.Store.PutEmbeddings(ctx, all...)
	s.put <- len(all)
	return err
}

// faulty fails when it is told to.
type faulty struct {
	mu    sync.Mutex
	fails bool
	calls int
	texts []string
}

func (f *faulty) Model() string { return "faulty" }

func (f *faulty) Embed(_ context.Context, texts []string) ([][]float32, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	if f.fails {
		return nil, errors.New("out of memory")
	}
	f.texts = append(f.texts, texts...)
	vectors := make([][]float32, len(texts))
	for i := range texts {
		vectors[i] = []float32{1}
	}
	return vectors, nil
}

// pending has entries without vectors.
type pending struct {
	memory.Store
	mu      sync.Mutex
	entries []core.Entry
	put     int
}

func (p *pending) Unembedded(context.Context, string, string, int) ([]core.Entry, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.entries[:min(len(p.entries), 16)], nil
}

func (p *pending) PutEmbeddings(_ context.Context, all ...core.Embedding) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.put += len(all)
	p.entries = p.entries[len(all):]
	return nil
}

// empty is a store in which nothing is found.
type empty struct{ memory.Store }

func (empty) Search(context.Context, core.SearchQuery) ([]core.Found, error) { return nil, nil }

// loading answers when its context ends, as a model does that is being loaded.
type loading struct{ done bool }

func (l *loading) Model() string { return "large" }

func (l *loading) Embed(ctx context.Context, _ []string) ([][]float32, error) {
	if l.done {
		return [][]float32{{1}}, nil
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestASearchThatTheModelWasTooLateForSaysThatItWentByWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &loading{}
		m := memory.NewSemanticSearch(empty{}, &pending{}, "m", func(context.Context) (memory.Embedder, error) { return model, nil })
		for _, want := range []string{"words; large did not answer in time", "words and meaning: large"} {
			must.Get(m.Search(t.Context(), core.SearchQuery{Text: "herons", Memories: []string{"m"}}))(t)
			must.Equal(t, want, m.Mode())
			model.done = true
		}
	})
}

func TestAModelThatFailsIsAskedAgainAfterAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pending{}
		for range 20 {
			p.entries = append(p.entries, core.Entry{ID: "e", Raw: strings.Repeat("ä", 4000)})
		}
		f := &faulty{fails: true}
		m := memory.NewSemanticSearch(nil, p, "m", func(context.Context) (memory.Embedder, error) { return f, nil })
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- m.Run(ctx) }()
		synctest.Wait()
		if f.calls != 1 || p.put != 0 {
			t.Errorf("%d calls and %d vectors at first", f.calls, p.put)
		}
		f.mu.Lock()
		f.fails = false
		f.mu.Unlock()
		time.Sleep(2 * time.Minute) // of the bubble's clock
		synctest.Wait()
		if f.calls != 3 || p.put != 20 { // 16 and 4
			t.Errorf("%d calls and %d vectors then", f.calls, p.put)
		}
		for _, text := range f.texts {
			if len(text) > 2000 || strings.Trim(text, "ä") != "" {
				t.Errorf("it was given %d bytes", len(text))
			}
		}
		stop()
		must.Report(t, <-ended)
	})
}

// open returns a store with the memory "m".
func open(t testing.TB) *store.Store {
	t.Helper()
	s := openStore(t, t.TempDir())
	must.Do(t, s.Put(t.Context(), core.Vault{ID: "v", Title: "v", Created: time.Now()}, core.Memory{ID: "m", Vault: "v", Title: "m", Created: time.Now()}))
	return s
}

func TestAnEmbedderThatFailsIsToldAndOneThatNobodyWantsIsNot(t *testing.T) {
	r := newRoom(t, nil)
	for _, c := range []struct {
		err  error
		told bool
	}{{errors.New("connection refused"), true}, {errors.Join(errors.New("none named"), memory.ErrNoEmbedder), false}} {
		m := memory.NewSemanticSearch(r.store, r.store, r.cfg.Memory.ID, func(context.Context) (memory.Embedder, error) { return nil, c.err })
		must.Get(m.Search(t.Context(), core.SearchQuery{Text: "heron"}))(t)
		if err := m.WordsOnlyReason(); (err != nil) != c.told {
			t.Errorf("%v: got %v", c.err, err)
		}
	}
}
