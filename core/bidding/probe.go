package bidding

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
)

const (
	probeTime   = 2 * time.Second
	settleTime  = 200 * time.Millisecond // without anybody joining, before the newcomers are probed
	maxExamples = 40                     // of others, in one probe
	maxProbes   = 9                      // texts at a time: a question of the user is not kept waiting
	nonsense    = 5                      // texts that nobody can read
	greedy      = 0.5                    // a bid that claims a probe
)

// Run probes everybody that joins, in the background, when nobody else has joined
// for a moment. next hands out what happens in the room, as [event.Feed] does. It
// returns when ctx ends.
func (r *Collector) Run(ctx context.Context, next func(context.Context) ([]core.Event, error)) error {
	joined := make(chan string)
	go func() {
		defer close(joined)
		for {
			events, err := next(ctx)
			if err != nil {
				return // ctx has ended
			}
			for _, e := range events {
				if j, ok := e.Body.(core.ExpertJoined); ok {
					select {
					case joined <- j.Name:
					case <-ctx.Done():
						return
					}
				}
			}
		}
	}()
	var newcomers []string
	quiet := time.NewTimer(settleTime)
	defer quiet.Stop()
	for {
		select {
		case name, ok := <-joined:
			if !ok {
				return nil
			}
			newcomers = append(newcomers, name)
			quiet.Reset(settleTime)
		case <-quiet.C:
			for _, name := range newcomers {
				r.Probe(ctx, name)
			}
			newcomers = nil
		}
	}
}

// Probe finds out how much of what is not its own an expert bids on: the examples
// of the others, at most 40, and five texts that nobody can read. An expert that
// does not bid is left alone, and one that is late is believed as before. It blocks
// for two seconds a request at most, of which it makes five.
func (r *Collector) Probe(ctx context.Context, expert string) {
	if r.Ledger == nil {
		return
	}
	texts := append(r.othersExamples(expert), gibberish()...)
	var last core.Bids
	claimed, answered := 0, 0
	for some := range slices.Chunk(texts, maxProbes) {
		for _, made := range r.Experts.Bids(ctx, some, nil, expert, probeTime) {
			last = made
			for _, bid := range made.Bids {
				answered++
				if claim(bid) >= greedy {
					claimed++
				}
			}
		}
		if last.Failed != "" {
			break
		}
	}
	switch {
	case last.Broken:
		r.Ledger.probed(ctx, last.Expert, last.Origin, 1)
	case answered == len(texts):
		r.Ledger.probed(ctx, last.Expert, last.Origin, float64(claimed)/float64(len(texts)))
	}
}

// othersExamples takes one example of each other expert in turn.
func (r *Collector) othersExamples(expert string) (texts []string) {
	var others []core.Expert
	var own []string
	for _, e := range r.Experts.Experts() {
		switch {
		case strings.EqualFold(e.Name, expert):
			own = e.Examples
		case e.Present():
			others = append(others, e)
		}
	}
	for i := 0; ; i++ {
		more := false
		for _, e := range others {
			if i < len(e.Examples) && !slices.Contains(texts, e.Examples[i]) && !slices.Contains(own, e.Examples[i]) {
				if texts = append(texts, e.Examples[i]); len(texts) == maxExamples {
					return texts
				}
			}
			more = more || i < len(e.Examples)
		}
		if !more {
			return texts
		}
	}
}

// gibberish are texts of words that are none, others each time: they cannot be
// learned by heart.
func gibberish() []string {
	const consonants, vowels = "bdfgklmnprstvz", "aeiou"
	texts := make([]string, nonsense)
	for i := range texts {
		words := make([]string, 3+rand.IntN(3))
		for j := range words {
			var word strings.Builder
			for range 2 + rand.IntN(2) {
				word.WriteByte(consonants[rand.IntN(len(consonants))])
				word.WriteByte(vowels[rand.IntN(len(vowels))])
			}
			words[j] = word.String() + string(consonants[rand.IntN(len(consonants))])
		}
		texts[i] = strings.Join(words, " ")
	}
	return texts
}
