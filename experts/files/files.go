// Package files is the built-in expert for the files below one directory. It
// lists, reads, finds and searches; it never writes, and nothing it is asked
// leads out of the directory: not "..", not an absolute path, not a link.
// Every answer is bounded in size and says when it was cut.
package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"time"

	"yaap/core"
	"yaap/experts"
)

// What one answer may cost and hold.
const (
	timeLimit    = 10 * time.Second
	maxPrompt    = 4 << 10
	maxVisited   = 100_000  // files looked at in one walk
	maxShown     = 50       // rows in a message
	maxData      = 200      // rows in data
	maxLines     = 200      // lines of one file
	maxLine      = 64 << 10 // bytes of a line that are searched
	maxLineBytes = 500      // bytes of a line that are shown
	maxFileBytes = 32 << 20 // of a file that is searched or counted
)

type expert struct{ dir string }

// New returns the expert on the files below dir. It opens dir anew for every
// question; a directory that is not there is reported in the answer.
func New(dir string) experts.Expert {
	e := expert{dir: dir}
	return experts.Expert{
		Name: "files",
		Description: "Looks at the files and folders of the working directory as they are on disk now. " +
			"Lists files by folder or kind, shows a file or some of its lines, finds a file by name or wildcard, " +
			"searches (greps) the text inside files for a word or phrase and says which files mention it, " +
			"and tells how big a file is, how many lines it has and which files are the largest. " +
			"Read-only: it never writes, renames or deletes. It does not know who changed a file or when a line " +
			"was written, and it does not calculate with the rows of a table.",
		Examples: []string{
			"what files are here?",
			"show lines 10-20 of main.go",
			"where is the file config.yaml?",
			"which files mention \"TODO\"?",
			"how many lines does README.md have?",
		},
		Answer: e.answer,
	}
}

func (e expert) answer(ctx context.Context, q experts.Question) (core.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	root, err := os.OpenRoot(e.dir)
	if err != nil {
		return failed(&core.Error{Message: "The working directory cannot be opened.", Hint: "Is it still there? Start yaap again in a directory that exists.", Err: err})
	}
	defer func() { _ = root.Close() }() // nothing was written
	t := &tree{root: root, dir: e.dir}

	prompt := clean(q.Prompt)
	for _, in := range intents() {
		m := in.re.FindStringSubmatch(prompt)
		if m == nil {
			continue
		}
		reply, err := in.answer(ctx, t, prompt, m)
		if errors.Is(err, errNotMine) {
			continue
		}
		if err != nil {
			return failed(err)
		}
		if reply.Thought == "" {
			reply.Thought = "I read this as: " + in.thought + "."
		}
		return reply, nil
	}
	return help(), nil
}

func help() core.Reply {
	reply := experts.Clarify("I look at the files below this directory, but I do not know what to look for. "+
		"I can list files, show a file or some of its lines, find a file by name, search in files, and count lines and bytes. "+
		"Try “show README.md” or “which files mention TODO”.", "what files are here?", "show README.md", "which files mention TODO?")
	reply.Thought = "Nothing here reads like a question about files."
	return reply
}

// failed turns an error into the reply that says it.
func failed(err error) (core.Reply, error) {
	var many *ambiguous
	if errors.As(err, &many) {
		reply := experts.Clarify(fmt.Sprintf("There are %d that %s could be. Which one?\n\n%s", len(many.paths), code(many.name), bullets(many.paths, len(many.paths))), cut(many.paths, 10)...)
		reply.Thought = "The name fits several files."
		return reply, nil
	}
	var e *core.Error
	switch {
	case errors.As(err, &e):
		return core.Reply{Status: core.StatusFailure, Thought: "It could not be done.", Message: strings.TrimSpace(e.Message + " " + e.Hint), Data: map[string]any{"error": e.Message}}, nil
	case errors.Is(err, context.DeadlineExceeded):
		return experts.Failure("That took longer than "+timeLimit.String()+". Ask about one folder or one kind of file.", nil), nil
	case errors.Is(err, context.Canceled):
		return core.Reply{}, err
	}
	return experts.Failure("That could not be read: "+err.Error()+".", nil), nil
}

// list answers with the entries of a folder, or with the files of a kind.
func list(ctx context.Context, t *tree, words string) (core.Reply, error) {
	s, err := t.gist(ctx, words)
	if err != nil || !s.said && s.odd != nil {
		return core.Reply{}, cmp.Or(err, s.odd)
	}
	if s.file != "" {
		return size(ctx, t, s.file)
	}
	paths, note, err := t.entries(ctx, s)
	if err != nil {
		return core.Reply{}, err
	}
	what := "entries"
	if s.deep() {
		what = "files"
	}
	data := map[string]any{"files": cut(paths, maxData), "total": float64(len(paths)), "truncated": len(paths) > maxData}
	if len(paths) == 0 {
		return experts.Success("There are none in "+s.name()+"."+note, data), nil
	}
	return experts.Success(fmt.Sprintf("%s in %s%s:\n\n%s%s", plural(len(paths), what), s.name(), showing(len(paths)), bullets(paths, maxShown), note), data), nil
}

// find answers with the files of a name, or of a wildcard, at any depth.
func find(ctx context.Context, t *tree, pattern, words string) (core.Reply, error) {
	s, err := t.scope(ctx, words)
	if err != nil {
		return core.Reply{}, err
	}
	pattern = unquote(pattern)
	paths, err := t.named(ctx, s.dir, pattern)
	if err != nil {
		return core.Reply{}, err
	}
	data := map[string]any{"files": cut(paths, maxData), "total": float64(len(paths)), "truncated": len(paths) > maxData}
	switch len(paths) {
	case 0:
		return experts.Failure(fmt.Sprintf("No file called %s in %s. Hidden folders and vendored ones are not looked into.", code(pattern), s.name()), data), nil
	case 1:
		return experts.Success(code(pattern)+" is at "+code(paths[0])+".", data), nil
	}
	return experts.Success(fmt.Sprintf("%s fit %s%s:\n\n%s", plural(len(paths), "files"), code(pattern), showing(len(paths)), bullets(paths, maxShown)), data), nil
}

// show reads a file, or lists a folder.
func show(ctx context.Context, t *tree, words string, r lineRange) (core.Reply, error) {
	s, err := t.gist(ctx, words)
	if err != nil || !s.said && s.odd != nil {
		return core.Reply{}, cmp.Or(err, s.odd)
	}
	if s.files > 1 {
		return experts.Clarify("I show one file at a time. Which one?", "show "+s.file, "list files"), nil
	}
	if s.file == "" {
		return list(ctx, t, words)
	}
	p, err := t.read(ctx, s.file, r)
	if err != nil {
		return core.Reply{}, err
	}
	data := map[string]any{"path": s.file, "lines": p.lines, "truncated": p.more}
	if p.first > 0 {
		data["first"] = float64(p.first)
	}
	if len(p.lines) == 0 {
		return experts.Success(code(s.file)+" "+p.nothing(r)+".", data), nil
	}
	return experts.Success(fmt.Sprintf("%s, %s:\n\n%s", code(s.file), p.where(), fenced(p.lines, path.Ext(s.file))), data), nil
}

// size tells the bytes and lines of a file, or of all files of a scope.
func size(ctx context.Context, t *tree, words string) (core.Reply, error) {
	s, err := t.scope(ctx, words)
	if err != nil {
		return core.Reply{}, err
	}
	if s.file == "" {
		return total(ctx, t, s)
	}
	c, err := t.count(ctx, s.file)
	if err != nil {
		return core.Reply{}, err
	}
	data := map[string]any{"path": s.file, "bytes": float64(c.bytes)}
	if c.binary || c.huge {
		why := "it is binary"
		if c.huge {
			why = "too large to count its lines"
		}
		return experts.Success(fmt.Sprintf("%s has %s; %s.", code(s.file), bytesText(c.bytes), why), data), nil
	}
	data["lines"] = float64(c.lines)
	return experts.Success(fmt.Sprintf("%s has %s and %s.", code(s.file), plural(c.lines, "lines"), bytesText(c.bytes)), data), nil
}

func total(ctx context.Context, t *tree, s scope) (core.Reply, error) {
	files, lines, bytes := 0, 0, int64(0)
	err := t.walk(ctx, s.dir, func(f entry) error {
		if !s.fits(f.path) {
			return nil
		}
		c, err := t.count(ctx, f.path)
		if err != nil {
			return ctx.Err() // a file that cannot be read is not counted
		}
		files, lines, bytes = files+1, lines+c.lines, bytes+c.bytes
		return nil
	})
	if err != nil {
		return core.Reply{}, err
	}
	return experts.Success(fmt.Sprintf("%s in %s: %s, %s.", plural(files, "files"), s.name(), plural(lines, "lines"), bytesText(bytes)),
		map[string]any{"path": s.dir, "files": float64(files), "lines": float64(lines), "bytes": float64(bytes)}), nil
}

// grep answers with the lines that hold text.
func grep(ctx context.Context, t *tree, text, words string, namesOnly bool) (core.Reply, error) {
	s, err := t.scope(ctx, words)
	if err != nil {
		return core.Reply{}, err
	}
	match, err := matcher(text)
	if err != nil {
		return core.Reply{}, err
	}
	found, err := t.search(ctx, s, match)
	if err != nil {
		return core.Reply{}, err
	}
	data := map[string]any{"matches": found.rows(), "files": cut(found.files, maxData), "total": float64(found.total), "truncated": found.total > len(found.matches)}
	if found.total == 0 {
		return experts.Success(fmt.Sprintf("Nothing in %s mentions %s.", s.name(), code(unquote(text))), data), nil
	}
	head := fmt.Sprintf("%s in %s mention %s", plural(found.total, "lines"), plural(len(found.files), "files"), code(unquote(text)))
	if namesOnly {
		return experts.Success(fmt.Sprintf("%s%s:\n\n%s", head, showing(len(found.files)), bullets(found.files, maxShown)), data), nil
	}
	return experts.Success(fmt.Sprintf("%s%s:\n\n%s", head, showing(found.total), fenced(found.lines(), "")), data), nil
}
