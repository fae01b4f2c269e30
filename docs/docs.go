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

// Read returns the document of a topic, in Markdown; false where there is none.
func Read(topic string) (string, bool) {
	text, err := files.ReadFile(topic + ".md")
	return string(text), err == nil
}
