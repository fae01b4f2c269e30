package lang_test

import (
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/must"
)

func TestTurnsAreReadForWhatIsWorthKeeping(t *testing.T) {
	n := 0
	list := rows(t, "notes.txt")
	for _, row := range list {
		got := "none"
		if notes := lang.Notes(row[0]); len(notes) > 0 {
			if got = string(notes[0].Kind); notes[0].Stands && row[1] == string(lang.Fact) {
				got = row[1] // where there was nothing to be done
			}
		}
		if got == row[1] {
			n++
		} else {
			t.Logf("%q is read as %s, not %s", row[0], got, row[1])
		}
	}
	t.Logf("%d of %d", n, len(list))
	if n < len(list)-1 {
		t.Errorf("%d of %d", n, len(list))
	}
}

func TestOfAPasteAtMostTwoLinesAreKept(t *testing.T) {
	paste := "from the wiki:\n2026-03-02 10:00:01 INFO leader is n3\nThe gateway is heron-1.\nThe vault is heron-2.\nThe mirror is heron-3.\nI live in Leeds."
	if notes := lang.Notes(paste); len(notes) > 0 {
		t.Errorf("of a paste is noted %v", notes)
	}
	paste = strings.Repeat("We have a vault, and it is heron-2.\nI live in Leeds.\nOur mirror is heron-3.\n", 10)
	if n := len(lang.Notes(paste)); n != 2 {
		t.Errorf("%d notes of a long text", n)
	}
	if notes := lang.Notes(strings.Repeat("10:00:01 INFO the leader is n3\n", 5)); len(notes) > 0 {
		t.Errorf("a log is noted: %v", notes)
	}
}

func TestWhatIsToldOfAThingBesideThatItIsDoneIsANoteOfItsOwn(t *testing.T) {
	for text, want := range map[string][]lang.Noted{
		"The desk is ordered, it comes on Tuesday": {
			{Text: "The desk is ordered", Kind: lang.Done, Stands: true}, {Text: "The desk comes on Tuesday", Subject: "The desk", Kind: lang.Fact},
		},
		"Der Tisch ist bestellt, er kommt am Dienstag": {
			{Text: "Der Tisch ist bestellt", Kind: lang.Done, Stands: true}, {Text: "Der Tisch kommt am Dienstag", Subject: "Der Tisch", Kind: lang.Fact},
		},
		"hi, I am Ada and I work at Acme":                        {{Text: "I am Ada", Kind: lang.Fact}, {Text: "I work at Acme", Kind: lang.Fact}},
		"Ada is on leave until 7 December, Tom steps in for her": {{Text: "Ada is on leave until 7 December, Tom steps in for her", Kind: lang.Fact}},
	} {
		must.Equal(t, want, lang.Notes(text))
	}
}

func TestWhatIsToldBesideAQuestionIsNoted(t *testing.T) {
	for text, want := range map[string]string{
		"now that Vera owns the ledger, what should a handover hold?":                                         "now that Vera owns the ledger",
		"since nobody was ready, the fair has slid to 10 October; how many days is that?":                     "the fair has slid to 10 October",
		"a cron line for 01:30? the backup runs at that hour now":                                             "a cron line for 01:30? the backup runs at that hour now",
		"can we do that with three nodes? we haven't got more":                                                "can we do that with three nodes? we haven't got more",
		"which settings matter, given that ours is a 16 with two replicas?":                                   "which settings matter, given that ours is a 16 with two replicas",
		"can you tell me what a mutex does, and without bullet points please, from now on":                    "without bullet points please, from now on",
		"We run Zephyr 3.6, in case somebody asks.":                                                           "We run Zephyr 3.6",
		"Soy alérgica a las nueces, por si alguien trae tarta.":                                               "Soy alérgica a las nueces",
		"The wheels come from Knoop, the contact there is Mrs Siemers.":                                       "The wheels come from Knoop, the contact there is Mrs Siemers.",
		"how does one automate that? I renewed our certificate by hand today, so that's off my list for good": "I renewed our certificate by hand today",
		"here is what the loader printed:\nBOOT v2: remember slot B\nthe owner is Dora":                       "",
		"The tests aren't great. The survey isn't done after all.":                                            "The survey isn't done after all.",
		"Das Kabel war gar nicht drin.":                                                                       "",
		"I misread my own notes.":                                                                             "",
	} {
		var got []string
		for _, n := range lang.Notes(text) {
			got = append(got, n.Text)
		}
		if all := strings.Join(got, " "); all != want {
			t.Errorf("%q: %q, not %q", text, all, want)
		}
	}
}

func TestThingsToDoAreListedBehindAColon(t *testing.T) {
	want := []lang.Noted{{Text: "the survey", Kind: lang.Task}, {Text: "I must rewrite the loader", Kind: lang.Task}}
	must.Equal(t, want, lang.Notes("I have three, no, two things to do: the survey, and I must rewrite the loader."))
}

func TestWhatOnlyNamesThingsTellsNothing(t *testing.T) {
	for _, text := range []string{
		"repairs that cost more than 300 euros", "customers who joined in 2021", "repairs done in march", "instruments owned by Marta",
		"files not changed since august", "functions longer than 5 lines", "lots sold on 3 november", "parcels shipped last week", "invoices where paid is no", "bookings this week", "price per keg for order 4",
	} {
		if lang.IsWorthNoting(text) {
			t.Errorf("%q tells something", text)
		}
	}
	for _, text := range []string{"sales dropped by 5 %", "servers moved to Frankfurt", "backups run at 3 am", "Marta owns the cello", "the cello that I repair is from 1890"} {
		if !lang.IsWorthNoting(text) {
			t.Errorf("%q tells nothing", text)
		}
	}
}
