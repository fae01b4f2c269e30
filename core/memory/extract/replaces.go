package extract

import (
	"maps"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core/lang"
)

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
			fresh.replaces(old)
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
			now.replaces(old)
		}
	}
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
	case n.Kind == lang.Done && old.Kind == lang.Fact && old.Dated() && old.verb != "" && n.own[old.verb]: // "the tiles arrive on Monday", "the tiles arrived"
		return len(old.subject) > 0 && shared(old.subject, n.own) == len(old.subject)
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
	decidedAnew := n.Kind == lang.Decision && old.Kind == lang.Decision
	about = about && (n.myself || !old.myself || decidedAnew)
	alike := len(n.subject) > 0 && shared(n.subject, old.subject) == len(n.subject) && (len(n.subject) == len(old.subject) || n.the && n.head == old.head)
	switch {
	case n.Changes && same && n.changed != "" && n.changed == old.head: // "we changed the insurance"
		return true
	case n.Changes && about && same && n.tellsTheSame(old), n.single != "" && n.single == old.single:
		return true
	case n.Changes && both > 0 && n.Kind == lang.Preference && old.Kind == lang.Preference:
		return true
	case n.duty && old.duty && !n.Time.Before(old.Time) && sameDuty(n, old):
		return true
	case n.Changes && both > 1 && !n.copular && n.verb != "" && n.verb == old.verb:
		return true
	case n.Changes && same && len(n.values) > 0 && (shared(n.uncounted(), old.words) > 1 || both > 0 && n.sameUnit(old)):
		return true
	case alike && same && (n.copular && old.copular && n.tellsTheSame(old) || len(n.values) > 0):
		return true
	}
	return false
}

// tellsTheSame reports whether what a note says to be so now is of the kind of what an earlier
// one says: "the desk is in the loft now" is not of the kind of "the desk is made of oak".
func (n *Note) tellsTheSame(old *Note) bool {
	l := lang.Of(n.Text)
	if len(n.values) > 0 || l.Shifts(n.Text) {
		return true
	}
	deed, placed := l.Deed(n.Text)
	before, there := lang.Of(old.Text).Deed(old.Text)
	if deed == "" && before == "" {
		return placed == there
	}
	return stem(deed) == stem(before) || slices.Contains(l.Alike(deed), before)
}

// sameUnit reports whether all that two notes count is of one unit. Money is spent on many
// things: of that they have another word in common, too.
func (n *Note) sameUnit(old *Note) bool {
	unit := n.unit()
	if unit == "" || unit != old.unit() {
		return false
	}
	about := n.uncounted()
	maps.DeleteFunc(about, func(w string, _ bool) bool { return !old.words[w] })
	return !lang.Of(n.Text).Has("currency", unit) || len(about) > 0
}

// uncounted are the stems of a note but for its numbers and what they count.
func (n *Note) uncounted() map[string]bool {
	unit, all := n.unit(), maps.Clone(n.own)
	maps.DeleteFunc(all, func(w string, _ bool) bool { return w == unit || strings.ContainsAny(w, "0123456789") })
	return all
}

// gives reports whether a note tells that what an earlier one says was changed:
// "moved from heron-2 to osprey-1".
func (n *Note) gives(old *Note) bool {
	l := lang.Of(n.Text)
	for _, w := range l.Given(n.Text) {
		date := l.Has("date", w) && shared(n.own, old.words) < 2 // other things are on a Thursday, too
		if n.Changes && !date && (old.own[stem(w)] || l.Has("date", w) && old.own[stem(w+"s")]) {
			return true
		}
	}
	return false
}

// changesPart reports whether a note says that one of the things that an earlier one lists
// was changed: "instead of the Boskoop we take a Cox".
func (n *Note) changesPart(old *Note) bool {
	l := lang.Of(old.Text)
	if n.Changes && len(n.subject) > 0 && shared(n.subject, old.subject) == 0 && l.TellsSeveral(old.Text) { // "Ada leads and Ben tests", "the new tester is Eva"
		return true
	}
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
