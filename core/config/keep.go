package config

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/userfile"
)

// Keep writes an expert into the configuration file: an entry of that name in one of
// its lists, such as experts or mcpServers. What else is in the file stays as it is,
// comments too. A name that the list has is refused.
func Keep(path, list, name string, entry any) error {
	raw, err := userfile.Read(path, maxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return invalid("cannot read "+path, "check the file and its permissions", err)
	}
	written, err := insert(raw, list, name, entry)
	if err != nil {
		return err
	}
	if err := yaml.NewDecoder(bytes.NewReader(written), yaml.Strict()).Decode(new(file)); err != nil {
		return byHand(path, list, name, entry)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return invalid("cannot write "+path, "check the directory and its permissions", err)
	}
	if err := userfile.Replace(path, written); err != nil {
		return invalid("cannot write "+path, "check the directory and its permissions", err)
	}
	return nil
}

// insert returns a file with one entry more.
func insert(raw []byte, list, name string, entry any) ([]byte, error) {
	block, err := yaml.Marshal(map[string]any{name: entry})
	if err != nil {
		return nil, err
	}
	parsed, err := parser.ParseBytes(raw, parser.ParseComments)
	if err != nil {
		return nil, invalid("the configuration file cannot be understood", "mend the line that is shown:\n"+yaml.FormatError(err, false, true), nil)
	}
	entries, at := find(parsed, list)
	switch {
	case at == nil: // the list is not there yet
		text := strings.TrimRight(string(raw), "\n")
		if text != "" {
			text += "\n"
		}
		return []byte(text + list + ":\n" + indent(block, 2)), nil
	case entries == nil || entries.IsFlowStyle:
		return nil, byHand("the configuration file", list, name, entry)
	}
	for _, v := range entries.Values {
		if v.Key.GetToken().Value == name {
			return nil, &core.Error{Code: core.CodeConflict, Op: "config", Message: list + " in the configuration file has " + name + " already", Hint: "choose another name, or change it there"}
		}
	}
	first := entries.Values[0].Key.GetToken().Position
	lines := strings.SplitAfter(string(raw), "\n")
	before := strings.Join(lines[:first.Line-1], "")
	return []byte(before + indent(block, first.Column-1) + strings.Join(lines[first.Line-1:], "")), nil
}

// find returns the entries of a list of a file, and its key; nil where they are none.
func find(f *ast.File, list string) (entries *ast.MappingNode, key ast.Node) {
	for _, doc := range f.Docs {
		top, ok := doc.Body.(*ast.MappingNode)
		if !ok {
			continue
		}
		for _, v := range top.Values {
			if v.Key.GetToken().Value == list {
				entries, _ = v.Value.(*ast.MappingNode)
				return entries, v.Key
			}
		}
	}
	return nil, nil
}

func indent(block []byte, by int) string {
	var b strings.Builder
	for line := range strings.Lines(string(block)) {
		b.WriteString(strings.Repeat(" ", by) + line)
	}
	return b.String()
}

func byHand(file, list, name string, entry any) error {
	block, err := yaml.Marshal(map[string]any{list: map[string]any{name: entry}})
	if err != nil {
		return err
	}
	return invalid("nothing can be added to "+file+" by itself, as it is written", "write into it:\n"+string(block), nil)
}
