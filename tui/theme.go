package tui

import (
	"fmt"
	"image/color"
	"maps"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/yaap-chat/yaap/tui/markdown"
)

// style opens an SGR state; the empty style leaves text as it is.
type style string

const reset = "\x1b[m"

// on returns text in the style. Styles are not nested: text is plain.
func (s style) on(text string) string {
	if s == "" || text == "" {
		return text
	}
	return string(s) + text + reset
}

// each is on of each line.
func (s style) each(lines []string) []string {
	styled := make([]string, len(lines))
	for i, line := range lines {
		styled[i] = s.on(line)
	}
	return styled
}

// under lays the style under a row that may hold styled text already.
func (s style) under(row string) string {
	if s == "" {
		return row
	}
	return string(s) + strings.ReplaceAll(row, reset, reset+string(s)) + reset
}

// theme is the palette. State is never told by colour alone: each has a glyph
// and a word beside it, so that the theme without colours loses nothing.
type theme struct {
	text, strong, dim, accent, title style
	ok, agent, warn, bad             style
	thought, border, selected        style
	cursor, placeholder              color.Color
	markdown                         markdown.Style
}

// palette is colours by what they colour, as #rrggbb.
type palette map[string]string

// paletteOf is the palette of a theme, light or dark.
func paletteOf(theme string) palette {
	if theme == "light" {
		return palette{
			"text": "#1f2328", "dim": "#57606a", "accent": "#0550ae", "ok": "#116329",
			"warn": "#7d4e00", "bad": "#a40e26", "thought": "#6639ba", "border": "#848d97", "selected": "#e4e6e9",
		}
	}
	return palette{
		"text": "#e6edf3", "dim": "#9da7b3", "accent": "#79c0ff", "ok": "#7ee787",
		"warn": "#e3b341", "bad": "#ff7b72", "thought": "#d2a8ff", "border": "#6e7681", "selected": "#24292f",
	}
}

// plainTheme has weight and slant but no colour, for NO_COLOR and dumb
// terminals.
func plainTheme() theme {
	return theme{
		strong: "\x1b[1m", accent: "\x1b[1m", title: "\x1b[1m", agent: "\x1b[1m", warn: "\x1b[1m", bad: "\x1b[1m",
		thought: "\x1b[3m", selected: "\x1b[7m",
	}
}

func (p palette) theme(dark bool) theme {
	rgb := func(part string) string {
		r, g, b, _ := lipgloss.Color(p[part]).RGBA()
		return fmt.Sprintf("8;2;%d;%d;%d", r>>8, g>>8, b>>8)
	}
	ink := func(part string) string { return "3" + rgb(part) }
	fg := func(part string) style { return style("\x1b[" + ink(part) + "m") }
	bold := func(part string) style { return style("\x1b[1;" + ink(part) + "m") }
	return theme{
		text: fg("text"), strong: bold("text"), dim: fg("dim"), accent: fg("accent"), title: bold("accent"),
		ok: fg("ok"), agent: bold("ok"), warn: fg("warn"), bad: fg("bad"),
		thought: fg("thought"), border: fg("border"), selected: style("\x1b[4" + rgb("selected") + "m"),
		cursor: lipgloss.Color(p["accent"]), placeholder: lipgloss.Color(p["dim"]),
		markdown: markdown.Style{Color: true, Dark: dark},
	}
}

// glyphs are the signs that a terminal can show.
type glyphs struct {
	states
	marks
	lines
	spinner []string
}

// states are what an expert, or a node of a chain, is doing.
type states struct{ idle, busy, joining, left, broken, works, chain string }

// marks stand before or between words.
type marks struct {
	done, failed, ask, into, outof, up, down  string
	open, closed, prompt, dot, ellipsis, dash string
	lquote, rquote                            string
}

// lines are what frames, trees and bars are drawn with.
type lines struct {
	branch, corner, vertical, horizontal       string
	teeDown, teeUp                             string
	topLeft, topRight, bottomLeft, bottomRight string
	full, empty                                string
	bar, block                                 string // beside what is chosen; where words go on
}

// glyphsOf are those of Unicode, or of ASCII.
func glyphsOf(unicode bool) glyphs {
	of := func(wide, ascii string) string {
		if unicode {
			return wide
		}
		return ascii
	}
	return glyphs{
		states: states{idle: of("●", "*"), busy: of("◐", "@"), joining: of("◌", "~"), left: of("○", "o"), broken: of("✗", "x"), works: of("●", "@"), chain: of("◇", "&")},
		marks: marks{
			done: of("✓", "+"), failed: of("✗", "x"), ask: "?", into: of("→", ">"), outof: of("←", "<"), up: of("↑", "^"), down: of("↓", "v"),
			open: of("▾", "v"), closed: of("▸", ">"), prompt: of("❯", ">"), dot: of("·", "-"), ellipsis: of("…", "..."), dash: of("–", "-"), lquote: of("“", `"`), rquote: of("”", `"`),
		},
		lines: lines{
			branch: of("├", "|"), corner: of("└", "`"), vertical: of("│", "|"), horizontal: of("─", "-"), teeDown: of("┬", "+"), teeUp: of("┴", "+"),
			topLeft: of("╭", "+"), topRight: of("╮", "+"), bottomLeft: of("╰", "+"), bottomRight: of("╯", "+"), full: of("█", "#"), empty: of("░", "."), bar: of("▌", "|"), block: of("▌", "_"),
		},
		spinner: strings.Split(of("◐◓◑◒", `|/-\`), ""),
	}
}

// utf8Locale reports whether the terminal is likely to show more than ASCII.
// An environment that says nothing is taken to be a modern one.
func utf8Locale(env func(string) string) bool {
	switch env("TERM") {
	case "dumb", "linux":
		return false
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(env(name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}

// pen is what rows are drawn with: the look, and the moment.
type pen struct {
	theme
	glyphs
	look   int // rises when theme, glyphs or pictures change; part of every cache key
	now    int64
	frame  int // of the spinner
	colour bool
	colors Colors // of the user
	// pictures are those that are drawn; nil: none is.
	pictures *gallery
	again    string         // the key that asks again; empty: nothing can be
	short    markdown.Short // names the keys that open and copy parts of an answer, where somebody has them
}

func newPen(env func(string) string) pen {
	p := pen{theme: paletteOf("dark").theme(true), glyphs: glyphsOf(utf8Locale(env)), colour: true}
	if env("NO_COLOR") != "" || env("TERM") == "dumb" {
		p.theme, p.colour = plainTheme(), false
	}
	return p
}

// themes are what the user may choose: the first fits the palette to the terminal's
// background.
func themes() []string { return []string{"auto", "light", "dark"} }

// wear takes one of the themes.
func (p *pen) wear(theme string, darkTerminal bool) {
	if !p.colour {
		return
	}
	name := "light"
	if theme == "dark" || theme != "light" && darkTerminal {
		name = "dark"
	}
	own := paletteOf(name)
	maps.Copy(own, p.colors[name])
	p.theme = own.theme(name == "dark")
	p.look++
}

// spin is the moving sign of something that goes on.
func (p *pen) spin() string { return p.spinner[p.frame%len(p.spinner)] }
