package files

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"yaap/core"
	"yaap/experts"
	"yaap/experts/plain"
)

// hit is a line that a search found.
type hit struct {
	path string
	line int
	text string
}

func (h hit) String() string {
	return fmt.Sprintf("%s:%d: %s", h.path, h.line, strings.TrimSpace(h.text))
}

// found is the outcome of a search: at most maxData hits, and how many there are.
type found struct {
	hits         []hit
	files        []string
	counts       map[string]int // of lines by file
	lines, times int
	of           []map[string]bool // the files that hold each pattern
}

// scan looks for lines with one of the patterns, or with all of them.
func (t *tree) scan(ctx context.Context, s scope, patterns []*regexp.Regexp, all, inverted bool) (found, error) {
	f := found{counts: map[string]int{}}
	for range patterns {
		f.of = append(f.of, map[string]bool{})
	}
	paths, err := t.files(ctx, s)
	for _, p := range paths {
		body, _, readErr := t.text(p)
		if ctx.Err() != nil || readErr != nil && len(s.files) == 1 {
			if ctx.Err() != nil {
				readErr = ctx.Err()
			}
			return f, readErr
		}
		n := 0 // elsewhere, what cannot be read holds nothing
		for line := range strings.Lines(body) {
			n++
			line = strings.TrimRight(line, "\r\n")
			fit := 0
			for i, re := range patterns {
				if m := len(re.FindAllStringIndex(line, -1)); m > 0 {
					fit++
					f.times += m
					f.of[i][p] = true
				}
			}
			if (fit == len(patterns) || fit > 0 && !all) == inverted {
				continue
			}
			f.counts[p]++
			if f.lines++; f.lines <= maxData {
				f.hits = append(f.hits, hit{p, n, tidy(line)})
			}
		}
		if f.counts[p] > 0 {
			f.files = append(f.files, p)
		}
	}
	return f, err
}

// pattern is a text as a search looks for it: an expression if it looks like
// one, to the letter otherwise. Case matters where the text has capitals.
func pattern(text string, q query, flags string) *regexp.Regexp {
	options := []string{regexp.QuoteMeta(text)}
	if (strings.ContainsAny(text, `*[\|`) || strings.HasPrefix(text, "^") || strings.HasSuffix(text, "$")) && !strings.Contains(flags, "F") {
		expr := strings.ReplaceAll(text, `\|`, "|")
		options = []string{expr, strings.NewReplacer("(", `\(`, ")", `\)`, "{", `\{`, "+", `\+`, "?", `\?`).Replace(expr), options[0]}
	}
	for _, expr := range options {
		if strings.Contains(flags, "w") {
			expr = `\b(?:` + expr + `)\b`
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

// grep answers with the lines that hold a text, or with the files that do.
func (t *tree) grep(ctx context.Context, q query) (core.Reply, error) {
	flags := ""
	for _, f := range plain.Values[option](q.Reading, "FLAG") {
		if f.unknown {
			return core.Reply{}, &core.Error{Code: core.CodeInvalid, Message: "I do not know the option " + plain.Code(f.letters) + " of grep.", Hint: "I know -i, -w, -v, -l, -c, -F, -E, --include and -t."}
		}
		flags += f.letters
	}
	var patterns []*regexp.Regexp
	var names []string
	for _, text := range q.texts() {
		patterns, names = append(patterns, pattern(text, q, flags)), append(names, plain.Code(text))
	}
	ofFiles := q.Mark("unit") == "file"
	f, err := t.scan(ctx, q.scope, patterns, q.Mark("all") != "" && !ofFiles, strings.Contains(flags, "v"))
	if err != nil {
		return core.Reply{}, err
	}
	rows := []any{}
	for _, h := range f.hits {
		rows = append(rows, map[string]any{"path": h.path, "line": float64(h.line), "text": h.text})
	}
	data := map[string]any{"matches": rows, "files": cut(f.files, maxData), "total": float64(f.lines), "times": float64(f.times), "truncated": f.lines > len(rows)}
	what := strings.Join(names, " or ")
	if q.Mark("all") != "" && !ofFiles {
		what = strings.Join(names, " and ")
	}
	if strings.Contains(flags, "v") {
		what = "not " + what
	}
	where := " in " + q.scope.name()
	if len(q.scope.globs) > 0 {
		where += " (" + plain.Code(strings.Join(q.scope.globs, ", ")) + ")"
	}
	lines, files := plural(f.lines, "lines"), plural(len(f.files), "files")
	mention := "mention"
	if n := f.lines; n == 1 || ofFiles && len(f.files) == 1 {
		mention = "mentions"
	}
	head := fmt.Sprintf("**%s** in %s %s %s", lines, files, mention, what)
	switch {
	case f.lines == 0:
		return experts.Success(fmt.Sprintf("**Nothing**%s mentions %s.", where, what), data), nil
	case q.Mark("count") == "times":
		head = fmt.Sprintf("**%s** in %s of %s: %s", plural(f.times, "times"), lines, files, what)
	case ofFiles:
		head = fmt.Sprintf("**%s** %s %s (%s)", files, mention, what, lines)
	case len(q.scope.files) == 1:
		head = fmt.Sprintf("**%s** of %s %s %s", lines, q.scope.name(), mention, what)
	}
	if ofFiles && q.Mark("all") != "" {
		head += "; " + both(f)
	}
	switch {
	case q.Mark("count") != "", strings.Contains(flags, "c"):
		return experts.Success(head+".", data), nil
	case strings.Contains(flags, "l"):
		return experts.Success(head+":\n\n"+bullets(f.files), data), nil
	}
	return experts.Success(head+showing(f.lines)+":\n\n"+fenced(shown(f.hits), ""), data), nil
}

// both says which files hold all the patterns.
func both(f found) string {
	var all []string
	for _, p := range f.files {
		if !slices.ContainsFunc(f.of, func(holds map[string]bool) bool { return !holds[p] }) {
			all = append(all, plain.Code(p))
		}
	}
	if len(all) == 0 {
		return "no file has all of them"
	}
	return "all of them are in " + strings.Join(cut(all, 10), ", ")
}

func shown(hits []hit) (lines []string) {
	for _, h := range hits[:min(len(hits), maxShown)] {
		lines = append(lines, h.String())
	}
	return lines
}

// definition answers where a name is defined, and with its lines if there is
// one place.
func (t *tree) definition(ctx context.Context, q query) (core.Reply, error) {
	name := q.texts()[0]
	quoted := regexp.QuoteMeta(name)
	re := regexp.MustCompile(`^\s*(?:[\w@<>\[\]*&]+\s+){0,4}(?:func|function|def|class|type|struct|interface|enum|trait|fn|module|macro|var|const|let|val|#define|message|record)\b\s*(?:\([^)]*\)\s*)?[*&]?` + quoted + `(?:\W|$)` +
		`|^\s+` + quoted + `\s+(?:=|[\w.*\[\]]+\s+=)\s|^` + quoted + `\s*(?:\(\)\s*\{|:?=[^=])`)
	f, err := t.scan(ctx, q.scope, []*regexp.Regexp{re}, false, false)
	if err != nil {
		return core.Reply{}, err
	}
	rows := []any{}
	for _, h := range f.hits {
		rows = append(rows, map[string]any{"path": h.path, "line": float64(h.line), "text": h.text})
	}
	data := map[string]any{"matches": rows, "files": cut(f.files, maxData), "total": float64(f.lines), "truncated": f.lines > len(rows)}
	switch f.lines {
	case 0:
		return experts.Success(fmt.Sprintf("**No definition** of %s in %s. To see where it is used: grep %s", plain.Code(name), q.scope.name(), name), data), nil
	case 1:
		h := f.hits[0]
		body, _, err := t.text(h.path)
		return experts.Success(fmt.Sprintf("**%s:%d** defines %s:\n\n%s", h.path, h.line, plain.Code(name), fenced(block(body, h.line), path.Ext(h.path))), data), err
	}
	return experts.Success(fmt.Sprintf("**%s** define %s%s:\n\n%s", plural(f.lines, "lines"), plain.Code(name), showing(f.lines), fenced(shown(f.hits), "")), data), nil
}

// block returns the lines of a definition from its first one on: those that
// are indented deeper, and the bracket that closes them.
func block(body string, first int) (lines []string) {
	n, depth := 0, 0
	for line := range strings.Lines(body) {
		if n++; n < first {
			continue
		}
		in := len(line) - len(strings.TrimLeft(line, " \t"))
		bare := strings.TrimSpace(line)
		switch {
		case n == first:
			depth = in
		case bare != "" && in <= depth:
			if strings.ContainsAny(bare[:1], ")}]") {
				lines = append(lines, tidy(line))
			}
			return lines
		}
		if lines = append(lines, tidy(line)); len(lines) == maxShown {
			return append(lines, "…")
		}
	}
	return lines
}
