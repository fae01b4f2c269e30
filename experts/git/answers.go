package git

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"yaap/core"
	"yaap/experts"
)

type commit struct{ hash, date, author, subject string }

type change struct {
	path           string
	added, deleted int
	binary         bool
}

func noCommit(names ...string) error {
	return &core.Error{Code: core.CodeNotFound, Message: "There is no commit, branch or tag called " + code(strings.Join(names, " or ")) + " here.", Hint: "Ask “list branches” or “list tags” to see what there is."}
}

func noTag() error {
	return &core.Error{Code: core.CodeNotFound, Message: "There is no tag in this repository.", Hint: "Ask about a branch, a commit or a date instead."}
}

func noPath() error {
	return &core.Error{Code: core.CodeInvalid, Message: "I do not see which file that is about.", Hint: "Name a file that git tracks, such as “who changed README.md last?”."}
}

// filters are the arguments that bound git log and its like, paths last.
func (v *view) filters() []string {
	var args []string
	if v.author != "" {
		args = append(args, "--fixed-strings", "--regexp-ignore-case", "--author="+v.author)
	}
	if !v.since.IsZero() {
		args = append(args, "--since="+v.since.Format(time.RFC3339))
	}
	if !v.until.IsZero() {
		args = append(args, "--until="+v.until.Add(-time.Second).Format(time.RFC3339))
	}
	switch {
	case v.from != "":
		args = append(args, v.from+".."+v.to)
	case v.at != "":
		args = append(args, v.at)
	default:
		args = append(args, "HEAD")
	}
	return append(append(args, "--"), v.paths...)
}

// commits runs git log with more arguments before the filters.
func (v *view) commits(ctx context.Context, more ...string) ([]commit, error) {
	if v.commit(ctx, "HEAD") == "" {
		return nil, nil // no commit yet
	}
	args := append([]string{"log", "-z", "--no-ext-diff", "--no-textconv", "--no-show-signature", "--format=%H%x1f%aI%x1f%aN%x1f%s"}, more...)
	out, err := v.run(ctx, append(args, v.filters()...)...)
	if err != nil {
		return nil, err
	}
	var all []commit
	for _, row := range strings.Split(out, "\x00") {
		if f := strings.SplitN(strings.TrimSpace(row), "\x1f", 4); len(f) == 4 {
			all = append(all, commit{f[0], f[1], clip(f[2]), clip(f[3])})
		}
	}
	return all, nil
}

func (v *view) log(ctx context.Context) (core.Reply, error) {
	n := v.n
	if n == 0 {
		n = 10
		if v.when != "" || v.author != "" || v.from != "" {
			n = maxShown
		}
	}
	more := []string{"-n", strconv.Itoa(min(n, maxData) + 1)}
	if v.text != "" {
		more = append(more, "--fixed-strings", "--regexp-ignore-case", "--grep="+v.text)
	}
	all, err := v.commits(ctx, more...)
	if err != nil {
		return core.Reply{}, err
	}
	more1 := len(all) > n
	all = all[:min(len(all), n, maxData)]
	if len(all) == 0 {
		return experts.Success("No commits"+v.limits()+".", listed(all)), nil
	}
	head := plural(len(all), "commit")
	if more1 && v.n == 0 {
		head = "The last " + head
	}
	return experts.Success(head+v.limits()+":\n\n"+table(all), listed(all)), nil
}

func (v *view) first(ctx context.Context) (core.Reply, error) {
	all, err := v.commits(ctx, "--max-parents=0", "--reverse")
	if err != nil || len(all) == 0 {
		return experts.Success("There are no commits yet.", listed(nil)), err
	}
	return experts.Success("The first commit is "+all[0].line()+".", listed(all[:1])), nil
}

func (v *view) count(ctx context.Context) (core.Reply, error) {
	if v.commit(ctx, "HEAD") == "" {
		return experts.Success("There are no commits yet.", map[string]any{"count": 0.0}), nil
	}
	out, err := v.run(ctx, append([]string{"rev-list", "--count"}, v.filters()...)...)
	if err != nil {
		return core.Reply{}, err
	}
	n := number(strings.TrimSpace(out))
	return experts.Success(plural(n, "commit")+v.limits()+".", map[string]any{"count": float64(n)}), nil
}

// who answers with the commit that changed a path last, or first; or that
// brought or took away a text.
func (v *view) who(ctx context.Context) (core.Reply, error) {
	low := strings.ToLower(v.prompt)
	born := strings.Contains(low, "creat") || strings.Contains(low, "add") || strings.Contains(low, "introduc") || strings.Contains(low, "born") || strings.Contains(low, "first")
	gone := strings.Contains(low, "delet") || strings.Contains(low, "remov")
	var more []string
	what := "the last to change"
	switch {
	case v.text != "":
		more, what = []string{"-S" + v.text}, "commits that added or removed “"+v.text+"”"
	case len(v.paths) == 0 && !strings.Contains(low, "last") && (v.at != "" || v.from != ""):
		return v.show(ctx)
	case v.n == 1 && !born && !gone:
		what = "the last commit"
	case len(v.paths) == 0 && (v.author != "" || v.when != "" || strings.Contains(low, "last")):
		return v.log(ctx)
	case len(v.paths) == 0 && v.unknown != "":
		v.text = v.unknown
		more, what = []string{"-S" + v.text}, "commits that added or removed “"+v.text+"”"
	case len(v.paths) == 0:
		return core.Reply{}, noPath()
	case born:
		more, what = []string{"--diff-filter=A"}, "where it came from"
	case gone:
		more, what = []string{"--diff-filter=D"}, "where it went"
	}
	all, err := v.commits(ctx, append(more, "-n", strconv.Itoa(maxShown))...)
	if err != nil {
		return core.Reply{}, err
	}
	if len(all) == 0 {
		return experts.Failure("No commit fits: "+strings.TrimPrefix(what+v.limits(), ", ")+".", listed(nil)), nil
	}
	c := all[0]
	if born {
		c = all[len(all)-1]
	}
	return experts.Success(fmt.Sprintf("**%s**, %s: %s (%s)", c.author, day(c.date), c.subject, code(short(c.hash))), listed([]commit{c})), nil
}

func (v *view) contributors(ctx context.Context) (core.Reply, error) {
	if v.commit(ctx, "HEAD") == "" {
		return experts.Success("There are no commits yet.", map[string]any{"authors": []any{}}), nil
	}
	out, err := v.run(ctx, append([]string{"log", "-z", "--no-show-signature", "--format=%aN"}, v.filters()...)...)
	if err != nil {
		return core.Reply{}, err
	}
	counts := map[string]int{}
	for _, name := range strings.Split(out, "\x00") {
		if name = clip(strings.TrimSpace(name)); name != "" {
			counts[name]++
		}
	}
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	rows := []any{}
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s:\n\n", plural(len(names), "author"), v.limits())
	for i, name := range names[:min(len(names), maxData)] {
		rows = append(rows, map[string]any{"author": name, "commits": float64(counts[name])})
		if i < maxShown {
			fmt.Fprintf(&b, "- %s: %s\n", name, plural(counts[name], "commit"))
		}
	}
	return experts.Success(strings.TrimSpace(b.String()), map[string]any{"authors": rows, "total": float64(len(names))}), nil
}

func (v *view) branches(ctx context.Context) (core.Reply, error) {
	out, err := v.run(ctx, "for-each-ref", "--sort=-committerdate", "--format=%(HEAD)%1f%(refname:short)%1f%(objectname)%1f%(committerdate:iso-strict)%1f%(contents:subject)", "refs/heads", "refs/remotes")
	if err != nil {
		return core.Reply{}, err
	}
	current, _ := v.run(ctx, "symbolic-ref", "--short", "--quiet", "HEAD") // fails when HEAD is a commit
	current = strings.TrimSpace(current)
	rows := []any{}
	var b strings.Builder
	for _, row := range strings.Split(out, "\n") {
		f := strings.SplitN(row, "\x1f", 5)
		if len(f) < 5 {
			continue
		}
		if rows = append(rows, map[string]any{"name": f[1], "hash": f[2], "date": f[3], "subject": clip(f[4]), "current": f[0] == "*"}); len(rows) <= maxShown {
			fmt.Fprintf(&b, "- %s%s: %s (%s)\n", code(f[1]), map[bool]string{true: " (current)"}[f[0] == "*"], clip(f[4]), day(f[3]))
		}
	}
	head := "You are on the branch " + code(current) + "."
	if current == "" {
		head = "No branch is checked out: HEAD is at " + code(short(v.commit(ctx, "HEAD"))) + "."
	}
	return experts.Success(strings.TrimSpace(fmt.Sprintf("%s There are %d:\n\n%s", head, len(rows), b.String())), map[string]any{"current": current, "branches": rows[:min(len(rows), maxData)], "total": float64(len(rows))}), nil
}

func (v *view) tags(ctx context.Context) (core.Reply, error) {
	out, err := v.run(ctx, "for-each-ref", "--sort=-creatordate", "--format=%(refname:short)%1f%(objectname)%1f%(creatordate:iso-strict)", "refs/tags")
	if err != nil {
		return core.Reply{}, err
	}
	rows := []any{}
	var b strings.Builder
	for _, row := range strings.Split(out, "\n") {
		if f := strings.SplitN(row, "\x1f", 3); len(f) == 3 && (v.at == "" || f[0] == v.names[0]) {
			if rows = append(rows, map[string]any{"name": f[0], "hash": f[1], "date": f[2]}); len(rows) <= maxShown {
				fmt.Fprintf(&b, "- %s (%s)\n", code(f[0]), day(f[2]))
			}
		}
	}
	data := map[string]any{"tags": rows[:min(len(rows), maxData)], "total": float64(len(rows))}
	if len(rows) == 0 {
		return experts.Success("There are no tags.", data), nil
	}
	return experts.Success(plural(len(rows), "tag")+", the newest first:\n\n"+b.String(), data), nil
}

func (c commit) line() string {
	return fmt.Sprintf("%s %s, %s: %s", code(short(c.hash)), day(c.date), c.author, c.subject)
}

func listed(all []commit) map[string]any {
	rows := make([]any, len(all))
	for i, c := range all {
		rows[i] = map[string]any{"hash": c.hash, "author": c.author, "date": c.date, "subject": c.subject}
	}
	return map[string]any{"commits": rows}
}

func table(all []commit) string {
	var b strings.Builder
	for _, c := range all[:min(len(all), maxShown)] {
		b.WriteString("- " + c.line() + "\n")
	}
	if len(all) > maxShown {
		fmt.Fprintf(&b, "- … and %d more", len(all)-maxShown)
	}
	return strings.TrimSpace(b.String())
}

func short(hash string) string { return hash[:min(len(hash), 8)] }

func day(date string) string { return date[:min(len(date), 10)] }

func clip(s string) string {
	if len(s) > maxSubject {
		return strings.ToValidUTF8(s[:maxSubject], "") + "…"
	}
	return s
}

func code(s string) string {
	if strings.Contains(s, "`") {
		return "`` " + strings.ReplaceAll(s, "``", "`") + " ``"
	}
	return "`" + s + "`"
}
