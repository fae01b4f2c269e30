package offline

import (
	"math"
	"math/bits"
	"strings"
)

// What counts for how much where a text is compared with an example.
const (
	grammarWeight = 0.15 // of a word like "how" or "the"
	personWeight  = 0.3  // of a word like "I" or "your"
	enoughFrame   = 0.4  // of the words before a place, so that anything may stand there
	oursAlone     = 0.6  // of an example that shares nothing but whose thing it is
	openPlace     = 0.5  // of an example that says "of Falcon" where the text has nothing there
	otherVoice    = 0.4  // of an example that speaks of somebody else, or of another time
)

// comparison is a text beside an example. Both are sums of weights: of all that
// the text has, of all that the example has, and of what is in both.
type comparison struct {
	tool          *profile
	text, example []token
	at            []int  // by token of the text: where the example has it, or -1
	used          []bool // by token of the example

	all, their, shared float64
	mine, theirs       [classes]float64 // the same of shapes
	frame              float64          // of the shared words that stand before this one
	words              bool             // a word that tells something is shared
	proof              bool             // or something else beside names and bare numbers
	past               bool             // the text has a shared verb in the past tense
	ours               bool             // a thing of the speaker's stands where the example has one
}

// likeness compares a text with an example, 0 to 1. What the text has and the
// example lacks counts for more than the reverse, unless they have only shapes
// in common. What stands in the text where the example has one thing, or after
// all that the example has, is one thing, too, however many words it takes.
func (p *profile) likeness(e example, text []token, v voice) float64 {
	c := comparison{tool: p, text: text, example: e.tokens, at: make([]int, len(text)), used: make([]bool, len(e.tokens))}
	for i := range text {
		c.at[i] = c.find(text[i])
	}
	for i := 0; i < len(text); {
		i = c.weigh(i)
	}
	for _, o := range e.tokens {
		switch {
		case o.class != word:
			c.theirs[o.class] = min(c.theirs[o.class]+o.weight, 2*o.class.weight())
		case isImperative(o.lower):
			c.their += min(o.weight, slotWeight)
		default:
			c.their += o.share()
		}
	}
	for k := range c.mine {
		c.all += c.mine[k]
		c.their += c.theirs[k]
		both := min(c.mine[k], c.theirs[k])
		c.shared += both
		c.proof = c.proof || both > 0 && class(k).proves(c.mine[number] > 0)
	}
	if !c.proof && !c.ours || c.all == 0 || c.their == 0 {
		return 0
	}
	mineShared, theirShared := min(1, c.shared/c.all), min(1, c.shared/c.their)
	like := favouring(2, mineShared, theirShared)
	if !c.words {
		like = min(like, favouring(0.25, mineShared, theirShared))
	}
	if c.open() {
		like *= openPlace
	}
	if !c.proof {
		like = min(like, oursAlone)
	}
	if c.past {
		v |= earlier
	}
	return like * math.Pow(otherVoice, float64(v.lacks(e.voice)))
}

// proves reports whether a shape that a text shares with an example tells what
// is wanted. A name, a number or a quotation may be about anything, and signs
// without a number are noise.
func (k class) proves(numbers bool) bool {
	switch k {
	case name, number, quoted:
		return false
	case operator:
		return numbers
	}
	return true
}

// favouring is the mean of two shares in which the first counts for f times as
// much.
func favouring(f, first, second float64) float64 {
	return (1 + f) * first * second / (f*second + first)
}

// find takes the first word of the example that is t.
func (c *comparison) find(t token) int {
	for j, o := range c.example {
		if !c.used[j] && o.is(t) {
			c.used[j] = true
			return j
		}
	}
	return -1
}

// weigh adds what begins at i, and returns where it ends.
func (c *comparison) weigh(i int) int {
	t := c.text[i]
	switch {
	case c.at[i] >= 0:
		c.share(i, c.at[i], 1)
	case t.class == name && c.names(t):
		c.mine[name] = min(c.mine[name]+t.weight, 2*name.weight())
		c.proof = true
	case t.weight > 0 && (t.class == word || t.class == name):
		return c.phrase(i)
	case t.class == word:
		c.all += t.share()
	default:
		c.mine[t.class] = min(c.mine[t.class]+t.weight, 2*t.class.weight())
	}
	return i + 1
}

// share adds a word that stands for the one at j of the example.
func (c *comparison) share(i, j int, credit float64) {
	t, w := c.text[i], c.text[i].share()
	c.all += w
	c.shared += w * credit
	c.frame += w * credit
	c.at[i], c.used[j] = j, true
	if t.weight > 0 {
		c.words, c.proof = true, true
		c.past = c.past || t.lower != c.example[j].lower && t.inPast()
	}
}

// phrase adds the words from i on that the example lacks.
func (c *comparison) phrase(i int) int {
	t, end, framed := c.text[i], c.run(i), c.frame >= enoughFrame
	j, ok := c.place(i)
	last := j+1 >= len(c.example)
	if ok && framed && last {
		end = len(c.text)
	}
	switch {
	case !ok:
	case j == len(c.example):
		if framed {
			c.all += name.weight()
			return end
		}
	case c.example[j].class == name:
		c.used[j] = true
		c.ours = c.ours || framed && last && c.isOurs(i)
		c.mine[name] = min(c.mine[name]+name.weight(), 2*name.weight())
		return end
	case framed && t.class == word && c.tool.credit(t) > inExample:
		c.share(i, j, c.tool.credit(t))
		return i + 1
	case framed && (last || end < len(c.text) && c.example[j+1].is(c.text[end])):
		c.used[j] = true
		c.all += name.weight()
		c.shared += name.weight() / 2
		return end
	}
	sum := 0.0
	for _, t := range c.text[i:end] {
		sum += t.share()
	}
	if i > 0 && asksFor(c.text[i-1].lower) && end < len(c.text) {
		sum = min(sum, name.weight())
	}
	c.all += sum
	c.frame = 0
	return end
}

// place is where the example has something else than the text has at i: behind
// the same word, articles and prepositions aside. It is the end of the example
// where that has nothing more.
func (c *comparison) place(i int) (int, bool) {
	from := i
	for i--; i >= 0 && (c.at[i] < 0 || isArticle(c.text[i].lower)); i-- {
		if c.text[i].weight > 0 {
			return 0, false
		}
	}
	if i < 0 {
		return 0, false
	}
	j := c.at[i] + 1
	if j < len(c.example) && c.example[j].lower == "of" && !c.speaksOf(from) {
		return 0, false
	}
	for j < len(c.example) && (isArticle(c.example[j].lower) || isPreposition(c.example[j].lower)) {
		j++
	}
	if j == len(c.example) {
		return j, true
	}
	o := c.example[j]
	return j, !c.used[j] && o.weight > 0 && (o.class == word || o.class == name)
}

// speaksOf reports whether a preposition before i says that it is the subject.
func (c *comparison) speaksOf(i int) bool {
	for i--; i >= 0 && c.text[i].weight == 0; i-- {
		switch c.text[i].lower {
		case "of", "about", "on", "regarding":
			return true
		}
	}
	return false
}

// open reports whether the example speaks of a name and the text of nothing.
func (c *comparison) open() bool {
	for j := 1; j < len(c.example); j++ {
		if c.example[j].class == name && c.example[j-1].lower == "of" && !c.used[j] && c.mine[name] == 0 {
			return true
		}
	}
	return false
}

// isOurs reports whether what begins at i is a thing of the speaker's, in plain
// words to the end, as in "what is our staging host".
func (c *comparison) isOurs(i int) bool {
	if i == 0 || c.text[i-1].lower != "our" || c.at[i-1] < 0 || c.text[0].lower != c.example[0].lower {
		return false
	}
	for _, t := range c.text[i:] {
		if t.class != word && t.class != name || t.weight < 0.5 && t.class == word {
			return false
		}
	}
	return true
}

// run is the end of the phrase that begins at i.
func (c *comparison) run(i int) int {
	end := i + 1
	for k := end; k < len(c.text) && c.at[k] < 0; k++ {
		switch t := c.text[k]; {
		case t.weight > 0 && (t.class == word || t.class == name):
			end = k + 1
		case t.weight > 0 || !isArticle(t.lower) && !isPreposition(t.lower):
			return end
		}
	}
	return end
}

// names reports whether the example has this very name.
func (c *comparison) names(t token) bool {
	for _, o := range c.example {
		if o.class == name && o.lower == t.lower {
			return true
		}
	}
	return false
}

// share is what a word weighs where two texts are compared.
func (t token) share() float64 {
	switch {
	case t.weight > 0 && t.slot:
		return min(t.weight, slotWeight)
	case t.weight > 0:
		return t.weight
	case voiceOfWord(t.lower)&^earlier != 0:
		return personWeight
	}
	return grammarWeight
}

// is reports whether two tokens are the same word, in another form perhaps.
func (t token) is(o token) bool {
	switch {
	case t.class != word || o.class != word || (t.weight > 0) != (o.weight > 0):
		return false
	case t.weight > 0:
		return t.stem == o.stem
	case t.lower == o.lower, asksFor(t.lower) && asksFor(o.lower):
		return true
	}
	v := voiceOfWord(t.lower)
	return v != 0 && v == voiceOfWord(o.lower)
}

// inPast reports whether the word is likely a verb in the past tense.
func (t token) inPast() bool {
	return strings.HasSuffix(t.lower, "ed") || !strings.HasPrefix(t.lower, t.stem)
}

// voice says of whom a text speaks and of when, which its subject does not tell.
type voice uint8

const (
	speaker   voice = 1 << iota // I, we
	toSpeaker                   // me, us
	ofSpeaker                   // my, our
	listener                    // you
	earlier                     // did, was
	telling                     // it is a statement
)

func voiceOf(tokens []token) voice {
	var v voice
	for _, t := range tokens {
		v |= voiceOfWord(t.lower)
	}
	if states(tokens) {
		v |= telling
	}
	return v
}

// states reports whether a text is worded as a statement: it asks for nothing,
// and says something of the one who speaks or of whatever it begins with.
func states(tokens []token) bool {
	if len(tokens) == 0 || requestWord(tokens[0].lower) || voiceOfWord(tokens[0].lower) == listener {
		return false
	}
	says := voiceOfWord(tokens[0].lower)&(speaker|ofSpeaker) != 0
	for _, t := range tokens[1:] {
		switch t.lower {
		case "want", "need", "wonder", "wish":
			return false
		case "is", "are", "was", "were", "has", "had", "will", "should", "must":
			says = true
		}
		if asksFor(t.lower) {
			return false
		}
	}
	return says
}

func voiceOfWord(w string) voice {
	switch w {
	case "i", "we":
		return speaker
	case "me", "us":
		return toSpeaker
	case "my", "our", "mine", "ours":
		return ofSpeaker
	case "you", "your", "yours", "u":
		return listener
	case "did", "didn", "was", "wasn", "were", "weren", "have", "has", "had":
		return earlier
	}
	return 0
}

// lacks counts in how many ways a text speaks otherwise than an example.
func (v voice) lacks(example voice) int {
	return bits.OnesCount8(uint8(example&^(v|telling) | v&telling&^example))
}

// asksFor reports whether w says what a question is for.
func asksFor(w string) bool {
	switch w {
	case "what", "which", "who", "when", "where", "why", "how":
		return true
	}
	return false
}
