// Package media puts what experts answer with that is no text on disk: pictures,
// sound, other data.
package media

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	_ "image/gif" // the sizes of pictures; other files have the other formats
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/guard"
	"github.com/yaap-chat/yaap/core/private"
)

const (
	most     = 256 << 20 // bytes of all files; the oldest go
	maxName  = 40        // letters of a name that an expert gives
	maxSide  = 1 << 16   // pixels; a picture that says it is larger has no size
	mostKept = 4096      // files
)

// FileStore keeps files in a directory of the user's alone. Its methods may be called
// from several goroutines.
type FileStore struct {
	Dir string

	mu sync.Mutex
}

// endings are those of the types that are known. Any other is data that nothing opens.
func endings() map[string]string {
	return map[string]string{
		"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp", "image/bmp": "bmp", "image/svg+xml": "svg",
		"audio/wav": "wav", "audio/mpeg": "mp3", "application/ogg": "ogg", "audio/basic": "au", "audio/aiff": "aiff", "audio/midi": "mid",
		"video/mp4": "mp4", "video/webm": "webm", "application/pdf": "pdf", "text/plain": "txt", "application/zip": "zip", "application/gzip": "gz",
	}
}

// Keep puts data on disk, under a name of which only letters and digits are taken. Its
// type is what it holds, whatever is claimed; of text secrets are taken out. The same data is
// there once.
func (k *FileStore) Keep(name, claimed string, data []byte) (core.File, error) {
	kind := sniffed(claimed, data)
	if kind == "text/plain" || kind == "image/svg+xml" {
		if text, secrets := guard.Mask(string(data)); secrets > 0 {
			data = []byte(text)
		}
	}
	ending := cmp.Or(endings()[kind], "bin")
	f := core.File{Name: plain(name) + "-" + core.Hash(data)[:8] + "." + ending, Type: kind, Size: len(data)}
	f.Path = filepath.Join(k.Dir, f.Name)
	if size, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil && size.Width < maxSide && size.Height < maxSide {
		f.Width, f.Height = size.Width, size.Height
		if orientation(data) >= 5 {
			f.Width, f.Height = f.Height, f.Width
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := private.Dir(k.Dir); err != nil {
		return f, err
	}
	if err := k.makeRoom(int64(len(data))); err != nil {
		return f, err
	}
	if err := os.WriteFile(f.Path, data, 0o600); err != nil {
		return f, fmt.Errorf("cannot keep a file: %w", err)
	}
	return f, nil
}

// sniffed is the type of data by what it holds. Only a picture of text is told by what
// is claimed.
func sniffed(claimed string, data []byte) string {
	kind, _, _ := strings.Cut(http.DetectContentType(data), ";")
	if claimed == "image/svg+xml" && (kind == "text/xml" || kind == "text/plain") {
		return claimed
	}
	if strings.HasPrefix(kind, "text/") {
		return "text/plain" // nothing is made of it: a page may hold a program
	}
	switch kind { // as they are registered
	case "audio/wave":
		return "audio/wav"
	case "application/x-gzip":
		return "application/gzip"
	}
	return kind
}

// plain is a name of which only letters and digits are left.
func plain(name string) string {
	name = strings.TrimSuffix(name, filepath.Ext(name))
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, name[:min(len(name), maxName)])
	return cmp.Or(strings.Trim(name, "-"), "file")
}

// makeRoom takes the oldest files away until n bytes more fit; k.mu is held.
func (k *FileStore) makeRoom(n int64) error {
	entries, err := os.ReadDir(k.Dir)
	if err != nil {
		return err
	}
	all := n
	var files []os.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, info)
			all += info.Size()
		}
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for i, f := range files {
		if all <= most && len(files)-i < mostKept {
			break
		}
		if err := os.Remove(filepath.Join(k.Dir, f.Name())); err != nil {
			return err
		}
		all -= f.Size()
	}
	return nil
}
