package processes

import (
	"regexp"
	"slices"
	"strings"
)

// nodeError is the line of a crash of node that names the error. Its stack follows,
// and then the version of node.
var nodeError = regexp.MustCompile(`^[A-Za-z]*Error\b.*:`)

// ExitReason is the most telling of the last lines that a program printed before it ended;
// empty if it printed none.
func ExitReason(lines []string) string {
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
