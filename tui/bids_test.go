package tui

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
)

func bid(score float64, reads string, needs ...string) core.Bid {
	return core.Bid{Score: score, Reads: reads, Needs: needs}
}

// auctioned is what five experts bid on three texts.
func auctioned() core.BidsMade {
	return core.BidsMade{
		Texts: []string{"3*4 and rock", "3*4", "on 3/4/2026"},
		Experts: []core.Bids{
			{Expert: "calc", Credit: 0.9, Bids: []core.Bid{bid(0, ""), bid(0.95, "3 × 4"), bid(0, "")}},
			{Expert: "liar", Credit: 0.1, Bids: []core.Bid{bid(0, ""), bid(1, "all of it"), bid(0, "")}},
			{Expert: "clock", Credit: 1, Bids: []core.Bid{bid(0, ""), bid(0, ""), bid(0.6, "a date", "Is 3/4/2026 day or month first?")}},
			{Expert: "git", Credit: 1, Bids: []core.Bid{bid(0, ""), bid(0, ""), bid(0, "")}},
			{Expert: "slow", Credit: 1, Failed: "it made no bid in time"},
		},
	}
}

// answeredAfter plays a prompt that was bid on, and returns the rows of its answer.
func answeredAfter(p *paper, made ...core.BidsMade) string {
	p.play(turn(0), core.RunStart{Prompt: "q"})
	for _, b := range made {
		p.play(turn(1), b)
	}
	p.play(turn(1), core.Delta{Stream: "m1", Field: core.FieldThought, Text: "calc reads 3 × 4"},
		core.FinalOutput{Reply: core.Reply{Status: core.StatusSuccess, Message: "12."}})
	p.play(turn(0), core.RunEnd{Outcome: "completed", Status: core.StatusSuccess})
	return p.text()
}

func TestTheBidsStandUnderTheThoughtWhenItIsOpened(t *testing.T) {
	p := newPaper(100)
	p.canvas.detail = detailTurns
	answeredAfter(p, auctioned())
	want := []string{
		" you      q",
		"          ▾ 1 turn",
		"            calc reads 3 × 4",
		"              3*4          calc   0.95  3 × 4 · liar  1.00 at credit 0.10  all of it",
		"              on 3/4/2026  clock  0.60  a date, asks: Is 3/4/2026 day or month first?",
		"              slow: it made no bid in time · git declined",
		" yaap     12.",
	}
	if diff := cmp.Diff(want, p.lines()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestNoScoreIsShownBeforeTheThoughtIsOpened(t *testing.T) {
	for _, d := range []detail{detailCalm, detailThoughts} {
		p := newPaper(100)
		p.canvas.detail = d
		if got := answeredAfter(p, auctioned()); strings.Contains(got, "0.95") || strings.Contains(got, "declined") {
			t.Errorf("detail %d:\n%s", d, got)
		}
	}
}

func TestWhatNobodyBidOnIsNamedByThePrompt(t *testing.T) {
	p := newPaper(100)
	p.canvas.detail = detailTurns
	made := auctioned()
	made.Experts = made.Experts[3:4]
	if got := answeredAfter(p, made); !strings.Contains(got, "3*4 and rock  nobody bid\n              git declined\n") {
		t.Errorf("got:\n%s", got)
	}
}

func TestWhoBidsOnTheSecondQuestionOfATurnHasNotDeclined(t *testing.T) {
	p := newPaper(100)
	p.canvas.detail = detailTurns
	second := core.BidsMade{Texts: []string{"the log of 3"}, Experts: []core.Bids{{Expert: "git", Credit: 1, Bids: []core.Bid{bid(0.7, "the log")}}}}
	if got := answeredAfter(p, auctioned(), second); strings.Contains(got, "declined") || !strings.Contains(got, "the log of 3  git    0.70  the log") {
		t.Errorf("got:\n%s", got)
	}
}

func TestBidsOfAnySizeStayAFewSafeRows(t *testing.T) {
	made := core.BidsMade{Texts: []string{"\x1b[2J" + strings.Repeat("x", 1<<16)}}
	for range 300 {
		made.Texts = append(made.Texts, "y")
	}
	for i := range 300 {
		e := core.Bids{Expert: "e" + itoa(i) + "\x1b]0;x\x07", Credit: math.NaN()}
		for range made.Texts {
			e.Bids = append(e.Bids, bid(math.Inf(1), strings.Repeat("\x1b[31mr", 1<<10), "\n\n"))
		}
		made.Experts = append(made.Experts, e)
	}
	for _, w := range []int{20, 80} {
		p := newPaper(w)
		p.canvas.detail = detailTurns
		p.play(turn(0), core.RunStart{Prompt: "q"})
		p.play(turn(1), made)
		p.play(turn(0), core.RunEnd{Outcome: "completed"})
		rows, _ := p.rows(&p.canvas, nil, nil)
		if n := len(p.lines()); n > 20 {
			t.Errorf("%d rows at %d cells", n, w)
		}
		for _, row := range rows {
			if width(row) > w || strings.Contains(row, "\x1b[2J") || strings.Contains(row, "\x1b]") {
				t.Errorf("at %d cells: %q", w, row)
			}
		}
	}
}

func TestTheResultOfACallIsShownWithoutItsMarkup(t *testing.T) {
	for text, want := range map[string]string{"**100.8** = 12% × 840": "100.8 = 12% × 840", "**a**\n    b": "**a**"} {
		p := newPaper(100)
		p.canvas.detail = detailTurns
		p.play(turn(0), core.RunStart{Prompt: "q"})
		p.play(turn(1), core.ToolCallStart{Call: "c", Tool: "calc", Expert: "calc"},
			core.ToolCallEnd{Call: "c", Tool: "calc", Expert: "calc", Status: core.ToolSuccess, Text: text})
		if got := p.text(); !strings.Contains(got+"\n", "\n                "+want+"\n") {
			t.Errorf("%q:\n%s", text, got)
		}
	}
}
