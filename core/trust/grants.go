package trust

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/private"
	"github.com/yaap-chat/yaap/core/userfile"
	"github.com/yaap-chat/yaap/core/yaap"
)

const (
	fileName  = "trust.json"
	maxFile   = 16 << 20 // bytes
	maxGrants = 4096
)

// Grant is something that the user allowed: for good, or until yaap is closed.
type Grant struct {
	Dir    string        `json:"dir"`             // where it holds
	Expert string        `json:"expert"`          //
	Joins  bool          `json:"joins,omitempty"` // the expert may join by itself; otherwise Tool may be called
	Tool   core.ToolSpec `json:"tool"`            // as it was when it was allowed
	Since  time.Time     `json:"since"`

	Session bool   `json:"-"` // it holds until yaap is closed, and is in no file
	Thread  string `json:"-"` // the conversation that a passing one holds in; peers join all
}

// Name is what a grant is called by: the tool, or the expert that may join.
func (g Grant) Name() string {
	if g.Joins {
		return g.Expert
	}
	return g.Tool.Name
}

func (g Grant) covers(dir string, tool core.ToolSpec) bool {
	return !g.Joins && g.Dir == dir && same(g.Tool, tool)
}

// Grants lists what was allowed for good in all directories, the oldest first.
// It fails when the file cannot be read: nothing counts as allowed then.
func (k *Store) Grants() ([]Grant, error) { return k.file.read() }

// SessionGrants lists what was allowed until yaap is closed, the oldest first.
func (k *Store) SessionGrants() []Grant {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.sessionGrants)
}

// Revoke takes back what is allowed by that name: a tool, or all of an expert;
// what was allowed for good in this directory, in every room at once, and what
// this room was told until yaap is closed. It returns what was taken back.
func (k *Store) Revoke(name string) (revoked []Grant, err error) {
	name = yaap.Canonical(name)
	take := func(grants []Grant) []Grant {
		return slices.DeleteFunc(grants, func(g Grant) bool {
			gone := g.Dir == k.dir && (yaap.Canonical(g.Tool.Name) == name || yaap.Canonical(g.Expert) == name)
			if gone {
				revoked = append(revoked, g)
			}
			return gone
		})
	}
	k.mu.Lock()
	k.sessionGrants = take(k.sessionGrants)
	k.refused = slices.DeleteFunc(k.refused, func(r kept) bool { return yaap.Canonical(r.owner) == name })
	k.mu.Unlock()
	err = k.file.change(take)
	return revoked, err
}

// file keeps grants. Windows share it: whoever changes it holds a lock and
// replaces it whole.
type file struct{ dir string }

func (f file) path() string { return filepath.Join(f.dir, fileName) }

func (f file) read() ([]Grant, error) {
	in, err := private.OpenFile(f.path(), os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, f.fail(err)
	}
	defer in.Close() //nolint:errcheck // it is only read
	raw, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err != nil || len(raw) > maxFile {
		return nil, f.fail(err)
	}
	var grants []Grant
	if err := json.Unmarshal(raw, &grants); err != nil {
		return nil, f.fail(err)
	}
	return grants, nil
}

func (f file) add(g Grant) error {
	return f.change(func(grants []Grant) []Grant {
		grants = slices.DeleteFunc(grants, func(old Grant) bool {
			return old.Dir == g.Dir && old.Expert == g.Expert && old.Joins == g.Joins && old.Tool.Name == g.Tool.Name
		})
		grants = append(grants, g)
		return grants[max(0, len(grants)-maxGrants):]
	})
}

// change replaces the grants by what edit makes of them.
func (f file) change(edit func([]Grant) []Grant) (err error) {
	lock, err := private.OpenFile(f.path()+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return f.fail(err)
	}
	defer lock.Close() //nolint:errcheck // it gives up the lock; nothing was written
	if err := private.Lock(lock, private.Exclusive); err != nil {
		return err
	}
	grants, err := f.read()
	if err != nil {
		return err
	}
	raw, err := json.MarshalIndent(edit(grants), "", "  ")
	if err != nil {
		return f.fail(err)
	}
	if len(raw) > maxFile { // it could not be read again
		return core.Fail(core.CodeRefused, fmt.Sprintf("what you have allowed would take more than the %d MiB that %s may have", maxFile>>20, f.path()),
			"yaap trust list shows what is allowed; take back what is not needed with yaap trust revoke NAME")
	}
	if err := userfile.Replace(f.path(), raw); err != nil {
		return f.fail(err)
	}
	return nil
}

func (f file) fail(err error) error {
	return core.Fail(core.CodeInternal, fmt.Sprintf("what you have allowed, in %s, cannot be used", f.path()), "mend or remove the file; until then everything is asked about").Because(err)
}
