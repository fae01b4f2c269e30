package files

import (
	"context"
	"fmt"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/plain"
)

// maxCompared bounds the work for what two files do not have in common.
const maxCompared = 4_000_000

// diff answers what differs between two files.
func (t *tree) diff(_ context.Context, q query) (core.Reply, error) {
	var texts, paths []string
	for _, p := range q.named[:2] {
		if p.isDir {
			return core.Reply{}, &core.Error{Code: core.CodeInvalid, Message: t.Say("%s is a folder.", plain.Code(p.path)), Hint: t.Say("I compare two files.")}
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
	lines, ok := compare(split(texts[0]), split(texts[1]))
	if !ok {
		return experts.Success(head+t.Say(" in too many lines to show them."), data), nil
	}
	added := 0
	for _, l := range lines {
		if l[0] == '+' {
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

// compare returns the lines that only one of the two has, in their order: with
// + those of b, with - those of a. It reports false where that is too much work.
func compare(a, b []string) (lines []string, ok bool) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a)*len(b) > maxCompared {
		return nil, false
	}
	common := make([][]int32, len(a)+1) // of a[i:] and b[j:], the longest
	for i := range common {
		common[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			lines = append(lines, "-"+tidy(a[i]))
			i++
		default:
			lines = append(lines, "+"+tidy(b[j]))
			j++
		}
	}
	return lines, true
}
