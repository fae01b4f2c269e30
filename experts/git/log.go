package git

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"yaap/core"
	"yaap/experts"
	"yaap/experts/plain"
)

type commit struct{ hash, date, author, subject, body string }

func (c commit) String() string {
	return fmt.Sprintf("**%s**, %s: %s (%s)", c.author, day(c.date), c.subject, plain.Code(short(c.hash)))
}

func (c commit) row() map[string]any {
	return map[string]any{"hash": c.hash, "author": c.author, "date": c.date, "subject": c.subject}
}

// filters are the arguments that bound git log and its like, paths last.
func (v *view) filters() []string {
	args := []string{"--extended-regexp", "--regexp-ignore-case", "--author=" + byName(v.author), "--grep=" + regexp.QuoteMeta(v.text)}
	if !v.since.IsZero() {
		args = append(args, "--since="+stamp(v.since))
	}
	if !v.until.IsZero() {
		args = append(args, "--until="+stamp(v.until.Add(-time.Second)))
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

// byName matches an author by whole words of the name.
func byName(name string) string {
	if name == "" {
		return ""
	}
	return "^(.* )?" + regexp.QuoteMeta(name) + "( .*)? <"
}

// commits returns the newest n commits in the view.
func (v *view) commits(ctx context.Context, n int) ([]commit, error) {
	args := append([]string{"log", "-z", "-n", strconv.Itoa(n), "--no-ext-diff", "--no-textconv", "--no-show-signature", "--format=%H%x1f%aI%x1f%aN%x1f%s%x1f%b", "--diff-filter=" + v.kind}, v.filters()...)
	out, err := v.run(ctx, args...)
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
	} else if v.words != "" || v.author != "" || len(v.revs) > 1 {
		n = maxShown
	}
	all, err := v.commits(ctx, n+1)
	var t table
	for _, c := range all[:min(len(all), n)] {
		t.add(c.String(), c.row())
	}
	head := plural(len(t.lines), "commit")
	switch {
	case len(all) > n && n == 1:
		head = "The last commit"
	case len(all) > n:
		head = "The last " + head
	}
	return t.reply(head+v.limits()+".", "commits"), err
}

// who answers with the commit that changed a path last, added it or deleted
// it, or with the last one of all.
func (v *view) who(ctx context.Context) (core.Reply, error) {
	p, named := v.prompt, len(v.paths) > 0
	born, gone := strings.Contains(p, "creat") || strings.Contains(p, "add"), strings.Contains(p, "delet") || strings.Contains(p, "remov")
	switch {
	case named && born:
		v.kind = "A"
	case named && gone:
		v.kind = "D"
	case named, v.n == 1, !born && !gone && (strings.Contains(p, "last") || strings.Contains(p, "recent")):
	case len(v.revs) == 1:
		return v.show(ctx)
	case v.words+v.author != "":
		return v.log(ctx)
	default:
		return core.Reply{}, errNotMine
	}
	v.n = 1
	return v.log(ctx)
}

func (v *view) count(ctx context.Context) (core.Reply, error) {
	out, err := v.run(ctx, append([]string{"rev-list", "--count"}, v.filters()...)...)
	n := plain.Number(strings.TrimSpace(out))
	return experts.Success(plural(n, "commit")+v.limits()+".", map[string]any{"count": float64(n)}), err
}

// contributors answers with the authors, who made the most commits first.
func (v *view) contributors(ctx context.Context) (core.Reply, error) {
	out, err := v.run(ctx, append([]string{"shortlog", "--summary", "--numbered"}, v.filters()...)...)
	var t table
	for _, f := range records(out, "\n", "\t", 2) {
		n, name := plain.Number(strings.TrimSpace(f[0])), clip(f[1], maxSubject)
		t.add(name+": "+plural(n, "commit"), map[string]any{"author": name, "commits": float64(n)})
	}
	return t.reply(plural(len(t.lines), "author")+v.limits()+".", "authors"), err
}

// branch is the name of the branch that is checked out, empty when it is none.
func (v *view) branch(ctx context.Context) string {
	name, _ := v.run(ctx, "symbolic-ref", "--short", "--quiet", "HEAD") // fails when it is none
	return strings.TrimSpace(name)
}

func (v *view) branches(ctx context.Context) (core.Reply, error) {
	reply, err := v.refs(ctx, "branches", "refs/heads", "refs/remotes")
	if current := v.branch(ctx); err == nil && current != "" {
		reply.Data["current"] = current
		reply.Message = "You are on the branch " + plain.Code(current) + ". " + reply.Message
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
			t.add(plain.Code(f[0])+" ("+day(f[2])+")", map[string]any{"name": f[0], "hash": f[1], "date": f[2]})
		}
	}
	return t.reply(fmt.Sprintf("The %s here (%d), the newest first.", what, len(t.lines)), what), err
}
