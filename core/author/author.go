// Package author helps those who write experts: it makes one to begin with, and
// checks one as a room would meet it.
package author

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/yaap"
)

//go:embed templates
var templates embed.FS

// Language is one that an expert can be made in.
type Language struct {
	Name     string
	file     string   // of the template
	suffix   string   // of what is made of it
	run      []string // runs it, before the name of the file
	question string   // that the expert answers
}

// Languages are those that an expert can be made in.
func Languages() []Language {
	const question = "say hello to Ada"
	return []Language{
		{Name: "python", file: "expert.py", suffix: ".py", run: []string{"python3"}, question: question},
		{Name: "typescript", file: "expert.mjs", suffix: ".ts", run: []string{"node"}, question: question}, // from Node.js 22.18 on
		{Name: "javascript", file: "expert.mjs", suffix: ".mjs", run: []string{"node"}, question: question},
		{Name: "go", file: "expert.go.txt", suffix: ".go", run: []string{"go", "run"}, question: question},
		{Name: "sh", file: "expert.sh", suffix: ".sh", run: []string{"sh"}, question: question},
	}
}

// Scaffold is the file of a new expert, and how to start it.
type Scaffold struct {
	File     string
	Command  []string // starts it, from the directory of the file
	Question string   // that it answers
}

// New writes an expert in a language into a directory. A file that is there is left.
func New(dir, name, language string) (Scaffold, error) {
	if err := yaap.CheckName(name); err != nil {
		return Scaffold{}, core.Fail(core.CodeInvalid, err.Error(), "type yaap expert new NAME")
	}
	var names []string
	for _, l := range Languages() {
		names = append(names, l.Name)
		if l.Name == language {
			return l.make(dir, name)
		}
	}
	return Scaffold{}, core.Fail(core.CodeInvalid, fmt.Sprintf("no expert is made in %q", language), "give --lang one of "+strings.Join(names, ", "))
}

func (l Language) make(dir, name string) (Scaffold, error) {
	source, err := templates.ReadFile("templates/" + l.file)
	if err != nil {
		return Scaffold{}, err
	}
	file := name + l.suffix
	text := strings.NewReplacer("NAME", name, "FILE", file, "QUESTION", l.question).Replace(string(source))
	out, err := os.OpenFile(filepath.Join(dir, file), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644) //nolint:gosec // it is source code
	if errors.Is(err, fs.ErrExist) {
		return Scaffold{}, core.Fail(core.CodeConflict, file+" is there already", "choose another name, or take it away")
	}
	if err != nil {
		return Scaffold{}, core.Fail(core.CodeInvalid, "cannot write "+file+" here", "check the directory and its permissions").Because(err)
	}
	_, err = out.WriteString(text)
	if err = errors.Join(err, out.Close()); err != nil {
		_ = os.Remove(out.Name()) // it is half written
		return Scaffold{}, core.Fail(core.CodeInternal, "cannot write "+file+" here", "make room on the disk").Because(err)
	}
	return Scaffold{File: file, Command: append(append([]string{}, l.run...), file), Question: l.question}, nil
}
