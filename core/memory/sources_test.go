package memory_test

import (
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/memory"
)

func TestTheNotesOfAContextAreTracedToWhatWasSaid(t *testing.T) {
	r := newRoom(t, nil)
	r.put(core.Entry{ID: "first", Memory: r.cfg.Memory.ID, Role: core.RoleUser, Raw: "The boiler is a Vaillant."},
		core.Entry{ID: "second", Memory: r.cfg.Memory.ID, Role: core.RoleUser, Raw: "We decided to use Postgres for the bookings."},
		core.Entry{ID: "liked", Memory: r.cfg.Memory.ID, Role: core.RoleUser, Raw: "I prefer short answers."},
		core.Entry{ID: "third", Memory: r.cfg.Memory.ID, Role: core.RoleAssistant, Raw: "The boiler is a Vaillant."})
	got, err := memory.Sources(t.Context(), r.store, r.cfg.Memory.ID, "## Decisions\n- We decided to use Postgres for the bookings. (2026-03-04)\n\n## Facts\n- The boiler is a Vaillant. (2026-03-04)\n- The moon is far.\n- I prefer short answers. (2026-03-04)\n")
	if err != nil || len(got) != 3 {
		t.Fatalf("got %+v, %v", got, err)
	}
	for _, s := range got {
		if want := map[string]string{"The boiler is a Vaillant.": "first", "I prefer short answers.": "liked", "We decided to use Postgres for the bookings.": "second"}[s.Note]; s.Entry.ID != want {
			t.Errorf("%q comes from %s, want %s", s.Note, s.Entry.ID, want)
		}
	}
}
