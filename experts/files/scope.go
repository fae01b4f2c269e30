package files

import (
	"context"
	"path"
	"slices"
	"strings"

	"yaap/core"
	"yaap/experts/plain"
)

// scope is where to look: one file, or the files below dir that fit globs.
type scope struct {
	file, dir string
	globs     []string
	deep      bool // at any depth
	said      bool // the words named a file, a folder, a kind, or files as such
}

// scope reads words such as "the go files in core" or "README.md". A word that
// stands for nothing is errNotMine, or where it looks like a path, the failure
// that says so.
func (t *tree) scope(ctx context.Context, words string) (scope, error) {
	s := scope{dir: "."}
	for _, w := range plain.Word().FindAllString(words, 200) {
		w = plain.Unquote(strings.TrimRight(w, ":;"))
		low := strings.ToLower(w)
		if w == "" || filler().MatchString(w) {
			continue
		}
		switch glob := kind(low); {
		case subject().MatchString(w):
			s.deep = s.deep || low == "recursively"
		case strings.ContainsAny(path.Base(w), "*?["):
			s.globs = append(s.globs, path.Base(w))
			if strings.Contains(w, "/") {
				s.dir = path.Dir(w)
			}
		case glob != "" && !t.holds(w):
			s.globs = append(s.globs, glob)
		default:
			p, isDir, err := t.resolve(ctx, w)
			if core.CodeOf(err) == core.CodeNotFound && !pathLike().MatchString(w) {
				return s, errNotMine
			}
			if err != nil {
				return s, err
			}
			where := &s.file
			if isDir {
				where = &s.dir
			}
			if *where != "" && *where != "." && *where != p {
				return s, errNotMine // one at a time
			}
			*where = p
		}
		s.said = true
	}
	if s.file != "" && len(s.globs) > 0 {
		return s, errNotMine
	}
	s.deep = s.deep || len(s.globs) > 0
	_, err := t.local(s.dir)
	return s, err
}

// fits matches the last part of a path; case does not matter.
func (s scope) fits(p string) bool {
	return len(s.globs) == 0 || slices.ContainsFunc(s.globs, func(glob string) bool {
		ok, err := path.Match(strings.ToLower(glob), strings.ToLower(path.Base(p)))
		return ok && err == nil
	})
}

func (s scope) name() string {
	switch {
	case s.file != "":
		return plain.Code(s.file)
	case s.dir == ".":
		return "this directory"
	}
	return plain.Code(s.dir + "/")
}

// kind returns the wildcard for a word such as "markdown" or ".go".
func kind(word string) string {
	for _, k := range strings.Fields("golang=*.go markdown=*.md docs=*.md yaml=*.y*ml yml=*.y*ml python=*.py javascript=*.js typescript=*.ts shell=*.sh text=*.txt test=*_test.* tests=*_test.*") {
		if name, glob, _ := strings.Cut(k, "="); name == word {
			return glob
		}
	}
	ext := strings.TrimPrefix(word, ".")
	if slices.Contains(strings.Fields("go md py js ts sh rs txt json csv tsv toml html css sql xml java c cpp pdf log ini png jpg svg"), ext) {
		return "*." + ext
	}
	return ""
}

// split splits "foo in core", and "foo core" as the shell has it, after the
// text, where the end is a scope; what is quoted stays whole.
func (t *tree) split(ctx context.Context, s string) (text, where string, err error) {
	if m := plain.Word().FindString(s); plain.Unquote(m) != m && strings.HasPrefix(s, m) {
		return plain.Unquote(m), s[len(m):], nil
	}
	if at := strings.LastIndex(s, " in "); at > 0 {
		_, err := t.scope(ctx, s[at:])
		if err == nil {
			return s[:at], s[at:], nil
		}
		if pathLike().MatchString(s[at:]) {
			return "", "", err
		}
	}
	if at := strings.LastIndexByte(s, ' '); at > 0 && (strings.Contains(s[at:], "*") || t.holds(s[at+1:])) {
		return s[:at], s[at:], nil
	}
	return s, "", nil
}
