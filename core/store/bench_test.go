package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

// prose makes texts whose words are as unevenly spread as those of a language.
type prose struct{ *rand.Zipf }

func newProse() prose {
	return prose{rand.NewZipf(rand.New(rand.NewChaCha8([32]byte{1})), 1.1, 20, 30_000)}
}

func (p prose) words(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("w%dx", p.Uint64())
	}
	return strings.Join(words, " ")
}

// question has six words that are not among the hundred commonest: those would
// be stop words.
func (p prose) question() string {
	var words []string
	for len(words) < 6 {
		if n := p.Uint64(); n >= 100 {
			words = append(words, fmt.Sprintf("w%dx", n))
		}
	}
	return strings.Join(words, " ")
}

// fill puts n entries into memories that are called m0, m1 and so on, by turns,
// and returns questions of six words.
func fill(b *testing.B, s *Store, memories, n int) []string {
	b.Helper()
	text := newProse()
	rows := []core.Row{storetest.Recall("m")[0]}
	for m := range memories {
		rows = append(rows, core.Memory{ID: fmt.Sprint("m", m), Vault: "v", Title: fmt.Sprint("m", m)})
	}
	mustPut(b, s, rows...)
	rows = rows[:0]
	for i := range n {
		e := storetest.Note(fmt.Sprint("m", i%memories), fmt.Sprint(i), text.words(40))
		e.Thread, e.Summary = fmt.Sprint("t", i%memories, "-", i/memories/100), text.words(12)
		if rows = append(rows, e); len(rows) == 2000 || i == n-1 {
			mustPut(b, s, rows...)
			rows = rows[:0]
		}
	}
	questions := make([]string, 200)
	for i := range questions {
		questions[i] = text.question()
	}
	return questions
}

// BenchmarkAdd adds 200 entries, from 8 goroutines through the writer, and then
// as many with a commit each.
func BenchmarkAdd(b *testing.B) {
	const submitters, each = 8, 25
	text := newProse()
	round := 0
	notes := func() (all []core.Entry) {
		round++
		for n := range submitters * each {
			e := storetest.Note("m", fmt.Sprint(round, "-", n), text.words(40))
			e.Summary = text.words(12)
			all = append(all, e)
		}
		return all
	}
	together, alone := remembering(b), remembering(b)
	var shared, single time.Duration
	var waits []time.Duration
	for b.Loop() {
		b.StopTimer()
		rows, same := notes(), notes()
		took := make([]time.Duration, len(rows))
		b.StartTimer()
		begun := time.Now()
		var all sync.WaitGroup
		for p := range submitters {
			all.Go(func() {
				for i := p; i < len(rows); i += submitters {
					put := time.Now()
					must.Report(b, together.Put(b.Context(), rows[i]))
					took[i] = time.Since(put)
				}
			})
		}
		all.Wait()
		shared += time.Since(begun)
		waits = append(waits, took...)
		begun = time.Now()
		for _, row := range same {
			mustPut(b, alone, row)
		}
		single += time.Since(begun)
	}
	n := float64(len(waits))
	b.ReportMetric(n/shared.Seconds(), "shared/s")
	b.ReportMetric(n/single.Seconds(), "single/s")
	b.ReportMetric(single.Seconds()/shared.Seconds(), "ratio")
	b.ReportMetric(ms(percentile(waits, 99)), "p99-ms")
}

// BenchmarkAwait lets 8 goroutines write six entries each into a memory of their
// own, and then wait for these.
func BenchmarkAwait(b *testing.B) {
	const submitters, each = 8, 6
	s := openIn(b, b.TempDir())
	text := newProse()
	round := 0
	var waits []time.Duration
	for m := range submitters {
		mustPut(b, s, storetest.Recall(fmt.Sprint("m", m))...)
	}
	for b.Loop() {
		round++
		puts := make([][]*put, submitters)
		for m := range puts {
			for n := range each {
				note := must.Get(records(s.Room(), []core.Row{storetest.Note(fmt.Sprint("m", m), fmt.Sprint(round, "-", m, "-", n), text.words(40))}))(b)
				puts[m] = append(puts[m], newPut(note))
			}
		}
		took := make([]time.Duration, submitters)
		var all sync.WaitGroup
		for m := range puts {
			all.Go(func() {
				for _, p := range puts[m] {
					s.queue.add(p)
				}
				begun := time.Now()
				if c, err := s.Await(b.Context(), core.AwaitQuery{Memory: fmt.Sprint("m", m)}); err != nil || len(c.Failed) > 0 {
					b.Errorf("%+v, %v", c, err)
				}
				took[m] = time.Since(begun)
			})
		}
		all.Wait()
		waits = append(waits, took...)
	}
	b.ReportMetric(float64(len(waits)*each)/b.Elapsed().Seconds(), "entries/s")
	b.ReportMetric(ms(percentile(waits, 50)), "p50-ms")
	b.ReportMetric(ms(percentile(waits, 99)), "p99-ms")
}

func percentile(all []time.Duration, p int) time.Duration {
	slices.Sort(all)
	return all[(len(all)-1)*p/100]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
