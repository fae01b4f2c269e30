package eval_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/memory/eval"
	"github.com/yaap-chat/yaap/core/must"
)

// scripted finds what it is told to.
type scripted map[string][]string

func (s scripted) Search(_ context.Context, q core.SearchQuery) ([]core.Found, error) {
	var found []core.Found
	for _, message := range s[q.Text] {
		found = append(found, core.Found{Entry: core.Entry{Message: message}})
	}
	return found, nil
}

func TestTheFiguresSayHowMuchEvidenceWasFoundHowFarUp(t *testing.T) {
	set := load(t, "testdata/locomo.json") // a question with evidence 0, and one with 1 and 2; 0 and 1 are of one conversation
	r, err := eval.Run(t.Context(), "scripted", scripted{
		"What did Ada join?":         {"bench-0-1", "bench-0-1", "bench-0-0"}, // two parts of a message are one
		"What came of the tomatoes?": {"bench-0-3", "x1", "x2", "x3", "x4", "x5", "bench-0-2"},
	}, set)
	must.Do(t, err)
	got := map[string]float64{
		"n": float64(r.All.N), "recall@5": r.All.Recall5.Mean, "recall@10": r.All.Recall10.Mean, "recall@20": r.All.Recall20.Mean,
		"any@10": r.All.Any10.Mean, "mrr": r.All.MRR.Mean, "session@5": r.All.Session5.Mean, "single-hop": r.Categories["single-hop"].MRR.Mean,
	}
	want := map[string]float64{
		"n": 2, "recall@5": 0.5, "recall@10": 0.75, "recall@20": 0.75, "any@10": 1, "mrr": (1./2 + 1./7) / 2, "session@5": 1, "single-hop": 1. / 2,
	}
	must.Equal(t, want, got, cmpopts.EquateApprox(0, 1e-9))
}

func TestTheSameAnswersComeToTheSameIntervals(t *testing.T) {
	set := must.Get(eval.Builtin())(t)
	answers := scripted{}
	for i, q := range set.Questions {
		if i%3 > 0 {
			for j, m := range set.Memories[0].Messages {
				if m.ID == q.Evidence[0] {
					answers[q.Text] = []string{fmt.Sprint("bench-0-", j)}
				}
			}
		}
	}
	run := func() eval.Report {
		hits := must.Get(eval.Run(t.Context(), "some", answers, set))(t)
		none := must.Get(eval.Run(t.Context(), "none", scripted{}, set))(t)
		hits.P50, hits.P99, none.P50, none.P99 = 0, 0, 0, 0
		return eval.NewReport(set, hits, none)
	}
	first, again := run(), run()
	must.Equal(t, first.String(), again.String())
	e := first.Searches[0].All.Recall10
	if e.Low >= e.Mean || e.High <= e.Mean || e.High-e.Low > 0.25 || e.High-e.Low < 0.1 || first.Gain.Low <= 0.4 {
		t.Errorf("%+v, gain %+v", e, first.Gain)
	}
}

func TestTheMessagesOfASetAreRecordedWithSummariesAndInTheirConversations(t *testing.T) {
	set := load(t, "testdata/longmemeval.json")
	long := strings.Repeat("so many words about nothing at all. ", 300) + "The number is 4711."
	set.Memories[0].Messages[0].Text = long
	set.Memories[0].Messages[1].Text = " \x00"
	entries := must.Get(filled(t, set).Entries(t.Context(), "bench-0", core.EntryQuery{}))(t)
	if len(entries) != 4 { // a long one in two parts, none of nothing, and two
		t.Fatalf("there are %d entries", len(entries))
	}
	last, first := entries[0], entries[3]
	if last.Message != "bench-0-3" || last.Thread != "bench-0-2" || last.Summary == "" || !last.Created.Equal(set.Memories[0].Messages[3].Time) {
		t.Errorf("%+v", last)
	}
	if first.Part != 1 || first.Raw+entries[2].Raw != long || entries[2].Message != first.Message {
		t.Errorf("part %d of %s, part %d of %s", first.Part, first.Message, entries[2].Part, entries[2].Message)
	}
}
