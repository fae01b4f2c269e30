package data

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts/plain"
)

// folder is where the files are: root follows no link out of it.
type folder struct {
	root     *os.Root
	dir      string
	all      []string                            // the data files
	progress func(text string, fraction float64) // may be nil
}

// kindOf tells csv, tsv, json or sqlite by the name's ending; empty for others.
func kindOf(name string) string {
	if base := strings.ToLower(path.Base(name)); base == "package.json" || base == "package-lock.json" || base == "composer.json" || strings.HasPrefix(base, "tsconfig") {
		return "" // they say how a project is built
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".csv":
		return "csv"
	case ".tsv", ".tab":
		return "tsv"
	case ".json", ".jsonl", ".ndjson":
		return "json"
	case ".db", ".sqlite", ".sqlite3", ".db3":
		return "sqlite"
	}
	return ""
}

// find finds the file that name stands for: a path, or the one data file with
// that name, or with that name but for its ending.
func (f *folder) find(name string) (string, error) {
	p := filepath.ToSlash(name)
	if rel, err := filepath.Rel(f.dir, p); filepath.IsAbs(p) && err == nil {
		p = filepath.ToSlash(rel)
	}
	if p = path.Clean(p); !filepath.IsLocal(p) || strings.ContainsRune(p, 0) {
		return "", core.Fail(core.CodeRefused, plain.Code(name)+" is outside of the working directory.", "I only look at what is below it.")
	}
	if _, err := f.root.Stat(p); err == nil && kindOf(p) != "" {
		return p, nil
	}
	fits := slices.DeleteFunc(slices.Clone(f.all), func(c string) bool {
		return !strings.EqualFold(c, p) && !strings.EqualFold(path.Base(c), p) && !strings.EqualFold(baseName(c), p)
	})
	hint := noFiles
	switch {
	case len(fits) == 1 || len(fits) > 1 && !strings.Contains(fits[0], "/") && strings.Contains(fits[1], "/"):
		return fits[0], nil
	case len(fits) > 1:
		return "", asks("which file?", fmt.Sprintf("There are %d files that %s could be. Which one?", len(fits), plain.Code(name)), fits[:min(len(fits), 10)]...)
	case len(f.all) > 0:
		hint = "There is " + some(f.all) + "."
	}
	return "", core.Fail(core.CodeNotFound, "There is no "+plain.Code(name)+" here.", hint)
}

// open opens a regular file for reading; it never blocks.
func (f *folder) open(p string) (*os.File, fs.FileInfo, error) {
	file, err := f.root.OpenFile(p, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, core.Fail(core.CodeRefused, plain.Code(p)+" cannot be opened below the working directory.",
			"Its permissions may forbid it, or it is a link to the outside.").Because(err)
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		_ = file.Close() // nothing was written
		return nil, nil, core.Fail(core.CodeRefused, plain.Code(p)+" is not a plain file.", "")
	}
	return file, info, nil
}

const noFiles = "There is no CSV, TSV, JSON or SQLite file here."

// some names the first few.
func some(all []string) string {
	if len(all) > 20 {
		return strings.Join(all[:20], ", ") + " and more"
	}
	return strings.Join(all, ", ")
}

// baseName is a path's last part without its ending.
func baseName(p string) string { return strings.TrimSuffix(path.Base(p), path.Ext(p)) }
