package files

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"yaap/core"
)

// eachLine calls visit with every line of the first maxFileBytes, cut at
// maxLine. binary is true, and nothing is visited, when the beginning holds a
// zero byte.
func eachLine(ctx context.Context, r io.Reader, visit func(n int, line []byte)) (binary bool, err error) {
	b := bufio.NewReaderSize(io.LimitReader(r, maxFileBytes), maxLine)
	if head, _ := b.Peek(8 << 10); bytes.IndexByte(head, 0) >= 0 {
		return true, nil
	}
	n, begins := 0, true
	for ctx.Err() == nil {
		line, more, err := b.ReadLine()
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if begins {
			n++
			visit(n, line)
		}
		begins = !more
	}
	return false, ctx.Err()
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

// page is what was read of a file.
type page struct {
	lines []string
	first int // 0 where the numbers of the lines are not known
	total int // 0 where they were not counted
}

// read returns most lines of a file from first on, or its last ones where
// first is 0.
func (t *tree) read(ctx context.Context, p string, first, most int) (page, error) {
	f, info, err := t.open(p)
	if err != nil {
		return page{}, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	huge := info.Size() > maxFileBytes
	if huge && first == 0 {
		if _, err := f.Seek(-tailBytes, io.SeekEnd); err != nil {
			return page{}, err
		}
	}
	out := page{first: first}
	binary, err := eachLine(ctx, f, func(n int, line []byte) {
		out.total = n
		switch {
		case first > 0 && n >= first && n-first < most:
			out.lines = append(out.lines, tidy(line))
		case first == 0:
			if out.lines = append(out.lines, tidy(line)); len(out.lines) > most {
				out.lines = out.lines[1:]
			}
		}
	})
	if binary {
		return page{}, &core.Error{Code: core.CodeInvalid, Message: fmt.Sprintf("%s is binary (%s).", code(p), bytesText(info.Size())), Hint: "I only show text."}
	}
	switch {
	case huge && len(out.lines) == 0:
		return page{}, &core.Error{Code: core.CodeInvalid, Message: fmt.Sprintf("Line %d of %s is not within what I read.", first, code(p)), Hint: "I read the first " + bytesText(maxFileBytes) + " of a file."}
	case huge:
		out.total = 0
	case first == 0:
		out.first = out.total - len(out.lines) + 1
	}
	return out, err
}

// measure returns the size of a file, and its lines, which are counted in text
// of at most maxFileBytes; otherwise they are -1.
func (t *tree) measure(ctx context.Context, p string) (size int64, lines int, err error) {
	f, info, err := t.open(p)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	if info.Size() > maxFileBytes {
		return info.Size(), -1, nil
	}
	binary, err := eachLine(ctx, f, func(n int, _ []byte) { lines = n })
	if binary {
		lines = -1
	}
	return info.Size(), lines, err
}

// match is a line that holds a text.
type match struct {
	path string
	line int
	text string
}

// search returns the first maxData lines of a file that hold text, and how
// many there are; none in a binary file. Case matters where text has capitals.
func (t *tree) search(ctx context.Context, p, text string) (found []match, total int, err error) {
	f, info, err := t.open(p)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	if info.Size() > maxFileBytes {
		return nil, 0, &core.Error{Code: core.CodeInvalid, Message: code(p) + " is too large to search.", Hint: "I search files of up to " + bytesText(maxFileBytes) + "."}
	}
	fold := text == strings.ToLower(text)
	_, err = eachLine(ctx, f, func(n int, line []byte) {
		hay := line
		if fold {
			hay = bytes.ToLower(line)
		}
		if !bytes.Contains(hay, []byte(text)) {
			return
		}
		if total++; total <= maxData {
			found = append(found, match{p, n, tidy(line)})
		}
	})
	return found, total, err
}
