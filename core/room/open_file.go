package room

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/store"
)

// FilesDir returns the directory of the files that answers had, and that the user attached.
func FilesDir(c config.Config) string { return filepath.Join(c.StateDir, store.FilesDir) }

// openAnswered opens a file that an expert answered with, with the program that the
// desktop has for it, or the one in YAAP_OPENER. Only what was put there by the room is
// opened.
func openAnswered(_ context.Context, c *Call) (core.Doc, error) {
	name := filepath.Base(c.Args[0])
	path := filepath.Join(FilesDir(c.Config), name)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || strings.HasPrefix(name, ".") {
		return core.Doc{}, core.Fail(core.CodeNotFound, "no expert answered with "+safe.Line(name), "choose an answer that has a file, and type o")
	}
	opener := strings.TrimSpace(c.Getenv("YAAP_OPENER"))
	if opener == "" && !desktop(c.Getenv) {
		return core.Doc{}, core.Fail(core.CodeFailed, "there is no desktop here to open "+safe.Line(name)+" on", "it is "+path+"; YAAP_OPENER may name a program that opens it")
	}
	opener = cmp.Or(opener, desktopOpens())
	if err := openBeside(opener, path); err != nil {
		return core.Doc{}, core.Fail(core.CodeFailed, "cannot run "+safe.Line(opener), "open it yourself: "+path).Because(err)
	}
	return core.Say(core.Remark, "opened "+safe.Line(name)+" with "+safe.Line(opener)), nil
}
