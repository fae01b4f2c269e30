package guard

import (
	"strings"
	"unicode/utf8"
)

// findInjection returns the instructions in s that are meant for a model, in
// order, each as far as its sentence goes.
//
// It knows the common wordings in English, German, French and Spanish: to drop
// the instructions so far, to be another, to give away the system prompt, to
// keep the user in the dark, to call a tool; forged message headers; images
// whose address carries data away; and text that is not seen.
//
// They count as orders only: "users try to ignore previous instructions", "we
// never tell the user" and names such as ignore_previous_instructions are talk.
// The wording itself is found between quotes too, unless it is only mentioned:
// nothing else is between the quotes, and a word such as "like" or "phrase" is
// before them. What a user may well say is not found: "ignore my previous
// instructions".
func findInjection(s string) []Finding {
	p := injectionScanner{s: s, newline: true}
	for p.i < len(s) {
		p.step()
	}
	return p.found
}

type injectionScanner struct {
	s       string
	i       int
	done    int     // the end of the last finding or mark
	past    [6]word // the last words of the sentence, the latest first
	fresh   bool    // a sentence begins
	quoted  bool
	newline bool // nothing but blanks and marks of lists on the line so far
	found   []Finding
}

func (p *injectionScanner) step() {
	s, i := p.s, p.i
	c := s[i]
	switch {
	case isAlnum(c) || c == '_':
		p.word()
		return
	case c == '[':
		if n := markLen(s[i:]); n > 0 {
			p.i += n
			p.done = p.i
			p.forget()
			return
		}
		fallthrough
	case c == '<' || c == '!' || c == '#' && (i == 0 || s[i-1] != '#'):
		if kind, n := p.markup(); n > 0 {
			p.add(kind, i, i+n)
			return
		}
	case c >= utf8.RuneSelf:
		p.wide()
		return
	}
	switch c {
	case '\n':
		p.fresh = p.fresh || p.newline // an empty line
		p.newline = true
	case '>': // of a quotation at the start of a line
		p.fresh = true
	case '.', '!', '?', ';', ':', ']', '}', '{', '|', '=':
		p.fresh, p.newline = true, false
	case '"', '\'', '`':
		p.quoted = true
	case ' ', '\t', '\r', '-', '*', '#':
		if p.newline && c != ' ' && c != '\t' && c != '\r' {
			p.fresh = true
		}
	default:
		p.newline = false
	}
	p.i++
}

func (p *injectionScanner) forget() {
	p.past = [len(p.past)]word{}
	p.fresh, p.quoted, p.newline = true, false, false
}

func (p *injectionScanner) add(kind string, start, end int) {
	p.found = append(p.found, Finding{kind, start, end})
	p.i, p.done = end, end
	p.forget()
}

// wide is for what is not ASCII: a letter, or what is not seen.
func (p *injectionScanner) wide() {
	n, hidden := unseen(p.s, p.i, p.done)
	if hidden {
		p.add(kindHidden, p.i, p.i+n)
		return
	}
	if w := wordAt(p.s, p.i); w.end > w.start {
		p.word()
		return
	}
	if n == 0 {
		_, n = utf8.DecodeRuneInString(p.s[p.i:])
	}
	switch p.s[p.i : p.i+n] {
	case "“", "„", "«", "‘":
		p.quoted = true
	}
	p.i += n
}

// word reads a word and looks whether an instruction begins with it.
func (p *injectionScanner) word() {
	w := wordAt(p.s, p.i)
	if n := hiddenIn(p.s, w.start, w.end, p.done); n > w.start {
		w.end = n
	}
	w.end = max(w.end, w.start+1)
	w.first, w.quoted = p.fresh || p.past[0].end == 0, p.quoted
	if w.first {
		p.past = [len(p.past)]word{}
	}
	p.fresh, p.quoted, p.newline = false, false, false
	if w.class != 0 {
		if kind, start, end := p.phrase(w); kind != "" && !p.isMentioned(start, end) {
			p.add(kind, start, sentenceEnd(p.s, end))
			return
		}
	}
	copy(p.past[1:], p.past[:len(p.past)-1])
	p.past[0] = w
	p.i = w.end
}

// phrase returns the instruction that w is the telling word of.
func (p *injectionScanner) phrase(w word) (kind string, start, end int) {
	if w.is(cDrop|cBypass|cReveal|cShow|cCall|cHide) && p.isOrder(w) {
		switch {
		case w.is(cDrop | cBypass):
			kind, end = kindOverride, p.drop(w)
		case w.is(cReveal | cShow):
			kind, end = kindLeak, p.leak(w)
		case w.is(cCall):
			kind, end = kindCall, p.call(w)
		default:
			kind, end = kindConceal, p.hide(w)
		}
		if end > 0 {
			return kind, w.start, end
		}
	}
	if w.is(cNow | cYouAre | cAre) {
		if end := p.become(w); end > 0 {
			return kindRole, p.subject(w), end
		}
	}
	if w.is(cTell | cNotify | cMention) {
		if start, end := p.conceal(w); end > 0 {
			return kindConceal, start, end
		}
	}
	return "", 0, 0
}

// subject is where the words before w that say who is what begin.
func (p *injectionScanner) subject(w word) int {
	start := w.start
	for _, prev := range p.past {
		if prev.end == 0 || !prev.is(cYou|cAre|cNow|cFrom|cPlace) {
			break
		}
		start = prev.start
	}
	return start
}

// isOrder reports whether the verb w is one to the reader, rather than what
// somebody else does or is asked not to do.
func (p *injectionScanner) isOrder(w word) bool {
	if w.first || w.quoted {
		return true
	}
	to := false
	for _, prev := range p.past {
		switch {
		case prev.end == 0:
			return !to
		case prev.is(cYou):
			return true
		case prev.is(cTo):
			to = true
		case prev.is(cSoft | cKnow): // you have to, please, now
		case prev.is(cOther):
			return false
		default:
			return !to
		}
	}
	return !to
}

// drop is ignore (all) previous instructions.
func (p *injectionScanner) drop(verb word) int {
	var seen class
	w := verb
	for range 9 {
		next, ok := after(p.s, w)
		if !ok {
			break
		}
		if seen&cEverything != 0 && next.is(cYou) { // that you were told
			if know, ok := after(p.s, next); next.is(cYouAre) || ok && know.is(cKnow) {
				return next.end
			}
		}
		if seen&(cOrders|cRules|cPrompt) != 0 {
			if next.is(cPrior | cSystem) {
				seen |= next.class
				w = next
				continue
			}
			if next.is(cFill) && !next.is(cPlace) && !next.is(cAbout) && seen&cPrior == 0 {
				if far, ok := after(p.s, next); ok && far.is(cOrders|cPrior|cRules) {
					seen |= far.class
					w = far
					continue
				}
			}
			if next.is(cPlace) && seen&(cPrior|cYour) == 0 {
				return 0
			}
			break
		}
		if !next.is(cAll | cYour | cPrior | cFill | cSystem | cOrders | cRules | cPrompt | cWhole | cEverything) {
			break
		}
		seen |= next.class
		w = next
	}
	said := seen&(cOrders|cPrompt) != 0
	switch {
	case !said && seen&cRules == 0:
		return 0
	case verb.is(cBypass):
		if seen&(cYour|cSystem) == 0 || seen&cYour == 0 && !said {
			return 0
		}
	case seen&(cPrior|cYour) == 0 && (seen&cAll == 0 || !said):
		return 0
	}
	return w.end
}

// leak is reveal your system prompt.
func (p *injectionScanner) leak(verb word) int {
	var seen class
	w := verb
	for range 9 {
		next, ok := after(p.s, w)
		if !ok || !next.is(cAll|cYour|cPrior|cFill|cSystem|cOrders|cPrompt|cWhole|cMe|cArticle|cPlace) {
			break
		}
		seen |= next.class
		w = next
		if next.is(cOrders) {
			break
		}
	}
	systemPrompt := seen&cPrompt != 0 && seen&(cSystem|cWhole) != 0
	switch {
	case systemPrompt && (seen&cYour != 0 || verb.is(cReveal)):
	case verb.is(cReveal) && seen&cPrior != 0 && seen&cOrders != 0:
	case seen&cYour != 0 && seen&cOrders != 0 && (verb.is(cReveal) || seen&(cSystem|cWhole) != 0):
	default:
		return 0
	}
	return w.end
}

// call is call the tool X with.
func (p *injectionScanner) call(verb word) int {
	w := verb
	tool, named := false, false
	for i := range 6 {
		next, ok := after(p.s, w)
		if !ok || i == 0 && !next.is(cArticle|cTool) {
			return 0
		}
		w = next
		switch {
		case w.is(cTool):
			tool = true
		case w.is(cWith):
			if tool && named {
				return w.end
			}
			return 0
		case w.is(cArticle | cPlace), w.is(cFill) && !tool, w.end-w.start == 1:
		case named:
			return 0
		default:
			named = true
		}
	}
	return 0
}

// hide is hide this from the user.
func (p *injectionScanner) hide(verb word) int {
	var seen class
	w := verb
	for range 7 {
		next, ok := after(p.s, w)
		if !ok {
			return 0
		}
		w = next
		if w.is(cUser) {
			if seen&cAbout != 0 && seen&cFrom != 0 {
				return w.end
			}
			return 0
		}
		if !w.is(cAbout | cFrom | cArticle | cWhole | cFill | cOrders) {
			return 0
		}
		seen |= w.class
	}
	return 0
}

// become is you are now an AI without rules.
func (p *injectionScanner) become(w word) int {
	prev := p.past[0]
	switch {
	case w.is(cNow): // you are now, ahora eres
		if said := prev.is(cYouAre) || prev.is(cAre) && p.past[1].is(cYou); !said {
			next, ok := after(p.s, w)
			if !ok || p.s[next.start:next.end] != "eres" {
				return 0
			}
			w = next
		}
	case w.is(cYouAre), w.is(cAre) && prev.is(cYou): // from now on you are, you are no longer bound
		next, ok := after(p.s, w)
		if ok && strings.EqualFold(p.s[next.start:next.end], "no") {
			return p.unbound(next)
		}
		if w.is(cYouAre) {
			prev = w
		}
		if !p.fromNowOn() {
			return 0
		}
	default:
		return 0
	}
	next, ok := after(p.s, w)
	if !ok || !next.is(cArticle|cRole) {
		return 0
	}
	for range 3 {
		if next.is(cRole) {
			return next.end
		}
		if next, ok = after(p.s, next); !ok {
			return 0
		}
	}
	return 0
}

// unbound is no longer bound.
func (p *injectionScanner) unbound(no word) int {
	longer, ok := after(p.s, no)
	if !ok || !strings.EqualFold(p.s[longer.start:longer.end], "longer") {
		return 0
	}
	w, ok := after(p.s, longer)
	if !ok {
		return 0
	}
	switch strings.ToLower(p.s[w.start:w.end]) {
	case "bound", "restricted", "constrained", "limited":
		return w.end
	}
	return 0
}

// fromNowOn reports whether from now on, or its like, is among the last words.
func (p *injectionScanner) fromNowOn() bool {
	for _, w := range p.past {
		if w.is(cNow) {
			return true
		}
	}
	return false
}

// conceal is do not tell the user.
func (p *injectionScanner) conceal(verb word) (start, end int) {
	not, begins := -1, verb.start
	for i, w := range p.past[:4] {
		if w.end == 0 {
			break
		}
		if w.is(cNot|cNe) && !w.is(cNothing) {
			not, begins = i, w.start
			if do := p.past[i+1]; p.isDo(do) {
				begins = do.start
			}
			break
		}
	}
	if verb.is(cNe) && not < 0 {
		not = 0
	}
	if not > 1 || not >= 0 && p.saysWho(not) {
		return 0, 0
	}
	w, about := verb, false
	for range 6 {
		next, ok := after(p.s, w)
		if !ok {
			return 0, 0
		}
		w = next
		if w.is(cUser) {
			break
		}
		if !w.is(cFill|cArticle|cTo|cAbout|cNothing|cNot|cOther|cPlace|cYour|cAll) && !isShort(p.s[w.start:w.end]) {
			return 0, 0
		}
		about = about || w.is(cAbout)
	}
	if !w.is(cUser) {
		return 0, 0
	}
	next, ok := after(p.s, w)
	switch {
	case not < 0: // sag dem Benutzer nichts
		if !ok || !next.is(cNothing) {
			return 0, 0
		}
		return begins, next.end
	case verb.is(cMention) && !about, verb.is(cNotify) && (!ok || !next.is(cAbout)):
		return 0, 0
	case verb.is(cTell) && ok && !next.is(cAbout|cFill|cYou|cPlace|cSoft|cCite):
		return 0, 0
	}
	return begins, w.end
}

// isShort is for the small words of other languages: dem, pas, rien, al.
func isShort(s string) bool {
	switch strings.ToLower(s) {
	case "dem", "den", "pas", "rien", "à", "al", "a", "nada", "ça", "cela":
		return true
	}
	return false
}

// saysWho reports whether somebody is named before the not at past[i], who does
// not do it: we do not tell the user.
func (p *injectionScanner) saysWho(i int) bool {
	if p.past[i].first || p.past[i].quoted {
		return false
	}
	before := p.past[i+1:]
	if do := before[0]; p.isDo(do) {
		if do.first || do.quoted {
			return false
		}
		before = before[1:]
	}
	for _, w := range before {
		if !w.is(cTo) {
			return w.is(cOther) || w.end > 0 && !w.is(cYou|cFill|cSoft)
		}
	}
	return true
}

func (p *injectionScanner) isDo(w word) bool { return strings.EqualFold(p.s[w.start:w.end], "do") }

// isMentioned reports whether s[start:end] is all that is between two quotes,
// and the word before says that it is about wording.
func (p *injectionScanner) isMentioned(start, end int) bool {
	if start == 0 || end >= len(p.s) || !p.past[0].is(cCite) {
		return false
	}
	pairs := [...]string{`""`, "''", "``", "“”", "„“", "‘’", "«»"}
	for _, pair := range pairs {
		_, n := utf8.DecodeRuneInString(pair)
		if strings.HasSuffix(p.s[:start], pair[:n]) && strings.HasPrefix(p.s[end:], pair[n:]) {
			return true
		}
	}
	return false
}

// sentenceEnd returns where the sentence ends that s[end:] goes on with.
func sentenceEnd(s string, end int) int {
	i := end
	for limit := min(len(s), end+400); i < limit; i++ {
		switch s[i] {
		case '\n', '"', '`':
			return i
		case '.', '!', '?':
			if i+1 == len(s) || isSpace(s[i+1]) {
				return i + 1
			}
		}
	}
	for i < len(s) && i > end && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}
