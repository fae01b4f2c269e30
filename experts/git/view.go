package git

import (
	"context"
	"strings"
	"time"

	"yaap/core"
	"yaap/experts/plain"
)

// view is one question about the history and what bounds it.
type view struct {
	repo
	period
	prompt string // in lower case

	n           int      // how many commits, 0 when not said
	first, last int      // lines, 0 when not said
	author      string   // part of a name
	text        string   // in the commits' messages
	kind        string   // A where a file was added, D where it was deleted
	places      []string // files and folders, as they were written
	paths       []string // what git looks for them by
	revs        []rev    // one, or the two ends of a range
}

// rev is a revision as it was written, and the hash it stands for.
type rev struct{ name, hash string }

//nolint:gochecknoglobals // never change; see plain.Expr
var (
	lineRange = plain.Expr(`(?:\blines? |\b:)(\d{1,9})(?: ?(?:-|–|to|through|and|until) ?(\d{1,9}))?\b`)
	lastN     = plain.Expr(`\b(?:last|latest|newest|recent|log|show|list)\s+(?:--oneline )?(?:-n ?|-)?(` + someN + `)\b(?: commits)?|\b(` + someN + `) (?:(?:last|latest|recent|newest) )?commits\b`)
	lastOne   = plain.Expr(`\b(?:last|latest|newest|most recent|current) (?:commit|change|thing)\b`)
	about     = plain.Expr(`\b(?:mentioning|about|with the (?:word|message))\s+(?:the )?("[^"]+"|'[^']+'|[^\s"']\S*)`)
	allHere   = plain.Expr(`^(?:git|log|history|repo(?:sitory)?|project)$`) // what every question here is about
	mine      = plain.Expr(`\b(?:by me|my commits|i (?:did|commit|committed|changed|made|do)|(?:did|have) i (?:do|done|commit|committed|change|make|made))\b`)
	named     = plain.Expr(`^(?:between|and|since)$`)
	pathName  = plain.Expr(`^[\w@+][\w./@+-]*\.\w{1,10}$|^[\w@.+-]+/[\w./@+-]*$`)
	hexes     = plain.Expr(`^[0-9a-f]{7,40}$`)
)

const someN = `\d{1,6}|two|three|four|five|six|seven|eight|nine|ten`

// read takes lines, dates, a count, a text, the author, revisions and paths
// out of the prompt, each at most once. A word that is none of these is asked
// back.
func (v *view) read(ctx context.Context, rest string) error {
	cut := func(words string) { rest = strings.Replace(rest, words, " ", 1) }
	if m := lineRange().FindStringSubmatch(rest); m != nil {
		v.first, v.last = plain.Number(m[1]), plain.Number(m[2])
		cut(m[0])
	}
	v.period = dates(rest, time.Now())
	cut(v.words)
	if m := lastN().FindStringSubmatch(rest); m != nil {
		v.n = plain.Number(m[1] + m[2])
		cut(m[0])
	} else if one := lastOne().FindString(rest); one != "" {
		v.n = 1
		cut(one)
	}
	if m := about().FindStringSubmatch(rest); m != nil && allHere().MatchString(m[1]) {
		cut(m[0])
	} else if m != nil {
		v.text = plain.Unquote(m[1])
		cut(m[0])
	}
	if mine().MatchString(rest) {
		name, err := v.run(ctx, "config", "user.name")
		if err != nil {
			return &core.Error{Code: core.CodeNotFound, Message: "Git does not know your name.", Hint: "Name the author instead.", Err: err}
		}
		v.author = strings.TrimSpace(name)
	}
	before := ""
	for _, w := range plain.Word().FindAllString(rest, 100) {
		bare := strings.TrimSuffix(plain.Unquote(strings.TrimRight(w, ":;?")), "'s")
		if bare != "" && !common().MatchString(bare) {
			if err := v.word(ctx, bare, strings.ToLower(before)); err != nil {
				return err
			}
		}
		before = w
	}
	if len(v.revs) > 2 {
		return errNotMine
	}
	return nil
}

// word reads a word behind another: a revision, a range of them, a part of an
// author's name or a path.
func (v *view) word(ctx context.Context, w, before string) error {
	if from, to, ok := strings.Cut(w, ".."); ok && from != "" && to != "" {
		v.revs = []rev{{from, v.commit(ctx, from)}, {to, v.commit(ctx, to)}}
		if v.revs[0].hash == "" || v.revs[1].hash == "" {
			return noCommit(w)
		}
		return nil
	}
	if hash := v.commit(ctx, w); hash != "" {
		if v.revs = append(v.revs, rev{w, hash}); before == "since" {
			v.revs = append(v.revs, rev{"HEAD", v.commit(ctx, "HEAD")})
		}
		return nil
	}
	for _, specs := range [][]string{{":(icase)" + w}, {":(icase,glob)**/" + w, ":(icase,glob)**/" + w + "/**"}, {":(icase)" + w + ".*"}} {
		if len(v.tracked(ctx, specs)) > 0 {
			v.places, v.paths = append(v.places, w), append(v.paths, specs...)
			return nil
		}
	}
	if name := strings.TrimSpace(v.author + " " + w); v.wrote(ctx, name) {
		v.author = name
		return nil
	}
	switch {
	case v.author != "" && v.wrote(ctx, w):
		return &core.Error{Code: core.CodeInvalid, Message: "I look at one author at a time.", Hint: "Ask about " + v.author + " or " + w + "."}
	case hexes().MatchString(w), strings.HasPrefix(w, "HEAD"), named().MatchString(before) && w[0] >= 'a': // a date begins otherwise
		return noCommit(w)
	case pathName().MatchString(w): // deleted, or never there: git will know
		v.places, v.paths = append(v.places, w), append(v.paths, ":(literal)"+w)
		return nil
	}
	return &unknown{w}
}

// wrote tells whether there are commits by an author of that name.
func (v *view) wrote(ctx context.Context, name string) bool {
	out, err := v.run(ctx, "rev-list", "-n", "1", "--all", "--extended-regexp", "--regexp-ignore-case", "--author="+byName(name))
	return err == nil && out != ""
}

// tracked lists the files that git knows and that fit one of the specs.
func (v *view) tracked(ctx context.Context, specs []string) []string {
	out, _ := v.run(ctx, append([]string{"ls-files", "-z", "--"}, specs...)...) // fails for what is outside
	return strings.FieldsFunc(out, func(r rune) bool { return r == 0 })
}

// unknown is a word of the prompt that stands for nothing.
type unknown struct{ word string }

func (u *unknown) Error() string { return "unknown word " + u.word }

func noCommit(name string) error {
	return &core.Error{Code: core.CodeNotFound, Message: "There is no commit, branch or tag called " + plain.Code(name) + " here.", Hint: "Ask “list branches” or “list tags” to see what there is."}
}

// limits says in words what bounds the view.
func (v *view) limits() string {
	var names []string
	for _, r := range v.revs {
		names = append(names, r.name)
	}
	s := ""
	for _, limit := range [][2]string{{", by ", v.author}, {", ", v.words}, {", at ", strings.Join(names, "..")}, {", in ", strings.Join(v.places, " and ")}, {", about ", v.text}} {
		if limit[1] != "" {
			s += limit[0] + limit[1]
		}
	}
	return s
}
