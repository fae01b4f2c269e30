package files

import (
	"path"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/experts/plain"
)

// scope is where to look: some files, or those below dir that fit globs.
type scope struct {
	files []string
	dir   string
	globs []string
}

// fits matches the last part of a path; case does not matter.
func (s scope) fits(p string) bool {
	return len(s.globs) == 0 || slices.ContainsFunc(s.globs, func(glob string) bool {
		ok, err := path.Match(strings.ToLower(glob), strings.ToLower(path.Base(p)))
		return ok && err == nil
	})
}

// where names a scope: `main.go`, docs/ (*.md), or this directory.
func (t *tree) where(s scope) string {
	name := plain.Code(s.dir + "/")
	switch {
	case len(s.files) > 0:
		return plain.Code(strings.Join(s.files, ", "))
	case s.dir == ".":
		name = t.Say("this directory")
	}
	if len(s.globs) > 0 {
		name += " (" + plain.Code(strings.Join(s.globs, ", ")) + ")"
	}
	return name
}

// in is " in docs/*.go" as a bid says it, empty for all files.
func (s scope) in() string {
	where := strings.Join(s.files, " and ")
	if where == "" {
		where = strings.TrimPrefix(strings.TrimPrefix(s.dir+"/", "./")+strings.Join(s.globs, ","), "/")
	}
	if where == "" {
		return ""
	}
	return " in " + where
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
