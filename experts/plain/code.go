package plain

import "strings"

// The words that a definition begins with in the languages that people write.
const (
	Functions = `func|function|def|fn|macro`
	Types     = `class|type|struct|interface|enum|trait|message|record`
	Others    = `module|var|const|let|val|#define`
	modifiers = `export|default|declare|async|public|private|protected|internal|static|final|abstract|sealed|partial|open|data|pub(?:\([a-z]+\))?|unsafe|extern|inline|virtual|override|const|@\w+`
)

// Definition is an expression for the line that defines a name, which is one
// itself, with one of the words of kinds.
func Definition(kinds, name string) string {
	return `^\s*(?:(?:` + modifiers + `)\s+){0,4}(?:` + kinds + `)\b\s*(?:\([^)]*\)\s*)?[*&]?` + name + `(?:\W|$)`
}

// BlockLength is how many lines the definition has that begins with the first of them:
// those that are indented deeper, and the bracket that closes it.
func BlockLength(lines []string) int {
	indent := func(s string) int { return len(s) - len(strings.TrimLeft(s, " \t")) }
	for i, line := range lines[1:] {
		if bare := strings.TrimSpace(line); bare != "" && indent(line) <= indent(lines[0]) {
			if strings.Contains(")}]", bare[:1]) {
				i++
			}
			return i + 1
		}
	}
	return len(lines)
}
