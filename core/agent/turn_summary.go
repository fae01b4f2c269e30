package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

const maxSummarised = 3 // names of tools in a summary

// summary says in one line what the turn whose messages begin at from came to.
// It is written from what happened, not by a model.
func (r *run) summary(from int, got answer, err error) string {
	var asked, failed []string
	for _, m := range r.messages[min(from, len(r.messages)):] {
		for _, c := range m.Calls {
			asked = append(asked, c.Tool)
		}
		if m.Result != nil && !m.Result.OK() {
			failed = append(failed, m.Name)
		}
	}
	var line string
	switch {
	case len(asked) > 0:
		line = "asked " + listed(asked)
		if len(failed) > 0 {
			line += "; no answer from " + listed(failed)
		}
	case got.reply.Status == core.StatusClarification:
		line = "asked back"
	case got.reply.Status != "":
		line = "answered with " + string(got.reply.Status)
	case err == nil:
		line = "came to no answer"
	}
	switch {
	case core.CodeOf(err) == core.CodeCancelled:
		return join(line, "was cancelled")
	case len(r.pauses) > 0:
		return join(line, "waits for the user")
	case err != nil:
		return join(line, "failed")
	}
	return line
}

func join(line, end string) string {
	if line == "" {
		return end
	}
	return line + "; " + end
}

// listed names each tool once, in order, the first few of many.
func listed(names []string) string {
	var once []string
	for _, name := range names {
		if name = safe.Prefix(name, 64); !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	if more := len(once) - maxSummarised; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(once[:maxSummarised], ", "), more)
	}
	return strings.Join(once, ", ")
}
