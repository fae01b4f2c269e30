package tui

import (
	"fmt"
	"image/color"
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

func darkTheme() theme { return paletteOf("dark").theme(true) }

// paletteOf is the palette of a theme, light or dark.
func paletteOf(theme string) palette {
	if theme == "light" {
		return palette{
			text: "#1f2328", dim: "#57606a", accent: "#0550ae", ok: "#116329",
			warn: "#7d4e00", bad: "#a40e26", thought: "#6639ba", border: "#848d97", selected: "#e4e6e9",
		}
	}
	return palette{
		text: "#e6edf3", dim: "#9da7b3", accent: "#79c0ff", ok: "#7ee787",
		warn: "#e3b341", bad: "#ff7b72", thought: "#d2a8ff", border: "#6e7681", selected: "#24292f",
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

type palette struct{ text, dim, accent, ok, warn, bad, thought, border, selected string }

func (p palette) theme(dark bool) theme {
	sgr := func(before, hex string) style {
		r, g, b, _ := lipgloss.Color(hex).RGBA()
		return style(fmt.Sprintf("\x1b[%s;2;%d;%d;%dm", before, r>>8, g>>8, b>>8))
	}
	fg := func(hex string) style { return sgr("38", hex) }
	bold := func(hex string) style { return sgr("1;38", hex) }
	return theme{
		text: fg(p.text), strong: bold(p.text), dim: fg(p.dim), accent: fg(p.accent), title: bold(p.accent),
		ok: fg(p.ok), agent: bold(p.ok), warn: fg(p.warn), bad: fg(p.bad),
		thought: fg(p.thought), border: fg(p.border), selected: sgr("48", p.selected),
		cursor: lipgloss.Color(p.accent), placeholder: lipgloss.Color(p.dim),
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

func unicodeGlyphs() glyphs {
	return glyphs{
		states: states{idle: "●", busy: "◐", joining: "◌", left: "○", broken: "✗", works: "●", chain: "◇"},
		marks: marks{
			done: "✓", failed: "✗", ask: "?", into: "→", outof: "←", up: "↑", down: "↓",
			open: "▾", closed: "▸", prompt: "❯", dot: "·", ellipsis: "…", dash: "–", lquote: "“", rquote: "”",
		},
		lines: lines{
			branch: "├", corner: "└", vertical: "│", horizontal: "─", teeDown: "┬", teeUp: "┴",
			topLeft: "╭", topRight: "╮", bottomLeft: "╰", bottomRight: "╯", full: "█", empty: "░", bar: "▌", block: "▌",
		},
		spinner: []string{"◐", "◓", "◑", "◒"},
	}
}

func asciiGlyphs() glyphs {
	return glyphs{
		states: states{idle: "*", busy: "@", joining: "~", left: "o", broken: "x", works: "@", chain: "&"},
		marks: marks{
			done: "+", failed: "x", ask: "?", into: ">", outof: "<", up: "^", down: "v",
			open: "v", closed: ">", prompt: ">", dot: "-", ellipsis: "...", dash: "-", lquote: `"`, rquote: `"`,
		},
		lines: lines{
			branch: "|", corner: "`", vertical: "|", horizontal: "-", teeDown: "+", teeUp: "+",
			topLeft: "+", topRight: "+", bottomLeft: "+", bottomRight: "+", full: "#", empty: ".", bar: "|", block: "_",
		},
		spinner: []string{"|", "/", "-", "\\"},
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
	p := pen{theme: darkTheme(), glyphs: asciiGlyphs(), colour: true}
	if utf8Locale(env) {
		p.glyphs = unicodeGlyphs()
	}
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
	p.theme = paletteOf(name).with(p.colors[name]).theme(name == "dark")
	p.look++
}

// spin is the moving sign of something that goes on.
func (p *pen) spin() string { return p.spinner[p.frame%len(p.spinner)] }
