package bidding_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/bidding"
	"github.com/yaap-chat/yaap/core/must"
)

var answered = core.ToolResult{Status: core.ToolSuccess, Text: "fish"}

func TestAQuestionOfTheUsersIsLearnedInTheUsersOwnWordsOnly(t *testing.T) {
	for said, want := range map[string]bool{
		"what do herons eat?":                                true,
		"Please: what do HERONS  eat":                        true,
		"@heron what do herons eat?":                         true,
		"how deep is the lake and what do herons eat?":       true,
		"the food of herons?":                                false, // the model's words
		"and cranes?":                                        false,
		"whatwhat do herons eat?":                            false,
		"> what do herons eat?":                              false, // quoted
		"translate \"what do herons eat?\"":                  false,
		"translate “what do herons eat?”":                    false,
		"```\nwhat do herons eat?\n```":                      false,
		"what do\nherons eat?":                               false,
		"Dear Sir,\n\nI\nwonder\nwhy\nwhat do herons eat?":   false, // pasted
		strings.Repeat("long ", 200) + "what do herons eat?": false,
	} {
		l := newLedger(t)
		l.UserSaid(t.Context(), "t", said)
		ask(t, bidding.RecordToolOutcomes(heron(answered), l), "what do herons eat?", nil)
		if got := len(l.Learned("heron")) == 1; got != want {
			t.Errorf("%.60q: learned %v, want %v", said, l.Learned("heron"), want)
		}
	}
}

func TestWhatIsNotOfTheUserIsNotLearned(t *testing.T) {
	l := newLedger(t)
	ask(t, bidding.RecordToolOutcomes(heron(answered), l), "what do herons eat?", &core.Bid{Score: 1}) // through the door: nobody said it here
	l.UserSaid(t.Context(), "elsewhere", "what do herons eat?")
	ask(t, bidding.RecordToolOutcomes(heron(answered), l), "what do herons eat?", &core.Bid{Score: 1})
	if got := l.Learned("heron"); len(got) != 0 {
		t.Errorf("learned %q", got)
	}
}

func TestWhatWasNotAnsweredOrHasNoWordsIsNotLearned(t *testing.T) {
	l := newLedger(t)
	for question, result := range map[string]core.ToolResult{
		"what do herons eat?":     core.ToolFailure(core.ToolError, core.ToolCodeTimeout, "late"),
		"which do herons eat?":    {Status: core.ToolSuccess, Reply: &core.Reply{Status: core.StatusClarification}},
		"2 + 2":                   answered,
		"and that?":               answered,
		strings.Repeat("é ", 150): answered,
	} {
		l.UserSaid(t.Context(), "t", question)
		ask(t, bidding.RecordToolOutcomes(heron(result), l), question, &core.Bid{Score: 1})
	}
	if got := l.Learned("heron"); len(got) != 0 {
		t.Errorf("learned %q", got)
	}
}

func TestACorrectedQuestionIsUnlearnedAndTheOtherExpertLearnsIt(t *testing.T) {
	l := newLedger(t)
	l.UserSaid(t.Context(), "t", "what do herons eat?")
	ask(t, bidding.RecordToolOutcomes(heron(answered), l), "what do herons eat?", &core.Bid{Score: 1})
	if got := l.Learned("heron"); len(got) != 1 {
		t.Fatalf("learned %q", got)
	}
	l.UserSaid(t.Context(), "t", "@crane what do herons eat?")
	crane := heron(answered)
	crane.spec.Name, crane.spec.Owner = "crane", "crane"
	ask(t, bidding.RecordToolOutcomes(crane, l), "what do herons eat?", nil)
	if a, b := l.Learned("heron"), l.Learned("crane"); len(a) != 0 || len(b) != 1 {
		t.Errorf("the first knows %q, the second %q", a, b)
	}
}

func TestTheMostDifferentQuestionsAreKept(t *testing.T) {
	l := newLedger(t)
	tool := bidding.RecordToolOutcomes(heron(answered), l)
	var different []string
	put := func(question string) {
		l.UserSaid(t.Context(), "t", question)
		ask(t, tool, question, nil)
	}
	for i := range 15 {
		word := fmt.Sprintf("kumquat%c", 'a'+i)
		different = append(different, fmt.Sprintf("where does the %s%s %s", word, word, strings.Repeat(string(rune('b'+i)), 6)))
		put(different[i])
	}
	for i := range 30 {
		put(fmt.Sprintf("herons eat fish at lake number%c%c", 'a'+i%26, 'a'+i/26))
	}
	put("do herons eat 7 fish")
	put("do herons eat 12 fish") // numbers are alike
	got := l.Learned("heron")
	if len(got) != 20 {
		t.Errorf("%d are kept", len(got))
	}
	for _, question := range different {
		if !slices.Contains(got, question) {
			t.Errorf("%q had to make room in %q", question, got)
		}
	}
	if slices.Contains(got, "do herons eat 12 fish") {
		t.Error("a question of the same words is learned, too")
	}
}

func TestWhatAnotherProgramForgetsIsGoneWithTheNextQuestion(t *testing.T) {
	s := openStore(t, t.TempDir())
	l := open(t, s)
	l.UserSaid(t.Context(), "t", "what do herons eat?")
	ask(t, bidding.RecordToolOutcomes(heron(answered), l), "what do herons eat?", nil)
	for _, learned := range [][]string{{"what do herons eat?"}, nil} {
		if got := l.Learned("heron"); !slices.Equal(got, learned) {
			t.Errorf("learned %q, want %q", got, learned)
		}
		must.Get(s.ForgetBidHistory(t.Context(), "heron"))(t)
		l.UserSaid(t.Context(), "t", "and now?")
	}
}
