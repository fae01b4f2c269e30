package memory_test

import (
	"testing"

	"github.com/yaap-chat/yaap/core/memory"
	"github.com/yaap-chat/yaap/core/must"
)

func TestWhatIsSaidToBeRightInsteadCorrectsWhatWasSaidRightBefore(t *testing.T) {
	r := newRoom(t, nil)
	for _, turns := range [][]string{
		{"gateway ssh is on 2202", "Noted.", "no, 2022", "Noted."},
		{"the farm is Lindner, 40 nodes", "Noted.", "make that 45 nodes", "Noted."},
	} {
		inv := memory.NewInvoker(memory.NewAgent(r.cfg)) // of another start
		must.Do(t, inv.StartSession(t.Context(), "t"))
		for _, text := range turns {
			must.Do(t, inv.Process(t.Context(), "t", r.say("t", text)...))
		}
	}
	told := memory.NewRecaller(r.store, "m", nil)
	for question, want := range map[string]string{
		"what port is gateway ssh on?": "Gateway ssh is on 2022", "how many nodes does the farm have?": "The farm is Lindner, 45 nodes",
	} {
		if _, text := ask(t, told, question); len(text) < len(want) || text[:len(want)] != want {
			t.Errorf("%s: %q", question, text)
		}
	}
}

func TestAValueBehindAQuestionCorrectsNothing(t *testing.T) {
	r := newRoom(t, nil)
	inv := memory.NewInvoker(memory.NewAgent(r.cfg))
	must.Do(t, inv.StartSession(t.Context(), "t"))
	must.Do(t, inv.Process(t.Context(), "t", r.say("t", "we have 40 nodes", "Noted.", "what is 6 times 7?", "42", "no, 12", "?")...))
	for _, e := range r.entries() {
		if e.Corrects != "" {
			t.Errorf("%q corrects something", e.Raw)
		}
	}
}
