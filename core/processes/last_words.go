package processes

import (
	"regexp"
	"slices"
	"strings"
)

// nodeError is the line of a crash of node that names the error. Its stack follows,
// and then the version of node.
var nodeError = regexp.MustCompile(`^[A-Za-z]*Error\b.*:`)

// LastWords is the line that says most of why a program ended, of those that it printed
// last; empty where it printed none.
func LastWords(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	last := lines[len(lines)-1]
	if strings.HasPrefix(last, "Node.js v") {
		for _, line := range slices.Backward(lines) {
			if nodeError.MatchString(line) {
				last = line
				break
			}
		}
	}
	return strings.TrimSpace(last)
}
