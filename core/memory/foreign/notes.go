package foreign

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/userfile"
)

const (
	maxNote    = 8 << 20 // bytes
	maxNotes   = 20_000  // files
	maxSection = 4000    // bytes: a longer section becomes several
)

// LeftOut is a note that was not read. The sequence of [Read] goes on after it.
type LeftOut struct {
	Name string
	Err  error
}

func (l *LeftOut) Error() string { return l.Name + " was left out: " + l.Err.Error() }

// Unwrap returns why it was not read.
func (l *LeftOut) Unwrap() error { return l.Err }

var errNoText = errors.New("it is no text")

// notes reads Markdown: a file, or those in a directory and below it. Directories that
// begin with a dot are passed over.
func notes(root string) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
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
			name, err := filepath.Rel(filepath.Dir(root), path)
			if err != nil {
				name = filepath.Base(path)
			}
			name = filepath.ToSlash(name)
			if files++; files > maxNotes {
				yield(Message{}, &LeftOut{Name: "what is below " + name, Err: fmt.Errorf("there are more than %d notes", maxNotes)})
				return fs.SkipAll
			}
			text, modified, err := readNote(path)
			if err != nil {
				if !yield(Message{}, &LeftOut{Name: name, Err: err}) {
					return fs.SkipAll
				}
				return nil
			}
			for _, s := range note(name, text, modified) {
				if !yield(s, nil) {
					return fs.SkipAll
				}
			}
			return nil
		})
		if err != nil {
			yield(Message{}, err)
		}
	}
}

// readNote reads a file in UTF-8, in UTF-16 with its mark, or in the Windows-1252 of old
// editors, and tells when it was changed.
func readNote(path string) (string, time.Time, error) {
	raw, err := userfile.Read(path, maxNote)
	if err != nil {
		return "", time.Time{}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", time.Time{}, err
	}
	decoder := transform.Transformer(transform.Nop)
	if !utf8.Valid(raw) {
		decoder = charmap.Windows1252.NewDecoder()
	}
	text, _, err := transform.Bytes(unicode.BOMOverride(decoder), raw)
	if err != nil || bytes.IndexByte(text, 0) >= 0 {
		return "", time.Time{}, errNoText
	}
	return string(text), info.ModTime(), nil
}

// head is what stands above a note, as Obsidian and basic-memory write it.
type head struct {
	Title   string `yaml:"title"`
	Date    string `yaml:"date"`
	Created string `yaml:"created"`
	Tags    any    `yaml:"tags"`
}

// note is a file, a heading with what stands below it each for itself.
func note(name, text string, modified time.Time) (list []Message) {
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
		list = append(list, Message{
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
