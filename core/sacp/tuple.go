package sacp

import "strings"

// tupleAt reports whether Python's brackets stand at i: round ones around
// values, and not words in brackets.
func (r *reader) tupleAt(i int) bool {
	for range maxOpen {
		i = skipSpace(r.s, i+1)
		if i >= len(r.s) || r.s[i] != '(' {
			break
		}
	}
	return startsValue(r.s, i) || i < len(r.s) && r.s[i] == ')'
}

// tuple reads what stands in round brackets at r.i: a list, or as Python has it
// a value in brackets when there is no comma, and one string when there are
// several strings without one.
func (r *reader) tuple() any {
	r.fix(fixTuple)
	list, comma := []any{}, false
	if !r.push('(') {
		return list
	}
	defer r.pop()
	for r.i++; ; {
		r.space()
		if r.end() {
			r.lost = true
			return list
		}
		switch c := r.s[r.i]; c {
		case ')':
			r.i++
			if comma || len(list) == 0 {
				return list
			}
			return joined(list)
		case ',':
			comma = true
			r.i++
			continue
		case '}', ']':
			r.fix(fixBracket)
			return list
		}
		if v, ok := r.value('('); ok {
			list = append(list, v)
		}
	}
}

// joined is the one value of a list, or its strings as one.
func joined(list []any) any {
	var b strings.Builder
	for _, v := range list {
		s, ok := v.(string)
		if !ok {
			return list[0]
		}
		b.WriteString(s)
	}
	return b.String()
}
