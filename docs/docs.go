// Package docs has the documents of yaap, which it can show itself.
package docs

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
)

//go:embed *.md
var files embed.FS

// Topics are the names of the documents.
func Topics() []string {
	names, _ := fs.Glob(files, "*.md") // the pattern is right
	for i, name := range names {
		names[i] = strings.TrimSuffix(name, ".md")
	}
	slices.Sort(names)
	return names
}

// Read returns the document of a topic, in Markdown, with each paragraph in one line;
// false where there is none.
func Read(topic string) (string, bool) {
	text, err := files.ReadFile(topic + ".md")
	return joinLines(string(text)), err == nil
}

// joinLines makes one line of each paragraph and of each item of a list: whoever shows a
// document wraps it at another width.
func joinLines(text string) string {
	var all []string
	fenced, open := false, false // the last line may be continued
	for line := range strings.SplitSeq(text, "\n") {
		fence := strings.HasPrefix(line, "```")
		alone := fenced || fence || line == "" || hasAnyPrefix(line, "#", "|", "<!--", "![")
		if open && !alone && !isItem(line) {
			all[len(all)-1] += " " + strings.TrimSpace(line)
		} else {
			all = append(all, line)
		}
		fenced, open = fenced != fence, !alone
	}
	return strings.Join(all, "\n")
}

func hasAnyPrefix(line string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(line, p) })
}

// isItem reports whether a line begins an item of a list: "- a", "1. a".
func isItem(line string) bool {
	return strings.HasPrefix(line, "- ") || strings.HasPrefix(strings.TrimLeft(line, "0123456789"), ". ")
}

// Section is a part of a document that has a heading of the second rank.
type Section struct {
	Title string
	First string // its first paragraph; empty where there is none
}

// Sections are the parts of a document.
func Sections(text string) []Section {
	var all []Section
	fenced := false
	for block := range strings.SplitSeq(text, "\n\n") {
		title, heads := strings.CutPrefix(block, "## ")
		switch {
		case fenced:
		case heads:
			title, rest, _ := strings.Cut(title, "\n")
			all = append(all, Section{Title: title, First: strings.TrimSpace(rest)})
		case len(all) > 0 && all[len(all)-1].First == "" && !strings.HasPrefix(block, "```") && !strings.HasPrefix(block, "|"):
			all[len(all)-1].First = strings.TrimSpace(block)
		}
		if strings.Count("\n"+block, "\n```")%2 == 1 {
			fenced = !fenced
		}
	}
	return all
}
