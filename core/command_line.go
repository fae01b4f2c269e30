package core

import (
	"regexp"
	"strings"
	"unicode"
)

// SplitCommandLine splits a command line: at spaces, where quotes and backslashes keep
// them; in double quotes a backslash is one but before " $ ` and \. Nothing else of a shell
// is understood, and nothing is ever expanded.
func SplitCommandLine(line string) ([]string, error) {
	var words []string
	for {
		if line = strings.TrimLeftFunc(line, unicode.IsSpace); line == "" {
			return words, nil
		}
		word, rest, err := nextWord(line)
		if err != nil {
			return nil, err
		}
		words, line = append(words, word), rest
	}
}

// SplitCommand splits a command that is typed in a chat, without its slash. EXPERT:NAME is
// a prompt that an expert has ready.
func SplitCommand(line string) ([]string, error) {
	words, err := SplitCommandLine(line)
	if err != nil || len(words) == 0 {
		return words, err
	}
	if expert, prompt, ok := strings.Cut(words[0], ":"); ok {
		words = append([]string{"prompt", expert, prompt}, words[1:]...)
	}
	return words, nil
}

// nextWord takes the word off that line begins with.
func nextWord(line string) (word, rest string, err error) {
	var b strings.Builder
	escaped, quote := false, rune(0)
	for i, r := range line {
		switch {
		case escaped:
			if quote != 0 && !strings.ContainsRune("\"\\$`", r) {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped = true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			b.WriteRune(r)
		case r == '"' || r == '\'':
			quote = r
		case unicode.IsSpace(r):
			return b.String(), line[i:], nil
		default:
			b.WriteRune(r)
		}
	}
	switch {
	case quote != 0:
		return "", "", &Error{Code: CodeInvalid, Message: "a quote is not closed", Hint: "add " + string(quote) + " at the end"}
	case escaped:
		return "", "", &Error{Code: CodeInvalid, Message: "nothing follows the last backslash", Hint: "leave it out, or write two"}
	}
	return b.String(), "", nil
}

// plainWord needs no quotes in any shell, nor for [SplitCommandLine].
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+:,./-]+$`)

// QuoteWord quotes a word so that a POSIX shell and [SplitCommandLine] read it as it is.
func QuoteWord(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// JoinWords is a command line that [SplitCommandLine] splits into these words again.
func JoinWords(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = QuoteWord(word)
	}
	return strings.Join(quoted, " ")
}
