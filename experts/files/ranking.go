package files

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"yaap/core"
	"yaap/experts"
	"yaap/experts/plain"
)

// fact is what is known of a file without looking into it, and its lines when
// they were asked for.
type fact struct {
	path  string
	bytes int64
	time  time.Time
	lines int
}

// ranking answers with files by their size, age or length.
func (t *tree) ranking(ctx context.Context, q query) (core.Reply, error) {
	order := cmp.Or(q.Mark("order"), map[string]string{"1": "lines"}[q.Mark("long")], map[string]string{"sized": "size"}[q.Shape], "time")
	up := strings.HasPrefix(order, "-")
	by := strings.TrimPrefix(order, "-")
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
	if nth := plain.Number(q.Mark("nth")); nth > 0 {
		facts = facts[min(nth-1, len(facts)):]
	}
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
		lines = append(lines, "- "+plain.Code(f.path)+", "+f.say(by))
	}
	data := map[string]any{"files": paths, "rows": rows, "total": float64(total), "truncated": n > maxData}
	name := map[string]string{"size": "largest", "-size": "smallest", "time": "newest", "-time": "oldest", "lines": "longest", "-lines": "shortest"}[order]
	where := q.scope.name()
	if len(q.scope.globs) > 0 {
		where += " (" + plain.Code(strings.Join(q.scope.globs, ", ")) + ")"
	}
	switch {
	case total == 0:
		return experts.Success("**No file** in "+where+" is like that.", data), nil
	case q.Shape == "top" && n == 1 && q.Mark("nth") != "":
		return experts.Success(fmt.Sprintf("**%s** is number %s of the %s files in %s: %s.", plain.Code(paths[0]), q.Mark("nth"), name, where, facts[0].say(by)), data), nil
	case q.Shape == "top" && n == 1:
		return experts.Success(fmt.Sprintf("**%s** is the %s file in %s: %s.", plain.Code(paths[0]), name, where, facts[0].say(by)), data), nil
	case q.Shape == "top":
		return experts.Success(fmt.Sprintf("**The %d %s files** in %s:\n\n%s", n, name, where, strings.Join(lines, "\n")), data), nil
	}
	return experts.Success(fmt.Sprintf("**%s** in %s%s:\n\n%s", plural(total, "files"), where, showing(total), strings.Join(lines[:min(len(lines), maxShown)], "\n")), data), nil
}

func (f fact) say(by string) string {
	switch by {
	case "size":
		return bytes(f.bytes)
	case "lines":
		return plural(f.lines, "lines")
	}
	return "changed " + f.time.Format("2006-01-02 15:04")
}

// facts are those of the files in the scope that a question is about.
func (t *tree) facts(ctx context.Context, q query, lines bool) ([]fact, error) {
	period := q.period
	limit := int64(-1)
	if n, ok := q.Value("SIZE").(int); ok {
		limit = int64(n)
	} else if unit := plain.Number(q.Mark("unit_size")); unit > 0 {
		limit = int64(q.number(0)) * int64(unit)
	} else if q.Mark("empty") != "" {
		limit = 1
	} else if q.Mark("long") != "" {
		limit = int64(q.number(0))
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
		case f.time.Before(period.Since), !period.Until.IsZero() && !f.time.Before(period.Until):
		default:
			facts = append(facts, f)
		}
	}
	if err == nil {
		err = ctx.Err()
	}
	return facts, err
}

// modified answers when a file was changed on disk.
func (t *tree) modified(q query) (core.Reply, error) {
	p := q.named[0].path
	info, err := t.root.Stat(p)
	if err != nil {
		return core.Reply{}, err
	}
	at := info.ModTime().In(t.now().Location())
	return experts.Success(fmt.Sprintf("**%s**: then %s was changed on disk.", at.Format("2006-01-02 15:04"), plain.Code(p)),
		map[string]any{"path": p, "changed": at.Format(time.RFC3339)}), nil
}
