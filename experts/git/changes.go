package git

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/plain"
)

// diff answers with what changed between two revisions, in a period, in the
// last few commits, or in one commit.
func (v *view) diff(ctx context.Context) (core.Reply, error) {
	from, to := "", v.commit(ctx, "HEAD")
	switch {
	case len(v.revs) == 2:
		from, to = v.revs[0].hash, v.revs[1].hash
	case len(v.revs) == 1, v.n == 1:
		return v.show(ctx)
	case len(v.authors) == 0 && v.Period != (plain.Period{}):
		if from = v.before(ctx, v.Since); !v.Until.IsZero() {
			to = v.before(ctx, v.Until)
		}
	case len(v.authors) == 0 && v.n > 1:
		if from = v.commit(ctx, fmt.Sprintf("HEAD~%d", v.n)); len(v.places) > 0 {
			return v.log(ctx)
		}
	default:
		return v.log(ctx)
	}
	reply, err := v.changes(ctx, from, to)
	if from == to && err == nil {
		reply.Message = v.Say("**Nothing changed**%s.", v.limits())
	}
	return reply, err
}

// before returns the last commit of HEAD before t, empty when there is none.
func (v *view) before(ctx context.Context, t time.Time) string {
	out, _ := v.run(ctx, "rev-list", "-n", "1", "--until="+stamp(t.Add(-time.Second)), "HEAD") // fails when there are no commits
	return strings.TrimSpace(out)
}

// changes compares two commits. An empty one stands for a tree without files.
func (v *view) changes(ctx context.Context, from, to string) (core.Reply, error) {
	args := []string{"diff", "--numstat", "-z", "--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=all"}
	for _, rev := range []string{from, to} {
		if rev == "" {
			var err error
			if rev, err = v.nothing(ctx); err != nil {
				return core.Reply{}, err
			}
		}
		args = append(args, rev)
	}
	out, err := v.run(ctx, append(append(args, "--"), v.paths...)...)
	if err != nil {
		return core.Reply{}, err
	}
	added, deleted := 0, 0
	var t table
	for _, f := range records(out, "\x00", "\t", 3) { // with "-" for the lines of what is binary
		a, d := plain.Number(f[0]), plain.Number(f[1])
		added, deleted = added+a, deleted+d
		t.add(fmt.Sprintf("%s +%s −%s", plain.Code(f[2]), f[0], f[1]), map[string]any{"path": f[2], "added": float64(a), "deleted": float64(d)})
	}
	reply := t.reply(v.Translator, v.Say("**%s**, +%d −%d lines%s.", v.Count(len(t.lines), "files"), added, deleted, v.limits()), "changes")
	reply.Data["files"], reply.Data["added"], reply.Data["deleted"] = float64(len(t.rows)), float64(added), float64(deleted)
	return reply, nil
}

// show answers with one commit: what it says, and what it changed.
func (v *view) show(ctx context.Context) (core.Reply, error) {
	if v.asked.Mark("root") != "" {
		if err := v.toOldest(ctx); err != nil {
			return core.Reply{}, err
		}
	}
	all, err := v.commits(ctx, 1)
	if err != nil {
		return core.Reply{}, err
	}
	if len(all) == 0 {
		return experts.Success(v.Say("**No commit**%s.", v.limits()), map[string]any{"commits": []any{}}), nil
	}
	c := all[0]
	reply, err := v.changes(ctx, v.commit(ctx, c.hash+"^"), c.hash)
	if err != nil {
		return core.Reply{}, err
	}
	if added, deleted := number(reply.Data["added"]), number(reply.Data["deleted"]); added+deleted <= maxPatch {
		reply.Message += v.shortPatch(ctx, v.commit(ctx, c.hash+"^"), c.hash)
	}
	reply.Data["commits"] = []any{c.row()}
	if c.body != "" {
		reply.Message = c.body + "\n\n" + reply.Message
	}
	reply.Message = c.String() + "\n\n" + reply.Message
	return reply, nil
}

// maxPatch is the most lines of a commit that are shown with it.
const maxPatch = 20

// shortPatch is the lines that differ between two commits in a code block; empty where that
// cannot be told.
func (v *view) shortPatch(ctx context.Context, from, to string) string {
	if from == "" {
		return ""
	}
	out, err := v.run(ctx, append([]string{"diff", "--unified=0", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-color", "--ignore-submodules=all", from, to, "--"}, v.paths...)...)
	if err != nil {
		return ""
	}
	var lines []string
	for line := range strings.Lines(out) {
		if head := strings.HasPrefix(line, "+++ ") || strings.HasPrefix(line, "--- "); !head && strings.ContainsAny(line[:1], "+-") {
			lines = append(lines, clip(strings.TrimRight(line, "\r\n"), maxSubject))
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return diffBlock(lines)
}

// diffBlock is the lines of a diff as a code block, behind what is said of it.
func diffBlock(lines []string) string {
	text, fence := strings.Join(lines, "\n"), strings.Repeat("`", 3)
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return "\n\n" + fence + "diff\n" + text + "\n" + fence
}

func number(v any) float64 {
	n, _ := v.(float64)
	return n
}

// status answers with what is not committed.
func (v *view) status(ctx context.Context) (core.Reply, error) {
	out, err := v.runOnFiles(ctx, append([]string{"status", "--porcelain=v1", "-z", "--no-renames", "--ignore-submodules=all", "--"}, v.paths...)...)
	if err != nil {
		return core.Reply{}, err
	}
	var t table
	want := v.asked.Mark("dirty")
	for _, row := range strings.Split(out, "\x00") {
		if len(row) > 3 && isDirty(row[:2], want) {
			t.add(plain.Code(row[3:])+" "+v.Say(stateOf(row[:2])), map[string]any{"path": row[3:], "state": stateOf(row[:2])})
		}
	}
	what := map[string]string{"staged": "staged", "unstaged": "not staged", "untracked": "untracked"}[want]
	branch := v.branch(ctx)
	on := v.Say(" on %s", plain.Code(cmp.Or(branch, "HEAD"))) + v.limits()
	what = v.Say(cmp.Or(what, "not committed"))
	head := v.Say("**%s** %s%s.", v.Count(len(t.lines), "files"), what, on)
	switch {
	case len(t.lines) > 0:
	case want == "" || want == "all":
		head = v.Say("**Everything is committed**%s.", on)
	default:
		head = v.Say("**Nothing** is %s%s.", what, on)
	}
	reply := t.reply(v.Translator, head, "changes")
	reply.Data["clean"], reply.Data["branch"] = len(t.lines) == 0, branch
	return reply, nil
}

// isDirty tells whether a file in this state is of the kind that is asked for.
func isDirty(xy, want string) bool {
	switch want {
	case "staged":
		return xy[0] != ' ' && xy[0] != '?'
	case "unstaged":
		return xy[1] != ' ' && xy[1] != '?'
	case "untracked":
		return xy == "??"
	}
	return true
}

// patch answers with what the files differ in from what is staged, or what is
// staged from what is committed.
func (v *view) patch(ctx context.Context) (core.Reply, error) {
	args := []string{"diff", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-color", "--ignore-submodules=all"}
	if v.asked.Mark("diff") == "staged" {
		args = append(args, "--cached")
	}
	out, err := v.runOnFiles(ctx, append(append(args, "--"), v.paths...)...)
	if err != nil {
		return core.Reply{}, err
	}
	var shown []string
	files, added, deleted, total := 0, 0, 0, 0
	for line := range strings.Lines(out) {
		switch {
		case strings.HasPrefix(line, "diff --git "):
			files++
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		case line[0] == '+':
			added++
		case line[0] == '-':
			deleted++
		}
		if total++; total <= maxData {
			shown = append(shown, clip(strings.TrimRight(line, "\n"), maxSubject))
		}
	}
	data := map[string]any{"files": float64(files), "added": float64(added), "deleted": float64(deleted), "patch": strings.Join(shown, "\n"), "truncated": total > maxData}
	if files == 0 {
		return experts.Success(v.Say("**No difference**%s.", v.limits()), data), nil
	}
	return experts.Success(v.Say("**%s**, +%d −%d lines%s.", v.Count(files, "files"), added, deleted, v.limits())+diffBlock(shown), data), nil
}

func stateOf(xy string) string {
	for _, s := range []struct{ letters, state string }{{"?", "untracked"}, {"U", "in conflict"}, {"D", "deleted"}, {"A", "added"}} {
		if strings.Contains(xy, s.letters) {
			return s.state
		}
	}
	return "modified"
}

// blame answers who wrote the lines of a file as it was committed last.
func (v *view) blame(ctx context.Context) (core.Reply, error) {
	files := v.tracked(ctx, v.paths)
	if len(files) > 1 {
		return experts.Clarify(v.Say("%s could be %d files. Which one?", plain.Code(v.places[0].name), len(files)), files[:min(len(files), 10)]...), nil
	}
	if len(files) == 0 {
		files = []string{v.places[0].name} // no longer there
	}
	args, at := []string{"blame", "--line-porcelain", "--no-textconv"}, "HEAD"
	if v.first > 0 {
		args = append(args, "-L", fmt.Sprintf("%d,%d", v.first, min(max(v.first, v.last), v.first+maxData-1)))
	}
	if len(v.revs) > 0 {
		at = v.revs[len(v.revs)-1].hash
	}
	out, err := v.run(ctx, append(args, at, "--", files[0])...)
	if err != nil && (strings.Contains(err.Error(), "has only") || strings.Contains(err.Error(), "no such path")) {
		said, _, _ := strings.Cut(err.Error(), ": exit status")
		return core.Reply{}, core.Fail(core.CodeNotFound, v.Say("There is no such line: %s.", said), v.Say("I look at the file as it was committed last.")).Because(err)
	}
	var t table
	var c commit
	n := 0
	for l := range strings.SplitSeq(out, "\n") {
		key, value, _ := strings.Cut(l, " ")
		switch {
		case strings.HasPrefix(l, "\t"): // the line itself, behind all about it
			row := c.row()
			row["line"], row["text"] = float64(n), clip(l[1:], maxSubject)
			t.add(v.Say("line %d: %s", n, c), row)
		case key == "author":
			c.author = clip(value, maxSubject)
		case key == "summary":
			c.subject = clip(value, maxSubject)
		case key == "author-time":
			c.date = time.Unix(int64(plain.Number(value)), 0).UTC().Format(time.RFC3339)
		case len(key) == 40 && hexes().MatchString(key):
			var was int
			c.hash = key
			_, _ = fmt.Sscan(value, &was, &n) // git writes numbers
		}
	}
	name := plain.Code(files[0])
	if f, ok := v.asked.Value("FUNC").(string); ok {
		if t.define(f); len(t.lines) == 0 && err == nil {
			err = core.Fail(core.CodeNotFound, v.Say("%s defines no %s.", name, plain.Code(f)), v.Say("I look at the file as it was committed last."))
		}
		name = plain.Code(f) + ", " + name
	}
	if len(t.lines) == 1 && v.first > 0 {
		return experts.Success(v.Say("%s wrote line %d of %s.", c, n, name), map[string]any{"lines": t.rows, "total": 1.0}), err
	}
	return t.reply(v.Translator, v.wrote(t.rows)+v.Say(" of %s:", name), "lines"), err
}

// author answers who wrote the lines of one file, and with the last commit in it.
func (v *view) author(ctx context.Context) (core.Reply, error) {
	if files := v.tracked(ctx, v.paths); len(files) != 1 || len(v.revs) > 0 {
		return v.who(ctx)
	}
	blamed, err := v.blame(ctx)
	rows, _ := blamed.Data["lines"].([]any)
	last, lastErr := v.who(ctx)
	if err != nil || len(rows) == 0 || lastErr != nil {
		return last, lastErr
	}
	last.Message = v.wrote(rows) + v.Say(" of %s", plain.Code(v.places[0].name)) + ".\n\n" + last.Message
	last.Data["lines"] = blamed.Data["total"]
	return last, nil
}

// wrote says how many of the rows each author wrote, who most first.
func (v *view) wrote(rows []any) string {
	wrote := map[string]int{}
	var all []string
	for _, row := range rows {
		fields, _ := row.(map[string]any)
		name, _ := fields["author"].(string)
		if wrote[name]++; wrote[name] == 1 {
			all = append(all, name)
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return wrote[b] - wrote[a] })
	for i, name := range all {
		all[i] = fmt.Sprintf("**%s**: %s", name, v.Count(wrote[name], "lines"))
	}
	return strings.Join(all[:min(len(all), 5)], ", ")
}

// define keeps the lines of a definition.
func (t *table) define(name string) {
	begins := regexp.MustCompile(plain.Definition(plain.Functions+"|"+plain.Types, regexp.QuoteMeta(name)))
	var lines []string
	for _, row := range t.rows {
		fields, _ := row.(map[string]any)
		line, _ := fields["text"].(string)
		lines = append(lines, line)
	}
	from, n := slices.IndexFunc(lines, begins.MatchString), 0
	if from >= 0 {
		n = plain.BlockLength(lines[from:])
	}
	t.lines, t.rows = t.lines[max(from, 0):][:n], t.rows[max(from, 0):][:n]
}
