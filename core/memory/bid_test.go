package memory_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/memory"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store"
)

// recaller returns one of what testdata/bid_said.txt has, on 22 November 2026.
func recaller(t testing.TB, s *store.Store) *memory.Recaller {
	t.Helper()
	for i, line := range tableRows(t, "bid_said.txt") {
		day, rest, _ := strings.Cut(line, " ")
		role, text, ok := strings.Cut(rest, ": ")
		at, err := time.ParseInLocation(time.DateOnly, day, time.Local)
		if err != nil || !ok {
			t.Fatalf("%q: %v", line, err)
		}
		e := core.Entry{ID: fmt.Sprint("e", i), Memory: "m", Thread: day, Role: core.Role(role), Raw: text, Summary: text, Created: at.Add(10 * time.Hour)}
		must.Do(t, s.Put(t.Context(), e))
	}
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.Local)
	return memory.NewRecaller(s, "m", func() time.Time { return now })
}

func tableRows(t testing.TB, name string) (lines []string) {
	t.Helper()
	raw := must.Get(os.ReadFile("testdata/" + name))(t)
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

// ask returns the bid on a question and, from 0.5 on, the answer.
func ask(t testing.TB, r *memory.Recaller, question string) (core.Bid, string) {
	t.Helper()
	bid := r.Bid(t.Context(), question, nil)
	if bid.Score < 0.5 {
		return bid, ""
	}
	args := must.Get(json.Marshal(map[string]string{"prompt": question}))(t)
	result, err := r.Tool().Call(t.Context(), core.Call{Args: args})
	if err != nil || !result.OK() {
		t.Fatalf("%q: %+v, %v", question, result, err)
	}
	return bid, result.Text
}

// answered counts the questions of a table that are answered as it says.
func answered(t *testing.T, r *memory.Recaller, name string) (right, all int) {
	t.Helper()
	rows := tableRows(t, name)
	for _, row := range rows {
		question, want, _ := strings.Cut(row, " | ")
		bid, text := ask(t, r, question)
		ok := strings.Contains(text, want)
		switch want {
		case "-":
			ok = bid.Score < 0.5
		case "nothing":
			ok = bid.Score > 0.5 && bid.Score < 0.7
		}
		if ok {
			right++
		} else {
			t.Logf("%q: bids %.2f, answers %q, want %q", question, bid.Score, text, want)
		}
	}
	return right, len(rows)
}

func TestQuestionsAreAnsweredFromWhatTheUserStated(t *testing.T) {
	n, all := answered(t, recaller(t, open(t)), "bid_asked.txt")
	t.Logf("%d of %d", n, all)
	if n < all {
		t.Errorf("%d of %d", n, all)
	}
}

// The second table was written before the code, and nothing is fitted to it.
func TestQuestionsThatNothingWasFittedToAreAnsweredFromWhatTheUserStated(t *testing.T) {
	n, all := answered(t, recaller(t, open(t)), "bid_asked_held.txt")
	t.Logf("%d of %d", n, all)
	if n*100 < 80*all {
		t.Errorf("%d of %d", n, all)
	}
}

// prompted returns a recaller of what testdata/prompts_said.txt has.
func prompted(t *testing.T) *memory.Recaller {
	t.Helper()
	s := open(t)
	for i, line := range tableRows(t, "prompts_said.txt") {
		at, err := time.ParseInLocation("2006-01-02 15:04", line[:16], time.Local)
		role, text, ok := strings.Cut(line[17:], ": ")
		if err != nil || !ok {
			t.Fatalf("%q: %v", line, err)
		}
		must.Do(t, s.Put(t.Context(), core.Entry{ID: fmt.Sprint("p", i), Memory: "m", Role: core.Role(role), Raw: text, Summary: text, Created: at}))
	}
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.Local)
	return memory.NewRecaller(s, "m", func() time.Time { return now })
}

// tellsPrompts counts the questions about earlier prompts that are answered as a
// table says.
func tellsPrompts(t *testing.T, table string) (right, all int) {
	t.Helper()
	r, rows := prompted(t), tableRows(t, table)
	for _, row := range rows {
		question, want, _ := strings.Cut(row, " | ")
		bid, text := ask(t, r, question)
		ok, rest := true, text
		for part := range strings.SplitSeq(want, " & ") {
			no, not := strings.CutPrefix(part, "!")
			switch _, after, found := strings.Cut(rest, part); {
			case want == "-":
				ok = bid.Score < 0.5 || strings.HasPrefix(text, "Nothing")
			case want == "nothing":
				ok = strings.HasPrefix(text, "Nothing was") || strings.HasPrefix(text, "Nach Ping") || strings.HasPrefix(text, "Nichts")
			case not:
				ok = ok && !strings.Contains(text, no)
			default:
				ok, rest = ok && found, after
			}
		}
		if ok {
			right++
		} else {
			t.Logf("%q: bids %.2f, answers %q, want %q", question, bid.Score, text, want)
		}
	}
	return right, len(rows)
}

func TestQuestionsAboutEarlierPromptsAreAnsweredWithThem(t *testing.T) {
	n, all := tellsPrompts(t, "prompts_asked.txt")
	t.Logf("%d of %d", n, all)
	if n < all {
		t.Errorf("%d of %d", n, all)
	}
}

// The second table was written before the code, and nothing is fitted to it.
func TestQuestionsAboutEarlierPromptsThatNothingWasFittedToAreAnsweredWithThem(t *testing.T) {
	n, all := tellsPrompts(t, "prompts_asked_held.txt")
	t.Logf("%d of %d", n, all)
	if n*100 < 80*all {
		t.Errorf("%d of %d", n, all)
	}
}

func TestWhetherAPromptWasAskedBeforeIsAnswered(t *testing.T) {
	s := open(t)
	at := time.Date(2026, 11, 20, 9, 30, 0, 0, time.Local)
	must.Do(t, s.Put(t.Context(), core.Entry{ID: "e", Memory: "m", Role: core.RoleUser, Raw: "what is 12% of 840?", Summary: "-", Created: at}))
	r := memory.NewRecaller(s, "m", func() time.Time { return at.Add(2 * time.Hour) })
	for before, want := range map[string]string{"What is 12% of 840?": "You asked today at 09:30", "what is 13% of 840?": "“what is 13% of 840” was not asked before."} {
		said := []core.Message{{ID: before, Role: core.RoleUser, Text: before, Time: at.Add(time.Hour)}}
		args := must.Get(json.Marshal(map[string]string{"prompt": "did I ask this before?"}))(t)
		got, err := r.Tool().Call(t.Context(), core.Call{Args: args, Context: said})
		if err != nil || !strings.HasPrefix(got.Text, want) {
			t.Errorf("after %q: %q, %v", before, got.Text, err)
		}
	}
}

// say puts what a user said into the memory "m", in the conversation "now".
func say(t testing.TB, s *store.Store, texts ...string) {
	t.Helper()
	for i, text := range texts {
		id := fmt.Sprint(text, i)
		e := core.Entry{ID: id, Memory: "m", Thread: "now", Role: core.RoleUser, Raw: text, Summary: text, Created: time.Now()}
		must.Do(t, s.Put(t.Context(), e))
	}
}

func TestTheNewestStatementOfASubjectIsTold(t *testing.T) {
	s := open(t)
	r := memory.NewRecaller(s, "m", nil)
	say(t, s, "the bastion is heron-1", "the bastion is heron-2", "is the bastion heron-3?", "no, the bastion is heron-4")
	if _, got := ask(t, r, "what is the bastion?"); got != "The bastion is heron-4, as you said today." {
		t.Error(got)
	}
}

func TestARentPerYearIsAskedForWhereItWasToldPerMonth(t *testing.T) {
	s := open(t)
	say(t, s, "our rent is 900 euros a month", "our broker is NATS")
	r := memory.NewRecaller(s, "m", nil)
	if _, text := ask(t, r, "what is our rent per year?"); !strings.Contains(text, "900") {
		t.Errorf("got %q", text)
	}
	if bid, text := ask(t, r, "what is our previous broker?"); bid.Score > 0.7 {
		t.Errorf("got %q", text)
	}
}

// failing is what was said where it cannot be read.
type failing struct{ *store.Store }

func (failing) Mentions(context.Context, core.MentionQuery) (core.Mentions, error) {
	return core.Mentions{}, errors.New("disk is on fire")
}

func TestWhatCannotBeReadIsNotSaidToBeUnsaid(t *testing.T) {
	s := open(t)
	say(t, s, "the caretaker of the hall is Mr Penn")
	r := memory.NewRecaller(failing{s}, "m", nil)
	if bid := r.Bid(t.Context(), "who is the caretaker of the hall?", nil); bid.Score > 0 {
		t.Errorf("it bids %+v", bid)
	}
	if result, err := r.Tool().Call(t.Context(), core.Call{Args: json.RawMessage(`{"prompt":"who is the caretaker of the hall?"}`)}); err == nil {
		t.Errorf("it answers %q", result.Text)
	}
}

func TestAQuestionForYesOrNoIsAnsweredWithWhatHoldsAllOfIt(t *testing.T) {
	s := open(t)
	say(t, s, "I live in Leeds and the release is Friday")
	r := memory.NewRecaller(s, "m", nil)
	if bid, text := ask(t, r, "will it rain in Leeds?"); bid.Score >= 0.5 {
		t.Errorf("it answers %q", text)
	}
	if _, text := ask(t, r, "do I live in Leeds?"); !strings.Contains(text, "Leeds") {
		t.Errorf("got %q", text)
	}
}

func TestWhoOnlySaidWhoTheyAreIsToldTheirName(t *testing.T) {
	for said, want := range map[string]string{"I'm Judith.": "Judith", "Judith here": "Judith", "I am in Bonn": ""} {
		s := open(t)
		say(t, s, said)
		if _, text := ask(t, memory.NewRecaller(s, "m", nil), "what is my name?"); (want == "") != (text == "") || !strings.Contains(text, want) {
			t.Errorf("%s: %q", said, text)
		}
	}
}

func TestAnAmountOfSomethingElseReplacesNothing(t *testing.T) {
	s := open(t)
	say(t, s, "Lars approves expenses above 500 euros", "my budget for travel is 12,000 euros", "we raised the travel budget to 15,000 euros")
	r := memory.NewRecaller(s, "m", nil)
	said := []core.Message{{Role: core.RoleUser, Text: "Lars approves expenses above 500 euros"}, {Role: core.RoleUser, Text: "we raised the travel budget to 15,000 euros"}}
	if bid := r.Bid(t.Context(), "who approves expenses?", said); bid.Score < 0.5 {
		t.Errorf("in a conversation: %+v", bid)
	}
	for question, want := range map[string]string{"who approves expenses?": "Lars", "what is the travel budget?": "15,000", "what was the travel budget before?": "12,000"} {
		if _, text := ask(t, r, question); !strings.Contains(text, want) {
			t.Errorf("%s: %q, want %s", question, text, want)
		}
	}
}

func TestAPersonWhoIsNamedAsSomebodyIsAskedAbout(t *testing.T) {
	s := open(t)
	say(t, s, "the auditor is Mr. Keller, he comes on March 3", "Tom met Ada on May 7")
	r := memory.NewRecaller(s, "m", nil)
	if _, text := ask(t, r, "when does Keller come?"); !strings.Contains(text, "March 3") {
		t.Errorf("got %q", text)
	}
	if _, text := ask(t, r, "when does Ada come?"); strings.Contains(text, "May 7") {
		t.Errorf("got %q", text)
	}
}

func TestWhatWasCorrectedOrForgottenIsNotTold(t *testing.T) {
	s := open(t)
	r := memory.NewRecaller(s, "m", nil)
	say(t, s, "the bastion is heron-1", "the vault is heron-7")
	right := core.Entry{ID: "right", Memory: "m", Role: core.RoleUser, Raw: "the bastion is heron-2", Summary: "-", Corrects: "the bastion is heron-10", Created: time.Now()}
	must.Do(t, s.Put(t.Context(), right))
	must.Get(s.Forget(t.Context(), core.ForgetQuery{Entry: "the vault is heron-71"}))(t)
	if _, got := ask(t, r, "what is the bastion?"); !strings.Contains(got, "heron-2") {
		t.Error(got)
	}
	if bid, got := ask(t, r, "what is the vault?"); got != "" {
		t.Errorf("bids %v: %s", bid, got)
	}
	if _, got := ask(t, r, "what did I say about the vault?"); strings.Contains(got, "heron") {
		t.Error(got)
	}
}

func TestWhatWasJustSaidIsKnownBeforeItIsRecorded(t *testing.T) {
	s := open(t)
	text := "the bastion is heron-5"
	if err := s.Put(t.Context(), core.Thread{ID: "a"}, core.Recording{Thread: "a", Memory: "m"},
		core.MessageRow{Thread: "a", Message: core.Message{ID: "1", Role: core.RoleUser, Text: text, Time: time.Now()}}); err != nil {
		t.Fatal(err)
	}
	if _, got := ask(t, memory.NewRecaller(s, "m", nil), "what is the bastion?"); !strings.Contains(got, "heron-5") {
		t.Error(got)
	}
}

// recording records a message as soon as anything has been read of it.
type recording struct {
	*store.Store
	record func()
}

func (r *recording) Unrecorded(ctx context.Context, memory string, limit int) ([]core.Unrecorded, error) {
	defer r.record()
	return r.Store.Unrecorded(ctx, memory, limit)
}

func (r *recording) Mentions(ctx context.Context, q core.MentionQuery) (core.Mentions, error) {
	defer r.record()
	return r.Store.Mentions(ctx, q)
}

func TestWhatIsRecordedWhileItIsLookedForIsFound(t *testing.T) {
	s := open(t)
	text := "the bastion is heron-5"
	m := core.Message{ID: "1", Role: core.RoleUser, Text: text, Time: time.Now()}
	must.Do(t, s.Put(t.Context(), core.Thread{ID: "a"}, core.Recording{Thread: "a", Memory: "m"}, core.MessageRow{Thread: "a", Message: m}))
	r := &recording{s, func() {
		e := core.Entry{ID: "e", Memory: "m", Thread: "a", Message: m.ID, Role: m.Role, Raw: text, Summary: text, Created: m.Time}
		must.Do(t, s.Put(t.Context(), e))
	}}
	if bid := memory.NewRecaller(r, "m", nil).Bid(t.Context(), "what is the bastion?", nil); bid.Declines() {
		t.Error("it is not found")
	}
}

func TestABidDoesNotDependOnWhatHasItsEntryAlready(t *testing.T) {
	for _, c := range [][2]string{
		{"the shop sells sourdough at 4.80", "what does sourdough cost?"},
		{"Mein Lieferant für Speichen ist Sapim", "von wem kommen die Speichen?"},
	} {
		waiting, recorded := open(t), open(t)
		say(t, recorded, c[0], "the oven is old")
		must.Do(t, waiting.Put(t.Context(), core.Thread{ID: "a"}, core.Recording{Thread: "a", Memory: "m"},
			core.MessageRow{Thread: "a", Message: core.Message{ID: "1", Role: core.RoleUser, Text: c[0], Time: time.Now()}},
			core.MessageRow{Thread: "a", Message: core.Message{ID: "2", Role: core.RoleUser, Text: "the oven is old", Time: time.Now()}}))
		want := memory.NewRecaller(recorded, "m", nil).Bid(t.Context(), c[1], nil)
		must.Equal(t, want, memory.NewRecaller(waiting, "m", nil).Bid(t.Context(), c[1], nil))
	}
}

func TestATaskOfTheContextIsDoneByWhatWasSaidSince(t *testing.T) {
	s := open(t)
	must.Do(t, s.Put(t.Context(), core.ContextDoc{ID: "c", Memory: "m", Content: "## Open\n- calibrate the focuser (2026-11-20)\n- paint the dome (2026-11-20)"}))
	say(t, s, "the focuser is calibrated now")
	if _, got := ask(t, memory.NewRecaller(s, "m", nil), "what is left to do?"); strings.Contains(got, "focuser") || !strings.Contains(got, "dome") {
		t.Error(got)
	}
}

func TestWhatWasAskedInAConversationIsTold(t *testing.T) {
	s := open(t)
	r := memory.NewRecaller(s, "m", nil)
	for question, want := range map[string]string{
		"what did I ask first?": "2 + 2", "what was my last question?": "and in hex?", "what did we talk about?": "- today: what is 2 + 2?\n- today: and in hex?",
		"was habe ich zuerst gefragt?": "2 + 2", "qué pregunté primero?": "2 + 2",
	} {
		must.Do(t, s.Put(t.Context(), core.Thread{ID: question}))
		for _, text := range []string{"what is 2 + 2?", "and in hex?", question} {
			m := core.Message{ID: question + text, Role: core.RoleUser, Text: text, Time: time.Now()}
			must.Do(t, s.Put(t.Context(), core.MessageRow{Thread: question, Message: m}))
		}
		if bid := r.Bid(t.Context(), question, nil); bid.Score < 0.9 {
			t.Errorf("%q: bids %v", question, bid)
		}
		args := must.Get(json.Marshal(map[string]string{"prompt": question}))(t)
		got, err := r.Tool().Call(t.Context(), core.Call{Args: args, Scope: core.Scope{Thread: question}})
		if err != nil || !strings.Contains(got.Text, want) {
			t.Errorf("%q: %q, %v", question, got.Text, err)
		}
	}
}

func TestAStatementIsTurnedOnlyWhereThatIsSafe(t *testing.T) {
	for text, want := range map[string]string{
		"my flight is on 12 December":       "Your flight is on 12 December, as you said today.",
		"I am allergic to nuts":             "You are allergic to nuts, as you said today.",
		"my sister's nuts are in the tin":   "You said today: “my sister's nuts are in the tin”",
		"my nuts are ripe tomorrow":         "You said today: “my nuts are ripe tomorrow”",
		"remember to buy nuts":              "You said today: “buy nuts”",
		"remember that we chose nuts":       "You chose nuts, as you said today.",
		"nuts.example.org is our nuts host": "nuts.example.org is your nuts host, as you said today.",
	} {
		s := open(t)
		say(t, s, text)
		question := "what did I say about nuts?"
		if strings.Contains(text, "flight") {
			question = "when is my flight?"
		}
		if _, got := ask(t, memory.NewRecaller(s, "m", nil), question); got != want {
			t.Errorf("%q is told as %q, want %q", text, got, want)
		}
	}
}

// BenchmarkBid bids on four questions in a memory of 10 000 entries.
func BenchmarkBid(b *testing.B) {
	s := open(b)
	r := recaller(b, s)
	rows := make([]core.Row, 0, 10_000)
	for i := range cap(rows) {
		text := fmt.Sprintf("the host of service %d is heron-%d in the staging cluster, and Anna owns it with my team since day %d", i%700, i, i%31)
		rows = append(rows, core.Entry{ID: fmt.Sprint("n", i), Memory: "m", Thread: "x", Role: core.RoleUser, Raw: text, Summary: text, Created: time.Now()})
	}
	must.Do(b, s.Put(b.Context(), rows...))
	n := 0
	for b.Loop() {
		r.Bid(b.Context(), []string{
			"what is the staging host?", "who owns the payments module?", "what did we decide about the shop?", "when is my flight?",
		}[n%4], nil)
		n++
	}
}
