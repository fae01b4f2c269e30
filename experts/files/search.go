package files

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/plain"
)

// hit is a line that a search found, or one beside it.
type hit struct {
	path   string
	line   int
	text   string
	beside bool
}

func (h hit) String() string {
	if h.beside {
		return fmt.Sprintf("%s-%d- %s", h.path, h.line, strings.TrimSpace(h.text))
	}
	return fmt.Sprintf("%s:%d: %s", h.path, h.line, strings.TrimSpace(h.text))
}

// found is the outcome of a search: at most maxData hits, and how many there are.
type found struct {
	hits         []hit
	files        []string // with a hit
	others       []string // without one
	lines, times int
	of           []map[string]bool // the files that hold each pattern
}

// search is what to look for: lines with one of the patterns, or with all.
type search struct {
	patterns      []*regexp.Regexp
	except        *regexp.Regexp // lines that are none; nil: there are no such
	all, inverted bool
	before, after int // lines beside a hit
}

// scan looks for lines.
func (t *tree) scan(ctx context.Context, s scope, look search) (found, error) {
	f := found{of: make([]map[string]bool, len(look.patterns))}
	for i := range look.patterns {
		f.of[i] = map[string]bool{}
	}
	paths, err := t.files(ctx, s)
	for _, p := range paths {
		body, _, readErr := t.text(p) // among many, what cannot be read holds nothing
		if ctx.Err() != nil || readErr != nil && len(s.files) == 1 {
			return f, cmp.Or(ctx.Err(), readErr)
		}
		if f.look(p, body, look) {
			f.files = append(f.files, p)
		} else if readErr == nil {
			f.others = append(f.others, p)
		}
	}
	return f, err
}

// look adds the hits in one file, and tells whether there are any.
func (f *found) look(p, body string, look search) (some bool) {
	lines := split(body)
	shown := 0 // the lines before are
	for n, line := range lines {
		fit := 0
		for i, re := range look.patterns {
			if m := len(re.FindAllStringIndex(strings.TrimRight(line, "\r"), -1)); m > 0 {
				fit++
				f.times += m
				f.of[i][p] = true
			}
		}
		if (fit == len(look.patterns) || fit > 0 && !look.all) == look.inverted || look.except != nil && look.except.MatchString(line) {
			continue
		}
		some = true
		f.lines++
		if i := slices.IndexFunc(f.hits, func(h hit) bool { return h.path == p && h.line == n+1 }); i >= 0 && look.before+look.after > 0 {
			f.hits[i].beside = false
		}
		for at := max(shown, n-look.before); at <= min(n+look.after, len(lines)-1) && len(f.hits) < maxData; at++ {
			f.hits = append(f.hits, hit{p, at + 1, tidy(lines[at]), at != n})
			shown = at + 1
		}
	}
	return some
}

// data is what was found, for programs.
func (f found) data() map[string]any {
	rows := []any{}
	for _, h := range f.hits {
		row := map[string]any{"path": h.path, "line": float64(h.line), "text": h.text}
		if h.beside {
			row["beside"] = true
		}
		rows = append(rows, row)
	}
	return map[string]any{"matches": rows, "files": cut(f.files, maxData), "total": float64(f.lines), "times": float64(f.times), "truncated": f.lines > len(rows)}
}

// shown are the hits in a code block.
func (f found) shown() string {
	var lines []string
	for _, h := range f.hits[:min(len(f.hits), maxShown)] {
		lines = append(lines, h.String())
	}
	return ":\n\n" + fenced(lines, "")
}

// pattern is a text as a search looks for it: an expression if it looks like
// one, to the letter otherwise. Case matters where the text has capitals.
func pattern(text string, q query) *regexp.Regexp {
	flags := q.flags.letters
	options := []string{regexp.QuoteMeta(text)}
	if (strings.ContainsAny(text, `*[\|`) || strings.HasPrefix(text, "^") || strings.HasSuffix(text, "$")) && !strings.Contains(flags, "F") {
		expr := strings.ReplaceAll(text, `\|`, "|")
		basic := strings.NewReplacer("(", `\(`, ")", `\)`, "{", `\{`, "+", `\+`, "?", `\?`).Replace(expr)
		if options = []string{expr, basic, options[0]}; !strings.Contains(expr, "|") && !strings.Contains(flags, "E") { // parentheses that group nothing
			options = []string{basic, expr, options[0]}
		}
	}
	for _, expr := range options {
		if strings.Contains(flags, "w") {
			expr = `\b(?:` + expr + `)\b`
		}
		if strings.Contains(flags, "x") {
			expr = `^(?:` + expr + `)$`
		}
		if strings.Contains(flags, "i") || q.Mark("nocase") != "" || text == strings.ToLower(text) {
			expr = "(?i)" + expr
		}
		if re, err := regexp.Compile(expr); err == nil {
			return re
		}
	}
	return regexp.MustCompile(options[0]) // to the letter
}

// calls are expressions for the lines that call a function, and for those that define it.
func calls(name string) (call, definition *regexp.Regexp) {
	quoted := regexp.QuoteMeta(strings.TrimSuffix(name, "()"))
	return regexp.MustCompile(`\b` + quoted + `\s*\(`), regexp.MustCompile(plain.Definition(plain.Functions, quoted))
}

// grep answers with the lines that hold a text, or with the files that do.
func (t *tree) grep(ctx context.Context, q query) (core.Reply, error) {
	if q.Mark("says") != "" {
		if p := t.headed(ctx, q); p != nil {
			q.passage = p
			return t.passage(ctx, q)
		}
	}
	flags, all, ofFiles := q.flags.letters, q.Mark("all") != "", q.Mark("unit") == "file"
	look := search{all: all && !ofFiles, inverted: strings.Contains(flags, "v"), before: q.flags.before, after: q.flags.after}
	var names []string
	for _, text := range q.texts() {
		look.patterns, names = append(look.patterns, pattern(text, q)), append(names, plain.Code(text))
	}
	if q.Mark("calls") != "" && len(names) == 1 {
		look.patterns[0], look.except = calls(q.texts()[0])
	}
	f, err := t.scan(ctx, q.scope, look)
	if f.lines == 0 && err == nil { // "Nothing" is not said of what is there in other letters
		for i, re := range look.patterns {
			look.patterns[i] = regexp.MustCompile("(?i)" + re.String())
		}
		f, err = t.scan(ctx, q.scope, look)
	}
	if err != nil {
		return core.Reply{}, err
	}
	what := strings.Join(names, " "+t.Say("or")+" ")
	if look.all {
		what = strings.Join(names, " "+t.Say("and")+" ")
	}
	if look.inverted {
		what = t.Say("not %s", what)
	}
	where, data := t.where(q.scope), f.data()
	lines, files := t.Count(f.lines, "lines"), t.Count(len(f.files), "files")
	mention, one := t.Say("mention"), f.lines == 1 || ofFiles && len(f.files) == 1
	if one {
		mention = t.Say("mentions")
	}
	head := t.Say("**%s** in %s %s %s", lines, files, mention, what)
	switch {
	case strings.Contains(flags, "L"), q.Mark("lacks") != "":
		data["files"], data["total"], data["matches"] = cut(f.others, maxData), float64(len(f.others)), []any{}
		return experts.Success(t.Say("**%s** without %s in %s", t.Count(len(f.others), "files"), what, where)+":\n\n"+bullets(f.others), data), nil
	case f.lines == 0:
		return experts.Success(t.Say("**Nothing** in %s mentions %s.", where, what), data), nil
	case q.Mark("count") == "times":
		head = t.Say("**%s** in %s of %s: %s", t.Count(f.times, "times"), lines, files, what)
	case ofFiles:
		head = t.Say("**%s** %s %s (%s)", files, mention, what, lines)
	case len(q.scope.files) == 1:
		head = t.Say("**%s** of %s %s %s", lines, where, mention, what)
	}
	if ofFiles && all {
		head += "; " + t.both(f)
	}
	switch {
	case q.Mark("count") != "", strings.Contains(flags, "c"):
		return experts.Success(head+".", data), nil
	case strings.Contains(flags, "l"):
		return experts.Success(head+":\n\n"+bullets(f.files), data), nil
	}
	return experts.Success(head+t.showing(f.lines)+f.shown(), data), nil
}

// both says which files hold all the patterns.
func (t *tree) both(f found) string {
	var all []string
	for _, p := range f.files {
		if !slices.ContainsFunc(f.of, func(holds map[string]bool) bool { return !holds[p] }) {
			all = append(all, plain.Code(p))
		}
	}
	if len(all) == 0 {
		return t.Say("no file has all of them")
	}
	return t.Say("all of them are in %s", strings.Join(cut(all, 10), ", "))
}
