package room

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

// An export as Markdown has each line of the export of the store in a comment,
// without its words, which stand below it until the comment [wordsEnd]:
//
//	## 24 November 2026, 02:11: user
//
//	*room: cellar*
//
//	<!-- yaap {"t":"entry",...} -->
//	The boiler is green.
//	<!-- /yaap -->
//
// A line of the words that begins as that comment does has a backslash before it.
// Words that a terminal could not be shown are in the comment as well, which counts.
const (
	lineBegin   = "<!-- yaap "
	lineEnd     = " -->"
	wordsEnd    = "<!-- /yaap -->"
	maxMarkdown = 2 << 20 // bytes of a line
)

// exported is a line of an export, as far as Markdown tells it.
type exported struct {
	T       string            `json:"t"`
	Title   string            `json:"title"`
	Role    string            `json:"role"`
	Raw     *string           `json:"raw_entry"`
	Content *string           `json:"content"`
	Reason  string            `json:"reason"`
	Created time.Time         `json:"created"`
	Expires time.Time         `json:"expiration_time"`
	Tags    map[string]string `json:"tags"`
	Key     string            `json:"key"`
	Value   string            `json:"value"`
}

// asMarkdown makes Markdown of the lines of an export.
func asMarkdown(lines iter.Seq2[string, error]) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		vault := ""
		var below []string // an entry, and what is said about it
		flush := func() bool {
			text, err := section(below)
			below = nil
			return text == "" && err == nil || yield(text, err)
		}
		for line, err := range lines {
			var x exported
			if err == nil {
				err = json.Unmarshal([]byte(line), &x)
			}
			if err != nil {
				yield("", err)
				return
			}
			beside := x.T == "tag" || x.T == "expiry"
			if !beside && !flush() {
				return
			}
			switch {
			case beside || x.T == "entry" || x.T == "context":
				below = append(below, line)
				continue
			case x.T == "vault":
				vault = x.Title
			}
			text := comment(line)
			if x.T == "memory" {
				text = "\n# " + safe.Line(vault+"/"+x.Title) + "\n\n" + text
			}
			if !yield(text, nil) {
				return
			}
		}
		flush()
	}
}

func comment(line string) string {
	return lineBegin + strings.NewReplacer("<", `\u003c`, ">", `\u003e`).Replace(safe.JSON(line)) + lineEnd
}

// section is an entry with what is said about it, or a version of the context.
func section(lines []string) (string, error) {
	if len(lines) == 0 {
		return "", nil
	}
	var x exported
	fields := map[string]json.RawMessage{}
	for _, v := range []any{&x, &fields} {
		if err := json.Unmarshal([]byte(lines[0]), v); err != nil {
			return "", err
		}
	}
	words, field, who := cmp.Or(x.Raw, x.Content, new("")), "raw_entry", x.Role
	if x.T == "context" {
		field, who = "content", "context"
	}
	shown := safe.Text(*words)
	if shown == *words {
		delete(fields, field)
	}
	for _, line := range lines[1:] {
		var said exported
		if err := json.Unmarshal([]byte(line), &said); err != nil {
			return "", err
		}
		switch {
		case said.T == "expiry":
			x.Expires = said.Expires
		case said.Value == "":
			delete(x.Tags, said.Key)
		default:
			if x.Tags == nil {
				x.Tags = map[string]string{}
			}
			x.Tags[said.Key] = said.Value
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s: %s\n\n", x.Created.Local().Format("2 January 2006, 15:04"), safe.Line(who))
	var about []string
	if x.Reason != "" {
		about = append(about, "corrected, because: "+x.Reason)
	}
	for _, key := range slices.Sorted(maps.Keys(x.Tags)) {
		about = append(about, key+": "+x.Tags[key])
	}
	if !x.Expires.IsZero() {
		about = append(about, "remembered until "+x.Expires.Local().Format(minutes))
	}
	if len(about) > 0 {
		fmt.Fprintf(&b, "*%s*\n\n", safe.Line(strings.Join(about, "; ")))
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		return "", err
	}
	b.WriteString(comment(string(raw)) + "\n")
	for line := range strings.SplitSeq(shown, "\n") {
		if strings.HasPrefix(strings.TrimLeft(line, `\`), wordsEnd) {
			line = `\` + line
		}
		b.WriteString(line + "\n")
	}
	b.WriteString(wordsEnd)
	for _, line := range lines[1:] {
		b.WriteString("\n" + comment(line))
	}
	return b.String(), nil
}

// markdownBegin is how an export in Markdown begins.
const markdownBegin = lineBegin + `{"yaap_export":`

// fromMarkdown writes the lines of an export that was written as Markdown.
func fromMarkdown(r io.Reader, w io.Writer) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, maxMarkdown)
	scanner.Split(func(data []byte, atEOF bool) (int, []byte, error) { // as it stands, with what is before a line feed
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			return i + 1, data[:i], nil
		}
		if atEOF && len(data) > 0 {
			return len(data), data, nil
		}
		return 0, nil, nil
	})
	n := 0
	next := func() bool { n++; return scanner.Scan() }
	for next() {
		line, ok := strings.CutPrefix(strings.TrimRight(scanner.Text(), "\r"), lineBegin)
		if !ok {
			continue // for people
		}
		line, ok = strings.CutSuffix(line, lineEnd)
		var x exported
		if !ok || json.Unmarshal([]byte(line), &x) != nil {
			return damagedMarkdown(n)
		}
		if x.T == "entry" || x.T == "context" {
			var words []string
			for ok = false; !ok && next(); {
				text := scanner.Text()
				if ok = strings.TrimRight(text, "\r") == wordsEnd; !ok {
					if strings.HasPrefix(strings.TrimLeft(text, `\`), wordsEnd) {
						text = strings.TrimPrefix(text, `\`)
					}
					words = append(words, text)
				}
			}
			if !ok {
				return damagedMarkdown(n)
			}
			if x.Raw == nil && x.Content == nil {
				field := map[string]string{"entry": "raw_entry", "context": "content"}[x.T]
				line = strings.TrimSuffix(line, "}") + fmt.Sprintf(",%q:%s}", field, asJSON(strings.Join(words, "\n")))
			}
		}
		if _, err := io.WriteString(w, line+"\n"); err != nil {
			return err
		}
	}
	return scanner.Err()
}

func damagedMarkdown(line int) error {
	return core.Fail(core.CodeInvalid, fmt.Sprintf("line %d of the Markdown is damaged: a comment of the export is not whole", line),
		"export again, or mend that line; nothing was imported")
}
