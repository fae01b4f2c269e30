package clock_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/clock"
	"github.com/yaap-chat/yaap/experts/expertstest"
)

// expert answers on Saturday, 21 November 2026, at 00:12 UTC, in Berlin.
var expert = func() experts.Expert {
	local, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		panic(err)
	}
	return clock.New(func() time.Time { return time.Date(2026, 11, 21, 0, 12, 0, 0, time.UTC) }, local)
}()

func TestAQuestionAboutTimeInPlainLanguageIsAnswered(t *testing.T) {
	expertstest.Messages(t, expert, "messages.txt")
}

func TestWhatIsNotUnderstoodIsAskedBack(t *testing.T) {
	expertstest.Status(t, expert, core.StatusClarification, "unclear.txt", " => For example", "\x00\xff\xfe => For example")
}

func TestWhatHasNoAnswerIsRefusedInWords(t *testing.T) {
	expertstest.Status(t, expert, core.StatusFailure, "refused.txt", strings.Repeat("Tokyo ", 1000)+" => too long")
}

func TestDataHoldsTheMomentForPrograms(t *testing.T) {
	want := map[string]any{
		"result": "2026-11-21T09:12:00+09:00", "place": "Tokyo", "zone": "Asia/Tokyo", "time": "2026-11-21T09:12:00+09:00", "date": "2026-11-21", "clock": "09:12",
		"weekday": "Saturday", "offset": "UTC+9", "iso_week": "2026-W47",
	}
	if diff := cmp.Diff(want, expertstest.Ask(t, expert, "time in Tokyo").Data); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if days := expertstest.Ask(t, expert, "days until Christmas").Data["days"]; days != 34.0 {
		t.Errorf("days %v", days)
	}
}

func TestEveryPlaceOfTheTableHasRules(t *testing.T) {
	text, err := os.ReadFile("places.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		zones, names, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if strings.HasPrefix(line, "#") {
			continue
		}
		for zone := range strings.SplitSeq(zones, ",") {
			if !strings.Contains(zone, "/") {
				continue // an offset
			}
			if reply := expertstest.Ask(t, expert, "what time is it in "+zone); reply.Data["zone"] != zone {
				t.Errorf("%s: %s", zone, reply.Message)
			}
		}
		names, may, _ := strings.Cut(names, "; ")
		for name := range strings.SplitSeq(names, " | ") {
			if reply := expertstest.Ask(t, expert, "what time is it in "+name); (reply.Status == core.StatusClarification) != (may != "") || may != "" && !strings.Contains(reply.Message, may) {
				t.Errorf("%s: %s", name, reply.Message)
			}
		}
	}
}

func TestEveryPhraseIsSaidInThreeLanguages(t *testing.T) {
	text, err := os.ReadFile("phrases.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		said := strings.Split(strings.TrimSuffix(line, "\n"), " | ")
		if line[0] == '#' || strings.Contains(line, "= ") {
			continue
		}
		if len(said) != 3 || strings.Count(said[1], "%") != strings.Count(said[0], "%") || strings.Count(said[2], "%") != strings.Count(said[0], "%") {
			t.Errorf("%q", said)
		}
	}
}

func TestACityThatAZoneIsNamedAfterIsKnown(t *testing.T) {
	for name, zone := range map[string]string{
		"los angeles": "America/Los_Angeles", "Dar es Salaam": "Africa/Dar_es_Salaam", "port-au-prince": "America/Port-au-Prince",
		"isle of man": "Europe/Isle_of_Man", "Ulaanbaatar": "Asia/Ulaanbaatar", "honolulu": "Pacific/Honolulu", "Nairobi": "Africa/Nairobi",
		"ushuaia": "America/Argentina/Ushuaia", "Perth": "Australia/Perth", "america/argentina/buenos_aires": "America/Argentina/Buenos_Aires",
		"US/Pacific": "US/Pacific", "la paz": "America/La_Paz", "HO CHI MINH": "Asia/Ho_Chi_Minh", "etc/utc": "Etc/UTC",
	} {
		if reply := expertstest.Ask(t, expert, "time in "+name); reply.Data["zone"] != zone {
			t.Errorf("%s: %s %v", name, reply.Message, reply.Data["zone"])
		}
	}
}

func TestTheIntroductionIsWithinItsBounds(t *testing.T) {
	expertstest.Introduction(t, expert, "clock")
}

func FuzzEveryPromptGetsALegalReply(f *testing.F) {
	expertstest.Fuzz(f, expert, 16<<10, "time in Tokyo", "3pm London in New York", "days until 29 February", "9999-12-31 + 999999 years", "12/31/2026", "@1700000000", "utc+99:99")
}

func TestWhatADateMayMeanIsThereToChooseFrom(t *testing.T) {
	got := expertstest.Ask(t, expert, "what day is 3/4/2026?")
	want := []string{"what day is 3 April 2026?", "what day is 4 March 2026?"}
	if options, _ := got.Data["options"].([]string); !slices.Equal(options, want) {
		t.Errorf("the options are %q, want %q", got.Data["options"], want)
	}
}

func TestThenIsTheDateThatAnotherAnswered(t *testing.T) {
	for answer, want := range map[string]string{
		"The Christmas party is on 18 December at the Old Mill.":                                                                            "**27 days** until Friday 18 December 2026",
		"**Staff meeting, 12 November 2026**: Christmas party: 18 December at the Old Mill, 19:00. (`notes/2026-11-12-staff-meeting.md:8`)": "**27 days** until Friday 18 December 2026",
		"The party of all of us and of our friends from the other shop is on 18 December 2026.":                                             "**27 days** until Friday 18 December 2026",
		"At the Old Mill.":                     "",
		"It is on 18 December or 20 December.": "",
	} {
		said := expertstest.Said("when and where is the Christmas party?", answer)
		got := expertstest.Ask(t, expert, "how many days until then?", said...)
		if want == "" && got.Status == core.StatusSuccess || !strings.HasPrefix(got.Message, want) {
			t.Errorf("%s: %s", answer, got.Message)
		}
	}
}
