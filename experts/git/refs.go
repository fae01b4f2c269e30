package git

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/plain"
)

// current answers which branch is checked out.
func (v *view) current(ctx context.Context) (core.Reply, error) {
	name := v.branch(ctx)
	if name == "" {
		return experts.Success(v.Say("**No branch**: a commit is checked out (%s).", plain.Code(short(v.commit(ctx, "HEAD")))), map[string]any{"current": ""}), nil
	}
	return experts.Success(v.Say("**%s** is the branch that is checked out.", plain.Code(name)), map[string]any{"current": name}), nil
}

func (v *view) branches(ctx context.Context) (core.Reply, error) {
	t, err := v.refs(ctx, v.named, "refs/heads", "refs/remotes")
	current := v.branch(ctx)
	reply := t.reply(v.Translator, v.Say("**%s**, the newest first; you are on %s.", v.Count(len(t.lines), "branches"), plain.Code(cmp.Or(current, "HEAD"))), "branches")
	reply.Data["current"] = current
	return reply, err
}

func (v *view) tags(ctx context.Context) (core.Reply, error) {
	t, err := v.refs(ctx, v.named, "refs/tags")
	switch {
	case v.n == 1 && len(t.lines) > 0:
		return experts.Success(v.Say("%s is the last tag.", t.lines[0]), map[string]any{"tags": t.rows[:1], "total": 1.0}), err
	case len(v.revs) > 0 && len(t.lines) > 0:
		return experts.Success(v.Say("%s is the tag.", t.lines[0]), map[string]any{"tags": t.rows, "total": float64(len(t.rows))}), err
	}
	return t.reply(v.Translator, v.Say("**%s**, the newest first.", v.Count(len(t.lines), "tags")), "tags"), err
}

// refs collects the branches or tags of the names that are kept, the newest first.
func (v *view) refs(ctx context.Context, keep func(name string) bool, where ...string) (t table, err error) {
	out, err := v.run(ctx, append([]string{"for-each-ref", "--sort=-creatordate", "--format=%(refname:short)%1f%(objectname)%1f%(creatordate:iso-strict)"}, where...)...)
	for _, f := range records(out, "\n", "\x1f", 3) {
		if keep(f[0]) {
			t.add("**"+plain.Code(f[0])+"** ("+day(f[2])+")", map[string]any{"name": f[0], "hash": f[1], "date": f[2]})
		}
	}
	return t, err
}

// named tells whether a name is asked for, as all are where none is named.
func (v *view) named(name string) bool {
	return len(v.revs) == 0 || slices.ContainsFunc(v.revs, func(r rev) bool { return r.name == name })
}

// unmerged answers which branches are not in another, or which are, or whether
// one is.
func (v *view) unmerged(ctx context.Context) (core.Reply, error) {
	into := rev{name: "HEAD", hash: v.commit(ctx, "HEAD")}
	if len(v.revs) > 0 {
		into = v.revs[len(v.revs)-1]
	}
	name := cmp.Or(v.branch(ctx), into.name)
	if into.name != "HEAD" {
		name = into.name
	}
	one, asked := v.asked.Value("BRANCHY").(rev)
	option := "--no-merged="
	if v.asked.Mark("merged") != "" {
		option = "--merged="
	}
	t, err := v.refs(ctx, func(other string) bool { return other != name && (!asked || other == one.name) }, option+into.hash, "refs/heads", "refs/remotes")
	into.name = plain.Code(name)
	switch {
	case asked && len(t.lines) > 0:
		return experts.Success(v.Say("**No**, %s is not merged into %s.", plain.Code(one.name), into.name), map[string]any{"merged": false, "branches": t.rows}), err
	case asked:
		return experts.Success(v.Say("**Yes**, %s is merged into %s.", plain.Code(one.name), into.name), map[string]any{"merged": true}), err
	case v.asked.Mark("merged") != "":
		return t.reply(v.Translator, v.Say("**%s** merged into %s.", v.Count(len(t.lines), "branches"), into.name), "branches"), err
	}
	return t.reply(v.Translator, v.Say("**%s** not merged into %s.", v.Count(len(t.lines), "branches"), into.name), "branches"), err
}

func (v *view) stashes(ctx context.Context) (core.Reply, error) {
	out, _ := v.run(ctx, "log", "-g", "-n", strconv.Itoa(maxData), "--no-show-signature", "--format=%gd%x1f%aI%x1f%gs", "refs/stash", "--") // fails when there is none
	var t table
	for _, f := range records(out, "\n", "\x1f", 3) {
		t.add(plain.Code(f[0])+" ("+day(f[1])+"): "+clip(f[2], maxSubject), map[string]any{"name": f[0], "date": f[1], "subject": clip(f[2], maxSubject)})
	}
	return t.reply(v.Translator, v.Say("**%s** here.", v.Count(len(t.lines), "stashes")), "stashes"), nil
}

func (v *view) remotes(ctx context.Context) (core.Reply, error) {
	out, _ := v.run(ctx, "config", "-z", "--get-regexp", `^remote\..*\.url$`) // fails when there are none
	var t table
	for _, f := range records(out, "\x00", "\n", 2) {
		name := strings.TrimSuffix(strings.TrimPrefix(f[0], "remote."), ".url")
		url := withoutPassword(f[1])
		t.add("**"+plain.Code(name)+"**: "+clip(url, maxSubject), map[string]any{"name": name, "url": url})
	}
	return t.reply(v.Translator, v.Say("**%s** here.", v.Count(len(t.lines), "remotes")), "remotes"), nil
}

// withoutPassword takes out what stands before the host of a URL.
func withoutPassword(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	if at := strings.LastIndexByte(rest, '@'); ok && at >= 0 {
		return scheme + "://" + rest[at+1:]
	}
	return url
}
