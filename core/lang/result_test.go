package lang_test

import (
	"testing"

	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/must"
)

func TestTheOnlyNumberDateOrPathOfASentenceIsMarked(t *testing.T) {
	for text, want := range map[string]string{
		"1200 kg of grapes were harvested.":             "**1200** kg of grapes were harvested.",
		"It is due on 3 March 2027":                     "It is due on **3 March 2027**",
		"It is due on March 3.":                         "It is due on **March 3**.",
		"Die Abgabe ist am 3. März.":                    "Die Abgabe ist am **3. März**.",
		"La entrega es el 3 de marzo.":                  "La entrega es el **3** de marzo.",
		"The log is in var/log_1.txt":                   "The log is in **var/log_1.txt**",
		"High tide is at 11:20":                         "High tide is at **11:20**",
		"It rose by 12%, as said.":                      "It rose by **12%**, as said.",
		"3 of 5 are done":                               "3 of 5 are done",
		"**Three** of 5 are done":                       "**Three** of 5 are done",
		"There are 3 left. The others went home early.": "There are 3 left. The others went home early.",
		"- 3\n- and more":                               "- 3\n- and more",
		"Nobody came":                                   "Nobody came",
		"42.":                                           "42.",
		"a\x1b[2Jb and 3":                               "a\x1b[2Jb and 3",
		"it is a&#50;b":                                 "it is a&#50;b",
		"it is a☃2Jb":                                   "it is a☃2Jb",
	} {
		must.Equal(t, want, lang.MarkResult(text))
	}
}
