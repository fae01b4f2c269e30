package files

import (
	"fmt"
	"strings"
)

func code(s string) string {
	fence := fenceFor(s, "`")
	if len(fence) > 1 {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

// fenced puts lines into a code block that none of them can end.
func fenced(lines []string, ext string) string {
	body := strings.Join(lines, "\n")
	fence := fenceFor(body, "```")
	return fence + strings.TrimPrefix(ext, ".") + "\n" + body + "\n" + fence
}

func fenceFor(body, fence string) string {
	for strings.Contains(body, fence) {
		fence += "`"
	}
	return fence
}

func bullets(paths []string) string {
	var lines []string
	for _, p := range cut(paths, maxShown) {
		lines = append(lines, "- "+code(p))
	}
	return strings.Join(lines, "\n")
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

func bytesText(n int64) string {
	for i, unit := range []string{"GiB", "MiB", "KiB"} {
		if size := int64(1) << (30 - 10*i); n >= size {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(size), unit)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}
