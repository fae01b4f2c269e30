package store

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
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
	if len(found) != 2 || found[0].Entry.ID != "bird" || found[1].Entry.ID != "heron" { // tea is less alike than most
		t.Fatalf("found %+v", found)
	}
	if heron, bird := found[1].Parts, found[0].Parts; heron["bm25"] != 0 || heron["vector"] <= bird["vector"] || bird["bm25"] <= heron["vector"] {
		t.Errorf("the parts are %v and %v", heron, bird)
	}
	q.Text = "?"
	must.Equal(t, "heron bird", search(t, s, q))
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

func TestOfManyVectorsTheNearestAreFoundByTheirSigns(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	subjects := make([][]float32, 51)
	for i := range subjects {
		subjects[i] = towards(draw, make([]float32, 384))
	}
	var rows []owner
	var all []uint64
	vectors := make([][]float32, 20_000)
	for i := range vectors {
		v := towards(draw, subjects[i%len(subjects)])
		vectors[i], rows = v, append(rows, owner{seq: int64(i), memory: int64(i % 2)})
		all = appendSigns(all, len(v), func(i int) bool { return v[i] >= 0 })
	}
	for i := range 20 {
		asked := towards(draw, subjects[i])
		places := byLikeness(asked, rows, all, []int64{1})
		nearest := slices.MaxFunc(places, func(a, b int64) int { return cmp.Compare(dot(asked, vectors[a]), dot(asked, vectors[b])) })
		if at := slices.Index(places, nearest); len(places) != 10_000 || at >= compared {
			t.Errorf("the nearest of %d vectors is at place %d, want it among %d", len(places), at, compared)
		}
	}
}

func TestVectorsOfAnotherWindowAndBehindAFilterAreFound(t *testing.T) {
	dir := t.TempDir()
	s, other := openIn(t, dir), openIn(t, dir)
	mustPut(t, s, storetest.Recall("m")...)
	put := func(from, upto int) { // the first one points nowhere near, and is the only one with a tag
		var entries []core.Row
		var vectors []core.Embedding
		for i := from; i < upto; i++ {
			e := storetest.Note("m", fmt.Sprint(i), "one of many")
			if i == 0 {
				e.Tags = map[string]string{"owl": "barn"}
			}
			entries = append(entries, e)
		}
		mustPut(t, other, entries...)
		for _, e := range must.Get(other.Unembedded(t.Context(), "m", "first", upto))(t) {
			angle := 170.
			if e.ID != "0" {
				angle = float64(e.Seq % 80)
			}
			vectors = append(vectors, core.Embedding{Seq: e.Seq, Model: "first", Vector: pointing(angle)})
		}
		must.Do(t, other.PutEmbeddings(t.Context(), vectors...))
	}
	q := core.SearchQuery{Text: "tag:owl=barn", Memories: []string{"m"}, Meaning: core.Embedding{Model: "first", Vector: pointing(0)}}
	put(0, 1)
	must.Equal(t, "0", search(t, s, q))
	put(1, 2*compared)
	must.Equal(t, "0", search(t, s, q))
	q.Text = "?"
	if found := search(t, s, q); strings.Contains(" "+found+" ", " 0 ") || len(strings.Fields(found)) != 10 {
		t.Errorf("found %s", found)
	}
}

// towards returns a vector of length 1 that points somewhat as another does.
func towards(draw *rand.Rand, other []float32) []float32 {
	v, sum := make([]float32, len(other)), 0.
	for i := range v {
		v[i] = other[i] + float32(draw.NormFloat64()/math.Sqrt(float64(len(v))))
		sum += float64(v[i] * v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// BenchmarkVectors compares a question with 10 000 vectors of 768 numbers.
func BenchmarkVectors(b *testing.B) {
	s := openIn(b, b.TempDir())
	questions := fill(b, s, 1, 10_000)
	draw := rand.New(rand.NewPCG(1, 2))
	vector := func() []float32 { return towards(draw, make([]float32, 768)) }
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
