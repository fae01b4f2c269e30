package git

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
)

// How long what a repository holds is known for, and how far back its authors.
const (
	factsTime  = 5 * time.Second
	bidTime    = time.Minute // for a bid, while they are looked up anew
	maxAuthors = 5000        // commits whose authors are known
)

// facts are the names that a repository has. They are never changed.
type facts struct {
	read                time.Time
	refs                map[string]string // branches and tags, to their full names
	authors             []string
	topics              map[string]bool     // words of what their commits say, in lower case
	paths, names, stems map[string][]string // tracked files and folders, by path, name, and name without extension, in lower case
}

// memory holds the facts for some seconds.
type memory struct {
	mu      sync.Mutex
	last    *facts
	reading bool // anew, for whoever comes next
}

// known returns what the repository holds, as it was some seconds ago at most;
// who does not wait gets what was known a minute ago. There is nothing where
// git cannot tell.
func (e expert) known(ctx context.Context, wait bool) *facts {
	m := e.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.last != nil && time.Since(m.last.read) < factsTime {
		return m.last
	}
	if wait {
		m.last = e.facts(ctx)
		return m.last
	}
	// A bid may be given up: what it began serves the next one.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeLimit)
	if m.last == nil || time.Since(m.last.read) > bidTime {
		defer cancel()
		m.last = e.facts(ctx)
		return m.last
	}
	if m.reading {
		cancel()
	} else {
		m.reading = true
		go func() { // it ends with git, within timeLimit
			defer cancel()
			f := e.facts(ctx)
			m.mu.Lock()
			defer m.mu.Unlock()
			m.last, m.reading = f, false
		}()
	}
	return m.last
}

// facts asks git what the repository holds.
func (e expert) facts(ctx context.Context) *facts {
	var refs, authors, files string
	var wait sync.WaitGroup
	wait.Go(func() { refs, _ = e.run(ctx, "for-each-ref", "--format=%(refname)") }) // fails where
	wait.Go(func() {
		authors, _ = e.run(ctx, "log", "--all", "-n", strconv.Itoa(maxAuthors), "--no-show-signature", "--no-ext-diff", "--format=%aN%x1f%s", "--")
	}) // there is
	wait.Go(func() { files, _ = e.run(ctx, "ls-files", "-z") }) // no repository
	wait.Wait()
	f := &facts{refs: map[string]string{}, topics: map[string]bool{}, paths: map[string][]string{}, names: map[string][]string{}, stems: map[string][]string{}}
	for ref := range strings.FieldsSeq(refs) {
		kind, name, _ := strings.Cut(strings.TrimPrefix(ref, "refs/"), "/")
		if kind == "heads" || kind == "tags" || kind == "remotes" {
			f.refs[name] = ref
		}
	}
	for name := range strings.Lines(authors) {
		name, subject, _ := strings.Cut(strings.ToLower(strings.TrimSpace(name)), "\x1f")
		if !slices.Contains(f.authors, name) {
			f.authors = append(f.authors, name)
		}
		for word := range strings.FieldsFuncSeq(subject, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' }) {
			f.topics[word] = true
		}
	}
	folders := map[string]bool{}
	for p := range strings.SplitSeq(files, "\x00") {
		f.add(p)
		for dir := path.Dir(p); dir != "." && dir != "/" && !folders[dir]; dir = path.Dir(dir) {
			folders[dir] = true
			f.add(dir)
		}
	}
	if ctx.Err() == nil {
		f.read = time.Now()
	}
	return f
}

func (f *facts) add(p string) {
	if p == "" {
		return
	}
	low := strings.ToLower(p)
	name := path.Base(low)
	f.paths[low] = append(f.paths[low], p)
	f.names[name] = append(f.names[name], p)
	if stem := strings.TrimSuffix(name, path.Ext(name)); stem != name && len(stem) > 2 {
		f.stems[stem] = append(f.stems[stem], p)
	}
}

// wrote tells whether there are commits by an author of that name, or with
// these whole words in it.
func (f *facts) wrote(name string) bool {
	name = " " + strings.ToLower(name) + " "
	return strings.TrimSpace(name) != "" && slices.ContainsFunc(f.authors, func(author string) bool { return strings.Contains(" "+author+" ", name) })
}

// whole puts the words of an author together that follow each other in a prompt: Ann Miller.
func (f *facts) whole(names []string, prompt string) (all []string) {
	for _, name := range names {
		if n := len(all) - 1; n >= 0 {
			both := all[n] + " " + name
			if strings.Contains(strings.ToLower(prompt), strings.ToLower(both)) && f.wrote(both) {
				all[n] = both
				continue
			}
		}
		all = append(all, name)
	}
	return all
}
