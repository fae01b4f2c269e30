package files

import (
	"context"
	_ "embed"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"yaap/core"
	"yaap/experts"
	"yaap/experts/plain"
)

//go:embed words.txt
var words string

//nolint:gochecknoglobals // never change; see plain.Expr
var (
	grammar    = sync.OnceValue(func() *plain.Grammar { return plain.NewGrammar(plain.SharedWords + words) })
	extension  = plain.Expr(`^[\w@+.()\[\]-]*[\w)\]]\.[a-z][a-z0-9]{0,5}$|^\.\w[\w.-]+$`)
	folders    = plain.Expr(`^[\w.@+~/-]*/[\w.@+/-]*$|^\.\.?$|^~|^(?:readme|license|notice|changelog|authors|contributing|makefile|dockerfile)$`)
	noPath     = plain.Expr(`^\w+://|^[\d/.]+$|^\w\.\w$`)
	identifier = plain.Expr(`^[\pL_$][\pL\d_$]*(?:(?:\.|::|->)[\pL_$][\pL\d_$]*)*(?:\(\))?$`)
	inCode     = regexp.MustCompile(`[_$(){}\[\]<>=/:.#*\\]|\pL\d|\p{Ll}\p{Lu}|^\p{Lu}{2,}`)
	marker     = regexp.MustCompile(`^(TODO|FIXME|XXX|HACK|BUG|NOTE)s?$`)
	span       = plain.Expr(`^(\d{1,9})(?:(?:-|–|,|\.\.|:)(\d{1,9})p?)?$`)
	fileLine   = plain.Expr(`^(.+?):(\d{1,9})(?:(?:-|–|:|,)(\d{1,9}))?$`)
	ordinal    = plain.Expr(`^(\d{1,9})(?:st|nd|rd|th)$`)
	sized      = plain.Expr(`^(\d{1,9})([kmg]?)i?b?$`)
)

// query is a question as it was read.
type query struct {
	plain.Reading
	scope scope
	named []place // the files that stand in the question

	period plain.Period
}

// place is a file or folder that a question names, or why there is none.
type place struct {
	name, path string
	isDir      bool
	err        error
}

// lineSpan is some lines of a file; last is 0 for one line.
type lineSpan struct {
	place       place
	first, last int
}

// read reads a question. A question that is not about files has the score 0.
func (t *tree) read(ctx context.Context, prompt string) query {
	q := query{Reading: grammar().Read(prompt, t.slots(ctx), experts.ReadAll)}
	q.scope.dir, q.period = ".", plain.PeriodOf(q.Reading, t.now())
	if p, ok := q.Value("FILELINE").(lineSpan); ok {
		q.add(p.place)
	}
	for _, slot := range []string{"FILE", "PATH", "EXISTS", "DIR", "DIRPATH"} {
		for _, p := range plain.Values[place](q.Reading, slot) {
			q.add(p)
		}
	}
	for _, glob := range append(plain.Values[string](q.Reading, "KIND"), plain.Values[string](q.Reading, "GLOB")...) {
		q.scope.globs = append(q.scope.globs, path.Base(glob))
		if strings.Contains(glob, "/") {
			q.scope.dir = path.Dir(glob)
		}
	}
	for _, f := range plain.Values[option](q.Reading, "FLAG") {
		if f.glob != "" {
			q.scope.globs = append(q.scope.globs, f.glob)
		}
	}
	return q
}

func (q *query) add(p place) {
	q.named = append(q.named, p)
	if p.isDir {
		q.scope.dir = p.path
	} else {
		q.scope.file, q.scope.files = p.path, append(q.scope.files, p.path)
	}
}

// err is why a place that the question names cannot be looked at.
func (q *query) err() error {
	for _, p := range q.named {
		if p.err != nil {
			return p.err
		}
	}
	return nil
}

// number returns what the slot N read, or else what is usual.
func (q *query) number(usual int) int {
	if n, ok := q.Value("N").(int); ok {
		return n
	}
	return usual
}

// texts are what is searched for.
func (q *query) texts() (all []string) {
	for _, slot := range []string{"TEXT", "SURE", "CODE", "BARE", "MARKER", "NAME"} {
		all = append(all, plain.Values[string](q.Reading, slot)...)
	}
	return all
}

// slots read the words that stand for what is in the directory.
func (t *tree) slots(ctx context.Context) map[string]plain.Slot {
	where := func(fits func(p place, w plain.Token) bool) plain.Slot {
		return plain.One(func(w plain.Token) (any, float64) {
			p, score := t.place(ctx, w)
			if !fits(p, w) {
				return nil, 0
			}
			return p, score
		})
	}
	return plain.WithTimes(map[string]plain.Slot{
		"FILE":    where(func(place, plain.Token) bool { return true }),
		"PATH":    where(func(_ place, w plain.Token) bool { return isPath(w.Text) }),
		"EXISTS":  where(func(p place, _ plain.Token) bool { return p.err == nil }),
		"DIR":     where(func(p place, _ plain.Token) bool { return p.isDir }),
		"DIRPATH": where(func(p place, w plain.Token) bool { return p.isDir || strings.HasSuffix(w.Text, "/") || w.Text == ".." }),
		"GLOB": plain.One(func(w plain.Token) (any, float64) {
			return w.Text, plain.Sure(strings.ContainsAny(path.Base(w.Text), "*?[") && !strings.ContainsAny(w.Text, " ()\\"), experts.ReadAll)
		}),
		"KIND": plain.One(func(w plain.Token) (any, float64) {
			glob := kind(strings.ToLower(w.Text))
			return glob, plain.Sure(glob != "" && !w.Quoted, experts.ReadAll)
		}),
		"TEXT": {Most: 6, Read: text},
		"SURE": plain.One(func(w plain.Token) (any, float64) { return w.Text, codeLike(w, 0.6, 0) }),
		"CODE": plain.One(func(w plain.Token) (any, float64) { return w.Text, codeLike(w, 0, 0) }),
		"BARE": plain.One(func(w plain.Token) (any, float64) {
			return w.Text, plain.Sure(!grammar().Has(w.Text), experts.Understood)
		}),
		"NAME": plain.One(name),
		"MARKER": plain.One(func(w plain.Token) (any, float64) {
			return strings.TrimSuffix(w.Text, "s"), plain.Sure(marker.MatchString(w.Text), experts.ReadAll)
		}),
		"STEM": plain.One(func(w plain.Token) (any, float64) {
			return w.Text, plain.Sure(!grammar().Has(w.Text) || w.Quoted, experts.ReadOperand)
		}),
		"EXT": plain.One(func(w plain.Token) (any, float64) {
			ext := strings.TrimLeft(w.Text, "*.")
			return "*." + ext, plain.Sure(ext != "" && len(ext) < 8 && !strings.ContainsAny(ext, "/ "), experts.ReadOperand)
		}),
		"FROM": plain.One(func(w plain.Token) (any, float64) {
			m := span().FindStringSubmatch(w.Text)
			if m == nil {
				return nil, 0
			}
			return lineSpan{first: plain.Number(m[1]), last: plain.Number(m[2])}, experts.ReadAll
		}),
		"ORDINAL": plain.One(func(w plain.Token) (any, float64) {
			m := ordinal().FindStringSubmatch(w.Text)
			if m == nil {
				return nil, 0
			}
			return lineSpan{first: plain.Number(m[1])}, experts.ReadAll
		}),
		"PIPE": plain.One(func(w plain.Token) (any, float64) { return nil, plain.Sure(w.Text == "|", experts.ReadAll) }),
		"FILELINE": plain.One(func(w plain.Token) (any, float64) {
			m := fileLine().FindStringSubmatch(w.Text)
			if m == nil {
				return nil, 0
			}
			p, score := t.place(ctx, plain.Token{Text: m[1]})
			return lineSpan{p, plain.Number(m[2]), plain.Number(m[3])}, score
		}),
		"COUNT": plain.Count(experts.ReadAll),
		"SIZE":  plain.One(size),
		"FLAG":  {Most: 2, Read: flag},
	})
}

// place finds what a word stands for. A word that is neither there nor looks
// like a path is no place.
func (t *tree) place(ctx context.Context, w plain.Token) (place, float64) {
	p := place{name: w.Text}
	p.path, p.isDir, p.err = t.resolve(ctx, w.Text)
	switch {
	case p.err == nil && (isPath(w.Text) || w.Quoted || t.holds(w.Text)):
		return p, experts.ReadAll
	case p.err == nil:
		return p, experts.ReadOperand
	case isPath(w.Text), core.CodeOf(p.err) != core.CodeNotFound && len(w.Text) > 1:
		return p, experts.Understood
	}
	return p, 0
}

// isPath tells whether a word is written like a path.
func isPath(s string) bool {
	return (extension().MatchString(s) || folders().MatchString(s)) && !noPath().MatchString(s)
}

// text is what is searched for: what is quoted, one word, or a few that join
// nothing.
func text(list []plain.Token) (any, float64) {
	if len(list) == 1 {
		return list[0].Text, experts.ReadOperand
	}
	var all []string
	for _, w := range list {
		low := plain.Fold(w.Text)
		if w.Quoted || slices.Contains(strings.Fields("and or then also und oder dann y o the who what which how when in wer was wie quien que"), low) {
			return nil, 0
		}
		all = append(all, w.Text)
	}
	return strings.Join(all, " "), experts.Understood
}

// codeLike scores a word by how much it looks like a piece of code or was
// quoted; a capital letter and a plain word have scores of their own.
func codeLike(w plain.Token, capital, other float64) float64 {
	first := []rune(w.Text)[0]
	switch {
	case w.Quoted, inCode.MatchString(w.Text):
		return experts.ReadOperand
	case string(first) != strings.ToLower(string(first)):
		return capital
	}
	return other
}

// name is a name in code, with its package or without.
func name(w plain.Token) (any, float64) {
	if !identifier().MatchString(w.Text) || grammar().Has(w.Text) && !w.Quoted {
		return nil, 0
	}
	s := strings.TrimSuffix(w.Text, "()")
	return s[max(strings.LastIndexAny(s, ".:>")+1, 0):], codeLike(w, experts.ReadOperand, experts.Understood)
}

func size(w plain.Token) (any, float64) {
	m := sized().FindStringSubmatch(w.Text)
	if m == nil {
		return nil, 0
	}
	n := plain.Number(m[1])
	for range strings.Index(" kmg", strings.ToLower(m[2] + " ")[:1]) {
		n <<= 10
	}
	return n, plain.Sure(m[2] != "" || strings.HasSuffix(strings.ToLower(w.Text), "b"), experts.ReadAll)
}

// option is a flag of grep, ls, tree, wc, du or diff.
type option struct {
	letters, glob string
	unknown       bool
}

// flag reads letters, with the word behind them where they take one.
func flag(list []plain.Token) (any, float64) {
	s := list[0].Text
	if len(s) < 2 || s[0] != '-' || list[0].Quoted {
		return nil, 0
	}
	long, value, given := strings.Cut(strings.TrimPrefix(s, "--"), "=")
	if len(list) == 2 {
		value = list[1].Text
	}
	takes := len(list) == 2 || given
	switch {
	case takes && slices.Contains([]string{"-t", "type", "--type"}, long):
		return option{glob: kind(value)}, plain.Sure(kind(value) != "", experts.ReadAll)
	case takes && slices.Contains([]string{"-g", "glob", "include"}, long):
		return option{glob: value}, experts.ReadAll
	case takes:
		return nil, 0
	}
	letters := strings.TrimLeft(s, "-")
	for name, letter := range map[string]string{"ignore-case": "i", "word-regexp": "w", "invert-match": "v", "files-with-matches": "l", "count": "c", "recursive": "r", "line-number": "n", "fixed-strings": "F", "lines": "l", "words": "w", "bytes": "c", "all": "a"} {
		if letters == name {
			letters = letter
		}
	}
	if strings.HasPrefix(s, "--") && len(letters) > 1 || strings.Trim(letters, "irRnwvlcEFHhsSaItmd1u") != "" {
		return option{letters: letters, unknown: true}, experts.Understood
	}
	return option{letters: letters}, experts.ReadAll
}
