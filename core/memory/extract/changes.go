package extract

import (
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/linear"
)

// changesText are the weights by which one note is told to end another. They are fitted
// to core/lang/testdata/persons.
//
//go:embed changes.txt
var changesText string

//nolint:gochecknoglobals // parsed once from the embedded file, and never changed
var changesWeights = sync.OnceValue(func() linear.Weights { return linear.MustParse(changesText) })

// manyNotes are as many as hold a word that says nothing. They are not those that there are:
// what a note ends must not depend on how much else is known.
const manyNotes = 60

// leastChange are the log-odds from which on a note is told to end another. They are above 0,
// for what is ended wrongly is told as something of the past.
const leastChange = 0.4

// candidate is a note that another may end, and what counts for whether it does.
type candidate struct {
	old      *Note
	features linear.Features
}

// endedBy is the standing note that is no longer true because of a new one: that which the
// weights choose, or else the last one that it names the end of, "instead of the Boskoop we
// take a Cox", or that tells what there is only one of. It is nil where there is none.
func (n *Notes) endedBy(fresh *Note) (ended *Note) {
	most := leastChange
	for _, c := range n.candidates(fresh) {
		score := changesWeights().Score(c.features)
		only := fresh.single != "" && fresh.single == c.old.single
		if score > most || most == leastChange && (only || fresh.gives(c.old)) {
			ended, most = c.old, max(score, leastChange)
		}
	}
	return ended
}

// candidates are the standing notes that a new one may end.
func (n *Notes) candidates(fresh *Note) (all []candidate) {
	counts := map[string]int{}
	for _, old := range n.List {
		for w := range old.words {
			counts[w]++
		}
	}
	rare := func(w string) float64 {
		return max(math.Log(float64(manyNotes)/float64(counts[w]+1)), 0)
	}
	says, synonyms := fresh.saysOfChanges(), fresh.synonyms()
	most, second := 0.0, 0.0
	var read []float64
	for i, old := range n.List {
		if old.Over || old.Kind == lang.Ended || fresh.sameMessage(old) || fresh.isOfAnotherNumber(old) {
			continue
		}
		p := compare(fresh, old, synonyms, rare)
		if len(p.both) == 0 && p.alike == 0 && (fresh.single == "" || fresh.single != old.single) {
			continue
		}
		f := linear.Features{linear.Bias: 1}
		for name := range says {
			f.Set(name)
		}
		p.features(f)
		f["ago"] = math.Log(min(float64(len(n.List)-i), manyNotes))
		all = append(all, candidate{old, f})
		read = append(read, p.weight)
		if p.weight > most {
			most, second = p.weight, most
		} else if p.weight > second {
			second = p.weight
		}
	}
	for i := range all {
		f := all[i].features
		f.If("shares most", read[i] == most)
		f.If("shares most alone", read[i] == most && second < most)
		f.If("shares much less", read[i] < 0.6*most)
	}
	return all
}

// isOfAnotherNumber reports whether two notes tell of things of the same name that differ in
// their number: tank 3 and tank 5.
func (n *Note) isOfAnotherNumber(old *Note) bool {
	one, other := numbersOf(n.subject), numbersOf(old.subject)
	return len(one) > 0 && len(other) > 0 && shared(one, other) == 0 && shared(n.subject, old.subject) > 0
}

// numbersOf are the words that are numbers.
func numbersOf(words map[string]bool) map[string]bool {
	numbers := map[string]bool{}
	for w := range words {
		if _, err := strconv.Atoi(w); err == nil {
			numbers[w] = true
		}
	}
	return numbers
}

// saysOfChanges are what a note says of whether anything changed, whatever it was.
func (n *Note) saysOfChanges() linear.Features {
	f := linear.Features{}
	l, words := lang.Of(n.Text), lang.Words(n.Text)
	for _, w := range words {
		if l.Has(lang.Function, w) || l.Has(lang.Verb, w) || l.Has("separable", w) {
			f.Set(l.ID + " says " + w)
		}
	}
	for _, kind := range [...]string{
		"change", "present", "instead", "instead of", "ended", "finished", "formerly", "settled", "wish", "undone", "standing", "supposing", "open", "number", "names", "must anywhere",
		"preference", "decided", "gone", "given up", "but", "and", "reason", "day", "time", "degree",
	} {
		f.If("holds "+kind, l.HasPhrase(n.Text, kind))
		f.If("opens with "+kind, l.OpeningLength(n.Text, kind) > 0)
	}
	f.If("changes", n.Changes)
	f.Set("is " + string(n.Kind))
	f.Set(fmt.Sprint("long ", min(len(words)/3, 6)))
	f.If("of self", n.myself)
	f.If("dated", n.values["date"])
	f.If("counts", n.unit() != "")
	f.If("stands", n.Stands)
	f.Set(l.ID)
	return f
}

// pair is a note beside an earlier one.
type pair struct {
	n, old *Note
	both   map[string]bool // stems
	alike  int             // words that mean the same
	weight float64         // of what both share
	ofNew  float64         // its share of the new one's words
	ofOld  float64
	rarest float64
	more   int // words of the new one that are not in the old one
	less   int
}

// synonym is what else means the same as a word, by their stems.
type synonym struct {
	of     string
	others []string
}

// synonyms are those of the words of a note, in their order.
func (n *Note) synonyms() (all []synonym) {
	l := lang.Of(n.Text)
	for _, w := range lang.Words(n.Text) {
		if l.Has(lang.Function, w) {
			continue
		}
		s := synonym{of: stem(plain(l, w))}
		for _, other := range l.Synonyms(w) {
			s.others = append(s.others, stem(other))
		}
		all = append(all, s)
	}
	return all
}

// compare reads a note beside an earlier one. rare tells how much a stem counts. What counts is
// added up in the order of the words, for a sum of floats depends on it.
func compare(n, old *Note, synonyms []synonym, rare func(string) float64) *pair {
	p := &pair{n: n, old: old, both: map[string]bool{}}
	var whole, all float64
	for _, w := range slices.Sorted(maps.Keys(n.own)) {
		r := rare(w)
		whole += r
		if old.words[w] || len(w) >= 4 && begins(w, old.words) {
			p.both[w] = true
			p.weight += r
			p.rarest = max(p.rarest, r)
		}
	}
	for _, w := range slices.Sorted(maps.Keys(old.words)) {
		all += rare(w)
	}
	p.more, p.less = len(n.own)-len(p.both), len(old.words)-len(p.both)
	for _, s := range synonyms {
		if i := slices.IndexFunc(s.others, func(other string) bool { return old.own[other] }); i >= 0 && !p.both[s.of] {
			p.alike++
			p.weight += rare(s.others[i])
		}
	}
	p.ofNew, p.ofOld = p.weight/max(whole, 0.1), p.weight/max(all, 0.1)
	return p
}

func (p *pair) features(f linear.Features) {
	n, old := p.n, p.old
	f["of new"], f["of old"] = min(p.ofNew, 1), min(p.ofOld, 1)
	f["weight"], f["rarest"] = min(p.weight, 12), p.rarest
	f.Set(fmt.Sprint("shares ", min(len(p.both), 4)))
	f.Set(fmt.Sprint("alike ", min(p.alike, 2)))
	f.Set(fmt.Sprint("more ", min(p.more, 5)))
	f.Set(fmt.Sprint("less ", min(p.less, 5)))
	kinds := string(n.Kind) + " after " + string(old.Kind)
	f.Set(kinds)
	f.If(kinds+", half", p.ofNew > 0.5 || p.ofOld > 0.5)
	f.If("changes, half", n.Changes && (p.ofNew > 0.5 || p.ofOld > 0.5))
	p.subjects(f)
	p.values(f)
	f.If("gives", n.gives(old))
	f.If("both of self", n.myself && old.myself)
	f.If("both ours", n.Ours && old.Ours)
	f.If("of self, of other", n.myself != old.myself)
	f.If("single", n.single != "" && n.single == old.single)
	f.Set(fmt.Sprint("names ", n.copular, " after ", old.copular))
	for _, w := range lang.Words(old.Text) {
		if l := lang.Of(old.Text); l.Has(lang.Function, w) {
			f.Set(l.ID + " said " + w)
		}
	}
	f.If("other language", lang.Of(n.Text) != lang.Of(old.Text))
	f.If("changed", n.changed != "" && n.changed == old.head)
}

// subjects are whether two notes tell of the same thing, and the same of it.
func (p *pair) subjects(f linear.Features) {
	n, old := p.n, p.old
	inOld, inNew := shared(n.subject, old.words), shared(old.subject, n.own)
	both := shared(n.subject, old.subject)
	f.If("subject in old", len(n.subject) > 0 && inOld == len(n.subject))
	f.If("subject partly in old", inOld > 0 && inOld < len(n.subject))
	f.If("subject not in old", len(n.subject) > 0 && inOld == 0)
	f.If("old subject in new", len(old.subject) > 0 && inNew == len(old.subject))
	f.If("old subject partly in new", inNew > 0 && inNew < len(old.subject))
	f.If("old subject not in new", len(old.subject) > 0 && inNew == 0)
	f.If("same subject", len(n.subject) > 0 && both == len(n.subject) && len(n.subject) == len(old.subject))
	f.If("subjects differ in a word", both > 0 && (both < len(n.subject) || both < len(old.subject)))
	f.If("subjects have other words", both > 0 && both < len(n.subject) && both < len(old.subject))
	f.If("other subjects", len(n.subject) > 0 && len(old.subject) > 0 && both == 0)
	f.If("no subject", len(n.subject) == 0)
	f.If(fmt.Sprint("same subject, names ", n.copular, " after ", old.copular), both > 0 && both == len(n.subject))
	f.If("same head", n.head != "" && n.head == old.head)
	f.If("known subject", n.the)
	verb := n.verb != "" && n.verb == old.verb
	f.If("same verb", verb)
	f.If("same verb, same subject", verb && both > 0)
	f.If("same verb, other subject", verb && both == 0 && len(n.subject) > 0)
	f.If("old verb in new", old.verb != "" && !verb && n.own[old.verb])
	f.If("verb in old", n.verb != "" && !verb && old.own[n.verb])
	f.If("duty", n.duty && old.duty && sameDuty(n, old))
	f.If("several", lang.Of(old.Text).TellsSeveral(old.Text))
	f.If("tells the same", n.tellsTheSame(old))
}

// values are whether two notes hold values of the same kind.
func (p *pair) values(f linear.Features) {
	n, old := p.n, p.old
	for v := range n.values {
		switch {
		case v == "date" && old.values["date"]:
			f.Set("both dated")
		case v == bare && old.values[bare]:
			f.Set("both count nothing named")
		case old.values[v]:
			f.Set("same unit")
		}
	}
	f.If("value after none", len(n.values) > 0 && len(old.values) == 0)
	f.If("none after value", len(n.values) == 0 && len(old.values) > 0)
	f.If("other values", len(n.values) > 0 && len(old.values) > 0 && shared(n.values, old.values) == 0)
	numbers, same := figures(n.Text), false
	before := figures(old.Text)
	for w := range numbers {
		same = same || before[w]
	}
	f.If("same figure", same)
	f.If("other figures", len(numbers) > 0 && len(before) > 0 && !same)
	f.If("figure after none", len(numbers) > 0 && len(before) == 0)
	names, earlier := named(n.Text), named(old.Text)
	shares := shared(names, earlier)
	f.If("same name", shares > 0)
	f.If("other names", len(names) > shares && len(earlier) > shares)
	f.If("new name", len(names) > shares)
	f.If("name missing", len(earlier) > shares)
}

// figures are the words of a text with a digit in them.
func figures(text string) map[string]bool {
	all := map[string]bool{}
	for _, w := range lang.Words(text) {
		if strings.ContainsAny(w, "0123456789") {
			all[w] = true
		}
	}
	return all
}

// named are the names in a text.
func named(text string) map[string]bool {
	all := map[string]bool{}
	l := lang.Of(text)
	for i, t := range lang.Lex(text) {
		if t.Shape == lang.Word && t.Text != t.Lower && (i > 0 && l.ID != "de" || i == 0 && !l.Has(lang.Function, t.Lower)) {
			all[stem(t.Lower)] = true
		}
	}
	return all
}
