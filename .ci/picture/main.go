// Command picture makes an animated SVG of an asciicast, or a still of one of its
// moments, or of a screen that tmux has captured with its colours:
// picture [-to SECONDS | -still TEXT] CAST >SVG, picture -screen WIDTHxHEIGHT <CAPTURED >SVG
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"html"
	"image/color"
	"io"
	"log"
	"os"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

const (
	cell, line = 8.4, 18 // of a letter of 14 points
	margin     = 10
	paper, ink = "#0d1117", "#e6edf3"
)

func main() {
	to := flag.Float64("to", 1e9, "end after so many seconds")
	still := flag.String("still", "", "the last moment that shows this text, and no other")
	screen := flag.String("screen", "", "the size of the screen that is read from standard input")
	flag.Parse()
	var p *picture
	var err error
	if *screen != "" {
		p, err = captured(*screen, os.Stdin)
	} else {
		p, err = play(flag.Arg(0), *to, *still)
	}
	if err != nil {
		log.Fatal(err)
	}
	if err := p.write(os.Stdout, *still+*screen != ""); err != nil {
		log.Fatal(err)
	}
}

// captured is a screen of a size such as 80x24, from its rows.
func captured(size string, in io.Reader) (*picture, error) {
	p := &picture{}
	if _, err := fmt.Sscanf(size, "%dx%d", &p.width, &p.height); err != nil {
		return nil, fmt.Errorf("%s is no size: %w", size, err)
	}
	rows, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	terminal := vt.NewEmulator(p.width, p.height)
	go func() { _, _ = io.Copy(io.Discard, terminal) }()
	if _, err := terminal.WriteString(strings.ReplaceAll(strings.TrimSuffix(string(rows), "\n"), "\n", "\r\n")); err != nil {
		return nil, err
	}
	for y := range p.height {
		look, _ := drawn(terminal, y)
		p.now = append(p.now, row{y: y, look: look})
	}
	return p, nil
}

// row is what stood in a row of the terminal for a while.
type row struct {
	y          int
	look       string
	begin, end float64
}

// picture is a cast that was played.
type picture struct {
	width, height int
	end           float64
	rows          []row // those that have gone, then those of the end
	now           []row
}

// play plays a cast. With a still, what is now is that moment.
func play(path string, to float64, still string) (*picture, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	var head struct{ Width, Height int }
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &head) != nil {
		return nil, fmt.Errorf("%s is no asciicast", path)
	}
	p := &picture{width: head.Width, height: head.Height, now: make([]row, head.Height)}
	terminal := vt.NewEmulator(head.Width, head.Height)
	go func() { _, _ = io.Copy(io.Discard, terminal) }()
	var moment []row
	for lines.Scan() {
		var kind, text string
		var at float64
		if err := json.Unmarshal(lines.Bytes(), &[]any{&at, &kind, &text}); err != nil {
			return nil, err
		}
		if p.end = at; at > to {
			p.end = to
			break
		}
		if _, err := terminal.WriteString(text); err != nil {
			return nil, err
		}
		var said strings.Builder
		for y := range p.now {
			look, words := drawn(terminal, y)
			said.WriteString(words + "\n")
			if old := p.now[y]; old.look != look {
				p.gone(old, at)
				p.now[y] = row{y: y, look: look, begin: at}
			}
		}
		if still != "" && strings.Contains(said.String(), still) {
			moment = append([]row(nil), p.now...)
		}
	}
	if still == "" {
		p.end += 3 // to look at the end
		for _, r := range p.now {
			p.gone(r, p.end)
		}
	} else if p.now = moment; moment == nil {
		return nil, fmt.Errorf("%q is not to be seen", still)
	}
	return p, lines.Err()
}

func (p *picture) gone(r row, at float64) {
	if r.look != "" {
		r.end = at
		p.rows = append(p.rows, r)
	}
}

// drawn is a row of the terminal as SVG, and its words.
func drawn(terminal *vt.Emulator, y int) (look, words string) {
	var b, text strings.Builder
	var under strings.Builder
	var run strings.Builder
	var style uv.Style
	from := 0
	flush := func(to int) {
		said := strings.TrimRight(run.String(), " ") // browsers drop the blanks at the ends
		run.Reset()
		if words := strings.TrimLeft(said, " "); words != "" {
			at := from + len(said) - len(words)
			fmt.Fprintf(&b, `<text x="%.1f" textLength="%.1f"%s>%s</text>`, float64(at)*cell, float64(ansi.StringWidth(words))*cell, attributes(style), html.EscapeString(words))
		}
		if style.Bg != nil && to > from {
			fmt.Fprintf(&under, `<rect x="%.1f" y="-13" width="%.1f" height="%d" fill="%s"/>`, float64(from)*cell, float64(to-from)*cell, line, hex(style.Bg))
		}
		from = to
	}
	for x := 0; x < terminal.Width(); {
		c := terminal.CellAt(x, y)
		content, wide, now := " ", 1, uv.Style{}
		if c != nil {
			now = c.Style
			if c.Content != "" {
				content, wide = c.Content, max(c.Width, 1)
			}
		}
		if !now.Equal(&style) || content == " " && strings.HasSuffix(run.String(), " ") {
			flush(x)
			style = now
		}
		run.WriteString(content)
		text.WriteString(content)
		x += wide
	}
	flush(terminal.Width())
	return under.String() + b.String(), text.String()
}

func attributes(s uv.Style) string {
	out := ""
	if s.Fg != nil {
		out += ` fill="` + hex(s.Fg) + `"`
	}
	if s.Attrs&uv.AttrBold != 0 {
		out += ` font-weight="bold"`
	}
	if s.Attrs&uv.AttrItalic != 0 {
		out += ` font-style="italic"`
	}
	return out
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// write writes the picture: each look once, and where and when it is to be seen.
func (p *picture) write(w io.Writer, still bool) error {
	var b bytes.Buffer
	width, height := float64(p.width)*cell+2*margin, p.height*line+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" fill="%s">`, width, height, ink)
	fmt.Fprintf(&b, `<rect width="%.0f" height="%d" rx="8" fill="%s"/>`, width, height, paper)
	rows := p.rows
	if still {
		rows = p.now
	} else {
		fmt.Fprintf(&b, `<rect width="0" height="0"><animate id="l" attributeName="x" values="0;0" begin="0s;l.end" dur="%.2fs"/></rect>`, p.end)
	}
	ids := map[string]string{}
	b.WriteString("<defs>")
	for _, r := range rows {
		if r.look != "" && ids[r.look] == "" {
			ids[r.look] = fmt.Sprintf("r%d", len(ids))
			fmt.Fprintf(&b, `<g id="%s">%s</g>`, ids[r.look], r.look)
		}
	}
	b.WriteString("</defs>\n")
	for _, r := range rows {
		if r.look == "" {
			continue
		}
		place := fmt.Sprintf(`<use href="#%s" x="%d" y="%d"`, ids[r.look], margin, margin+13+r.y*line)
		if still {
			b.WriteString(place + "/>\n")
			continue
		}
		fmt.Fprintf(&b, `%s visibility="hidden"><set attributeName="visibility" to="visible" begin="l.begin+%.2fs" dur="%.2fs"/></use>`+"\n", place, r.begin, max(r.end-r.begin, 0.01))
	}
	b.WriteString("</svg>\n")
	_, err := w.Write(b.Bytes())
	return err
}
