package files

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"unicode"

	"yaap/core"
)

// tree is all that may be seen: whatever is asked of it goes through root,
// which follows no link out of the directory.
type tree struct {
	root *os.Root
	dir  string
}

type entry struct {
	path string
	info fs.FileInfo
}

// ambiguous says that a name fits several files.
type ambiguous struct {
	name  string
	paths []string
}

func (a *ambiguous) Error() string { return a.name + " could be several files" }

// local returns name as a path below the directory, or the refusal.
func (t *tree) local(name string) (string, error) {
	p := filepath.ToSlash(name)
	if filepath.IsAbs(p) {
		rel, err := filepath.Rel(t.dir, p)
		if err != nil {
			return "", outside(name)
		}
		p = filepath.ToSlash(rel)
	}
	p = path.Clean(p)
	if !filepath.IsLocal(p) || strings.HasPrefix(p, "~") || strings.ContainsRune(p, 0) {
		return "", outside(name)
	}
	return p, nil
}

func outside(name string) error {
	return &core.Error{Code: core.CodeRefused, Message: code(name) + " is outside of the working directory.", Hint: "I only look at what is below it."}
}

// resolve finds what name stands for: a path as it is, or else the one file
// or folder of that name, or of that name without its extension, anywhere.
func (t *tree) resolve(ctx context.Context, name string) (entry, error) {
	p, err := t.local(name)
	if err != nil {
		return entry{}, err
	}
	info, err := t.root.Stat(p)
	if err == nil {
		return entry{p, info}, nil
	}
	if link, lerr := t.root.Lstat(p); lerr == nil && link.Mode()&fs.ModeSymlink != 0 {
		return entry{}, &core.Error{Code: core.CodeRefused, Message: code(name) + " is a link that leads nowhere or out of the working directory.", Hint: "I do not follow it.", Err: err}
	}
	var exact, stems []entry
	err = t.walkAll(ctx, ".", func(f entry) error {
		switch {
		case strings.EqualFold(f.path, p), hasSuffixFold(f.path, "/"+p):
			exact = append(exact, f)
		case strings.EqualFold(strings.TrimSuffix(path.Base(f.path), path.Ext(f.path)), p):
			stems = append(stems, f)
		}
		return nil
	})
	if err != nil {
		return entry{}, err
	}
	for _, found := range [][]entry{exact, stems} {
		slices.SortStableFunc(found, func(a, b entry) int {
			return cmp.Compare(strings.Count(a.path, "/"), strings.Count(b.path, "/"))
		})
		if len(found) == 1 || len(found) > 1 && !strings.Contains(found[0].path, "/") && strings.Contains(found[1].path, "/") {
			return found[0], nil // the only one, or the only one at the top
		}
		if len(found) > 1 {
			paths := make([]string, len(found))
			for i, f := range found {
				paths[i] = f.path
			}
			return entry{}, &ambiguous{name, cut(paths, maxShown)}
		}
	}
	return entry{}, &core.Error{Code: core.CodeNotFound, Message: "There is no " + code(name) + " here.", Hint: "Ask “what files are here” to see what there is."}
}

// walk calls visit with every regular file below dir in the order of names,
// but not those in hidden and vendored folders, which are looked into only
// when dir names one.
func (t *tree) walk(ctx context.Context, dir string, visit func(entry) error) error {
	return t.walkAll(ctx, dir, func(f entry) error {
		if !f.info.Mode().IsRegular() {
			return nil
		}
		return visit(f)
	})
}

func (t *tree) walkAll(ctx context.Context, dir string, visit func(entry) error) error {
	seen := 0
	return fs.WalkDir(t.root.FS(), dir, func(p string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if p == dir {
				return err
			}
			return nil // gone meanwhile, or not ours to read
		}
		if p == dir {
			return nil
		}
		if seen++; seen > maxVisited {
			return &core.Error{Message: fmt.Sprintf("There are more than %d files here.", maxVisited), Hint: "Name a folder to look in."}
		}
		if d.IsDir() && skipped(d.Name()) {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		return visit(entry{p, info})
	})
}

func skipped(dir string) bool {
	return strings.HasPrefix(dir, ".") || slices.Contains([]string{"node_modules", "vendor", "__pycache__"}, dir)
}

// entries lists one folder, or the files at any depth where s asks for a kind.
func (t *tree) entries(ctx context.Context, s scope) (paths []string, note string, err error) {
	if s.deep() {
		err = t.walk(ctx, s.dir, func(f entry) error {
			if s.fits(f.path) {
				paths = append(paths, f.path)
			}
			return nil
		})
		return paths, "", err
	}
	all, err := fs.ReadDir(t.root.FS(), s.dir)
	hidden := 0
	for _, d := range all {
		name := path.Join(s.dir, d.Name())
		if strings.HasPrefix(d.Name(), ".") && !s.hidden && !strings.HasPrefix(path.Base(s.dir), ".git") {
			hidden++
			continue
		}
		if d.IsDir() {
			name += "/"
		} else if s.dirs {
			continue
		}
		paths = append(paths, name)
	}
	if hidden > 0 {
		note = fmt.Sprintf("\n\n%d hidden not shown.", hidden)
	}
	return paths, note, err
}

// named returns the files and folders below dir whose name, or whose path's
// end, fits pattern; case does not matter.
func (t *tree) named(ctx context.Context, dir, pattern string) (paths []string, err error) {
	low := strings.ToLower(strings.TrimPrefix(pattern, "./"))
	err = t.walkAll(ctx, dir, func(f entry) error {
		p := strings.ToLower(f.path)
		if globFits(low, p) || hasSuffixFold("/"+p, "/"+low) || !strings.ContainsAny(low, "./*?") && strings.Contains(path.Base(p), low) {
			paths = append(paths, f.path)
		}
		return nil
	})
	return paths, err
}

// open opens a regular file for reading. It never blocks on a FIFO, and what
// was swapped in after a look at the path is looked at again once open.
func (t *tree) open(p string) (*os.File, fs.FileInfo, error) {
	info, err := t.root.Stat(p)
	if err == nil && !info.Mode().IsRegular() {
		return nil, nil, special(p)
	}
	f, err := t.root.OpenFile(p, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, unreadable(p, err)
	}
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close() // nothing was written
		return nil, nil, special(p)
	}
	return f, info, nil
}

func special(p string) error {
	return &core.Error{Code: core.CodeRefused, Message: code(p) + " is not a plain file.", Hint: "I do not open devices, pipes and sockets."}
}

func unreadable(p string, err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return &core.Error{Code: core.CodeRefused, Message: code(p) + " may not be read.", Hint: "Its permissions forbid it.", Err: err}
	case errors.Is(err, fs.ErrNotExist):
		return &core.Error{Code: core.CodeNotFound, Message: "There is no " + code(p) + " any more.", Err: err}
	}
	return &core.Error{Code: core.CodeRefused, Message: code(p) + " cannot be opened below the working directory.", Err: err}
}

// eachLine calls visit with every line, cut at maxLine, until visit returns
// false. binary is true, and nothing is visited, when the file's beginning
// holds a zero byte.
func eachLine(ctx context.Context, r io.Reader, visit func(n int, line []byte) bool) (binary bool, err error) {
	b := bufio.NewReaderSize(r, 64<<10)
	if head, _ := b.Peek(8 << 10); bytes.IndexByte(head, 0) >= 0 {
		return true, nil
	}
	for n := 1; ; n++ {
		var line []byte
		var any bool
		for {
			part, err := b.ReadSlice('\n')
			any = any || len(part) > 0
			line = append(line, part[:min(len(part), max(0, maxLine-len(line)))]...)
			if err == nil || errors.Is(err, io.EOF) {
				if !any {
					return false, ctx.Err()
				}
				break
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				return false, err
			}
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
		}
		if n%1024 == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		if !visit(n, bytes.TrimRight(line, "\r\n")) {
			return false, nil
		}
	}
}

func tidy(line []byte) string {
	s := string(line)
	if len(s) > maxLineBytes {
		s = strings.ToValidUTF8(s[:maxLineBytes], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, string(unicode.ReplacementChar)))
}

// lineRange asks for lines first to last; last 0 is to the end. With tail > 0
// it asks for that many lines of the end instead.
type lineRange struct{ first, last, tail int }

// page is what was read. first is 0 where the line numbers are not known.
type page struct {
	lines []string
	first int
	total int // 0 where it was not counted
	more  bool
}

func (p page) where() string {
	switch s := fmt.Sprintf("lines %d-%d", p.first, p.first+len(p.lines)-1); {
	case p.first == 0:
		return fmt.Sprintf("the last %s", plural(len(p.lines), "lines"))
	case p.more && p.total > 0:
		return fmt.Sprintf("%s of %d", s, p.total)
	case p.more:
		return s + " (there is more)"
	case len(p.lines) == 1:
		return fmt.Sprintf("line %d", p.first)
	default:
		return s
	}
}

func (p page) nothing(r lineRange) string {
	if p.total == 0 {
		return "is empty"
	}
	return fmt.Sprintf("has only %s; there is no line %d", plural(p.total, "lines"), r.first)
}

func (t *tree) read(ctx context.Context, p string, r lineRange) (page, error) {
	f, info, err := t.open(p)
	if err != nil {
		return page{}, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	r.first = max(r.first, 1)
	whole := true
	if r.tail > 0 && info.Size() > maxFileBytes {
		whole = false
		if _, err := f.Seek(-1<<20, io.SeekEnd); err != nil {
			return page{}, err
		}
	}
	out := page{first: r.first}
	want := maxLines
	if r.tail > 0 {
		want = min(r.tail, maxLines)
	} else if r.last > 0 {
		want = max(0, min(r.last-r.first+1, maxLines))
	}
	binary, err := eachLine(ctx, io.LimitReader(f, maxFileBytes), func(n int, line []byte) bool {
		out.total = n
		switch {
		case r.tail > 0:
			if out.lines = append(out.lines, tidy(line)); len(out.lines) > want {
				out.lines = out.lines[1:]
			}
			out.first = n - len(out.lines) + 1
		case n >= r.first && len(out.lines) < want:
			out.lines = append(out.lines, tidy(line))
		}
		return true
	})
	if binary {
		return page{}, &core.Error{Code: core.CodeInvalid, Message: fmt.Sprintf("%s is binary (%s).", code(p), bytesText(info.Size())), Hint: "I only show text."}
	}
	out.more = r.tail == 0 && (r.last == 0 || r.last >= r.first+maxLines) && out.total > out.first+len(out.lines)-1
	if info.Size() > maxFileBytes {
		out.total = 0
	}
	if !whole {
		out.first = 0
	}
	return out, err
}

type counted struct {
	bytes  int64
	lines  int
	binary bool
	huge   bool
}

func (t *tree) count(ctx context.Context, p string) (counted, error) {
	f, info, err := t.open(p)
	if err != nil {
		return counted{}, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	c := counted{bytes: info.Size(), huge: info.Size() > maxFileBytes}
	if !c.huge {
		c.binary, err = eachLine(ctx, io.LimitReader(f, maxFileBytes), func(n int, _ []byte) bool { c.lines = n; return true })
	}
	return c, err
}

type match struct {
	path string
	line int
	text string
}

type matches struct {
	matches []match
	files   []string
	total   int
}

func (m matches) rows() []any {
	rows := make([]any, len(m.matches))
	for i, f := range m.matches {
		rows[i] = map[string]any{"path": f.path, "line": float64(f.line), "text": f.text}
	}
	return rows
}

func (m matches) lines() []string {
	var out []string
	for _, f := range m.matches[:min(len(m.matches), maxShown)] {
		out = append(out, fmt.Sprintf("%s:%d: %s", f.path, f.line, strings.TrimSpace(f.text)))
	}
	return out
}

// search collects the lines that fit. Binary files and those over
// maxFileBytes are left out.
func (t *tree) search(ctx context.Context, s scope, fits *regexp.Regexp) (matches, error) {
	var out matches
	look := func(e entry) error {
		f, info, err := t.open(e.path)
		if err != nil {
			return ctx.Err() // a file that cannot be opened holds no match
		}
		defer func() { _ = f.Close() }() // nothing was written
		if info.Size() > maxFileBytes {
			return nil
		}
		before := out.total
		_, err = eachLine(ctx, io.LimitReader(f, maxFileBytes), func(n int, line []byte) bool {
			if fits.Match(line) {
				if out.total++; len(out.matches) < maxData {
					out.matches = append(out.matches, match{e.path, n, tidy(line)})
				}
			}
			return true
		})
		if out.total > before {
			out.files = append(out.files, e.path)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		_ = err // what was read before the fault counts
		return nil
	}
	if s.file != "" {
		return out, look(entry{path: s.file})
	}
	return out, t.walk(ctx, s.dir, func(f entry) error {
		if !s.fits(f.path) {
			return nil
		}
		return look(f)
	})
}

// largest returns the files of a scope, the biggest first.
func (t *tree) largest(ctx context.Context, s scope) ([]entry, error) {
	var all []entry
	err := t.walk(ctx, s.dir, func(f entry) error {
		if s.fits(f.path) {
			all = append(all, f)
		}
		return nil
	})
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(b.info.Size(), a.info.Size()) })
	return all, err
}
