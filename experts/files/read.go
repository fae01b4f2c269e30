package files

import (
	"context"
	_ "embed"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"

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
	extension   = plain.LazyRegexp(`^[\w@+.()\[\]-]*[\w)\]]\.[a-z][a-z0-9]{0,5}$|^\.\w[\w.-]+$`)
	folders     = plain.LazyRegexp(`^[\w.@+~/-]*/[\w.@+/-]*$|^\.\.?$|^~|^(?:readme|license|notice|changelog|authors|contributing|makefile|dockerfile)$`)
	noPath      = plain.LazyRegexp(`^\w+://|^[\d/.]+$|^\w\.\w$`)
	identifier  = plain.LazyRegexp(`^[\pL_$][\pL\d_$]*(?:(?:\.|::|->)[\pL_$][\pL\d_$]*)*(?:\(\))?$`)
	inCode      = plain.LazyRegexp(`(?-i)[_$(){}\[\]<>=/:.#*\\]|\pL\d|\p{Ll}\p{Lu}|^\p{Lu}{2,}`)
	marker      = plain.LazyRegexp(`(?-i)^(TODO|FIXME|XXX|HACK|BUG|NOTE)s?$`)
	span        = plain.LazyRegexp(`^()(\d{1,9})(?:(?:-|–|,|\.\.|:)(\d{1,9})p?)?$`)
	fileLine    = plain.LazyRegexp(`^(.+?):(\d{1,9})(?:(?:-|–|:|,)(\d{1,9}))?$`)
	ordinal     = plain.LazyRegexp(`^()(\d{1,9})(?:st|nd|rd|th)()$`)
	beside      = plain.LazyRegexp(`(?-i)^(-[ABCL]) ?(\d{1,3})$`)
	howDoI      = plain.LazyRegexp(`^(?:how (?:do|can) i|how does one|wie kann ich|como puedo|cómo puedo) `)
	sized       = plain.LazyRegexp(`^(\d{1,9})([kmg]?)i?b?$`)
)

// query is a question as it was read.
type query struct {
	plain.Reading
	scope    scope
	named    []place   // the files that stand in the question
	readme   string    // the file that says what all of it is for
	passage  *passage  // of a document, which has what is asked for,
	sentence string    // and the sentence of it that does
	boxes    []passage // of documents, which may be ticked
	open     bool      // those that are not ticked are asked for,
	done     bool      // or those that are
	err      error     // why a place that it names cannot be looked at
	period   plain.Period
	flags    option
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
	if rest := howDoI().FindString(prompt); rest != "" && q.Score == 0 { // which says nothing before what is to be shown
		if how := grammar().Read("how do we "+prompt[len(rest):], t.slots(ctx), experts.ReadAll); how.Shape == "section" {
			q.Reading = how
		}
	}
	q.scope.dir, q.period = ".", plain.PeriodOf(q.Reading, t.now())
	if p, ok := q.Value("FILELINE").(lineSpan); ok {
		q.add(p.place)
	}
	for _, slot := range []string{"FILE", "PATH", "NAMED", "SETTINGS", "HERE", "EXISTS", "DIR", "DIRPATH"} {
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
		q.flags.letters += f.letters
		q.flags.depth = max(q.flags.depth, f.depth)
		q.flags.before, q.flags.after = max(q.flags.before, f.before), max(q.flags.after, f.after)
		if f.glob != "" {
			q.scope.globs = append(q.scope.globs, f.glob)
		}
		if f.unknown != "" {
			q.err = core.Fail(core.CodeInvalid, t.Say("I do not know the option %s.", plain.Code(f.unknown)),
				t.Say("I know %s.", "-i, -w, -x, -v, -l, -L, -c, -F, -E, -A, -B, -C, --include, -t"))
		}
	}
	if from, _ := q.Value("FROM").(lineSpan); q.number(0) > 0 && (from.last > 0 || q.Mark("also") != "" && q.number(0) != from.first+1) {
		q.Score = 0 // two spans of lines, and no one span holds just them
	}
	if as := q.Mark("as"); as != "" && !slices.ContainsFunc(t.settings(ctx)[keyOf(q.Mark("KEY"))], func(s setting) bool { return s.isKind(as) }) {
		q.Score = 0
	}
	if q.Shape == "about" || q.Shape == "section" {
		q.readme = t.readme()
		missing := q.readme == "" || q.Shape == "section" && t.sectionFor(&q) == nil
		switch {
		case missing && q.Shape == "section" && len(t.settings(ctx)[q.Mark("topic")]) > 0: // a license, in package.json
			q.Shape = "value"
		case missing:
			q.Score = 0
		}
	}
	if boxes, open, done := t.boxes(ctx, prompt); len(boxes) > 0 {
		q = query{Reading: plain.Reading{Shape: "boxes", Score: boxesBid(prompt)}, boxes: boxes, open: open, done: done}
		return q
	}
	if q.Score == 0 {
		if q.passage, q.sentence = t.passageFor(ctx, prompt); q.passage != nil {
			q.Shape, q.Score = "passage", passageBid
		}
	}
	if q.Shape == "ends" && len(q.named) == 0 {
		var all []string
		_ = t.walk(ctx, ".", func(p string, d fs.DirEntry) { // as many as can be read
			if d.Type().IsRegular() && !strings.Contains(p, "/") && !strings.HasPrefix(p, ".") {
				all = append(all, p)
			}
		})
		q.err = &plain.AmbiguousError{Message: t.Say("Of which file?"), Options: cut(all, 10)}
	}
	return q
}

func (q *query) add(p place) {
	q.named = append(q.named, p)
	if q.err == nil {
		q.err = p.err
	}
	if p.isDir {
		q.scope.dir = p.path
	} else {
		q.scope.files = append(q.scope.files, p.path)
	}
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
	for _, slot := range []string{"TEXT", "SURE", "CODE", "BARE", "ANY", "WORD", "MARKER", "MARKED", "NAME"} {
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
	word := func(score float64, fits func(w plain.Token) bool) plain.Slot {
		return plain.One(func(w plain.Token) (any, float64) { return w.Text, plain.ScoreIf(fits(w), score) })
	}
	return plain.WithTimes(map[string]plain.Slot{
		"FILE": where(func(place, plain.Token) bool { return true }),
		"PATH": where(func(_ place, w plain.Token) bool { return isPath(w.Text) }),
		"NAMED": plain.One(func(w plain.Token) (any, float64) {
			p, _ := t.place(ctx, w)
			return p, plain.ScoreIf(isPath(w.Text), experts.ReadAll)
		}),
		"SETTINGS": where(func(p place, _ plain.Token) bool { return p.err == nil && isSettings(p.path) }),
		"HERE": where(func(p place, w plain.Token) bool {
			return core.CodeOf(p.err) != core.CodeNotFound && !p.isDir && isPath(w.Text)
		}),
		"EXISTS":  where(func(p place, _ plain.Token) bool { return p.err == nil }),
		"DIR":     where(func(p place, _ plain.Token) bool { return p.isDir }),
		"DIRPATH": where(func(p place, w plain.Token) bool { return p.isDir || strings.HasSuffix(w.Text, "/") || w.Text == ".." }),
		"GLOB":    word(experts.ReadAll, func(w plain.Token) bool { return isGlob(w.Text) }),
		"ANY":     word(experts.ReadOperand, func(plain.Token) bool { return true }),
		"BARE":    word(experts.Understood, func(w plain.Token) bool { return !grammar().Has(w.Text) }),
		"WORD":    word(experts.ReadOperand, func(w plain.Token) bool { return !grammar().Has(w.Text) || w.Quoted }),
		"STEM":    word(experts.ReadOperand, func(w plain.Token) bool { return !grammar().Has(w.Text) || w.Quoted }),
		"PIPE":    word(experts.ReadAll, func(w plain.Token) bool { return w.Text == "|" }),
		"KIND": plain.One(func(w plain.Token) (any, float64) {
			glob := kind(strings.ToLower(w.Text))
			return glob, plain.ScoreIf(glob != "" && !w.Quoted, experts.ReadAll)
		}),
		"TEXT": {Most: 6, Read: text},
		"KEY":  {Most: 3, Read: func(list []plain.Token) (any, float64) { return t.key(ctx, list) }},
		"SURE": plain.One(func(w plain.Token) (any, float64) { return w.Text, codeLike(w, experts.Understood, 0) }),
		"CODE": plain.One(func(w plain.Token) (any, float64) { return w.Text, codeLike(w, 0, 0) }),
		"NAME": plain.One(name),
		"MARKER": plain.One(func(w plain.Token) (any, float64) {
			return strings.TrimSuffix(w.Text, "s"), plain.ScoreIf(marker().MatchString(w.Text), experts.ReadAll)
		}),
		"MARKED": plain.One(func(w plain.Token) (any, float64) {
			s := strings.ToUpper(w.Text)
			return strings.TrimSuffix(s, "S"), plain.ScoreIf(slices.Contains([]string{"TODOS", "FIXME", "FIXMES", "HACKS"}, s), experts.ReadOperand)
		}),
		"EXT": plain.One(func(w plain.Token) (any, float64) {
			ext := strings.TrimLeft(w.Text, "*.")
			return "*." + ext, plain.ScoreIf(ext != "" && len(ext) < 8 && !strings.ContainsAny(ext, "/ "), experts.ReadOperand)
		}),
		"FROM":    plain.One(func(w plain.Token) (any, float64) { return between(place{}, span().FindStringSubmatch(w.Text)) }),
		"ORDINAL": plain.One(func(w plain.Token) (any, float64) { return between(place{}, ordinal().FindStringSubmatch(w.Text)) }),
		"FILELINE": plain.One(func(w plain.Token) (any, float64) {
			m := fileLine().FindStringSubmatch(w.Text)
			if m == nil {
				return nil, 0
			}
			p, score := t.place(ctx, plain.Token{Text: m[1]})
			v, _ := between(p, m)
			return v, score
		}),
		"COUNT": plain.Count(experts.ReadAll),
		"SIZE":  plain.One(size),
		"FLAG":  {Most: 2, Read: flagOf},
	})
}

// between are the lines of p that an expression found in a word.
func between(p place, m []string) (any, float64) {
	if m == nil {
		return nil, 0
	}
	return lineSpan{p, plain.Number(m[2]), plain.Number(m[3])}, experts.ReadAll
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

// isGlob tells whether a word is a wildcard, and no product or power.
func isGlob(s string) bool {
	base := path.Base(s)
	return s[0] != '-' && strings.ContainsAny(base, "*?[") && !strings.ContainsAny(s, " ()\\") &&
		(base == "*" || strings.ContainsFunc(base, unicode.IsLetter) && (strings.Contains(s, ".") || strings.Trim(base, "*?") != base))
}

// text is what is searched for: what is quoted, one word, or a few that join
// nothing and state nothing.
func text(list []plain.Token) (any, float64) {
	if slices.ContainsFunc(list, func(w plain.Token) bool { return strings.Trim(w.Text, "\"'") == "" }) {
		return nil, 0
	}
	if len(list) == 1 {
		return list[0].Text, experts.ReadOperand
	}
	var all []string
	for i, w := range list {
		low := plain.Fold(w.Text)
		if w.Quoted || slices.Contains(strings.Fields("and or then also und oder dann y o the who what which how when in wer was wie quien que"), low) ||
			i == 0 && slices.Contains(strings.Fields("is are was were ist sind es son"), low) || i == 0 && strings.HasPrefix(low, "-") {
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
	case w.Quoted, inCode().MatchString(w.Text):
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
	return n, plain.ScoreIf(m[2] != "" || strings.HasSuffix(strings.ToLower(w.Text), "b"), experts.ReadAll)
}

// option is a flag of grep, ls, tree, wc, du or diff, or all flags of a question.
type option struct {
	letters, glob, unknown string
	before, after          int // lines beside a hit
	depth                  int // of a tree
}

// flagOf reads letters, with the word behind them where they take one.
func flagOf(list []plain.Token) (any, float64) {
	s := list[0].Text
	if len(s) < 2 || s[0] != '-' || list[0].Quoted {
		return nil, 0
	}
	name, value, given := strings.Cut(strings.TrimPrefix(s, "--"), "=")
	if m := beside().FindStringSubmatch(s); m != nil && len(list) == 1 && m[2] != "" {
		name, value, given = m[1], m[2], true
	}
	if len(list) == 2 {
		if given {
			return nil, 0
		}
		value, given = list[1].Text, true
	}
	n := plain.Number(value)
	switch {
	case given && slices.Contains([]string{"-t", "type", "--type"}, name):
		return option{glob: kind(value)}, plain.ScoreIf(kind(value) != "", experts.ReadAll)
	case given && slices.Contains([]string{"-g", "glob", "include"}, name):
		return option{glob: plain.Unquote(value)}, experts.ReadAll
	case given && slices.Contains([]string{"-A", "after-context"}, name):
		return option{after: n}, plain.ScoreIf(n > 0, experts.ReadAll)
	case given && slices.Contains([]string{"-B", "before-context"}, name):
		return option{before: n}, plain.ScoreIf(n > 0, experts.ReadAll)
	case given && slices.Contains([]string{"-C", "context"}, name):
		return option{before: n, after: n}, plain.ScoreIf(n > 0, experts.ReadAll)
	case given && name == "-L":
		return option{depth: n}, plain.ScoreIf(n > 0, experts.ReadAll)
	case given:
		return nil, 0
	}
	letters := strings.TrimLeft(s, "-")
	for long, letter := range map[string]string{"ignore-case": "i", "word-regexp": "w", "invert-match": "v", "files-with-matches": "l", "count": "c", "recursive": "r", "line-number": "n", "fixed-strings": "F", "lines": "l", "words": "w", "bytes": "c", "all": "a"} {
		if letters == long {
			letters = letter
		}
	}
	if strings.HasPrefix(s, "--") && len(letters) > 1 || strings.Trim(letters, "irRnwxvlLcEFHhsaImd1u") != "" {
		return option{unknown: letters}, experts.Understood
	}
	return option{letters: letters}, experts.ReadAll
}
