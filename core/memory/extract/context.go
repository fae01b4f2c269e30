package extract

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// DefaultContext is how many characters a context has at most if not said
// otherwise.
const DefaultContext = 5000

// Turn is one message of a conversation.
type Turn struct {
	Role string // user, assistant, tool, system
	Text string // as it was written, not a summary of it
	Time time.Time
}

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
// History: what the previous context says, brought up to date by the turns that
// followed, the oldest first. Turns that the previous context knows add
// nothing, as far as there was room. If it gets too long, every section may keep a share of the room and
// what the others leave; History is pruned first, then Now, Open, Decisions
// and, last, those of the Facts that tell least.
func Context(previous string, turns []Turn, max int) string {
	limit := max
	if limit <= 0 {
		limit = DefaultContext
	}
	c := read(previous)
	var b batch
	for _, turn := range turns {
		b.add(turn)
	}
	c[open] = b.stillOpen(c[open])
	c[decisions] = append(c[decisions], b.decisions...)
	c[lasting] = append(c[lasting], b.lasting...)
	if n := len(b.now); n > 0 {
		late := b.now[n-min(recent, n):]
		c[history] = append(c[history], topics(slices.Concat(c[now], b.now[:n-len(late)]), late)...)
		c[now] = late
	}
	for i := range c {
		c[i] = distinct(c[i])
	}
	c.shrink(limit, [count]int{now: 25, open: 15, decisions: 20, lasting: 30, history: 10})
	c.shrink(limit, [count]int{})
	return c.render(limit)
}

// Correct returns a context of at most max characters (runes; DefaultContext if
// max is not positive) in which what was taken from one turn is told as another
// says it. Where nothing in it was taken from the first it stays as it is.
func Correct(context string, wrong, right Turn, max int) string {
	limit := max
	if limit <= 0 {
		limit = DefaultContext
	}
	var before, after batch
	before.add(wrong)
	after.add(right)
	keys := []string{key(Summary(wrong.Role, wrong.Text, longNow)), key(Summary(wrong.Role, wrong.Text, longest))}
	for _, line := range slices.Concat(before.lasting, before.decisions) {
		keys = append(keys, key(line))
	}
	taken := func(line string) bool {
		line = " " + key(line) + " "
		return slices.ContainsFunc(keys, func(k string) bool { return len(contentWords(k)) > 1 && strings.Contains(line, " "+k+" ") })
	}
	c := read(context)
	told := false
	for i, lines := range c {
		if c[i] = slices.DeleteFunc(slices.Clone(lines), taken); len(c[i]) == len(lines) {
			continue
		}
		told = true
		switch i {
		case decisions, lasting:
			instead := slices.Concat(after.decisions, after.lasting)
			if len(instead) == 0 {
				instead = []string{Summary(right.Role, right.Text, longest)}
			}
			c[i] = distinct(append(c[i], instead...))
		}
	}
	if !told {
		return context
	}
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
	limit := max
	if limit <= 0 {
		limit = DefaultContext
	}
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
	case personal(lower):
		w = 20
	case durable(lower):
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

// topics returns a line for each topic of earlier lines of Now: its date and
// what the user said first. A line that is in late is not earlier.
func topics(lines, late []string) []string {
	var all []string
	var last map[string]bool
	for _, line := range lines {
		if slices.Contains(late, line) {
			continue
		}
		day, text := unstamp(line)
		said, ok := strings.CutPrefix(text, "user: ")
		if !ok && strings.HasPrefix(text, "assistant: ") {
			continue
		}
		words := contentWords(said)
		if len(words) < 3 || len(last) > 0 && 3*shared(words, last) >= len(words) {
			continue
		}
		last = words
		if head, _, listed := strings.Cut(said, also); listed && head != "" {
			said = strings.TrimRight(head, dangling)
		}
		said = Summary("user", said, longest)
		if day != "" {
			said = day + ": " + said
		}
		all = append(all, said)
	}
	return all
}

// stamp is what begins a line of Now.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format("2006-01-02 15:04 ")
}

// unstamp parts a line of Now from its day.
func unstamp(line string) (day, text string) {
	if day, rest, ok := strings.Cut(line, " "); ok && len(day) == 10 && isDate(day) {
		if clock, text, ok := strings.Cut(rest, " "); ok && len(clock) == 5 && clock[2] == ':' {
			return day, text
		}
	}
	return "", line
}

// contentWords are the words of a text that tell what it is about.
func contentWords(text string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		word = strings.Trim(word, ".,;:!?()\"'`*„“”»«")
		if len(word) > 2 && !common(word) {
			words[word] = true
		}
	}
	return words
}

// shared counts the words of a that are in b.
func shared(a, b map[string]bool) int {
	n := 0
	for word := range a {
		if b[word] {
			n++
		}
	}
	return n
}
