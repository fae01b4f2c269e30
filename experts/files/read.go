package files

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"unicode"

	"yaap/core"
)

// open opens a regular file for reading. It never blocks on a FIFO, and what
// was swapped in after a look at the path is looked at again once open.
func (t *tree) open(p string) (*os.File, int64, error) {
	special := &core.Error{Code: core.CodeRefused, Message: code(p) + " is not a plain file.", Hint: "I do not open devices, pipes and sockets."}
	info, err := t.root.Stat(p)
	if err == nil && !info.Mode().IsRegular() {
		return nil, 0, special
	}
	f, err := t.root.OpenFile(p, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, &core.Error{Code: core.CodeRefused, Message: code(p) + " cannot be opened.", Hint: "It is gone, may not be read, or leads out of the working directory.", Err: err}
	}
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close() // nothing was written
		return nil, 0, special
	}
	return f, info.Size(), nil
}

// lines calls visit with every line of a text file, cut at maxLine, and
// returns the file's size. What is larger than maxFileBytes and what holds a
// zero byte at its beginning is refused, and nothing of it visited.
func (t *tree) lines(ctx context.Context, p string, visit func(n int, line []byte)) (size int64, err error) {
	f, size, err := t.open(p)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	if size > maxFileBytes {
		return size, &core.Error{Code: core.CodeInvalid, Message: code(p) + " is too large to read (" + bytesText(size) + ").", Hint: "I read files of up to " + bytesText(maxFileBytes) + "."}
	}
	b := bufio.NewReaderSize(io.LimitReader(f, maxFileBytes), maxLine)
	if head, _ := b.Peek(8 << 10); bytes.IndexByte(head, 0) >= 0 {
		return size, &core.Error{Code: core.CodeInvalid, Message: code(p) + " is binary (" + bytesText(size) + ").", Hint: "I only read text."}
	}
	n, begins := 0, true
	for ctx.Err() == nil {
		line, more, err := b.ReadLine()
		if errors.Is(err, io.EOF) {
			return size, nil
		}
		if err != nil {
			return size, err
		}
		if begins {
			n++
			visit(n, line)
		}
		begins = !more
	}
	return size, ctx.Err()
}

// page returns most lines of a file from first on, or its last ones where
// first is 0; the number of the first of them; and how many the file has.
func (t *tree) page(ctx context.Context, p string, first, most int) (lines []string, from, total int, err error) {
	_, err = t.lines(ctx, p, func(n int, line []byte) {
		total = n
		if n >= first && (first == 0 || n-first < most) {
			lines = append(lines, tidy(line))
		}
		if len(lines) > most {
			lines = lines[1:]
		}
	})
	if first == 0 {
		first = total - len(lines) + 1
	}
	return lines, first, total, err
}

func tidy(line []byte) string {
	s := string(line)
	if len(s) > maxLineBytes {
		s = strings.ToValidUTF8(s[:maxLineBytes], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, string(unicode.ReplacementChar)))
}
