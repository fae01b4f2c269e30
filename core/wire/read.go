package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/yaap-chat/yaap/core"
)

const (
	maxFileLine = 8 * MaxText // bytes of a frame in a file
	maxFileRead = 4 * MaxKept // bytes at the end of a file that are read
)

// UnmarshalJSON implements [json.Unmarshaler].
func (t *Text) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		s = string(raw)
	}
	*t = Text(s)
	return nil
}

// Reader reads a file of frames while another program writes it.
type Reader struct {
	Path string
	at   int64 // what is before it was read
}

// ReadInto adds the frames that were written since the last call to a tap. A line that is
// no frame is left out. It returns how many were added, and fails with
// [core.CodeNotFound] if there is no file.
func (r *Reader) ReadInto(t *Tap) (came int, err error) {
	f, err := os.OpenFile(r.Path, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, core.Fail(core.CodeNotFound, "there is no file "+r.Path, "open the room with yaap --wire "+core.QuoteWord(r.Path))
	}
	if err != nil {
		return 0, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0, errors.Join(err, fs.ErrInvalid)
	}
	if info.Size() < r.at { // it was begun anew
		r.at = 0
	}
	r.at = max(r.at, info.Size()-maxFileRead)
	if _, err := f.Seek(r.at, io.SeekStart); err != nil {
		return 0, err
	}
	in := bufio.NewReader(io.LimitReader(f, info.Size()-r.at))
	for {
		line, err := in.ReadBytes('\n')
		if err != nil { // its end is not written yet
			return came, nil //nolint:nilerr // it is read the next time
		}
		r.at += int64(len(line))
		var frame Frame
		if len(line) <= maxFileLine && json.Unmarshal(bytes.TrimSpace(line), &frame) == nil && frame.Seq > 0 {
			t.take(frame)
			came++
		}
	}
}

// take adds a frame that another tap has recorded.
func (t *Tap) take(f Frame) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f.Seq <= t.seq-t.before { // the frames of another room follow in the same file
		t.before = t.seq
	}
	f.Seq += t.before
	if f.To > 0 {
		f.To += t.before
	}
	t.seq = f.Seq - 1
	t.add(f)
}
