package core

import "fmt"

// MaxPicture is how many bytes of a picture models are sent: their providers take as many.
const MaxPicture = 3 << 20

// File is what an expert answered with, or the user attached, that is no text: a picture,
// sound, or any other data, as it was put on disk.
type File struct {
	Name   string `json:"name"` // its last part
	Path   string `json:"path"`
	Type   string `json:"type"` // MIME, by what it holds
	Size   int    `json:"size"` // bytes
	Width  int    `json:"width,omitempty"`
	Height int    `json:"height,omitempty"`
	Data   []byte `json:"-"` // what is in it, where a model is to see it
}

// String describes the file in a line: its name, its size on screen and on disk.
func (f File) String() string {
	size := fmt.Sprintf("%d B", f.Size)
	switch {
	case f.Size >= 1<<20:
		size = fmt.Sprintf("%.1f MB", float64(f.Size)/(1<<20))
	case f.Size >= 1<<10:
		size = fmt.Sprintf("%d KB", f.Size>>10)
	}
	if f.Width > 0 {
		size = fmt.Sprintf("%d×%d · ", f.Width, f.Height) + size
	}
	return f.Name + " · " + size
}
