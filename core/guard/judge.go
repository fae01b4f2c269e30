package guard

import "strings"

// isSecret tells a secret from what else people write after such a key: names
// of variables, calls, types, words and placeholders.
func (a assigned) isSecret() bool {
	v := a.v
	if isTemplate(v) || isPlaceholder(v) || isVocabulary(v) || isPath(v) || strings.EqualFold(v, a.key) {
		return false
	}
	if !a.quoted && !a.loud && isCode(v, a.after) {
		return false
	}
	if a.kind != kindPassword {
		return a.isToken()
	}
	letters, digits := count(v)
	switch {
	case a.quoted:
		return len(v) >= 3 && !isProse(v)
	case len(v) < 4 && !a.loud:
		return false
	case a.tight:
		return letters < len(v) || a.after != ',' && a.after != ')'
	case strings.EqualFold(a.key, "pass"), strings.EqualFold(a.key, "pwd"):
		return false // PASS: TestName
	case letters == len(v):
		return a.line && a.colon && !isSentence(v) || len(v) >= 12 && isRandom(v)
	case digits == len(v):
		return true
	}
	return letters > 0 && (digits > 0 || !isWordy(v) || strings.ContainsAny(v, "!@#$%^&*?+"))
}

// isToken is for all that is made by a machine. What follows a key in capitals
// without a blank is from an environment, where hardly anything else is kept.
func (a assigned) isToken() bool {
	letters, digits := count(a.v)
	switch {
	case strings.ContainsAny(a.v, " \t"), letters == 0 && digits < 16:
		return false
	case a.loud:
		return len(a.v) >= 6
	case a.tight || a.quoted:
		return len(a.v) >= 6 && isRandom(a.v)
	}
	return len(a.v) >= 8 && isRandom(a.v)
}

func count(v string) (letters, digits int) {
	for i := range len(v) {
		switch c := v[i]; {
		case c-'0' < 10:
			digits++
		case c|0x20-'a' < 26:
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
		n := runLen(v, "")
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
	if len(p) > 24 || digits > 0 && (letters < 3 && len(p) > 3 || digits > 2 || digitsInside(p)) {
		return false
	}
	changes := 0 // from lower to upper case, as in camelCase
	for i := 1; i < len(p); i++ {
		if p[i]-'A' < 26 && p[i-1]-'a' < 26 {
			changes++
		}
	}
	return changes == 0 || len(p)/(changes+1) >= 4
}

// digitsInside reports whether digits stand elsewhere than at the end of p.
func digitsInside(p string) bool {
	return strings.ContainsAny(strings.TrimRight(p, "0123456789"), "0123456789")
}

// isTemplate reports whether v stands for a value that is filled in elsewhere.
func isTemplate(v string) bool {
	switch v[0] {
	case '{', '<', '[', '(', '*':
		return true
	case '$':
		return len(v) > 1 && (v[1] == '{' || v[1] == '(' || strings.HasPrefix(v, "$env:") || v[1:] == strings.ToUpper(v[1:]) || isIdent(v[1:])) && !strings.HasPrefix(v, "$2")
	case '%':
		return len(v) == 2 || len(v) > 2 && (v[len(v)-1] == '%' || v[1] == '(' || v[1] == '[' || v[2] == ':')
	case '@':
		return len(v) > 2 && v[len(v)-1] == '@'
	}
	return strings.Contains(v[:min(len(v), 128)], "{{") || strings.Contains(v[:min(len(v), 128)], "${")
}

func isIdent(v string) bool {
	return v != "" && runLen(v, "_") == len(v) && v[0]-'0' >= 10 && len(v) <= 40
}

// isPlaceholder reports whether v obviously stands for a value that the reader
// has to put in.
func isPlaceholder(v string) bool {
	var buf [128]byte
	n := copy(buf[:], v)
	for i, c := range buf[:n] {
		if c-'A' < 26 {
			buf[i] = c | 0x20
		}
	}
	b := buf[:n]
	has := func(part string) bool { return indexOf(b, part) >= 0 }
	starts := func(part string) bool { return len(b) >= len(part) && string(b[:len(part)]) == part }
	switch {
	case n == 0, strings.Trim(v, "xX*._-?#") == "", has("…"), has("..."):
		return true
	case has("example"), has("placeholder"), has("changeme"), has("change_me"), has("change-me"), has("redacted"), has("xxxx"), has("****"):
		return true
	case starts("your_"), starts("your-"), starts("your "), starts("yourapi"), starts("yourtoken"), starts("yourkey"),
		starts("yourpass"), starts("yoursecret"), has("_your_"), has("-your-"), starts("<"):
		return true
	case starts("my_api"), starts("my-api"), starts("my_secret"), starts("my-secret"), starts("my_token"), starts("my-token"),
		starts("insert_"), starts("insert-"), starts("replace_"), starts("replace-"), starts("replaceme"), starts("enter_"),
		starts("dummy"), starts("todo"), starts("fake-"), starts("fake_"), starts("sample_"), starts("sample-"), starts("some_"):
		return true
	}
	switch string(b) {
	case "null", "nil", "none", "true", "false", "undefined", "n/a", "xxx", "tbd", "unset", "foo", "bar", "foobar", "hidden", "masked":
		return true
	}
	return false
}

func indexOf(b []byte, part string) int {
	for i := 0; i+len(part) <= len(b); i++ {
		if b[i] == part[0] && string(b[i:i+len(part)]) == part {
			return i
		}
	}
	return -1
}

// isVocabulary knows what is said of secrets, and the types that they have.
func isVocabulary(v string) bool {
	var buf [16]byte
	if len(v) > len(buf) {
		return false
	}
	n := copy(buf[:], v)
	for i, c := range buf[:n] {
		if c-'A' < 26 {
			buf[i] = c | 0x20
		}
	}
	switch string(buf[:n]) {
	case "string", "str", "text", "byte", "bytes", "[]byte", "int", "integer", "number", "bool", "boolean", "any", "object",
		"array", "char", "varchar", "required", "optional", "enabled", "disabled", "yes", "no", "on", "off", "ok", "valid",
		"invalid", "incorrect", "correct", "wrong", "missing", "empty", "unknown", "expired", "accepted", "rejected",
		"failed", "self", "this", "default", "auto", "inherit", "password", "token", "secret", "apikey", "api_key", "username",
		"prompt", "ask", "env", "vault", "keychain", "bearer", "basic", "option", "sensitive", "never", "always":
		return true
	}
	return false
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
func isCode(v string, after byte) bool {
	if strings.ContainsAny(v[:min(len(v), 128)], "([{") || strings.Contains(v[:min(len(v), 128)], "->") || strings.Contains(v[:min(len(v), 128)], "::") {
		return true
	}
	if after == '(' || after == '[' {
		return true
	}
	name := strings.TrimLeft(v, "&*!")
	if isIdent(name) && (strings.HasSuffix(name, "Key") || secretKey(name) != "") {
		return true
	}
	first, rest, dotted := strings.Cut(name, ".")
	if !dotted {
		return isIdent(first) && strings.Contains(first, "_") && isWordy(first) || (after == ',' || after == ')') && isWordy(first)
	}
	for dotted || first != "" {
		if !isIdent(first) || len(first) > 24 || first == "" {
			return false
		}
		first, rest, dotted = strings.Cut(rest, ".")
	}
	return true
}

// isSentence reports whether v begins one, rather than being a lone password.
func isSentence(v string) bool { return v[0]-'A' < 26 }

// isProse reports whether the quoted v is said to a person, as labels and
// messages are.
func isProse(v string) bool {
	if !strings.Contains(v, " ") {
		return false
	}
	if v[0]-'A' < 26 || len(v) > 80 {
		return true
	}
	for _, word := range [...]string{"password", "your ", "must ", "enter ", " is ", " the ", " to ", " for ", " of "} {
		if strings.Contains(v, word) {
			return true
		}
	}
	return false
}
