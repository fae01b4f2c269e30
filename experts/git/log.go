package git

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/plain"
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
	for _, name := range v.authors { // by whole words
		args = append(args, "--author=^(.* )?"+regexp.QuoteMeta(name)+"( .*)? <")
	}
	if !v.Since.IsZero() {
		args = append(args, "--since="+stamp(v.Since))
	}
	if !v.Until.IsZero() {
		args = append(args, "--until="+stamp(v.Until.Add(-1)))
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

// commits returns the newest n commits in the view; more are options of git log.
func (v *view) commits(ctx context.Context, n int, more ...string) ([]commit, error) {
	args := append([]string{"log", "-z", "-n", strconv.Itoa(n), "--no-ext-diff", "--no-textconv", "--no-show-signature", "--format=%H%x1f%aI%x1f%aN%x1f%s%x1f%b", "--diff-filter=" + v.kind}, more...)
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
	if odd, ok := v.asked.Value("ODD").(rev); ok {
		return experts.Clarify(v.Say("Nobody called %s has made commits here. Whose do you mean?", plain.Code(odd.name)), "who are the contributors?", "show the last 5 commits"), nil
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
	head := v.Say("**%s**%s.", v.Count(len(t.lines), "commits"), v.limits())
	switch {
	case len(t.lines) == 0 && v.kind != "":
		head = v.Say("**No commit**%s", v.Say(map[string]string{"A": ", added%s.", "D": ", deleted%s."}[v.kind], v.limits()))
	case n == 1 && len(t.lines) == 1:
		what := map[string]string{"": ", the last commit%s.", "A": ", added%s.", "D": ", deleted%s."}[v.kind]
		if v.asked.Shape == "first" {
			what = ", the first commit%s."
		}
		return t.first(v.Say(what, v.limits())), err
	case len(all) > n:
		head = v.Say("**The last %s**%s.", v.Count(n, "commits"), v.limits())
	}
	return t.reply(v.Translator, head, "commits"), err
}

// who answers with the commit that changed a path last, added it or deleted
// it.
func (v *view) who(ctx context.Context) (core.Reply, error) {
	v.n = 1
	return v.log(ctx)
}

// topic answers with the newest commits that say a word, and with all that the only one says.
func (v *view) topic(ctx context.Context) (core.Reply, error) {
	reply, err := v.log(ctx)
	if err != nil || reply.Data["total"] != 1.0 {
		return reply, err
	}
	all, err := v.commits(ctx, 1)
	if len(all) == 1 && all[0].body != "" {
		reply.Message += "\n\n" + all[0].body
	}
	return reply, err
}

// firstCommit answers with the oldest commit in the view.
func (v *view) firstCommit(ctx context.Context) (core.Reply, error) {
	if err := v.toOldest(ctx); err != nil {
		return core.Reply{}, err
	}
	return v.log(ctx)
}

// toOldest bounds the view to its oldest commit.
func (v *view) toOldest(ctx context.Context) error {
	out, err := v.run(ctx, append([]string{"rev-list", "--reverse"}, v.filters()...)...)
	if hash, _, _ := strings.Cut(out, "\n"); hash != "" {
		v.revs, v.n = []rev{{hash: hash}}, 1
	}
	return err
}

// pick answers with the commits that add or remove a text.
func (v *view) pick(ctx context.Context) (core.Reply, error) {
	text, kind := v.picked(), v.asked.Mark("pick")
	all, err := v.commits(ctx, maxData, "-S"+text)
	var t table
	for _, c := range all {
		t.add(c.String(), c.row())
	}
	name := plain.Code(text)
	switch {
	case len(all) == 0:
		return t.reply(v.Translator, v.Say("**No commit** adds or removes %s%s.", name, v.limits()), "commits"), err
	case kind == "D" && v.holds(ctx, text):
		return t.reply(v.Translator, v.Say("**It is still there**: %s. These commits add or remove it:", name), "commits"), nil
	case kind == "A":
		slices.Reverse(t.lines)
		slices.Reverse(t.rows)
	}
	if kind != "" {
		return t.first(v.Say(map[string]string{"A": ", added%s.", "D": ", deleted%s."}[kind], " "+name)), nil
	}
	return t.reply(v.Translator, v.Say("**%s** add or remove %s.", v.Count(len(all), "commits"), name), "commits"), nil
}

// holds tells whether a committed file has the text.
func (v *view) holds(ctx context.Context, text string) bool {
	_, err := v.run(ctx, "grep", "--no-textconv", "--quiet", "--fixed-strings", "-e", text, "HEAD", "--")
	return err == nil // it fails where none has it
}

func (v *view) count(ctx context.Context) (core.Reply, error) {
	out, err := v.run(ctx, append([]string{"rev-list", "--count"}, v.filters()...)...)
	n := plain.Number(strings.TrimSpace(out))
	return experts.Success(v.Say("**%s**%s.", v.Count(n, "commits"), v.limits()), map[string]any{"count": float64(n)}), err
}

// spread answers how many commits there are in each day, week, month or year that has some,
// the latest first; or only in that which has the most.
func (v *view) spread(ctx context.Context) (core.Reply, error) {
	form := map[string]string{"hour": "%Y-%m-%dT%H", "week": "%G-W%V", "month": "%Y-%m", "year": "%Y"}[v.asked.Mark("unit")]
	out, err := v.run(ctx, append([]string{"log", "--no-show-signature", "--no-ext-diff", "--format=%ad", "--date=format:" + cmp.Or(form, "%Y-%m-%d")}, v.filters()...)...)
	times := map[string]int{}
	for span := range strings.FieldsSeq(out) {
		times[span]++
	}
	spans := slices.Sorted(maps.Keys(times))
	slices.Reverse(spans)
	if v.asked.Mark("top") != "" && len(spans) > 0 {
		most := slices.Max(slices.Collect(maps.Values(times)))
		spans = slices.DeleteFunc(spans, func(s string) bool { return times[s] < most })
	}
	var t table
	total := 0
	for _, s := range spans {
		total += times[s]
		t.add(fmt.Sprintf("**%s**: %s", s, v.Count(times[s], "commits")), map[string]any{"span": s, "commits": float64(times[s])})
	}
	if len(spans) == 1 {
		return experts.Success(t.lines[0]+v.limits()+".", map[string]any{"spans": t.rows, "total": 1.0}), err
	}
	return t.reply(v.Translator, v.Say("**%s**%s.", v.Count(total, "commits"), v.limits()), "spans"), err
}

// contributors answers with the authors, who made the most commits first.
func (v *view) contributors(ctx context.Context) (core.Reply, error) {
	out, err := v.run(ctx, append([]string{"shortlog", "--summary", "--numbered"}, v.filters()...)...)
	var t table
	var first []string // who made as many as nobody made more
	most := 0
	for _, f := range records(out, "\n", "\t", 2) {
		n, name := plain.Number(strings.TrimSpace(f[0])), clip(f[1], maxSubject)
		if len(first) == 0 || n == most {
			first, most = append(first, "**"+name+"**"), n
		}
		t.add(fmt.Sprintf("**%s**: %s", name, v.Count(n, "commits")), map[string]any{"author": name, "commits": float64(n)})
	}
	head := v.Say("**%s**%s, who made most first.", v.Count(len(t.lines), "authors"), v.limits())
	if v.asked.Mark("one") != "" && len(t.lines) > 0 {
		head = v.Say("%s, the most%s.", t.lines[0], v.limits())
		if len(first) > 1 {
			head = v.Say("%s: %s each, the most%s.", strings.Join(first, ", "), v.Count(most, "commits"), v.limits())
		}
	}
	return t.reply(v.Translator, head, "authors"), err
}

// files answers with the files that the commits in the view changed, what was
// changed most often first.
func (v *view) files(ctx context.Context) (core.Reply, error) {
	out, err := v.run(ctx, append([]string{"log", "-z", "-n", strconv.Itoa(maxAuthors), "--no-ext-diff", "--no-textconv", "--no-renames", "--name-only", "--format="}, v.filters()...)...)
	times := map[string]int{}
	var names []string
	for name := range strings.FieldsFuncSeq(out, func(c rune) bool { return c == 0 || c == '\n' }) {
		if times[name]++; times[name] == 1 {
			names = append(names, name)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Or(times[b]-times[a], strings.Compare(a, b)) })
	var t table
	most := []string{}
	for _, name := range names {
		if times[name] == times[names[0]] {
			most = append(most, plain.Code(name))
		}
		t.add(fmt.Sprintf("%s: %s", plain.Code(name), v.Count(times[name], "commits")), map[string]any{"path": name, "commits": float64(times[name])})
	}
	head := v.Say("**%s** changed%s, most often first.", v.Count(len(names), "files"), v.limits())
	if v.asked.Mark("most") != "" && len(names) > 0 && len(most) <= 5 {
		head = v.Say("**%s**: changed most often%s, in %s.", strings.Join(most, ", "), v.limits(), v.Count(times[names[0]], "commits"))
		if v.asked.Mark("one") != "" {
			return experts.Success(head, map[string]any{"files": t.rows[:len(most)], "total": float64(len(most))}), err
		}
	}
	return t.reply(v.Translator, head, "files"), err
}
