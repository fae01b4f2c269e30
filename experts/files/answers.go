package files

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"yaap/core"
	"yaap/experts"
)

// show reads a file, or lists a folder or the files of a kind.
func (t *tree) show(ctx context.Context, q map[string]string) (core.Reply, error) {
	s, err := t.scope(ctx, q["where"]+" "+q["rest"])
	if err != nil {
		return core.Reply{}, err
	}
	part := q["n"]+q["head"]+q["tail"] != ""
	if !s.said || part && s.file == "" || q["count"] != "" && s.file != "" {
		return core.Reply{}, errNotMine
	}
	s.deep = s.deep || q["count"] != "" && !s.dirs
	if s.file == "" {
		return t.list(ctx, s)
	}
	first, most := 1, maxLines
	switch n := number(q["n"]); {
	case q["head"]+q["tail"] != "" && n == 0:
		most = map[bool]int{true: 1, false: 10}[strings.EqualFold(q["unit"], "line")]
	case q["head"]+q["tail"] != "":
		most = min(n, maxLines)
	case part:
		first = max(n, 1)
		most = min(max(first, number(q["m"]))-first+1, maxLines)
	}
	if q["tail"] != "" {
		first = 0
	}
	lines, from, total, err := t.page(ctx, s.file, first, most)
	if err != nil {
		return core.Reply{}, err
	}
	last := from + len(lines) - 1
	data := map[string]any{"path": s.file, "first": float64(from), "lines": append([]string{}, lines...), "truncated": len(lines) == maxLines && total > last}
	switch {
	case total == 0:
		return experts.Success(code(s.file)+" is empty.", data), nil
	case len(lines) == 0:
		return experts.Success(fmt.Sprintf("%s has only %s; there is no line %d.", code(s.file), plural(total, "lines"), first), data), nil
	}
	return experts.Success(fmt.Sprintf("%s, lines %d-%d of %d:\n\n%s", code(s.file), from, last, total, fenced(lines, path.Ext(s.file))), data), nil
}

// list answers with the entries of a folder, or with the files of a kind.
func (t *tree) list(ctx context.Context, s scope) (core.Reply, error) {
	if s.deep {
		all, err := t.files(ctx, s)
		return listed(plural(len(all), "files")+" in "+s.name(), pathsOf(all), ""), err
	}
	all, err := fs.ReadDir(t.root.FS(), s.dir)
	if err != nil {
		return core.Reply{}, err
	}
	paths, note := []string{}, ""
	for _, d := range all {
		switch {
		case s.dirs && !d.IsDir():
		case strings.HasPrefix(d.Name(), ".") && !s.hidden:
			note = "\n\nHidden ones are not shown."
		case d.IsDir():
			paths = append(paths, path.Join(s.dir, d.Name())+"/")
		default:
			paths = append(paths, path.Join(s.dir, d.Name()))
		}
	}
	return listed(plural(len(paths), "entries")+" in "+s.name(), paths, note), nil
}

func listed(head string, paths []string, note string) core.Reply {
	data := map[string]any{"files": cut(paths, maxData), "total": float64(len(paths)), "truncated": len(paths) > maxData}
	if len(paths) == 0 {
		return experts.Success(head+"."+note, data)
	}
	return experts.Success(head+showing(len(paths))+":\n\n"+bullets(paths)+note, data)
}

// find answers with what has a name, part of a name, or fits a wildcard.
func (t *tree) find(ctx context.Context, q map[string]string) (core.Reply, error) {
	s, err := t.scope(ctx, q["where"]+" "+q["rest"])
	if err != nil {
		return core.Reply{}, err
	}
	name := unquote(q["name"])
	if suffix := unquote(q["suffix"]); suffix != "" {
		if !strings.ContainsAny(suffix, "._-") {
			suffix = "." + suffix
		}
		name = "*" + suffix
	}
	dir, base := path.Split(name)
	isPath := pathLike.MatchString(name)
	if base == "" || s.file != "" || len(s.globs) > 0 || filler.MatchString(name) || subject.MatchString(name) || folders.MatchString(name) || !isPath && kind(name) != nil {
		return core.Reply{}, errNotMine
	}
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
	return experts.Failure(fmt.Sprintf("No file called %s in %s. Hidden folders and vendored ones are not looked into.", code(name), s.name()), reply.Data), nil
}

// size tells the bytes and lines of a file, or of all files of a scope.
func (t *tree) size(ctx context.Context, q map[string]string) (core.Reply, error) {
	s, err := t.scope(ctx, q["where"]+" "+q["rest"])
	if err != nil {
		return core.Reply{}, err
	}
	all, err := t.files(ctx, s)
	if err != nil {
		return core.Reply{}, err
	}
	lines, sum, uncounted := 0, int64(0), 0
	for _, f := range all {
		n := 0
		size, err := t.lines(ctx, f.path, func(int, []byte) { n++ })
		if ctx.Err() != nil || err != nil && size == 0 && s.file != "" {
			return core.Reply{}, err
		}
		if err != nil {
			uncounted++
		}
		lines, sum = lines+n, sum+size
	}
	message := fmt.Sprintf("%s: %s, %s, %s.", s.name(), plural(len(all), "files"), plural(lines, "lines"), bytesText(sum))
	data := map[string]any{"path": cmp.Or(s.file, s.dir), "files": float64(len(all)), "lines": float64(lines), "bytes": float64(sum)}
	if uncounted > 0 {
		message += fmt.Sprintf(" The lines of %s are not counted, being binary, unreadable or too large.", plural(uncounted, "files"))
		data["uncounted"] = float64(uncounted)
	}
	return experts.Success(message, data), nil
}

// largest lists the largest files of a scope.
func (t *tree) largest(ctx context.Context, q map[string]string) (core.Reply, error) {
	s, err := t.scope(ctx, q["where"]+" "+q["rest"])
	if err != nil {
		return core.Reply{}, err
	}
	if !s.said || s.file != "" || s.dirs {
		return core.Reply{}, errNotMine
	}
	all, err := t.files(ctx, s)
	if err != nil {
		return core.Reply{}, err
	}
	total := len(all)
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(b.info.Size(), a.info.Size()) })
	n := cmp.Or(number(q["n"]), number(q["m"]), 10)
	rows, lines := []any{}, []string{}
	for _, f := range all[:min(len(all), n, maxShown)] {
		rows = append(rows, map[string]any{"path": f.path, "bytes": float64(f.info.Size())})
		lines = append(lines, fmt.Sprintf("%10s  %s", bytesText(f.info.Size()), f.path))
	}
	data := map[string]any{"files": rows, "total": float64(total)}
	return experts.Success(fmt.Sprintf("The largest of %s in %s:\n\n%s", plural(total, "files"), s.name(), fenced(lines, "")), data), nil
}

// grep answers with the lines that hold a text.
func (t *tree) grep(ctx context.Context, q map[string]string) (core.Reply, error) {
	text, in, err := t.split(ctx, q["text"])
	if err != nil {
		return core.Reply{}, err
	}
	if text == "" {
		return core.Reply{}, errNotMine
	}
	if len(text) > 2 && text[0] == '/' && strings.HasSuffix(text, "/") && strings.ContainsAny(text, `\*+?[(|^$`) {
		return experts.Clarify("I search for text as it is, not for regular expressions. Which text?", `grep "TODO"`, "which files mention TODO?"), nil
	}
	s, err := t.scope(ctx, q["where"]+" "+in)
	if err != nil {
		return core.Reply{}, err
	}
	all, err := t.files(ctx, s)
	if err != nil {
		return core.Reply{}, err
	}
	rows, lines, files, total := []any{}, []string{}, []string{}, 0
	fold := text == strings.ToLower(text) // case matters where text has capitals
	for _, f := range all {
		before := total
		_, err := t.lines(ctx, f.path, func(n int, line []byte) {
			hay := line
			if fold {
				hay = bytes.ToLower(line)
			}
			if !bytes.Contains(hay, []byte(text)) {
				return
			}
			if total++; total <= maxData {
				rows = append(rows, map[string]any{"path": f.path, "line": float64(n), "text": tidy(line)})
			}
			if total <= maxShown {
				lines = append(lines, fmt.Sprintf("%s:%d: %s", f.path, n, strings.TrimSpace(tidy(line))))
			}
		})
		if err != nil && (ctx.Err() != nil || s.file != "") {
			return core.Reply{}, err // elsewhere, what cannot be read holds nothing
		}
		if total > before {
			files = append(files, f.path)
		}
	}
	data := map[string]any{"matches": rows, "files": cut(files, maxData), "total": float64(total), "truncated": total > len(rows)}
	if total == 0 {
		return experts.Success(fmt.Sprintf("Nothing in %s mentions %s.", s.name(), code(text)), data), nil
	}
	return experts.Success(fmt.Sprintf("%s in %s mention %s%s:\n\n%s", plural(total, "lines"), plural(len(files), "files"), code(text), showing(total), fenced(lines, "")), data), nil
}
