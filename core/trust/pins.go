package trust

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/private"
	"github.com/yaap-chat/yaap/core/userfile"
	"github.com/yaap-chat/yaap/core/yaap"
)

const (
	pinsDir    = "pins"
	maxPinFile = 32 << 20 // bytes
)

// KnownExpert is an expert whose tools have been seen in a directory: a later room
// compares with what they said of themselves then.
type KnownExpert struct {
	Dir    string                   `json:"dir"`
	Expert string                   `json:"expert"` // what it was called then
	Since  time.Time                `json:"since"`  // of the last change
	Tools  map[string]core.ToolSpec `json:"tools"`  // by the names that the expert calls them by

	Changed map[string]core.ToolSpec `json:"changed,omitempty"` // what it said last of those that are hidden since
	Shown   bool                     `json:"shown,omitempty"`   // the user has seen how they changed
}

// Pins returns the definitions that [Store.Pin] kept of the expert that is
// reached like that, in this directory.
func (k *Store) Pins(origin string) (map[string]core.ToolSpec, error) {
	known, err := readPins(k.pinFile(origin))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return known.Tools, err
}

// Pin keeps the definitions of an expert's tools, for this directory.
func (k *Store) Pin(expert, origin string, tools map[string]core.ToolSpec) error {
	path := k.pinFile(origin)
	if err := private.Dir(filepath.Dir(path)); err != nil {
		return err
	}
	return writePins(path, KnownExpert{Dir: k.dir, Expert: expert, Since: time.Now().UTC().Truncate(time.Second), Tools: withoutCommands(tools)})
}

// StoreChanges stores what an expert that was pinned says now of the tools that are hidden, for a
// shell to show; without any nothing is hidden any more.
func (k *Store) StoreChanges(origin string, changed map[string]core.ToolSpec) error {
	path := k.pinFile(origin)
	known, err := readPins(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	changed = withoutCommands(changed)
	if err != nil || maps.EqualFunc(known.Changed, changed, core.ToolSpec.SameDefinition) {
		return err
	}
	known.Changed, known.Shown = changed, false
	return writePins(path, known)
}

// Show returns how the hidden tools of an expert have changed. The user is shown it.
func (k *Store) Show(expert string) (changes []core.ToolChange, err error) {
	err = k.eachHeld(expert, func(path string, known KnownExpert) error {
		for _, name := range slices.Sorted(maps.Keys(known.Changed)) {
			changes = append(changes, core.ToolChange{Was: known.Tools[name], Now: known.Changed[name]})
		}
		known.Shown = true
		return writePins(path, known)
	})
	return changes, err
}

// Accept lets the hidden tools of an expert be called from its next start on, where the
// user was shown how they have changed; it returns them.
func (k *Store) Accept(expert string) (accepted []core.ToolSpec, err error) {
	err = k.eachHeld(expert, func(path string, known KnownExpert) error {
		if !known.Shown {
			return nil
		}
		for _, name := range slices.Sorted(maps.Keys(known.Changed)) {
			known.Tools[name], accepted = known.Changed[name], append(accepted, known.Changed[name])
		}
		known.Changed, known.Shown = nil, false
		return writePins(path, known)
	})
	return accepted, err
}

func (k *Store) eachHeld(expert string, do func(path string, known KnownExpert) error) error {
	return k.eachPinFile(func(path string, known KnownExpert) error {
		if yaap.Canonical(known.Expert) != yaap.Canonical(expert) || len(known.Changed) == 0 {
			return nil
		}
		return do(path, known)
	})
}

func writePins(path string, known KnownExpert) error {
	raw, err := json.Marshal(known)
	if err == nil && len(raw) > maxPinFile {
		err = fmt.Errorf("it would have more than %d MiB", maxPinFile>>20)
	}
	if err == nil {
		err = userfile.Replace(path, raw)
	}
	if err != nil {
		return failPins(path, err)
	}
	return nil
}

func withoutCommands(tools map[string]core.ToolSpec) map[string]core.ToolSpec {
	kept := make(map[string]core.ToolSpec, len(tools))
	for name, tool := range tools {
		kept[name] = withoutCommand(tool)
	}
	return kept
}

// withoutCommand is a tool as it is kept: a command may hold a secret, and its
// origin tells it from any other.
func withoutCommand(tool core.ToolSpec) core.ToolSpec {
	tool.Command = ""
	return tool
}

// KnownExperts lists the experts whose tools have been seen in this directory, by name: of one
// that was reached in several ways, such as by another command, what is hidden, or what it said last.
func (k *Store) KnownExperts() ([]KnownExpert, error) {
	var list []KnownExpert
	err := k.eachPinFile(func(_ string, known KnownExpert) error {
		list = append(list, known)
		return nil
	})
	slices.SortFunc(list, func(a, b KnownExpert) int {
		return cmp.Or(strings.Compare(a.Expert, b.Expert), min(len(b.Changed), 1)-min(len(a.Changed), 1), b.Since.Compare(a.Since))
	})
	return slices.CompactFunc(list, func(a, b KnownExpert) bool { return a.Expert == b.Expert }), err
}

// Forget makes an expert new to this directory: what it says of its tools at its
// next start is what it is compared with from then on. It reports whether the
// expert was known.
func (k *Store) Forget(expert string) (forgotten bool, err error) {
	err = k.eachPinFile(func(path string, known KnownExpert) error {
		if yaap.Canonical(known.Expert) != yaap.Canonical(expert) {
			return nil
		}
		forgotten = true
		return os.Remove(path)
	})
	return forgotten, err
}

func (k *Store) eachPinFile(do func(path string, known KnownExpert) error) error {
	files, err := k.pinFiles()
	for _, f := range files {
		path := filepath.Join(k.file.dir, pinsDir, f.Name())
		known, failed := readPins(path)
		if failed == nil && known.Dir == k.dir {
			failed = do(path, known)
		}
		err = errors.Join(err, failed)
	}
	return err
}

func (k *Store) pinFiles() ([]fs.DirEntry, error) {
	files, err := os.ReadDir(filepath.Join(k.file.dir, pinsDir))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return slices.DeleteFunc(files, func(f fs.DirEntry) bool { return filepath.Ext(f.Name()) != ".json" }), err
}

func (k *Store) pinFile(origin string) string {
	return filepath.Join(k.file.dir, pinsDir, core.Hash(k.dir + "\x00" + origin)[:32]+".json")
}

func readPins(path string) (known KnownExpert, err error) {
	raw, err := userfile.Read(path, maxPinFile)
	if err == nil {
		err = json.Unmarshal(raw, &known)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = failPins(path, err)
	}
	return known, err
}

func failPins(path string, err error) error {
	return core.Fail(core.CodeInternal, fmt.Sprintf("what an expert said of its tools before, in %s, cannot be used", path),
		"mend the file, or remove it: the expert is new to this directory then").Because(err)
}
