package trust_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/private"
	"github.com/yaap-chat/yaap/core/trust"
	"github.com/yaap-chat/yaap/core/yaap"
)

func write() core.ToolSpec {
	return core.ToolSpec{
		Name: "fs__write_file", Owner: "fs", Origin: "npx fs", Description: "Writes a file.", Acts: true,
		Schema: []byte(`{"type":"object","properties":{"path":{"type":"string"}}}`),
	}
}

func read() core.ToolSpec {
	return core.ToolSpec{Name: "fs__read_file", Owner: "fs", Origin: "npx fs", Claims: core.Claims{ReadOnly: new(true)}}
}

func keeper(t *testing.T, rules trust.Rules) (*trust.Store, string) {
	t.Helper()
	state := t.TempDir()
	return trust.New(state, "/work", rules), state
}

func allow(t *testing.T, k *trust.Store, thread, decision string) {
	t.Helper()
	must.Do(t, k.Allow(thread, write(), decision))
}

func TestReadingIsFreeAndChangingIsAskedAbout(t *testing.T) {
	k, _ := keeper(t, trust.Rules{})
	if k.NeedsApproval("t", read()) || !k.NeedsApproval("t", write()) {
		t.Error("reading is asked about, or writing is not")
	}
}

func TestAnAnswerHoldsAsFarAsTheUserSaid(t *testing.T) {
	for decision, want := range map[string]struct{ here, elsewhere, later bool }{
		core.AllowOnce:    {true, true, true},
		core.Deny:         {true, true, true},
		core.AllowSession: {false, true, true},
		core.AllowAlways:  {false, false, false},
	} {
		k, state := keeper(t, trust.Rules{})
		allow(t, k, "t", decision)
		later := trust.New(state, "/work", trust.Rules{})
		if k.NeedsApproval("t", write()) != want.here || k.NeedsApproval("u", write()) != want.elsewhere || later.NeedsApproval("t", write()) != want.later {
			t.Errorf("%s: asked about in the conversation %v, in another %v, in a later room %v", decision, k.NeedsApproval("t", write()), k.NeedsApproval("u", write()), later.NeedsApproval("t", write()))
		}
		if other := trust.New(state, "/elsewhere", trust.Rules{}); !other.NeedsApproval("t", write()) {
			t.Errorf("%s: it holds in another directory, too", decision)
		}
	}
}

func TestAnotherDefinitionIsAnotherTool(t *testing.T) {
	k, _ := keeper(t, trust.Rules{})
	allow(t, k, "t", core.AllowAlways)
	for what, edit := range map[string]func(*core.ToolSpec){
		"description": func(s *core.ToolSpec) { s.Description = "Writes a file, and sends it." },
		"schema":      func(s *core.ToolSpec) { s.Schema = []byte(`{"type":"object"}`) },
		"claims":      func(s *core.ToolSpec) { s.Claims.Destructive = new(true) },
		"examples":    func(s *core.ToolSpec) { s.Examples = []string{"write all"} },
		"command":     func(s *core.ToolSpec) { s.Origin = "npx evil" },
		"owner":       func(s *core.ToolSpec) { s.Owner = "other" },
		"name":        func(s *core.ToolSpec) { s.Name = "fs__move_file" },
	} {
		changed := write()
		edit(&changed)
		if !k.NeedsApproval("t", changed) || !k.NeedsApproval("u", changed) {
			t.Errorf("it has another %s, and is not asked about", what)
		}
	}
}

func TestTheConfigurationIsStricterThanAnAnswer(t *testing.T) {
	for _, name := range []string{"fs", "fs__write_file", "fs__*", "all"} {
		k, state := keeper(t, trust.Rules{Ask: []string{name}})
		allow(t, trust.New(state, "/work", trust.Rules{}), "t", core.AllowAlways)
		if !k.NeedsApproval("t", write()) {
			t.Errorf("%s: what was allowed for good counts", name)
		}
		for _, option := range k.Options(write()) {
			if option.ID == core.AllowAlways {
				t.Errorf("%s: the user may allow it for good", name)
			}
		}
		if (name == "fs" || name == "all") && !k.NeedsApproval("t", read()) {
			t.Errorf("%s: reading is not asked about", name)
		}
		allow(t, k, "t", core.AllowSession)
		if k.NeedsApproval("t", write()) {
			t.Errorf("%s: it is asked about again in the same conversation", name)
		}
	}
}

func TestANameThatNobodyHasIsTold(t *testing.T) {
	tools := []core.ToolSpec{read(), write()}
	must.Equal(t, []string{"sf", "fs__write", "fs/write_file", "git__*"}, trust.UnknownNames([]string{"all", "fs", "sf", "fs__write_file", "fs__write", "fs/write_file", "fs__w*", "git__*"}, tools))
}

func TestAFlagAllowsAnExpertOrATool(t *testing.T) {
	for _, name := range []string{"fs", "fs__write_file", "FS"} {
		k, _ := keeper(t, trust.Rules{Ask: []string{"all"}, Allow: []string{name}})
		if got := k.NeedsApproval("t", write()); got != (name == "FS") {
			t.Errorf("--allow %s: asked about is %v", name, got)
		}
	}
	if k, _ := keeper(t, trust.Rules{Allow: []string{"fs__read_file", ""}}); !k.NeedsApproval("t", write()) {
		t.Error("another tool is allowed, too")
	}
}

func TestWhatIsTakenBackIsAskedAboutInEveryRoomAtOnce(t *testing.T) {
	for _, name := range []string{"fs", "fs__write_file"} {
		k, state := keeper(t, trust.Rules{})
		allow(t, k, "t", core.AllowAlways)
		shell := trust.New(state, "/work", trust.Rules{})
		if revoked, err := trust.New(state, "/elsewhere", trust.Rules{}).Revoke(name); err != nil || len(revoked) != 0 {
			t.Errorf("from another directory %v is taken back, %v", revoked, err)
		}
		if revoked, err := shell.Revoke(name); err != nil || len(revoked) != 1 || revoked[0].Name() != "fs__write_file" {
			t.Errorf("taken back is %v, %v", revoked, err)
		}
		if !k.NeedsApproval("t", write()) || !k.NeedsApproval("u", write()) {
			t.Error("an open room does not ask")
		}
	}
}

func TestWhatWasAllowedForAConversationIsListedAndTakenBack(t *testing.T) {
	for _, name := range []string{"fs", "fs__write_file"} {
		k, _ := keeper(t, trust.Rules{})
		k.SetAsker(&user{answers: []string{core.AllowSession}})
		allow(t, k, "t", core.AllowSession)
		must.Do(t, k.Admit(t.Context(), newt()))
		spoken := k.SessionGrants()
		if len(spoken) != 2 || !spoken[0].Session || spoken[0].Thread != "t" || spoken[0].Name() != write().Name || !spoken[1].Joins || spoken[1].Since.IsZero() {
			t.Errorf("listed is %+v", spoken)
		}
		if revoked, err := k.Revoke(name); err != nil || len(revoked) != 1 || revoked[0].Name() != write().Name {
			t.Errorf("%s: taken back is %v, %v", name, revoked, err)
		}
		if !k.NeedsApproval("t", write()) || len(k.SessionGrants()) != 1 {
			t.Errorf("%s: it is still allowed: %+v", name, k.SessionGrants())
		}
		if revoked, err := k.Revoke("newt"); err != nil || len(revoked) != 1 || !revoked[0].Joins {
			t.Errorf("of the peer %v is taken back, %v", revoked, err)
		}
	}
}

func TestANameThatIsTakenBackIsComparedAsEverywhere(t *testing.T) {
	spec := write()
	spec.Name, spec.Owner = "my-fs__write_file", "my-fs"
	for _, name := range []string{"my-fs", "my_fs", "my_fs__write_file", "my-fs__write-file"} {
		for _, decision := range []string{core.AllowSession, core.AllowAlways} {
			k, _ := keeper(t, trust.Rules{})
			must.Do(t, k.Allow("t", spec, decision))
			if revoked, err := k.Revoke(name); err != nil || len(revoked) != 1 || !k.NeedsApproval("t", spec) {
				t.Errorf("%s: taken back by %s is %v, %v", decision, name, revoked, err)
			}
		}
	}
	k, _ := keeper(t, trust.Rules{})
	k.SetAsker(&user{answers: []string{core.Deny, core.AllowSession}})
	peer := newt()
	peer.Name, peer.Owner = "my-newt", "my-newt"
	if err := k.Admit(t.Context(), peer); err == nil {
		t.Fatal("who is kept out comes in")
	}
	must.Get(k.Revoke("my_newt"))(t)
	if err := k.Admit(t.Context(), peer); err != nil {
		t.Errorf("it is not asked about again: %v", err)
	}
}

func TestManyWindowsKeepEveryAnswer(t *testing.T) {
	_, state := keeper(t, trust.Rules{})
	var windows sync.WaitGroup
	for i := range 20 {
		windows.Go(func() {
			spec := write()
			spec.Name += string(rune('a' + i))
			must.Report(t, trust.New(state, "/work", trust.Rules{}).Allow("t", spec, core.AllowAlways))
		})
	}
	windows.Wait()
	if grants, err := trust.New(state, "/work", trust.Rules{}).Grants(); err != nil || len(grants) != 20 {
		t.Errorf("%d are kept, %v", len(grants), err)
	}
}

func TestAFileThatCannotBeUsedAllowsNothing(t *testing.T) {
	for what, spoil := range map[string]func(path string) error{
		"is no JSON": func(path string) error { return os.WriteFile(path, []byte("[{"), 0o600) },
		"is a symlink": func(path string) error {
			return errors.Join(os.Rename(path, path+".real"), os.Symlink(path+".real", path))
		},
		"is huge": func(path string) error { return os.Truncate(path, 1<<30) },
		"is a directory": func(path string) error {
			return errors.Join(os.Remove(path), os.Mkdir(path, 0o700))
		},
	} {
		k, state := keeper(t, trust.Rules{})
		allow(t, k, "t", core.AllowAlways)
		must.Do(t, spoil(filepath.Join(state, "trust.json")))
		if !k.NeedsApproval("u", write()) {
			t.Errorf("%s: it is believed", what)
		}
		if _, err := k.Grants(); core.HintOf(err) == "" {
			t.Errorf("%s: %v has no hint", what, err)
		}
		if err := k.Allow("v", write(), core.AllowAlways); err == nil || k.NeedsApproval("v", write()) {
			t.Errorf("%s: the answer is lost, or said to be kept: %v", what, err)
		}
	}
}

func TestAFileThatWouldBeTooBigToReadIsNotWritten(t *testing.T) {
	k, state := keeper(t, trust.Rules{})
	allow(t, k, "t", core.AllowAlways)
	big := func(name string) core.ToolSpec {
		spec := write()
		spec.Name, spec.Description = name, strings.Repeat("x", 10<<20)
		return spec
	}
	must.Do(t, k.Allow("t", big("fs__first"), core.AllowAlways))
	err := k.Allow("t", big("fs__second"), core.AllowAlways)
	if core.CodeOf(err) != core.CodeRefused || !strings.Contains(core.HintOf(err), "yaap trust revoke") {
		t.Fatalf("got %v, hint %q", err, core.HintOf(err))
	}
	if k.NeedsApproval("t", big("fs__second")) {
		t.Error("the answer does not hold in its conversation")
	}
	later := trust.New(state, "/work", trust.Rules{})
	if later.NeedsApproval("t", write()) {
		t.Error("what was allowed before is lost")
	}
	if _, err := later.Revoke("fs__first"); err != nil {
		t.Errorf("nothing can be taken back: %v", err)
	}
	if err := later.Allow("t", big("fs__second"), core.AllowAlways); err != nil {
		t.Errorf("there is room again, and it is not used: %v", err)
	}
}

func TestAFileThatAnotherHoldsIsNotWaitedForForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, state := keeper(t, trust.Rules{})
		path := filepath.Join(state, "trust.json.lock")
		f, err := os.Create(path)
		must.Do(t, err)
		defer f.Close() //nolint:errcheck // it was only locked
		must.Do(t, private.Lock(f, private.Exclusive))
		err = k.Allow("t", write(), core.AllowAlways)
		if core.CodeOf(err) != core.CodeBusy || core.HintOf(err) == "" || !strings.Contains(err.Error(), path) {
			t.Errorf("got %v, want it to name %s", err, path)
		}
		if k.NeedsApproval("t", write()) {
			t.Error("the answer does not hold in its conversation")
		}
		if _, err := k.Revoke("fs"); core.CodeOf(err) != core.CodeBusy {
			t.Errorf("taken back: %v", err)
		}
	})
}

func TestTheFileIsForItsOwnerAlone(t *testing.T) {
	k, state := keeper(t, trust.Rules{})
	allow(t, k, "t", core.AllowAlways)
	if info, err := os.Stat(filepath.Join(state, "trust.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// user answers every question with the next of answers, and waits for go where
// there is one.
type user struct {
	answers []string
	wait    chan struct{}
	asked   []core.Pause
}

func (u *user) Ask(_ context.Context, p core.Pause) (core.Answer, error) {
	u.asked = append(u.asked, p)
	if u.wait != nil {
		<-u.wait
	}
	answer := u.answers[0]
	u.answers = u.answers[1:]
	if answer == "" {
		return core.Answer{}, &core.Error{Code: core.CodeRefused, Message: "the user did not answer", Hint: "try again"}
	}
	return core.Answer{ID: answer}, nil
}

func newt() core.ToolSpec {
	return core.ToolSpec{Name: "newt", Owner: "newt", Origin: "peer", Description: "Knows newts."}
}

func TestAPeerIsLetInOnceAndKnownFromThenOn(t *testing.T) {
	for answer, want := range map[string]struct{ in, again, later bool }{
		core.AllowSession: {true, true, false},
		core.AllowAlways:  {true, true, true},
		core.Deny:         {false, false, false},
		"":                {false, false, false},
	} {
		k, state := keeper(t, trust.Rules{})
		u := &user{answers: []string{answer, core.Deny}}
		k.SetAsker(u)
		if err := k.Admit(t.Context(), newt()); (err == nil) != want.in || err != nil && code(err) != yaap.Denied {
			t.Errorf("%q: %v", answer, err)
		}
		if err := k.Admit(t.Context(), newt()); (err == nil) != want.again {
			t.Errorf("%q, again: %v", answer, err)
		}
		if want.again && len(u.asked) != 1 {
			t.Errorf("%q: asked %d times", answer, len(u.asked))
		}
		if err := trust.New(state, "/work", trust.Rules{}).Admit(t.Context(), newt()); (err == nil) != want.later {
			t.Errorf("%q, in a later room without anybody: %v", answer, err)
		}
		if k.NeedsApproval("t", core.ToolSpec{Name: "newt", Owner: "newt", Origin: "peer", Description: "Knows newts.", Acts: true}) != true {
			t.Errorf("%q: who may join may act", answer)
		}
	}
}

func TestAPeerThatSaysOtherThingsIsShownBesideWhatItSaid(t *testing.T) {
	k, _ := keeper(t, trust.Rules{})
	u := &user{answers: []string{core.AllowAlways, core.Deny}}
	k.SetAsker(u)
	must.Do(t, k.Admit(t.Context(), newt()))
	changed := newt()
	changed.Description = "Knows your passwords."
	if err := k.Admit(t.Context(), changed); code(err) != yaap.Denied {
		t.Errorf("it came in as another: %v", err)
	}
	if err := k.Admit(t.Context(), newt()); err != nil {
		t.Errorf("as it was it is kept out: %v", err)
	}
	want := `{"description":{"now":"Knows your passwords.","was":"Knows newts."}}`
	if got := string(u.asked[1].Call.Args); got != want {
		t.Errorf("the user was shown %s, want %s", got, want)
	}
}

func TestWhereNobodySitsAPeerIsKeptOutWithWhatToType(t *testing.T) {
	k, _ := keeper(t, trust.Rules{})
	err := k.Admit(t.Context(), newt())
	var refusal *yaap.Refusal
	if !errors.As(err, &refusal) || !strings.Contains(refusal.Hint, "--allow newt") {
		t.Errorf("got %v", err)
	}
	if k, _ := keeper(t, trust.Rules{Allow: []string{"newt"}}); k.Admit(t.Context(), newt()) != nil {
		t.Error("the flag does not let it in")
	}
}

func TestAPeerThatIsAllowedInThisRoomComesInWithoutTheFile(t *testing.T) {
	flagged, state := keeper(t, trust.Rules{Allow: []string{"newt"}})
	answered, plain := trust.New(state, "/work", trust.Rules{}), trust.New(state, "/work", trust.Rules{})
	answered.SetAsker(&user{answers: []string{core.AllowSession}})
	must.Do(t, answered.Admit(t.Context(), newt()))
	must.Do(t, os.WriteFile(filepath.Join(state, "trust.json"), []byte("[{"), 0o600))
	if err := flagged.Admit(t.Context(), newt()); err != nil {
		t.Errorf("--allow does not let it in: %v", err)
	}
	if err := answered.Admit(t.Context(), newt()); err != nil {
		t.Errorf("the answer of this room does not let it in: %v", err)
	}
	var refusal *yaap.Refusal
	if err := plain.Admit(t.Context(), newt()); !errors.As(err, &refusal) || refusal.Hint == "" {
		t.Errorf("nobody has allowed it: %v", err)
	}
}

func TestAPeerThatKeepsSayingHelloIsAskedAboutOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := trust.New(t.TempDir(), "/work", trust.Rules{})
		u := &user{answers: []string{core.AllowSession}, wait: make(chan struct{})}
		k.SetAsker(u)
		var hellos sync.WaitGroup
		for range 5 {
			hellos.Go(func() {
				must.Report(t, k.Admit(t.Context(), newt()))
			})
		}
		synctest.Wait()
		close(u.wait)
		hellos.Wait()
		if len(u.asked) != 1 {
			t.Errorf("the user was asked %d times", len(u.asked))
		}
	})
}

func TestAGrantCanBeReadByPeople(t *testing.T) {
	k, state := keeper(t, trust.Rules{})
	allow(t, k, "t", core.AllowAlways)
	raw, err := os.ReadFile(filepath.Join(state, "trust.json"))
	var grants []map[string]any
	if err != nil || json.Unmarshal(raw, &grants) != nil || grants[0]["dir"] != "/work" || grants[0]["expert"] != "fs" {
		t.Errorf("the file is %s, %v", raw, err)
	}
}

func code(err error) string {
	var refusal *yaap.Refusal
	if errors.As(err, &refusal) {
		return refusal.Code
	}
	return ""
}
