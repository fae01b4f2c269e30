package trust_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/trust"
)

func TestWhatAnExpertSaidIsKnownInLaterRoomsOfTheDirectory(t *testing.T) {
	k, state := keeper(t, trust.Rules{})
	tools := map[string]core.ToolSpec{"write_file": write(), "read_file": read()}
	must.Do(t, k.Pin("fs", "child:1", tools))
	later := trust.New(state, "/work", trust.Rules{})
	got, err := later.Pins("child:1")
	if diff := cmp.Diff(tools, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if got, err := later.Pins("child:2"); err != nil || len(got) != 0 {
		t.Errorf("another command: %v, %v", got, err)
	}
	if got, err := trust.New(state, "/elsewhere", trust.Rules{}).Pins("child:1"); err != nil || len(got) != 0 {
		t.Errorf("another directory: %v, %v", got, err)
	}
}

func TestNoCommandIsInTheFiles(t *testing.T) {
	k, state := keeper(t, trust.Rules{})
	tool := write()
	tool.Command = "npx fs --token hunter2"
	must.Do(t, k.Pin("fs", "child:1", map[string]core.ToolSpec{"write_file": tool}))
	allow(t, k, "t", core.AllowAlways)
	must.Do(t, k.Allow("t", tool, core.AllowAlways))
	err := filepath.WalkDir(state, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if strings.Contains(string(raw), "hunter2") {
			t.Errorf("%s has it", path)
		}
		return err
	})
	must.Report(t, err)
	if k.NeedsApproval("u", tool) {
		t.Error("what was allowed is asked about again")
	}
}

func TestAnExpertIsForgottenInOneDirectory(t *testing.T) {
	k, state := keeper(t, trust.Rules{})
	elsewhere := trust.New(state, "/elsewhere", trust.Rules{})
	for _, pin := range []error{
		k.Pin("f_s", "child:1", nil), k.Pin("git", "child:2", nil), elsewhere.Pin("f_s", "child:1", nil),
	} {
		if pin != nil {
			t.Fatal(pin)
		}
	}
	if forgotten, err := k.Forget("f-s"); !forgotten || err != nil {
		t.Errorf("got %v, %v", forgotten, err)
	}
	if forgotten, err := k.Forget("f_s"); forgotten || err != nil {
		t.Errorf("twice: %v, %v", forgotten, err)
	}
	for k, want := range map[*trust.Store]string{k: "git", elsewhere: "f_s"} {
		if known, err := k.KnownExperts(); err != nil || len(known) != 1 || known[0].Expert != want {
			t.Errorf("known is %+v, %v", known, err)
		}
	}
}

func TestAFileOfPinsThatCannotBeReadIsNoFirstMeeting(t *testing.T) {
	for what, spoil := range map[string]func(path string) error{
		"is no JSON":     func(path string) error { return os.WriteFile(path, []byte("{"), 0o600) },
		"is huge":        func(path string) error { return os.Truncate(path, 1<<30) },
		"is a directory": func(path string) error { _ = os.Remove(path); return os.Mkdir(path, 0o700) },
	} {
		k, state := keeper(t, trust.Rules{})
		must.Do(t, k.Pin("fs", "child:1", nil))
		files, err := filepath.Glob(filepath.Join(state, "pins", "*"))
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		must.Do(t, spoil(files[0]))
		if _, err := k.Pins("child:1"); core.HintOf(err) == "" {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestAnExpertWithAnotherCommandIsKnownOnce(t *testing.T) {
	k := trust.New(t.TempDir(), t.TempDir(), trust.Rules{})
	for _, origin := range []string{"child:python3 heron.py", "child:python3 -u heron.py"} {
		must.Do(t, k.Pin("heron", origin, map[string]core.ToolSpec{"eat": {Name: "eat"}}))
	}
	if known, err := k.KnownExperts(); err != nil || len(known) != 1 {
		t.Errorf("got %+v, %v", known, err)
	}
	if forgotten, err := k.Forget("heron"); !forgotten || err != nil {
		t.Errorf("got %v, %v", forgotten, err)
	}
	if known, err := k.KnownExperts(); err != nil || len(known) > 0 {
		t.Errorf("it is forgotten, and known are %+v, %v", known, err)
	}
}

func TestOnlyAChangeThatWasShownIsAccepted(t *testing.T) {
	k, state := keeper(t, trust.Rules{})
	tool, louder, loudest := write(), write(), write()
	louder.Description, louder.Command = "Writes, and tells everybody.", "fs --token hunter2"
	loudest.Description = "Writes, tells everybody, and sings."
	accept := func(want string) {
		t.Helper()
		accepted, err := k.Accept("f-s")
		said := ""
		for _, one := range accepted {
			said += one.Description
		}
		if err != nil || said != want {
			t.Errorf("accepted are %q, %v, want %q", said, err, want)
		}
	}
	must.Do(t, k.StoreChanges("child:1", map[string]core.ToolSpec{"write_file": louder})) // it is not known yet
	must.Do(t, k.Pin("f_s", "child:1", map[string]core.ToolSpec{"write_file": tool}))
	must.Do(t, k.StoreChanges("child:1", map[string]core.ToolSpec{"write_file": louder}))
	accept("")
	changes, err := k.Show("f-s")
	if err != nil || len(changes) != 1 || changes[0].Was.Description != tool.Description || changes[0].Now.Description != louder.Description || changes[0].Now.Command != "" {
		t.Errorf("shown are %+v, %v", changes, err)
	}
	must.Do(t, k.StoreChanges("child:1", map[string]core.ToolSpec{"write_file": loudest}))
	accept("")
	must.Get(k.Show("f-s"))(t)
	must.Do(t, k.StoreChanges("child:1", map[string]core.ToolSpec{"write_file": loudest})) // it says the same again
	accept(loudest.Description)
	accept("")
	if got := must.Get(trust.New(state, "/work", trust.Rules{}).Pins("child:1"))(t); got["write_file"].Description != loudest.Description {
		t.Errorf("pinned is %+v", got)
	}
	must.Do(t, k.StoreChanges("child:1", map[string]core.ToolSpec{"write_file": tool}))
	must.Do(t, k.StoreChanges("child:1", nil)) // it went back to what was allowed
	if changes, err := k.Show("fs"); err != nil || len(changes) > 0 {
		t.Errorf("hidden are %+v, %v", changes, err)
	}
}
