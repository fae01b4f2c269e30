package extract

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core/lang"
)

// DefaultContext is how many characters a context has at most if not said
// otherwise.
const DefaultContext = 5000

// Turn is one message of a conversation.
type Turn struct {
	Role string // user, assistant, tool, system
	Text string // as it was written, not a summary of it
	Time time.Time

	Answered bool // a tool answered it: what has no verb was a question
}

const (
	longest = 200 // runes of a line
	longNow = 300 // runes of a line of a model, of which some may stay
)

// The sections of a context, in their order.
const (
	now       = iota // what was last talked about
	open             // questions without an answer, and tasks
	decisions        // what was decided
	lasting          // what holds for long: names, numbers, places, preferences
	history          // earlier topics with their dates
	count
)

func headings() [count]string {
	return [count]string{"Now", "Open", "Decisions", "Facts", "History"}
}

// contents are the lines of the sections.
type contents [count][]string

// Context returns a document of at most max characters (runes; DefaultContext
// if max is not positive) with the sections Now, Open, Decisions, Facts and
// History: what the previous context says, brought up to date by what the user
// told in the turns that followed, the oldest first. What is told anew replaces
// what was told of the same thing, which goes to History, as what is done does.
// Turns that the previous context knows add nothing. If it gets too long, every
// section may keep a share of the room and what the others leave; History is
// pruned first, then Now, Open, Decisions and, last, those of the Facts that tell
// least. Where there is nothing to tell it is empty.
func Context(previous string, turns []Turn, max int) string {
	limit := limitOf(max, DefaultContext)
	c := read(previous)
	notes := c.notes()
	for i, turn := range turns {
		if turn.Role == "user" {
			for _, n := range NotesOf(turn.Text, turn.Time, "", len(c[now])+i+1) {
				if !turn.Answered || !n.IsPhrase() {
					notes.AddNote(n)
				}
			}
		}
	}
	if c.write(notes); c.empty() {
		return ""
	}
	c.shrink(limit, [count]int{now: 25, open: 15, decisions: 20, lasting: 30, history: 10})
	c.shrink(limit, [count]int{})
	return c.render(limit)
}

// ReadContext returns the notes of a context, and those of the turns that followed.
func ReadContext(context string) *Notes {
	c := read(context)
	return c.notes()
}

// notes are what the lines of a context tell.
func (c *contents) notes() *Notes {
	n := &Notes{}
	take := func(line string, kind lang.Kind) *Note {
		text, at := undated(line)
		if kind == lang.Fact {
			if told := lang.Notes(text); len(told) == 1 && told[0].Kind == lang.Preference {
				kind = lang.Preference
			}
		}
		note := newNote(lang.Noted{Text: text, Kind: kind}, at, "", -1)
		n.List = append(n.List, note)
		return note
	}
	for _, line := range c[history] {
		text, since, done := unended(line)
		note := take(text, map[bool]lang.Kind{true: lang.Task, false: lang.Fact}[done])
		note.Over, note.Until = true, since
	}
	for _, part := range [...]struct {
		section int
		kind    lang.Kind
	}{{open, lang.Task}, {decisions, lang.Decision}, {lasting, lang.Fact}} {
		for _, line := range c[part.section] {
			take(line, part.kind)
		}
	}
	return n
}

// write makes lines of notes.
func (c *contents) write(n *Notes) {
	for i := range c {
		if i != now {
			c[i] = nil
		}
	}
	for _, note := range n.List {
		line := Summary("user", told(note), longest)
		switch {
		case note.Kind == lang.Discussed, note.Kind == lang.Done, note.Kind == lang.Ended:
		case note.Over && note.Kind == lang.Task:
			c[history] = append(c[history], "done "+note.Until.Format(time.DateOnly)+": "+line)
		case note.Over:
			c[history] = append(c[history], "until "+note.Until.Format(time.DateOnly)+": "+line)
		case note.Kind == lang.Task:
			c[open] = append(c[open], dated(line, note.Time))
		case note.Kind == lang.Decision:
			c[decisions] = append(c[decisions], dated(line, note.Time))
		default:
			c[lasting] = append(c[lasting], dated(line, note.Time))
		}
	}
	for i := range c {
		c[i] = distinct(c[i])
	}
}

func (c *contents) empty() bool {
	return !slices.ContainsFunc(c[:], func(lines []string) bool { return len(lines) > 0 })
}

// told is the text of a note as a context tells it.
func told(n *Note) string {
	if rest := lang.TrimStatementPrefix(n.Text); n.Kind == lang.Task || n.Kind == lang.Decision {
		return rest
	}
	return n.Text
}

func dated(line string, at time.Time) string {
	if at.IsZero() {
		return line
	}
	return line + " (" + at.Format(time.DateOnly) + ")"
}

// undated parts a line from its date.
func undated(line string) (string, time.Time) {
	if i := strings.LastIndex(line, " ("); i > 0 && strings.HasSuffix(line, ")") {
		if at, err := time.Parse(time.DateOnly, line[i+2:len(line)-1]); err == nil {
			return line[:i], at
		}
	}
	return line, time.Time{}
}

// unended parts a line of History from since when it is no longer true.
func unended(line string) (text string, since time.Time, done bool) {
	head, text, ok := strings.Cut(line, ": ")
	word, day, _ := strings.Cut(head, " ")
	at, err := time.Parse(time.DateOnly, day)
	if !ok || err != nil || word != "until" && word != "done" {
		return line, time.Time{}, false
	}
	return text, at, word == "done"
}

// Correct returns a context of at most max characters (runes; DefaultContext if
// max is not positive) in which what was taken from one turn is told as another
// says it. Where nothing in it was taken from the first it stays as it is.
func Correct(context string, wrong, right Turn, max int) string {
	limit := limitOf(max, DefaultContext)
	keys := map[string]bool{}
	for _, n := range lang.Notes(wrong.Text) {
		keys[key(told(&Note{Noted: n}))] = true
	}
	c := read(context)
	notes := c.notes()
	n := len(notes.List)
	notes.List = slices.DeleteFunc(notes.List, func(note *Note) bool { return keys[key(note.Text)] })
	if len(notes.List) == n {
		return context
	}
	notes.Add(right.Text, right.Time, "", 1)
	if len(lang.Notes(right.Text)) == 0 {
		notes.List = append(notes.List, newNote(lang.Noted{Text: Summary(right.Role, right.Text, longest), Kind: lang.Fact}, right.Time, "", 1))
	}
	c.write(notes)
	c.shrink(limit, [count]int{})
	return c.render(limit)
}

// Sections returns the text of each section of a context by its heading; all
// five are there. What stands outside of them is a part of Now.
func Sections(context string) map[string]string {
	all := make(map[string]string, count)
	c := read(context)
	for i, heading := range headings() {
		all[heading] = strings.Join(c[i], "\n")
	}
	return all
}

// Trim returns a context of at most max characters (runes; DefaultContext if
// max is not positive) with all its headings: lines of History are left out
// first, then of Now, Open, Decisions and Facts.
func Trim(context string, max int) string {
	limit := limitOf(max, DefaultContext)
	c := read(context)
	c.shrink(limit, [count]int{})
	return c.render(limit)
}

// read takes a context apart.
func read(context string) contents {
	var c contents
	section, known := now, headings()
	for raw := range strings.Lines(context) {
		text := fold(raw)
		if !strings.ContainsFunc(text, wordRune) && !strings.ContainsFunc(text, unspaced) {
			continue
		}
		if strings.HasPrefix(text, "#") {
			text = strings.Trim(text, "#*: ")
			i := slices.IndexFunc(known[:], func(h string) bool { return strings.EqualFold(h, text) })
			if i >= 0 {
				section = i
				continue
			}
			if strings.HasPrefix(raw, "## ") || strings.HasPrefix(raw, "# ") {
				section = now
			}
		}
		if rest, ok := bullet(text); ok {
			text = rest
		}
		c[section] = append(c[section], text)
	}
	return c
}

// render writes the sections; of a limit that is too small for the headings,
// as many as fit.
func (c *contents) render(limit int) string {
	var b strings.Builder
	for i, heading := range headings() {
		if utf8.RuneCountInString(b.String())+len(heading)+5 > limit && c.size() > limit {
			break
		}
		if i > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString("## " + heading)
		for _, line := range c[i] {
			b.WriteString("\n- " + line)
		}
	}
	return b.String()
}

// size is how many runes the rendered sections have.
func (c *contents) size() int {
	n := -2
	for i, heading := range headings() {
		n += len(heading) + 5 + size(c[i])
	}
	return n
}

func size(lines []string) int {
	n := 0
	for _, line := range lines {
		n += utf8.RuneCountInString(line) + 3
	}
	return n
}

// shrink takes lines out of the sections, the least durable section first,
// until they fit, but leaves to each its share of limit, in percent.
func (c *contents) shrink(limit int, share [count]int) {
	total := c.size()
	frame := total
	for i := range c {
		frame -= size(c[i])
	}
	for _, i := range []int{history, now, open, decisions, lasting} {
		if total <= limit {
			return
		}
		before := size(c[i])
		room := max(before-(total-limit), (limit-frame)*share[i]/100, 0)
		c[i] = prune(c[i], room, i == lasting)
		total -= before - size(c[i])
	}
}

// prune leaves out the oldest lines, or those with the least weight, until the
// rest fits into room. Of a line that is longer than ours are, some may stay.
func prune(lines []string, room int, weighed bool) []string {
	over := size(lines) - room
	if over <= 0 {
		return lines
	}
	order := make([]int, len(lines))
	weights := make([]int, len(lines))
	for i, line := range lines {
		order[i] = i
		if weighed {
			weights[i] = weight(line)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return weights[a] - weights[b] })
	left := slices.Clone(lines)
	for _, i := range order {
		if over <= 0 {
			break
		}
		n := utf8.RuneCountInString(left[i])
		if rest := n - over; n > longNow && rest >= least {
			if left[i] = Summary("", left[i], rest); left[i] != none {
				break
			}
		}
		left[i] = ""
		over -= n + 3
	}
	return slices.DeleteFunc(left, func(line string) bool { return line == "" })
}

// weight is how long a fact is worth keeping.
func weight(line string) int {
	w := 0
	switch lower := strings.ToLower(line); {
	case says(lower, "personal"):
		w = 20
	case says(lower, "lasting"):
		w = 5
	}
	facts := 0
	for _, f := range parse(line).spans {
		switch f.kind {
		case path, address, identifier, name:
			facts += 2
		default:
			facts++
		}
	}
	return w + min(facts, 6) // a list of numbers is not worth more
}

// distinct leaves out lines that say the same as an earlier one.
func distinct(lines []string) []string {
	seen := map[string]bool{}
	var left []string
	for _, line := range lines {
		if k := key(line); !seen[k] {
			seen[k] = true
			left = append(left, line)
		}
	}
	return left
}

// key is what a line says, however it is written.
func key(line string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(line), func(r rune) bool { return !wordRune(r) && !unspaced(r) }), " ")
}
