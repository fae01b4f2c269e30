package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

func standing(expert, origin string, awards int) core.BidHistory {
	return core.BidHistory{Expert: expert, Origin: origin, Prior: 0.9, Claimed: 1.5, Delivered: -0.5, Bids: 2 * awards, Awards: awards, Time: storetest.At(awards)}
}

func putStandings(t *testing.T, s *Store, list ...core.BidHistory) {
	t.Helper()
	must.Do(t, s.PutBidHistories(t.Context(), list...))
}

func question(expert, text, thread string) core.Learned {
	return core.Learned{Expert: expert, Origin: "peer", Question: text, Thread: thread, Run: thread + "/1", Time: storetest.At(1)}
}

func learned(t *testing.T, s *Store) []core.Learned {
	t.Helper()
	list := must.Get(s.Learned(t.Context()))(t)
	return list
}

func TestTheLastStandingOfAnExpertIsKept(t *testing.T) {
	dir := t.TempDir()
	s := openIn(t, dir)
	putStandings(t, s, standing("heron", "child:1", 1), standing("heron", "peer", 2), standing("heron", "child:1", 3))
	got := must.Get(openIn(t, dir).BidHistories(t.Context()))(t)
	must.Equal(t, []core.BidHistory{standing("heron", "peer", 2), standing("heron", "child:1", 3)}, got)
}

func TestTheStandingsOfManyExpertsAreBounded(t *testing.T) {
	s := openIn(t, t.TempDir())
	if _, err := s.writer.ExecContext(t.Context(), `WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n WHERE i < 1200)
		INSERT INTO standing SELECT 'e' || i, 'peer', 0.9, 0, 0, 0, 0, i FROM n`); err != nil {
		t.Fatal(err)
	}
	newest := standing("heron", "peer", 1)
	newest.Time = time.UnixMicro(5000).UTC()
	putStandings(t, s, newest)
	got, err := s.BidHistories(t.Context())
	if err != nil || len(got) != maxStandings || got[len(got)-1].Expert != "heron" {
		t.Errorf("%d are kept, %v", len(got), err)
	}
}

func TestAQuestionIsLearnedOnce(t *testing.T) {
	s := openIn(t, t.TempDir())
	first, second := question("heron", "what do herons eat?", "a"), question("crane", "what do herons eat?", "b")
	for _, l := range []core.Learned{first, second, question("heron", "what do herons eat?", "c")} {
		must.Do(t, s.Learn(t.Context(), l))
	}
	must.Equal(t, []core.Learned{first, second}, learned(t, s))
	must.Do(t, s.Unlearn(t.Context(), first))
	must.Equal(t, []core.Learned{second}, learned(t, s))
}

func TestAnExpertIsForgottenWhateverTheCaseOfItsNameAndHoweverItIsReached(t *testing.T) {
	s := openIn(t, t.TempDir())
	putStandings(t, s, standing("Heron", "child:1", 1), standing("heron", "peer", 2), standing("crane", "peer", 3))
	for i := range 2 {
		must.Do(t, s.Learn(t.Context(), question([]string{"heron", "crane"}[i], fmt.Sprint("question ", i), "a")))
	}
	for _, want := range []bool{true, false} {
		if forgotten, err := s.ForgetBidHistory(t.Context(), "HERON"); err != nil || forgotten != want {
			t.Errorf("forgotten: %v, %v; want %v", forgotten, err, want)
		}
	}
	if got, err := s.BidHistories(t.Context()); err != nil || len(got) != 1 || len(learned(t, s)) != 1 {
		t.Errorf("left are %+v and %+v, %v", got, learned(t, s), err)
	}
}

func TestWhatWasLearnedIsForgottenWithItsConversationOnly(t *testing.T) {
	s, _ := wordy(t)
	must.Do(t, forgotten(t, s, core.ForgetQuery{Thread: "a"}))
	if list := learned(t, s); len(list) != 2 || list[0].Thread != "b" || list[1].Thread != "b" {
		t.Errorf("left are %+v", list)
	}
	must.Do(t, forgotten(t, s, core.ForgetQuery{Entry: "b/1/question/e"}))
	if list := learned(t, s); len(list) != 1 || list[0].Run != "b/2" {
		t.Errorf("left are %+v", list)
	}
}
