package hub_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/must"
)

// gone are the names of those who have left, the last first.
func (r *room) gone() (names []string) {
	for _, e := range r.DepartedExperts() {
		names = append(names, e.Name)
	}
	return names
}

func TestWhoHasLeftIsRememberedUntilItIsBack(t *testing.T) {
	inRoom(t, new(nursery), func(t *testing.T, r *room) {
		r.add("heron")
		synctest.Wait()
		r.join(newExpert("crane")).Goodbye("")
		must.Do(t, r.Stop(t.Context(), "heron"))
		want := []core.Expert{
			{Name: "heron", Description: "Knows herons.", Transport: hub.Child},
			{Name: "crane", Description: "Knows cranes.", Transport: hub.Peer},
		}
		var got []core.Expert
		for _, e := range r.DepartedExperts() {
			got = append(got, core.Expert{Name: e.Name, Description: e.Description, Transport: e.Transport, Command: e.Command})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("who has left (-want +got)\n%s", diff)
		}
		must.Do(t, r.Restart("heron")) // as people are told to do
		synctest.Wait()
		if diff := cmp.Diff([]string{"crane"}, r.gone()); diff != "" {
			t.Errorf("heron is back (-want +got)\n%s", diff)
		}
		r.join(newExpert("crane"))
		if got := r.gone(); len(got) != 0 {
			t.Errorf("both are back: %v", got)
		}
	})
}

func TestAChildWhosePlaceAnotherHasIsNotAmongThoseWhoLeft(t *testing.T) {
	o := &nursery{start: func(n int) (*expert, error) { return newExpert([]string{"heron", "crane"}[n-1]), nil }}
	inRoom(t, o, func(t *testing.T, r *room) {
		bird := hub.Spec{Command: []string{"bird.py"}} // it says itself what it is called
		must.Do(t, r.Add(t.Context(), bird))
		synctest.Wait()
		must.Do(t, r.Stop(t.Context(), "heron"))
		if diff := cmp.Diff([]string{"heron"}, r.gone()); diff != "" {
			t.Errorf("it was stopped (-want +got)\n%s", diff)
		}
		must.Do(t, r.Add(t.Context(), bird))
		synctest.Wait()
		if got := r.gone(); len(got) != 0 || core.CodeOf(r.Restart("heron")) != core.CodeNotFound {
			t.Errorf("%v cannot be started again", got)
		}
	})
}

func TestTheLast32WhoLeftAreRemembered(t *testing.T) {
	r := open(t, nil)
	for i := range 40 {
		r.join(newExpert(fmt.Sprint("egret", i))).Goodbye("")
	}
	if got := r.gone(); len(got) != 32 || got[0] != "egret39" || got[31] != "egret8" {
		t.Errorf("got %v", got)
	}
}
