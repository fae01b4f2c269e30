package link

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/yaap-chat/yaap/core/processes"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/wire"
)

const (
	maxLine   = 8 << 20   // bytes of one message; a longer one is skipped
	maxSkip   = 128 << 20 // bytes of a line after which no end is awaited any more
	maxJunk   = 10_000    // lines that are not messages, without one between them
	tailBytes = 64 << 10
	tailLines = 20
)

var (
	errLongLine = fmt.Errorf("it sent a line of more than %d MiB", maxSkip>>20)
	errJunk     = fmt.Errorf("it printed %d lines to standard output without a message among them", maxJunk)
)

// frames hands on the lines of a child that are messages. It drops what a
// careless child prints beside them, and what is too long, and tells answers of
// it. It ends at a line without end.
type frames struct {
	r       *bufio.Reader
	answers answers
	line    []byte // what is left of the present line
	junk    int    // lines dropped since the last message
	first   string // the first dropped line, for the error message
	mu      sync.Mutex
	onFail  func(error)
	ended   chan struct{} // closed when all there was has been read and handled
	once    sync.Once
	wire    *wire.Line // where every line is seen
}

func newFrames(r io.Reader, onFail func(error)) *frames {
	return &frames{r: bufio.NewReaderSize(r, 64<<10), onFail: onFail, ended: make(chan struct{})}
}

// Read implements [io.Reader].
func (f *frames) Read(p []byte) (int, error) {
	for len(f.line) == 0 {
		line, err := f.next()
		if len(line) == 0 {
			if errors.Is(err, errLongLine) || errors.Is(err, errJunk) {
				f.onFail(err)
			}
			f.once.Do(func() { close(f.ended) })
			return 0, io.EOF
		}
		f.line = line
	}
	n := copy(p, f.line)
	f.line = f.line[n:]
	return n, nil
}

// next returns the next line that is a message.
func (f *frames) next() ([]byte, error) {
	for {
		line, size, err := f.read()
		f.wire.RecordRPC(wire.In, line, size)
		switch blank := len(bytes.TrimSpace(line)) == 0; {
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		case size > maxLine:
			f.answers.tooLong(line, size)
		case !blank && f.answers.take(line):
			f.junk = 0
			return line, err
		case !blank:
			if f.drop(line); f.junk == maxJunk {
				return nil, errJunk
			}
		}
		if err != nil {
			return nil, err
		}
	}
}

// read reads a line. Of one that is longer than maxLine it returns the beginning
// and the size.
func (f *frames) read() (line []byte, size int, err error) {
	for {
		part, err := f.r.ReadSlice('\n')
		switch size += len(part); {
		case size > maxSkip:
			return nil, size, errLongLine
		case size <= maxLine:
			line = append(line, part...)
		case len(line) > maxID:
			line = bytes.Clone(line[:maxID])
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, size, err
		}
	}
}

func (f *frames) drop(line []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.junk++; f.first == "" {
		f.first = safe.Cut(safe.Line(string(line[:min(len(line), 400)])), 80)
	}
}

// printed returns the first line that was not a message.
func (f *frames) printed() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.first
}

// tail keeps the end of what a child prints to standard error. Writing to it
// never blocks and never fails.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

// Write implements [io.Writer].
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.buf = append(t.buf, p...); len(t.buf) > 2*tailBytes {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-tailBytes:]...)
	}
	return len(p), nil
}

// lines returns the last lines, oldest first, safe for a terminal.
func (t *tail) lines() []string {
	all := t.all()
	return all[max(0, len(all)-tailLines):]
}

// all returns every line that is kept.
func (t *tail) all() []string {
	t.mu.Lock()
	text := string(t.buf[max(0, len(t.buf)-tailBytes):])
	t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(safe.Text(text)), "\n")
	for i, line := range lines {
		lines[i] = safe.Cut(line, 300)
	}
	if len(lines) == 1 && lines[0] == "" {
		return nil
	}
	return lines
}

// last returns the line that says most of why a child ended.
func (t *tail) last() string { return processes.ExitReason(t.all()) }
