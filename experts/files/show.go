package files

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/plain"
)

// show answers with a file, some of its lines, or what is in a folder.
func (t *tree) show(ctx context.Context, q query) (core.Reply, error) {
	if len(q.scope.files) == 0 {
		return t.list(ctx, q)
	}
	first, most := 1, maxData
	switch span := q.lines(); {
	case q.Shape == "ends":
		first, most = q.end()
	case span.first > 0:
		first, most = span.first, max(span.first, span.last)-span.first+1
	}
	return t.page(q.scope.files[0], first, most)
}

// lines are those that the question names.
func (q *query) lines() (span lineSpan) {
	for _, slot := range []string{"ORDINAL", "FROM", "FILELINE"} {
		if v, ok := q.Value(slot).(lineSpan); ok {
			span = v
		}
	}
	span.first = max(span.first, plain.Number(q.Mark("nth")))
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
	if q.Mark("last") == "" {
		first = 1
	}
	return first, most
}

// page shows most lines of a file from first on, its last ones where first is 0.
func (t *tree) page(file string, first, most int) (core.Reply, error) {
	body, _, err := t.text(file)
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
	last, name := first+len(lines)-1, plain.Code(file)
	data := map[string]any{"path": file, "first": float64(first), "lines": lines, "truncated": len(lines) == maxData && total > last}
	message := t.Say("**lines %d-%d** of %d in %s:", first, last, total, name) + "\n\n" + fenced(lines, path.Ext(file))
	switch {
	case total == 0:
		message = t.Say("**Empty**: %s.", name)
	case len(lines) == 0:
		message = t.Say("%s has only **%s**; there is no line %d.", name, t.Count(total, "lines"), first)
	case len(lines) == 1:
		message = t.Say("**line %d** of %d in %s:", first, total, name) + "\n\n" + fenced(lines, path.Ext(file))
	}
	return experts.Success(message, data), nil
}

// list answers with the entries of a folder, or with the files of a kind or
// name at any depth.
func (t *tree) list(ctx context.Context, q query) (core.Reply, error) {
	s := q.scope
	if p, ok := q.Value("FILE").(place); ok && !p.isDir && q.Shape != "find" {
		return t.page(p.path, 1, maxData)
	}
	if q.Shape == "find" && len(q.named) > 0 && q.Value("STEM") == nil {
		return t.found(q), nil
	}
	stem, named := q.Value("STEM").(string)
	if ext, ok := q.Value("EXT").(string); ok {
		stem, named = ext, true
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
	deep := named || len(s.globs) > 0 || q.Mark("deep") != "" || q.Shape == "number"
	paths, hid, err := t.entries(ctx, s, deep, q)
	if err != nil {
		return core.Reply{}, err
	}
	what, like := "files", ""
	switch {
	case q.Mark("dirs") != "":
		what = "folders"
	case !deep:
		what = "entries"
	}
	if len(s.globs) > 0 {
		like = t.Say(" like %s", plain.Code(strings.Join(s.globs, ", ")))
	}
	message := fmt.Sprintf("**%s**%s in %s", t.Count(len(paths), what), like, t.where(scope{dir: s.dir}))
	if q.Shape == "number" || len(paths) == 0 {
		message += "."
	} else {
		message += t.showing(len(paths)) + ":\n\n" + bullets(paths)
	}
	if hid {
		message += "\n\n" + t.Say("Hidden ones are not shown.")
	}
	return experts.Success(message, map[string]any{"files": cut(paths, maxData), "total": float64(len(paths)), "truncated": len(paths) > maxData}), nil
}

// found answers whether and where the file is that a question looks for.
func (t *tree) found(q query) core.Reply {
	p := q.named[0].path
	missing := q.named[0].err != nil
	for _, in := range q.named[1:] {
		missing = missing || in.isDir && !strings.HasPrefix(p, in.path+"/")
	}
	if missing {
		return experts.Success(t.Say("**No**: there is no %s in %s.", plain.Code(q.named[0].name), t.where(scope{dir: q.scope.dir})), map[string]any{"files": []string{}, "total": 0.0})
	}
	message := t.Say("**%s** is there.", plain.Code(p))
	if q.Mark("yes") != "" {
		message = t.Say("**Yes**, there is %s.", plain.Code(p))
	}
	return experts.Success(message, map[string]any{"files": []string{p}, "total": 1.0})
}

// entries are what a folder holds: its own entries, or at any depth the files
// that fit, or the folders. It tells whether hidden ones are not among them.
func (t *tree) entries(ctx context.Context, s scope, deep bool, q query) (paths []string, hid bool, err error) {
	dirs, only := q.Mark("dirs") != "", q.Mark("hidden") != ""
	if deep || strings.Contains(q.flags.letters, "R") {
		err = t.walk(ctx, s.dir, func(p string, d fs.DirEntry) {
			depth := 1 + strings.Count(strings.TrimPrefix(p, s.dir+"/"), "/")
			switch limit := q.flags.depth; {
			case limit > 0 && depth > limit:
			case limit > 0 && d.IsDir() && depth == limit:
				paths = append(paths, p+"/")
			case (d.IsDir() && dirs || d.Type().IsRegular() && !dirs) && s.fits(p):
				paths = append(paths, p)
			}
		})
		return paths, false, err
	}
	entries, err := fs.ReadDir(t.root.FS(), s.dir)
	for _, d := range entries {
		name, dotted := path.Join(s.dir, d.Name()), strings.HasPrefix(d.Name(), ".")
		switch {
		case dotted && !only && !strings.ContainsAny(q.flags.letters, "aA"):
			hid = true
		case only && !dotted:
		case d.IsDir():
			paths = append(paths, name+"/")
		case !dirs:
			paths = append(paths, name)
		}
	}
	return paths, hid, err
}

// size tells the bytes and lines of some files, or of all files of a scope.
func (t *tree) size(ctx context.Context, q query) (core.Reply, error) {
	all, err := t.files(ctx, q.scope)
	if q.Mark("code") != "" && len(q.scope.files) == 0 {
		all = slices.DeleteFunc(all, func(p string) bool { return !isCode(p) && !isSettings(p) })
	}
	lines, words, sum, uncounted := 0, 0, int64(0), 0
	each := []string{}
	for _, p := range all {
		body, size, readErr := t.text(p)
		if err = cmp.Or(err, ctx.Err()); err == nil && len(q.scope.files) > 0 && size == 0 {
			err = readErr
		}
		if readErr != nil {
			uncounted++
		}
		lines, words, sum = lines+countLines(body), words+len(strings.Fields(body)), sum+size
		each = append(each, fmt.Sprintf("%s %s, %s", plain.Code(p), t.Count(countLines(body), "lines"), bytes(size)))
	}
	if err != nil {
		return core.Reply{}, err
	}
	counted := cmp.Or(q.Mark("counted"), q.Mark("countof"))
	for letter, what := range map[string]string{"l": "lines", "w": "words", "m": "bytes"} {
		if strings.Contains(q.flags.letters, letter) {
			counted = what
		}
	}
	number := map[string]string{"lines": t.Count(lines, "lines"), "words": t.Count(words, "words"), "bytes": t.Count(int(sum), "bytes")}[counted]
	rest := ""
	if counted == "" {
		number = bytes(sum)
	}
	if counted == "" && uncounted < len(all) {
		rest = ", " + t.Count(lines, "lines")
	}
	where := t.where(q.scope)
	if len(q.scope.files) == 0 {
		where = t.Say("%s in %s", t.Count(len(all), "files"), where)
	}
	message := t.Say("**%s**%s in %s.", number, rest, where)
	if uncounted > 0 {
		message += " " + t.Say("The lines of %s are not counted, being binary, unreadable or too large.", t.Count(uncounted, "files"))
	}
	if n := len(q.scope.files); n > 1 {
		message += "\n\n- " + strings.Join(each, "\n- ")
	}
	return experts.Success(message, map[string]any{"path": cmp.Or(strings.Join(q.scope.files, ", "), q.scope.dir), "files": float64(len(all)), "lines": float64(lines), "words": float64(words), "bytes": float64(sum), "uncounted": float64(uncounted)}), nil
}

// refused answers what would change a file.
func (t *tree) refused(_ context.Context, q query) (core.Reply, error) {
	message := t.Say("I only read files: I do not %s them.", q.Mark("act"))
	return experts.Failure(message+" "+t.Say("Do it yourself in a terminal."), map[string]any{"error": message}), nil
}

// String says what was understood.
func (q query) String() string {
	if len(q.boxes) > 0 {
		return "the things to do in " + q.boxes[0].path
	}
	if q.passage != nil {
		return "what " + q.passage.path + " says"
	}
	texts, in := strings.Join(q.texts(), " or "), q.scope.in()
	if q.Mark("all") != "" {
		texts = strings.Join(q.texts(), " and ")
	}
	names := []string{}
	for _, p := range q.named {
		names = append(names, p.name)
	}
	name := strings.Join(names, " and ")
	if in == "" && name != "" && name != "." {
		in = " in " + name
	}
	here := in
	if in == "" {
		here = " here"
	}
	of := strings.Replace(here, " in ", " of ", 1)
	stem, _ := q.Value("STEM").(string)
	s := map[string]string{
		"grep": "lines with " + texts + in, "def": "the definition of " + texts + in, "outline": "what is defined" + in, "imports": "what is imported" + in,
		"list": "what is" + here, "number": "how many files are" + here, "find": "find " + cmp.Or(stem, name+in), "top": "the " + orders[q.Mark("order")] + " files" + in,
		"changed": strings.TrimSpace("files changed " + q.period.In(plain.Translator{}) + in), "sized": "files by size" + in, "ends": "the beginning" + of, "lines": fmt.Sprintf("lines %d-%d of %s", q.lines().first, max(q.lines().first, q.lines().last), name),
		"size": "the size" + of, "modified": "when " + name + " was changed", "diff": "the differences of " + name, "act": q.Mark("act") + " " + name, "about": "what the project is for", "purpose": "what " + name + " is for", "value": "the value of " + cmp.Or(texts, q.Mark("KEY")), "section": "how to " + q.Mark("topic") + " it",
	}[q.Shape]
	switch {
	case q.Shape == "grep" && q.Mark("unit") == "file":
		s = "files with " + texts + in
	case q.Shape == "ends" && q.Mark("last") != "":
		s = "the end" + of
	case q.Shape == "size" && q.Mark("counted") != "":
		s = "how many " + q.Mark("counted") + in
	}
	return clip(cmp.Or(s, "show "+name), maxReads)
}
