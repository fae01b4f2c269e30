package git

import (
	"context"
	"fmt"
	"regexp"
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
	args := []string{"--extended-regexp", "--regexp-ignore-case", "--grep=" + regexp.QuoteMeta(v.text)}
	for _, name := range v.authors {
		args = append(args, "--author="+byName(name))
	}
	if !v.Since.IsZero() {
		args = append(args, "--since="+stamp(v.Since))
	}
	if !v.Until.IsZero() {
		args = append(args, "--until="+stamp(v.Until.Add(-time.Second)))
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
	return "^(.* )?" + regexp.QuoteMeta(name) + "( .*)? <"
}

// commits returns the newest n commits in the view; more are options of git log.
func (v *view) commits(ctx context.Context, n int, more ...string) ([]commit, error) {
	args := append([]string{"log", "-z", "-n", strconv.Itoa(n), "--no-ext-diff", "--no-textconv", "--no-show-signature", "--format=%H%x1f%aI%x1f%aN%x1f%s%x1f%b", "--diff-filter=" + v.kind}, more...)
	args = append(args, v.filters()...)
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
	if odd, ok := v.asked.Value("ODD").(rev); ok {
		return experts.Clarify("Nobody called "+plain.Code(odd.name)+" has made commits here. Whose do you mean?", "who are the contributors?", "show the last 5 commits"), nil
	}
	n := 10
	if v.n > 0 {
		n = min(v.n, maxData)
	} else if v.Period != (plain.Period{}) || len(v.authors) > 0 || len(v.revs) > 1 {
		n = maxShown
	}
	all, err := v.commits(ctx, n+1)
	var t table
	for _, c := range all[:min(len(all), n)] {
		t.add(c.String(), c.row())
	}
	head := plural(len(t.lines), "commit")
	switch {
	case n == 1 && len(t.lines) == 1:
		return experts.Success(t.lines[0], map[string]any{"commits": t.rows, "total": 1.0}), err
	case len(all) > n:
		head = "The last " + head
	}
	return t.reply("**"+head+"**"+v.limits()+".", "commits"), err
}

// who answers with the commit that changed a path last, added it or deleted
// it.
func (v *view) who(ctx context.Context) (core.Reply, error) {
	v.n = 1
	return v.log(ctx)
}

// firstCommit answers with the oldest commit in the view.
func (v *view) firstCommit(ctx context.Context) (core.Reply, error) {
	out, err := v.run(ctx, append([]string{"rev-list", "--reverse"}, v.filters()...)...)
	hash, _, _ := strings.Cut(out, "\n")
	if err != nil || hash == "" {
		return experts.Success("**No commit**"+v.limits()+".", map[string]any{"commits": []any{}, "total": 0.0}), err
	}
	v.revs, v.n = []rev{{name: hash, hash: hash}}, 1
	return v.log(ctx)
}

// pick answers with the commits that add or remove a text.
func (v *view) pick(ctx context.Context) (core.Reply, error) {
	text, kind := v.picked(), v.asked.Mark("pick")
	all, err := v.commits(ctx, maxData, "-S"+text)
	if err != nil || len(all) == 0 {
		return experts.Success("**No commit** adds or removes "+plain.Code(text)+v.limits()+".", map[string]any{"commits": []any{}, "total": 0.0}), err
	}
	var t table
	for _, c := range all {
		t.add(c.String(), c.row())
	}
	switch at := map[string]int{"A": len(all) - 1, "D": 0}; {
	case kind == "D" && v.holds(ctx, text):
		return t.reply(plain.Code(text)+" is **still there**. These commits add or remove it:", "commits"), nil
	case kind != "":
		i := at[kind]
		return experts.Success(t.lines[i], map[string]any{"commits": t.rows[i : i+1], "total": 1.0}), nil
	}
	return t.reply("**"+plural(len(all), "commit")+"** add or remove "+plain.Code(text)+".", "commits"), nil
}

// holds tells whether a committed file has the text.
func (v *view) holds(ctx context.Context, text string) bool {
	_, err := v.run(ctx, "grep", "--no-textconv", "--quiet", "--fixed-strings", "-e", text, "HEAD", "--")
	return err == nil // it fails where none has it
}

func (v *view) count(ctx context.Context) (core.Reply, error) {
	out, err := v.run(ctx, append([]string{"rev-list", "--count"}, v.filters()...)...)
	n := plain.Number(strings.TrimSpace(out))
	return experts.Success("**"+plural(n, "commit")+"**"+v.limits()+".", map[string]any{"count": float64(n)}), err
}

// contributors answers with the authors, who made the most commits first.
func (v *view) contributors(ctx context.Context) (core.Reply, error) {
	out, err := v.run(ctx, append([]string{"shortlog", "--summary", "--numbered"}, v.filters()...)...)
	var t table
	for _, f := range records(out, "\n", "\t", 2) {
		n, name := plain.Number(strings.TrimSpace(f[0])), clip(f[1], maxSubject)
		t.add("**"+name+"**: "+plural(n, "commit"), map[string]any{"author": name, "commits": float64(n)})
	}
	return t.reply("**"+plural(len(t.lines), "author")+"**"+v.limits()+", who made most first.", "authors"), err
}
