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

// AddEntry writes an expert into the configuration file: an entry of that name in one of
// its lists, such as experts or mcpServers. What else is in the file stays as it is,
// comments too. A name that the list has is refused.
func AddEntry(path, list, name string, entry any) error {
	return change(path, map[string]any{list: map[string]any{name: entry}}, func(raw []byte) ([]byte, error) { return insert(raw, list, name, entry) })
}

// Set writes a setting that is one word into the configuration file. What else is in
// the file stays as it is, comments too.
func Set(path, key, value string) error {
	return change(path, map[string]any{key: value}, func(raw []byte) ([]byte, error) { return replace(raw, key, value) })
}

// change writes a file anew. block is what it comes to, for who has to do it by hand.
func change(path string, block map[string]any, anew func(raw []byte) ([]byte, error)) error {
	raw, err := userfile.Read(path, maxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return invalid("cannot read "+path, "check the file and its permissions", err)
	}
	written, err := anew(raw)
	if errors.Is(err, errByHand) {
		return byHand(path, block)
	}
	if err != nil {
		return err
	}
	if err := yaml.NewDecoder(bytes.NewReader(written), yaml.Strict()).Decode(new(file)); err != nil {
		return byHand(path, block)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return invalid("cannot write "+path, "check the directory and its permissions", err)
	}
	if err := userfile.Replace(path, written); err != nil {
		return invalid("cannot write "+path, "check the directory and its permissions", err)
	}
	return nil
}

// errByHand says that a file is written in a way that a program had better not change.
var errByHand = errors.New("write it by hand")

func parse(raw []byte) (*ast.File, error) {
	parsed, err := parser.ParseBytes(raw, parser.ParseComments)
	if err != nil {
		return nil, invalid("the configuration file cannot be understood", "fix the line that is shown:\n"+yaml.FormatError(err, false, true), nil)
	}
	return parsed, nil
}

// and returns a file with a block more at its end.
func and(raw []byte, block string) []byte {
	text := strings.TrimRight(string(raw), "\n")
	if text != "" {
		text += "\n"
	}
	return []byte(text + block)
}

// replace returns a file with another value of a setting.
func replace(raw []byte, key, value string) ([]byte, error) {
	block, err := yaml.Marshal(map[string]string{key: value})
	if err != nil {
		return nil, err
	}
	parsed, err := parse(raw)
	if err != nil {
		return nil, err
	}
	entry := find(parsed, key)
	if entry == nil {
		return and(raw, string(block)), nil
	}
	scalar, ok := entry.Value.(ast.ScalarNode)
	if !ok || entry.Key.GetToken().Position.Line != scalar.GetToken().Position.Line {
		return nil, errByHand
	}
	lines := strings.SplitAfter(string(raw), "\n")
	n := entry.Key.GetToken().Position.Line - 1
	comment := ""
	if c := scalar.GetComment(); c != nil {
		comment = " " + strings.TrimSpace(c.String())
	}
	lines[n] = strings.TrimSuffix(string(block), "\n") + comment + "\n"
	return []byte(strings.Join(lines, "")), nil
}

// insert returns a file with one entry more.
func insert(raw []byte, list, name string, entry any) ([]byte, error) {
	block, err := yaml.Marshal(map[string]any{name: entry})
	if err != nil {
		return nil, err
	}
	parsed, err := parse(raw)
	if err != nil {
		return nil, err
	}
	at := find(parsed, list)
	if at == nil { // the list is not there yet
		return and(raw, list+":\n"+indent(block, 2)), nil
	}
	entries, _ := at.Value.(*ast.MappingNode)
	if entries == nil || entries.IsFlowStyle {
		return nil, errByHand
	}
	for _, v := range entries.Values {
		if v.Key.GetToken().Value == name {
			return nil, core.Fail(core.CodeConflict, list+" in the configuration file has "+name+" already", "choose another name, or change it there")
		}
	}
	first := entries.Values[0].Key.GetToken().Position
	lines := strings.SplitAfter(string(raw), "\n")
	before := strings.Join(lines[:first.Line-1], "")
	return []byte(before + indent(block, first.Column-1) + strings.Join(lines[first.Line-1:], "")), nil
}

// find returns what a file says of a key; nil where that is nothing.
func find(f *ast.File, key string) *ast.MappingValueNode {
	for _, doc := range f.Docs {
		top, ok := doc.Body.(*ast.MappingNode)
		if !ok {
			continue
		}
		for _, v := range top.Values {
			if v.Key.GetToken().Value == key {
				return v
			}
		}
	}
	return nil
}

func indent(block []byte, by int) string {
	var b strings.Builder
	for line := range strings.Lines(string(block)) {
		b.WriteString(strings.Repeat(" ", by) + line)
	}
	return b.String()
}

func byHand(file string, what map[string]any) error {
	block, err := yaml.Marshal(what)
	if err != nil {
		return err
	}
	return invalid("nothing can be added to "+file+" by itself, as it is written", "write into it:\n"+string(block), nil)
}
