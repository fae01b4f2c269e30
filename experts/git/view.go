package git

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts/plain"
)

// view is one question about the history and what bounds it.
type view struct {
	repo
	plain.Period
	plain.Translator
	asked plain.Reading

	n           int      // how many commits, 0 when not said
	first, last int      // lines, 0 when not said
	authors     []string // parts of names
	me          bool     // the author is who asks
	text        string   // in the commits' messages
	kind        string   // A where a file was added, D where it was deleted
	places      []place
	paths       []string // what git looks for the places by
	revs        []rev    // one, or the two ends of a range
}

// rev is a revision as it was written, and the hash it stands for.
type rev struct {
	name, hash string
	fork       bool // where it and the next one parted is meant
}

// view is what a reading says of the commits that are meant.
func (e expert) view(r plain.Reading) *view {
	v := &view{repo: e.repo, Period: plain.PeriodOf(r, e.now()), asked: r, kind: r.Mark("kind"), me: r.Mark("author") == "me"}
	dashed, _ := r.Value("DASHED").(int)
	v.n, _ = r.Value("COUNT").(int)
	v.n = max(v.n, dashed, plain.Number(r.Mark("n")))
	v.authors = plain.Values[string](r, "AUTHOR")
	if odd, ok := r.Value("ODD").(rev); ok && r.Shape == "log" {
		v.authors = []string{odd.name}
	}
	v.text, _ = r.Value("TEXT").(string)
	if topic, ok := r.Value("TOPIC").(string); ok {
		v.text = topic
	}
	for _, o := range plain.Values[[2]string](r, "OPTLOG") {
		switch kind, value := o[0], o[1]; kind {
		case "author":
			v.authors = append(v.authors, value)
		case "grep":
			v.text = value
		default:
			p := plain.PeriodOf(period(kind, value), e.now())
			v.Since, v.Until = cmp.Or(p.Since, v.Since), cmp.Or(p.Until, v.Until)
		}
	}
	v.places = append(plain.Values[place](r, "PATH"), plain.Values[place](r, "FILELINE")...)
	for _, p := range v.places {
		v.first, v.last = p.lines[0], p.lines[1]
	}
	if at, ok := r.Value("LINES").([2]int); ok {
		v.first, v.last = at[0], at[1]
	}
	for _, slot := range []string{"REV", "BRANCH", "HASH", "HEX", "ODD"} {
		if r.Shape != "log" || slot != "ODD" {
			v.revs = append(v.revs, plain.Values[rev](r, slot)...)
		}
	}
	for _, ends := range plain.Values[[]rev](r, "RANGE") {
		v.revs = append(v.revs, ends...)
	}
	switch {
	case r.Mark("back") != "":
		v.revs = []rev{{name: "HEAD~1"}}
	case r.Mark("since") == "rev":
		v.revs = append(v.revs, rev{name: "HEAD"})
	case r.Mark("since") == "tag":
		v.revs = []rev{{name: lastTag}, {name: "HEAD"}}
	case r.Mark("minus") == "1":
		slices.Reverse(v.revs) // what the first has and the second has not
	case r.Mark("minus") == "head":
		v.revs = append([]rev{{name: "HEAD"}}, v.revs...)
	}
	return v
}

// lastTag stands for the newest tag.
const lastTag = "the last tag"

// with returns the view bounded anew: what w says counts instead of what v says.
func (v *view) with(w *view) *view {
	both := *v
	if w.Period != (plain.Period{}) {
		both.Period = w.Period
	}
	if len(w.authors) > 0 || w.me {
		both.authors, both.me = w.authors, w.me
	}
	if len(w.places) > 0 {
		both.places = w.places
	}
	if len(w.revs) > 0 {
		both.revs = w.revs
	}
	both.text = cmp.Or(w.text, both.text)
	return &both
}

// resolve asks git for what the names in the view stand for.
func (v *view) resolve(ctx context.Context) error {
	if v.me {
		name, err := v.run(ctx, "config", "user.name")
		if err != nil {
			return core.Fail(core.CodeNotFound, v.Say("Git does not know your name."), v.Say("Name the author instead.")).Because(err)
		}
		v.authors = []string{strings.TrimSpace(name)}
	}
	for i, r := range v.revs {
		if r.name == lastTag {
			tags, err := v.run(ctx, "for-each-ref", "--sort=-creatordate", "--count=1", "--format=%(refname:short)", "refs/tags")
			if r.name = strings.TrimSpace(tags); err != nil || r.name == "" {
				return core.Fail(core.CodeNotFound, v.Say("There are no tags here."), v.Say("Name a commit or a date instead.")).Because(err)
			}
		}
		r.hash = v.commit(ctx, r.name)
		if v.revs[i] = r; r.hash == "" && v.commit(ctx, "HEAD") != "" {
			return core.Fail(core.CodeNotFound, v.Say("There is no commit, branch or tag called %s here.", plain.Code(r.name)),
				v.Say("Ask “list branches” or “list tags” to see what there is."))
		}
	}
	if len(v.revs) == 2 && v.revs[0].fork {
		base, _ := v.run(ctx, "merge-base", v.revs[0].hash, v.revs[1].hash) // fails when there is none
		v.revs[0].hash = strings.TrimSpace(base)
	}
	if len(v.revs) > 2 {
		return core.Fail(core.CodeInvalid, v.Say("I look at one commit, or from one to another."), v.Say("Name at most two."))
	}
	v.paths = nil
	for _, p := range v.places {
		v.paths = append(v.paths, p.specs...)
	}
	return nil
}

// limits says in words what bounds the view.
func (v *view) limits() string {
	var names, places []string
	for _, r := range v.revs {
		if r.name != "" {
			names = append(names, r.name)
		}
	}
	for _, p := range v.places {
		places = append(places, p.name)
	}
	author := strings.Join(v.authors, " "+v.Say("and")+" ")
	if v.me {
		author = v.Say("you")
	}
	points, in := strings.Join(names, " "), " in %s"
	switch {
	case len(names) == 2:
		points = v.Say(" from %s to %s", names[0], names[1])
	case points != "" && v.asked.Shape != "show":
		points = v.Say(" on %s", points)
	case points != "":
		points = v.Say(" in %s", points)
	}
	switch {
	case v.first > 0 && v.last > v.first:
		in = v.Say(" lines %d-%d of %s", v.first, v.last, "%s")
	case v.first > 0:
		in = v.Say(" line %d of %s", v.first, "%s")
	case v.kind != "", v.asked.Shape == "blame":
		in = " %s"
	}
	s := ""
	for _, limit := range [][2]string{{" by %s", author}, {" %s", v.In(v.Translator)}, {"%s", points}, {in, strings.Join(places, " "+v.Say("and")+" ")}, {" about %s", v.text}} {
		if limit[1] != "" {
			s += v.Say(limit[0], limit[1])
		}
	}
	return s
}

// String says what was understood.
func (v *view) String() string {
	what := map[string]string{
		"show": "the commit", "first": "the first commit", "log": "commits", "number": "how many commits", "spread": "how many commits each " + v.asked.Mark("unit"), "blame": "who wrote", "who": "who changed", "author": "who wrote", "topic": "commits",
		"pick": "commits that change ", "files": "which files were changed", "contributors": "who made the commits", "current": "the current branch", "branches": "the branches", "tags": "the tags",
		"unmerged": "branches that are not merged", "stash": "the stashes", "remotes": "the remotes", "status": "what is not committed", "diff": "what changed",
		"patch": "the diff of the files", "act": "a change of the repository: git " + v.asked.Mark("act"),
	}[v.asked.Shape]
	switch {
	case v.asked.Shape == "act":
		return what
	case v.asked.Shape == "pick":
		what += v.picked()
	case v.asked.Value("FUNC") != nil:
		what += fmt.Sprint(" ", v.asked.Value("FUNC"), " of")
	case v.asked.Mark("merged") != "":
		what = "branches that are merged"
	case v.asked.Shape == "show" && v.asked.Mark("root") != "":
		what = "the first commit"
	case v.asked.Shape == "show" && v.n == 1:
		what = "the last commit"
	case v.asked.Shape == "it" && len(v.revs) > 0:
		what = "the commit"
	case v.asked.Shape == "it":
		what = "who changed"
	}
	english := *v
	english.Translator = plain.Translator{}
	limits := english.limits()
	if v.asked.Shape == "who" || v.asked.Shape == "it" || v.asked.Shape == "show" {
		limits = strings.Replace(limits, " in ", " ", 1)
	}
	return clip(what+limits, maxReads)
}

// picked is the text that commits are to add or remove.
func (v *view) picked() string {
	for _, slot := range []string{"CODE", "NAME", "PICKED"} {
		if s, ok := v.asked.Value(slot).(string); ok {
			return strings.TrimSuffix(s, "()")
		}
	}
	return ""
}
