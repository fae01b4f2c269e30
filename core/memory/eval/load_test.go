package eval_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/memory/eval"
	"github.com/yaap-chat/yaap/core/must"
)

func load(t testing.TB, file string) eval.Set {
	t.Helper()
	f := must.Get(os.Open(file))(t)
	defer f.Close() //nolint:errcheck // it was read
	set := must.Get(eval.Load(f))(t)
	if len(set.SHA256) != 64 {
		t.Errorf("the hash of %s is %q", file, set.SHA256)
	}
	set.SHA256 = ""
	return set
}

func TestAConversationInTheFormOfLoCoMoIsLoaded(t *testing.T) {
	first := time.Date(2023, time.May, 8, 13, 56, 0, 0, time.UTC)
	second := time.Date(2023, time.June, 20, 10, 5, 0, 0, time.UTC)
	want := eval.Set{
		Form: "locomo", Skipped: 2,
		Memories: []eval.Memory{{ID: "conv-1", Messages: []eval.Message{
			{ID: "D1:1", Thread: "session_1", Role: core.RoleUser, Time: first, Text: "Ada: Hi Ben! I joined a rowing club on Monday."},
			{ID: "D1:2", Thread: "session_1", Role: core.RoleAssistant, Time: first.Add(time.Second), Text: "Ben: How nice! I have planted tomatoes. (shares a photo of a greenhouse)"},
			{ID: "D2:1", Thread: "session_2", Role: core.RoleAssistant, Time: second, Text: "Ben: The tomatoes are ripe."},
			{ID: "D2:2", Thread: "session_2", Role: core.RoleUser, Time: second.Add(time.Second), Text: "Ada: And we won our first race."},
		}}},
		Questions: []eval.Question{
			{ID: "conv-1/1", Memory: "conv-1", Category: "single-hop", Text: "What did Ada join?", Evidence: []string{"D1:1"}},
			{ID: "conv-1/2", Memory: "conv-1", Category: "multi-hop", Text: "What came of the tomatoes?", Evidence: []string{"D1:2", "D2:1"}},
		},
	}
	must.Equal(t, want, load(t, "testdata/locomo.json"))
}

func TestAQuestionInTheFormOfLongMemEvalIsLoadedWithItsHaystack(t *testing.T) {
	first := time.Date(2023, time.May, 20, 2, 21, 0, 0, time.UTC)
	second := time.Date(2023, time.May, 21, 12, 0, 0, 0, time.UTC)
	want := eval.Set{
		Form: "longmemeval", Skipped: 1,
		Memories: []eval.Memory{
			{ID: "a1", Messages: []eval.Message{
				{ID: "1:1", Thread: "1", Role: core.RoleUser, Time: first, Text: "How do I poach an egg?"},
				{ID: "1:2", Thread: "1", Role: core.RoleAssistant, Time: first.Add(time.Second), Text: "In water that hardly moves."},
				{ID: "2:1", Thread: "2", Role: core.RoleUser, Time: second, Text: "With my degree in botany, which jobs are there?"},
				{ID: "2:2", Thread: "2", Role: core.RoleAssistant, Time: second.Add(time.Second), Text: "In gardens and at seed banks."},
			}},
			{ID: "b2_abs", Messages: []eval.Message{{
				ID: "1:1", Thread: "1", Role: core.RoleUser, Time: time.Date(2023, time.June, 1, 10, 0, 0, 0, time.UTC), Text: "My cat is called Ute.",
			}}},
		},
		Questions: []eval.Question{{ID: "a1", Memory: "a1", Category: "single-session-user", Text: "Which degree did I take?", Evidence: []string{"2:1"}}},
	}
	must.Equal(t, want, load(t, "testdata/longmemeval.json"))
}

func TestDataThatCannotBeUsedAreRefusedWithWhatIsWanted(t *testing.T) {
	for name, data := range map[string]string{
		"nothing":            "",
		"spaces":             " \n ",
		"no JSON":            "who asked what",
		"an empty list":      "[]",
		"numbers":            "[1, 2]",
		"another form":       `[{"prompt": "x"}]`,
		"another line":       `{"prompt": "x"}`,
		"cut off":            `[{"question_id": "a", "haystack_sessions": [[{"role"`,
		"an open list":       `[{"question_id": "a", "question": "x", "haystack_sessions": [[{"content": "y", "has_answer": true}]]}`,
		"two forms":          `[{"question_id": "a", "haystack_sessions": []}, {"qa": [], "conversation": {}}]`,
		"no evidence":        `{"entry": "a", "conversation": "c", "text": "x"}` + "\n" + `{"question": "q", "text": "x", "evidence": ["b"]}`,
		"a message twice":    strings.Repeat(`{"entry": "a", "conversation": "c", "text": "x"}`+"\n", 2),
		"a question twice":   `[{"question_id": "a", "haystack_sessions": [[{"content": "x"}]]}, {"question_id": "a", "haystack_sessions": [[{"content": "x"}]]}]`,
		"no conversation":    `{"entry": "a", "text": "x"}`,
		"a wrong session":    `[{"qa": [], "conversation": {"session_1": "x"}}]`,
		"no messages at all": `{"question": "q", "text": "x", "evidence": ["b"]}`,
	} {
		set, err := eval.Load(strings.NewReader(data))
		if core.CodeOf(err) != core.CodeInvalid || !strings.Contains(core.HintOf(err), "LongMemEval") {
			t.Errorf("%s: %+v, %v", name, set, err)
		}
	}
}

func FuzzAnythingIsLoadedOrRefused(f *testing.F) {
	for _, file := range []string{"testdata/locomo.json", "testdata/longmemeval.json"} {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Add(`{"entry": "a", "conversation": "c", "text": "x"} {"question": "q", "text": "x", "evidence": ["a"]}`)
	f.Fuzz(func(t *testing.T, data string) {
		set, err := eval.Load(strings.NewReader(data))
		if err == nil && len(set.Questions) == 0 {
			t.Error("there is nothing to ask")
		}
	})
}
