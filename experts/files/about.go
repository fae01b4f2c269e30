package files

import (
	"context"
	"io/fs"
	"strings"

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
