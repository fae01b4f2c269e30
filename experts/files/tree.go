package files

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

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
	p := name
	if rel, err := filepath.Rel(t.dir, p); err == nil && filepath.IsAbs(p) {
		p = rel
	}
	p = path.Clean(filepath.ToSlash(p))
	if !filepath.IsLocal(p) || strings.HasPrefix(p, "~") || strings.ContainsRune(p, 0) {
		return "", &core.Error{Code: core.CodeRefused, Message: code(name) + " is outside of the working directory.", Hint: "I only look at what is below it."}
	}
	return p, nil
}

// holds tells whether name is a path as it is.
func (t *tree) holds(name string) bool {
	p, err := t.local(name)
	if err == nil {
		_, err = t.root.Stat(p)
	}
	return err == nil
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
	low := strings.ToLower(p)
	err = t.walk(ctx, ".", func(f entry) error {
		switch q := strings.ToLower(f.path); {
		case strings.HasSuffix("/"+q, "/"+low):
			exact = append(exact, f)
		case strings.TrimSuffix(path.Base(q), path.Ext(q)) == low:
			stems = append(stems, f)
		}
		return nil
	})
	if err != nil {
		return entry{}, err
	}
	for _, found := range [][]entry{exact, stems} {
		top := slices.DeleteFunc(slices.Clone(found), func(e entry) bool { return strings.Contains(e.path, "/") })
		if len(top) == 1 {
			found = top // the only one that is not in a folder
		}
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			return entry{}, &ambiguous{name, cut(pathsOf(found), maxShown)}
		}
	}
	return entry{}, &core.Error{Code: core.CodeNotFound, Message: "There is no " + code(name) + " here.", Hint: "Ask “what files are here” to see what there is."}
}

func pathsOf(entries []entry) []string {
	paths := make([]string, len(entries))
	for i, e := range entries {
		paths[i] = e.path
	}
	return paths
}

// walk calls visit with all that is below dir in the order of names, but not
// with hidden and vendored folders, which are looked into only when dir names
// one.
func (t *tree) walk(ctx context.Context, dir string, visit func(entry) error) error {
	seen := 0
	return fs.WalkDir(t.root.FS(), dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case p == dir:
			return err
		case err != nil:
			return nil // gone meanwhile, or not ours to read
		case d.IsDir() && skipped(d.Name()):
			return fs.SkipDir
		}
		if seen++; seen > maxVisited {
			return &core.Error{Message: fmt.Sprintf("There are more than %d files here.", maxVisited), Hint: "Name a folder to look in."}
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

// files returns the regular files of a scope, at any depth.
func (t *tree) files(ctx context.Context, s scope) ([]entry, error) {
	if s.file != "" {
		return []entry{{path: s.file}}, nil
	}
	var all []entry
	err := t.walk(ctx, s.dir, func(f entry) error {
		if f.info.Mode().IsRegular() && s.fits(f.path) {
			all = append(all, f)
		}
		return nil
	})
	return all, err
}
