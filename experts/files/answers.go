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
)

// show reads a file, or lists a folder or the files of a kind.
func (t *tree) show(ctx context.Context, q map[string]string) (core.Reply, error) {
	s, err := t.scope(ctx, q["where"]+" "+q["rest"])
	if err != nil {
		return core.Reply{}, err
	}
	part := q["n"] != "" || q["head"] != "" || q["tail"] != ""
	if !s.said || part && s.file == "" {
		return core.Reply{}, errNotMine
	}
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
	p, err := t.read(ctx, s.file, first, most)
	if err != nil {
		return core.Reply{}, err
	}
	last := p.first + len(p.lines) - 1
	data := map[string]any{"path": s.file, "lines": p.lines, "truncated": len(p.lines) == maxLines && p.total > last}
	if p.first > 0 {
		data["first"] = float64(p.first)
	}
	where := fmt.Sprintf("lines %d-%d of %d", p.first, last, p.total)
	switch {
	case len(p.lines) == 0 && p.total == 0:
		return experts.Success(code(s.file)+" is empty.", data), nil
	case len(p.lines) == 0:
		return experts.Success(fmt.Sprintf("%s has only %s; there is no line %d.", code(s.file), plural(p.total, "lines"), first), data), nil
	case p.first == 0:
		where = "the last " + plural(len(p.lines), "lines")
	case p.total == 0:
		where = fmt.Sprintf("lines %d-%d", p.first, last)
	}
	return experts.Success(fmt.Sprintf("%s, %s:\n\n%s", code(s.file), where, fenced(p.lines, path.Ext(s.file))), data), nil
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

// count answers with the files at any depth, or the folders of one.
func (t *tree) count(ctx context.Context, q map[string]string) (core.Reply, error) {
	s, err := t.scope(ctx, q["where"])
	if err != nil {
		return core.Reply{}, err
	}
	if !s.said || s.file != "" {
		return core.Reply{}, errNotMine
	}
	s.deep = !s.dirs
	return t.list(ctx, s)
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
	isPath := pathLike.MatchString(name)
	if s.file != "" || filler.MatchString(name) || subject.MatchString(name) || folders.MatchString(name) || !isPath && kind(name) != nil {
		return core.Reply{}, errNotMine
	}
	if _, err := t.local(name); err != nil {
		return core.Reply{}, err
	}
	var paths []string
	low := strings.ToLower(path.Clean(name))
	err = t.walk(ctx, s.dir, func(f entry) error {
		p := strings.ToLower(f.path)
		if s.fits(p) && (globFits(low, p) || strings.HasSuffix("/"+p, "/"+low) || !isPath && len(low) > 2 && strings.Contains(path.Base(p), low)) {
			paths = append(paths, f.path)
		}
		return nil
	})
	if err != nil {
		return core.Reply{}, err
	}
	if len(paths) == 0 && !isPath && !s.said {
		return core.Reply{}, errNotMine // nothing says that it is a file's name
	}
	reply := listed(fmt.Sprintf("%s called %s in %s", plural(len(paths), "files"), code(name), s.name()), paths, "")
	if len(paths) == 0 {
		reply.Status = core.StatusFailure
		reply.Message += " Hidden folders and vendored ones are not looked into."
	}
	return reply, nil
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
	lines, bytes, uncounted := 0, int64(0), 0
	for _, f := range all {
		size, n, err := t.measure(ctx, f.path)
		if err != nil && (ctx.Err() != nil || s.file != "") {
			return core.Reply{}, err
		}
		bytes += size
		if err != nil || n < 0 {
			uncounted++
		} else {
			lines += n
		}
	}
	message := fmt.Sprintf("%s: %s, %s, %s.", s.name(), plural(len(all), "files"), plural(lines, "lines"), bytesText(bytes))
	data := map[string]any{"path": cmp.Or(s.file, s.dir), "files": float64(len(all)), "lines": float64(lines), "bytes": float64(bytes)}
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
	var found []match
	var files []string
	total := 0
	for _, f := range all {
		hits, n, err := t.search(ctx, f.path, text)
		if err != nil && (ctx.Err() != nil || s.file != "") {
			return core.Reply{}, err // elsewhere, what cannot be read holds nothing
		}
		found = append(found, hits[:min(len(hits), maxData-len(found))]...)
		if total += n; n > 0 {
			files = append(files, f.path)
		}
	}
	rows, lines := []any{}, []string{}
	for i, m := range found {
		rows = append(rows, map[string]any{"path": m.path, "line": float64(m.line), "text": m.text})
		if i < maxShown {
			lines = append(lines, fmt.Sprintf("%s:%d: %s", m.path, m.line, strings.TrimSpace(m.text)))
		}
	}
	data := map[string]any{"matches": rows, "files": cut(files, maxData), "total": float64(total), "truncated": total > len(found)}
	if total == 0 {
		return experts.Success(fmt.Sprintf("Nothing in %s mentions %s.", s.name(), code(text)), data), nil
	}
	return experts.Success(fmt.Sprintf("%s in %s mention %s%s:\n\n%s", plural(total, "lines"), plural(len(files), "files"), code(text), showing(total), fenced(lines, "")), data), nil
}
