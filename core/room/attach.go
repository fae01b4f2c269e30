package room

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/media"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	maxAttachedText = 128 << 10 // bytes of a file
	maxSide         = 1568      // pixels of a picture: models scale what has more down themselves
	maxLooked       = 20000     // files and directories that are looked at for a name
)

var (
	// namedFile is a file in a prompt: @notes.md, @"my notes.md".
	namedFile = regexp.MustCompile(`(^|\s)@(?:"([^"\n]+)"|([^\s"]+))`)
	likeFile  = regexp.MustCompile(`^(?:[~.]{0,2}/)?[\w/ .-]*\w\.[a-z]{1,4}[0-9]?$`) // and no name of anybody
	typedFile = regexp.MustCompile(`(?:^|\s)@("[^"\n]*|[^\s":]*)$`)
)

// attached is what the user typed with the resources and files behind it that it names,
// and the pictures among them.
func (r *Room) attached(ctx context.Context, text string) (string, []core.File, error) {
	root, err := os.OpenRoot(r.Config.Dir)
	if err != nil { // there is no file to attach
		text, err = r.withResources(ctx, text)
		return text, nil, err
	}
	defer func() { _ = root.Close() }()
	text, names, err := r.named(root, text)
	if err != nil {
		return "", nil, err
	}
	expert, _ := core.Address(text)
	if text, err = r.withResources(ctx, text); err != nil {
		return "", nil, err
	}
	var pictures []core.File
	for _, name := range names {
		picture, content, err := r.read(ctx, root, name)
		if err != nil {
			return "", nil, err
		}
		if picture.Name != "" {
			pictures = append(pictures, picture)
		}
		text = core.Attach(text, name, content)
	}
	if expert != "" && len(pictures) > 0 {
		return "", nil, core.Fail(core.CodeInvalid, "@"+expert+" is told in words, and sees no pictures", "leave @"+expert+" out, so that the model is asked")
	}
	return text, pictures, nil
}

// named is a text with the names of the files in it, which have no @ before them any more.
func (r *Room) named(root *os.Root, text string) (words string, names []string, err error) {
	at := 0
	for _, m := range namedFile.FindAllStringSubmatchIndex(text, -1) {
		begin, end := max(m[4], m[6]), max(m[5], m[7])
		word, next := text[begin:end], m[1]
		name, err := r.fileOf(root, word)
		if plain := strings.TrimRight(word, ".,;:!?)"); name == "" && err == nil && plain != word { // the end of a sentence
			name, err = r.fileOf(root, plain)
			next -= len(word) - len(plain)
		}
		if err != nil {
			return "", nil, err
		}
		if name == "" {
			if likeFile.MatchString(word) {
				r.notice("info", "there is no file "+safe.Line(word)+" to attach", "look how it is written; one with blanks is @\"my notes.md\"")
			}
			continue
		}
		words += text[at:m[3]] + name
		at, names = next, append(names, name)
	}
	if len(names) > maxAttached {
		err = core.Fail(core.CodeInvalid, fmt.Sprintf("a prompt takes %d files at most", maxAttached), "ask about fewer at once")
	}
	return words + text[at:], names, err
}

// fileOf is the file below the directory that a word behind an @ names; empty where it
// names somebody, or no file.
func (r *Room) fileOf(root *os.Root, word string) (name string, err error) {
	if _, agent := r.team.named(strings.ToLower(word)); agent || slices.ContainsFunc(r.hub.Experts(), func(e core.Expert) bool { return strings.EqualFold(e.Name, word) }) {
		return "", nil
	}
	name = word
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(name, "~/") {
		name = filepath.Join(home, name[2:])
	}
	whole := name
	if !filepath.IsAbs(name) {
		whole = filepath.Join(r.Config.Dir, name)
	} else if name, err = filepath.Rel(r.Config.Dir, name); err != nil {
		name = whole
	}
	info, err := root.Stat(name)
	if err == nil && info.Mode().IsRegular() {
		return filepath.ToSlash(filepath.Clean(name)), nil
	}
	if _, there := os.Stat(whole); err == nil || there != nil {
		return "", nil //nolint:nilerr // a directory, or a word like any other
	}
	return "", core.Fail(core.CodeRefused, safe.Line(word)+" is outside of "+safe.Line(r.Config.Dir)+", and was not read", "copy it into the directory, or start yaap where it is")
}

// read reads a file: the text of it, or what there is to say of a picture, which is kept.
func (r *Room) read(ctx context.Context, root *os.Root, name string) (file core.File, content string, err error) {
	refuse := func(message, hint string, cause error) (core.File, string, error) {
		return core.File{}, "", core.Fail(core.CodeInvalid, safe.Line(name)+" "+message, hint).Because(cause)
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return refuse("cannot be read", "write its name without @ where you only speak of it", err)
	}
	defer func() { _ = f.Close() }()
	raw, err := io.ReadAll(io.LimitReader(f, core.MaxPicture+1))
	if err != nil {
		return refuse("cannot be read", "write its name without @ where you only speak of it", err)
	}
	kind := http.DetectContentType(raw)
	picture := slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, kind)
	if picture {
		raw = r.shrunk(name, raw, f)
	}
	switch {
	case picture && len(raw) > core.MaxPicture:
		return refuse(fmt.Sprintf("is a picture of more than %d MB", core.MaxPicture>>20), "make it smaller first", nil)
	case picture:
		if model := r.models.current(); !llm.AcceptsImages(ctx, model) {
			return refuse("is a picture, which the model "+model.Name()+" cannot see", "choose one that sees with /model, or leave the @ out", nil)
		}
		keeper := &media.FileStore{Dir: FilesDir(r.Config)}
		if file, err = keeper.Keep(filepath.Base(name), kind, raw); err != nil {
			return file, "", err
		}
		return file, "(the picture " + file.String() + ")", nil
	case strings.Contains(string(raw[:min(len(raw), 8<<10)]), "\x00"):
		return refuse("is neither text nor a picture", "attach text, or a PNG, JPEG, GIF or WebP picture", nil)
	}
	content = safe.Text(strings.ToValidUTF8(string(raw), "\uFFFD"))
	if whole := len(content); whole > maxAttachedText {
		content = safe.Prefix(content, maxAttachedText) + "\n[cut: it is longer]"
		r.notice("info", fmt.Sprintf("of %s the first %d KB were attached", safe.Line(name), maxAttachedText>>10), "ask for a part of it by name: the experts read the rest")
	}
	return core.File{}, content, nil
}

// shrunk is a picture of which the first bytes and the rest are given, with no more pixels
// than models see.
func (r *Room) shrunk(name string, raw []byte, rest io.Reader) []byte {
	more, err := io.ReadAll(io.LimitReader(rest, media.MaxRead))
	if err != nil || len(raw)+len(more) > media.MaxRead {
		return raw
	}
	raw = append(raw, more...)
	small := media.Shrink(raw, maxSide)
	if !bytes.Equal(small, raw) {
		r.notice("info", fmt.Sprintf("of %s the model is shown a picture of %d pixels on its long side", safe.Line(name), maxSide), "attach a part of it where more is to be seen")
	}
	return small
}
