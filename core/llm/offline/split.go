package offline

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// part is a piece of the prompt that is asked on its own.
type part struct {
	text    string
	after   bool   // it wants the result of the part before
	request bool   // it is worded as a question or a request
	to      string // the expert it is addressed to, "" for whom it fits
	follows bool   // it was made of a prompt and what was said before
}

// maxSegments bounds how many pieces of a prompt are considered.
const maxSegments = 12

// joint says how a segment hangs together with the one before.
type joint uint8

const (
	soft     joint = iota // and, also, a comma, a full stop
	hard                  // a question mark, a semicolon, a line of its own
	sequence              // then, after that
	item                  // an item of a list of its own
)

type segment struct {
	start, end int
	joint      joint
	comma      bool // only a comma stands before it
}

// split cuts prompt into the parts that are asked on their own. Where the
// words leave it open, it is cut if both sides have somebody who fits them.
// asked reports whether a text has been asked already.
func (r *room) split(prompt string, asked func(string) bool) []part {
	segments := segmentsOf(prompt, r.itemsOf(prompt))
	var parts []part
	var begin int // of the last part
	for i, s := range segments {
		if i == 0 {
			parts = append(parts, r.newPart(prompt[s.start:s.end]))
			begin = s.start
			continue
		}
		left, right := &parts[len(parts)-1], r.newPart(prompt[s.start:s.end])
		whole := prompt[begin:s.end]
		if who, rest := r.address("it " + right.text); rest == "it" && left.to == "" {
			left.to, left.request = who, true // "... Ask NAME."
			continue
		}
		right.after = s.joint == sequence || (s.joint == soft || s.joint == item) && r.dependent(right.text)
		if !r.apart(*left, right, whole, s, asked) {
			after := left.after
			*left = r.newPart(whole)
			left.after = after
			continue
		}
		if e, ok := elliptic(left.text, right.text); ok && !right.after {
			right = r.newPart(e)
			right.request = true
		}
		begin = s.start
		parts = append(parts, right)
	}
	return r.drop(parts)
}

func (r *room) newPart(text string) part {
	text = strings.Trim(text, " \t\r\n,")
	to, rest := r.address(text)
	p := part{text: text, to: to, request: requests(text)}
	if to != "" {
		p.text, p.request = rest, true
	}
	return p
}

// drop leaves out remarks, as long as something is left. What is no remark is
// kept although nobody fits it: the user is told that it was not answered.
func (r *room) drop(parts []part) []part {
	var kept []part
	for i, p := range parts {
		next := i+1 < len(parts) && parts[i+1].after
		if p.text != "" && (p.after || next || r.best(p).ok() || !r.remark(p.text)) {
			kept = append(kept, p)
		}
	}
	if len(kept) == 0 && len(parts) > 0 {
		return parts[:1]
	}
	return kept
}

// remark reports whether a text asks for nothing: it tells something, or is what
// people say around a question.
func (r *room) remark(text string) bool {
	tokens := told(lex(text, nil))
	courtesy := !slices.ContainsFunc(tokens, func(t token) bool {
		return !slices.Contains([]string{"help", "question", "quick", "please", "sorry", "thing"}, t.lower)
	})
	_, talk := r.smallTalk(text)
	return courtesy || talk || declares(text) || !strings.HasSuffix(text, "?") && states(lex(text, nil))
}

// apart decides whether a segment is a part of its own.
func (r *room) apart(left, right part, whole string, s segment, asked func(string) bool) bool {
	switch {
	case right.text == "":
		return false
	case s.joint == sequence, s.joint == item, right.to != "", asked(left.text) && asked(right.text):
		return true
	case s.joint == hard:
		return right.request || r.best(right).ok() || isEllipsis(right.text) || !strings.Contains(whole, "\n")
	case left.to != "" || !right.request && sameKind(left.text, right.text):
		return false
	}
	bestLeft, bestRight, bestWhole := r.best(left), r.best(right), r.best(r.newPart(whole))
	okLeft := bestLeft.ok() || asked(left.text)
	okRight := bestRight.ok()
	if right.after {
		okRight = r.best(r.newPart(handOn(right.text, "1"))).ok() || r.best(r.newPart(handOn(right.text, `"…"`))).ok()
		return okLeft && okRight && (!bestWhole.ok() || bestWhole.tool != bestLeft.tool || bestRight.tool != bestLeft.tool || right.request)
	}
	switch {
	case okLeft && okRight && bestLeft.tool.owner != bestRight.tool.owner:
		return right.request || !s.comma && weighty(right.text) && min(bestLeft.score, bestRight.score) >= bestWhole.score-0.25
	case okLeft && okRight:
		return right.request && !continues(right.text) || bestLeft.score > 0.8 && bestRight.score > 0.8 && shaped(left.text) && shaped(right.text)
	case okLeft:
		return right.request && !bestWhole.ok() || asksAnew(right.text) && bestWhole.score < bestLeft.score-0.2
	case okRight:
		return right.request && (!bestWhole.ok() || bestWhole.score < bestRight.score-0.2)
	}
	return false
}

// best is whoever fits a part best.
func (r *room) best(p part) match {
	ms := r.rank(p, p.text)
	if len(ms) == 0 {
		return match{}
	}
	return ms[0]
}

// rank lists who fits a part, the best first; text is what is held against
// them.
func (r *room) rank(p part, text string) []match {
	ms := r.matches(text)
	if p.to == "" {
		return ms
	}
	var to []match
	for _, m := range ms {
		if m.tool.owner == p.to {
			m.score = max(m.score, 0.99)
			to = append(to, m)
		}
	}
	return to
}

// segmentsOf finds every place where prompt, which has these items, may be cut.
func segmentsOf(prompt string, items []span) []segment {
	var segments []segment
	for _, i := range items {
		for n, s := range segmentsIn(prompt[i.start:i.end]) {
			s.start, s.end = s.start+i.start, s.end+i.start
			if n == 0 && len(segments) > 0 {
				s.joint = item
			}
			segments = append(segments, s)
		}
	}
	return segments[:min(len(segments), maxSegments)]
}

// segmentsIn finds every place where one item may be cut.
func segmentsIn(prompt string) []segment {
	tokens := lex(prompt, nil)
	if len(tokens) == 0 {
		return []segment{{start: 0, end: len(prompt)}}
	}
	segments := []segment{{start: opening(prompt, tokens[0]), end: len(prompt)}}
	depth := 0
	for i := 1; i < len(tokens) && len(segments) < maxSegments; i++ {
		gap := prompt[tokens[i-1].end:tokens[i].start]
		depth = max(0, depth+strings.Count(gap, "(")+strings.Count(gap, "[")-strings.Count(gap, ")")-strings.Count(gap, "]"))
		if depth > 0 {
			continue
		}
		j, n, ok := jointAt(prompt, tokens, i, gap)
		if !ok || i+n >= len(tokens) {
			continue
		}
		last := &segments[len(segments)-1]
		if tokens[i].start <= last.start {
			continue
		}
		last.end = tokens[i-1].end + len(closing(gap))
		segments = append(segments, segment{
			start: opening(prompt, tokens[i+n]), end: len(prompt), joint: j,
			comma: n == 0 && strings.Contains(gap, ","),
		})
		i += n
	}
	return segments
}

// jointAt reports how token i begins a new segment, and how many words of
// joining stand before what it is about.
func jointAt(prompt string, tokens []token, i int, gap string) (joint, int, bool) {
	j, ok := soft, false
	switch {
	case strings.Contains(gap, "?"), strings.Contains(gap, ";"), strings.Contains(gap, "\n"), endsSentence(tokens[i-1], gap, prompt[tokens[i].start:]):
		j, ok = hard, true
	case strings.ContainsAny(gap, ",.!") && !strings.HasPrefix(gap, "..."):
		ok = true
	}
	n := 0
	for i+n < len(tokens) && n < 4 {
		t := tokens[i+n]
		prev, next := tokens[i+n-1].lower, ""
		if i+n+1 < len(tokens) {
			next = tokens[i+n+1].lower
		}
		switch {
		case t.lower == "and" && !openBetween(tokens[:i]), t.lower == "also", t.lower == "additionally", t.lower == "furthermore",
			strings.TrimSpace(prompt[tokens[i-1].end:t.start]) == "&":
			ok = true
		case t.lower == "plus" && (ok || i+n+1 < len(tokens) && requestWord(next)):
			ok = true
		case t.lower == "then" && !notThen(prev) && !conditional(tokens[:i]), t.lower == "afterwards":
			ok, j = true, sequence
		case t.lower == "after" && (next == "that" || next == "this") && (ok || n > 0):
			n++
			ok, j = true, sequence
		case t.lower == "finally" && ok:
			j = sequence
		case t.lower == "as" && next == "well" && i+n+2 < len(tokens) && tokens[i+n+2].lower == "as":
			n += 2
			ok = true
		default:
			return j, n, ok
		}
		n++
	}
	return j, n, ok
}

// endsSentence tells the end of a sentence from that of an abbreviation.
func endsSentence(last token, gap, next string) bool {
	first, _ := utf8.DecodeRuneInString(next)
	short := (last.class == word || last.class == name) && len(last.text) <= 3
	return (strings.Contains(gap, ". ") && !short || strings.Contains(gap, "! ")) && unicode.IsUpper(first)
}

func notThen(prev string) bool {
	switch prev {
	case "back", "since", "by", "until", "till", "from", "just", "even", "only", "now", "was", "is", "what", "if":
		return true
	}
	return false
}

func conditional(before []token) bool {
	for _, t := range before {
		if t.lower == "if" || t.lower == "when" && t.start == 0 {
			return true
		}
	}
	return false
}

// openBetween reports whether a "between" still waits for its "and".
func openBetween(before []token) bool {
	for i := len(before) - 1; i >= 0; i-- {
		switch before[i].lower {
		case "between":
			return true
		case "and":
			return false
		}
	}
	return false
}

// closing is the punctuation of gap that belongs to what is before it.
func closing(gap string) string {
	end := 0
	for i, r := range gap {
		if !strings.ContainsRune("?!)]}%'\"”’…", r) {
			break
		}
		end = i + len(string(r))
	}
	return gap[:end]
}

// opening is where t begins with the brackets before it.
func opening(prompt string, t token) int {
	at := t.start
	for at > 0 && strings.ContainsRune("([{-@$€£", rune(prompt[at-1])) {
		at--
	}
	return at
}

// requests reports whether text is worded as a question or a request.
func requests(text string) bool {
	if strings.HasSuffix(strings.TrimSpace(text), "?") {
		return true
	}
	for i, t := range lex(clip(text, 200), nil) {
		if requestWord(t.lower) {
			return true
		}
		if i > 1 {
			break
		}
	}
	return false
}

func requestWord(w string) bool { return isQuestionWord(w) || isImperative(w) }

// asksAnew reports whether text opens with a question word.
func asksAnew(text string) bool {
	tokens := lex(clip(text, 200), nil)
	return len(tokens) > 0 && isQuestionWord(tokens[0].lower)
}

// continues reports whether a request goes on about what was just asked.
func continues(text string) bool {
	for _, t := range lex(clip(text, 400), nil) {
		switch t.lower {
		case "it", "its", "they", "them", "their", "he", "she", "his", "her", "those", "these", "there":
			return !strings.Contains(strings.ToLower(text), "is it") && !strings.Contains(strings.ToLower(text), "will it") && !strings.Contains(strings.ToLower(text), "does it")
		}
	}
	return false
}

// weighty reports whether text can be a part without being worded as a
// request: two words or shapes that tell something, or one and a preposition.
func weighty(text string) bool {
	n := 0
	for _, t := range lex(clip(text, 400), nil) {
		if t.weight > 0 {
			n++
		}
	}
	return n > 1
}

// shaped reports whether text has shapes enough to stand on its own.
func shaped(text string) bool {
	n := 0
	for _, t := range lex(clip(text, 400), nil) {
		if t.class != word && t.class != name {
			n++
		}
	}
	return n > 1
}

// isDate reports whether text is a day and nothing else: it asks what that is.
func isDate(text string) bool {
	is := false
	for _, t := range lex(clip(text, 200), nil) {
		switch t.lower {
		case "next", "last", "this", "the", "of", "what", "what's", "is":
			continue
		}
		if t.class != date {
			return false
		}
		is = true
	}
	return is
}

// sameKind reports whether right is only one more of what left ends with:
// "Paris and Tokyo", "3 and 4".
func sameKind(left, right string) bool {
	l, r := lex(left, nil), told(lex(right, nil))
	if len(r) == 0 {
		return true
	}
	if len(l) == 0 || len(r) > 1 {
		return false
	}
	return r[0].class == l[len(l)-1].class || r[0].class == word
}

// told leaves the tokens that tell something.
func told(tokens []token) []token {
	var out []token
	for _, t := range tokens {
		if t.weight > 0 {
			out = append(out, t)
		}
	}
	return out
}

// dependent reports whether a part speaks of the result of the one before.
func (r *room) dependent(text string) bool {
	tokens := lex(text, nil)
	i, n := reference(text, tokens)
	return n > 0 && (i > 0 || n > 1 || refersFirst(tokens[min(1, len(tokens)-1)].lower))
}
