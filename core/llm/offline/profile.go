package offline

import (
	"math"
	"strings"
	"unicode"

	"yaap/core"
	"yaap/core/rank"
)

// The most of a tool's own words that is read.
const (
	maxDescription = 2048
	maxExample     = 256
	maxExamples    = 20
	tersely        = 10 // different words of a short description
)

// What a word is worth as evidence for a tool, by where it stands.
const (
	inName        = 1.0
	inPartOfName  = 0.7 // of several words, if the description does not have it
	inDescription = 0.9 // of at most tersely words; each proves less the more there are
	inExample     = 0.4
	inTwoPlaces   = 0.95
)

// profile is what a tool says of itself, in a form prompts are held against.
type profile struct {
	spec     core.ToolSpec
	owner    string             // whom the user knows it by
	said     string             // its description without what it does not do
	evidence map[string]float64 // stem → how well it proves that the tool is meant
	named    map[string]bool    // the stems of its name
	shapes   [classes]bool      // shapes its examples and description have
	examples []example
}

type example struct {
	text   string
	tokens []token
	voice  voice
}

// room is everybody who can be asked, in the order of the request's tools.
type room struct {
	profiles []profile
	index    *rank.Index
	names    map[string]bool // lower-case words that examples have as names
	known    map[string]bool // all stems
	owners   map[string]bool // lower-case names of the experts
	exists   func(string) bool
}

func newRoom(specs []core.ToolSpec, exists func(string) bool) *room {
	r := &room{exists: exists, names: map[string]bool{}, known: map[string]bool{}, owners: map[string]bool{}}
	docs := make([]rank.Document, len(specs))
	for i, spec := range specs {
		p := newProfile(spec)
		r.profiles = append(r.profiles, p)
		r.owners[strings.ToLower(p.owner)] = true
		text := make([]string, len(p.examples))
		for j, e := range p.examples {
			text[j] = e.text
			for _, t := range e.tokens {
				if t.class == name {
					r.names[t.lower] = true
				}
			}
		}
		docs[i] = rank.Document{
			{Text: humanName(spec.Name), Weight: 2},
			{Text: p.said, Weight: 1},
			{Text: strings.Join(text, "\n"), Weight: 1},
		}
	}
	for _, p := range r.profiles {
		for stem := range p.evidence {
			r.known[stem] = true
		}
	}
	for n := range r.names {
		if r.known[rank.Stem(n)] {
			delete(r.names, n)
		}
	}
	r.index = rank.New(docs)
	return r
}

func newProfile(spec core.ToolSpec) profile {
	p := profile{spec: spec, owner: ownerOf(spec), evidence: map[string]float64{}, named: map[string]bool{}}
	p.said = positive(clip(spec.Description, maxDescription))
	told := map[string]int{}
	for _, t := range lex(p.said, nil) {
		if t.class != word && t.class != quoted && t.class != query {
			p.shapes[t.class] = true
		}
		if t.class == quoted || t.class == query {
			p.addExample(strings.Trim(t.text, "\"`'“”«»"))
			continue
		}
		for _, stem := range t.stems() {
			told[stem]++
		}
	}
	credit := inDescription * min(1, math.Sqrt(tersely/float64(len(told))))
	for stem, n := range told {
		p.evidence[stem] = min(inTwoPlaces, credit*(1+0.3*float64(min(n, 3)-1)))
	}
	p.shapesOfSchema()
	title := rank.Terms(humanName(spec.Name))
	for _, stem := range title {
		if len(title) == 1 || told[stem] > 0 {
			p.evidence[stem], p.named[stem] = inName, true
		} else {
			p.evidence[stem] = inPartOfName
		}
	}
	for _, e := range spec.Examples[:min(len(spec.Examples), maxExamples)] {
		p.addExample(clip(e, maxExample))
	}
	for stem := range p.inExamples() {
		if p.evidence[stem] > 0 {
			p.evidence[stem] = max(p.evidence[stem], inTwoPlaces)
		} else {
			p.evidence[stem] = inExample
		}
	}
	return p
}

// shapesOfSchema counts what a tool must be given among the shapes it has.
func (p *profile) shapesOfSchema() {
	params := p.spec.Parameters()
	if _, prompts := takesPrompt(p.spec, params); prompts {
		return
	}
	for _, param := range params {
		switch {
		case !param.Required:
		case param.Kind == "number", param.Kind == "integer":
			p.shapes[number] = true
		case param.Kind == "string":
			p.shapes[path], p.shapes[quoted] = true, true
		}
	}
}

func (p *profile) addExample(text string) {
	if len(p.examples) >= maxExamples || strings.TrimSpace(text) == "" {
		return
	}
	e := example{text: text, tokens: lex(text, nil)}
	for _, t := range e.tokens {
		if t.class != word {
			p.shapes[t.class] = true
		}
	}
	e.voice = voiceOf(e.tokens)
	p.examples = append(p.examples, e)
}

// inExamples are the stems of the words in the examples.
func (p *profile) inExamples() map[string]bool {
	stems := map[string]bool{}
	for _, e := range p.examples {
		for _, t := range e.tokens {
			if t.class == name || t.class == path {
				continue // what an example happens to be about
			}
			for _, stem := range t.stems() {
				stems[stem] = true
			}
		}
	}
	return stems
}

// stems are the words by which a token can be recognised: its own, and of a
// path its extension.
func (t token) stems() []string {
	switch {
	case t.class == path:
		if i := strings.LastIndexByte(t.lower, '.'); i >= 0 && i+1 < len(t.lower) {
			return []string{t.lower[i+1:]}
		}
	case t.stem != "" && t.weight > 0:
		return []string{t.stem}
	}
	return nil
}

// ownerOf is the name the user knows a tool's expert by.
func ownerOf(spec core.ToolSpec) string {
	if spec.Owner != "" {
		return spec.Owner
	}
	owner, _, _ := strings.Cut(spec.Name, "__")
	return owner
}

// humanName makes words of an identifier.
func humanName(s string) string {
	var b strings.Builder
	lower := false
	for _, r := range s {
		switch {
		case r == '_' || r == '-' || r == '.':
			r = ' '
		case unicode.IsUpper(r) && lower:
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(r)
	}
	return b.String()
}

// positive leaves out what a description says the tool does not do.
func positive(description string) string {
	var b strings.Builder
	for rest := description; rest != ""; {
		sentence := rest
		if i := sentenceEnd(rest); i > 0 {
			sentence = rest[:i]
		}
		rest = rest[len(sentence):]
		b.WriteString(affirmed(sentence))
		b.WriteByte(' ')
	}
	return b.String()
}

func sentenceEnd(s string) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ';', '\n':
			return i + 1
		case '.', '!', '?':
			if i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\n' {
				return i + 1
			}
		}
	}
	return len(s)
}

// affirmed cuts a sentence off at its first negation.
func affirmed(sentence string) string {
	low := strings.ToLower(sentence)
	if len(low) != len(sentence) {
		return sentence
	}
	cut := len(sentence)
	for _, no := range [...]string{
		" does not ", " do not ", "n't ", " cannot ", " can not ", " never ", " is not ", " but not ", " not for ", " nor ", " except ",
		" instead of ", "not ", "never ", "no ",
	} {
		i := strings.Index(low, no)
		if i >= 0 && i < cut && (i == 0 || no[0] == ' ' || no[1] == '\'') {
			cut = i
		}
	}
	return sentence[:cut]
}

// clip shortens s to at most n bytes at the end of a rune.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
