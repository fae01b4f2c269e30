package hub_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/yaap"
)

// bidder answers every request for bids with the same JSON.
func bidder(name, answer string) *expert {
	e := newExpert(name)
	e.answer = func(_ context.Context, c core.Call) (core.ToolResult, error) {
		if c.Tool != yaap.ToolBid {
			return core.ToolResult{Status: core.ToolSuccess, Text: name}, nil
		}
		var data map[string]any
		if err := json.Unmarshal([]byte(answer), &data); err != nil {
			return core.ToolFailure(core.ToolError, core.ToolCodeExecutionFailed, "no"), nil
		}
		return core.ToolResult{Status: core.ToolSuccess, Data: data}, nil
	}
	return e
}

func bids(e *hub.Entry) { e.Bids = true }

func TestEveryExpertThatBidsIsAskedWhatItReads(t *testing.T) {
	inRoom(t, nil, func(t *testing.T, r *room) {
		r.join(bidder("calc", `{"bids":[{"score":1,"reads":"12% × 840"},null]}`), bids)
		r.join(bidder("clock", `{"bids":[null,{"score":0.6,"reads":"a time","needs":["which city?"]}]}`), bids)
		r.join(bidder("quiet", `no`), bids)
		r.join(bidder("heron", `{"bids":[{"score":1},{"score":1}]}`)) // it does not bid
		got := r.Bids(t.Context(), []string{"12% of 840", "what time is it"}, nil, "", 0)
		want := []core.Bids{
			{Expert: "calc", Tool: "calc", Bids: []core.Bid{{Score: 1, Reads: "12% × 840"}, {}}},
			{Expert: "clock", Tool: "clock", Bids: []core.Bid{{}, {Score: 0.6, Reads: "a time", Needs: []string{"which city?"}}}},
			{Expert: "quiet", Tool: "quiet", Bids: []core.Bid{{}, {}}},
		}
		must.Equal(t, want, got, cmpopts.IgnoreFields(core.Bids{}, "Took", "Origin"))
	})
}

func TestABrokenBidIsNone(t *testing.T) {
	for what, answer := range map[string]string{
		"too few":      `{"bids":[]}`,
		"too many":     `{"bids":[null,null]}`,
		"negative":     `{"bids":[{"score":-1}]}`,
		"huge":         `{"bids":[{"score":1e9}]}`,
		"words":        `{"bids":[{"score":"much"}]}`,
		"no list":      `{"bids":{"0":{"score":1}}}`,
		"nothing":      `{}`,
		"not a number": `{"bids":[{"score":"NaN"}]}`,
	} {
		inRoom(t, nil, func(t *testing.T, r *room) {
			r.join(bidder("heron", answer), bids)
			if got := r.Bids(t.Context(), []string{"herons?"}, nil, "", 0); len(got) != 1 || got[0].Bids != nil || got[0].Failed == "" || !got[0].Broken || got[0].Origin == "" {
				t.Errorf("%s: %+v", what, got)
			}
		})
	}
}

func TestWhatABidSaysIsShortAndSafe(t *testing.T) {
	inRoom(t, nil, func(t *testing.T, r *room) {
		long := must.Get(json.Marshal("\x1b]8;;https://evil\x07" + strings.Repeat("x", 1<<20)))(t)
		r.join(bidder("heron", fmt.Sprintf(`{"bids":[{"score":1,"reads":%s,"needs":[%s,"","b","c","d","e"]}]}`, long, long)), bids)
		got := r.Bids(t.Context(), []string{"herons?"}, nil, "", 0)[0].Bids[0]
		if len([]rune(got.Reads)) > yaap.MaxReads+1 || strings.ContainsRune(got.Reads, 0x1b) || len(got.Needs) > yaap.MaxNeeds || len(got.Needs[0]) > 2*yaap.MaxReads {
			t.Errorf("got %d bytes of reads, %d needs", len(got.Reads), len(got.Needs))
		}
	})
}

func TestALateBidHoldsNobodyUp(t *testing.T) {
	inRoom(t, nil, func(t *testing.T, r *room) {
		free := make(chan struct{})
		late := newExpert("late")
		late.answer = func(context.Context, core.Call) (core.ToolResult, error) { // deaf
			<-free
			return core.ToolResult{}, errors.New("too late")
		}
		r.join(late, bids)
		r.join(bidder("calc", `{"bids":[{"score":1}]}`), bids)
		for _, why := range []string{"within 100ms", "still at work"} {
			start := time.Now()
			got := r.Bids(t.Context(), []string{"2 + 2"}, nil, "", 0)
			if took := time.Since(start); took > 100*time.Millisecond || len(got) != 2 || got[0].Bids == nil || !strings.Contains(got[1].Failed, why) || got[1].Broken {
				t.Errorf("after %v: %+v", took, got)
			}
		}
		close(free)
		synctest.Wait()
		if got := r.Bids(t.Context(), []string{"2 + 2"}, nil, "", 0); !strings.Contains(got[1].Failed, "too late") {
			t.Errorf("it is not asked again: %+v", got)
		}
	})
}

func TestWhoIsLateIsWaitedForWhereNobodyElseReadsATextWholeAndNoLongerThanASecond(t *testing.T) {
	for _, c := range []struct {
		took time.Duration
		read bool
		best string // bid of the others
	}{
		{400 * time.Millisecond, true, `{"bids":[{"score":0}]}`},
		{400 * time.Millisecond, true, `{"bids":[{"score":0.6}]}`},
		{3 * time.Second, false, `{"bids":[{"score":0.6}]}`},
	} {
		inRoom(t, nil, func(t *testing.T, r *room) {
			slow := bidder("slow", `{"bids":[{"score":1}]}`)
			answer := slow.answer
			slow.answer = func(ctx context.Context, call core.Call) (core.ToolResult, error) {
				time.Sleep(c.took) // of the bubble
				return answer(ctx, call)
			}
			r.join(slow, bids)
			r.join(bidder("calc", c.best), bids)
			start := time.Now()
			got := r.Bids(t.Context(), []string{"herons?"}, nil, "", 0)
			if waited := time.Since(start); waited != min(c.took, time.Second) || (got[1].Bids != nil) != c.read || c.read != (got[1].Failed == "") {
				t.Errorf("a bid that takes %v beside %s, after %v: %+v", c.took, c.best, waited, got[1])
			}
			time.Sleep(c.took) // it ends
		})
	}
}

func TestWhoIsAskedTwiceAtOnceAnswersBoth(t *testing.T) {
	inRoom(t, nil, func(t *testing.T, r *room) {
		slow := bidder("heron", `{"bids":[{"score":1}]}`)
		answer := slow.answer
		slow.answer = func(ctx context.Context, c core.Call) (core.ToolResult, error) {
			time.Sleep(40 * time.Millisecond) // of the bubble
			return answer(ctx, c)
		}
		r.join(slow, bids)
		var first []core.Bids
		var asking sync.WaitGroup
		asking.Go(func() { first = r.Bids(t.Context(), []string{"a probe"}, nil, "heron", 2*time.Second) })
		synctest.Wait()
		for _, text := range []string{"herons?", "and cranes?"} {
			if got := r.Bids(t.Context(), []string{text}, nil, "", 0); got[0].Failed != "" {
				t.Errorf("%q: %s", text, got[0].Failed)
			}
		}
		asking.Wait()
		if first[0].Failed != "" {
			t.Errorf("the first request: %s", first[0].Failed)
		}
	})
}

func TestTheConversationGoesWithABidToThoseOnlyWhoAskedForIt(t *testing.T) {
	said := []core.Message{{Role: core.RoleUser, Text: "we meet at nine"}}
	for _, asked := range []bool{false, true} {
		inRoom(t, nil, func(t *testing.T, r *room) {
			e := newExpert("heron")
			var heard yaap.BidRequest
			e.answer = func(_ context.Context, c core.Call) (core.ToolResult, error) {
				return core.ToolResult{Status: core.ToolSuccess}, json.Unmarshal(c.Args, &heard)
			}
			r.join(e, bids, func(entry *hub.Entry) { entry.Context = asked })
			r.Bids(t.Context(), []string{"when?"}, said, "", 0)
			if (len(heard.Context) == 1) != asked {
				t.Errorf("asked for it: %v; it heard %+v", asked, heard)
			}
		})
	}
}
