package git

import (
	"cmp"
	"context"
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/plain"
)

var (
	//go:embed words.txt
	words string
	//go:embed replies.txt
	replies string
)

//nolint:gochecknoglobals // never change; see plain.LazyRegexp
var (
	grammar     = sync.OnceValue(func() *plain.Grammar { return plain.NewGrammar(plain.SharedWords + words) })
	translators = sync.OnceValue(func() map[string]plain.Translator { return plain.NewTranslators(replies) })
	hexes       = plain.LazyRegexp(`^[0-9a-f]{7,40}$`)
	headish     = plain.LazyRegexp(`(?-i)^(?:HEAD|@)(?:[~^]\d*)*$`)
	refish      = plain.LazyRegexp(`^[\w][\w./-]*(?:[~^]\d*)*$`)
	version     = plain.LazyRegexp(`^v\d+(?:\.\d+)*$`)
	pathName    = plain.LazyRegexp(`^[\w@.+-]*\w\.[a-z]\w{0,9}$|^[\w@.+-]+/[\w./@+-]*$`)
	wellKnown   = plain.LazyRegexp(`^(?:(?:docker|make|jenkins|vagrant|proc|gem|rake|pip|brew)file|readme|licen[cs]e|changelog|codeowners)$`) // files without an ending
	ranges      = plain.LazyRegexp(`^([^.].*?)\.{2,3}([^.].*)$`)
	lineSpan    = plain.LazyRegexp(`^(\d{1,9})(?:[-–,](\d{1,9}))?$`)
	fileLine    = plain.LazyRegexp(`^(.+?):(\d{1,9})(?:[-–,:](\d{1,9}))?$`)
	logOption   = plain.LazyRegexp(`^--(author|since|after|until|before|grep)="?([^"]+)"?$`)
	option      = plain.LazyRegexp(`(?-i)^--?[a-zA-Z][\w-]*$`)
	spoken      = plain.LazyRegexp("(?-i)`([0-9a-f]{7,40})`") // a commit as an answer shows it
	inCode      = plain.LazyRegexp(`(?-i)[_$(){}\[\]<>=/:.#*]|\pL\d|\p{Ll}\p{Lu}|^\p{Lu}{2,}`)
	identifier  = plain.LazyRegexp(`(?-i)^[\pL_]\w*$`)
	named       = plain.LazyRegexp(`(?-i)^[\pL_$][\pL\d_$.]*(?:\(\))?$`)
)

// place is a file or folder of a question: the tracked files that it stands
// for, or what is written like a path and may have been one.
type place struct {
	name  string
	specs []string
	lines [2]int
}

// read reads a question, and a follow-up by what was said before. A text that
// is not about the history has the score 0. With wait it is read by what is in
// the repository now.
func (e expert) read(ctx context.Context, prompt string, said []core.Message, wait bool) (plain.Reading, *view) {
	known := e.known(ctx, wait)
	slots := known.slots()
	r := grammar().Read(prompt, slots, experts.ReadAll)
	v := e.view(r)
	v.authors = known.whole(v.authors, prompt)
	if r.Shape != "act" && unknowable().MatchString(prompt) {
		return plain.Reading{}, v
	}
	if r.Shape == "log" && len(v.authors) > 0 && toDo().MatchString(prompt) {
		return plain.Reading{}, v // what is to be done is in no history
	}
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(prompt)), " ")
	if r.Shape != "act" && slices.Contains([]string{"delete", "remove", "erase", "lösche", "entferne", "borra", "elimina"}, first) {
		return plain.Reading{}, v // an order, and no question for what was deleted
	}
	switch r.Shape {
	case "act":
		r.Score = min(r.Score, experts.Understood)
	case "blame":
		if len(v.places[0].specs) > 1 {
			r.Score = min(r.Score, experts.Understood)
		}
	case "more", "it":
		before, asked := grammar().Read("", slots, 0), (*view)(nil)
		for _, m := range slices.Backward(said) {
			if m.Role != core.RoleUser || m.Text == prompt {
				continue
			}
			if before = grammar().Read(m.Text, slots, experts.ReadAll); !slices.Contains([]string{"", "more", "it", "act"}, before.Shape) {
				asked = e.view(before)
				break
			}
		}
		if r.Shape == "it" {
			return e.it(r, v, asked, said)
		}
		if asked == nil {
			return plain.Reading{}, v
		}
		if before.Score = min(r.Score, experts.ReadOperand); r.Mark("counted") != "" && (before.Shape == "log" || before.Shape == "contributors") {
			before.Shape, asked.asked.Shape = "number", "number"
		}
		return before, asked.with(v)
	}
	return r, v
}

// unknowable is what sounds like a question for the last Monday, or for who made the most
// commits, and is none.
//
//nolint:gochecknoglobals // compiled once and never changed
var unknowable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days|montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags)\b|\b(?:biggest|largest|smallest|longest) commits?\b`)
})

//nolint:gochecknoglobals // never changes; see plain.LazyRegexp
var toDo = plain.LazyRegexp(`\b(?:(?:have|has|had|needs?|left) to|ha(?:s|ve) got to|must|should|muss|soll|tiene que|debe)\b`)

// it reads a question about the commit that was spoken of last, or else about
// the file.
func (e expert) it(r plain.Reading, v, asked *view, said []core.Message) (plain.Reading, *view) {
	r.Score = min(r.Score, experts.ReadOperand)
	for _, m := range slices.Backward(said) {
		if m.Role == core.RoleUser {
			continue
		}
		if hash := spoken().FindStringSubmatch(m.Text); hash != nil {
			v.revs, r.Shape = []rev{{name: hash[1]}}, "show"
			return r, v
		}
		break
	}
	if asked == nil || len(asked.places) == 0 {
		return plain.Reading{}, v
	}
	v.places, r.Shape = asked.places, "who"
	return r, v
}

// slots read the words that stand for what is in the repository.
func (f *facts) slots() map[string]plain.Slot {
	text := func(fits func(w plain.Token) bool) plain.Slot {
		return plain.One(func(w plain.Token) (any, float64) { return w.Text, plain.ScoreIf(fits(w), experts.ReadOperand) })
	}
	branch := plain.One(func(w plain.Token) (any, float64) {
		return rev{name: w.Text}, plain.ScoreIf(f.refs[w.Text] != "", experts.ReadAll)
	})
	return plain.WithTimes(map[string]plain.Slot{
		"REV": plain.One(f.rev),
		"TOPIC": plain.One(func(w plain.Token) (any, float64) {
			return w.Text, plain.ScoreIf(f.topics[strings.ToLower(w.Text)] && (w.Quoted || !grammar().Has(w.Text)), experts.ReadOperand)
		}),
		"BRANCH":  branch,
		"BRANCHY": branch,
		"HASH": plain.One(func(w plain.Token) (any, float64) {
			return rev{name: w.Text}, plain.ScoreIf(isHash(w.Text), experts.ReadAll)
		}),
		"HEX": plain.One(func(w plain.Token) (any, float64) { // which is no number either
			return rev{name: w.Text}, plain.ScoreIf(isHash(w.Text) && strings.ContainsAny(w.Text, "abcdefABCDEF@"), experts.ReadAll)
		}),
		"RANGE": plain.One(func(w plain.Token) (any, float64) {
			m := ranges().FindStringSubmatch(w.Text)
			if m == nil || !refish().MatchString(m[1]) || !refish().MatchString(m[2]) {
				return nil, 0
			}
			return []rev{{name: m[1], fork: strings.Contains(w.Text, "...")}, {name: m[2]}}, experts.ReadAll
		}),
		"ODD": plain.One(func(w plain.Token) (any, float64) {
			return rev{name: w.Text}, plain.ScoreIf(!grammar().Has(w.Text) && refish().MatchString(w.Text), experts.Understood)
		}),
		"PATH": plain.One(f.place),
		"FILELINE": plain.One(func(w plain.Token) (any, float64) {
			m := fileLine().FindStringSubmatch(w.Text)
			if m == nil {
				return nil, 0
			}
			p, score := f.place(plain.Token{Text: m[1]})
			at, _ := p.(place)
			at.lines = [2]int{plain.Number(m[2]), plain.Number(m[3])}
			return at, score
		}),
		"LINES": {Most: 3, Read: lines},
		"COUNT": plain.Count(experts.ReadAll),
		"DASHED": plain.One(func(w plain.Token) (any, float64) {
			n := plain.Number(strings.TrimPrefix(w.Text, "-"))
			return n, plain.ScoreIf(n > 0 && w.Text[0] == '-', experts.ReadAll)
		}),
		"AUTHOR": {Most: 3, Read: func(list []plain.Token) (any, float64) {
			var all []string
			for _, w := range list {
				all = append(all, w.Text)
			}
			name := strings.TrimSuffix(strings.TrimSuffix(strings.Join(all, " "), "'s"), "s'")
			return name, plain.ScoreIf(f.wrote(name), experts.ReadAll)
		}},
		"TEXT": {Most: 4, Read: func(list []plain.Token) (any, float64) {
			var all []string
			for _, w := range list {
				if len(list) > 1 && (w.Quoted || grammar().Has(w.Text)) {
					return nil, 0
				}
				all = append(all, w.Text)
			}
			return strings.Join(all, " "), experts.ReadOperand
		}},
		"CODE": text(func(w plain.Token) bool {
			return w.Quoted || inCode().MatchString(w.Text) && !pathName().MatchString(w.Text) && !version().MatchString(w.Text)
		}),
		"FUNC":   text(func(w plain.Token) bool { return identifier().MatchString(w.Text) }),
		"NAME":   text(func(w plain.Token) bool { return named().MatchString(w.Text) && !grammar().Has(w.Text) }),
		"PICKED": text(func(plain.Token) bool { return true }),
		"OPTLOG": plain.One(func(w plain.Token) (any, float64) {
			m := logOption().FindStringSubmatch(w.Text)
			if m == nil {
				return nil, 0
			}
			kind, value := strings.ToLower(m[1]), m[2]
			fits := kind == "grep" || kind == "author" && f.wrote(value) || period(kind, value).Score > 0
			return [2]string{kind, value}, plain.ScoreIf(fits, experts.ReadOperand)
		}),
		"SHORT":  text(func(w plain.Token) bool { return option().MatchString(w.Text) }),
		"OPTION": text(func(w plain.Token) bool { return option().MatchString(w.Text) }),
	})
}

// period reads the time of an option such as --since. Git takes a day that it
// ends with for a part of it, and one after which it begins too.
func period(kind, value string) plain.Reading {
	edge := map[string]string{"since": "since", "after": "since"}[kind]
	return grammar().Read("commits "+cmp.Or(edge, "until")+" "+value, plain.WithTimes(map[string]plain.Slot{}), 1)
}

func isHash(s string) bool {
	return headish().MatchString(s) || hexes().MatchString(s) && strings.ContainsAny(s, "0123456789")
}

// rev is a branch, a tag or a commit; what looks like a version but is not
// there may be asked about.
func (f *facts) rev(w plain.Token) (any, float64) {
	r := rev{name: w.Text}
	base, _, _ := strings.Cut(strings.ReplaceAll(w.Text, "^", "~"), "~")
	switch {
	case f.refs[base] != "" && !w.Quoted, isHash(w.Text):
		return r, experts.ReadAll
	case version().MatchString(w.Text):
		return r, experts.Understood
	}
	return nil, 0
}

// place finds the tracked files that a word stands for: a path, a folder, a
// wildcard, the name of a file with its extension or without.
func (f *facts) place(w plain.Token) (any, float64) {
	low := strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(w.Text, "./"), "/"))
	p := place{name: w.Text}
	for _, names := range []map[string][]string{f.paths, f.names, f.stems} {
		if found := names[low]; len(found) > 0 {
			for _, name := range found[:min(len(found), maxShown)] {
				p.specs = append(p.specs, ":(literal)"+name)
			}
			return p, experts.ReadAll
		}
	}
	switch {
	case strings.ContainsAny(w.Text, "*?") && !strings.ContainsAny(w.Text, " :()"):
		p.specs = []string{":(icase,glob)**/" + w.Text}
		return p, experts.ReadAll
	case wellKnown().MatchString(w.Text): // deleted, or never there: git will know
		p.specs = []string{":(icase,glob)**/" + w.Text}
		return p, experts.ReadAll
	case pathName().MatchString(w.Text), w.Quoted && !strings.Contains(w.Text, " ") && strings.ContainsAny(w.Text, "./"):
		p.specs = []string{":(literal)" + w.Text}
		return p, experts.Understood
	}
	return nil, 0
}

func lines(list []plain.Token) (any, float64) {
	s := list[0].Text
	if len(list) == 3 && slices.Contains([]string{"to", "through", "bis", "a", "-"}, plain.Fold(list[1].Text)) {
		s += "-" + list[2].Text
	} else if len(list) > 1 {
		return nil, 0
	}
	m := lineSpan().FindStringSubmatch(s)
	if m == nil {
		return nil, 0
	}
	return [2]int{plain.Number(m[1]), plain.Number(m[2])}, experts.ReadAll
}
