package room

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/userfile"
)

const (
	logTail  = 64 << 10 // bytes of the log that are looked at
	logEvery = 250 * time.Millisecond
)

func logsCommand() Command {
	return Command{
		Command: core.Command{Name: "logs", Does: "what rooms logged, and where that is; without secrets", Flags: []core.Flag{
			{Name: "lines", Letter: "n", Default: 20, Does: "how many of the last lines"},
			{Name: "follow", Letter: "f", Default: false, Does: "print new lines, too, until ctrl+c; at a shell"},
		}},
		Run: showLogs,
	}
}

// showLogs says the last lines, and at a shell those that come until ctx ends.
func showLogs(ctx context.Context, c *Call) (core.Doc, error) {
	path := c.logFile()
	remark := core.Part{Kind: core.Remark, Text: "the log is " + safe.Line(path)}
	f, err := userfile.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return core.Say(core.Remark, "nothing was logged yet; it will be in "+safe.Line(path)), nil
	}
	if err != nil {
		return core.Doc{}, core.Fail(core.CodeInternal, "the log cannot be read", "see who owns "+path).Because(err)
	}
	defer f.Close() //nolint:errcheck // it is only read
	info, err := f.Stat()
	if err != nil {
		return core.Doc{}, err
	}
	at := max(0, info.Size()-logTail)
	raw, err := io.ReadAll(io.NewSectionReader(f, at, logTail))
	if err != nil {
		return core.Doc{}, err
	}
	masking := MaskingOf(c.Config.Guard.V)
	shown := func(raw []byte) string { return safe.Text(Clean(masking, strings.ToValidUTF8(string(raw), "?"))) }
	lines := bytes.Split(bytes.TrimSpace(raw), []byte("\n"))
	lines = lines[max(0, len(lines)-c.number("lines")):]
	text := shown(bytes.Join(lines, []byte("\n")))
	if !c.is("follow") || c.inChat() {
		return core.Doc{Parts: []core.Part{{Kind: core.Block, Text: text}, remark}}, nil
	}
	c.Tell(core.Notice{Text: remark.Text})
	if _, err := io.WriteString(c.Out, text+"\n"); err != nil {
		return core.Doc{}, err
	}
	return core.Doc{}, followLog(ctx, c.Out, f, at+int64(len(raw)), shown)
}

// followLog writes what comes behind at to out, a line at a time, until ctx ends. A log that
// was begun anew is read from its beginning, and a line that is too long in parts.
func followLog(ctx context.Context, out io.Writer, f *os.File, at int64, shown func([]byte) string) error {
	flush, _ := out.(interface{ Flush() error })
	tick := time.NewTicker(logEvery)
	defer tick.Stop()
	for {
		if info, err := f.Stat(); err == nil && info.Size() < at {
			at = 0
		}
		raw, err := io.ReadAll(io.NewSectionReader(f, at, logTail))
		end := bytes.LastIndexByte(raw, '\n')
		if end < 0 && len(raw) == logTail {
			end = logTail - 1
		}
		if err == nil && end >= 0 {
			at += int64(end) + 1
			_, err = io.WriteString(out, shown(raw[:end+1]))
		}
		if err == nil && flush != nil {
			err = flush.Flush()
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
