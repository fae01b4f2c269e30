package files

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/plain"
)

// readme is the file of the working directory that says what it is for; empty: there is none.
func (t *tree) readme() string {
	entries, err := fs.ReadDir(t.root.FS(), ".")
	if err != nil {
		return ""
	}
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		if e.Type().IsRegular() && (name == "readme" || strings.HasPrefix(name, "readme.")) {
			return e.Name()
		}
	}
	return ""
}

// about answers with the title and the first paragraph of the README.
func (t *tree) about(_ context.Context, q query) (core.Reply, error) {
	body, _, err := t.text(q.readme)
	if err != nil {
		return core.Reply{}, err
	}
	title, paragraph := introduction(body)
	if paragraph == "" {
		return t.page(q.readme, 1, maxData)
	}
	message := paragraph + " (" + plain.Code(q.readme) + ")"
	if title != "" {
		message = "**" + title + "**: " + message
	}
	return experts.Success(message, map[string]any{"path": q.readme, "title": title, "text": paragraph}), nil
}

// purpose answers what a file is for: what it says of itself before anything else, and what
// it defines; or else how it begins.
func (t *tree) purpose(ctx context.Context, q query) (core.Reply, error) {
	const most, begins = 20, 12 // of what it defines, and lines
	p := q.named[0].path
	body, _, err := t.text(p)
	if err != nil {
		return core.Reply{}, err
	}
	says := opening(body)
	if ext := strings.ToLower(path.Ext(p)); ext == ".md" || ext == ".txt" || ext == ".rst" {
		title, paragraph := introduction(body)
		says = strings.TrimPrefix(title+": "+paragraph, ": ")
	}
	var names []string
	for line := range strings.Lines(body) {
		if m := defines().FindStringSubmatch(line); m != nil {
			names = append(names, plain.Code(m[1]))
		}
	}
	data := map[string]any{"path": p, "text": says, "defines": cut(names, maxData)}
	message := "**" + p + "**, " + t.Count(countLines(body), "lines")
	if says != "" {
		message += ": " + strings.TrimSuffix(says, ".") + "."
	}
	switch {
	case len(names) > most:
		message += "\n\n" + t.Say("It defines %s.", strings.Join(names[:most], ", ")+", …")
	case len(names) > 0:
		message += "\n\n" + t.Say("It defines %s.", strings.Join(names, ", "))
	case says == "":
		message += ":\n\n" + fenced(cut(split(body), begins), path.Ext(p))
	}
	return experts.Success(message, data), ctx.Err()
}

// defines finds what a line defines.
//
//nolint:gochecknoglobals // never changes; see plain.LazyRegexp
var defines = plain.LazyRegexp(`(?-i)` + plain.Definition(plain.Functions+"|"+plain.Types, `([\pL_$][\pL\d_$]*)`))

// comment is what a file of code begins with behind lines for machines.
//
//nolint:gochecknoglobals // never changes; see plain.LazyRegexp
var comment = plain.LazyRegexp(`^(?:#!.*\n|\s*\n|[#;"/ *-]*coding[:=].*\n|['"]use strict['"];?\n)*(?:"""([\s\S]*?)"""|'''([\s\S]*?)'''|/\*+([\s\S]*?)\*/|<!--([\s\S]*?)-->|((?:[ \t]*(?:#(?:[ \t#].*)?|//.*|--.*|;.*|%.*)\n)+))`)

// opening is the first paragraph of the comment that a file of code begins with, in one line.
// What is said of licences is none.
func opening(body string) string {
	m := comment().FindStringSubmatch(body[:min(len(body), 8<<10)])
	if m == nil {
		return ""
	}
	var lines []string
	for line := range strings.Lines(strings.Join(m[1:], "")) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#/*-;%!"))
		low := strings.ToLower(line)
		switch {
		case strings.Contains(low, "copyright"), strings.Contains(low, "spdx-"), strings.Contains(low, "licensed"):
			lines = nil
		case line == "" && len(lines) > 0:
			return strings.Join(lines, " ")
		case line != "":
			lines = append(lines, tidy(line))
		}
	}
	return strings.Join(lines, " ")
}

// introduction is the title of a text in Markdown and its first paragraph of words: no
// badge, picture, list, table or code.
func introduction(body string) (title, paragraph string) {
	var lines []string
	fenced := false
	for line := range strings.Lines(body) {
		line = tidy(line)
		text := strings.TrimSpace(line)
		if strings.HasPrefix(text, "```") {
			fenced = !fenced
		}
		switch {
		case len(lines) > 0 && (text == "" || strings.HasPrefix(text, "#") || fenced):
			return title, strings.Join(lines, " ")
		case strings.HasPrefix(text, "#") && title == "" && !fenced:
			title = strings.Trim(text, "# ")
		case text == "", fenced, strings.HasPrefix(line, "    "), strings.ContainsAny(text[:1], "#[!<|-*=>`+"):
		default:
			lines = append(lines, text)
		}
	}
	return title, strings.Join(lines, " ")
}

// topics are the words of the headings under which a README says how something is done, by
// what is to be done; the first that a heading has counts.
//
//nolint:gochecknoglobals // never changes
var topics = map[string]string{
	"start": "start started starting usage use quickstart quick launch starten nutzung uso running run", "install": "install installation installing setup start started getting",
	"test": "test tests testing", "build": "build building compile install installation start started", "license": "license licence licensing copying lizenz licencia",
	"configure": "configuration configure configuring config settings options", "deploy": "deploy deployment deploying release",
	"env": "environment env variables configuration", "contribute": "contributing contribute contributions",
}

// section is a part of a README, with those below it.
type section struct {
	title string
	line  int
	lines []string
}

// sectionFor is the part of the README that tells what is asked; nil: there is none.
func (t *tree) sectionFor(q *query) *section {
	body, _, err := t.text(q.readme)
	if err != nil {
		return nil
	}
	all := sections(body)
	for word := range strings.FieldsSeq(topics[q.Mark("topic")]) {
		for i, s := range all {
			words := strings.FieldsFunc(strings.ToLower(s.title), func(r rune) bool { return !unicode.IsLetter(r) })
			tests := slices.Contains(words, "test") || slices.Contains(words, "tests")
			if slices.Contains(words, word) && (!tests || q.Mark("topic") == "test") { // "running the tests"
				return &all[i]
			}
		}
	}
	return nil
}

// sections are the parts of a text in Markdown below headings of the second level and
// deeper, each with what its own headings hold; none is empty.
func sections(body string) (all []section) {
	var levels []int
	code := false
	for n, line := range split(body) {
		text := strings.TrimSpace(line)
		if strings.HasPrefix(text, "```") {
			code = !code
		}
		level := len(text) - len(strings.TrimLeft(text, "#"))
		if code || !strings.HasPrefix(text[level:], " ") {
			level = 0
		}
		for i := range all {
			switch {
			case levels[i] == 0: // it has ended
			case level > 0 && level <= levels[i]:
				levels[i] = 0
			default:
				all[i].lines = append(all[i].lines, tidy(line))
			}
		}
		if level > 1 {
			all, levels = append(all, section{title: strings.Trim(text, "# "), line: n + 1}), append(levels, level)
		}
	}
	for i := range all {
		all[i].lines = split(strings.TrimSpace(strings.Join(all[i].lines, "\n")))
	}
	return slices.DeleteFunc(all, func(s section) bool { return strings.Join(s.lines, "") == "" })
}

// maxSection is how many lines of a part are shown, but for what ends a paragraph or code.
const maxSection = 15

// whole is how many lines there are until a paragraph, and code, ends behind so many.
func (s *section) whole(least int) int {
	code := false
	for i, line := range s.lines {
		text := strings.TrimSpace(line)
		if strings.HasPrefix(text, "```") {
			code = !code
		}
		if i >= least && text == "" && !code || i == maxShown {
			return i
		}
	}
	return len(s.lines)
}

// section answers with the part of the README that tells how something is done.
func (t *tree) section(_ context.Context, q query) (core.Reply, error) {
	s := t.sectionFor(&q)
	if s == nil {
		return core.Reply{}, core.Fail(core.CodeNotFound, t.Say("There is no %s here.", plain.Code(q.readme)), t.Say("Is it still there?"))
	}
	return t.told(q.readme, s), nil
}

// told is what a part of a document says.
func (t *tree) told(path string, s *section) core.Reply {
	shown, rest := s.lines[:s.whole(maxSection)], ""
	if len(shown) < len(s.lines) {
		rest = t.Say(" (showing %d of %d)", len(shown), len(s.lines))
	}
	message := "**" + s.title + "** (" + plain.Code(path) + ")" + rest + ":\n\n" + strings.TrimSpace(strings.Join(shown, "\n"))
	return experts.Success(message, map[string]any{"path": path, "title": s.title, "text": strings.Join(shown, "\n"), "truncated": len(shown) < len(s.lines)})
}
