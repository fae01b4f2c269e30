package tui

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestWrapBreaksAtSpacesAndWithinLongWords(t *testing.T) {
	for _, c := range []struct {
		text string
		w    int
		want []string
	}{
		{"", 5, []string{""}},
		{"one two three", 7, []string{"one two", "three"}},
		{"one  two", 20, []string{"one  two"}},
		{"abcdefghij", 4, []string{"abcd", "efgh", "ij"}},
		{"a abcdefghij b", 4, []string{"a", "abcd", "efgh", "ij b"}},
		{"two\n\nlines", 9, []string{"two", "", "lines"}},
		{"日本語の文", 4, []string{"日本", "語の", "文"}},
		{"wide 界 x", 1, []string{"w", "i", "d", "e", "界", "x"}},
		{"  indented text", 10, []string{"  indented", "text"}},
	} {
		if diff := cmp.Diff(c.want, wrap(c.text, c.w)); diff != "" {
			t.Errorf("wrap(%q, %d): -want +got\n%s", c.text, c.w, diff)
		}
	}
}

func TestRowsAreCutAndPaddedToTheCell(t *testing.T) {
	for _, c := range []struct {
		name, got, want string
	}{
		{"fit pads", fit("ab", 4), "ab  "},
		{"fit cuts", fit("abcdef", 4), "abcd"},
		{"fit does not halve a wide rune", fit("a界b", 2), "a "},
		{"cut marks", cut("abcdef", 4, "…"), "abc…"},
		{"cut leaves what fits", cut("abcd", 4, "…"), "abcd"},
		{"cut to nothing", cut("abcd", 0, "…"), ""},
		{"both ends", ends("left", "right", 12, "…"), "left   right"},
		{"the right end stays", ends("a long left", "right", 12, "…"), "a lon… right"},
		{"no room for both", ends("left", "right", 7, "…"), "left   "},
		{"a box over a row", put("abcdefgh", 2, "XX", 8), "ab" + reset + "XXefgh"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestTimesReadNaturally(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		time.Second: "now", time.Minute: "1 minute ago", 5 * time.Minute: "5 minutes ago", 3 * time.Hour: "today 09:00",
		20 * time.Hour: "Fri 16:00", 300 * time.Hour: "2026-11-09",
	} {
		if got := ago(now.Add(-d), now); got != want {
			t.Errorf("ago(%v) = %q, want %q", d, got, want)
		}
	}
}
