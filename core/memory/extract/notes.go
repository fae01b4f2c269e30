package extract

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/rank"
)

// maxNotes is how many notes are kept of one memory; the oldest go first.
const (
	maxNotes = 600
	keyWords = 4 // of a note
)

// Note is one thing that the user told, and what became of it.
type Note struct {
	lang.Noted
	Time  time.Time // when it was said; zero: not known
	Entry string    // where
	Order int       // the higher, the later
	Until time.Time // since then it is not so any more, or is done
	Over  bool      // it is not

	Now *Note // what is so instead; where it is not over, of a part of it

	words   map[string]bool // stems of what it is about, that of what it replaced included
	own     map[string]bool // of its own words only
	subject map[string]bool
	values  map[string]bool // its kinds of values: a date, an amount of something
	head    string          // of the subject
	the     bool            // the subject is one that is known: "the room"
	copular bool
	verb    string
	duty    bool   // it tells who does something
	single  string // what one has only one of: a home
	myself  bool   // who speaks is its subject
	endedBy *Note
}

// Notes is what was told, in its order. What is told anew replaces what was told of
// the same thing.
type Notes struct{ List []*Note }

// Add takes what a message of the user tells.
func (n *Notes) Add(text string, at time.Time, entry string, order int) {
	for _, note := range Said(text, at, entry, order) {
		n.add(note)
	}
}

// Take takes a note of [Said].
func (n *Notes) Take(note *Note) { n.add(note) }

// All are the notes as they were told, whatever became of them.
func (n *Notes) All() []*Note { return n.List }

// Said are the notes of one message.
func Said(text string, at time.Time, entry string, order int) (all []*Note) {
	for _, told := range lang.Notes(text) {
		all = append(all, newNote(told, at, entry, order))
	}
	return all
}

// Asked is a note of what was asked.
func Asked(text string, at time.Time, entry string, order int) *Note {
	return newNote(lang.Noted{Text: text}, at, entry, order)
}

func newNote(told lang.Noted, at time.Time, entry string, order int) *Note {
	n := &Note{Noted: told, Time: at, Entry: entry, Order: order}
	l := lang.Of(told.Text)
	n.own = stems(l, l.Without(told.Text, "change", "ended", "settled", "wish", "ended last", "light"))
	n.words = n.own
	n.subject = stems(l, l.Subject(strings.TrimSpace(told.Text)))
	if key, _, ok := strings.Cut(told.Text, ": "); ok && len(n.subject) == 0 {
		n.subject = stems(l, lang.Words(key))
	}
	n.head, n.the = head(l, told.Text)
	n.values = values(l, told.Text)
	n.verb = stem(l.MainVerb(told.Text))
	n.duty = l.Has("duty", l.MainVerb(told.Text)) && len(n.subject) > 0
	for _, w := range lang.Words(told.Text) {
		if l.Has("single", w) && l.OwnOf(told.Text) {
			n.single = "home"
		}
	}
	n.copular = l.Names(told.Text)
	n.myself = l.OfSelf(told.Text)
	return n
}

// add takes a note, which may end others.
func (n *Notes) add(fresh *Note) {
	closes, decided := false, false
	for _, old := range n.List {
		if key(told(old)) == key(told(fresh)) && (!old.Over || !fresh.Time.After(old.Until.AddDate(0, 0, 1))) {
			return // it is known
		}
	}
	for _, old := range slices.Backward(n.List) {
		closes = closes || old.Over && old.Kind == lang.Task && fresh.Kind == lang.Done && fresh.ends(old)
		if old.Over || old.Kind == lang.Ended || fresh.sameMessage(old) || !fresh.ends(old) {
			continue
		}
		if fresh.changesPart(old) {
			old.Now = fresh
			continue
		}
		closes = closes || old.Kind == lang.Task
		if fresh.Kind != lang.Discussed || old.Kind == lang.Discussed {
			old.Over, old.Until, old.endedBy = true, fresh.Time, fresh
		}
		if old.Kind != lang.Task && fresh.Kind != lang.Ended {
			old.Now = fresh
			fresh.words = union(fresh.words, old.words)
			decided = decided || old.Kind == lang.Decision
		}
	}
	switch {
	case fresh.Kind == lang.Done && (closes || !fresh.Stands), fresh.Kind == lang.Ended:
		fresh.Over = true
	case fresh.Kind == lang.Done:
		fresh.Kind = lang.Fact
	}
	if decided && fresh.Kind == lang.Fact {
		fresh.Kind = lang.Decision // it was decided anew
	}
	if last := len(n.List) - 1; last >= 0 && fresh.sameMessage(n.List[last]) {
		n.instead(n.List[last], fresh)
	}
	n.List = append(n.List, fresh)
	if over := len(n.List) - maxNotes; over > 0 {
		n.List = n.List[over:]
	}
}

// instead makes of two notes of one message what is so instead of what one of them
// ended: "not amsel any more, it is drossel".
func (n *Notes) instead(one, other *Note) {
	end, now := one, other
	if other.Kind == lang.Ended {
		end, now = other, one
	}
	if end.Kind != lang.Ended || now.Kind == lang.Ended {
		return
	}
	for _, old := range n.List {
		if old.Over && old.Now == nil && old.endedBy == end {
			old.Now = now
			now.words = union(now.words, old.words)
		}
	}
}

// head is the word that a subject is about: that before "of" and the like.
func head(l *lang.Language, text string) (stemmed string, known bool) {
	words := l.Subject(strings.TrimSpace(text))
	for i, w := range words {
		if i > 0 && l.Has(lang.Place, w) {
			words = words[:i]
			break
		}
	}
	if len(words) == 0 {
		return "", false
	}
	return stem(words[len(words)-1]), l.Has(lang.Article, words[0]) && !l.Has(lang.Mine, words[0])
}

func (n *Note) sameMessage(old *Note) bool { return n.Order == old.Order && n.Entry == old.Entry }

// ends reports whether what is told now means that an earlier note is not so any
// more.
func (n *Note) ends(old *Note) bool {
	both := shared(n.own, old.words)
	switch {
	case n.Kind == lang.Ended:
		return len(n.own) > 0 && 2*both > len(n.own) && old.Kind != lang.Done
	case old.Kind == lang.Task:
		return n.Kind == lang.Done && both > 0 && 2*both >= min(len(n.own), len(old.own)) &&
			(!n.Stands || both > 1 || len(n.own) <= 2)
	case n.Kind == lang.Task, n.Kind == lang.Done && !n.Stands:
		return false
	case old.Kind == lang.Discussed:
		return n.Kind == lang.Decision && both > 0
	case n.Kind == lang.Discussed:
		return false
	case n.gives(old):
		return true
	}
	same := n.sameValues(old)
	if n.Kind == old.Kind && same && len(n.values) > 0 && sameWords(n.own, old.own) {
		return true
	}
	about := len(old.subject) > 0 && shared(old.subject, n.own) == len(old.subject) || len(n.subject) > 0 && shared(n.subject, old.words) == len(n.subject)
	about = about && (n.myself || !old.myself)
	alike := len(n.subject) > 0 && shared(n.subject, old.subject) == len(n.subject) && (len(n.subject) == len(old.subject) || n.the && n.head == old.head)
	switch {
	case n.Changes && about && same, n.single != "" && n.single == old.single:
		return true
	case n.Changes && both > 0 && n.Kind == lang.Preference && old.Kind == lang.Preference:
		return true
	case n.duty && old.duty && !n.Time.Before(old.Time) && sameDuty(n, old):
		return true
	case n.Changes && both > 1 && !n.copular && n.verb != "" && n.verb == old.verb:
		return true
	case n.Changes && same && len(n.values) > 0 && (both > 1 || n.unit() != "" && n.unit() == old.unit()):
		return true
	case alike && same && (n.copular && old.copular || len(n.values) > 0):
		return true
	}
	return false
}

// gives reports whether a note tells that what an earlier one says was changed:
// "moved from heron-2 to osprey-1".
func (n *Note) gives(old *Note) bool {
	for _, w := range lang.Of(n.Text).Given(n.Text) {
		if n.Changes && old.own[stem(w)] {
			return true
		}
	}
	return false
}

// changesPart reports whether a note says that one of the things that an earlier one lists
// was changed: "instead of the Boskoop we take a Cox".
func (n *Note) changesPart(old *Note) bool {
	l := lang.Of(old.Text)
	return n.Changes && slices.ContainsFunc(lang.Of(n.Text).Given(n.Text), func(w string) bool { return old.own[stem(w)] && l.Lists(old.Text, w) })
}

// sameDuty reports whether two notes tell who does one and the same thing.
func sameDuty(n, old *Note) bool {
	what := func(n *Note) map[string]bool {
		all := maps.Clone(n.own)
		maps.DeleteFunc(all, func(w string, _ bool) bool { return n.subject[w] || w == n.verb })
		return all
	}
	return len(what(n)) > 0 && maps.Equal(what(n), what(old)) && !maps.Equal(n.subject, old.subject)
}

// sameWords reports whether two notes differ in their numbers only.
func sameWords(a, b map[string]bool) bool {
	words := func(m map[string]bool) map[string]bool {
		all := maps.Clone(m)
		maps.DeleteFunc(all, func(w string, _ bool) bool { return strings.ContainsAny(w, "0123456789") })
		return all
	}
	return maps.Equal(words(a), words(b))
}

// sameValues reports whether two notes tell a value of the same kind.
func (n *Note) sameValues(old *Note) bool {
	if len(n.values) == 0 || len(old.values) == 0 {
		return len(n.values) == len(old.values)
	}
	return shared(n.values, old.values) > 0 || n.Changes && (n.values[bare] || old.values[bare]) && !n.values["date"] && !old.values["date"]
}

// unit is what all that is counted in a note is counted in; empty where that is not one.
func (n *Note) unit() string {
	one := ""
	for v := range n.values {
		if unit, ok := strings.CutPrefix(v, "of "); ok {
			if one != "" {
				return ""
			}
			one = unit
		}
	}
	return one
}

// values are the kinds of values in a text: "date", or "of" and what is counted.
func values(l *lang.Language, text string) map[string]bool {
	all := map[string]bool{}
	tokens := lang.Lex(text)
	for i, t := range tokens {
		number := t.Shape == lang.Number || t.Shape == lang.Word && l.Has("number", t.Lower)
		switch {
		case t.Shape == lang.Date, t.Shape == lang.Word && l.Has("date", strings.TrimSuffix(t.Lower, "s")), t.Shape == lang.Word && l.Has("date", t.Lower):
			all["date"] = true
		case !number:
		case i+1 < len(tokens) && counted(l, tokens[i+1]):
			all["of "+stem(tokens[i+1].Lower)] = true
			if i+2 < len(tokens) && counted(l, tokens[i+2]) {
				all["of "+stem(tokens[i+2].Lower)] = true
			}
		case i > 0 && counted(l, tokens[i-1]):
			all["of "+stem(tokens[i-1].Lower)] = true
		default:
			all[bare] = true
		}
	}
	if all["date"] {
		return map[string]bool{"date": true}
	}
	return all
}

// bare is the kind of a number of nothing that is named.
const bare = "number"

// counted reports whether a number beside a word may be of what it names.
func counted(l *lang.Language, t lang.Token) bool {
	unit := t.Shape == lang.Path && !strings.ContainsAny(t.Text, ".*") && !strings.HasPrefix(t.Text, "/") // "kbit/s"
	return (t.Shape == lang.Word || unit) && !l.Has(lang.Function, t.Lower) && !l.Has("change", t.Lower) && !l.Has("date", t.Lower) && !l.Has(lang.Verb, t.Lower) && !l.Has("place", t.Lower) && !l.Has(lang.Deictic, t.Lower) && !l.Has("day", t.Lower) && !l.Has("reason", t.Lower)
}

// stems are those of the words that tell what a text is about.
func stems(l *lang.Language, words []string) map[string]bool {
	all := map[string]bool{}
	for _, w := range words {
		w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")
		if w != "" && !l.Has(lang.Function, w) && !l.Has("change", w) {
			all[stem(w)] = true
		}
	}
	return all
}

func stem(w string) string {
	s := rank.Stem(strings.Trim(w, ".,;:!?\"'“”„()"))
	if r := []rune(s); len(r) > 5 && strings.HasSuffix(s, "en") {
		return string(r[:len(r)-2])
	}
	return s
}

// shared counts the words of a that are in b, or begin one of it.
func shared(a, b map[string]bool) int {
	n := 0
	for w := range a {
		if b[w] || len(w) >= 4 && begins(w, b) {
			n++
		}
	}
	return n
}

func begins(w string, words map[string]bool) bool {
	for other := range words {
		if len(other) >= 4 && (strings.HasPrefix(other, w) || strings.HasPrefix(w, other)) {
			return true
		}
	}
	return false
}

func union(a, b map[string]bool) map[string]bool {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// Standing are the notes of some kinds that hold, the oldest first.
func (n *Notes) Standing(kinds ...lang.Kind) []*Note {
	var all []*Note
	for _, note := range n.List {
		if !note.Over && slices.Contains(kinds, note.Kind) {
			all = append(all, note)
		}
	}
	slices.SortStableFunc(all, func(a, b *Note) int { return cmp.Compare(a.Order, b.Order) })
	return all
}

// Replaced are the facts, decisions and preferences that something else was told instead
// of, the oldest first.
func (n *Notes) Replaced() []*Note {
	return slices.DeleteFunc(slices.Clone(n.List), func(note *Note) bool {
		return !note.Over || note.Kind != lang.Fact && note.Kind != lang.Decision && note.Kind != lang.Preference
	})
}

// Inherited are the stems of what a note replaces: it is about that, too.
func (n *Note) Inherited() map[string]bool {
	all := maps.Clone(n.words)
	maps.DeleteFunc(all, func(w string, _ bool) bool { return n.own[w] })
	return all
}

// Dated reports whether a note holds a date, a time, or a name of one.
func (n *Note) Dated() bool { return n.values["date"] }

// Keys are words by which what became of a note may be found: those of its
// subject, and names, then others.
func (n *Note) Keys() []string {
	l := lang.Of(n.Text)
	var keys, others []string
	for _, t := range lang.Lex(n.Text) {
		if l.Has(lang.Function, t.Lower) || t.Shape == lang.Number || t.Shape == lang.Sign || slices.Contains(keys, t.Lower) {
			continue
		}
		if t.Shape == lang.Word && t.Text != t.Lower || strings.ContainsAny(t.Text, "0123456789./") || n.subject[stem(t.Lower)] {
			keys = append(keys, t.Lower)
		} else {
			others = append(others, t.Lower)
		}
	}
	keys = append(keys, others...)
	return keys[:min(len(keys), keyWords)]
}
