package files

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts/plain"
)

// tree is all that may be seen: whatever is asked of it goes through root,
// which follows no link out of the directory.
type tree struct {
	expert
	plain.Translator
	root    *os.Root
	bidding bool // it must be quick
}

// local returns name as a path below the directory, or the refusal.
func (t *tree) local(name string) (string, error) {
	p := name
	if rel, err := filepath.Rel(t.dir, p); err == nil && filepath.IsAbs(p) {
		p = rel
	}
	p = path.Clean(filepath.ToSlash(p))
	if !filepath.IsLocal(p) || strings.HasPrefix(p, "~") || strings.ContainsRune(p, 0) {
		return "", core.Fail(core.CodeRefused, t.Say("%s is outside of the working directory.", plain.Code(name)), t.Say("I only look at what is below it."))
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
func (t *tree) resolve(ctx context.Context, name string) (p string, isDir bool, err error) {
	if p, err = t.local(name); err != nil {
		return "", false, err
	}
	if info, err := t.root.Stat(p); err == nil {
		return p, info.IsDir(), nil
	}
	if _, err := t.root.Lstat(p); err == nil {
		return "", false, core.Fail(core.CodeRefused, t.Say("%s is a link that leads nowhere or out of the working directory.", plain.Code(name)), t.Say("I do not follow it."))
	}
	known, err := t.known(ctx)
	low := strings.ToLower(p)
	var exact []string
	for _, q := range known.named[path.Base(low)] {
		if strings.HasSuffix("/"+strings.ToLower(q), "/"+low) {
			exact = append(exact, q)
		}
	}
	if len(exact) == 0 && len(low) > 2 {
		exact = known.stems[low]
	}
	found := slices.DeleteFunc(slices.Clone(exact), func(p string) bool { return strings.Contains(p, "/") })
	if len(found) != 1 { // else it is the only one that is not in a folder
		found = exact
	}
	switch {
	case err != nil:
		return "", false, err
	case len(found) > 1:
		return "", false, &plain.AmbiguousError{Message: t.Say("There are %d that %s could be. Which one?", len(found), plain.Code(name)) + "\n\n" + bullets(found), Options: cut(found, 10)}
	case len(found) == 1:
		info, err := t.root.Stat(found[0])
		return found[0], err == nil && info.IsDir(), err
	}
	return "", false, core.Fail(core.CodeNotFound, t.Say("There is no %s here.", plain.Code(name)), t.Say("Ask “what files are here” to see what there is."))
}

// names are the files and folders by their name, and by their name without the
// extension, both in lower case. They are looked up anew when they are old.
type names struct {
	mu           sync.Mutex
	read         time.Time
	partly       bool // there are more than a bid looks at
	named, stems map[string][]string
}

// known returns the names that are below the directory; for a bid the first
// maxNames of them.
func (t *tree) known(ctx context.Context) (*names, error) {
	old := t.names
	old.mu.Lock()
	defer old.mu.Unlock()
	if time.Since(old.read) < namesTime && (t.bidding || !old.partly) {
		return &names{named: old.named, stems: old.stems}, nil
	}
	old.named, old.stems = map[string][]string{}, map[string][]string{}
	n := 0
	err := t.walk(ctx, ".", func(p string, _ fs.DirEntry) {
		n++
		base := strings.ToLower(path.Base(p))
		old.named[base] = append(old.named[base], p)
		if stem := strings.TrimSuffix(base, path.Ext(base)); stem != base {
			old.stems[stem] = append(old.stems[stem], p)
		}
	})
	if old.partly = n == maxNames && t.bidding; err == nil {
		old.read = time.Now()
	}
	return &names{named: old.named, stems: old.stems}, err
}

// nearest are the paths that fit, the nearest first.
func (n *names) nearest(fits func(p string) bool, far func(p string) int) (paths []string) {
	for _, all := range n.named {
		paths = append(paths, slices.DeleteFunc(slices.Clone(all), func(p string) bool { return !fits(p) })...)
	}
	slices.SortFunc(paths, func(a, b string) int { return cmp.Or(cmp.Compare(far(a), far(b)), cmp.Compare(a, b)) })
	return paths
}

// contents are what was read of a file when it was of that size and time.
type contents[T any] struct {
	size int64
	time time.Time
	all  []T
}

// reread returns what read finds in files, of one that has not changed as it was before.
// What is larger than each, or does not fit into total any more, is left out.
func reread[T any](t *tree, before *map[string]contents[T], paths []string, each, total int64, read func(p string) []T) (all []T) {
	files := map[string]contents[T]{}
	for _, p := range paths {
		info, err := t.root.Lstat(p)
		if err != nil || !info.Mode().IsRegular() || info.Size() > min(each, total) {
			continue
		}
		total -= info.Size()
		was, known := (*before)[p]
		if !known || was.size != info.Size() || !was.time.Equal(info.ModTime()) {
			was = contents[T]{info.Size(), info.ModTime(), read(p)}
		}
		files[p] = was
		all = append(all, was.all...)
	}
	*before = files
	return all
}

// walk calls visit with all that is below dir in the order of names, but not
// with hidden and vendored folders, which are looked into only when dir names
// one.
func (t *tree) walk(ctx context.Context, dir string, visit func(string, fs.DirEntry)) error {
	seen := 0
	return fs.WalkDir(t.root.FS(), dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case p == dir:
			return err
		case err != nil:
			return nil // gone meanwhile, or not ours to read
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"node_modules", "vendor", "__pycache__"}, d.Name())):
			return fs.SkipDir
		case seen == maxNames && t.bidding:
			return fs.SkipAll
		case seen == maxVisited:
			return &core.Error{Message: t.Say("There are more than %d files here.", maxVisited), Hint: t.Say("Name a folder to look in.")}
		}
		seen++
		visit(p, d)
		return nil
	})
}

// files returns the regular files of a scope, at any depth.
func (t *tree) files(ctx context.Context, s scope) ([]string, error) {
	if len(s.files) > 0 {
		return s.files, nil
	}
	var all []string
	err := t.walk(ctx, s.dir, func(p string, d fs.DirEntry) {
		if d.Type().IsRegular() && s.fits(p) {
			all = append(all, p)
		}
	})
	return all, err
}

// text returns the text of a regular file, and its size also where it is not
// read, being binary or too large. It never blocks, not even on a FIFO.
func (t *tree) text(p string) (body string, size int64, err error) {
	special := core.Fail(core.CodeRefused, t.Say("%s is not a plain file.", plain.Code(p)), t.Say("I do not open devices, pipes and sockets."))
	if info, err := t.root.Stat(p); err == nil && !info.Mode().IsRegular() {
		return "", 0, special
	}
	f, err := t.root.OpenFile(p, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", 0, core.Fail(core.CodeRefused, t.Say("%s cannot be opened.", plain.Code(p)), t.Say("It is gone, may not be read, or leads out of the working directory.")).Because(err)
	}
	defer func() { _ = f.Close() }() // nothing was written
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", 0, err
	case !info.Mode().IsRegular():
		return "", 0, special // swapped in meanwhile
	case info.Size() > maxFile:
		return "", info.Size(), core.Fail(core.CodeInvalid, t.Say("%s is too large to read (%s).", plain.Code(p), bytes(info.Size())), t.Say("I read files of up to %s.", bytes(maxFile)))
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err == nil && strings.Contains(string(raw[:min(len(raw), 8<<10)]), "\x00") {
		err = core.Fail(core.CodeInvalid, t.Say("%s is binary (%s).", plain.Code(p), bytes(info.Size())), t.Say("I only read text."))
	}
	if err != nil {
		return "", info.Size(), err
	}
	return string(raw), info.Size(), nil
}
