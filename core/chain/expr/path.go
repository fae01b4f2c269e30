package expr

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Step is one step of a path: a key of an object or the index of a list.
type Step struct {
	Key     string
	Index   int // from 0
	IsIndex bool
}

// Path is a place in what the nodes of a chain have made. What its root stands
// for is for a [Lookup] to say.
type Path struct {
	Root   string
	Steps  []Step
	Offset int // in bytes, of the path in its source
}

// String returns the path as it is written in a condition. Read again, it is the
// same path.
func (p Path) String() string {
	var b strings.Builder
	b.WriteString(p.Root)
	for _, s := range p.Steps {
		b.WriteString(s.String())
	}
	return b.String()
}

// String returns the step as it stands behind a root: .key, ["a key"] or [0].
func (s Step) String() string {
	switch {
	case s.IsIndex:
		return "[" + strconv.Itoa(s.Index) + "]"
	case s.Key != "" && nameLen(s.Key) == len(s.Key):
		return "." + s.Key
	default:
		return "[" + strconv.Quote(s.Key) + "]"
	}
}

// Get follows steps through objects (map[string]any) and lists ([]any). It
// returns false where a step leads nowhere: a key that is not there, an index out
// of range, or a value that is neither object nor list.
func Get(v any, steps []Step) (any, bool) {
	for _, s := range steps {
		switch in := v.(type) {
		case map[string]any:
			next, ok := in[s.Key]
			if !ok || s.IsIndex {
				return nil, false
			}
			v = next
		case []any:
			if !s.IsIndex || s.Index < 0 || s.Index >= len(in) {
				return nil, false
			}
			v = in[s.Index]
		default:
			return nil, false
		}
	}
	return v, true
}

// Lookup returns the value of a root. What it returns is never changed.
type Lookup func(root string) (any, bool)

func (l Lookup) get(p *Path) (any, bool) {
	if l == nil {
		return nil, false
	}
	v, ok := l(p.Root)
	if !ok {
		return nil, false
	}
	return Get(v, p.Steps)
}

// nameLen returns how many bytes of s are a name: letters, digits and _, and a
// minus where a name goes on behind it.
func nameLen(s string) int {
	n := 0
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if r == '-' && n > 0 {
			r, _ = utf8.DecodeRuneInString(s[n+1:])
		}
		if !inName(r) {
			break
		}
		n += size
	}
	return n
}

func inName(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}
