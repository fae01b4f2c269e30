package files

import (
	"path"
	"slices"
	"strings"

	"yaap/experts/plain"
)

// scope is where to look: one file, or the files below dir that fit globs.
type scope struct {
	file, dir string
	files     []string // where several were named
	globs     []string
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
	case len(s.files) > 1:
		return plain.Code(strings.Join(s.files, ", "))
	case s.file != "":
		return plain.Code(s.file)
	case s.dir == ".":
		return "this directory"
	}
	return plain.Code(s.dir + "/")
}

// in is " in docs/*.go" as a bid says it, empty for all files.
func (s scope) in() string {
	where := s.file
	if len(s.files) > 1 {
		where = strings.Join(s.files, " and ")
	}
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
