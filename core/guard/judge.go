package guard

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// isSecret tells a secret from what else people write after its name: names
// of variables, calls, types, words and placeholders.
func (a assigned) isSecret(r *ruleSet, n name) bool {
	v := a.v
	if r.standsFor(v) || isPath(v) || strings.EqualFold(v, a.key) {
		return false
	}
	if !a.quoted && !a.loud && isCode(r, v, a.after) {
		return false
	}
	switch n.kind {
	case kindPIN:
		return allDigits(v) && len(v) >= 4 && len(v) <= 12
	case kindPassword:
		return a.isPassword(r, n)
	case kindSession:
		return !strings.Contains(v, " ") && len(v) >= 8 && !isWordy(v) && (!n.weak || len(v) >= 16 && distinct(v) >= 8 && strings.Count(v, "-") < 4)
	case kindTOTP:
		return len(v) >= 16 && distinct(v) >= 6 && strings.Trim(strings.ToUpper(v), "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567= ") == "" && (!strings.Contains(v, " ") || len(v) == 5*(strings.Count(v, " ")+1)-1)
	case kindSeed:
		return false // it is found by its words
	}
	return a.isToken(n)
}

func (a assigned) isPassword(r *ruleSet, n name) bool {
	v := a.v
	letters, digits := count(v)
	switch {
	case a.listed && (n.word || a.key != strings.ToUpper(a.key) && n.ending != "identifiedby"):
		return isStrong(v, false)
	case a.quoted && !n.weak:
		return len(v) >= 3 && !isProse(r, v)
	case n.weak, a.far:
		return isStrong(v, true)
	case a.told:
		return isStrong(v, false) || digits == len(v) && digits >= 4 && !isBlank(a.after)
	case len(v) < 4 && !a.loud:
		return false
	case a.tight:
		return letters < len(v) || a.after != ',' && a.after != ')'
	case n.word:
		return isStrong(v, true) && !strings.HasPrefix(v, "Test") // PASS: TestName
	case letters == len(v):
		return a.colon && a.spaced && a.isAlone() || len(v) >= 12 && isRandom(v)
	case digits == len(v):
		return true
	}
	return letters > 0 && (digits > 0 || !isWordy(v) || strings.ContainsAny(v, "!@#$%^&*?+"))
}

// isAlone reports whether no sentence goes on behind the value.
func (a assigned) isAlone() bool {
	rest := strings.TrimLeft(a.rest, " ")
	if a.after != ' ' && a.after != ',' || rest == "" || !isAlnum(rest[0]) && rest[0] < 0x80 && rest[0] != ',' {
		return true
	}
	rest = strings.TrimLeft(rest, ", ")
	next := rest[:runLen(rest, "ü")]
	switch next {
	case "and", "und", "y", "et", "for", "für", "para", "pour", "please", "bitte", "user", "host", "port", "login", "thanks", "danke", "gracias", "merci":
		return true
	}
	return false
}

// isStrong reports whether an unquoted word is hardly anything but a password. It is strict where words stand before it.
func isStrong(v string, strict bool) bool {
	v = strings.TrimRight(v, "!?")
	letters, digits := count(v)
	if len(v) < 5 || letters == 0 || rules().measure.MatchString(v) {
		return false
	}
	if at := strings.IndexByte(v, '@'); at > 0 && strings.Contains(v[at:], ".") && isWordy(v[:at]) { // an address
		return false
	}
	if dot := strings.LastIndexByte(v, '.'); dot > 0 && len(v)-dot <= 6 && isWordy(v) && !allDigits(v[dot+1:]) { // a file, a host
		return false
	}
	if strings.ContainsAny(v, "/") && isWordy(v) {
		return false
	}
	switch {
	case digits > 0, strings.ContainsAny(v, "!#$%^&*+=~?@"):
		return true
	case strict:
		return false
	}
	changes := 0
	for i := 1; i < len(v); i++ {
		if v[i]-'A' < 26 && (v[i-1]-'a' < 26 || v[i-1] == '-' || v[i-1] == '_') {
			changes++
		}
	}
	return changes > 0 && len(v) >= 8
}

// isToken is for all that is made by a machine. What follows a key in capitals
// without a blank is from an environment, where hardly anything else is kept.
func (a assigned) isToken(n name) bool {
	letters, digits := count(a.v)
	random := isRandom(strings.TrimRight(a.v, "="))
	switch {
	case a.listed && !isMixed(a.v), a.told && runLen(a.v, "_-.~+/=:") < len(a.v):
		return false
	case strings.ContainsAny(a.v, " \t"), letters == 0 && digits < 16:
		return false
	case n.weak:
		return len(a.v) >= 20 && random && isMixed(a.v)
	case a.loud:
		return len(a.v) >= 6
	case a.told:
		return random && (len(a.v) >= 16 || len(a.v) >= 8 && isMixed(a.v) && !a.far)
	case a.tight || a.quoted:
		return len(a.v) >= 6 && random
	}
	return len(a.v) >= 8 && random
}

func count(v string) (letters, digits int) {
	for i := range len(v) {
		switch c := v[i]; {
		case c-'0' < 10:
			digits++
		case c|0x20-'a' < 26 || c >= utf8.RuneSelf:
			letters++
		}
	}
	return letters, digits
}

// distinct is the number of different bytes in the first 64 of v.
func distinct(v string) int {
	var seen [256]bool
	n := 0
	for i := range min(len(v), 64) {
		if !seen[v[i]] {
			seen[v[i]] = true
			n++
		}
	}
	return n
}

// isRandom reports whether v looks made by a machine: varied, and no words.
func isRandom(v string) bool {
	v = v[:min(len(v), 256)]
	return distinct(v) >= 5 && !isWordy(v)
}

// isWordy reports whether v is made of words: each piece is letters as people
// write them, a few digits, or a word with a number, such as my-secret-v2.
func isWordy(v string) bool {
	for v != "" {
		n := 0
		for n < len(v) && (isAlnum(v[n]) || v[n] >= utf8.RuneSelf) {
			n++
		}
		if n == 0 {
			if strings.IndexByte("-_./:", v[0]) < 0 {
				return false
			}
			v = v[1:]
			continue
		}
		if !isWord(v[:n]) {
			return false
		}
		v = v[n:]
	}
	return true
}

func isWord(p string) bool {
	letters, digits := count(p)
	if letters == 0 {
		return digits <= 4
	}
	changes, numbers := 0, 0 // from lower to upper case, as in camelCase
	lower, runs := 0, 0      // letters in lower case
	vowels := 0
	for i := 1; i < len(p); i++ {
		if strings.IndexByte("aeiouAEIOU", p[i]) >= 0 {
			vowels++
		}
		if p[i]-'a' < 26 {
			lower++
			if i == 1 || p[i-1]-'a' >= 26 {
				runs++
			}
		}
		if p[i]-'A' < 26 && p[i-1]-'a' < 26 {
			changes++
		}
		if p[i]-'0' < 10 && p[i-1]-'0' >= 10 {
			numbers++
		}
	}
	if changes > 0 && len(p)/(changes+1) < 4 {
		return false
	}
	switch {
	case len(p) > 24 || digits > 2 || digits > 0 && digitsInside(p): // the name of something: newKeyFromSeed1024
		return changes > 0 && len(p) <= 64 && numbers <= 2 && digits <= 6 && letters >= 2*digits && lower >= 3*runs && 4*vowels > letters
	case digits > 0:
		return letters >= 3 || len(p) <= 3
	}
	return true
}

// digitsInside reports whether digits stand elsewhere than at the end of p.
func digitsInside(p string) bool {
	return strings.ContainsAny(strings.TrimRight(p, "0123456789"), "0123456789")
}

// isTemplate reports whether v stands for a value that is filled in elsewhere.
func isTemplate(v string) bool {
	head := v[:min(len(v), 128)]
	return strings.Contains(head, "{{") || strings.Contains(head, "${") || strings.IndexByte("{<[(*!@$%", v[0]) >= 0 && rules().template.MatchString(head)
}

func isIdent(v string) bool {
	return v != "" && runLen(v, "_") == len(v) && v[0]-'0' >= 10 && len(v) <= 40
}

// isPlaceholder reports whether v obviously stands for a value that the reader
// has to put in.
func isPlaceholder(v string) bool {
	var buf [128]byte
	r, b := rules(), appendLower(buf[:0], v[:min(len(v), len(buf))])
	return strings.Trim(v, "xX*._-?#") == "" || r.placeholders[string(b)] ||
		slices.ContainsFunc(r.begins, func(w []byte) bool { return bytes.HasPrefix(b, w) }) ||
		slices.ContainsFunc(r.parts, func(w []byte) bool { return bytes.Contains(b, w) })
}

// standsFor reports whether v stands for a secret, or is a word that is said of secrets.
func (r *ruleSet) standsFor(v string) bool {
	return isTemplate(v) || isPlaceholder(v) || r.isCommon(v)
}

func isPath(v string) bool {
	switch {
	case strings.HasPrefix(v, "./"), strings.HasPrefix(v, "../"), strings.HasPrefix(v, "~/"), strings.Contains(v[:min(len(v), 16)], "://"):
		return true
	case len(v) > 2 && v[1] == ':' && (v[2] == '\\' || v[2] == '/'):
		return true
	}
	return v[0] == '/' && isWordy(v)
}

// isCode reports whether v, which is followed by after, is an expression: a
// call, an index, a field, a name.
func isCode(r *ruleSet, v string, after byte) bool {
	head := strings.TrimLeft(v[:min(len(v), 128)], "&*!")
	if i := strings.IndexAny(head, "([{<"); i >= 0 && (i == 0 || isIdentPath(head[:i])) && isCall(head[i:]) {
		return true
	}
	if strings.Contains(head, "->") || strings.Contains(head, "::") || after == '(' || after == '[' {
		return true
	}
	name := strings.TrimLeft(v, "&*!")
	if isIdent(name) {
		if n, ok := r.named(name); ok && n.isSure() || strings.HasSuffix(name, "Key") {
			return true
		}
	}
	first, rest, dotted := strings.Cut(name, ".")
	if dotted && first != "" && first[0]-'A' < 26 && strings.ContainsAny(rest, "0123456789") {
		return false
	}
	if !dotted {
		return isIdent(first) && strings.Contains(first, "_") && isWordy(first) && !strings.ContainsAny(first, "0123456789") || (after == ',' || after == ')') && isWordy(first) && !strings.ContainsAny(first, "0123456789")
	}
	for dotted || first != "" {
		if !isIdent(first) || len(first) > 48 || first == "" {
			return false
		}
		first, rest, dotted = strings.Cut(rest, ".")
	}
	return true
}

func isIdentPath(v string) bool {
	return runLen(v, "_.") == len(v) && v[0]-'0' >= 10 && len(v) <= 80
}

// isCall reports whether what s begins with, a bracket, is that of an expression: it is not closed, or an expression ends or
// goes on behind it.
func isCall(s string) bool {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			if depth--; depth == 0 {
				return i+1 == len(s) || strings.IndexByte(".([{)]}>,;:*", s[i+1]) >= 0
			}
		}
	}
	return true
}

// isProse reports whether the quoted v is said to a person, as labels and
// messages are.
func isProse(r *ruleSet, v string) bool {
	if _, digits := count(v); digits == 0 && strings.Contains(v, "assword") {
		return true
	}
	if len(v) > 80 {
		return strings.Contains(v, " ")
	}
	words, common := 0, 0
	for w := range strings.FieldsSeq(v) {
		words++
		if r.isCommon(strings.Trim(w, ".,:!?")) {
			common++
		}
	}
	return words > 1 && common*2 >= words
}
