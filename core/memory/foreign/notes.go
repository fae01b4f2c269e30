package foreign

import (
	"bytes"
	"cmp"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/userfile"
)

const (
	maxNote    = 1 << 20 // bytes
	maxNotes   = 20_000  // files
	maxSection = 4000    // bytes: a longer section becomes several
)

// notes reads Markdown: a file, or those in a directory and below it. Directories that
// begin with a dot are left out, and so is what is too large or no text.
func notes(root string) iter.Seq2[Said, error] {
	return func(yield func(Said, error) bool) {
		files := 0
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch ext := strings.ToLower(filepath.Ext(path)); {
			case err != nil:
				return err
			case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
				return fs.SkipDir
			case d.IsDir() || ext != ".md" && ext != ".markdown" || !d.Type().IsRegular():
				return nil
			}
			if files++; files > maxNotes {
				return fs.SkipAll
			}
			raw, err := userfile.Read(path, maxNote)
			if err != nil || !utf8.Valid(raw) {
				return nil
			}
			name, err := filepath.Rel(filepath.Dir(root), path)
			if err != nil {
				name = filepath.Base(path)
			}
			info, err := os.Stat(path)
			if err != nil {
				return nil
			}
			for _, s := range note(filepath.ToSlash(name), string(raw), info.ModTime()) {
				if !yield(s, nil) {
					return fs.SkipAll
				}
			}
			return nil
		})
		if err != nil {
			yield(Said{}, err)
		}
	}
}

// head is what stands above a note, as Obsidian and basic-memory write it.
type head struct {
	Title   string `yaml:"title"`
	Date    string `yaml:"date"`
	Created string `yaml:"created"`
	Tags    any    `yaml:"tags"`
}

// note is a file, a heading with what stands below it each for itself.
func note(name, text string, modified time.Time) (list []Said) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	var h head
	if rest, ok := strings.CutPrefix(text, "---\n"); ok {
		if above, below, ok := strings.Cut(rest, "\n---\n"); ok && yaml.NewDecoder(bytes.NewReader([]byte(above))).Decode(&h) == nil {
			text = below
		}
	}
	at := modified
	for _, said := range []string{h.Date, h.Created} {
		for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04", time.DateOnly} {
			if t, err := time.ParseInLocation(layout, said, time.Local); err == nil {
				at = t
			}
		}
	}
	title := cmp.Or(h.Title, strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)))
	tags := map[string]string{"source": short(name)}
	if joined := tagsOf(h.Tags); joined != "" {
		tags["tags"] = short(joined)
	}
	for i, section := range sections(text) {
		list = append(list, Said{
			ID: made("note", name, section.text), Thread: made("note", name), Title: title, Role: core.RoleUser,
			Text: strings.TrimSpace(section.heading + "\n" + section.text), Time: at.Add(time.Duration(i) * time.Microsecond), Tags: tags,
		})
	}
	return list
}

func short(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), core.MaxTagValue)], "")
}

func tagsOf(said any) string {
	switch said := said.(type) {
	case string:
		return said
	case []any:
		var list []string
		for _, one := range said {
			if text, ok := one.(string); ok {
				list = append(list, text)
			}
		}
		return strings.Join(list, ", ")
	}
	return ""
}

type section struct{ heading, text string }

// sections are the parts of a note under their headings; a long one is cut between its
// paragraphs.
func sections(text string) (list []section) {
	var now section
	fenced := false
	flush := func() {
		if now.text = strings.TrimSpace(now.text); now.text != "" {
			list = append(list, now)
		}
		now.text = ""
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		switch {
		case !fenced && strings.HasPrefix(line, "#") && strings.HasPrefix(strings.TrimLeft(line, "#"), " "):
			flush()
			now.heading = strings.TrimSpace(line)
			continue
		case len(now.text) > maxSection && strings.TrimSpace(line) == "" || len(now.text) > 2*maxSection:
			flush()
		}
		now.text += line
	}
	flush()
	return list
}
