package hub_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/yaap"
)

func TestAToolIsInTheListWhenJoinReturnsAndOutOfItWhenGoodbyeDoes(t *testing.T) {
	r := open(t, nil)
	seat := r.join(newExpert("heron"))
	if seat.Tool != "heron" {
		t.Errorf("got the tool %q", seat.Tool)
	}
	held := r.find("heron")
	if result := r.call(held); !result.OK() || result.Text != "heron" {
		t.Errorf("got %+v", result)
	}
	seat.Goodbye("")
	if r.has("heron") {
		t.Error("its tool is still in the list")
	}
	if result := r.call(held); result.Code != core.ToolCodeExpertLeft || !strings.Contains(result.Text, "heron left the room (goodbye)") {
		t.Errorf("got %+v", result)
	}
}

func TestTheUserMayTakeOutAnExpertThatJoinedByItself(t *testing.T) {
	r := open(t, nil)
	e := newExpert("heron")
	r.join(e)
	if err := r.Restart("heron"); core.CodeOf(err) != core.CodeRefused || !r.has("heron") {
		t.Errorf("the room cannot start it: %v", err)
	}
	must.Do(t, r.Stop(t.Context(), "heron"))
	if r.has("heron") || e.Err() != nil {
		t.Errorf("it is still there, or failed: %v, %v", r.names(), e.Err())
	}
	left, _ := r.events()[1].(core.ExpertLeft)
	if left.Name != "heron" || left.Reason != core.LeftRemoved {
		t.Errorf("got %+v", left)
	}
	if err := r.Stop(t.Context(), "heron"); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("it is gone: %v", err)
	}
	r.join(newExpert("heron")) // nothing keeps it away
}

func TestWhoCannotBeAskedIsRefusedWithWhoCan(t *testing.T) {
	r := open(t, nil)
	_, err := r.Expert("newt")
	if core.CodeOf(err) != core.CodeNotFound || !strings.Contains(core.HintOf(err), "/experts add") {
		t.Errorf("nobody is here: %v, %s", err, core.HintOf(err))
	}
	mute := newExpert("toad")
	mute.list = says()
	r.join(newExpert("heron"))
	r.join(newExpert("crane"))
	r.join(mute)
	_, err = r.Expert("newt")
	if err == nil || err.Error() != "no expert called newt is in the room" || core.HintOf(err) != "ask @crane, @heron" {
		t.Errorf("got %v, %s", err, core.HintOf(err))
	}
	if _, err = r.Expert("toad"); err == nil || !strings.Contains(err.Error(), "toad is in the room, but it has no tool") {
		t.Errorf("it lists no tools: %v", err)
	}
	for i := range 30 {
		r.join(newExpert(fmt.Sprint("egret", i)))
	}
	if _, err = r.Expert("newt"); !strings.HasSuffix(core.HintOf(err), ", or one of 20 others") {
		t.Errorf("many are here: %s", core.HintOf(err))
	}
}

func TestAnEntryIsRefusedWithTheRuleThatItBreaks(t *testing.T) {
	r := open(t, nil)
	r.join(newExpert("heron"))
	for name, c := range map[string]struct {
		edit func(*hub.Entry)
		code string
	}{
		"an escape in the name":  {func(e *hub.Entry) { e.Name = "newt\x1b[2J" }, yaap.BadName},
		"a reserved name":        {func(e *hub.Entry) { e.Name = "find-expert" }, yaap.BadName},
		"nothing visible said":   {func(e *hub.Entry) { e.Description = "\x1b[2J\u200b" }, yaap.BadDescription},
		"a name that is there":   {func(e *hub.Entry) { e.Name = "heron" }, yaap.NameTaken},
		"too many at once":       {func(e *hub.Entry) { e.Concurrency = 65 }, yaap.BadSchema},
		"a reference to the web": {func(e *hub.Entry) { e.InputSchema = []byte(`{"$ref":"http://x"}`) }, yaap.BadSchema},
	} {
		if _, err := r.try(newExpert("newt"), c.edit); code(err) != c.code || err.Error() == "" {
			t.Errorf("%s: got %v, want %s", name, err, c.code)
		}
	}
	r.join(newExpert("grey-heron"))
	if _, err := r.try(newExpert("grey_heron")); code(err) != yaap.NameTaken {
		t.Errorf("- and _ are not the same: %v", err)
	}
	if got := r.names(); len(got) != 2 {
		t.Errorf("got %v", got)
	}
}

func TestTheSameInstanceTakesItsPlaceAgain(t *testing.T) {
	inRoom(t, nil, func(t *testing.T, r *room) {
		old, fresh := newExpert("heron"), newExpert("heron")
		old.answer = waits
		r.join(old, instance("one"))
		held := r.find("heron")
		running := make(chan core.ToolResult)
		go func() { running <- r.call(held) }()
		synctest.Wait()
		r.join(fresh, instance("one"), func(e *hub.Entry) { e.Description = "Knows more." })
		if got := <-running; got.Code != core.ToolCodeExpertLeft {
			t.Errorf("the running call: got %+v", got)
		}
		synctest.Wait()
		select {
		case <-old.Done():
		default:
			t.Error("the old link is still open")
		}
		if got := old.byes(); len(got) != 1 || got[0] != "it joined again" {
			t.Errorf("the old link was told %q", got)
		}
		if got := r.expert("heron"); got.Description != "Knows more." || got.State != core.ExpertReady {
			t.Errorf("got %+v", got)
		}
		if got := r.find("heron").Spec().Description; got != "Knows more." {
			t.Errorf("got %q", got)
		}
		bodies := r.events()
		if len(bodies) != 2 || (core.Event{Body: bodies[1]}).Type() != "expert_changed" {
			t.Errorf("got %+v", bodies)
		}
	})
}

func TestNoOtherToolEverVanishesWhileTheListChanges(t *testing.T) {
	r := open(t, nil)
	r.join(newExpert("heron"))
	var finished atomic.Bool
	var looked atomic.Int64
	var watchers sync.WaitGroup
	watchers.Go(func() {
		for last := uint64(0); !finished.Load(); looked.Add(1) {
			set := r.Tools()
			if _, ok := set.Find("heron"); !ok {
				t.Error("heron was missing for a moment")
				return
			}
			if set.Rev < last {
				t.Error("the revision went back")
				return
			}
			last = set.Rev
		}
	})
	for i := range 1000 {
		e := newExpert("newt")
		seat := r.join(e, instance("one"))
		switch i % 3 {
		case 0:
			seat.Goodbye("")
		case 1:
			last := newExpert("newt")
			r.join(last, instance("one"))
			last.die(nil)
		default:
			e.die(nil)
		}
	}
	finished.Store(true)
	watchers.Wait()
	if looked.Load() == 0 {
		t.Error("nobody looked")
	}
}

// wantPairs wants that everybody who joined left, and that revisions rise.
func wantPairs(t *testing.T, bodies []core.Body) {
	t.Helper()
	present, last := map[string]bool{}, uint64(0)
	rise := func(rev uint64, count int) {
		if rev <= last {
			t.Errorf("revision %d came after %d", rev, last)
		}
		if last = rev; count != len(present) {
			t.Errorf("revision %d counts %d experts, want %d", rev, count, len(present))
		}
	}
	for _, body := range bodies {
		if b, ok := body.(core.ExpertJoined); ok {
			if present[b.Name] {
				t.Errorf("%s joined twice", b.Name)
			}
			present[b.Name] = true
			rise(b.Rev, b.Count)
		}
		if b, ok := body.(core.ExpertLeft); ok {
			if !present[b.Name] {
				t.Errorf("%s left and was not there", b.Name)
			}
			delete(present, b.Name)
			rise(b.Rev, b.Count)
		}
	}
	if len(present) != 0 {
		t.Errorf("these never left: %v", present)
	}
}

func TestABurstOfChangesIsListedOnce(t *testing.T) {
	inRoom(t, nil, func(t *testing.T, r *room) {
		var listed atomic.Int64
		e := newExpert("heron")
		e.list = func(ctx context.Context) ([]core.ToolSpec, error) {
			if listed.Add(1) == 1 {
				return says("one", "two")(ctx)
			}
			return says("one", "three")(ctx)
		}
		r.join(e)
		r.events()
		rev := r.Tools().Rev
		for range 50 {
			e.signals <- hub.ToolsChanged
		}
		time.Sleep(99 * time.Millisecond)
		if listed.Load() != 1 {
			t.Error("it was listed again at once")
		}
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		if got := strings.Join(r.names(), " "); got != "heron__one heron__three" || listed.Load() != 2 {
			t.Errorf("got %s after %d lists", got, listed.Load())
		}
		want := []core.Body{core.ExpertChanged{Name: "heron", Changed: []string{"tools"}, Added: []string{"heron__three"}, Removed: []string{"heron__two"}, Rev: rev + 1}}
		if got := r.events(); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		e.signals <- hub.ToolsChanged // to the same list: nothing to tell
		time.Sleep(time.Second)
		if got := r.events(); len(got) != 0 || listed.Load() != 3 {
			t.Errorf("got %+v after %d lists", got, listed.Load())
		}
	})
}

func TestThoseWhoLeftAreListedForAWhile(t *testing.T) {
	inRoom(t, nil, func(t *testing.T, r *room) {
		e := newExpert("heron")
		r.join(e)
		e.die(errors.New("its connection ended"))
		synctest.Wait()
		if got := r.expert("heron"); got.State != core.ExpertGone || got.Message != "its connection ended" {
			t.Errorf("got %+v", got)
		}
		left := r.events()[1].(core.ExpertLeft)
		if left.Reason != core.LeftLost || left.Detail != "its connection ended" {
			t.Errorf("got %+v", left)
		}
		time.Sleep(31 * time.Second)
		if got := r.Experts(); len(got) != 0 {
			t.Errorf("got %+v", got)
		}
	})
}

func TestADeadOwnerIsEvictedAtOnceAndALivingOneIsNot(t *testing.T) {
	r := open(t, nil)
	for i := range 100 { // the next one comes before the hub has noticed, or after
		name := fmt.Sprint("bird-", i)
		first, second := newExpert(name), newExpert(name)
		r.join(first, instance("one"))
		if _, err := r.try(second, instance("two")); code(err) != yaap.NameTaken {
			t.Fatalf("a living owner lost its name: %v", err)
		}
		held := r.find(name)
		first.die(errors.New("out of fish"))
		second = newExpert(name)
		second.answer = func(context.Context, core.Call) (core.ToolResult, error) {
			return core.ToolResult{Status: core.ToolSuccess, Text: "second"}, nil
		}
		r.join(second, instance("two"))
		if got := r.call(r.find(name)); got.Text != "second" {
			t.Errorf("got %+v", got)
		}
		if got := r.call(held); got.Code != core.ToolCodeExpertLeft || !strings.Contains(got.Text, "out of fish") {
			t.Errorf("through a tool of the dead expert: %+v", got)
		}
	}
	r.stop()
	wantPairs(t, r.events())
}

func TestAFullRoomLetsNobodyInButThoseWhoComeBack(t *testing.T) {
	r := open(t, nil)
	for i := range 256 {
		r.join(newExpert(fmt.Sprint("bird-", i)), instance("one"))
	}
	if _, err := r.try(newExpert("heron")); code(err) != yaap.TooMany {
		t.Errorf("got %v", err)
	}
	if _, err := r.try(newExpert("bird-7"), instance("one")); err != nil {
		t.Errorf("one that came back: %v", err)
	}
}

// hash is how a name that was cut ends.
func hash(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:3])
}

func TestTypedToolsAreCalledByTheirTrueNames(t *testing.T) {
	long := strings.Repeat("x", 80)
	heard := make(chan string, 1)
	e := newExpert("heron")
	e.list = says("catch fish!", "catch fish?", long, long+"y", "heron", "Ünder")
	e.answer = func(_ context.Context, c core.Call) (core.ToolResult, error) {
		heard <- c.Tool
		return core.ToolResult{Status: core.ToolSuccess}, nil
	}
	r := open(t, nil)
	r.join(e)
	var reached []string
	for _, tool := range r.Tools().Tools {
		name := tool.Spec().Name
		if len(name) > 64 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_0123456789") != "" || !strings.HasPrefix(name, "heron__") {
			t.Errorf("got the name %q", name)
		}
		r.call(tool)
		reached = append(reached, <-heard)
	}
	if len(reached) != 6 {
		t.Errorf("reached %q: not every tool", reached)
	}
	if name := r.find("heron__" + strings.Repeat("x", 50) + "_" + hash(long)).Spec().Name; len(name) != 64 {
		t.Errorf("got %q", name)
	}
}

func TestWhatAnExpertSaysIsBoundedAndSafe(t *testing.T) {
	e := newExpert("heron")
	e.list = func(context.Context) ([]core.ToolSpec, error) {
		specs := []core.ToolSpec{
			{Name: "null", Schema: []byte(`null`)},
			{Name: "web", Schema: []byte(`{"$ref":"http://x"}`)},
			{Name: "header", Schema: []byte(`{"properties":{"a":{"x-mcp-header":"X"}}}`)},
			{Name: "hidden", Schema: []byte(`{"properties":{"a":{"x\u002dmcp-header":"X"}}}`)},
			{Name: "loud", Description: "\x1b]0;owned\a" + strings.Repeat("é", 5000)},
		}
		for i := range 200 {
			specs = append(specs, core.ToolSpec{Name: fmt.Sprint("t", i)})
		}
		return specs, nil
	}
	r := open(t, nil)
	r.join(e, func(e *hub.Entry) {
		e.Description = "Knows\x1b[31m herons\u202e.\n" + strings.Repeat("x", 5000)
		e.Examples = []string{"what\x1b[2J?"}
	})
	if got := len(r.Tools().Tools); got != 128 {
		t.Errorf("got %d tools", got)
	}
	for _, bad := range []string{"heron__null", "heron__web"} {
		if r.has(bad) {
			t.Errorf("%s was let in", bad)
		}
	}
	for _, name := range []string{"heron__header", "heron__hidden"} {
		if schema := string(r.find(name).Spec().Schema); strings.Contains(schema, "header") {
			t.Errorf("the schema of %s is %s", name, schema)
		}
	}
	x := r.expert("heron")
	for _, text := range append(x.Examples, x.Description, r.find("heron__loud").Spec().Description) {
		if strings.ContainsAny(text, "\x1b\a\n\u202e") || len([]rune(text)) > 1024 {
			t.Errorf("got %q", text)
		}
	}
}

func TestSecretsInWhatAToolSaysOfItselfAreMasked(t *testing.T) {
	const secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789"
	e := newExpert("heron")
	e.list = func(context.Context) ([]core.ToolSpec, error) {
		return []core.ToolSpec{
			{Name: "fish", Description: "Fishes with " + secret, Schema: []byte(`{"type":"object","properties":{"token":{"type":"string","default":"` + secret + `"}}}`)},
			{Name: "nest"},
		}, nil
	}
	r := open(t, nil)
	r.join(e, func(*hub.Entry) {})
	if spec := r.find("heron__fish").Spec(); strings.Contains(spec.Description+string(spec.Schema), secret) || !strings.Contains(string(spec.Schema), `"token"`) {
		t.Errorf("got %q with %s", spec.Description, spec.Schema)
	}
}

func TestAToolWithTheNameOfAnothersToolIsRefused(t *testing.T) {
	inRoom(t, nil, func(t *testing.T, r *room) {
		first, second := newExpert("a1"), newExpert("a1_")
		first.list, second.list = says("_c1", "d1"), says("c1", "e1")
		r.join(first)
		if _, err := r.try(second); code(err) != yaap.NameTaken || !strings.Contains(err.Error(), "a1___c1") {
			t.Errorf("got %v", err)
		}
		second = newExpert("a1_") // it comes in with other tools and changes them
		second.list = says("e1", "f1")
		r.join(second)
		second.list = says("c1", "e1")
		second.signals <- hub.ToolsChanged
		time.Sleep(time.Second)
		owners := 0
		for _, spec := range r.Tools().Specs() {
			if spec.Name == "a1___c1" {
				owners++
			}
		}
		if owners != 1 {
			t.Errorf("%d tools are called a1___c1", owners)
		}
		if got := r.find("a1___c1").Spec().Owner; got != "a1" {
			t.Errorf("it belongs to %s now", got)
		}
	})
}

func TestChangesWithoutEndAreListedNow(t *testing.T) {
	inRoom(t, nil, func(t *testing.T, r *room) {
		e := newExpert("heron")
		e.list = says("one", "two")
		r.join(e)
		e.list = says("one", "three")
		for range 20 {
			e.signals <- hub.ToolsChanged
			time.Sleep(50 * time.Millisecond)
		}
		if !r.has("heron__three") {
			t.Errorf("after a second of changes: %v", r.names())
		}
	})
}

func TestAnExpertThatDoesNotListItsToolsCanStillLeave(t *testing.T) {
	inRoom(t, nil, func(t *testing.T, r *room) {
		e := newExpert("heron")
		r.join(e)
		listing := make(chan struct{})
		e.list = func(ctx context.Context) ([]core.ToolSpec, error) {
			close(listing)
			<-ctx.Done()
			return nil, ctx.Err()
		}
		e.signals <- hub.ToolsChanged
		<-listing
		start := time.Now()
		e.signals <- hub.SaysGoodbye
		<-e.Done()
		if took := time.Since(start); took > time.Second {
			t.Errorf("it was gone after %s", took)
		}
	})
}

// wavering is an expert that is not always heard of.
type wavering struct {
	*expert
	quiet atomic.Bool
}

func (w *wavering) Suspect() bool { return w.quiet.Load() }

func TestAnExpertThatIsNotHeardOfIsSuspectUntilItIsHeardOfAgain(t *testing.T) {
	inRoom(t, nil, func(t *testing.T, r *room) {
		w := &wavering{expert: newExpert("heron")}
		r.join(w.expert, func(e *hub.Entry) { e.Link = w })
		r.events()
		for quiet, want := range map[bool]core.ExpertState{true: core.ExpertSuspect, false: core.ExpertReady} {
			w.quiet.Store(!quiet)
			w.signals <- hub.SuspectChanged
			synctest.Wait()
			r.events()
			w.quiet.Store(quiet)
			for range 3 { // said once
				w.signals <- hub.SuspectChanged
			}
			synctest.Wait()
			got := r.expert("heron")
			if got.State != want || !got.Present() || (got.Message != "") != quiet {
				t.Errorf("got %+v, want %s", got, want)
			}
			if story := r.story(); story != string(want) {
				t.Errorf("got %q, want %s", story, want)
			}
		}
		if !r.has("heron") {
			t.Error("its tool is not in the list any more")
		}
	})
}
