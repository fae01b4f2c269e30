package guard

import (
	"cmp"
	_ "embed"
	"strings"
	"sync"
)

// The kinds of findings that code speaks of. The others are in the files of rules.
const (
	kindPrivateKey = "private_key"
	kindAWSAccess  = "aws_access_key"
	kindAWSSecret  = "aws_secret_key"
	kindJWT        = "jwt"
	kindBearer     = "bearer_token"
	kindBasic      = "basic_auth"
	kindURL        = "url_password"
	kindPassword   = "password"
	kindPIN        = "pin"
	kindToken      = "token"
	kindSecret     = "secret"
	kindAuth       = "authorization"
	kindLogin      = "login" // a name and its password
	kindTOTP       = "totp_secret"
	kindSeed       = "seed_phrase"
	kindRecovery   = "recovery_code"
	kindSession    = "session"
	kindUnread     = "unread" // too deep or too tangled to be looked at

	kindEmail = "email"
	kindPhone = "phone"
	kindIBAN  = "iban"
	kindCard  = "card"
	kindSSN   = "ssn"

	kindHidden = "hidden" // text that is not seen
)

//go:embed rules/kinds.tsv
var kindsFile string

// kindNames is what a person calls one and several findings of a kind, by what a mark of the kind begins with and the kind.
//
//nolint:gochecknoglobals // parsed once from the embedded files, and never changed
var kindNames = sync.OnceValue(readKindNames)

func readKindNames() map[string][2]string {
	open := map[string]string{"secret": markOpen, "personal": markOpenPersonal, "injection": markInjection}
	names := map[string][2]string{}
	for kind, one := range rules().nouns {
		names[markOpen+kind] = [2]string{one, one + "s"}
	}
	t := readTable(kindsFile)
	for _, row := range t.rows {
		names[open[row[0]]+row[1]] = [2]string{row[2], cmp.Or(strings.Join(row[3:], ""), row[2]+"s")}
	}
	return names
}

const (
	markOpen         = "[secret: "
	markOpenPersonal = "[personal: "
	markClose        = "]"
	markInjection    = "[instruction removed]"

	markHead = len("[instruction") // the longest part of a mark before its first blank
)

func mark(kind string) string { return markOpen + kind + markClose }

func isSecretKind(kind string) bool { return kind != "" && kindNames()[markOpen+kind][0] != "" }

// markLen returns the length of the mark that s begins with, or 0. Only marks
// that this package writes count: nobody hides a word by putting it between
// brackets.
func markLen(s string) int {
	switch {
	case len(s) < 2 || s[0] != '[':
		return 0
	case strings.HasPrefix(s, markInjection):
		return len(markInjection)
	case strings.HasPrefix(s, markOpen), strings.HasPrefix(s, markOpenPersonal):
		end := strings.IndexByte(s[:min(len(s), 48)], markClose[0])
		if end > 0 && kindNames()[s[:end]][0] != "" {
			return end + 1
		}
	}
	return 0
}

// FirstMark returns the first mark in s, such as "[secret: password]", that stands
// for what was taken out, or "".
func FirstMark(s string) string {
	start := strings.IndexByte(s, '[')
	for start >= 0 {
		if n := markLen(s[start:]); n > 0 {
			return s[start : start+n]
		}
		next := strings.IndexByte(s[start+1:], '[')
		if next < 0 {
			return ""
		}
		start += 1 + next
	}
	return ""
}

// holdsMark reports whether a mark begins in s[start:end].
func holdsMark(s string, start, end int) bool {
	for i := start; i < end; i++ {
		if s[i] == '[' && markLen(s[i:]) > 0 {
			return true
		}
	}
	return false
}
