package tui

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	websafe "image/color/palette"
	dither "image/draw"
	"image/png"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"

	"github.com/yaap-chat/yaap/core/media"
)

// cells is the size of a picture on the screen.
type cells struct{ cols, rows int }

// dots is the size of a cell in pixels.
type dots struct{ w, h int }

// fitted is how large a picture of w by h pixels is in a room of cells, each of which
// shows so many pixels of it at most. Its sides keep their proportion.
func fitted(w, h int, room cells, most dots) cells {
	w, h = max(w, 1), max(h, 1)
	cols := max(min(room.cols, (w+most.w-1)/most.w), 1)
	rows := (cols*most.w*h/w + most.h/2) / most.h
	if rows > room.rows {
		rows = room.rows
		cols = min((rows*most.h*w/h+most.w/2)/most.w, cols)
	}
	return cells{max(cols, 1), max(rows, 1)}
}

// blocks draws a picture in half blocks: each cell shows two pixels, one above the other.
// Where it is transparent the terminal is seen.
func blocks(img image.Image, size cells) (rows []string) {
	small := media.Scale(img, size.cols, 2*size.rows)
	for y := range size.rows {
		var b strings.Builder
		last := reset
		for x := range size.cols {
			sign, look := halves(small.NRGBAAt(x, 2*y), small.NRGBAAt(x, 2*y+1))
			if look != last {
				b.WriteString(look)
				last = look
			}
			b.WriteString(sign)
		}
		rows = append(rows, b.String()+reset)
	}
	return rows
}

// halves is a cell whose halves have two colours.
func halves(top, low color.NRGBA) (sign, look string) {
	ink := func(layer int, c color.NRGBA) string { return fmt.Sprintf("%d;2;%d;%d;%d", layer, c.R, c.G, c.B) }
	const seen = 128
	switch {
	case top.A < seen && low.A < seen:
		return " ", reset
	case low.A < seen:
		return "▀", "\x1b[0;" + ink(38, top) + "m"
	case top.A < seen:
		return "▄", "\x1b[0;" + ink(38, low) + "m"
	}
	return "▀", "\x1b[" + ink(38, top) + ";" + ink(48, low) + "m"
}

// placeholders are the cells in which kitty shows the picture of an id: text like any
// other, which scrolls and is cut off as text is. Its colour tells the id, what is above
// a sign its row and column.
func placeholders(id int, size cells) (rows []string) {
	look := style(fmt.Sprintf("\x1b[38;2;%d;%d;%dm", id>>16&255, id>>8&255, id&255))
	for y := range size.rows {
		var b strings.Builder
		for x := range size.cols {
			b.WriteRune(kitty.Placeholder)
			b.WriteRune(kitty.Diacritic(y))
			b.WriteRune(kitty.Diacritic(x))
		}
		rows = append(rows, look.on(b.String()))
	}
	return rows
}

// mostCells is how many rows and columns placeholders can tell.
const mostCells = 297

// toKitty gives kitty, or who does as it does, a picture under an id. It shows it where
// [placeholders] are, and does not answer.
func toKitty(img image.Image, id int, size cells, dot dots) (string, error) {
	var b strings.Builder
	err := kitty.EncodeGraphics(&b, shrunk(img, size, dot), &kitty.Options{
		Action: kitty.TransmitAndPut, Transmission: kitty.Direct, Quiet: 2, ID: id, Format: kitty.PNG, VirtualPlacement: true, Columns: size.cols, Rows: size.rows, Chunk: true,
	})
	return b.String(), err
}

// fromKitty has kitty forget a picture.
func fromKitty(id int) string {
	return ansi.KittyGraphics(nil, "a=d", "d=I", fmt.Sprint("i=", id), "q=2")
}

// shrunk is a picture with no more pixels than its cells have.
func shrunk(img image.Image, size cells, dot dots) image.Image {
	b := img.Bounds()
	w, h := size.cols*dot.w, size.rows*dot.h
	if b.Dx() <= w && b.Dy() <= h {
		return img
	}
	return within(img, w, h)
}

// within is a picture scaled to touch the sides of w by h pixels.
func within(img image.Image, w, h int) *image.NRGBA {
	b := img.Bounds()
	if b.Dx()*h > b.Dy()*w {
		h = max(b.Dy()*w/b.Dx(), 1)
	} else {
		w = max(b.Dx()*h/b.Dy(), 1)
	}
	return media.Scale(img, w, h)
}

// toITerm2 paints a picture at the cursor, as iTerm2 and others do.
func toITerm2(img image.Image, size cells, dot dots) (string, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, shrunk(img, size, dot)); err != nil {
		return "", err
	}
	return fmt.Sprintf("\x1b]1337;File=inline=1;size=%d;width=%d;height=%d;preserveAspectRatio=1;doNotMoveCursor=1:%s\a",
		b.Len(), size.cols, size.rows, base64.StdEncoding.EncodeToString(b.Bytes())), nil
}

// toSixel paints a picture at the cursor in bands of six rows of pixels, in 216 colours.
func toSixel(img image.Image, size cells, dot dots) string {
	small := within(img, size.cols*dot.w, size.rows*dot.h/6*6) // a band more would scroll
	full := small.Bounds()
	inked := image.NewPaletted(full, websafe.WebSafe)
	dither.FloydSteinberg.Draw(inked, full, small, image.Point{})
	var b strings.Builder
	fmt.Fprintf(&b, "\x1bP0;1q\"1;1;%d;%d", full.Dx(), full.Dy())
	for i, c := range inked.Palette {
		r, g, bl, _ := c.RGBA()
		fmt.Fprintf(&b, "#%d;2;%d;%d;%d", i, r*100/0xffff, g*100/0xffff, bl*100/0xffff)
	}
	for top := 0; top < full.Dy(); top += 6 {
		band(&b, small, inked, top)
	}
	return b.String() + "\x1b\\"
}

// band writes six rows of pixels: for each colour that is in them which have it.
func band(b *strings.Builder, small *image.NRGBA, inked *image.Paletted, top int) {
	w, h := inked.Rect.Dx(), inked.Rect.Dy()
	bits := map[uint8][]byte{}
	for y := top; y < min(top+6, h); y++ {
		for x := range w {
			if small.NRGBAAt(x, y).A < 128 {
				continue
			}
			ink := inked.ColorIndexAt(x, y)
			if bits[ink] == nil {
				bits[ink] = make([]byte, w)
			}
			bits[ink][x] |= 1 << (y - top)
		}
	}
	for ink := range inked.Palette {
		row := bits[uint8(ink)] //nolint:gosec // a palette has 256 colours at most
		if row == nil {
			continue
		}
		fmt.Fprintf(b, "#%d", ink)
		for x := 0; x < w; {
			n := x
			for n < w && row[n] == row[x] {
				n++
			}
			if n-x > 3 {
				fmt.Fprintf(b, "!%d%c", n-x, '?'+row[x])
			} else {
				b.WriteString(strings.Repeat(string(rune('?'+row[x])), n-x))
			}
			x = n
		}
		b.WriteByte('$')
	}
	b.WriteByte('-')
}
