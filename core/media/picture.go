package media

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"

	"github.com/yaap-chat/yaap/core/userfile"
)

const (
	// MaxRead is how many bytes of a picture or a text are looked at.
	MaxRead   = 32 << 20
	maxPixels = 9 << 20 // of a picture that is decoded: a screen of 4K has 8.3 million
)

// Picture reads a PNG, a JPEG, or the first frame of a GIF. How large it is is looked at
// before it is decoded: a small file may hold a picture that fills the memory.
func Picture(path string) (image.Image, error) {
	raw, err := userfile.Read(path, MaxRead)
	if err != nil {
		return nil, errors.New("it is not there any more, or too large")
	}
	return Decode(raw)
}

// Text returns what a file of text holds, as it is.
func Text(path string) (string, error) {
	raw, err := userfile.Read(path, MaxRead)
	if err != nil {
		return "", errors.New("it is not there any more, or too large")
	}
	return string(raw), nil
}

// Decode returns the picture that data holds, turned as a JPEG says that it has to be.
func Decode(raw []byte) (image.Image, error) {
	size, _, err := image.DecodeConfig(bytes.NewReader(raw))
	switch {
	case err != nil:
		return nil, errors.New("it is no PNG, JPEG or GIF")
	case size.Width <= 0 || size.Height <= 0 || size.Width > maxPixels/size.Height:
		return nil, fmt.Errorf("its %d×%d pixels are too many", size.Width, size.Height)
	}
	img, _, err := image.Decode(bytes.NewReader(raw))
	if err != nil || img.Bounds().Empty() {
		return nil, errors.New("it is cut off, or broken")
	}
	return upright(img, orientation(raw)), nil
}

// Shrink returns a picture, in its own format or as a PNG, whose sides have so many pixels at
// most. One that has no more, or cannot be read, is as it was.
func Shrink(raw []byte, side int) []byte {
	size, format, err := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil || max(size.Width, size.Height) <= side {
		return raw
	}
	img, err := Decode(raw)
	if err != nil {
		return raw
	}
	b := img.Bounds()
	long := max(b.Dx(), b.Dy())
	small := Scale(img, max(b.Dx()*side/long, 1), max(b.Dy()*side/long, 1))
	var out bytes.Buffer
	if format == "jpeg" {
		err = jpeg.Encode(&out, small, &jpeg.Options{Quality: 85})
	} else {
		err = png.Encode(&out, small)
	}
	if err != nil {
		return raw
	}
	return out.Bytes()
}

// Scale returns a picture of w by h pixels: each is the mean of those that it stands for.
func Scale(img image.Image, w, h int) *image.NRGBA {
	from := image.Rectangle{Max: img.Bounds().Size()}
	src := image.NewRGBA(from)
	draw.Draw(src, from, img, img.Bounds().Min, draw.Src)
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		top := y * from.Max.Y / h
		bottom := max((y+1)*from.Max.Y/h, top+1)
		for x := range w {
			left := x * from.Max.X / w
			right := max((x+1)*from.Max.X/w, left+1)
			out.SetNRGBA(x, y, mean(src, image.Rect(left, top, right, bottom)))
		}
	}
	return out
}

// mean is the mean colour of a part of a picture.
func mean(src *image.RGBA, part image.Rectangle) color.NRGBA {
	var sum [4]int // red, green and blue by how much they cover
	for y := part.Min.Y; y < part.Max.Y; y++ {
		row := src.Pix[src.PixOffset(part.Min.X, y):src.PixOffset(part.Max.X, y)]
		for i := 0; i < len(row); i += 4 {
			for c := range sum {
				sum[c] += int(row[i+c])
			}
		}
	}
	cover, n := sum[3], part.Dx()*part.Dy()
	if cover == 0 {
		return color.NRGBA{}
	}
	part8 := func(c int) uint8 { return uint8(min((c*255+cover/2)/cover, 255)) }              //nolint:gosec // at most 255
	return color.NRGBA{part8(sum[0]), part8(sum[1]), part8(sum[2]), uint8((cover + n/2) / n)} //nolint:gosec // a mean of bytes
}
