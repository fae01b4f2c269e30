package git

import (
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/plain"
)

// table collects an answer's rows, for people and for programs.
type table struct {
	lines []string
	rows  []any
}

func (t *table) add(line string, row map[string]any) {
	t.lines, t.rows = append(t.lines, line), append(t.rows, row)
}

// reply says head, and at most maxShown of the lines; its data holds at most
// maxData rows under key, and how many there are.
func (t *table) reply(v plain.Translator, head, key string) core.Reply {
	if len(t.lines) > 0 {
		head += "\n\n- " + strings.Join(t.lines[:min(len(t.lines), maxShown)], "\n- ")
	}
	if more := len(t.lines) - maxShown; more > 0 {
		head += "\n- " + v.Say("… and %d more", more)
	}
	return experts.Success(head, map[string]any{key: append([]any{}, t.rows[:min(len(t.rows), maxData)]...), "total": float64(len(t.rows))})
}

// first says the first commit, and what bounds it.
func (t *table) first(limits string) core.Reply {
	return experts.Success(t.lines[0]+limits, map[string]any{"commits": t.rows[:1], "total": 1.0})
}

// records splits what git prints into rows of n fields; others are left out.
func records(out, row, field string, n int) [][]string {
	var all [][]string
	for r := range strings.SplitSeq(out, row) {
		if f := strings.SplitN(r, field, n); len(f) == n {
			all = append(all, f)
		}
	}
	return all
}

func short(hash string) string { return hash[:min(len(hash), 8)] }

func day(date string) string { return date[:min(len(date), 10)] }

func clip(s string, most int) string {
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
