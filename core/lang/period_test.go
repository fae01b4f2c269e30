package lang_test

import (
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core/lang"
)

func TestATimeIsReadInThreeLanguages(t *testing.T) {
	now := time.Date(2026, time.November, 24, 13, 0, 0, 0, time.UTC) // a Tuesday
	for text, want := range map[string]string{
		"what did I say yesterday?": "2026-11-23 2026-11-24", "was sagte ich gestern?": "2026-11-23 2026-11-24", "¿qué dije ayer?": "2026-11-23 2026-11-24",
		"and the day before yesterday": "2026-11-22 2026-11-23", "vorgestern": "2026-11-22 2026-11-23",
		"today": "2026-11-24 2026-11-25", "what came up last week": "2026-11-16 2026-11-23", "in der letzten Woche": "2026-11-16 2026-11-23",
		"la semana pasada": "2026-11-16 2026-11-23", "this week": "2026-11-23 2026-11-25", "last month": "2026-10-01 2026-11-01",
		"el año pasado": "2025-01-01 2026-01-01", "on Monday": "2026-11-23 2026-11-24", "am Dienstag": "2026-11-17 2026-11-18", "el domingo": "2026-11-22 2026-11-23",
		"in March": "2026-03-01 2026-04-01", "im Dezember": "2025-12-01 2026-01-01", "en mayo de 2024": "2024-05-01 2024-06-01",
		"on 4 March 2025": "2025-03-04 2025-03-05", "May 3rd": "2026-05-03 2026-05-04", "2025-03-04": "2025-03-04 2025-03-05", "2025-03": "2025-03-01 2025-04-01",
		"all of 2023": "2023-01-01 2024-01-01", "in May": "2026-05-01 2026-06-01",
		"may I ask?": "", "the boiler": "", "port 8080": "", "room 1200": "",
	} {
		p, ok := lang.PeriodIn(text, now)
		got := ""
		if ok {
			got = p.From.Format(time.DateOnly) + " " + p.To.Format(time.DateOnly)
		}
		if got != want || ok != (len(p.Words) > 0) {
			t.Errorf("%q is %q by the words %q, want %q", text, got, p.Words, want)
		}
	}
	if got := strings.Join(strings.Fields(lang.CutPhrase("what came up last week, Ada?", []string{"last", "week"})), " "); got != "what came up , Ada?" && got != "what came up, Ada?" {
		t.Errorf("cut to %q", got)
	}
}
