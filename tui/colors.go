package tui

import (
	"fmt"
	"image/color"
	"maps"
	"math"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/yaap-chat/yaap/core"
)

// Colors are colours that the user wants in place of a theme's: by theme, light or dark,
// then by what they colour, as #rrggbb.
type Colors map[string]map[string]string

const leastContrast = 4.5 // of text, as WCAG 2 has it at level AA

// backgrounds are the ones that a theme is read on at its worst.
func backgrounds() map[string]color.Color {
	return map[string]color.Color{"dark": lipgloss.Color("#1e1e1e"), "light": lipgloss.Color("#ffffff")}
}

// Check refuses what is no colour, what nothing is coloured with, and what could not be
// read.
func (c Colors) Check() error {
	for _, theme := range slices.Sorted(maps.Keys(c)) {
		back := backgrounds()[theme]
		if back == nil {
			return uncolorable("there is no theme "+theme, "write colors: {dark: {accent: \"#79c0ff\"}, light: {accent: \"#0550ae\"}}")
		}
		p := paletteOf(theme)
		parts := p.parts()
		for _, part := range slices.Sorted(maps.Keys(c[theme])) {
			said := c[theme][part]
			switch {
			case parts[part] == nil:
				return uncolorable("nothing is called "+part, "the names are "+strings.Join(slices.Sorted(maps.Keys(parts)), ", "))
			case !isColor(said):
				return uncolorable(part+" is no colour: "+core.QuoteWord(said), `write it as "#79c0ff"`)
			}
		}
		p = p.with(c[theme])
		parts = p.parts()
		for _, part := range slices.Sorted(maps.Keys(parts)) {
			rgb, on, against := parts[part], back, "the background"
			if part == "selected" {
				part, rgb, on, against = "text", &p.text, lipgloss.Color(p.selected), "what is selected"
			}
			if r := contrast(lipgloss.Color(*rgb), on); r < leastContrast && part != "border" {
				return uncolorable(fmt.Sprintf("%s stands out too little from %s in %s: %.1f to 1", part, against, theme, r), fmt.Sprintf("choose one with at least %.1f to 1", leastContrast))
			}
		}
	}
	return nil
}

func uncolorable(message, hint string) error {
	return &core.Error{Code: core.CodeInvalid, Op: "tui: colors", Message: "colors: " + message, Hint: hint}
}

func isColor(s string) bool {
	hex, ok := strings.CutPrefix(s, "#")
	return ok && len(hex) == 6 && strings.Trim(strings.ToLower(hex), "0123456789abcdef") == ""
}

// parts are the colours of a palette by their names.
func (p *palette) parts() map[string]*string {
	return map[string]*string{
		"text": &p.text, "dim": &p.dim, "accent": &p.accent, "ok": &p.ok, "warn": &p.warn,
		"bad": &p.bad, "thought": &p.thought, "border": &p.border, "selected": &p.selected,
	}
}

// with is a palette with colours of the user in it.
func (p palette) with(own map[string]string) palette {
	parts := p.parts()
	for part, said := range own {
		if hex := parts[part]; hex != nil && isColor(said) {
			*hex = said
		}
	}
	return p
}

// contrast is the ratio of two colours as WCAG 2 defines it.
func contrast(a, b color.Color) float64 {
	lum := func(c color.Color) float64 {
		r, g, b, _ := c.RGBA()
		lin := func(v uint32) float64 {
			f := float64(v) / 0xffff
			if f <= 0.04045 {
				return f / 12.92
			}
			return math.Pow((f+0.055)/1.055, 2.4)
		}
		return 0.2126*lin(r) + 0.7152*lin(g) + 0.0722*lin(b)
	}
	x, y := lum(a), lum(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}
