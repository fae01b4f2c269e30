package memory

import (
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/question"
)

const longestQuestion = 300 // bytes

// inquiry is what is read in a question that something the user said may answer.
type inquiry struct {
	question.Question

	talk     bool   // it asks about the conversation itself
	definite bool   // of a thing that is known to both: "the", "our"
	ever     bool   // it is for what was ever so
	whole    string // what it asks for all of: one of wholes
	prompts  string // which earlier prompts it asks for: wasAsked or wasSaid
	dated    bool   // of a time that it names
	somebody bool   // it asks for what somebody else was asked
	same     bool   // those like the prompt before: "did I ask this before"
}

// What may be asked for as a whole: the sections of words that ask for it.
const (
	aboutMe      = lang.AboutMe
	aboutProject = "about project"
	leftToDo     = "left to do"
	allDecided   = "all decided"
	whereWeWere  = "where we were"
	preferences  = "my preferences"
)

// readQuestion reads a question that what was said may answer.
func readQuestion(text string) (inquiry, bool) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > longestQuestion || strings.ContainsAny(text, "\"`\n{}|=") || strings.ContainsAny(text[:1], "@/") {
		return inquiry{}, false
	}
	l, all := lang.Of(text), lang.Words(text)
	q := inquiry{Question: question.Question{Lang: l, Text: text, Looks: true}}
	if _, told := lang.Statement(text); told || len(all) == 0 {
		return inquiry{}, false
	}
	asks := lang.IsQuestion(text)
	for _, whole := range [...]string{aboutMe, aboutProject, leftToDo, allDecided, whereWeWere, preferences} {
		if l.HasPhrase(text, whole) && len(q.About(whole, "day words")) == 0 {
			q.whole = whole
			return q, true
		}
	}
	history := inquiry{Question: question.Question{Lang: l, Text: text, Looks: true}}
	if history.readPrompts(asks) {
		return history, true
	}
	q.somebody = history.somebody
	if l.HasPhrase(text, lang.Asking) && len(q.About(lang.Asking, "day words")) == 0 {
		q.talk = true
		return q, true
	}
	if asks && l.OpeningLength(text, lang.Asking) > 0 && len(q.About(lang.Asking)) == 0 {
		q.talk = true
		return q, true
	}
	looksUp := l.OpeningLength(text, lang.Lookup) > 0
	q.Looks = q.LooksBack(asks || looksUp)
	if !q.Looks && !plain(l, text, asks) {
		return inquiry{}, false
	}
	q.ReadForm()
	q.definite = l.HasPhrase(text, "definite") && len(all) <= 9
	q.Decided = q.Looks && slices.ContainsFunc(all, func(w string) bool { return l.Has("decisive", w) })
	q.ReadWords()
	if len(q.Words) == 0 && !q.Looks || !q.Looks && q.YesNo && !q.Self && !q.AsksMyName() && len(q.Words) < 2 {
		return inquiry{}, false
	}
	return q, true
}

// plain reports whether a text is one question that something stated may answer:
// not one for advice, for what is so just now, or with anything to be worked out.
func plain(l *lang.Language, text string, asks bool) bool {
	if !asks && l.OpeningLength(text, "telling") == 0 || len(lang.Sentences(text)) > 1 || strings.ContainsAny(text, "*+^%") {
		return false
	}
	sought := l.OpeningLength(text, lang.Where) > 0 && l.HasPhrase(text, "finding") // "where can I find"
	elsewhere := slices.DeleteFunc(l.Without(text, "present"), func(w string) bool { return !l.Has(lang.Deictic, w) })
	return (sought || !l.HasPhrase(text, lang.Advice)) && len(elsewhere) == 0
}

// ofSomebody reports whether a question is about a person, or about what is theirs:
// "who is Ludo", "when is Ada's birthday".
func (q *inquiry) ofSomebody() bool {
	return q.Subjects && slices.ContainsFunc(q.Words, func(w question.Word) bool {
		name := q.Written(w.Text)
		return q.Names(w.Text) && (q.Demands == lang.Who || strings.Contains(q.Text, name+"'s ") || strings.Contains(q.Text, name+"’s "))
	})
}

// spellings are what the index is asked for a word.
func spellings(w question.Word, l *lang.Language) []string {
	all := append([]string{w.Text}, w.Others...)
	if n := len([]rune(w.Text)); l.ID != "en" && n >= 5 {
		all = append(all, string([]rune(w.Text)[:n-1])+"*")
	}
	return all
}
