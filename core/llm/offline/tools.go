package offline

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"yaap/core"
	"yaap/core/rank"
)

// The most that is read of what somebody says of themselves.
const (
	maxDescription = 2048 // bytes
	maxExample     = 256
	maxExamples    = 25 // with the questions that were answered here
)

// tool is one that may be called, and the expert that has it.
type tool struct {
	spec  core.ToolSpec
	owner string
}

// index judges those who do not bid by what they say of themselves.
type index struct {
	tools []tool
	words *rank.ToolIndex
}

func newIndex(specs []core.ToolSpec, learned func(expert string) []string) *index {
	x := &index{}
	docs := make([]rank.ToolDoc, len(specs))
	for i, spec := range specs {
		x.tools = append(x.tools, tool{spec: spec, owner: ownerOf(spec)})
		docs[i] = rank.ToolDoc{Name: spec.Name, Description: clip(spec.Description, maxDescription)}
		examples := slices.Concat(spec.Examples, learned(ownerOf(spec)))
		for _, e := range examples[:min(len(examples), maxExamples)] {
			docs[i].Examples = append(docs[i].Examples, content(clip(e, maxExample)))
		}
	}
	x.words = rank.NewTools(docs)
	return x
}

// fits says of each tool how well it fits the words of a text.
func (x *index) fits(text string) []rank.Fit { return x.words.Fits(content(clip(text, maxDescription))) }

// content is a text without its files and quotations, which may be about anything.
func content(text string) string {
	var words []string
	for _, t := range lex(text) {
		if t.class == word || t.class == number {
			words = append(words, t.text)
		}
	}
	return strings.Join(words, " ")
}

// ownerOf is the name the user knows a tool's expert by.
func ownerOf(spec core.ToolSpec) string {
	owner, _, _ := strings.Cut(spec.Name, "__")
	return cmp.Or(spec.Owner, owner)
}

// humanName makes words of an identifier.
func humanName(s string) string {
	var b strings.Builder
	lower := false
	for _, r := range s {
		switch {
		case r == '_' || r == '-' || r == '.':
			r = ' '
		case unicode.IsUpper(r) && lower:
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(r)
	}
	return b.String()
}

// clip shortens s to at most n bytes at the end of a rune.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
