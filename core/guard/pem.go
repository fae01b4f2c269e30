package guard

import "strings"

// pem finds a block of a private key: all of it, or as much as is there.
func (sc *scanner) pem() (Finding, bool) {
	const begin, end, dashes = "-----BEGIN ", "-----END ", "-----"
	s := sc.s[sc.i:]
	rest, ok := strings.CutPrefix(s, begin)
	if !ok {
		return Finding{}, false
	}
	label := strings.Index(rest[:min(len(rest), 48)], dashes)
	if label < 0 || !strings.Contains(rest[:label], "PRIVATE KEY") {
		return Finding{}, false
	}
	body := len(begin) + label + len(dashes)
	next := strings.Index(s[body:], dashes)
	if next < 0 || !strings.HasPrefix(s[body+next:], end) || longestRun(s[body:body+next]) < 16 || holdsMark(s, body, body+next) {
		n := piecesLen(s[body:])
		return Finding{kindPrivateKey, sc.i, sc.i + body + n}, n > 0
	}
	n := body + next + len(end)
	if closing := strings.Index(s[n:min(len(s), n+48)], dashes); closing >= 0 {
		n += closing + len(dashes)
	}
	return Finding{kindPrivateKey, sc.i, sc.i + n}, true
}

// piecesLen is the length of the lines of base64 that s begins with, written as
// lines or with \n between them.
func piecesLen(s string) int {
	end := 0
	for i := 0; i < len(s); {
		if isSpace(s[i]) || s[i] == '\\' {
			i += escapeLen(s[i:])
			continue
		}
		n := runLen(s[i:], "+/=")
		if n < 16 {
			break
		}
		i += n
		end = i
	}
	return end
}

// longestRun is the length of the longest piece of base64 in s, as far as 64.
func longestRun(s string) int {
	longest := 0
	for s != "" && longest < 64 {
		n := runLen(s, "+/=")
		longest = max(longest, n)
		s = s[min(len(s), n+1):]
	}
	return longest
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
