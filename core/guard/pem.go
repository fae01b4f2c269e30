package guard

import (
	"strings"
)

// pem finds a block of a private key: all of it, or as much as is there.
func (sc *scanner) pem() (Finding, bool) {
	s := sc.s[sc.i:]
	if !strings.HasPrefix(s, "-----BEGIN") || !sc.r.pemBegins.MatchString(s[:min(len(s), 128)]) {
		return Finding{}, false
	}
	at := sc.r.pemBlock.FindStringIndex(s[:min(len(s), 16<<10)])
	if at == nil || holdsMark(s, 0, at[1]) {
		at = sc.r.pemPieces.FindStringIndex(s)
	}
	if at == nil {
		return Finding{}, false
	}
	return Finding{kindPrivateKey, sc.i, sc.i + at[1]}, true
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
