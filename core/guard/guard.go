// Package guard finds what should not be written down. It knows secrets: keys,
// tokens and passwords, by the formats of those who issue them and by the names
// that they are kept under.
//
// All functions are pure, may be called by several goroutines, never panic, and
// take time in proportion to the length of their input. Text without secrets is
// returned as it is, without an allocation.
//
// No detector is complete: what is kept out of a log is only what has a known
// format or stands where a secret is expected.
package guard

import "strings"

// Finding is a secret in a text: s[Start:End] is what has to be hidden, without
// the key or the quotes around it.
type Finding struct {
	Kind       string // such as "aws_access_key"
	Start, End int    // in bytes
}

// The kinds of secrets.
const (
	kindPrivateKey  = "private_key"
	kindAWSAccess   = "aws_access_key"
	kindAWSSecret   = "aws_secret_key"
	kindGitHub      = "github_token"
	kindGitLab      = "gitlab_token"
	kindSlack       = "slack_token"
	kindSlackHook   = "slack_webhook"
	kindStripe      = "stripe_key"
	kindOpenAI      = "openai_key"
	kindOpenRouter  = "openrouter_key"
	kindAnthropic   = "anthropic_key"
	kindGoogle      = "google_api_key"
	kindGoogleOAuth = "google_oauth"
	kindNPM         = "npm_token"
	kindPyPI        = "pypi_token"
	kindHuggingFace = "huggingface_token"
	kindJWT         = "jwt"
	kindBearer      = "bearer_token"
	kindBasic       = "basic_auth"
	kindURL         = "url_password"
	kindPassword    = "password"
	kindToken       = "token"
	kindAPIKey      = "api_key"
	kindSecret      = "secret"
	kindAuth        = "authorization"
	kindUnread      = "unread" // too deep to be looked at
)

const (
	markOpen  = "[secret: "
	markClose = "]"
)

func mark(kind string) string { return markOpen + kind + markClose }

// markLen returns the length of the mark that s begins with, or 0. Only marks
// that [Mask] writes count: nobody hides a word by putting it between brackets.
func markLen(s string) int {
	rest, ok := strings.CutPrefix(s, markOpen)
	if !ok {
		return 0
	}
	end := strings.IndexByte(rest[:min(len(rest), 32)], markClose[0])
	if end < 0 {
		return 0
	}
	switch rest[:end] {
	case kindPrivateKey, kindAWSAccess, kindAWSSecret, kindGitHub, kindGitLab, kindSlack, kindSlackHook,
		kindStripe, kindOpenAI, kindOpenRouter, kindAnthropic, kindGoogle, kindGoogleOAuth, kindNPM,
		kindPyPI, kindHuggingFace, kindJWT, kindBearer, kindBasic, kindURL, kindPassword, kindToken,
		kindAPIKey, kindSecret, kindAuth, kindUnread:
		return len(markOpen) + end + len(markClose)
	}
	return 0
}

// holdsMark reports whether a mark begins in s[start:end].
func holdsMark(s string, start, end int) bool {
	for start < end {
		// As a blank may be the end of what is looked at, only its head is sought.
		n := strings.Index(s[start:end], markOpen[:len(markOpen)-1])
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

// Secrets returns the secrets in s in order. They do not overlap.
func Secrets(s string) []Finding {
	var found []Finding
	sc := scanner{s: s}
	for f, ok := sc.next(); ok; f, ok = sc.next() {
		found = append(found, f)
	}
	return found
}

// Mask returns s with each secret replaced by "[secret: kind]", and their
// number. What it returns holds no more secrets: Mask(Mask(s)) is Mask(s).
func Mask(s string) (masked string, n int) {
	var b strings.Builder
	done := 0 // s[:done] is in b
	sc := scanner{s: s}
	for f, ok := sc.next(); ok; f, ok = sc.next() {
		b.WriteString(s[done:f.Start])
		b.WriteString(markOpen)
		b.WriteString(f.Kind)
		b.WriteString(markClose)
		done = f.End
		n++
	}
	if n == 0 {
		return s, 0
	}
	b.WriteString(s[done:])
	return b.String(), n
}
