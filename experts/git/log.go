package git

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"yaap/core"
	"yaap/experts"
)

type commit struct{ hash, date, author, subject, body string }

func (c commit) row() map[string]any {
	return map[string]any{"hash": c.hash, "author": c.author, "date": c.date, "subject": c.subject}
}

// filters are the arguments that bound git log and its like, paths last.
func (v *view) filters() []string {
	var args []string
	if v.author != "" || v.text != "" {
		args = append(args, "--fixed-strings", "--regexp-ignore-case")
	}
	if v.author != "" {
		args = append(args, "--author="+v.author)
	}
	if v.text != "" {
		args = append(args, "--grep="+v.text)
	}
	if !v.since.IsZero() {
		args = append(args, "--since="+v.since.Format(time.RFC3339))
	}
	if !v.until.IsZero() {
		args = append(args, "--until="+v.until.Add(-time.Second).Format(time.RFC3339))
	}
	switch len(v.revs) {
	case 0:
		args = append(args, "HEAD")
	case 1:
		args = append(args, v.revs[0].hash)
	default:
		args = append(args, v.revs[0].hash+".."+v.revs[1].hash)
	}
	return append(append(args, "--"), v.paths...)
}

// commits returns the newest n commits in the view; more are arguments of git
// log.
func (v *view) commits(ctx context.Context, n int, more ...string) ([]commit, error) {
	args := append([]string{"log", "-z", "-n", strconv.Itoa(n), "--no-ext-diff", "--no-textconv", "--no-show-signature", "--format=%H%x1f%aI%x1f%aN%x1f%s%x1f%b"}, more...)
	out, err := v.run(ctx, append(args, v.filters()...)...)
	var all []commit
	for _, f := range records(out, "\x00", "\x1f", 5) {
		all = append(all, commit{f[0], f[1], clip(f[2], maxSubject), clip(f[3], maxSubject), clip(strings.TrimSpace(f[4]), maxBody)})
	}
	return all, err
}

// log answers with the commits in the view, ten unless it says how many or is
// bounded.
func (v *view) log(ctx context.Context) (core.Reply, error) {
	n := 10
	if v.n > 0 {
		n = min(v.n, maxData)
	} else if v.when != "" || v.author != "" || len(v.revs) > 1 {
		n = maxShown
	}
	all, err := v.commits(ctx, n+1)
	var t table
	for _, c := range all[:min(len(all), n)] {
		t.add(fmt.Sprintf("%s %s, %s: %s", code(short(c.hash)), day(c.date), c.author, c.subject), c.row())
	}
	head := plural(len(t.lines), "commit")
	if len(all) > n {
		head = "The last " + head
	}
	return t.reply(head+v.limits()+".", "commits"), err
}

func (v *view) count(ctx context.Context) (core.Reply, error) {
	out, err := v.run(ctx, append([]string{"rev-list", "--count"}, v.filters()...)...)
	n := number(strings.TrimSpace(out))
	return experts.Success(plural(n, "commit")+v.limits()+".", map[string]any{"count": float64(n)}), err
}

// who answers with the commit that changed a path last, added it or deleted
// it, or with the last one of all.
func (v *view) who(ctx context.Context) (core.Reply, error) {
	var filter []string
	p, named := v.prompt, len(v.paths) > 0
	born, gone := strings.Contains(p, "creat") || strings.Contains(p, "add"), strings.Contains(p, "delet") || strings.Contains(p, "remov")
	switch {
	case named && born:
		filter = []string{"--diff-filter=A"}
	case named && gone:
		filter = []string{"--diff-filter=D"}
	case named, v.n == 1, !born && !gone && (strings.Contains(p, "last") || strings.Contains(p, "recent")):
	case len(v.revs) == 1:
		return v.show(ctx)
	case v.when+v.author != "":
		return v.log(ctx)
	default:
		return core.Reply{}, errNotMine
	}
	all, err := v.commits(ctx, 1, filter...)
	if err != nil {
		return core.Reply{}, err
	}
	if len(all) == 0 {
		return experts.Failure("There is no such commit"+v.limits()+".", map[string]any{"commits": []any{}}), nil
	}
	c := all[0]
	return experts.Success(fmt.Sprintf("**%s**, %s: %s (%s)", c.author, day(c.date), c.subject, code(short(c.hash))), map[string]any{"commits": []any{c.row()}}), nil
}

// contributors answers with the authors, who made the most commits first.
func (v *view) contributors(ctx context.Context) (core.Reply, error) {
	out, err := v.run(ctx, append([]string{"shortlog", "--summary", "--numbered"}, v.filters()...)...)
	var t table
	for _, f := range records(out, "\n", "\t", 2) {
		n, name := number(strings.TrimSpace(f[0])), clip(f[1], maxSubject)
		t.add(name+": "+plural(n, "commit"), map[string]any{"author": name, "commits": float64(n)})
	}
	return t.reply(plural(len(t.lines), "author")+v.limits()+".", "authors"), err
}

// branch is the name of the branch that is checked out, empty when it is none.
func (v *view) branch(ctx context.Context) string {
	name, err := v.run(ctx, "symbolic-ref", "--short", "--quiet", "HEAD")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(name)
}

func (v *view) branches(ctx context.Context) (core.Reply, error) {
	current := v.branch(ctx)
	reply, err := v.refs(ctx, "branches", "refs/heads", "refs/remotes")
	if err == nil && current != "" {
		reply.Data["current"] = current
		reply.Message = "You are on the branch " + code(current) + ". " + reply.Message
	}
	return reply, err
}

func (v *view) tags(ctx context.Context) (core.Reply, error) { return v.refs(ctx, "tags", "refs/tags") }

// refs answers with all branches or tags, or with those that were named.
func (v *view) refs(ctx context.Context, what string, where ...string) (core.Reply, error) {
	out, err := v.run(ctx, append([]string{"for-each-ref", "--sort=-creatordate", "--format=%(refname:short)%1f%(objectname)%1f%(creatordate:iso-strict)"}, where...)...)
	var t table
	for _, f := range records(out, "\n", "\x1f", 3) {
		if len(v.revs) == 0 || slices.ContainsFunc(v.revs, func(r rev) bool { return r.name == f[0] }) {
			t.add(code(f[0])+" ("+day(f[2])+")", map[string]any{"name": f[0], "hash": f[1], "date": f[2]})
		}
	}
	return t.reply(fmt.Sprintf("The %s here (%d), the newest first.", what, len(t.lines)), what), err
}

// table collects an answer's rows, for people and for programs.
type table struct {
	lines []string
	rows  []any
}

func (t *table) add(line string, row map[string]any) {
	t.lines = append(t.lines, line)
	t.rows = append(t.rows, row)
}

// reply says head, and at most maxShown of the lines; its data holds at most
// maxData rows under key, and how many there are.
func (t *table) reply(head, key string) core.Reply {
	for i, l := range t.lines[:min(len(t.lines), maxShown)] {
		head += map[bool]string{true: "\n\n- ", false: "\n- "}[i == 0] + l
	}
	if more := len(t.lines) - maxShown; more > 0 {
		head += fmt.Sprintf("\n- … and %d more", more)
	}
	return experts.Success(head, map[string]any{key: append([]any{}, t.rows[:min(len(t.rows), maxData)]...), "total": float64(len(t.rows))})
}

// records splits what git prints into rows of n fields; others are left out.
func records(out, row, field string, n int) [][]string {
	var all [][]string
	for _, r := range strings.Split(out, row) {
		if f := strings.SplitN(r, field, n); len(f) == n {
			all = append(all, f)
		}
	}
	return all
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func short(hash string) string { return hash[:min(len(hash), 8)] }

func day(date string) string { return date[:min(len(date), 10)] }

func clip(s string, most int) string {
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

func code(s string) string {
	if strings.Contains(s, "`") {
		return "`` " + strings.ReplaceAll(s, "``", "`") + " ``"
	}
	return "`" + s + "`"
}
