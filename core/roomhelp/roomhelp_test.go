package roomhelp_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/room"
	"github.com/yaap-chat/yaap/core/roomhelp"
	"github.com/yaap-chat/yaap/tui"
)

// helped is the help of one with calc, clock and heron in it, and the keys, commands and
// settings that there are.
func helped(t *testing.T) *roomhelp.Help {
	t.Helper()
	g := roomhelp.Guide{
		State: "/home/ada/.local/state/yaap", Config: "/home/ada/.config/yaap/config.yaml",
		Shell: []roomhelp.Command{
			{Name: "yaap run", Args: "PROMPT", Does: "Answer one prompt without the terminal"},
			{Name: "yaap export", Args: "[FILE]", Does: "Write a conversation down"},
			{Name: "yaap audit", Does: "Look at the log of what every agent answered, and check it"},
			{Name: "yaap mcp", Does: "Let an MCP client on standard input and output use the room that is open"},
		},
		Flags: []roomhelp.Command{{Name: "--ephemeral", Does: "keep nothing on disk when the program has ended"}, {Name: "--model", Does: "the model that answers"}},
		Experts: func() []core.Expert {
			return []core.Expert{
				{Name: "calc", State: core.ExpertReady, Description: "Exact arithmetic and units.", Examples: []string{"17 * 23", "5 km in miles"}},
				{Name: "clock", State: core.ExpertReady, Description: "Knows times, time zones and dates.", Examples: []string{"what time is it in Tokyo?"}},
				{Name: "gone", State: core.ExpertGone, Description: "Has left."},
				{Name: "heron", State: core.ExpertBusy, Description: "Knows everything about grey herons.", Examples: []string{"what do herons eat?"}},
			}
		},
	}
	g.Keys, g.Commands = tui.Keys(nil), tui.Commands(room.InChat(), nil)
	for _, s := range config.Settings() {
		g.Settings = append(g.Settings, roomhelp.Setting{Name: s.Name, Does: s.Does})
	}
	h := must.Get(roomhelp.New(g))(t)
	return h
}

// ask returns the bid on a question and, from 0.5 on, the answer.
func ask(t *testing.T, h *roomhelp.Help, question string) (core.Bid, string) {
	t.Helper()
	bid := h.Bid(t.Context(), question, nil)
	if bid.Score < 0.5 {
		return bid, ""
	}
	args := must.Get(json.Marshal(map[string]string{"prompt": question}))(t)
	result, err := h.Tool().Call(t.Context(), core.Call{Args: args})
	if err != nil || !result.OK() {
		t.Fatalf("%q: %+v, %v", question, result, err)
	}
	return bid, result.Text
}

// answered counts the questions of a table that are answered as it says.
func answered(t *testing.T, name string) (right, wrong, all int) {
	t.Helper()
	h := helped(t)
	raw := must.Get(os.ReadFile("testdata/" + name))(t)
	for line := range strings.Lines(string(raw)) {
		question, want, ok := strings.Cut(strings.TrimSpace(line), " | ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		all++
		bid, text := ask(t, h, question)
		switch {
		case want == "-" && bid.Score < 0.5, want != "-" && strings.Contains(text, want):
			right++
			if n := strings.Count(text, "\n"); n > 2 {
				t.Errorf("%q: %d lines", question, n+1)
			}
			continue
		case bid.Score >= 0.5:
			wrong++
		}
		t.Logf("%q: bids %.2f on %q, answers %q, want %q", question, bid.Score, bid.Reads, text, want)
	}
	return right, wrong, all
}

func TestQuestionsAboutTheRoomAreAnswered(t *testing.T) {
	n, _, all := answered(t, "asked.txt")
	t.Logf("%d of %d", n, all)
	if n < all {
		t.Errorf("%d of %d", n, all)
	}
}

// The second table was written before the code, and nothing is fitted to it.
func TestQuestionsAboutTheRoomThatNothingWasFittedToAreAnswered(t *testing.T) {
	n, wrong, all := answered(t, "asked_held.txt")
	t.Logf("%d of %d, %d answered wrongly", n, all, wrong)
	if n*100 < 75*all {
		t.Errorf("%d of %d", n, all)
	}
}
