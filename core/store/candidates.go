package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
)

const (
	readOfTerms = 12_000 // entries that hold a term, in all: the newest of each
	leastOfTerm = 500
	readOfAll   = 2000 // entries that are counted
	mostOfFile  = 8    // from this part of a file on it is quicker to look up whose entries are found than to have FTS5 keep to a scope
	weighed     = 50   // entries whose words are read
)

// posting is where a term is held, the newest first, and what it weighs: the more,
// the fewer of the entries that are searched hold it.
type posting struct {
	seqs   []int64
	weight float64
}

// postings returns where each term is held in what is searched. Of what many entries
// hold, the newest are read, and the others are estimated.
func postings(ctx context.Context, tx *sql.Tx, in searchScope, a *asked) ([]posting, error) {
	var entries, first, from, last, file int64
	var others bool // have entries in the file
	if err := tx.QueryRowContext(ctx, `SELECT count(*), coalesce((SELECT min(seq) FROM entry WHERE `+in.memories+`), 0), coalesce(min(seq), 0), coalesce(max(seq), 0),
		(SELECT coalesce(max(seq), 0) FROM entry), EXISTS (SELECT 1 FROM memory WHERE NOT (`+strings.ReplaceAll(in.memories, "memory IN", "no IN")+`)
			AND EXISTS (SELECT 1 FROM entry WHERE entry.memory = memory.no))
		FROM (SELECT seq FROM entry WHERE `+in.memories+` ORDER BY seq DESC LIMIT ?)`, readOfAll).Scan(&entries, &first, &from, &last, &file, &others); err != nil {
		return nil, err
	}
	about := func(n int64, from int64, most int64) float64 {
		if n < most {
			return float64(n)
		}
		return float64(n) * float64(last-first+1) / float64(last-from+1)
	}
	total := about(entries, from, readOfAll)
	source := "SELECT rowid AS seq FROM entry_fts WHERE entry_fts MATCH ? UNION SELECT rowid AS seq FROM part_fts WHERE part_fts MATCH ? ORDER BY seq DESC"
	var conditions []any // what else the entries are looked up for
	switch {
	case in.narrow:
		source, conditions = "SELECT found.seq AS seq FROM ("+source+") AS found CROSS JOIN entry ON entry.seq = found.seq WHERE "+in.where, in.args
	case others && total*mostOfFile > float64(file):
		source = "SELECT found.seq AS seq FROM (" + source + ") AS found CROSS JOIN entry ON entry.seq = found.seq WHERE " + in.memories
	}
	if !others || in.narrow || total*mostOfFile > float64(file) {
		in.scope = ""
	}
	find, err := tx.PrepareContext(ctx, "SELECT json_group_array(seq) FROM ("+source+" LIMIT ?)")
	if err != nil {
		return nil, err
	}
	defer find.Close() //nolint:errcheck // it was only read by
	all := make([]posting, len(a.terms))
	most := max(readOfTerms/len(a.terms), leastOfTerm)
	for i, t := range a.terms {
		args := []any{in.scope + "{summary raw day} : " + t.expression(), in.scope + "{words} : " + t.expression()}
		args = append(args, conditions...)
		var list string
		if err := find.QueryRowContext(ctx, append(args, most)...).Scan(&list); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(list), &all[i].seqs); err != nil {
			return nil, err
		}
		held := 0.0
		if n := len(all[i].seqs); n > 0 {
			held = about(int64(n), all[i].seqs[n-1], int64(most))
		}
		all[i].weight = t.weight * math.Log(1+(max(total-held, 0)+0.5)/(held+0.5))
	}
	return all, nil
}

// expression is that of FTS5 for a term.
func (t term) expression() string {
	either := make([]string, len(t.forms))
	for i, f := range t.forms {
		either[i] = `"` + strings.Join(f.words, " ") + `"`
		if f.begins {
			either[i] += " *"
		}
	}
	return "(" + strings.Join(either, " OR ") + ")"
}

// candidates returns the places that hold most, going by the weights of the terms alone.
func candidates(all []posting) []int64 {
	scores := map[int64]float64{}
	for _, p := range all {
		for _, seq := range p.seqs {
			scores[seq] += p.weight
		}
	}
	places := slices.SortedFunc(maps.Keys(scores), func(x, y int64) int {
		return cmp.Or(cmp.Compare(scores[y], scores[x]), cmp.Compare(y, x))
	})
	return places[:min(len(places), weighed)]
}
