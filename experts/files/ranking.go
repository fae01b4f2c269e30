package files

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/plain"
)

// fact is what is known of a file without looking into it, and its lines when
// they were asked for.
type fact struct {
	path  string
	bytes int64
	time  time.Time
	lines int
}

// orders are the names of the ways to sort files.
//
//nolint:gochecknoglobals // never changes
var orders = map[string]string{"size": "largest", "-size": "smallest", "time": "newest", "-time": "oldest", "lines": "longest", "-lines": "shortest"}

// ranking answers with files by their size, age or length.
func (t *tree) ranking(ctx context.Context, q query) (core.Reply, error) {
	order := cmp.Or(q.Mark("order"), map[string]string{"1": "lines"}[q.Mark("long")], map[string]string{"sized": "size"}[q.Shape], "time")
	by, up := strings.CutPrefix(order, "-")
	facts, err := t.facts(ctx, q, by == "lines")
	if err != nil {
		return core.Reply{}, err
	}
	slices.SortStableFunc(facts, func(a, b fact) int {
		c := map[string]int{"size": cmp.Compare(b.bytes, a.bytes), "time": b.time.Compare(a.time), "lines": cmp.Compare(b.lines, a.lines)}[by]
		if up {
			c = -c
		}
		return c
	})
	nth := plain.Number(q.Mark("nth"))
	facts = facts[min(max(nth-1, 0), len(facts)):]
	total, n := len(facts), len(facts)
	if q.Shape == "top" {
		n = 10
		if q.Mark("one") != "" {
			n = 1
		}
		n = min(total, q.number(n))
	}
	rows, paths, lines := []any{}, []string{}, []string{}
	for _, f := range facts[:min(n, maxData)] {
		rows = append(rows, map[string]any{"path": f.path, "bytes": float64(f.bytes), "changed": f.time.Format(time.RFC3339)})
		paths = append(paths, f.path)
		lines = append(lines, plain.Code(f.path)+", "+t.fact(f, by))
	}
	data := map[string]any{"files": paths, "rows": rows, "total": float64(total), "truncated": n > maxData}
	name, where := t.Say(orders[order]), t.where(q.scope)
	switch {
	case total == 0:
		return experts.Success(t.Say("**No file** in %s is like that.", where), data), nil
	case q.Shape == "top" && n == 1 && nth > 0:
		return experts.Success(t.Say("**%s** is number %d of the %s files in %s: %s.", plain.Code(paths[0]), nth, name, where, t.fact(facts[0], by)), data), nil
	case q.Shape == "top" && n == 1:
		return experts.Success(t.Say("**%s** is the %s file in %s: %s.", plain.Code(paths[0]), name, where, t.fact(facts[0], by)), data), nil
	case q.Shape == "top":
		return t.rows(t.Say("**The %d %s files** in %s", n, name, where), lines, data), nil
	}
	return t.rows(t.Say("**%s** in %s", t.Count(total, "files"), where), lines, data), nil
}

// fact says that of a file by which it is sorted.
func (t *tree) fact(f fact, by string) string {
	switch by {
	case "size":
		return bytes(f.bytes)
	case "lines":
		return t.Count(f.lines, "lines")
	}
	return t.Say("changed %s", f.time.Format("2006-01-02 15:04"))
}

// facts are those of the files in the scope that a question is about.
func (t *tree) facts(ctx context.Context, q query, lines bool) ([]fact, error) {
	limit := int64(-1)
	n, given := q.Value("SIZE").(int)
	switch unit := plain.Number(q.Mark("unit_size")); {
	case given:
		limit = int64(n)
	case q.Mark("empty") != "":
		limit = 1
	case q.Mark("long") != "", unit > 0:
		limit = int64(q.number(0)) * int64(max(unit, 1))
	}
	all, err := t.files(ctx, q.scope)
	var facts []fact
	for _, p := range all {
		info, statErr := t.root.Stat(p)
		if statErr != nil {
			continue // gone meanwhile
		}
		f := fact{path: p, bytes: info.Size(), time: info.ModTime().In(t.now().Location())}
		if lines {
			body, _, _ := t.text(p) // what cannot be read has no lines
			f.lines = countLines(body)
		}
		measured := f.bytes
		if lines {
			measured = int64(f.lines)
		}
		switch {
		case limit >= 0 && (measured == limit || (measured < limit) != (q.Mark("under") != "")):
		case f.time.Before(q.period.Since), !q.period.Until.IsZero() && !f.time.Before(q.period.Until):
		default:
			facts = append(facts, f)
		}
	}
	return facts, cmp.Or(err, ctx.Err())
}

// modified answers when a file was changed on disk.
func (t *tree) modified(_ context.Context, q query) (core.Reply, error) {
	p := q.named[0].path
	info, err := t.root.Stat(p)
	if err != nil {
		return core.Reply{}, err
	}
	at := info.ModTime().In(t.now().Location())
	return experts.Success(t.Say("**%s**: then %s was changed on disk.", at.Format("2006-01-02 15:04"), plain.Code(p)),
		map[string]any{"path": p, "changed": at.Format(time.RFC3339)}), nil
}
