package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// asked are the questions on the screen.
func (s *screen) asked() (list []string) {
	for _, row := range s.transcript() {
		if q, ok := strings.CutPrefix(row, " you"); ok {
			list = append(list, strings.TrimSpace(strings.Split(q, "│")[0]))
		}
	}
	return list
}

func TestAConversationGoesBackWithoutLosingAnything(t *testing.T) {
	s := openScreen(t, 90, 80)
	s.see(`calc.* in the room`)
	s.enter("what is 12% of 840?")
	s.see(`100\.8`)
	s.ready()
	first := s.transcript()
	s.enter("what is 3 * 7?")
	s.see(`\b21\b`)
	s.ready()

	s.enter("/edit")
	s.see("change it as you like")
	if diff := cmp.Diff(first, s.transcript()); diff != "" {
		t.Errorf("what was said before (-live +branch)\n%s", diff)
	}
	s.see(`what is 12% of 840\? \(2\)`) // the title
	s.press("\x7f\x7f")
	s.enter("8?")
	s.see(`yaap +24\b`)
	s.ready()
	if diff := cmp.Diff([]string{"what is 12% of 840?", "what is 3 * 8?"}, s.asked()); diff != "" {
		t.Errorf("the branch (-want +got)\n%s", diff)
	}

	s.enter("/fork")
	s.see(`what is 12% of 840\? \(3\)`)
	s.enter("/diagram") // of what was said before
	s.see(`you +yaap +calc`)
	s.enter("/undo 2")
	s.see("what was said since is in /sessions")
	s.see(`what is 12% of 840\? \(4\)`) // what is typed before is for the conversation that is left
	s.until("room where nothing has been said", func(text string) bool { return !strings.Contains(text, "100.8") })
	s.see(`❯ what is 12% of 840\?`)
	s.press("\x03") // the input is clear, and one has still gone back
	s.see(`❯ ask the room`)
	s.enter("/rewind")
	s.see("this conversation has 0 questions")
	s.enter("/fork")
	s.see("nothing has been said yet")

	s.press("\x13") // ctrl+s
	s.see(`what is 12% of 840\? \(2\)  +4 messages, 1 other version`)
	s.press("12%") // those in which nothing new was said are not there
	s.see(`what is 12% of 840\? \(2\)  +4 messages`)
	s.see(`what is 12% of 840\?  +8 messages`)
}
