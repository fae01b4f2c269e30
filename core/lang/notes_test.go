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
	if n < len(list) {
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
