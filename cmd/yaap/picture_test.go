package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/must"
)

// The picture of the README is a screen of the program. How long a call took,
// which of two ended first and the blanks beside them differ from day to day.
func TestThePictureOfTheReadmeIsAScreenOfTheProgram(t *testing.T) {
	raw := must.Get(os.ReadFile("../../README.md"))(t)
	home := t.TempDir()
	var picture string
	for _, block := range fence.FindAllStringSubmatch(string(raw), -1) {
		switch block[1] {
		case "text picture":
			picture = block[2]
		case "python heron.py":
			write(t, filepath.Join(home, "heron.py"), block[2])
		}
	}
	s := openScreenIn(t, home, 96, 30, options{})
	s.see(`calc, clock, data, files, git are in the room`)
	s.enter("what is 12% of 840 and how many days are there in February 2028?")
	s.see(`29 days in February`)
	s.enter("/experts add python3 " + filepath.Join(home, "heron.py"))
	s.see(`→ heron joined`)
	s.enter("what do herons eat?")
	s.see(`Herons eat fish`)
	timeless := func(text string) string {
		text = regexp.MustCompile(` · [\d.]+ m?s`).ReplaceAllString(text, "") // of less than one nothing is said
		return regexp.MustCompile(`[ \t]+`).ReplaceAllString(text, " ")
	}
	s.until("the picture of the README", func(text string) bool {
		shown := timeless(text)
		for line := range strings.Lines(picture) {
			if want := strings.TrimSpace(timeless(line)); !strings.Contains(shown, want) {
				return false
			}
		}
		return picture != ""
	})
}
