package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

func TestWhatEachModelWasAskedInAConversationIsCounted(t *testing.T) {
	s := storetest.Open(t, t.TempDir(), store.Open)
	now := time.Now()
	for _, thread := range []string{"t", "other"} {
		if err := s.Put(t.Context(), core.Session{ID: "s", Started: now}, core.Thread{ID: thread, Session: "s", Created: now, Updated: now},
			core.RunRow{ID: thread + "-run", Thread: thread, State: core.RunCompleted, Runner: "agent/yaap", Time: now}); err != nil {
			t.Fatal(err)
		}
	}
	seq := uint64(0)
	asks := func(thread, model string, usage core.Usage) {
		seq++
		id := fmt.Sprint("llm_", seq)
		for _, body := range []core.Body{core.LLMCallStart{Call: id, Model: model}, core.LLMCallEnd{Call: id, Usage: usage}} {
			seq++
			e := core.Event{Seq: seq, Time: now.Add(time.Duration(seq) * time.Second), Scope: core.Scope{Thread: thread, Run: thread + "-run", Trace: "x"}, Body: body}
			must.Do(t, s.Put(t.Context(), core.EventRow{Event: &e}))
		}
	}
	asks("t", "big", core.Usage{Prompt: 100, Cached: 40, Completion: 10})
	asks("t", "big", core.Usage{Prompt: 300, Completion: 20})
	asks("t", "small", core.Usage{Prompt: 5, Completion: 1, Estimated: true})
	asks("other", "big", core.Usage{Prompt: 1000, Completion: 1000})
	got, err := s.Usage(t.Context(), "t")
	want := []store.ModelUsage{
		{Model: "big", Requests: 2, Usage: core.Usage{Prompt: 400, Cached: 40, Completion: 30}, Last: 300},
		{Model: "small", Requests: 1, Usage: core.Usage{Prompt: 5, Completion: 1, Estimated: true}, Last: 5},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if got, err := s.Usage(t.Context(), "nothing"); len(got) > 0 || err != nil {
		t.Errorf("of no conversation %+v, %v", got, err)
	}
}
