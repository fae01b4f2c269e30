package export

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	gotext "github.com/yuin/goldmark/text"

	"github.com/yaap-chat/yaap/core/diagram"
	"github.com/yaap-chat/yaap/core/runlog"
	"github.com/yaap-chat/yaap/core/safe"
)

//go:embed page.html
var page string

// HTML writes one file that a browser shows without a network, light or dark as the
// reader has it. It runs no script and loads nothing.
func HTML(w io.Writer, c Conversation) error {
	t, err := template.New("page").Parse(page)
	if err != nil {
		return err
	}
	view := struct {
		Title, About string
		Turns        []turnView
	}{Title: c.title(), About: c.about()}
	for _, turn := range c.Turns {
		one := turnView{At: turn.At.Format("15:04"), Question: safe.Text(turn.asked()), Steps: turn.steps(), By: turn.by()}
		if one.Answer, err = rendered(turn.answer()); err != nil {
			return err
		}
		if turn.Run != nil {
			one.Thoughts = thoughts(turn.Run)
			if _, chain := turn.Run.Chain(); chain {
				one.Picture = template.HTML(diagram.SVG(turn.Run.Graph(turn.Chain, turn.At))) //nolint:gosec // no text in it is more than a text
			}
		}
		view.Turns = append(view.Turns, one)
	}
	return t.Execute(w, view)
}

type turnView struct {
	At, Question, By string
	Steps, Thoughts  []string
	Answer, Picture  template.HTML
}

func thoughts(r *runlog.Run) (list []string) {
	for _, t := range r.Turns {
		if t.Thought != "" {
			list = append(list, safe.Text(t.Thought))
		}
	}
	return list
}

// rendered is Markdown as HTML. Goldmark leaves raw HTML out, and addresses that run
// scripts but for those in angle brackets.
func rendered(text string) (template.HTML, error) {
	source := []byte(safe.Text(text))
	markdown := goldmark.New(goldmark.WithExtensions(extension.GFM))
	tree := markdown.Parser().Parse(gotext.NewReader(source))
	disarm(tree, source)
	var b bytes.Buffer
	err := markdown.Renderer().Render(&b, source, tree)
	return template.HTML(b.String()), err //nolint:gosec // see above
}

// disarm makes a link of every picture, and a text of addresses that run scripts.
func disarm(parent ast.Node, source []byte) {
	for n := parent.FirstChild(); n != nil; {
		next := n.NextSibling()
		disarm(n, source)
		switch n := n.(type) {
		case *ast.AutoLink:
			if html.IsDangerousURL(n.URL(source)) {
				parent.ReplaceChild(parent, n, ast.NewString(n.Label(source)))
			}
		case *ast.Image:
			link := ast.NewLink()
			link.Destination, link.Title = n.Destination, n.Title
			for n.HasChildren() {
				link.AppendChild(link, n.FirstChild())
			}
			parent.ReplaceChild(parent, n, link)
		}
		n = next
	}
}
