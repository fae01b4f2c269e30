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

// Check refuses what is no colour, what nothing is coloured with, and what could not be
// read.
func (c Colors) Check() error {
	for _, theme := range slices.Sorted(maps.Keys(c)) {
		// The backgrounds that a theme is read on at its worst.
		back := map[string]color.Color{"dark": lipgloss.Color("#1e1e1e"), "light": lipgloss.Color("#ffffff")}[theme]
		if back == nil {
			return uncolorable("there is no theme "+theme, "write colors: {dark: {accent: \"#79c0ff\"}, light: {accent: \"#0550ae\"}}")
		}
		p := paletteOf(theme)
		parts := slices.Sorted(maps.Keys(p))
		for _, part := range slices.Sorted(maps.Keys(c[theme])) {
			said := c[theme][part]
			switch {
			case p[part] == "":
				return uncolorable("nothing is called "+part, "the names are "+strings.Join(parts, ", "))
			case !isColor(said):
				return uncolorable(part+" is no colour: "+core.QuoteWord(said), `write it as "#79c0ff"`)
			}
			p[part] = said
		}
		for _, part := range parts {
			on, against := back, "the background"
			if part == "selected" {
				part, on, against = "text", lipgloss.Color(p[part]), "what is selected"
			}
			if r := contrast(lipgloss.Color(p[part]), on); r < leastContrast && part != "border" {
				return uncolorable(fmt.Sprintf("%s stands out too little from %s in %s: %.1f to 1", part, against, theme, r), fmt.Sprintf("choose one with at least %.1f to 1", leastContrast))
			}
		}
	}
	return nil
}

func uncolorable(message, hint string) error {
	return core.Fail(core.CodeInvalid, "colors: "+message, hint)
}

func isColor(s string) bool {
	hex, ok := strings.CutPrefix(s, "#")
	return ok && len(hex) == 6 && strings.Trim(strings.ToLower(hex), "0123456789abcdef") == ""
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
