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

func (c commit) line() string {
	return fmt.Sprintf("%s %s, %s: %s", code(short(c.hash)), day(c.date), c.author, c.subject)
}

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

// commits runs git log with more arguments before the filters. A repository
// without a commit has none.
func (v *view) commits(ctx context.Context, more ...string) ([]commit, error) {
	if v.commit(ctx, "HEAD") == "" {
		return nil, nil
	}
	args := append([]string{"log", "-z", "--no-ext-diff", "--no-textconv", "--no-show-signature", "--format=%H%x1f%aI%x1f%aN%x1f%s%x1f%b"}, more...)
	out, err := v.run(ctx, append(args, v.filters()...)...)
	if err != nil {
		return nil, err
	}
	var all []commit
	for _, row := range strings.Split(out, "\x00") {
		if f := strings.SplitN(strings.TrimSpace(row), "\x1f", 5); len(f) == 5 {
			all = append(all, commit{f[0], f[1], clip(f[2], maxSubject), clip(f[3], maxSubject), clip(strings.TrimSpace(f[4]), maxBody)})
		}
	}
	return all, nil
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
	all, err := v.commits(ctx, "-n", strconv.Itoa(n+1))
	if err != nil {
		return core.Reply{}, err
	}
	head := plural(len(all), "commit")
	if len(all) > n {
		all = all[:n]
		head = "The last " + plural(n, "commit")
	}
	rows := []any{}
	var lines []string
	for _, c := range all {
		rows = append(rows, c.row())
		lines = append(lines, c.line())
	}
	return experts.Success(head+v.limits()+"."+bullets(lines), map[string]any{"commits": rows}), nil
}

func (v *view) count(ctx context.Context) (core.Reply, error) {
	n := 0
	if v.commit(ctx, "HEAD") != "" {
		out, err := v.run(ctx, append([]string{"rev-list", "--count"}, v.filters()...)...)
		if err != nil {
			return core.Reply{}, err
		}
		n = number(strings.TrimSpace(out))
	}
	return experts.Success(plural(n, "commit")+v.limits()+".", map[string]any{"count": float64(n)}), nil
}

// who answers with the commit that changed a path last, added it or deleted
// it, or with the last one of all.
func (v *view) who(ctx context.Context) (core.Reply, error) {
	args := []string{"-n", "1"}
	switch p := v.prompt; {
	case strings.Contains(p, "creat") || strings.Contains(p, "added"):
		args = append(args, "--diff-filter=A")
	case strings.Contains(p, "delet") || strings.Contains(p, "remov"):
		args = append(args, "--diff-filter=D")
	case v.n == 0 && len(v.paths) == 0 && (v.when != "" || v.author != "") && !strings.Contains(p, "last"):
		return v.log(ctx)
	case len(v.paths) == 0 && len(v.revs) == 1:
		return v.show(ctx)
	}
	if len(args) > 2 && len(v.paths) == 0 {
		return core.Reply{}, errNotMine
	}
	all, err := v.commits(ctx, args...)
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
	out := ""
	if v.commit(ctx, "HEAD") != "" {
		var err error
		if out, err = v.run(ctx, append([]string{"shortlog", "--summary", "--numbered"}, v.filters()...)...); err != nil {
			return core.Reply{}, err
		}
	}
	rows := []any{}
	var lines []string
	for _, row := range strings.Split(out, "\n") {
		n, name, ok := strings.Cut(strings.TrimSpace(row), "\t")
		if !ok {
			continue
		}
		if len(rows) < maxData {
			rows = append(rows, map[string]any{"author": clip(name, maxSubject), "commits": float64(number(n))})
		}
		lines = append(lines, clip(name, maxSubject)+": "+plural(number(n), "commit"))
	}
	return experts.Success(plural(len(lines), "author")+v.limits()+"."+bullets(lines), map[string]any{"authors": rows, "total": float64(len(lines))}), nil
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
	reply, err := v.refs(ctx, "branches", "refs/heads", "refs/remotes")
	if err != nil {
		return core.Reply{}, err
	}
	current := v.branch(ctx)
	reply.Data["current"] = current
	if current != "" {
		reply.Message = "You are on the branch " + code(current) + ". " + reply.Message
	}
	return reply, nil
}

func (v *view) tags(ctx context.Context) (core.Reply, error) { return v.refs(ctx, "tags", "refs/tags") }

// refs answers with branches or tags: with all, or those that were named.
func (v *view) refs(ctx context.Context, what string, where ...string) (core.Reply, error) {
	out, err := v.run(ctx, append([]string{"for-each-ref", "--sort=-creatordate", "--format=%(refname:short)%1f%(objectname)%1f%(creatordate:iso-strict)"}, where...)...)
	if err != nil {
		return core.Reply{}, err
	}
	rows := []any{}
	var lines []string
	for _, row := range strings.Split(out, "\n") {
		f := strings.SplitN(row, "\x1f", 3)
		if len(f) < 3 || len(v.revs) > 0 && !slices.ContainsFunc(v.revs, func(r rev) bool { return r.name == f[0] }) {
			continue
		}
		if len(rows) < maxData {
			rows = append(rows, map[string]any{"name": f[0], "hash": f[1], "date": f[2]})
		}
		lines = append(lines, code(f[0])+" ("+day(f[2])+")")
	}
	return experts.Success(fmt.Sprintf("%d %s, the newest first.%s", len(lines), what, bullets(lines)), map[string]any{what: rows, "total": float64(len(lines))}), nil
}

// bullets lists at most maxShown lines below a sentence.
func bullets(lines []string) string {
	more := ""
	if len(lines) > maxShown {
		more = fmt.Sprintf("\n- … and %d more", len(lines)-maxShown)
		lines = lines[:maxShown]
	}
	if len(lines) == 0 {
		return ""
	}
	return "\n\n- " + strings.Join(lines, "\n- ") + more
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
