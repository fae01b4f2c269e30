package files

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"yaap/core"
	"yaap/experts"
	"yaap/experts/plain"
)

// show answers with a file or what is in a folder.
func (t *tree) show(ctx context.Context, s scope, _ []string) (core.Reply, error) {
	switch {
	case s.file != "":
		return t.page(s, 1, maxData)
	case s.said:
		return t.list(ctx, s)
	}
	return core.Reply{}, errNotMine
}

// missing answers a prompt that names a file which is not there.
func (t *tree) missing(ctx context.Context, _ scope, parts []string) (core.Reply, error) {
	_, _, err := t.resolve(ctx, parts[1])
	return core.Reply{}, cmp.Or(err, errNotMine)
}

// lines shows the lines from one number to another.
func (t *tree) lines(_ context.Context, s scope, parts []string) (core.Reply, error) {
	first := max(plain.Number(parts[1]), 1)
	return t.page(s, first, max(first, plain.Number(parts[2]))-first+1)
}

// ends shows the first or the last lines of a file: ten, or one where it is
// asked for "the last line".
func (t *tree) ends(_ context.Context, s scope, parts []string) (core.Reply, error) {
	first, most := 1, cmp.Or(plain.Number(parts[2]), 10)
	if slices.Contains([]string{"last", "bottom", "tail", "end"}, strings.ToLower(parts[1])) {
		first = 0
	}
	if parts[2] == "" && strings.EqualFold(parts[3], " line") {
		most = 1
	}
	return t.page(s, first, most)
}

// page shows most lines of a file from first on, its last ones where first is 0.
func (t *tree) page(s scope, first, most int) (core.Reply, error) {
	if s.file == "" {
		return core.Reply{}, errNotMine
	}
	body, _, err := t.text(s.file)
	if err != nil {
		return core.Reply{}, err
	}
	total := countLines(body)
	most = min(most, maxData)
	if first == 0 {
		first = max(total-most, 0) + 1
	}
	lines, n := []string{}, 0
	for line := range strings.Lines(body) {
		if n++; n >= first && len(lines) < most {
			lines = append(lines, tidy(line))
		}
	}
	last := first + len(lines) - 1
	data := map[string]any{"path": s.file, "first": float64(first), "lines": lines, "truncated": len(lines) == maxData && total > last}
	switch {
	case total == 0:
		return experts.Success(plain.Code(s.file)+" is empty.", data), nil
	case len(lines) == 0:
		return experts.Success(fmt.Sprintf("%s has only %s; there is no line %d.", plain.Code(s.file), plural(total, "lines"), first), data), nil
	}
	return experts.Success(fmt.Sprintf("%s, lines %d-%d of %d:\n\n%s", plain.Code(s.file), first, last, total, fenced(lines, path.Ext(s.file))), data), nil
}

// count answers with how many files there are, at any depth.
func (t *tree) count(ctx context.Context, s scope, _ []string) (core.Reply, error) {
	if !s.said || s.file != "" {
		return core.Reply{}, errNotMine
	}
	s.deep = true
	return t.list(ctx, s)
}

// list answers with the entries of a folder, or with the files of a kind.
func (t *tree) list(ctx context.Context, s scope) (core.Reply, error) {
	var paths []string
	var entries []fs.DirEntry
	var err error
	what, note := "files", ""
	if s.deep {
		paths, err = t.files(ctx, s)
	} else {
		what = "entries"
		entries, err = fs.ReadDir(t.root.FS(), s.dir)
	}
	for _, d := range entries {
		switch name := path.Join(s.dir, d.Name()); {
		case strings.HasPrefix(d.Name(), "."):
			note = "\n\nHidden ones are not shown."
		case d.IsDir():
			paths = append(paths, name+"/")
		default:
			paths = append(paths, name)
		}
	}
	if err != nil {
		return core.Reply{}, err
	}
	head := plural(len(paths), what)
	if len(s.globs) > 0 {
		head += " like " + plain.Code(strings.Join(s.globs, ", "))
	}
	head += " in " + s.name()
	switch {
	case t.brief:
		head += "."
	case len(paths) > 0:
		head += showing(len(paths)) + ":\n\n" + bullets(paths)
	}
	return experts.Success(head+note, map[string]any{"files": cut(paths, maxData), "total": float64(len(paths)), "truncated": len(paths) > maxData}), nil
}

// find answers with what has a name, part of a name, or fits a wildcard.
func (t *tree) find(ctx context.Context, s scope, parts []string) (core.Reply, error) {
	name := plain.Unquote(parts[1])
	dir, base := path.Split(name)
	isPath := pathLike().MatchString(name)
	if base == "" || s.file != "" || len(s.globs) > 0 || filler().MatchString(name) || subject().MatchString(name) || !isPath && kind(name) != "" {
		return core.Reply{}, errNotMine
	}
	var err error
	if s.dir, err = t.local(path.Join(s.dir, dir)); err != nil {
		return core.Reply{}, err
	}
	if !isPath && len(name) > 2 {
		base = "*" + base + "*"
	}
	s.globs, s.deep = []string{base}, true
	reply, err := t.list(ctx, s)
	if err != nil || reply.Data["total"] != 0.0 {
		return reply, err
	}
	if !isPath && !s.said {
		return core.Reply{}, errNotMine // nothing says that it is a file's name
	}
	return experts.Failure(fmt.Sprintf("No file called %s in %s. Hidden folders and vendored ones are not looked into.", plain.Code(name), s.name()), reply.Data), nil
}

// size tells the bytes and lines of a file, or of all files of a scope.
func (t *tree) size(ctx context.Context, s scope, _ []string) (core.Reply, error) {
	all, err := t.files(ctx, s)
	lines, sum, uncounted := 0, int64(0), 0
	for _, p := range all {
		body, size, readErr := t.text(p)
		if err = cmp.Or(err, ctx.Err()); err == nil && s.file != "" && size == 0 {
			err = readErr
		}
		if readErr != nil {
			uncounted++
		}
		lines, sum = lines+countLines(body), sum+size
	}
	if err != nil {
		return core.Reply{}, err
	}
	message := fmt.Sprintf("%s: %s, %s, %s.", s.name(), plural(len(all), "files"), plural(lines, "lines"), plural(int(sum), "bytes"))
	if uncounted > 0 {
		message += fmt.Sprintf(" The lines of %s are not counted, being binary, unreadable or too large.", plural(uncounted, "files"))
	}
	return experts.Success(message, map[string]any{"path": cmp.Or(s.file, s.dir), "files": float64(len(all)), "lines": float64(lines), "bytes": float64(sum), "uncounted": float64(uncounted)}), nil
}

// grep answers with the lines that hold a text, which is the last part. Case
// matters where the text has capitals.
func (t *tree) grep(ctx context.Context, _ scope, parts []string) (core.Reply, error) {
	end := len(parts) - 1
	text, in, err := t.split(ctx, parts[end])
	if err != nil {
		return core.Reply{}, err
	}
	s, err := t.scope(ctx, strings.Join(parts[:end], " ")+" "+in)
	if err != nil {
		return core.Reply{}, err
	}
	all, err := t.files(ctx, s)
	if err != nil {
		return core.Reply{}, err
	}
	rows, shown, files, total := []any{}, []string{}, []string{}, 0
	for _, p := range all {
		body, _, err := t.text(p)
		if ctx.Err() != nil || err != nil && s.file != "" {
			return core.Reply{}, cmp.Or(ctx.Err(), err)
		}
		before, n := total, 0 // elsewhere, what cannot be read holds nothing
		for line := range strings.Lines(body) {
			n++
			if !strings.Contains(line, text) && !strings.Contains(strings.ToLower(line), text) {
				continue
			}
			if total++; total <= maxData {
				rows = append(rows, map[string]any{"path": p, "line": float64(n), "text": tidy(line)})
			}
			if total <= maxShown {
				shown = append(shown, fmt.Sprintf("%s:%d: %s", p, n, strings.TrimSpace(tidy(line))))
			}
		}
		if total > before {
			files = append(files, p)
		}
	}
	data := map[string]any{"matches": rows, "files": cut(files, maxData), "total": float64(total), "truncated": total > len(rows)}
	if total == 0 {
		return experts.Success(fmt.Sprintf("Nothing in %s mentions %s.", s.name(), plain.Code(text)), data), nil
	}
	head := fmt.Sprintf("%s in %s mention %s", plural(total, "lines"), plural(len(files), "files"), plain.Code(text))
	if t.brief {
		return experts.Success(head+".", data), nil
	}
	return experts.Success(head+showing(total)+":\n\n"+fenced(shown, ""), data), nil
}
