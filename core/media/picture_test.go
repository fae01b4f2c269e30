package media

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/must"
)

// encoded is a picture of w by h pixels in a format.
func encoded(t *testing.T, format string, w, h int) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix { // red, with some noise
		img.Pix[i] = [4]uint8{196 + uint8(i*i%7), 20, 20, 255}[i%4]
	}
	var b bytes.Buffer
	var err error
	switch format {
	case "png":
		err = png.Encode(&b, img)
	case "jpeg":
		err = jpeg.Encode(&b, img, nil)
	case "gif":
		err = gif.Encode(&b, img, nil)
	}
	must.Do(t, err)
	return b.Bytes()
}

// claiming is a PNG whose header says that it has so many pixels.
func claiming(t *testing.T, w, h uint32) []byte {
	t.Helper()
	raw := encoded(t, "png", 4, 4)
	binary.BigEndian.PutUint32(raw[16:], w)
	binary.BigEndian.PutUint32(raw[20:], h)
	binary.BigEndian.PutUint32(raw[29:], crc32.ChecksumIEEE(raw[12:29]))
	return raw
}

func TestPicturesAreRead(t *testing.T) {
	for _, format := range []string{"png", "jpeg", "gif"} {
		img, err := Decode(encoded(t, format, 30, 20))
		if err != nil || img.Bounds().Size() != image.Pt(30, 20) {
			t.Errorf("%s: %v", format, err)
			continue
		}
		if c := Scale(img, 3, 2).NRGBAAt(2, 1); c.R < 180 || c.G > 40 || c.A != 255 {
			t.Errorf("%s: a pixel of it is %v", format, c)
		}
	}
}

func TestAHostilePictureIsNotDecoded(t *testing.T) {
	whole := encoded(t, "png", 400, 300)
	for name, c := range map[string]struct {
		raw  []byte
		want string
	}{
		"a bomb":               {claiming(t, 60_000, 60_000), "60000×60000 pixels are too many"},
		"one pixel too wide":   {claiming(t, maxPixels+1, 1), "too many"},
		"an overflow":          {claiming(t, 1<<31-1, 1<<31-1), "no PNG, JPEG or GIF"},
		"a header and no more": {whole[:33], "cut off"},
		"half of it":           {whole[:len(whole)/2], "cut off"},
		"a size that is a lie": {claiming(t, 2000, 2000), "cut off"},
		"words":                {[]byte("GIF89a, I am"), "no PNG, JPEG or GIF"},
		"nothing":              {nil, "no PNG, JPEG or GIF"},
	} {
		if img, err := Decode(c.raw); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v", name, img != nil, err)
		}
	}
}

func TestAFileThatIsNoneIsNotWaitedFor(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "heron.png")
	must.Fifo(t, pipe)
	for _, path := range []string{pipe, t.TempDir(), pipe + "-gone"} {
		if _, err := Picture(path); err == nil {
			t.Errorf("%s is read", path)
		}
	}
	large := filepath.Join(t.TempDir(), "large.png")
	must.Do(t, os.WriteFile(large, encoded(t, "png", 4, 4), 0o600))
	must.Do(t, os.Truncate(large, MaxRead+1))
	if _, err := Picture(large); err == nil {
		t.Error("a file that is too large is read")
	}
}

func TestWhatIsScaledIsTheMeanOfItsParts(t *testing.T) {
	img := image.NewNRGBA(image.Rect(10, 10, 14, 12)) // a frame need not begin at 0, 0
	for y := 10; y < 12; y++ {
		img.SetNRGBA(10, y, color.NRGBA{R: 100, A: 255})
		img.SetNRGBA(11, y, color.NRGBA{R: 200, A: 255})
		img.SetNRGBA(12, y, color.NRGBA{G: 80, A: 255})
		img.SetNRGBA(13, y, color.NRGBA{}) // what is not seen has no colour to add
	}
	small := Scale(img, 2, 1)
	if left, right := small.NRGBAAt(0, 0), small.NRGBAAt(1, 0); left != (color.NRGBA{R: 150, A: 255}) || right != (color.NRGBA{G: 80, A: 128}) {
		t.Errorf("they are %v and %v", left, right)
	}
	if large := Scale(img, 8, 4); large.NRGBAAt(7, 3).A != 0 || large.NRGBAAt(1, 0).R != 100 {
		t.Errorf("larger it is %v", large.Pix)
	}
}

// held is a JPEG of 3 by 2 blocks, the first one red, that says how it has to be turned.
func held(t *testing.T, order binary.AppendByteOrder, way uint16) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, 48, 32))
	for y := range 32 {
		for x := range 48 {
			img.SetNRGBA(x, y, color.NRGBA{255, 255, 255, 255})
			if x < 16 && y < 16 {
				img.SetNRGBA(x, y, color.NRGBA{255, 0, 0, 255})
			}
		}
	}
	var b bytes.Buffer
	must.Do(t, jpeg.Encode(&b, img, &jpeg.Options{Quality: 95}))
	mark := "MM\x00*"
	if order.String() == "LittleEndian" {
		mark = "II*\x00"
	}
	exif := order.AppendUint16(order.AppendUint32([]byte("Exif\x00\x00"+mark), 8), 1)
	exif = order.AppendUint32(order.AppendUint16(order.AppendUint16(exif, 0x0112), 3), 1)
	exif = append(order.AppendUint16(exif, way), 0, 0, 0, 0, 0, 0)
	head := binary.BigEndian.AppendUint16([]byte{0xff, 0xd8, 0xff, 0xe1}, uint16(len(exif)+2))
	return append(append(head, exif...), b.Bytes()[2:]...)
}

func TestAPhotographIsTurnedAsItSays(t *testing.T) {
	for way, want := range map[uint16]struct{ size, red image.Point }{
		1: {image.Pt(48, 32), image.Pt(0, 0)}, 2: {image.Pt(48, 32), image.Pt(2, 0)}, 3: {image.Pt(48, 32), image.Pt(2, 1)}, 4: {image.Pt(48, 32), image.Pt(0, 1)},
		5: {image.Pt(32, 48), image.Pt(0, 0)}, 6: {image.Pt(32, 48), image.Pt(1, 0)}, 7: {image.Pt(32, 48), image.Pt(1, 2)}, 8: {image.Pt(32, 48), image.Pt(0, 2)},
		9: {image.Pt(48, 32), image.Pt(0, 0)},
	} {
		for _, order := range []binary.AppendByteOrder{binary.BigEndian, binary.LittleEndian} {
			raw := held(t, order, way)
			img, err := Decode(raw)
			if err != nil || img.Bounds().Size() != want.size {
				t.Fatalf("%d: %v (%v)", way, img, err)
			}
			small := Scale(img, want.size.X/16, want.size.Y/16)
			for y := range want.size.Y / 16 {
				for x := range want.size.X / 16 {
					if red := small.NRGBAAt(x, y).G < 128; red != (image.Pt(x, y) == want.red) {
						t.Errorf("%d: at %d, %d red is %v", way, x, y, red)
					}
				}
			}
			f, err := (&FileStore{Dir: filepath.Join(t.TempDir(), "files")}).Keep("photo", "", raw)
			if err != nil || image.Pt(f.Width, f.Height) != want.size {
				t.Errorf("%d: it is said to be %d×%d (%v)", way, f.Width, f.Height, err)
			}
		}
	}
}

func TestAnOrientationThatIsALieTurnsNothing(t *testing.T) {
	raw := held(t, binary.BigEndian, 6)
	for n := range min(len(raw), 64) { // cut off, or with any byte of it another
		_ = orientation(raw[:n])
		for _, b := range []byte{0, 1, 0x7f, 0xff} {
			broken := bytes.Clone(raw)
			broken[n] = b
			if way := orientation(broken); way < 1 || way > 8 {
				t.Fatalf("with %#x at %d it is %d", b, n, way)
			}
		}
	}
}

func TestOnlyWhatIsTooLargeIsShrunk(t *testing.T) {
	for _, format := range []string{"png", "jpeg", "gif"} {
		raw := encoded(t, format, 300, 100)
		if got := Shrink(raw, 300); !bytes.Equal(got, raw) {
			t.Errorf("%s: it is another one", format)
		}
		size, kind, err := image.DecodeConfig(bytes.NewReader(Shrink(raw, 60)))
		want := map[string]string{"png": "png", "jpeg": "jpeg", "gif": "png"}[format]
		if err != nil || kind != want || size.Width != 60 || size.Height != 20 {
			t.Errorf("%s: it is a %s of %d×%d (%v)", format, kind, size.Width, size.Height, err)
		}
	}
	for _, raw := range [][]byte{nil, []byte("no picture"), claiming(t, 60_000, 60_000), encoded(t, "png", 400, 300)[:200]} {
		if got := Shrink(raw, 10); !bytes.Equal(got, raw) {
			t.Errorf("%.20q became %.20q", raw, got)
		}
	}
}
