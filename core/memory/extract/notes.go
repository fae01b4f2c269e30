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
	maxEnd   = 3 // bytes of a word behind another that it begins with: a longer one is another thing
)

// Note is one thing that the user told, and what became of it.
type Note struct {
	lang.Noted
	Time  time.Time // when it was said; zero: not known
	Entry string    // where
	Order int       // the higher, the later
	Until time.Time // since then it is no longer true, or is done
	Over  bool      // it is not

	Ours bool // it is told of who speaks, or what it replaced was

	Now *Note // what is so instead; where it is not over, of a part of it

	words   map[string]bool // stems of what it is about, that of what it replaced included
	former  []string        // the words of what it replaced
	own     map[string]bool // of its own words only
	subject map[string]bool
	values  map[string]bool // its kinds of values: a date, an amount of something
	head    string          // of the subject
	changed string          // what it says was changed for another of its kind
	the     bool            // the subject is one that is known: "the room"
	copular bool
	verb    string
	duty    bool   // it tells who does something
	single  string // what one has only one of: a home, a name
	myself  bool   // who speaks is its subject
	endedBy *Note
}

// Notes is what was told, in its order. What is told anew replaces what was told of
// the same thing.
type Notes struct {
	List    []*Note
	Passing []*Note // what was told that is not worth keeping
}

// Add takes what a message of the user tells.
func (n *Notes) Add(text string, at time.Time, entry string, order int) {
	for _, note := range NotesOf(text, at, entry, order) {
		n.AddNote(note)
	}
}

// AddNote adds a note of [NotesOf] or [NotesWithPassing].
func (n *Notes) AddNote(note *Note) {
	if note.Kind == lang.Said {
		n.Passing = append(n.Passing, note)
		return
	}
	n.add(note)
}

// All are the notes as they were told, whatever became of them.
func (n *Notes) All() []*Note { return n.List }

// NotesOf are the notes of one message.
func NotesOf(text string, at time.Time, entry string, order int) (all []*Note) {
	for _, told := range lang.Notes(text) {
		all = append(all, newNote(told, at, entry, order))
	}
	return all
}

// IsPhrase reports whether a note tells something without a verb: what an expert answered is
// then a question, "orders from Zoë in July".
func (n *Note) IsPhrase() bool {
	return (n.Kind == lang.Fact || n.Kind == lang.Said) && !lang.Of(n.Text).HasVerb(n.Text)
}

// NotesWithPassing are the notes of one message, with those that are not worth remembering.
func NotesWithPassing(text string, at time.Time, entry string, order int) (all []*Note) {
	notes := lang.Notes(text)
	for _, told := range notes {
		all = append(all, newNote(told, at, entry, order))
	}
	for _, sentence := range lang.UnnotedStatements(text, notes) {
		all = append(all, newNote(lang.Noted{Text: sentence, Kind: lang.Said}, at, entry, order))
	}
	return all
}

// QuestionNote is a note of what was asked.
func QuestionNote(text string, at time.Time, entry string, order int) *Note {
	return newNote(lang.Noted{Text: text}, at, entry, order)
}

func newNote(told lang.Noted, at time.Time, entry string, order int) *Note {
	n := &Note{Noted: told, Time: at, Entry: entry, Order: order}
	l := lang.Of(told.Text)
	n.own = stems(l, l.Without(told.Text, append(beside(told.Kind), "change", "ended", "settled", "wish", "ended last", "light", "new")...))
	n.words = n.own
	n.subject = stems(l, slices.DeleteFunc(l.Subject(strings.TrimSpace(told.Text)), func(w string) bool { return l.Has("new", w) }))
	if key, _, ok := strings.Cut(told.Text, ": "); ok && len(n.subject) == 0 {
		n.subject = stems(l, lang.Words(key))
	}
	n.head, n.the = head(l, told.Text)
	n.values, n.changed = values(l, told.Text), stem(l.ReplacedThing(told.Text))
	n.verb = stem(l.MainVerb(told.Text))
	n.duty = l.Has("duty", l.MainVerb(told.Text)) && len(n.subject) > 0
	for _, w := range lang.Words(told.Text) {
		n.Ours = n.Ours || l.Has(lang.Mine, w)
		switch own := l.IsAboutSpeaker(told.Text); {
		case own && l.Has("single", w):
			n.single = "home"
		case own && l.Has("named", w) && n.subject[stem(w)]:
			n.single = "name"
		}
	}
	n.copular = l.IsDefinition(told.Text)
	n.myself = l.SubjectIsSpeaker(told.Text)
	return n
}

// beside are the kinds of words that say what became of a thing, where a note of a kind
// says only that.
func beside(kind lang.Kind) []string {
	switch kind {
	case lang.Done:
		return []string{"finished", "bygone"}
	case lang.Task:
		return []string{"undone"}
	}
	return nil
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
			all[stem(plain(l, w))] = true
		}
	}
	return all
}

// plain is the form of a word that stands for all that no rule makes of it: "jefa" for "jefe".
func plain(l *lang.Language, w string) string { return slices.Min(append(l.IrregularForms(w), w)) }

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
		if len(other) >= 4 && len(w) <= len(other)+maxEnd && len(other) <= len(w)+maxEnd && (strings.HasPrefix(other, w) || strings.HasPrefix(w, other)) {
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

// Current are the notes of some kinds that hold, the oldest first.
func (n *Notes) Current(kinds ...lang.Kind) []*Note {
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

// Ended are the notes that say that something is no longer true.
func (n *Notes) Ended() []*Note {
	return slices.DeleteFunc(slices.Clone(n.List), func(note *Note) bool { return note.Kind != lang.Ended })
}

// Finished are the notes that say that something was done: "upgraded dbt to 1.8".
func (n *Notes) Finished() []*Note {
	return slices.DeleteFunc(slices.Clone(n.List), func(note *Note) bool { return note.Kind != lang.Done })
}

// IsReplacedBy reports whether a later note replaces n, directly or through others.
func (n *Note) IsReplacedBy(later *Note) bool {
	for range maxNotes {
		if n = n.Now; n == nil || n == later {
			break
		}
	}
	return n != nil
}

// ReplacedWords are the words of the notes that a note replaces, and their stems: it is
// about those, too.
func (n *Note) ReplacedWords() map[string]bool {
	all := map[string]bool{}
	for _, w := range n.former {
		if s := stem(plain(lang.Of(n.Text), w)); n.words[s] && !n.own[s] {
			all[w], all[rank.Stem(w)] = true, true
		}
	}
	return all
}

// ReplacingWords are the words of the notes that replace a note, and their stems.
func (n *Note) ReplacingWords() map[string]bool {
	all := map[string]bool{}
	for now := n.Now; n.Over && now != nil && len(all) < maxNotes; now = now.Now {
		l := lang.Of(now.Text)
		for _, w := range lang.Words(now.Text) {
			if !l.Has(lang.Function, w) {
				all[w], all[rank.Stem(w)] = true, true
			}
		}
	}
	return all
}

// replaces makes a note be about what it replaces, too.
func (n *Note) replaces(old *Note) {
	n.words, n.Ours = union(n.words, old.words), n.Ours || old.Ours
	n.former = append(slices.Concat(n.former, old.former), lang.Words(old.Text)...)
}

// Dated reports whether a note holds a date, a time, or a name of one.
func (n *Note) Dated() bool { return n.values["date"] }

// SearchWords are words by which later notes about the same may be found: those of its
// subject, and names, then others.
func (n *Note) SearchWords() []string {
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
