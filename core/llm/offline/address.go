package offline

import (
	"regexp"
	"strings"

	"yaap/core"
)

// How people turn to somebody by name.
var (
	atName    = regexp.MustCompile(`(?:^|[\s,])@([A-Za-z][A-Za-z0-9_-]*)[,:]?\s*`)
	verbName  = regexp.MustCompile(`(?i)^\s*(?:please\s+)?(?:can you\s+|could you\s+)?(?:(?:now|also)\s+)?(?:ask|tell|let|have|get|use|using|with|via|consult|try)\s+(?:the\s+)?([a-z][a-z0-9_-]*)(?:\s+expert)?\b[,:]?\s*`)
	callName  = regexp.MustCompile(`^\s*(?:(?i:hey|hi|hello|ok)\s+)?([A-Za-z][A-Za-z0-9_-]*)\s*[,:]\s+`)
	trailName = regexp.MustCompile(`(?i)[\s,]+(?:please\s+)?(?:ask|use|using|via|with)\s+(?:the\s+)?([a-z][a-z0-9_-]*)(?:\s+expert)?\s*([.?!]*)\s*$`)
)

// address finds the expert whom text turns to, and what it asks them. to is
// empty when text turns to nobody in the room.
func (r *room) address(text string) (to, rest string) {
	if len(text) > 4096 {
		head := clip(text, 4096)
		to, rest = r.address(head)
		if to == "" {
			return "", text
		}
		return to, rest + text[len(head):]
	}
	if m := atName.FindStringSubmatchIndex(text); m != nil {
		if who := r.owner(text[m[2]:m[3]]); who != "" {
			before, after := strings.TrimSpace(text[:m[0]]), text[m[1]:]
			if verb := strings.ToLower(before); verb == "ask" || verb == "tell" || verb == "please ask" || verb == "use" {
				before = ""
				after = withoutTo(after)
			}
			return who, strings.TrimSpace(before + " " + after)
		}
	}
	if m := verbName.FindStringSubmatchIndex(text); m != nil && m[1] < len(text) {
		if who := r.owner(text[m[2]:m[3]]); who != "" && turns(text[:m[2]], text[m[1]:]) {
			return who, withoutTo(text[m[1]:])
		}
	}
	if m := callName.FindStringSubmatchIndex(text); m != nil && m[1] < len(text) {
		if who := r.owner(text[m[2]:m[3]]); who != "" {
			return who, text[m[1]:]
		}
	}
	if m := trailName.FindStringSubmatchIndex(text); m != nil && m[0] > 0 {
		if who := r.owner(text[m[2]:m[3]]); who != "" && !strings.Contains(strings.ToLower(text[m[0]:m[2]]), "with") {
			return who, text[:m[0]] + text[m[4]:m[5]]
		}
	}
	return "", text
}

// addressed is a prompt that begins with "@name" and names nobody else: all of
// it is for that one, whatever it is about.
func (r *room) addressed(prompt string) (part, bool) {
	name, rest := core.Address(prompt)
	who := r.owner(name)
	if name == "" || who == "" {
		return part{}, false
	}
	for _, m := range atName.FindAllStringSubmatch(clip(rest, 4096), -1) {
		if r.owner(m[1]) != "" {
			return part{}, false
		}
	}
	return part{text: rest, request: true, to: who}, true
}

// turns tells "get NAME to ..." and "use NAME for ..." from a request that
// merely has the same word in that place.
func turns(verb, rest string) bool {
	verb = strings.ToLower(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(strings.ToLower(verb)), "the")))
	if i := strings.LastIndexByte(verb, ' '); i >= 0 {
		verb = verb[i+1:]
	}
	next, _, _ := strings.Cut(strings.ToLower(rest), " ")
	switch verb {
	case "ask", "consult", "tell", "try":
		return true
	case "use", "using", "with", "via":
		return next == "to" || next == "for" || next == "and" || verb == "using" || verb == "via"
	}
	return next == "to" || verb == "let" || verb == "have"
}

// withoutTo takes the word that ties a request to its verb off it.
func withoutTo(s string) string {
	s = strings.TrimSpace(s)
	for _, w := range [...]string{"to ", "for ", "and "} {
		if len(s) > len(w) && strings.EqualFold(s[:len(w)], w) {
			return s[len(w):]
		}
	}
	return s
}

// owner returns the name of an expert as the room writes it.
func (r *room) owner(said string) string {
	said = strings.ReplaceAll(strings.ToLower(said), "-", "_")
	for _, p := range r.profiles {
		if strings.ReplaceAll(strings.ToLower(p.owner), "-", "_") == said {
			return p.owner
		}
	}
	return ""
}

// stranger is the @name in text that nobody in the room has.
func (r *room) stranger(text string) string {
	if m := atName.FindStringSubmatch(clip(text, 4096)); m != nil && r.owner(m[1]) == "" && strings.HasPrefix(strings.TrimSpace(text), "@") {
		return m[1]
	}
	return ""
}
