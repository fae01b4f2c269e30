package tui

import (
	"image"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/media"
	"github.com/yaap-chat/yaap/core/safe"
)

// Bubble Tea draws by cells, so what is shown among the text has to be cells: those that
// kitty puts a picture in, or half blocks of two colours. What paints over cells, iTerm2's
// pictures and sixels, is for the whole screen, where nothing else is drawn meanwhile.

const (
	pictureRows   = 12      // of one in the conversation
	mostPictures  = 4       // of one message
	leastPicture  = 8       // cells of a row that pictures are drawn in
	keptCells     = 100_000 // of all that are drawn; those that were looked at longest ago are forgotten
	pictureCosts  = 100     // cells, however small it is
	maxPictureIDs = 1<<24 - 1
)

// Ways to show a picture.
const (
	asBlocks = "blocks"
	asKitty  = "kitty"
	asITerm2 = "iterm2"
	asSixel  = "sixel"
)

// gallery is the pictures that are drawn. It belongs to the program's goroutine; what is
// drawn is drawn beside it, one at a time.
type gallery struct {
	dir     string // of the files of the room; empty: none is shown
	wish    string // of the user: auto, off, or a way
	seen    terminalSeen
	made    map[pictureKey]*picture
	wanted  []*picture // that are to be drawn, the last first
	drawing bool
	clock   int
	id      int // of the one that was given to the terminal last
	look    pictureLook
}

// terminalSeen is what the terminal says of itself.
type terminalSeen struct {
	env     func(string) string
	name    string // with its version
	sixel   bool
	colours string // how many there are
	plain   bool   // it shows no colours, or only ASCII
	dot     dots
}

type pictureKey struct {
	name string
	way  string
	size cells
}

// picture is one that is drawn, or will be.
type picture struct {
	pictureKey
	id    int // by which the terminal has it; 0: it has not
	rows  []string
	fault string // why there is none
	ready bool
	used  int
}

func newGallery(o Options, p *pen) *gallery {
	g := &gallery{
		dir: o.Files, wish: o.Pictures, made: map[pictureKey]*picture{}, id: rand.IntN(maxPictureIDs / 2), //nolint:gosec // not to be those of another program
		seen: terminalSeen{env: o.Env, plain: !p.colour || p.ascii(), dot: dots{10, 20}},
	}
	if g.wish == "off" || g.seen.plain {
		g.dir = ""
	}
	return g
}

// ask asks the terminal who it is, what it can show, and how large a cell is. It answers
// with messages, or never.
func (g *gallery) ask() tea.Cmd {
	if g.dir == "" {
		return nil
	}
	return tea.Raw(ansi.RequestNameVersion + ansi.RequestPrimaryDeviceAttributes + ansi.WindowOp(16))
}

// told takes what the terminal says of itself.
func (p *pen) told(msg tea.Msg) {
	g := p.pictures
	was := g.inline()
	switch msg := msg.(type) {
	case tea.TerminalVersionMsg:
		g.seen.name = msg.Name
	case tea.ColorProfileMsg:
		g.seen.colours = msg.String()
	case uv.PrimaryDeviceAttributesEvent:
		g.seen.sixel = slices.Contains(msg, 4)
	case uv.CellSizeEvent:
		if msg.Width > 0 && msg.Height > 0 && msg.Width < 256 && msg.Height < 256 {
			g.seen.dot = dots{msg.Width, msg.Height}
		}
	}
	if g.inline() != was {
		p.look++
	}
}

// inline is the way in which pictures are shown in the conversation; empty: they are not.
func (g *gallery) inline() string {
	if g == nil || g.dir == "" {
		return ""
	}
	switch s := &g.seen; {
	case s.colours == "ANSI" || s.colours == "Ascii" || s.colours == "NoTTY":
		return ""
	case g.wish == asKitty, g.wish == "auto" && s.placeholders():
		return asKitty
	}
	return asBlocks
}

// whole is the way in which a picture is shown on the whole screen.
func (g *gallery) whole() string {
	s := &g.seen
	passes := s.env("TMUX") == "" && !strings.HasPrefix(s.env("TERM"), "screen") // what paints gets through
	iterm2 := strings.HasPrefix(s.name, "iTerm2") || strings.HasPrefix(s.name, "WezTerm") || s.env("TERM_PROGRAM") == "iTerm.app" || s.env("TERM_PROGRAM") == "WezTerm" || s.env("LC_TERMINAL") == "iTerm2"
	switch way := g.inline(); {
	case g.dir == "":
		return ""
	case g.wish == asITerm2, g.wish == asSixel:
		return g.wish
	case g.wish != "auto" || way == asKitty:
		return way
	case iterm2 && passes:
		return asITerm2
	case s.sixel:
		return asSixel
	default:
		return way
	}
}

// placeholders reports whether the terminal shows pictures in cells of text: kitty since
// 0.28, and ghostty. tmux and screen say their own name.
func (s *terminalSeen) placeholders() bool {
	name := strings.ToLower(s.name)
	version, old := strings.CutPrefix(name, "kitty(0.")
	minor, _, _ := strings.Cut(strings.TrimRight(version, ")"), ".")
	switch {
	case s.colours != "" && s.colours != "TrueColor": // the colour tells which picture
		return false
	case old:
		return len(minor) > 2 || len(minor) == 2 && minor >= "28"
	}
	return strings.HasPrefix(name, "kitty(") || strings.HasPrefix(name, "ghostty")
}

// isPicture reports whether a file can be shown.
func isPicture(f core.File) bool {
	return f.Width > 0 && f.Height > 0 && slices.Contains([]string{"image/png", "image/jpeg", "image/gif"}, f.Type)
}

// rows are the rows of a picture in a room of cells, which are blank until it is drawn;
// fault says why there are none.
func (g *gallery) rows(f core.File, way string, room cells) (rows []string, fault string) {
	if way == "" || room.cols < leastPicture || !isPicture(f) {
		return nil, ""
	}
	most := dots{1, 2} // pixels of a cell
	if way == asKitty {
		most, room = g.seen.dot, cells{min(room.cols, mostCells), min(room.rows, mostCells)}
	}
	key := pictureKey{f.Name, way, fitted(f.Width, f.Height, room, most)}
	p := g.made[key]
	if p == nil {
		p = &picture{pictureKey: key, rows: make([]string, key.size.rows)}
		g.made[key] = p
		g.wanted = append(g.wanted, p)
	}
	g.clock++
	p.used = g.clock
	return p.rows, p.fault
}

// load draws what is wanted, what is wanted last first, and says to the terminal what
// need not be kept any more.
func (g *gallery) load(m *model) tea.Cmd {
	n := len(g.wanted)
	if n == 0 || g.drawing {
		return nil
	}
	p := g.wanted[n-1]
	g.wanted, g.drawing = g.wanted[:n-1], true
	if p.way == asKitty {
		g.id = g.id%maxPictureIDs + 1
		p.id = g.id
	}
	path, dot, drop := g.path(p.name), g.seen.dot, g.forget()
	return m.jobs.command(func() tea.Msg {
		rows, send, err := drawPicture(path, p, dot)
		done := then(func() tea.Cmd {
			p.rows, p.ready, g.drawing = rows, true, false
			if err != nil {
				p.fault = safe.Line(err.Error())
			}
			m.pen.look++
			return nil
		})
		// It is shown when the terminal has it.
		return then(func() tea.Cmd { return tea.Sequence(tea.Raw(drop+send), func() tea.Msg { return done }) })
	})
}

// path is where a file of the room is, whatever is said of it elsewhere.
func (g *gallery) path(name string) string { return filepath.Join(g.dir, filepath.Base(name)) }

// drawPicture draws a picture, and returns what the terminal is sent before it shows it.
func drawPicture(path string, p *picture, dot dots) (rows []string, send string, err error) {
	var img image.Image
	if img, err = media.Picture(path); err != nil {
		return nil, "", err
	}
	if p.way == asKitty {
		send, err = toKitty(img, p.id, p.size, dot)
		return placeholders(p.id, p.size), send, err
	}
	return blocks(img, p.size), "", nil
}

// forget forgets those that were looked at longest ago when there are too many. It
// returns what the terminal is to be told.
func (g *gallery) forget() (send string) {
	for {
		var oldest *picture
		kept := 0
		for _, p := range g.made {
			kept += p.size.cols*p.size.rows + pictureCosts
			if p.ready && (oldest == nil || p.used < oldest.used) {
				oldest = p
			}
		}
		if kept <= keptCells || oldest == nil {
			return send
		}
		if oldest.id > 0 {
			send += fromKitty(oldest.id)
		}
		delete(g.made, oldest.pictureKey)
	}
}

// close is what the terminal is told when nobody looks at pictures any more.
func (g *gallery) close() (send string) {
	for _, p := range g.made {
		if p.id > 0 {
			send += fromKitty(p.id)
		}
	}
	return send
}

// pictured are the rows of files below a message: pictures as they look, and a line for
// each that named does not name.
func (c *canvas) pictured(files []core.File, named string) (rows []string) {
	shown := 0
	for _, f := range files {
		var drawn []string
		fault := ""
		if shown < mostPictures {
			drawn, fault = c.pictures.rows(f, c.pictures.inline(), cells{c.body(), pictureRows})
		}
		if len(drawn) > 0 {
			rows = append(append(rows, ""), drawn...)
			shown++
		}
		line := safe.Line(f.String())
		if fault != "" {
			line += ", not shown: " + fault
		}
		if fault != "" || !strings.Contains(named, f.Name) {
			rows = append(rows, c.dim.each(wrap(line, c.body()))...)
		}
	}
	return rows
}
