package store

import (
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

func TestASearchIsNarrowedByFilters(t *testing.T) {
	s := remembering(t)
	say := func(id, raw string, role core.Role, at time.Time, tags map[string]string) core.Entry {
		e := storetest.Note("m", id, raw)
		e.Summary, e.Role, e.Created, e.Tags = "", role, at, tags
		return e
	}
	day := func(month time.Month, day int) time.Time { return time.Date(2025, month, day, 12, 0, 0, 0, time.Local) }
	mustPut(t, s,
		say("ada", "Ada Lovelace: the boiler hums", core.RoleUser, day(time.March, 1), nil),
		say("ben", "Ben: the boiler drips", core.RoleAssistant, day(time.March, 2), map[string]string{"topic": "cellar"}),
		say("me", "the boiler is loud", core.RoleUser, day(time.April, 3), map[string]string{"topic": "noise", "who": "cellar"}),
		say("tool", "boiler: 60 degrees", core.RoleTool, day(time.May, 4), map[string]string{"speaker": "ada"}),
		say("tea", "tea at four", core.RoleUser, day(time.May, 5), nil))
	mustPut(t, s, core.Tag{Entry: "tea", Key: "topic", Value: "Drinks", Time: time.Now()}, core.Tag{Entry: "ben", Key: "topic", Time: time.Now()})
	for query, want := range map[string]string{
		"boiler from:ada":                               "ada tool",
		`boiler from:"Ada Lovelace"`:                    "ada",
		"boiler FROM:Ben":                               "ben",
		"boiler from:me":                                "ada me",
		"boiler role:user":                              "ada me",
		"boiler role:tool":                              "tool",
		"from:you":                                      "ben",
		"boiler before:2025-03-02":                      "ada",
		"boiler after:2025-03-02":                       "me tool",
		"boiler after:2025-03 before:2025-05":           "me",
		"boiler after:2025-02-01 before:2025-04":        "ada ben",
		"boiler before:today role:user after:2025-03-1": "!", // no day
		"boiler tag:noise":                              "me",
		"boiler tag:topic":                              "me",
		"tag:topic":                                     "me tea",
		"boiler tag:topic=noise":                        "me",
		"boiler tag:cellar":                             "me", // the other was taken away
		"tag:drinks":                                    "tea",
		"(tag:drinks)":                                  "tea",
		"tag:drinks*":                                   "tea", // while it is typed
		`"tag:drinks" tea`:                              "tea",
		"boiler role:nobody":                            "!",
		"boiler role: user":                             "!",
		"before:":                                       "!",
		"before:lunch boiler":                           "!",
		"what comes after: the boiler":                  "!",
		"thereafter:2025 boiler":                        "ada ben me tool tea", // the year
		"from:' tea":                                    "",
		"from:% boiler":                                 "",
	} {
		found, err := s.Search(t.Context(), core.SearchQuery{Text: query, Memories: []string{"m"}})
		if want == "!" {
			if core.CodeOf(err) != core.CodeInvalid || !strings.Contains(core.HintOf(err), "between quotes") {
				t.Errorf("%s: found %d, %v, %q", query, len(found), err, core.HintOf(err))
			}
			continue
		}
		ids := map[string]bool{}
		for _, f := range found {
			ids[f.Entry.ID] = true
		}
		var got []string
		for _, id := range []string{"ada", "ben", "me", "tool", "tea"} {
			if ids[id] {
				got = append(got, id)
			}
		}
		if strings.Join(got, " ") != want || err != nil {
			t.Errorf("%s: found %q, %v; want %q", query, got, err, want)
		}
	}
}
