package git

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"yaap/core"
	"yaap/experts"
)

// diff answers with what changed between two revisions, in a period, in the
// last few commits, or in one commit.
func (v *view) diff(ctx context.Context) (core.Reply, error) {
	head := v.commit(ctx, "HEAD")
	from, to := "", head
	switch {
	case head == "":
		return experts.Success("There are no commits yet.", map[string]any{"changes": []any{}}), nil
	case len(v.revs) == 2:
		from, to = v.revs[0].hash, v.revs[1].hash
	case len(v.revs) == 0 && v.author == "" && v.when != "":
		if from = v.before(ctx, v.since); !v.until.IsZero() {
			to = v.before(ctx, v.until)
		}
	case len(v.revs) == 0 && v.author == "" && v.n > 1:
		from = v.commit(ctx, fmt.Sprintf("HEAD~%d", v.n))
	case len(v.revs) == 0 && v.n == 0 && len(v.paths)+len(v.author) > 0:
		return v.log(ctx)
	case len(v.revs) == 0 && v.n == 0:
		return core.Reply{}, errNotMine
	default:
		return v.show(ctx)
	}
	reply, err := v.changes(ctx, from, to)
	reply.Message = "What changed" + v.limits() + ": " + reply.Message
	return reply, err
}

// before returns the last commit of HEAD before t, empty when there is none.
func (v *view) before(ctx context.Context, t time.Time) string {
	out, err := v.run(ctx, "rev-list", "-n", "1", "--until="+t.Add(-time.Second).Format(time.RFC3339), "HEAD")
	if err != nil {
		return ""
	}
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
	rows := []any{}
	var lines []string
	for _, row := range strings.Split(out, "\x00") {
		f := strings.SplitN(row, "\t", 3)
		if len(f) < 3 {
			continue
		}
		added, deleted = added+number(f[0]), deleted+number(f[1])
		if len(rows) < maxData {
			rows = append(rows, map[string]any{"path": f[2], "added": float64(number(f[0])), "deleted": float64(number(f[1]))})
		}
		lines = append(lines, fmt.Sprintf("%s +%s −%s", code(f[2]), f[0], f[1])) // "-" where it is binary
	}
	data := map[string]any{"changes": rows, "files": float64(len(lines)), "added": float64(added), "deleted": float64(deleted)}
	return experts.Success(fmt.Sprintf("%s, +%d −%d lines.%s", plural(len(lines), "file"), added, deleted, bullets(lines)), data), nil
}

// show answers with one commit: what it says, and what it changed.
func (v *view) show(ctx context.Context) (core.Reply, error) {
	all, err := v.commits(ctx, "-n", "1")
	if err != nil {
		return core.Reply{}, err
	}
	if len(all) == 0 {
		return experts.Success("There is no such commit"+v.limits()+".", map[string]any{"commits": []any{}}), nil
	}
	c := all[0]
	reply, err := v.changes(ctx, v.commit(ctx, c.hash+"^"), c.hash)
	if err != nil {
		return core.Reply{}, err
	}
	reply.Data["commits"] = []any{c.row()}
	if c.body != "" {
		c.body += "\n\n"
	}
	reply.Message = fmt.Sprintf("Commit %s by **%s**, %s:\n\n**%s**\n\n%s%s", code(short(c.hash)), c.author, day(c.date), c.subject, c.body, reply.Message)
	return reply, nil
}

// status answers with what is not committed.
func (v *view) status(ctx context.Context) (core.Reply, error) {
	out, err := v.runOnFiles(ctx, append([]string{"status", "--porcelain=v1", "-z", "--no-renames", "--ignore-submodules=all", "--"}, v.paths...)...)
	if err != nil {
		return core.Reply{}, err
	}
	rows := []any{}
	var lines []string
	for _, row := range strings.Split(out, "\x00") {
		if len(row) < 4 {
			continue
		}
		path, state := row[3:], stateOf(row[:2])
		if len(rows) < maxData {
			rows = append(rows, map[string]any{"path": path, "state": state})
		}
		lines = append(lines, code(path)+" "+state)
	}
	branch := v.branch(ctx)
	data := map[string]any{"changes": rows, "files": float64(len(lines)), "clean": len(lines) == 0, "branch": branch}
	on := "On the branch " + code(branch) + ": "
	if branch == "" {
		on = "On no branch: "
	}
	if len(lines) == 0 {
		return experts.Success(on+"everything is committed.", data), nil
	}
	return experts.Success(on+plural(len(lines), "file")+" not committed."+bullets(lines), data), nil
}

func stateOf(xy string) string {
	switch {
	case xy == "??":
		return "untracked"
	case strings.Contains(xy, "U"), xy == "AA", xy == "DD":
		return "in conflict"
	case strings.Contains(xy, "D"):
		return "deleted"
	case strings.Contains(xy, "A"):
		return "added"
	}
	return "modified"
}

// blame answers who wrote the lines of a file as it was committed last.
func (v *view) blame(ctx context.Context) (core.Reply, error) {
	if len(v.paths) != 1 {
		return core.Reply{}, errNotMine
	}
	args := []string{"blame", "--line-porcelain", "--no-textconv"}
	if v.first > 0 {
		args = append(args, "-L", fmt.Sprintf("%d,%d", v.first, min(max(v.first, v.last), v.first+maxData-1)))
	}
	at := "HEAD"
	if len(v.revs) > 0 {
		at = v.revs[len(v.revs)-1].hash
	}
	out, err := v.run(ctx, append(args, at, "--", v.paths[0])...)
	if err != nil && (strings.Contains(err.Error(), "has only") || strings.Contains(err.Error(), "no such path")) {
		return core.Reply{}, &core.Error{Code: core.CodeNotFound, Message: "There is no such line: " + err.Error() + ".", Hint: "I look at the file as it was committed last."}
	}
	if err != nil {
		return core.Reply{}, err
	}
	rows := []any{}
	var lines []string
	var c commit
	n := 0
	for _, l := range strings.Split(out, "\n") {
		key, value, _ := strings.Cut(l, " ")
		switch {
		case strings.HasPrefix(l, "\t"):
			if len(rows) < maxData {
				row := c.row()
				row["line"], row["text"] = float64(n), clip(l[1:], maxSubject)
				rows = append(rows, row)
				lines = append(lines, fmt.Sprintf("line %d: **%s**, %s: %s (%s)", n, c.author, day(c.date), c.subject, code(short(c.hash))))
			}
		case key == "author":
			c.author = clip(value, maxSubject)
		case key == "summary":
			c.subject = clip(value, maxSubject)
		case key == "author-time":
			sec, _ := strconv.ParseInt(value, 10, 64) // git writes a number
			c.date = time.Unix(sec, 0).UTC().Format(time.RFC3339)
		case hexes.MatchString(key) && len(key) == 40:
			c.hash = key
			if f := strings.Fields(value); len(f) > 1 {
				n = number(f[1])
			}
		}
	}
	return experts.Success("Who wrote "+code(v.paths[0])+":"+bullets(lines), map[string]any{"path": v.paths[0], "lines": rows}), nil
}
