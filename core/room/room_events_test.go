package room

import (
	"log/slog"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

func TestWhatIsCheckedBeforeAConversationIsStoredIsKeptAndSpoilsNoOtherFact(t *testing.T) {
	db := storetest.Open(t, t.TempDir(), store.Open)
	a := &Room{bus: new(maskedBus), log: slog.New(slog.DiscardHandler), store: maskedStore{Store: db}}
	a.facts = a.bus.Feed()
	recorder := a.newRoomEventRecorder()
	check := func(thread string) core.Event {
		return a.bus.Emit(core.Scope{Thread: thread}, core.GuardrailCheck{Guardrail: "secrets", Stage: core.GuardInput, Valid: true})
	}
	kept := func(thread string) int {
		t.Helper()
		page := must.Get(db.Page(t.Context(), thread, "", 10))(t)
		return len(page.Events)
	}
	must.Do(t, db.Put(t.Context(), core.Thread{ID: "old"}))
	recorder.keep(t.Context(), check("old"), check("new"))
	if kept("old") != 1 || kept("new") != 0 {
		t.Errorf("kept are %d events of the old and %d of the new conversation", kept("old"), kept("new"))
	}
	must.Do(t, db.Put(t.Context(), core.Thread{ID: "new"}))
	recorder.keep(t.Context())
	if kept("old") != 1 || kept("new") != 1 {
		t.Errorf("later kept are %d events of the old and %d of the new conversation", kept("old"), kept("new"))
	}
}

func TestWhatWasBidOnAPromptIsKeptAndNoOtherEventOfARun(t *testing.T) {
	db := storetest.Open(t, t.TempDir(), store.Open)
	must.Do(t, db.Put(t.Context(), core.Thread{ID: "t"}, core.RunRow{ID: "r", Thread: "t", State: core.RunRunning}))
	a := &Room{bus: new(maskedBus), log: slog.New(slog.DiscardHandler), store: maskedStore{Store: db}}
	a.facts = a.bus.Feed()
	scope := core.Scope{Thread: "t", Run: "r", Trace: "r"}
	made := core.BidsMade{Texts: []string{"2+2"}, Experts: []core.Bids{{Expert: "calc", Bids: []core.Bid{{Score: 1, Reads: "2 + 2"}}}}}
	below := scope
	below.Depth = 1
	a.newRoomEventRecorder().keep(t.Context(), a.bus.Emit(scope, core.TurnStart{}), a.bus.Emit(scope, made), a.bus.Emit(below, made))
	page, err := db.Page(t.Context(), "t", "", 10)
	if err != nil || len(page.Events) != 1 {
		t.Fatalf("kept are %v, %v", page.Events, err)
	}
	if got, ok := page.Events[0].Body.(core.BidsMade); !ok || len(got.Experts) != 1 || got.Experts[0].Bids[0].Reads != "2 + 2" {
		t.Errorf("kept is %v", page.Events[0].Body)
	}
}
