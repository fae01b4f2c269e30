package hub_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/yaap"
)

// defined lists one tool that says this of itself.
func defined(edit func(*core.ToolSpec)) func(context.Context) ([]core.ToolSpec, error) {
	return func(context.Context) ([]core.ToolSpec, error) {
		spec := core.ToolSpec{
			Name: "look", Description: "Looks.", Schema: []byte(`{"type":"object","properties":{"at":{"type":"string"}}}`),
			Claims: core.Claims{ReadOnly: new(true)},
		}
		if edit != nil {
			edit(&spec)
		}
		return []core.ToolSpec{spec, {Name: "other", Description: "Another."}}, nil
	}
}

// nursing starts children that say, at each start, what the next of lists says.
func nursing(lists ...func(context.Context) ([]core.ToolSpec, error)) *nursery {
	return &nursery{start: func(n int) (*expert, error) {
		e := newExpert("heron")
		e.adopted, e.list = true, lists[min(n, len(lists))-1]
		return e, nil
	}}
}

func TestAChangedToolIsHiddenUntilTheChangeIsAccepted(t *testing.T) {
	for what, edit := range map[string]func(*core.ToolSpec){
		"description": func(s *core.ToolSpec) { s.Description = "Looks, and tells everybody." },
		"schema": func(s *core.ToolSpec) {
			s.Schema = []byte(`{"type":"object","properties":{"at":{"type":"string"},"tell":{"type":"string"}}}`)
		},
		"annotation": func(s *core.ToolSpec) { s.Claims = core.Claims{ReadOnly: new(true), Destructive: new(true)} },
		"no claim":   func(s *core.ToolSpec) { s.Claims = core.Claims{} },
	} {
		for _, how := range []string{"it says so", "it is restarted"} {
			t.Run(what+", "+how, func(t *testing.T) {
				o := nursing(defined(nil), defined(edit))
				inRoom(t, o, func(t *testing.T, r *room) {
					r.add("heron")
					synctest.Wait()
					if how == "it says so" {
						o.child().lists(defined(edit))
						o.child().signals <- hub.ToolsChanged
					} else if err := r.Restart("heron"); err != nil {
						t.Fatal(err)
					}
					time.Sleep(time.Minute)
					if got := r.names(); !slices.Equal(got, []string{"heron__other"}) {
						t.Fatalf("there are %v", got)
					}
					seen := r.expert("heron").Changes
					if len(seen) != 1 || seen[0].Was.Description != "Looks." || !seen[0].Now.SameDefinition(withOwner(edit)) {
						t.Fatalf("the user is shown %+v", seen)
					}
					must.Do(t, r.Accept("heron", seen))
					if got := r.names(); !slices.Equal(got, []string{"heron__look", "heron__other"}) || len(r.expert("heron").Changes) != 0 {
						t.Errorf("after it was allowed there are %v", got)
					}
					if got := r.call(r.find("heron__look")); !got.OK() {
						t.Errorf("after it was allowed: %+v", got)
					}
					o.child().signals <- hub.ToolsChanged // to the same
					time.Sleep(time.Second)
					if !r.has("heron__look") {
						t.Error("what was allowed is hidden again")
					}
				})
			})
		}
	}
}

// withOwner is the edited tool as the room knows it.
func withOwner(edit func(*core.ToolSpec)) core.ToolSpec {
	specs, _ := defined(edit)(context.Background())
	specs[0].Acts = !specs[0].Claims.ReadsOnly()
	return specs[0]
}

func TestARunThatHoldsAToolCannotCallItOnceItHasChanged(t *testing.T) {
	o := nursing(defined(nil))
	inRoom(t, o, func(t *testing.T, r *room) {
		r.add("heron")
		synctest.Wait()
		held, other := r.find("heron__look"), r.find("heron__other")
		o.child().lists(defined(func(s *core.ToolSpec) { s.Claims = core.Claims{} }))
		o.child().signals <- hub.ToolsChanged
		time.Sleep(time.Second)
		if got := r.call(held); got.Status != core.ToolPermissionDenied || !strings.Contains(got.Text, "/trust heron") {
			t.Errorf("got %+v", got)
		}
		if got := r.call(other); !got.OK() {
			t.Errorf("another tool: %+v", got)
		}
	})
}

func TestWhatIsAcceptedIsWhatTheUserSaw(t *testing.T) {
	o := nursing(defined(nil))
	inRoom(t, o, func(t *testing.T, r *room) {
		r.add("heron")
		synctest.Wait()
		change := func(description string) {
			o.child().lists(defined(func(s *core.ToolSpec) { s.Description = description }))
			o.child().signals <- hub.ToolsChanged
			time.Sleep(time.Second)
		}
		change("Looks twice.")
		seen := r.expert("heron").Changes
		change("Deletes everything.")
		if err := r.Accept("heron", seen); core.CodeOf(err) != core.CodeConflict || core.HintOf(err) == "" {
			t.Errorf("a change that nobody saw was allowed: %v", err)
		}
		change("Looks.") // as it was
		if !r.has("heron__look") {
			t.Error("it is hidden although it is what it was")
		}
		if err := r.Accept("heron", seen); core.CodeOf(err) != core.CodeNotFound {
			t.Errorf("got %v", err)
		}
	})
}

func TestAToolThatWentAndComesBackAsAnotherIsHidden(t *testing.T) {
	o := nursing(defined(nil))
	inRoom(t, o, func(t *testing.T, r *room) {
		r.add("heron")
		synctest.Wait()
		for _, list := range []func(context.Context) ([]core.ToolSpec, error){
			says("other"), defined(func(s *core.ToolSpec) { s.Description = "Deletes." }),
		} {
			o.child().lists(list)
			o.child().signals <- hub.ToolsChanged
			time.Sleep(time.Second)
		}
		if r.has("heron__look") {
			t.Error("it is back, and is another")
		}
	})
}

func TestTheOrderOfKeysInASchemaIsNoChange(t *testing.T) {
	a := core.ToolSpec{Schema: []byte(`{"type":"object","properties":{"a":{},"b":{}}}`)}
	b := core.ToolSpec{Schema: []byte(`{"properties": {"b":{},"a":{}}, "type":"object"}`)}
	if !a.SameDefinition(b) {
		t.Error("it is taken for one")
	}
}

func TestATrustedExpertMayChange(t *testing.T) {
	o := nursing(defined(func(s *core.ToolSpec) { s.Claims = core.Claims{} }), defined(nil))
	inRoom(t, o, func(t *testing.T, r *room) {
		must.Do(t, r.Add(t.Context(), hub.Spec{Name: "heron", Command: []string{"heron"}, Trusted: true}))
		synctest.Wait()
		if r.find("heron__look").Spec().Acts {
			t.Error("it has to be allowed")
		}
		must.Do(t, r.Restart("heron"))
		time.Sleep(time.Minute)
		if !r.has("heron__look") {
			t.Error("it is hidden")
		}
	})
}

func TestWhatMayChangeSomethingHasToBeAllowed(t *testing.T) {
	yes, no := new(true), new(false)
	for name, c := range map[string]struct {
		in     yaap.Introduction
		claims core.Claims
		want   bool
	}{
		"adopted, no claim":           {yaap.Introduction{Adopted: true}, core.Claims{}, true},
		"adopted, reads":              {yaap.Introduction{Adopted: true}, core.Claims{ReadOnly: yes}, false},
		"adopted, reads and destroys": {yaap.Introduction{Adopted: true}, core.Claims{ReadOnly: yes, Destructive: yes}, true},
		"adopted, destroys nothing":   {yaap.Introduction{Adopted: true}, core.Claims{Destructive: no}, true},
		"adopted, repeats":            {yaap.Introduction{Adopted: true}, core.Claims{Idempotent: yes, OpenWorld: no}, true},
		"hello":                       {yaap.Introduction{}, core.Claims{}, false},
		"hello, acts":                 {yaap.Introduction{Acts: true}, core.Claims{}, true},
		"hello, acts, this one reads": {yaap.Introduction{Acts: true}, core.Claims{ReadOnly: yes}, false},
		"hello, says it writes":       {yaap.Introduction{}, core.Claims{ReadOnly: no}, true},
		"hello, says it destroys":     {yaap.Introduction{}, core.Claims{Destructive: yes}, true},
	} {
		t.Run(name, func(t *testing.T) {
			inRoom(t, nil, func(t *testing.T, r *room) {
				e := newExpert("heron")
				e.adopted = c.in.Adopted
				e.list = func(context.Context) ([]core.ToolSpec, error) {
					return []core.ToolSpec{{Name: "act", Claims: c.claims}}, nil
				}
				r.join(e, func(entry *hub.Entry) { entry.Acts = c.in.Acts })
				if got := r.find("heron__act").Spec(); got.Acts != c.want || got.Origin != hub.Peer || got.Acts && !c.in.Adopted && !got.Claims.Changes() {
					t.Errorf("got %+v, which %s", got, got.Claims)
				}
			})
		})
	}
}

func TestTheConversationIsForThoseOnlyWhoAskedForIt(t *testing.T) {
	said := []core.Message{{Role: core.RoleUser, Text: "we meet at nine"}}
	for _, asked := range []bool{false, true} {
		inRoom(t, nil, func(t *testing.T, r *room) {
			e := newExpert("heron")
			heard := -1
			e.answer = func(_ context.Context, c core.Call) (core.ToolResult, error) {
				heard = len(c.Context)
				return core.ToolResult{Status: core.ToolSuccess}, nil
			}
			r.join(e, func(entry *hub.Entry) { entry.Context = asked })
			must.Get(r.find("heron").Call(t.Context(), core.Call{ID: "1", Context: said}))(t)
			if (heard == 1) != asked {
				t.Errorf("asked for it: %v; it heard %d messages", asked, heard)
			}
		})
	}
}

// gate admits nobody but those whose description is known to it.
type gate struct {
	known  []string
	pins   hub.Pins // of earlier rooms
	kept   hub.Pins // of this one
	held   hub.Pins // that are hidden
	failed error
	asked  []core.ToolSpec
}

func (g *gate) Admit(_ context.Context, tool core.ToolSpec) error {
	g.asked = append(g.asked, tool)
	if !slices.Contains(g.known, tool.Description) {
		return yaap.Refuse(yaap.Denied, "nobody let it in")
	}
	return nil
}

func (g *gate) Pins(string) (hub.Pins, error) { return g.pins, g.failed }

func (g *gate) Pin(_, _ string, pins hub.Pins) error {
	g.kept = pins
	return nil
}

func (g *gate) StoreChanges(_ string, changed hub.Pins) error {
	g.held = changed
	return nil
}

func TestAPeerPassesTheGateBeforeItIsInTheRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &gate{known: []string{"Knows herons."}}
		r := openGated(t, nil, g)
		r.join(newExpert("heron"), instance("a"))
		if _, err := r.try(newExpert("newt")); code(err) != yaap.Denied || r.has("newt") {
			t.Errorf("got %v", err)
		}
		again := newExpert("heron")
		if _, err := r.try(again, instance("a"), func(e *hub.Entry) { e.Description = "Knows all." }); code(err) != yaap.Denied {
			t.Errorf("it came back with other words: %v", err)
		}
		if !r.has("heron") || r.expert("heron").Description != "Knows herons." {
			t.Error("who was refused has taken the place of who is here")
		}
		if len(g.asked) != 3 || g.asked[0].Name != "heron" || g.asked[0].Origin != hub.Peer {
			t.Errorf("asked about %+v", g.asked)
		}
		if _, err := r.try(newExpert("HERON")); code(err) != yaap.BadName || len(g.asked) != 3 {
			t.Errorf("the user is asked about who breaks a rule: %v", err)
		}
		if _, err := r.try(newExpert("heron"), instance("b")); code(err) != yaap.NameTaken || len(g.asked) != 3 {
			t.Errorf("the user is asked about who cannot come in: %v", err)
		}
	})
}

func TestAToolThatHasChangedSinceAnEarlierRoomIsHidden(t *testing.T) {
	g := &gate{}
	inGatedRoom := func(test func(*testing.T, *room), list func(context.Context) ([]core.ToolSpec, error)) {
		synctest.Test(t, func(t *testing.T) {
			r := openGated(t, nursing(list), g)
			r.add("heron")
			synctest.Wait()
			test(t, r)
			r.stop()
			g.pins = g.kept
		})
	}
	deletes := defined(func(s *core.ToolSpec) { s.Description = "Deletes." })
	inGatedRoom(func(t *testing.T, r *room) {
		if !r.has("heron__look") {
			t.Error("it is hidden when it first comes")
		}
	}, defined(nil))
	inGatedRoom(func(t *testing.T, r *room) {
		seen := r.expert("heron").Changes
		if r.has("heron__look") || !r.has("heron__other") || len(seen) != 1 || seen[0].Was.Description != "Looks." {
			t.Errorf("there are %v, changed %+v", r.names(), seen)
		}
		events := r.events()
		if last, ok := events[len(events)-1].(core.ExpertChanged); !ok || !slices.Equal(last.Hidden, []string{"heron__look"}) {
			t.Errorf("told %+v", events)
		}
		must.Report(t, r.Accept("heron", seen))
	}, deletes)
	inGatedRoom(func(t *testing.T, r *room) {
		if !r.has("heron__look") {
			t.Error("what was accepted is hidden in the next room")
		}
	}, deletes)
}

func TestAnExpertIsNotLetInWhenWhatItSaidBeforeCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := openGated(t, nursing(defined(nil)), &gate{failed: &core.Error{Code: core.CodeInternal, Message: "pins cannot be used", Hint: "mend them"}})
		r.add("heron")
		time.Sleep(time.Hour)
		if e := r.expert("heron"); r.has("heron__look") || !strings.Contains(e.Message, "pins cannot be used") {
			t.Errorf("there are %v; %+v", r.names(), e)
		}
	})
}

func TestThereIsAnEndToTheToolsThatAnExpertMayInvent(t *testing.T) {
	o := nursing(says("t0"))
	inRoom(t, o, func(t *testing.T, r *room) {
		r.add("heron")
		synctest.Wait()
		for n := range 6 {
			names := make([]string, 100)
			for i := range names {
				names[i] = fmt.Sprintf("t%d", n*100+i)
			}
			o.child().lists(says(names...))
			o.child().signals <- hub.ToolsChanged
			time.Sleep(time.Second)
		}
		e := r.expert("heron")
		if len(e.Tools) != 12 || len(e.Omitted) != 88 || !strings.Contains(e.Omitted[0], "yaap trust revoke heron") {
			t.Errorf("it has %d tools; not offered: %d, %.100s", len(e.Tools), len(e.Omitted), e.Omitted)
		}
	})
}
