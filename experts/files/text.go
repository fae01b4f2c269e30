package files

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/yaap-chat/yaap/experts/plain"
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

// showing says that of so many rows not all are shown.
func (t *tree) showing(total int) string {
	if total > maxShown {
		return t.Say(" (showing %d of %d)", maxShown, total)
	}
	return ""
}

// bytes is a size as people read it, and to the byte.
func bytes(n int64) string {
	exact := fmt.Sprint(n, " bytes")
	size, unit := float64(n), ""
	for _, next := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if size < 1024 {
			break
		}
		size, unit = size/1024, next
	}
	if unit == "" {
		return exact
	}
	return fmt.Sprintf("%.1f %s (%s)", size, unit, exact)
}

func clip(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
