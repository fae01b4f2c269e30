package core

import (
	"strings"
	"unicode"
)

// Words splits a command line: at spaces, where quotes and backslashes keep
// them. Nothing else of a shell is understood, and nothing is ever expanded.
func Words(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord, escaped, quote := false, false, rune(0)
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, inWord = r, true
		case unicode.IsSpace(r):
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	switch {
	case quote != 0:
		return nil, &Error{Code: CodeInvalid, Message: "a quote is not closed", Hint: "add " + string(quote) + " at the end"}
	case escaped:
		return nil, &Error{Code: CodeInvalid, Message: "nothing follows the last backslash", Hint: "leave it out, or write two"}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}
