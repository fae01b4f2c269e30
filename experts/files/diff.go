package files

import (
	"context"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/plain"
)

// diff answers what differs between two files.
func (t *tree) diff(_ context.Context, q query) (core.Reply, error) {
	var texts, paths []string
	for _, p := range q.named[:2] {
		if p.isDir {
			return core.Reply{}, core.Fail(core.CodeInvalid, t.Say("%s is a folder.", plain.Code(p.path)), t.Say("I compare two files."))
		}
		body, _, err := t.text(p.path)
		if err != nil {
			return core.Reply{}, err
		}
		texts, paths = append(texts, body), append(paths, p.path)
	}
	a, b := plain.Code(paths[0]), plain.Code(paths[1])
	data := map[string]any{"paths": paths, "same": texts[0] == texts[1]}
	if texts[0] == texts[1] {
		return experts.Success(t.Say("**The same**: %s and %s.", a, b), data), nil
	}
	head := t.Say("**%s and %s differ**", a, b)
	if q.Mark("yes") != "" {
		head = t.Say("**No**, %s and %s differ", a, b)
	}
	var lines []string
	added := 0
	for _, e := range udiff.Lines(texts[0], texts[1]) {
		for _, line := range split(texts[0][e.Start:e.End]) {
			lines = append(lines, "-"+tidy(line))
		}
		for _, line := range split(e.New) {
			lines = append(lines, "+"+tidy(line))
			added++
		}
	}
	data["added"], data["deleted"], data["lines"], data["truncated"] = float64(added), float64(len(lines)-added), cut(lines, maxData), len(lines) > maxData
	head += fmt.Sprintf(": +%d −%d %s", added, len(lines)-added, t.Say("lines")) + t.showing(len(lines))
	return experts.Success(head+":\n\n"+fenced(cut(lines, maxShown), "diff"), data), nil
}

func split(body string) (lines []string) {
	for line := range strings.Lines(body) {
		lines = append(lines, strings.TrimRight(line, "\n"))
	}
	return lines
}
