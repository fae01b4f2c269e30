package tui

import (
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
)

func TestColoursOfTheUserAreCheckedForWhatCanBeRead(t *testing.T) {
	for name, c := range map[string]struct {
		colors Colors
		want   string
	}{
		"a name of no theme":         {Colors{"blue": {"text": "#ffffff"}}, "no theme blue"},
		"a name of nothing":          {Colors{"dark": {"frame": "#ffffff"}}, "nothing is called frame"},
		"no colour":                  {Colors{"dark": {"text": "white"}}, "text is no colour"},
		"a colour cut short":         {Colors{"dark": {"text": "#fff"}}, "text is no colour"},
		"dark on dark":               {Colors{"dark": {"accent": "#333333"}}, "accent stands out too little from the background in dark"},
		"light on light":             {Colors{"light": {"dim": "#aaaaaa"}}, "dim stands out too little from the background in light"},
		"text on what is selected":   {Colors{"dark": {"selected": "#bbbbbb"}}, "text stands out too little from what is selected"},
		"an accent that can be read": {Colors{"dark": {"accent": "#ffaf00"}, "light": {"accent": "#8a3b00"}}, ""},
		"a border that is faint":     {Colors{"dark": {"border": "#333333"}}, ""},
		"nothing":                    {Colors{"dark": {}, "light": {}}, ""},
	} {
		err := c.colors.Check()
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || core.HintOf(err) == "") {
			t.Errorf("%s: got %v (%s)", name, err, core.HintOf(err))
		}
	}
}

func TestColoursOfTheUserAreWorn(t *testing.T) {
	colors := Colors{"dark": {"accent": "#ffaf00"}}
	must.Do(t, colors.Check())
	x := start(t, setup{w: 80, h: 24, o: Options{Theme: "dark", Colors: colors}}, settled())
	x.see("Ask the room")
	worn := 0
	x.cells(func(_, _ int, cell *uv.Cell) {
		if cell.Style.Fg != nil && contrast(cell.Style.Fg, lipgloss.Color("#ffaf00")) < 1.01 {
			worn++
		}
	})
	if worn == 0 {
		t.Error("nothing has the accent of the user")
	}
}
