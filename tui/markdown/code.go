package markdown

import (
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"
)

const (
	// maxHighlight is how much code of one block is coloured, maxColored how
	// much of a text, and maxCodeLine how long a line of it may be.
	maxHighlight = 16 << 10
	maxColored   = 256 << 10
	maxCodeLine  = 1000

	// codeIndent is how many cells code stands to the right of the text.
	codeIndent = 2

	// patience bounds what one block of code may cost. Lexers are regular
	// expressions that backtrack.
	patience = 500 * time.Millisecond
)

// rows lays out lines between fences without colours.
func (f fence) rows(text string, width int) []string {
	return codeRows(f.content(text), width)
}

// content returns lines without the indent of their fence.
func (f fence) content(text string) string {
	if f.indent == 0 {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		for range f.indent {
			line = strings.TrimPrefix(line, " ")
		}
		b.WriteString(line)
	}
	return b.String()
}

// coloredCode returns the rows of code in a language. The colours change no
// row's text.
func (e *engine) coloredCode(text, lang string, width int) []string {
	if e.style.Short.Rows > 0 {
		return e.shortCode(text, lang, width)
	}
	return codeRows(e.highlight(text, lang), width)
}

// codeRows lays out code, coloured or not.
func codeRows(text string, width int) []string {
	by := codeIndent
	if width-by < minWidth {
		by = 0
	}
	text = strings.TrimSuffix(text, "\n")
	if strings.ContainsRune(text, '\x1b') || !fits(text, width-by) {
		text = hardWrap(text, width-by)
	}
	rows := strings.Split(text, "\n")
	for i, row := range rows {
		if row = strings.TrimRight(row, " "); row != "" {
			row = strings.Repeat(" ", by) + row
		}
		rows[i] = row
	}
	return rows
}

// fits reports whether all lines of a text fit without being measured.
func fits(text string, width int) bool {
	for line := range strings.Lines(text) {
		if len(line) > width {
			return false
		}
	}
	return true
}

// highlight colours code if its language is known and it is small. Code that a
// lexer fails on keeps the colour of the text.
func (e *engine) highlight(text, lang string) (colored string) {
	defer func() {
		if recover() != nil {
			colored = text
		}
	}()
	if !e.style.Color || lang == "" || len(lang) > 40 || len(text) > min(maxHighlight, e.budget) || !fits(text, maxCodeLine) {
		return text
	}
	lexer := lexers().Get(lang)
	if lexer == nil {
		return text
	}
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, text)
	if err != nil {
		return text
	}
	e.budget -= len(text)
	var (
		out   strings.Builder
		plain strings.Builder // the same without colours
		stop  = time.Now().Add(patience)
	)
	for t := tokens(); t != chroma.EOF; t = tokens() {
		out.WriteString(e.style.paint(e.style.token(t.Type), t.Value))
		plain.WriteString(t.Value)
		if time.Now().After(stop) {
			break
		}
	}
	if rest, ok := strings.CutPrefix(text, plain.String()); ok {
		return out.String() + rest
	}
	if strings.TrimRight(plain.String(), "\n") == strings.TrimRight(text, "\n") {
		return out.String()
	}
	return text
}

// token returns the colour of a kind of token, "" for that of the text.
func (s Style) token(t chroma.TokenType) string {
	p := s.palette()
	switch {
	case t == chroma.GenericDeleted:
		return p.bad
	case t == chroma.GenericInserted:
		return p.ok
	case t.InCategory(chroma.Comment):
		return p.dim
	case t.InCategory(chroma.Keyword):
		return p.word
	case t.InSubCategory(chroma.LiteralString):
		return p.ok
	case t.InCategory(chroma.Literal):
		return p.warn
	case t == chroma.NameFunction, t == chroma.NameClass, t == chroma.NameTag, t == chroma.NameAttribute, t == chroma.NameBuiltin:
		return p.accent
	}
	return ""
}
