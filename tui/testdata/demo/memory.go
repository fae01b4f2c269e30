package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"yaap/core"
	"yaap/tui"
)

// Memory remembers a made-up past.
func (r *room) Memory(_ context.Context, q tui.MemoryQuery) (tui.MemoryView, error) {
	v := tui.MemoryView{
		Vaults:    []core.Vault{{ID: "v1", Title: "default"}},
		Memories:  []core.Memory{{ID: "m1", Vault: "v1", Title: "infra-notes"}, {ID: "m2", Vault: "v1", Title: "garden"}},
		NextFlush: 2, Waiting: 1, Flushed: time.Now().Add(-90 * time.Second),
	}
	v.Chosen = v.Memories[0]
	if q.Memory == "m2" {
		v.Chosen, v.Off = v.Memories[1], true
		return v, nil
	}
	entries := past()
	for _, e := range entries {
		at := strings.Index(strings.ToLower(e.Raw), strings.ToLower(q.Search))
		if q.Search != "" && at >= 0 {
			end := at + len(q.Search)
			v.Found = append(v.Found, core.Found{Entry: e, Score: 1 / float64(len(v.Found)+2), Parts: map[string]float64{"bm25": 4.2, "vector": 0.31}, Match: e.Raw[:at] + "\x02" + e.Raw[at:end] + "\x03" + e.Raw[end:]})
		}
		if (q.Before == 0 || e.Seq < q.Before) && len(v.Entries) < 20 {
			v.Entries = append(v.Entries, e)
		}
	}
	for i, drain := range []string{"10 s", "5 s since 2026-11-17"} {
		v.Contexts = append(v.Contexts, core.ContextDoc{ID: fmt.Sprint("c", i), Seq: int64(i + 1), Upto: int64(i*6 + 6), Created: time.Now().Add(time.Duration(i-2) * time.Hour), Content: "# What this is about\nThe room's own code: leases and drains of experts.\n\n## Facts\n- The lease is 45 s; README, line 88, says the same.\n- Drain is " + drain + ".\n" + strings.Repeat("- The README still says 10 s, line 91.\n", i) + "\n## Open\n- Was the commit of Tuesday meant?\n"})
	}
	return v, nil
}

func past() []core.Entry {
	said := []core.Entry{
		{Role: core.RoleUser, Raw: "Who touched the lease code last, and is the rule in the README still true?", Summary: "Asked who last touched the lease code."},
		{Role: core.RoleAssistant, Raw: "Not quite: one of its two numbers is old.\n\n1. The lease is 45 s (README, line 88) and the code says the same.\n2. Drain is 5 s since Tuesday; the README still says 10.", Summary: "Explained drain: 5 s since 2026-11-17; the lease is 45 s."},
		{Role: core.RoleUser, Raw: "How long does drain last?", Summary: "Asked how long drain lasts."},
		{Role: core.RoleUser, Raw: "Drain is 5 s, not 10.", Summary: "Drain is 5 s, not 10.", Corrects: "e-3", Reason: "the commit of Tuesday"},
		{Role: core.RoleTool, Raw: `{"commits":3}`, Summary: "git: 3 commits on core/hub/lease.go."},
	}
	var out []core.Entry
	for i := range 60 {
		e := said[i%len(said)]
		e.Seq = int64(60 - i)
		e.ID, e.Thread, e.Message = fmt.Sprint("e-", e.Seq), "t1", fmt.Sprint("msg-", e.Seq)
		e.Created = time.Now().Add(-time.Duration(i*i) * time.Minute)
		e.Tags = map[string]string{"topic": "leases", "file": "core/hub/lease.go"}
		out = append(out, e)
	}
	return out
}
