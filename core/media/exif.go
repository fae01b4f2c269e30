package media

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
)

// Cameras write pictures as they were held, and how to turn them beside: EXIF's
// orientation, 1 to 8, of which 1 is not at all and those from 5 on change the sides.

// orientation is what a JPEG says of how it has to be turned.
func orientation(raw []byte) int {
	if !bytes.HasPrefix(raw, []byte{0xff, 0xd8}) {
		return 1
	}
	for at := 2; at+4 <= len(raw) && raw[at] == 0xff && raw[at+1] != 0xda; { // the picture itself begins
		end := at + 2 + int(binary.BigEndian.Uint16(raw[at+2:]))
		if end < at+4 || end > len(raw) {
			break
		}
		if exif, ok := bytes.CutPrefix(raw[at+4:end], []byte("Exif\x00\x00")); ok && raw[at+1] == 0xe1 {
			return oriented(exif)
		}
		at = end
	}
	return 1
}

// oriented looks for the orientation in the first directory of EXIF.
func oriented(exif []byte) int {
	const header, entry, tag = 8, 12, 0x0112
	if len(exif) < header {
		return 1
	}
	var order binary.ByteOrder = binary.BigEndian
	if exif[0] == 'I' {
		order = binary.LittleEndian
	}
	at := int64(order.Uint32(exif[4:]))
	if at+2 > int64(len(exif)) {
		return 1
	}
	list := exif[at+2:]
	for range order.Uint16(exif[at:]) {
		if len(list) < entry {
			break
		}
		if way := int(order.Uint16(list[8:])); order.Uint16(list) == tag && way >= 1 && way <= 8 {
			return way
		}
		list = list[entry:]
	}
	return 1
}

// turned is a picture that is turned or mirrored.
type turned struct {
	image.Image // its first pixel is at 0, 0
	way         int
}

func upright(img image.Image, way int) image.Image {
	if way == 1 || img.Bounds().Min != (image.Point{}) {
		return img
	}
	return turned{img, way}
}

func (t turned) Bounds() image.Rectangle {
	size := t.Image.Bounds().Max
	if t.way >= 5 {
		size.X, size.Y = size.Y, size.X
	}
	return image.Rectangle{Max: size}
}

func (t turned) At(x, y int) color.Color {
	size := t.Image.Bounds().Max
	right, bottom := size.X-1, size.Y-1
	switch t.way {
	case 2:
		x = right - x
	case 3:
		x, y = right-x, bottom-y
	case 4:
		y = bottom - y
	case 5:
		x, y = y, x
	case 6:
		x, y = y, bottom-x
	case 7:
		x, y = right-y, bottom-x
	case 8:
		x, y = right-y, x
	}
	return t.Image.At(x, y)
}
