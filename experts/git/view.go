package git

import (
	"context"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"yaap/core"
)

// view is one question about the history and what bounds it.
type view struct {
	repo
	prompt string // in lower case

	n            int    // how many commits, 0 when not said
	first, last  int    // lines, 0 when not said
	author       string // part of a name
	text         string // in the commits' messages
	paths        []string
	revs         []rev // one, or the two ends of a range
	since, until time.Time
	when         string // the period in words
}

// rev is a revision as it was written, and the hash it stands for.
type rev struct{ name, hash string }

var (
	lineRange = regexp.MustCompile(`(?i)(?:\blines? |\b:)(\d{1,9})(?: ?(?:-|–|to|through|and|until) ?(\d{1,9}))?\b`)
	lastTag   = regexp.MustCompile(`(?i)\bsince (?:the )?(?:last|latest) (?:tag|release|version)\b`)
	lastN     = regexp.MustCompile(`(?i)\b(?:last|latest|newest|recent|log|show|list)\s+(?:--oneline )?(?:-n ?|-)?(` + someN + `)\b(?: commits)?|\b(` + someN + `) (?:(?:last|latest|recent|newest) )?commits\b`)
	lastOne   = regexp.MustCompile(`(?i)\b(?:last|latest|newest|most recent|current) (?:commit|change|thing)\b`)
	about     = regexp.MustCompile(`(?i)\b(?:mentioning|about|with the (?:word|message))\s+(?:the )?("[^"]+"|'[^']+'|[^\s"']\S*)`)
	mine      = regexp.MustCompile(`(?i)\b(?:by me|my commits|i (?:did|commit|committed|changed|made|do)|(?:did|have) i (?:do|done|commit|committed|change|make|made))\b`)
	dots      = regexp.MustCompile(`^(\S*[\w}^~])\.\.([\w@]\S*)$`)
	revWord   = regexp.MustCompile(`(?i)^(?:between|and|since)$`)
	hexes     = regexp.MustCompile(`^[0-9a-fA-F]{7,40}$`)
	pathName  = regexp.MustCompile(`^[\w@+][\w./@+-]*\.\w{1,10}$|^[\w@.+-]+/[\w./@+-]*$`)
)

const someN = `\d{1,6}|two|three|four|five|six|seven|eight|nine|ten`

// read takes lines, dates, a count, a text, the author, revisions and paths
// out of the prompt, each at most once. A word that is none of these is said
// in the error.
func (v *view) read(ctx context.Context, rest string) error {
	take := func(re *regexp.Regexp) []string {
		m := re.FindStringSubmatch(rest)
		if m != nil {
			rest = strings.Replace(rest, m[0], " ", 1)
		}
		return m
	}
	if m := take(lineRange); m != nil {
		v.first, v.last = number(m[1]), number(m[2])
	}
	if take(lastTag) != nil {
		tag, err := v.run(ctx, "describe", "--tags", "--abbrev=0")
		if err != nil {
			return &core.Error{Code: core.CodeNotFound, Message: "There is no tag in this repository.", Hint: "Ask about a branch, a commit or a date instead."}
		}
		tag = strings.TrimSpace(tag)
		v.revs = []rev{{tag, v.commit(ctx, tag)}, v.head(ctx)}
	}
	if p, ok := dates(rest, time.Now()); ok {
		v.since, v.until, v.when = p.since, p.until, p.words
		rest = strings.Replace(rest, p.words, " ", 1)
	}
	if m := take(lastN); m != nil {
		v.n = number(m[1] + m[2])
	} else if take(lastOne) != nil {
		v.n = 1
	}
	if m := take(about); m != nil {
		v.text = unquote(m[1])
	}
	if m := mine.FindString(rest); m != "" {
		name, err := v.run(ctx, "config", "user.name")
		if err != nil {
			return &core.Error{Code: core.CodeNotFound, Message: "Git does not know your name.", Hint: "Name the author instead.", Err: err}
		}
		v.author = strings.TrimSpace(name)
	}
	return v.readWords(ctx, token.FindAllString(rest, 100))
}

func (v *view) head(ctx context.Context) rev { return rev{"HEAD", v.commit(ctx, "HEAD")} }

// readWords reads the words that are left: revisions, authors and paths.
func (v *view) readWords(ctx context.Context, words []string) error {
	listed, err := v.run(ctx, "ls-files", "-z")
	if err != nil {
		return err
	}
	tracked := strings.Split(listed, "\x00")
	people, _ := v.run(ctx, "log", "-z", "-n", "20000", "--format=%aN", "--all") // fails when there are no commits
	people = strings.ToLower(people)
	names := strings.FieldsFunc(people, func(r rune) bool { return r == 0 || r == ' ' })
	before := ""
	for _, w := range words {
		prev := before
		before = w
		w = strings.TrimSuffix(unquote(strings.TrimRight(w, ":;?")), "'s")
		if w == "" || plain.MatchString(w) {
			continue
		}
		if m := dots.FindStringSubmatch(w); m != nil {
			v.revs = []rev{{m[1], v.commit(ctx, m[1])}, {m[2], v.commit(ctx, m[2])}}
			if v.revs[0].hash == "" || v.revs[1].hash == "" {
				return noCommit(w)
			}
			continue
		}
		if hash := v.commit(ctx, w); hash != "" {
			v.revs = append(v.revs, rev{w, hash})
			if strings.EqualFold(prev, "since") {
				v.revs = append(v.revs, v.head(ctx))
			}
			continue
		}
		name := strings.TrimSpace(v.author + " " + w)
		if slices.Contains(names, strings.ToLower(w)) {
			if !strings.Contains(people, strings.ToLower(name)) {
				return &core.Error{Code: core.CodeInvalid, Message: "I look at one author at a time.", Hint: "Ask about " + v.author + " or " + w + "."}
			}
			v.author = name
			continue
		}
		found := match(tracked, w)
		switch {
		case len(found) > 0:
		case strings.Contains(w, ".."), hexes.MatchString(w), strings.HasPrefix(w, "HEAD"), revWord.MatchString(prev) && w[0] >= 'a': // a date begins otherwise
			return noCommit(w)
		case pathName.MatchString(w):
			found = []string{path.Clean(w)} // deleted, or never there: git will know
		default:
			return &unknown{w}
		}
		v.paths = append(v.paths, found...)
	}
	if len(v.revs) > 2 {
		return errNotMine
	}
	return nil
}

// unknown is a word of the prompt that stands for nothing.
type unknown struct{ word string }

func (u *unknown) Error() string { return "unknown word " + u.word }

func noCommit(name string) error {
	return &core.Error{Code: core.CodeNotFound, Message: "There is no commit, branch or tag called " + code(name) + " here.", Hint: "Ask “list branches” or “list tags” to see what there is."}
}

// match returns the paths that name stands for among the tracked files: a
// file, a folder, those with that end of their path, or a file's stem at the
// top.
func match(tracked []string, name string) []string {
	low := lower(strings.TrimPrefix(strings.TrimSuffix(name, "/"), "./"))
	var ends []string
	stem := ""
	for _, p := range tracked {
		l := lower(p)
		at := strings.Index("/"+l+"/", "/"+low+"/")
		switch {
		case at == 0:
			return []string{p[:len(low)]}
		case at > 0:
			ends = append(ends, p[:at+len(low)])
		case len(low) > 2 && strings.TrimSuffix(l, path.Ext(l)) == low:
			stem = p
		}
	}
	if ends = slices.Compact(ends); len(ends) == 0 && stem != "" {
		return []string{stem}
	}
	return ends[:min(len(ends), 20)]
}

// lower makes A to Z small, and leaves s as long as it is.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// limits says in words what bounds the view.
func (v *view) limits() string {
	var names []string
	for _, r := range v.revs {
		names = append(names, r.name)
	}
	s := ""
	for _, limit := range []struct{ word, value string }{
		{", by ", v.author}, {", ", v.when}, {", at ", strings.Join(names, "..")}, {", in ", strings.Join(v.paths, " and ")}, {", about ", v.text},
	} {
		if limit.value != "" {
			s += limit.word + limit.value
		}
	}
	return s
}
