package extract

import (
	"maps"
	"slices"

	"github.com/yaap-chat/yaap/core/lang"
)

// add takes a note, which may end others.
func (n *Notes) add(fresh *Note) {
	for _, old := range n.List {
		if key(told(old)) == key(told(fresh)) && (!old.Over || !fresh.Time.After(old.Until.AddDate(0, 0, 1))) {
			return // it is known
		}
	}
	closes, decided := false, false
	switch old := n.endedBy(fresh); {
	case old == nil:
	case fresh.changesPart(old):
		old.Now = fresh
	default:
		closes = old.Kind == lang.Task
		old.Over, old.Until, old.endedBy = true, fresh.Time, fresh
		if !closes && fresh.Kind != lang.Ended {
			old.Now = fresh
			fresh.replaces(old)
			decided = old.Kind == lang.Decision
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

// tellsTheSame reports whether what a note says to be so now is of the kind of what an earlier
// one says: "the desk is in the loft now" is not of the kind of "the desk is made of oak".
func (n *Note) tellsTheSame(old *Note) bool {
	l := lang.Of(n.Text)
	if len(n.values) > 0 || l.TellsChange(n.Text) {
		return true
	}
	deed, placed := l.PredicateVerb(n.Text)
	before, there := lang.Of(old.Text).PredicateVerb(old.Text)
	if deed == "" && before == "" {
		return placed == there
	}
	return stem(deed) == stem(before) || slices.Contains(l.Synonyms(deed), before)
}

// gives reports whether a note tells that what an earlier one says was changed:
// "moved from heron-2 to osprey-1".
func (n *Note) gives(old *Note) bool {
	l := lang.Of(n.Text)
	for _, w := range l.FormerValues(n.Text) {
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
	return n.Changes && slices.ContainsFunc(lang.Of(n.Text).FormerValues(n.Text), func(w string) bool { return old.own[stem(w)] && l.IsOneOfList(old.Text, w) })
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
