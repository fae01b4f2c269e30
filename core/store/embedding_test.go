package store

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

// pointing returns a vector of length 1 at an angle in degrees.
func pointing(angle float64) []float32 {
	sin, cos := math.Sincos(angle * math.Pi / 180)
	return []float32{float32(cos), float32(sin), 0, 0, 0}
}

// putVectors stores vectors of entries, by their ids.
func putVectors(t testing.TB, s *Store, model string, angles map[string]float64) {
	t.Helper()
	for id, angle := range angles {
		e := must.Get(s.Entry(t.Context(), id))(t)
		must.Do(t, s.PutEmbeddings(t.Context(), core.Embedding{Seq: e.Seq, Model: model, Vector: pointing(angle)}))
	}
}

func TestAQuestionInOtherWordsIsFoundByWhatItMeans(t *testing.T) {
	s := remembering(t)
	mustPut(t, s, core.Memory{ID: "n", Vault: "v", Title: "n"},
		storetest.Note("m", "heron", "I like herons"), storetest.Note("m", "tea", "tea is what I drink"),
		storetest.Note("m", "bird", "the bird bath is empty"), storetest.Note("n", "elsewhere", "owls"))
	putVectors(t, s, "first", map[string]float64{"heron": 10, "tea": 80, "bird": 40, "elsewhere": 0})
	q := core.SearchQuery{Text: "bird baths", Memories: []string{"m"}}
	must.Equal(t, "bird", search(t, s, q))
	q.Meaning = core.Embedding{Model: "first", Vector: pointing(0)}
	found := must.Get(s.Search(t.Context(), q))(t)
	if len(found) != 3 || found[0].Entry.ID != "bird" || found[1].Entry.ID != "heron" || found[2].Entry.ID != "tea" {
		t.Fatalf("found %+v", found)
	}
	if p := found[1].Parts; p["bm25"] != 0 || math.Abs(p["vector"]-math.Cos(math.Pi/18)) > 1e-6 || found[0].Parts["bm25"] <= 0 {
		t.Errorf("the parts are %v and %v", p, found[0].Parts)
	}
	if score := 1./61 + 1./62; math.Abs(found[0].Score-score) > 1e-9 { // first by words, second by vectors
		t.Errorf("the score is %v, want %v", found[0].Score, score)
	}
	q.Text = "?"
	must.Equal(t, "heron bird tea", search(t, s, q))
	q.Meaning.Model = "second"
	must.Equal(t, "", search(t, s, q))
	q.Meaning = core.Embedding{Model: "first", Vector: []float32{1}}
	must.Equal(t, "", search(t, s, q))
}

func TestWhatIsForgottenOrExpiredHasNoVector(t *testing.T) {
	s := remembering(t)
	brief := storetest.Note("m", "brief", "soon over")
	brief.Expires = time.Now().Add(time.Hour)
	mustPut(t, s, storetest.Note("m", "kept", "one"), storetest.Note("m", "secret", "two"), brief)
	missing, err := s.Unembedded(t.Context(), "m", "first", 10)
	if err != nil || len(missing) != 3 || missing[0].ID != "brief" {
		t.Fatalf("%v, %v", missing, err)
	}
	late := core.Embedding{Seq: missing[1].Seq, Model: "first", Vector: pointing(0)}
	putVectors(t, s, "first", map[string]float64{"kept": 0, "secret": 0})
	must.Get(s.Forget(t.Context(), core.ForgetQuery{Entry: "secret"}))(t)
	must.Do(t, s.PutEmbeddings(t.Context(), late)) // it was being made meanwhile
	q := core.SearchQuery{Meaning: core.Embedding{Model: "first", Vector: pointing(0)}}
	must.Equal(t, "kept", search(t, s, q))
	var n int
	if err := s.reader.QueryRowContext(t.Context(), "SELECT count(*) FROM embedding").Scan(&n); err != nil || n != 1 {
		t.Errorf("%d vectors are kept, %v", n, err)
	}
	if missing, err = s.Unembedded(t.Context(), "m", "first", 10); err != nil || len(missing) != 1 || missing[0].ID != "brief" {
		t.Errorf("%v, %v", missing, err)
	}
}

func TestAVectorThatCannotBeComparedIsRefused(t *testing.T) {
	s := remembering(t)
	nan := float32(math.NaN())
	for _, e := range []core.Embedding{
		{Seq: 1, Model: "m"},
		{Seq: 1, Vector: pointing(0)},
		{Seq: 1, Model: "m", Vector: []float32{1, 1}},
		{Seq: 1, Model: "m", Vector: []float32{nan}},
		{Seq: 1, Model: "m", Vector: append(make([]float32, core.MaxVector), 1)},
	} {
		if err := s.PutEmbeddings(t.Context(), e); core.CodeOf(err) != core.CodeInvalid || core.HintOf(err) == "" {
			t.Errorf("%d numbers: %v", len(e.Vector), err)
		}
	}
}

// BenchmarkVectors compares a question with 10 000 vectors of 768 numbers.
func BenchmarkVectors(b *testing.B) {
	s := openIn(b, b.TempDir())
	questions := fill(b, s, 1, 10_000)
	draw := rand.New(rand.NewPCG(1, 2))
	vector := func() []float32 {
		v, sum := make([]float32, 768), 0.
		for i := range v {
			v[i] = float32(draw.NormFloat64())
			sum += float64(v[i] * v[i])
		}
		for i := range v {
			v[i] /= float32(math.Sqrt(sum))
		}
		return v
	}
	entries := must.Get(s.Unembedded(b.Context(), "m0", "m", 0))(b)
	rows := make([]core.Embedding, len(entries))
	for i, e := range entries {
		rows[i] = core.Embedding{Seq: e.Seq, Model: "m", Vector: vector()}
	}
	must.Do(b, s.PutEmbeddings(b.Context(), rows...))
	q := core.SearchQuery{Text: questions[0], Memories: []string{"m0"}, Meaning: core.Embedding{Model: "m", Vector: vector()}}
	for b.Loop() {
		must.Get(s.Search(b.Context(), q))(b)
	}
}
