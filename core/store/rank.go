package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/lang"
)

// How entries are weighed. The figures were chosen by core/memory/eval/testdata/tuned.json
// and the odd questions of chat.jsonl; the curve is flat around them.
const (
	saturation = 1.2  // k1 of BM25
	lengthy    = 0.4  // b of BM25: turns of a chat are short anyway
	onward     = 0.8  // of its score is what an entry gives to the one after it: answers follow questions
	backward   = 0.1  // and to the one before it
	readOfText = 1500 // characters of an entry whose words are counted
	meant      = 0.2  // of what all its words come to is what an entry gets that means most what is asked
	telling    = 20   // words from which on an entry counts twice as much as one of no words: "See you!" says little

	ofSpeaker = 1.7 // is what the score is taken times where the question has the name of who said it,
	ofRole    = 1.1 // or asks what the user, or who answered, said,
	inPeriod  = 1.5 // in the time that the question names,
	asking    = 0.5 // for a question,
	noAnswer  = 0.3 // and for what was no answer, or only repeated what is remembered
)

// weighing is an entry whose words are read.
type weighing struct {
	before, after int64 // in its thread; 0: none
	role          core.Role
	raw           string
	at            int64
	status        bool      // it was no answer
	fits          bool      // it is among what is searched
	counts        []float64 // of each term
	length        float64   // words
	own           float64   // what these come to, with
	alike         float64   // what it means
}

// rank returns the entries that say most about what is asked, the best first.
func rank(ctx context.Context, tx *sql.Tx, in searchScope, a *asked, likeness map[int64]float64) ([]hit, error) {
	if len(a.terms) == 0 && (len(likeness) == 0 || len(a.period.Words) > 0 || !a.filter.empty()) {
		return newest(ctx, tx, in, a)
	}
	var all []posting
	var err error
	if len(a.terms) > 0 {
		if all, err = postings(ctx, tx, in, a); err != nil {
			return nil, err
		}
	}
	places := candidates(all)
	for seq := range likeness {
		if !slices.Contains(places, seq) {
			places = append(places, seq)
		}
	}
	read, err := weigh(ctx, tx, in, a, places)
	if err != nil {
		return nil, err
	}
	for i, p := range all {
		for _, seq := range p.seqs { // also what is held further on than it was read
			if w, ok := read[seq]; ok && w.counts[i] == 0 {
				w.counts[i] = 1
			}
		}
	}
	full := 0. // what an entry of all the words would come to
	for _, p := range all {
		full += p.weight
	}
	mean := 0.0
	for _, w := range read {
		mean += w.length / float64(len(read))
	}
	for seq, w := range read {
		if !w.fits && !in.narrow { // it has expired
			continue
		}
		norm := saturation * (1 - lengthy + lengthy*w.length/max(mean, 1))
		for i, n := range w.counts {
			w.own += all[i].weight * n * (saturation + 1) / (n + norm)
		}
		w.alike = meant * max(full, 1) * likeness[seq]
		w.own += w.alike
		read[seq] = w
		if slices.Contains(a.period.Words, speakerOf(w.raw)) { // June, who spoke
			a.period = lang.Period{}
		}
	}
	bySeq := make(map[int64]hit, len(read))
	for seq, w := range read {
		if h := a.score(w, read); w.fits && h.score > 0 {
			h.seq = seq
			bySeq[seq] = h
		}
	}
	return ordered(bySeq), nil
}

// score says what speaks for an entry, and what against it.
func (a *asked) score(w weighing, read map[int64]weighing) hit {
	much := 1 + min(w.length, telling)/telling
	own, near := much*w.own, onward*read[w.before].own+backward*read[w.after].own
	h := hit{score: own + near, parts: map[string]float64{"bm25": own - much*w.alike}}
	if w.alike > 0 {
		h.parts["vector"] = much * w.alike
	}
	if near > 0 {
		h.parts["near"] = near
	}
	take := func(is bool, part string, factor float64) {
		if is {
			h.parts[part] += h.score * (factor - 1)
			h.score *= factor
		}
	}
	take(a.named(w), "speaker", ofSpeaker)
	take(a.role != "" && a.role == w.role, "speaker", ofRole)
	take(a.covers(w.at), "date", inPeriod)
	take(lang.IsOnlyQuestions(w.raw[len(speakerOf(w.raw)):]), "question", asking)
	take(w.status, "status", noAnswer)
	return h
}

// named reports whether the question has a name of who spoke.
func (a *asked) named(w weighing) bool {
	return slices.ContainsFunc(strings.Fields(speakerOf(w.raw)), func(name string) bool { return slices.Contains(a.names, name) })
}

// covers reports whether a time is in that which the question names.
func (a *asked) covers(at int64) bool {
	return len(a.period.Words) > 0 && at >= a.period.From.UnixMicro() && at < a.period.To.UnixMicro()
}

// speakerOf returns the name that stands before what was said, in lower case.
func speakerOf(text string) string {
	name, _, ok := strings.Cut(text[:min(len(text), 40)], ": ")
	if !ok || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !strings.ContainsRune(" .'-", r) }) {
		return ""
	}
	return strings.ToLower(name)
}

// weigh reads the words of entries and of what was said before and after them.
func weigh(ctx context.Context, tx *sql.Tx, in searchScope, a *asked, places []int64) (map[int64]weighing, error) {
	const beside = "thread = nullif(this.thread, '') AND memory = this.memory AND redacted_us IS NULL AND " + unexpired
	now := in.args[0]
	read := make(map[int64]weighing, 3*len(places))
	for n, err := range stream(func(rows *sql.Rows) (n [3]int64, err error) {
		return n, rows.Scan(&n[0], &n[1], &n[2])
	})(tx.QueryContext(ctx, `SELECT seq,
		coalesce((SELECT max(seq) FROM entry WHERE `+beside+` AND seq < this.seq), 0),
		coalesce((SELECT min(seq) FROM entry WHERE `+beside+` AND seq > this.seq), 0)
		FROM entry AS this WHERE seq IN (`+listed(places)+`)`, now, now)) {
		if err != nil {
			return nil, err
		}
		link := func(first, second int64) {
			if first != 0 && second != 0 {
				one, other := read[first], read[second]
				one.after, other.before = second, first
				read[first], read[second] = one, other
			}
		}
		if _, linked := read[n[0]]; !linked {
			read[n[0]] = weighing{}
		}
		link(n[1], n[0])
		link(n[0], n[2])
	}
	args := append([]any{readOfText, readOfText}, in.args...)
	rows, err := tx.QueryContext(ctx, "SELECT seq, role, substr(raw, 1, ?), substr(summary, 1, ?), length(raw), day, tags, "+
		"CASE WHEN seq IN (SELECT seq FROM entry_tag) THEN "+tagsBeside+" ELSE '{}' END, created_us, "+in.where+
		" FROM entry WHERE seq IN ("+listed(slices.Collect(maps.Keys(read)))+")", args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err says what went wrong
	for rows.Next() {
		var seq, long int64
		var w weighing
		var summary, day, own, beside string
		if err := rows.Scan(&seq, &w.role, &w.raw, &summary, &long, &day, &own, &beside, &w.at, &w.fits); err != nil {
			return nil, err
		}
		w.before, w.after = read[seq].before, read[seq].after
		w.counts = make([]float64, len(a.terms))
		w.length = a.count(w.counts, w.raw, 1)
		if summary != strings.Join(strings.Fields(w.raw), " ") { // it says more than the same
			w.length += a.count(w.counts, summary, 2)
		}
		w.length *= max(float64(long)/readOfText, 1)
		a.count(w.counts, day, 1)
		tags, _ := merged(own, beside) // what cannot be read says nothing
		w.status = tags[core.TagStatus] != ""
		a.count(w.counts, tagWords(tags), 1)
		read[seq] = w
	}
	return read, rows.Err()
}

// count adds how often a text has each term, and returns how many words it has.
func (a *asked) count(counts []float64, text string, times float64) float64 {
	hits, length := a.hits(text)
	for _, h := range hits {
		counts[h.term] += times
	}
	return float64(length)
}

// newest returns the newest entries of what is searched, and of the time that is asked
// for; none, where a question is neither.
func newest(ctx context.Context, tx *sql.Tx, in searchScope, a *asked) ([]hit, error) {
	where, args := in.where, slices.Clone(in.args)
	if len(a.period.Words) > 0 {
		where += " AND created_us >= ? AND created_us < ?"
		args = append(args, a.period.From.UnixMicro(), a.period.To.UnixMicro())
	} else if a.filter.empty() {
		return nil, nil
	}
	return collect(func(rows *sql.Rows) (hit, error) {
		h := hit{score: 1, parts: map[string]float64{"date": 1}}
		return h, rows.Scan(&h.seq)
	})(tx.QueryContext(ctx, "SELECT seq FROM entry WHERE "+where+" ORDER BY seq DESC LIMIT ?", append(args, core.MaxEntries)...))
}
