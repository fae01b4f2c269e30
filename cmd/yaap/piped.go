package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core"
)

const (
	maxPiped = 1<<20 - 64<<10  // bytes: with the question, what a prompt may have
	idlePipe = 3 * time.Second // for what is piped in, where there is a prompt
	widest   = 1 << 12         // columns of an answer in plain text: only a table is as wide
)

// piped is what comes over standard input where that is a pipe or a file: empty where it
// is a terminal or nothing. It blocks until the end of it, or until ctx ends; but where
// nothing begins within patience, which may be a pipe that was only inherited, nothing is
// piped in. Patience 0 has no end. A file that somebody has begun to read, as a loop
// around this does, is theirs.
func (p *program) piped(ctx context.Context, patience time.Duration) (string, error) {
	if f, ok := p.stdin.(*os.File); ok {
		info, err := f.Stat()
		if err != nil || p.options.alone || info.Mode()&fs.ModeNamedPipe == 0 && !info.Mode().IsRegular() {
			return "", nil //nolint:nilerr // a closed standard input says nothing
		}
		if at, err := f.Seek(0, io.SeekCurrent); err == nil && at > 0 && patience > 0 {
			return "", nil
		}
	}
	type read struct {
		raw []byte
		err error
	}
	begun, done := make(chan struct{}), make(chan read, 1)
	go func() { // a read of a pipe cannot be ended: the program ends before it
		in := bufio.NewReader(io.LimitReader(p.stdin, maxPiped+1))
		_, _ = in.Peek(1) // what is wrong is told by the next read
		close(begun)
		raw, err := io.ReadAll(in)
		done <- read{raw, err}
	}()
	if patience > 0 {
		waiting := time.NewTimer(patience)
		defer waiting.Stop()
		select {
		case <-begun:
		case <-ctx.Done():
		case <-waiting.C:
			say(p.stderr, "nothing comes over standard input: it is left out (</dev/null says so at once)")
			return "", nil
		}
	}
	select {
	case <-ctx.Done():
		return "", core.Cancelled(ctx)
	case in := <-done:
		switch {
		case in.err != nil:
			return "", usageHint(fmt.Errorf("standard input cannot be read: %w", in.err), "put </dev/null behind the command to read nothing")
		case len(in.raw) > maxPiped:
			return "", usageHint(fmt.Errorf("more than %d KiB are piped in", maxPiped>>10), "pipe in a part of it, as with head -c 900K")
		case !utf8.Valid(in.raw):
			return "", usageHint(errors.New("what is piped in is no text"), "have the files expert look at the file, or pipe in text")
		}
		return strings.TrimRight(string(in.raw), "\n"), nil
	}
}
