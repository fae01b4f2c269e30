package files

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"yaap/core"
	"yaap/experts"
	"yaap/experts/plain"
)

// show answers with a file, some of its lines, or what is in a folder.
func (t *tree) show(ctx context.Context, q query) (core.Reply, error) {
	if q.scope.file == "" {
		return t.list(ctx, q)
	}
	first, most := 1, maxData
	switch span := q.lines(); {
	case q.Shape == "ends":
		first, most = q.end()
	case span.first > 0:
		first, most = span.first, max(span.first, span.last)-span.first+1
	}
	return t.page(q.scope, first, most)
}

// lines are those that the question names.
func (q *query) lines() lineSpan {
	span, ok := q.Value("FILELINE").(lineSpan)
	if !ok {
		span, ok = q.Value("FROM").(lineSpan)
	}
	if !ok {
		span, _ = q.Value("ORDINAL").(lineSpan)
	}
	span.last = max(span.last, q.number(0))
	return span
}

// end is where the beginning or the end of a file starts, which is 0 for the
// end, and how many lines it has: ten, or one for "the last line".
func (q *query) end() (first, most int) {
	most = 10
	if q.Mark("one") != "" {
		most = 1
	}
	most = q.number(most)
	if n, ok := q.Value("COUNT").(int); ok {
		most = n
	}
	if q.Mark("last") != "" {
		return 0, most
	}
	return 1, most
}

// page shows most lines of a file from first on, its last ones where first is 0.
func (t *tree) page(s scope, first, most int) (core.Reply, error) {
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
		return experts.Success(plain.Code(s.file)+" is **empty**.", data), nil
	case len(lines) == 0:
		return experts.Success(fmt.Sprintf("%s has only **%s**; there is no line %d.", plain.Code(s.file), plural(total, "lines"), first), data), nil
	}
	return experts.Success(fmt.Sprintf("%s, **lines %d-%d** of %d:\n\n%s", plain.Code(s.file), first, last, total, fenced(lines, path.Ext(s.file))), data), nil
}

// list answers with the entries of a folder, or with the files of a kind or
// name at any depth.
func (t *tree) list(ctx context.Context, q query) (core.Reply, error) {
	s := q.scope
	if p, ok := q.Value("FILE").(place); ok && !p.isDir && q.Shape != "find" {
		return t.page(s, 1, maxData)
	}
	stem, named := q.Value("STEM").(string)
	if ext, ok := q.Value("EXT").(string); ok {
		stem, named = ext, true
	}
	if p := q.found(); p != "" {
		return experts.Success("**"+plain.Code(p)+"** is there.", map[string]any{"files": []string{p}, "total": 1.0, "truncated": false}), nil
	}
	if named {
		if !strings.ContainsAny(stem, "*?[.") && q.Mark("whole") == "" {
			stem = "*" + stem + "*"
		}
		s.globs = append(s.globs, path.Base(stem))
		if dir := path.Dir(stem); dir != "." {
			s.dir = dir
		}
	}
	if _, err := t.local(s.dir); err != nil {
		return core.Reply{}, err
	}
	what := "files"
	if q.Mark("dirs") != "" {
		what = "folders"
	}
	deep := named || len(s.globs) > 0 || q.Mark("deep") != "" || q.Shape == "number"
	paths, note, err := t.entries(ctx, s, deep, q)
	if err != nil {
		return core.Reply{}, err
	}
	if !deep && what == "files" {
		what = "entries"
	}
	head := "**" + plural(len(paths), what) + "**"
	if len(s.globs) > 0 {
		head += " like " + plain.Code(strings.Join(s.globs, ", "))
	}
	head += " in " + s.name()
	switch {
	case q.Shape == "number" || len(paths) == 0:
		head += "."
	default:
		head += showing(len(paths)) + ":\n\n" + bullets(paths)
	}
	return experts.Success(head+note, map[string]any{"files": cut(paths, maxData), "total": float64(len(paths)), "truncated": len(paths) > maxData}), nil
}

// found is the file or folder that a question looks for by its name.
func (q *query) found() string {
	if q.Shape != "find" {
		return ""
	}
	for _, slot := range []string{"PATH", "EXISTS", "FILE"} {
		if p, ok := q.Value(slot).(place); ok && q.Value("STEM") == nil {
			return p.path
		}
	}
	return ""
}

// entries are what a folder holds: its own entries, or at any depth the files
// that fit, or the folders. The note says what is not among them.
func (t *tree) entries(ctx context.Context, s scope, deep bool, q query) (paths []string, note string, err error) {
	dirs, hidden := q.Mark("dirs") != "", q.Mark("hidden") != ""
	for _, f := range plain.Values[option](q.Reading, "FLAG") {
		hidden = hidden || strings.ContainsAny(f.letters, "aA")
		deep = deep || strings.Contains(f.letters, "R")
	}
	if deep {
		err = t.walk(ctx, s.dir, func(p string, d fs.DirEntry) {
			if (d.IsDir() && dirs || d.Type().IsRegular() && !dirs) && s.fits(p) {
				paths = append(paths, p)
			}
		})
		return paths, "", err
	}
	entries, err := fs.ReadDir(t.root.FS(), s.dir)
	for _, d := range entries {
		switch name := path.Join(s.dir, d.Name()); {
		case strings.HasPrefix(d.Name(), ".") && !hidden:
			note = "\n\nHidden ones are not shown."
		case q.Mark("hidden") != "" && !strings.HasPrefix(d.Name(), "."):
		case d.IsDir():
			paths = append(paths, name+"/")
		case !dirs:
			paths = append(paths, name)
		}
	}
	return paths, note, err
}

// size tells the bytes and lines of a file, or of all files of a scope.
func (t *tree) size(ctx context.Context, q query) (core.Reply, error) {
	s := q.scope
	all, err := t.files(ctx, s)
	lines, words, sum, uncounted := 0, 0, int64(0), 0
	for _, p := range all {
		body, size, readErr := t.text(p)
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && s.file != "" && size == 0 {
			err = readErr
		}
		if readErr != nil {
			uncounted++
		}
		lines, words, sum = lines+countLines(body), words+len(strings.Fields(body)), sum+size
	}
	if err != nil {
		return core.Reply{}, err
	}
	counted := cmp.Or(q.Mark("counted"), q.Mark("countof"))
	for _, f := range plain.Values[option](q.Reading, "FLAG") {
		for letter, what := range map[string]string{"l": "lines", "w": "words", "m": "bytes"} {
			if strings.Contains(f.letters, letter) {
				counted = what
			}
		}
	}
	where := " in " + s.name()
	if len(s.globs) > 0 {
		where += " (" + plain.Code(strings.Join(s.globs, ", ")) + ")"
	}
	if s.file == "" {
		where = " in " + plural(len(all), "files") + where
	}
	message := fmt.Sprintf("**%s**, %s%s.", bytes(sum), plural(lines, "lines"), where)
	switch counted {
	case "lines":
		message = fmt.Sprintf("**%s**%s.", plural(lines, "lines"), where)
	case "words":
		message = fmt.Sprintf("**%s**%s.", plural(words, "words"), where)
	case "bytes":
		message = fmt.Sprintf("**%s**%s.", plural(int(sum), "bytes"), where)
	}
	if uncounted > 0 {
		message += fmt.Sprintf(" The lines of %s are not counted, being binary, unreadable or too large.", plural(uncounted, "files"))
	}
	name := s.file
	if name == "" {
		name = s.dir
	}
	return experts.Success(message, map[string]any{"path": name, "files": float64(len(all)), "lines": float64(lines), "words": float64(words), "bytes": float64(sum), "uncounted": float64(uncounted)}), nil
}

// refused answers what would change a file.
func refused(q query) (core.Reply, error) {
	what := map[string]string{"delete": "deleted", "rename": "renamed", "write": "written", "copy": "copied"}[q.Mark("act")]
	message := "I only read files: nothing is " + what + " here."
	return experts.Failure(message+" Do it yourself in a terminal.", map[string]any{"error": message}), nil
}

// String says what was understood.
func (q query) String() string {
	texts := strings.Join(q.texts(), " or ")
	if q.Mark("all") != "" {
		texts = strings.Join(q.texts(), " and ")
	}
	in := q.scope.in()
	names := []string{}
	for _, p := range q.named {
		names = append(names, p.name)
	}
	name := strings.Join(names, " and ")
	if in == "" && name != "" && name != "." {
		in = " in " + name
	}
	order := map[string]string{"size": "largest", "-size": "smallest", "time": "newest", "-time": "oldest", "lines": "longest", "-lines": "shortest"}[q.Mark("order")]
	var s string
	switch q.Shape {
	case "grep":
		s = "lines with " + texts + in
		if q.Mark("unit") == "file" {
			s = "files with " + texts + in
		}
	case "def":
		s = "the definition of " + texts + in
	case "list", "number", "find":
		if stem, ok := q.Value("STEM").(string); ok {
			name = stem
		}
		s = map[string]string{"list": "what is", "number": "how many files are", "find": "find " + name}[q.Shape] + in
		if in == "" && q.Shape != "find" {
			s += " here"
		}
	case "top":
		s = "the " + order + " files" + in
	case "changed":
		s = strings.TrimSpace("files changed " + q.period.String() + in)
	case "sized":
		s = "files by size" + in
	case "ends":
		s = "the end of " + name
		if q.Mark("last") == "" {
			s = "the beginning of " + name
		}
	case "lines":
		s = fmt.Sprintf("lines %d-%d of %s", q.lines().first, max(q.lines().first, q.lines().last), name)
	case "size":
		s = "the size of " + name + in
		if counted := q.Mark("counted"); counted != "" {
			s = "how many " + counted + in
		}
	case "modified":
		s = "when " + name + " was changed"
	case "diff":
		s = "the differences of " + name
	case "act":
		s = q.Mark("act") + " " + name
	default:
		s = "show " + name
	}
	return clip(s, maxReads)
}
