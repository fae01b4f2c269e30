package expr

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

type kind int

const (
	tokEnd kind = iota
	tokName
	tokNumber
	tokText
	tokSign
)

type token struct {
	kind kind
	text string // of a name, a sign or a number; the value of a text
	at   int
	glue bool // nothing stands between it and what is before
}

// signs, the longer ones first.
func signs() []string {
	return []string{"==", "!=", ">=", "<=", "&&", "||", ">", "<", "!", "(", ")", "[", "]", ",", ".", "|", ":", "-"}
}

// lex reads the tokens of a source from an offset on.
func lex(src string, offset int) ([]token, error) {
	var tokens []token
	fail := func(at int, message, hint string) ([]token, error) {
		return nil, &SyntaxError{Offset: offset + at, Message: message, Hint: hint}
	}
	for i := 0; i < len(src); {
		c := src[i]
		glue := i > 0 && !blank(src[i-1])
		switch {
		case blank(c):
			i++
		case c == '"' || c == '\'':
			text, n, ok := quoted(src[i:])
			if !ok {
				return fail(i, "this text is not closed", "add "+string(c)+" at its end")
			}
			tokens = append(tokens, token{tokText, text, offset + i, glue})
			i += n
		case c >= '0' && c <= '9' || c == '-' && i+1 < len(src) && src[i+1] >= '0' && src[i+1] <= '9':
			n := 1
			for i+n < len(src) && (src[i+n] >= '0' && src[i+n] <= '9' || strings.IndexByte(".eE", src[i+n]) >= 0 || (src[i+n] == '+' || src[i+n] == '-') && (src[i+n-1]|0x20) == 'e') {
				n++
			}
			if _, err := strconv.ParseFloat(src[i:i+n], 64); err != nil {
				return fail(i, fmt.Sprintf("%q is no number", src[i:i+n]), "")
			}
			tokens = append(tokens, token{tokNumber, src[i : i+n], offset + i, glue})
			i += n
		case nameByte(c, true):
			n := 1
			for i+n < len(src) && nameByte(src[i+n], false) {
				n++
			}
			tokens = append(tokens, token{tokName, src[i : i+n], offset + i, glue})
			i += n
		default:
			sign := ""
			for _, s := range signs() {
				if strings.HasPrefix(src[i:], s) {
					sign = s
					break
				}
			}
			if sign == "" {
				return fail(i, unexpected(src[i:]), hintFor(src[i:]))
			}
			tokens = append(tokens, token{tokSign, sign, offset + i, glue})
			i += len(sign)
		}
	}
	return append(tokens, token{kind: tokEnd, at: offset + len(src)}), nil
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func unexpected(rest string) string {
	r, _ := utf8.DecodeRuneInString(rest)
	return fmt.Sprintf("%q has no meaning here", r)
}

func hintFor(rest string) string {
	switch rest[0] {
	case '=':
		return "equal is written =="
	case '&':
		return "write and, or &&"
	case '+', '*', '/', '%':
		return "there is no arithmetic: let a node calculate"
	}
	return ""
}

// quoted reads a text in quotes with the escapes \n \t \\ and of the quotes.
func quoted(src string) (text string, n int, ok bool) {
	var b strings.Builder
	for i := 1; i < len(src); i++ {
		switch c := src[i]; {
		case c == src[0]:
			return b.String(), i + 1, true
		case c == '\\' && i+1 < len(src):
			i++
			switch src[i] {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case '\\', '"', '\'':
				b.WriteByte(src[i])
			default: // as in a pattern: \d stays \d
				b.WriteByte('\\')
				b.WriteByte(src[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", 0, false
}
