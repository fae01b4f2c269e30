package files

import (
	"fmt"
	"strings"
	"unicode"

	"yaap/experts/plain"
)

// tidy is a line as it is shown: of text, and not too long.
func tidy(line string) string {
	line = strings.TrimRight(line, "\r\n")
	if len(line) > maxLine {
		line = strings.ToValidUTF8(line[:maxLine], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, line)
}

func countLines(body string) int {
	n := strings.Count(body, "\n")
	if body != "" && !strings.HasSuffix(body, "\n") {
		n++
	}
	return n
}

// fenced puts lines into a code block that none of them can end.
func fenced(lines []string, ext string) string {
	body, fence := strings.Join(lines, "\n"), "```"
	for strings.Contains(body, fence) {
		fence += "`"
	}
	return fence + strings.TrimPrefix(ext, ".") + "\n" + body + "\n" + fence
}

func bullets(paths []string) string {
	var b strings.Builder
	for _, p := range cut(paths, maxShown) {
		b.WriteString("- " + plain.Code(p) + "\n")
	}
	return strings.TrimSpace(b.String())
}

func cut(s []string, most int) []string { return append([]string{}, s[:min(len(s), most)]...) }

func showing(total int) string {
	if total > maxShown {
		return fmt.Sprintf(" (showing %d of %d)", maxShown, total)
	}
	return ""
}

func plural(n int, what string) string {
	if n == 1 {
		what = strings.TrimSuffix(strings.Replace(what, "entries", "entry", 1), "s")
	}
	return fmt.Sprintf("%d %s", n, what)
}
