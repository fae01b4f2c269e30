package git

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"yaap/core"
	"yaap/experts"
)

var unmerged = regexp.MustCompile(`(?i)\b(?:unmerged|not (?:yet )?merged|ahead|only on)\b`)

// diff answers with what changed between the two ends that the prompt names:
// two revisions, a period, the last few commits, or one commit.
func (v *view) diff(ctx context.Context) (core.Reply, error) {
	head := v.commit(ctx, "HEAD")
	if head == "" {
		return experts.Success("There are no commits yet.", map[string]any{"changes": []any{}}), nil
	}
	from, to, what := v.from, v.to, fmt.Sprintf("from %s to %s", code(v.names[0]), code(v.names[1]))
	switch {
	case from != "" && (backwards.MatchString(v.prompt) || strings.Contains(v.prompt, "...")): // what is new on one of them alone
		base, err := v.run(ctx, "merge-base", from, to)
		if err != nil && ctx.Err() != nil {
			return core.Reply{}, err // without a common ancestor the two are compared as they are
		}
		from = cmp.Or(strings.TrimSpace(base), from)
	case from != "":
	case v.at != "" && unmerged.MatchString(v.prompt):
		base, err := v.run(ctx, "merge-base", head, v.at)
		if err != nil && ctx.Err() != nil {
			return core.Reply{}, err // without a common ancestor all of it is new
		}
		from, to, what = strings.TrimSpace(base), v.at, "on "+code(v.names[0])+" alone"
	case v.when != "":
		if from, to = v.last(ctx, v.since), head; !v.until.IsZero() {
			to = v.last(ctx, v.until)
		}
		what = v.when
	case v.n > 1:
		from, to, what = v.commit(ctx, fmt.Sprintf("HEAD~%d", v.n)), head, "in the last "+plural(v.n, "commit")
	case len(v.paths) > 0 && v.at == "" && v.n == 0, v.author != "" && v.at == "":
		return v.log(ctx)
	default:
		return v.show(ctx)
	}
	var err error
	if from == "" {
		from, err = v.nothing(ctx)
	}
	if to == "" && err == nil {
		to, err = v.nothing(ctx)
	}
	if err != nil {
		return core.Reply{}, err
	}
	changes, err := v.changes(ctx, v.run, from, to)
	if err != nil {
		return core.Reply{}, err
	}
	message, data := summary(changes)
	patch, err := v.patch(ctx, from, to)
	return experts.Success("What changed "+what+v.inPaths()+": "+message+patch, data), err
}

// last returns the last commit of HEAD before t, empty when there is none.
func (v *view) last(ctx context.Context, t time.Time) string {
	out, err := v.run(ctx, "rev-list", "-n", "1", "--until="+t.Add(-time.Second).Format(time.RFC3339), "HEAD")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(out)
}

func (v *view) inPaths() string {
	if len(v.paths) == 0 {
		return ""
	}
	return " in " + code(strings.Join(v.paths, " "))
}

type runner func(ctx context.Context, args ...string) (string, error)

// changes compares two trees, or one with the files on disk.
func (v *view) changes(ctx context.Context, run runner, revs ...string) ([]change, error) {
	args := append([]string{"diff", "--numstat", "-z", "--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=all"}, revs...)
	out, err := run(ctx, append(append(args, "--"), v.paths...)...)
	if err != nil {
		return nil, err
	}
	var all []change
	for _, row := range strings.Split(out, "\x00") {
		if f := strings.SplitN(row, "\t", 3); len(f) == 3 {
			all = append(all, change{path: f[2], added: number(f[0]), deleted: number(f[1]), binary: f[0] == "-"})
		}
	}
	return all, nil
}

func summary(changes []change) (string, map[string]any) {
	added, deleted := 0, 0
	rows := []any{}
	var b strings.Builder
	for i, c := range changes {
		added, deleted = added+c.added, deleted+c.deleted
		if i < maxData {
			rows = append(rows, map[string]any{"path": c.path, "added": float64(c.added), "deleted": float64(c.deleted)})
		}
		if i < maxShown {
			fmt.Fprintf(&b, "- %s %s\n", code(c.path), map[bool]string{true: "binary", false: fmt.Sprintf("+%d −%d", c.added, c.deleted)}[c.binary])
		}
	}
	if len(changes) > maxShown {
		fmt.Fprintf(&b, "- … and %d more\n", len(changes)-maxShown)
	}
	data := map[string]any{"changes": rows, "files": float64(len(changes)), "added": float64(added), "deleted": float64(deleted)}
	if len(changes) == 0 {
		return "nothing.", data
	}
	return fmt.Sprintf("%s, +%d −%d lines.\n\n%s", plural(len(changes), "file"), added, deleted, strings.TrimSpace(b.String())), data
}

// patch is the difference itself where the prompt asks to see it.
func (v *view) patch(ctx context.Context, from, to string) (string, error) {
	if !askPatch.MatchString(v.prompt) {
		return "", nil
	}
	out, err := v.run(ctx, append([]string{"diff", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", from, to, "--"}, v.paths...)...)
	if err != nil || out == "" {
		return "", err
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	cut := ""
	if len(lines) > maxPatch {
		lines, cut = lines[:maxPatch], fmt.Sprintf("\n\nThe first %d lines of it.", maxPatch)
	}
	for i, l := range lines {
		lines[i] = clip(l)
	}
	body := strings.Join(lines, "\n")
	fence := "```"
	for strings.Contains(body, fence) {
		fence += "`"
	}
	return "\n\n" + fence + "diff\n" + body + "\n" + fence + cut, nil
}

// show answers with one commit: what it says, and what it changed.
func (v *view) show(ctx context.Context) (core.Reply, error) {
	hash := cmp.Or(v.at, v.to)
	if hash == "" && v.n != 1 && v.when+v.author != "" {
		return v.log(ctx)
	}
	if hash == "" {
		all, err := v.commits(ctx, "-n", "1")
		if err != nil {
			return core.Reply{}, err
		}
		if len(all) == 0 {
			return experts.Success("There is no such commit"+v.limits()+".", map[string]any{"commits": []any{}}), nil
		}
		hash = all[0].hash
	}
	out, err := v.run(ctx, "log", "-n", "1", "--no-show-signature", "--format=%H%x1f%aI%x1f%aN%x1f%s%x1f%b", hash, "--")
	f := strings.SplitN(strings.TrimSpace(out), "\x1f", 5)
	if err != nil || len(f) < 5 {
		return core.Reply{}, cmp.Or(err, noCommit(short(hash)))
	}
	from := v.commit(ctx, hash+"^")
	if from == "" {
		if from, err = v.nothing(ctx); err != nil {
			return core.Reply{}, err
		}
	}
	changes, err := v.changes(ctx, v.run, from, hash)
	if err != nil {
		return core.Reply{}, err
	}
	c := commit{f[0], f[1], clip(f[2]), clip(f[3])}
	message, data := summary(changes)
	data["commits"] = listed([]commit{c})["commits"]
	body := strings.TrimSpace(f[4])
	if len(body) > maxBody {
		body = strings.ToValidUTF8(body[:maxBody], "") + "…"
	}
	if body != "" {
		body = "\n\n" + body
	}
	patch, err := v.patch(ctx, from, hash)
	return experts.Success(fmt.Sprintf("Commit %s by **%s**, %s:\n\n**%s**%s\n\n%s%s", code(short(c.hash)), c.author, day(c.date), c.subject, body, message, patch), data), err
}

// status answers with what is not committed.
func (v *view) status(ctx context.Context) (core.Reply, error) {
	out, err := v.runOnFiles(ctx, append([]string{"status", "--porcelain=v1", "-z", "--no-renames", "--ignore-submodules=all", "--"}, v.paths...)...)
	if err != nil {
		return core.Reply{}, err
	}
	numbers := map[string]change{}
	if v.commit(ctx, "HEAD") != "" {
		changes, err := v.changes(ctx, v.runOnFiles, "HEAD")
		if err != nil {
			return core.Reply{}, err
		}
		for _, c := range changes {
			numbers[c.path] = c
		}
	}
	rows := []any{}
	var b strings.Builder
	total := 0
	for _, row := range strings.Split(out, "\x00") {
		if len(row) < 4 {
			continue
		}
		path, c := row[3:], numbers[row[3:]]
		state := stateOf(row[:2])
		if total++; total <= maxData {
			rows = append(rows, map[string]any{"path": path, "state": state, "staged": row[0] != ' ' && row[0] != '?', "added": float64(c.added), "deleted": float64(c.deleted)})
		}
		if total <= maxShown {
			fmt.Fprintf(&b, "- %s %s", code(path), state)
			if c.added+c.deleted > 0 {
				fmt.Fprintf(&b, " +%d −%d", c.added, c.deleted)
			}
			b.WriteByte('\n')
		}
	}
	if total > maxShown {
		fmt.Fprintf(&b, "- … and %d more\n", total-maxShown)
	}
	current, _ := v.run(ctx, "symbolic-ref", "--short", "--quiet", "HEAD") // fails when HEAD is a commit
	data := map[string]any{"changes": rows, "total": float64(total), "clean": total == 0, "branch": strings.TrimSpace(current)}
	if total == 0 {
		return experts.Success("Everything is committed"+v.inPaths()+".", data), nil
	}
	return experts.Success(fmt.Sprintf("%s not committed:\n\n%s", plural(total, "change"), strings.TrimSpace(b.String())), data), nil
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
	if len(v.paths) == 0 {
		return core.Reply{}, noPath()
	}
	args := []string{"blame", "--line-porcelain", "--no-textconv"}
	if m := askLine.FindStringSubmatch(v.prompt); m != nil {
		from := max(1, number(m[1]+m[3]))
		to := max(from, number(m[2]+m[4]))
		args = append(args, "-L", strconv.Itoa(from)+","+strconv.Itoa(min(to, from+maxData-1)))
	}
	out, err := v.run(ctx, append(args, cmp.Or(v.at, "HEAD"), "--", v.paths[0])...)
	if err != nil {
		if strings.Contains(err.Error(), "has only") || strings.Contains(err.Error(), "no such path") {
			return core.Reply{}, &core.Error{Code: core.CodeNotFound, Message: "There is no such line: " + err.Error() + ".", Hint: "I look at the file as it was committed last."}
		}
		return core.Reply{}, err
	}
	rows, b, c, line := []any{}, strings.Builder{}, commit{}, 0
	for _, l := range strings.Split(out, "\n") {
		key, value, _ := strings.Cut(l, " ")
		switch {
		case strings.HasPrefix(l, "\t"):
			if len(rows) < maxData {
				rows = append(rows, map[string]any{"line": float64(line), "hash": c.hash, "author": c.author, "date": c.date, "subject": c.subject, "text": clip(l[1:])})
			}
			if len(rows) <= maxShown {
				fmt.Fprintf(&b, "- line %d: **%s**, %s: %s (%s)\n", line, c.author, day(c.date), c.subject, code(short(c.hash)))
			}
		case key == "author":
			c.author = clip(value)
		case key == "summary":
			c.subject = clip(value)
		case key == "author-time":
			sec, _ := strconv.ParseInt(value, 10, 64) // git writes a number
			c.date = time.Unix(sec, 0).UTC().Format(time.RFC3339)
		case hexes.MatchString(key) && len(key) == 40:
			c = commit{hash: key}
			if f := strings.Fields(value); len(f) > 1 {
				line = number(f[1])
			}
		}
	}
	if len(rows) == 0 {
		return experts.Success(code(v.paths[0])+" has no lines.", map[string]any{"lines": rows}), nil
	}
	return experts.Success(fmt.Sprintf("Who wrote %s:\n\n%s", code(v.paths[0]), strings.TrimSpace(b.String())), map[string]any{"path": v.paths[0], "lines": rows}), nil
}
