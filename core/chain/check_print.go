package chain

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

const (
	maxShown = 100 // faults that are printed
	maxWidth = 160 // cells of a source line that are printed
)

// Faults prints faults as a compiler does, each with its line of the source
// and a mark under its place. No control character of the file or of a name
// gets through.
func Faults(name string, faults []Fault, src []byte) string {
	var b strings.Builder
	text := newSource(strings.ReplaceAll(strings.TrimPrefix(string(src), "\ufeff"), "\r\n", "\n"))
	for i, f := range faults {
		if i == maxShown {
			fmt.Fprintf(&b, "%s: and %d more\n", plainText(name), len(faults)-i)
			break
		}
		b.WriteString(plainText(name))
		if f.Pos.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", f.Pos.Line, f.Pos.Col)
		}
		b.WriteString(": ")
		if f.Warning {
			b.WriteString("warning: ")
		}
		b.WriteString(plainText(f.Message))
		b.WriteByte('\n')
		if f.Pos.Line > 0 && f.Pos.Line <= len(text.lines) {
			excerpt(&b, []rune(text.line(f.Pos.Line)), f.Pos.Col-1)
		}
		if f.Hint != "" {
			fmt.Fprintf(&b, "    %s\n", plainText(f.Hint))
		}
	}
	return b.String()
}

// excerpt prints a line, or the part of it that is of interest, with a mark.
func excerpt(b *strings.Builder, line []rune, col int) {
	col = min(max(col, 0), len(line))
	from := max(0, col-maxWidth*3/4)
	to := min(len(line), from+maxWidth)
	var shown, mark strings.Builder
	for i := from; i < to; i++ {
		r := line[i]
		cell := plainText(string(r))
		if r == '\t' {
			cell = "  "
		}
		shown.WriteString(cell)
		if i < col {
			mark.WriteString(strings.Repeat(" ", ansi.StringWidth(cell)))
		}
	}
	if strings.TrimSpace(shown.String()) == "" {
		return
	}
	fmt.Fprintf(b, "    %s\n    %s^\n", strings.TrimRight(shown.String(), " "), mark.String())
}

// plainText replaces what a terminal would act on.
func plainText(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
			return '\uFFFD'
		}
		return r
	}, s)
}
