package files

import (
	"context"
	"path"
	"regexp"
	"slices"
	"strings"

	"yaap/core"
)

// scope is where to look: one file, or the files below dir that fit globs.
type scope struct {
	file   string
	dir    string
	globs  []string
	deep   bool // at any depth
	dirs   bool // folders only
	hidden bool
	said   bool // the words named a file, a folder, a kind, or files as such
}

var (
	token    = regexp.MustCompile(`"[^"]*"|'[^']*'|` + "`[^`]*`" + `|[^\s,]+`)
	pathLike = regexp.MustCompile(`[\w)\]]\.\w|/|\\|[*?]|^\.\w|^~|^\.\.$`)
	folders  = regexp.MustCompile(`(?i)^(?:sub)?(?:folders|directories)$`)
	deeply   = regexp.MustCompile(`(?i)^(?:anywhere|everywhere|recursively|recursive)$`)
	subject  = regexp.MustCompile(`(?i)^(?:files?|folder|directory|dir|ls|list|tree|here|everything|hidden|project|repo|repository|codebase|overview|contents)$`)
	filler   = regexp.MustCompile(`(?i)^(?:the|an?|all|any|every|each|only|but|some|other|my|our|this|that|these|those|is|are|do|does|have|has|got|can|there|exist|` +
		`in|on|of|at|to|from|under|below|inside|within|by|for|with|and|it's|which|what|what'?s|where|how|many|i|we|you|me|us|` +
		`show|read|cat|open|print|display|view|give|see|get|find|say|contains?|up|take|big|content|lines?|text|code|source|working|current|root|whole|kinds?|sorts?|types?|named|called)$`)
)

// scope reads words such as "the go files in core" or "README.md". A word that
// stands for nothing is errNotMine, or where it looks like a path, the failure
// that says so.
func (t *tree) scope(ctx context.Context, words string) (scope, error) {
	s := scope{dir: "."}
	for _, w := range token.FindAllString(words, 200) {
		w = unquote(strings.TrimRight(w, ":;"))
		switch {
		case w == "" || filler.MatchString(w):
		case deeply.MatchString(w):
			s.deep = true
		case folders.MatchString(w):
			s.dirs, s.said = true, true
		case subject.MatchString(w):
			s.hidden, s.said = s.hidden || strings.EqualFold(w, "hidden"), true
		case strings.ContainsAny(path.Base(w), "*?["):
			s.globs, s.said = append(s.globs, path.Base(w)), true
			if path.Base(w) != w {
				s.dir = path.Dir(w)
			}
		case kind(w) != nil && !t.holds(w):
			s.globs, s.said = append(s.globs, kind(w)...), true
		default:
			e, err := t.resolve(ctx, w)
			if core.CodeOf(err) == core.CodeNotFound && !pathLike.MatchString(w) {
				return s, errNotMine
			}
			if err != nil {
				return s, err
			}
			s.said = true
			where := &s.file
			if e.info.IsDir() {
				where = &s.dir
			}
			if *where != "" && *where != "." && *where != e.path {
				return s, errNotMine // one at a time
			}
			*where = e.path
		}
	}
	if s.file != "" && len(s.globs) > 0 {
		return s, errNotMine
	}
	if _, err := t.local(s.dir); err != nil {
		return s, err
	}
	s.deep = (s.deep || len(s.globs) > 0) && !s.dirs
	return s, nil
}

func (s scope) fits(p string) bool {
	return len(s.globs) == 0 || slices.ContainsFunc(s.globs, func(g string) bool { return globFits(g, p) })
}

func (s scope) name() string {
	switch {
	case s.file != "":
		return code(s.file)
	case s.dir == ".":
		return "this directory"
	}
	return code(s.dir + "/")
}

// kind returns the wildcards for a word such as "markdown" or ".go".
func kind(word string) []string {
	word = strings.ToLower(word)
	if strings.HasPrefix(word, ".") && len(word) > 1 && len(word) < 8 && !strings.ContainsAny(word[1:], "./") {
		return []string{"*" + word}
	}
	for _, line := range []string{
		"go golang: *.go",
		"markdown md docs documentation: *.md *.markdown",
		"yaml yml: *.yaml *.yml",
		"python py: *.py",
		"javascript js: *.js *.mjs *.jsx",
		"typescript ts: *.ts *.tsx",
		"shell bash sh: *.sh *.bash",
		"rust: *.rs",
		"text txt: *.txt",
		"test tests: *_test.* test_* *.test.* *.spec.*",
		"image images pictures: *.png *.jpg *.jpeg *.gif *.svg *.webp",
		"config configuration: *.yaml *.yml *.toml *.ini *.json *.conf",
	} {
		names, globs, _ := strings.Cut(line, ": ")
		if slices.Contains(strings.Fields(names), word) {
			return strings.Fields(globs)
		}
	}
	if slices.Contains(strings.Fields("json csv tsv toml html css sql xml java c cpp pdf log ini proto"), word) {
		return []string{"*." + word}
	}
	return nil
}

// globFits matches the last part of a path; case does not matter.
func globFits(glob, p string) bool {
	ok, err := path.Match(strings.ToLower(glob), strings.ToLower(path.Base(p)))
	return ok && err == nil
}

// split splits "foo in core", and "foo core" as the shell has it, after the
// text, where the end is a scope; what is quoted stays whole.
func (t *tree) split(ctx context.Context, s string) (text, where string, err error) {
	if m := token.FindString(s); unquote(m) != m && strings.HasPrefix(s, m) {
		return unquote(m), s[len(m):], nil
	}
	if at := strings.LastIndex(s, " in "); at > 0 {
		_, err := t.scope(ctx, s[at:])
		if err == nil {
			return s[:at], s[at:], nil
		}
		if pathLike.MatchString(s[at:]) {
			return "", "", err
		}
	}
	if at := strings.LastIndexByte(s, ' '); at > 0 && (strings.Contains(s[at:], "*") || t.holds(s[at+1:])) {
		return s[:at], s[at:], nil
	}
	return s, "", nil
}

func unquote(s string) string {
	if len(s) > 1 && s[0] == s[len(s)-1] && strings.ContainsRune("\"'`", rune(s[0])) {
		return s[1 : len(s)-1]
	}
	return s
}
