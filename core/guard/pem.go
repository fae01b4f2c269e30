package guard

import (
	"regexp"
	"strings"
)

// A block of a private key: what begins it, all of it, and as much of its lines of base64 as is there, written as lines or
// with \n between them.
var (
	pemBegins = regexp.MustCompile(`^-----BEGIN [^-]{0,36}PRIVATE KEY[^-]{0,36}-----`)
	pemBlock  = regexp.MustCompile(`^-----BEGIN [^-]+-----(?:[^-]|-{1,4}[^-])*[A-Za-z0-9+/=]{16}(?:[^-]|-{1,4}[^-])*-----END (?:[^-\n]{0,40}-----)?`)
	pemPieces = regexp.MustCompile(`^(?:-----BEGIN [^-]+-----)?(?:(?:\s|\\[a-z0])*[A-Za-z0-9+/=]{16,})+`)
)

// pem finds a block of a private key: all of it, or as much as is there.
func (sc *scanner) pem() (Finding, bool) {
	s := sc.s[sc.i:]
	if !strings.HasPrefix(s, "-----BEGIN") || !pemBegins.MatchString(s[:min(len(s), 128)]) {
		return Finding{}, false
	}
	at := pemBlock.FindStringIndex(s[:min(len(s), 16<<10)])
	if at == nil || holdsMark(s, 0, at[1]) {
		at = pemPieces.FindStringIndex(s)
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
