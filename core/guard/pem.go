package guard

import "strings"

const (
	pemBegin  = "-----BEGIN "
	pemEnd    = "-----END "
	pemDashes = "-----"
)

// pem finds a block of a private key: all of it, or as much as is there.
func (sc *scanner) pem() (Finding, bool) {
	s := sc.s[sc.i:]
	if !strings.HasPrefix(s, pemBegin) {
		return Finding{}, false
	}
	label, _, ok := strings.Cut(s[len(pemBegin):min(len(s), 128)], pemDashes)
	if !ok || !strings.Contains(label, "PRIVATE KEY") || strings.Contains(label, "-") {
		return Finding{}, false
	}
	head := len(pemBegin) + len(label) + len(pemDashes)
	n, _ := pemLen(s)
	if n == 0 || !holdsBase64(s[head:n]) || holdsMark(s, 0, n) {
		n = head + base64Lines(s[head:])
	}
	return Finding{kindPrivateKey, sc.i, sc.i + n}, n > head
}

// pemLen returns the length of the block that s begins with, or 0 if its end is not there. It is closed if the line of its end
// is there whole.
func pemLen(s string) (n int, closed bool) {
	for range 2 { // the dashes of the head, and those of the end
		dashes := strings.Index(s[n+len(pemDashes):], pemDashes)
		if dashes < 0 {
			return 0, false
		}
		n += len(pemDashes) + dashes
	}
	if !strings.HasPrefix(s[n:], pemEnd) {
		return 0, false
	}
	n += len(pemEnd)
	label, _, _ := strings.Cut(s[n:min(len(s), n+48)], "\n")
	if end := strings.Index(label, pemDashes); end >= 0 {
		return n + end + len(pemDashes), true
	}
	return n, false
}

// base64Line is how many characters of base64 stand together at least where a key is.
const base64Line = 16

func holdsBase64(s string) bool {
	run := 0
	for i := range len(s) {
		run++
		if !isAlnum(s[i]) && strings.IndexByte("+/=", s[i]) < 0 {
			run = 0
		}
		if run == base64Line {
			return true
		}
	}
	return false
}

// base64Lines is the length of the lines of base64 that s begins with, written as lines or with \n between them.
func base64Lines(s string) int {
	end := 0
	for at := 0; at < len(s); {
		switch {
		case isSpace(s[at]):
			at++
		case s[at] == '\\':
			at += 2
		default:
			n := runLen(s[at:], "+/=")
			if n < base64Line {
				return end
			}
			at += n
			end = at
		}
	}
	return end
}

// jwt reads header.payload.signature, the last of which may be empty.
func jwt(s string) (n int, ok bool) {
	n = runLen(s, "._-=")
	v := s[:n]
	header, rest, _ := strings.Cut(v, ".")
	payload, _, dots := strings.Cut(rest, ".")
	if !dots || len(header) < 8 || len(payload) < 8 {
		return n, false
	}
	return len(strings.TrimRight(v, ".-=")), true
}
