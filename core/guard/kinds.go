package guard

import (
	"cmp"
	"strings"
)

// The kinds of secrets that code speaks of. The others are in the files of rules.
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
)

// The kinds of personal data.
const (
	kindEmail = "email"
	kindPhone = "phone"
	kindIBAN  = "iban"
	kindCard  = "card"
	kindSSN   = "ssn"
)

// The kinds of injection.
const (
	kindOverride = "override" // the instructions so far do not count
	kindRole     = "role"     // the model is another one now
	kindHeader   = "header"   // what begins a message of another speaker
	kindLeak     = "leak"     // the model's instructions are asked for
	kindConceal  = "conceal"  // the user is not to know
	kindCall     = "call"     // a tool is to be called
	kindImage    = "image"    // a picture whose address carries data away
	kindHidden   = "hidden"   // text that is not seen
)

const (
	markOpen         = "[secret: "
	markOpenPersonal = "[personal: "
	markClose        = "]"
	markInjection    = "[instruction removed]"

	markHead = len("[instruction") // the longest part of a mark before its first blank
)

func mark(kind string) string { return markOpen + kind + markClose }

func personalMark(kind string) string { return markOpenPersonal + kind + markClose }

func injectionMark(string) string { return markInjection }

// markLen returns the length of the mark that s begins with, or 0. Only marks
// that this package writes count: nobody hides a word by putting it between
// brackets.
func markLen(s string) int {
	if len(s) < 2 || s[0] != '[' {
		return 0
	}
	switch s[1] {
	case 's':
		return markOf(s, markOpen, isSecretKind)
	case 'p':
		return markOf(s, markOpenPersonal, isPersonalKind)
	case 'i':
		if strings.HasPrefix(s, markInjection) {
			return len(markInjection)
		}
	}
	return 0
}

func markOf(s, open string, known func(kind string) bool) int {
	rest, ok := strings.CutPrefix(s, open)
	if !ok {
		return 0
	}
	end := strings.IndexByte(rest[:min(len(rest), 32)], markClose[0])
	if end < 0 || !known(rest[:end]) {
		return 0
	}
	return len(open) + end + len(markClose)
}

func isSecretKind(kind string) bool { return rules().nouns[kind] != "" }

func isPersonalKind(kind string) bool {
	switch kind {
	case kindEmail, kindPhone, kindIBAN, kindCard, kindSSN, kindUnread:
		return true
	}
	return false
}

// FirstMark returns the first mark in s, such as "[secret: password]", that stands
// for what was taken out, or "".
func FirstMark(s string) string {
	for i := range len(s) {
		if n := markLen(s[i:]); n > 0 {
			return s[i : i+n]
		}
	}
	return ""
}

// holdsMark reports whether a mark begins in s[start:end].
func holdsMark(s string, start, end int) bool {
	for start < end {
		n := strings.IndexByte(s[start:end], '[')
		if n < 0 {
			return false
		}
		if markLen(s[start+n:]) > 0 {
			return true
		}
		start += n + 1
	}
	return false
}

// noun is what a person calls findings of that kind.
func noun(kind string, plural bool) string {
	one, more := nouns(kind)
	if plural {
		return more
	}
	return one
}

func nouns(kind string) (one, more string) {
	switch kind {
	case kindURL:
		one = "password in a URL"
		more = "passwords in URLs"
	case kindJWT:
		one = "JWT"
	case kindBasic:
		one = "basic authorization"
	case "api_key":
		one = "API key"
	case kindUnread:
		return "part too tangled to be read", "parts too tangled to be read"
	case kindEmail:
		return "email address", "email addresses"
	case kindPhone:
		one = "phone number"
	case kindIBAN, kindSSN:
		one = strings.ToUpper(kind)
	case kindCard:
		one = "payment card"
	case kindOverride:
		return "instruction to drop the instructions", "instructions to drop the instructions"
	case kindRole:
		return "instruction to be somebody else", "instructions to be somebody else"
	case kindHeader:
		one = "forged message header"
	case kindLeak:
		return "request for the system prompt", "requests for the system prompt"
	case kindConceal:
		return "instruction to keep the user in the dark", "instructions to keep the user in the dark"
	case kindCall:
		return "instruction to call a tool", "instructions to call a tool"
	case kindImage:
		return "image address that carries data", "image addresses that carry data"
	case kindHidden:
		one = "hidden text"
	default:
		one = cmp.Or(rules().nouns[kind], kind)
	}
	if more == "" {
		more = one + "s"
	}
	return one, more
}
