// Package calc is the expert for arithmetic and units. It computes exactly, in
// fractions, and says so where a result had to be rounded. Every question is
// answered in bounded time: what would be too large is refused.
package calc

import (
	"cmp"
	"context"
	"errors"
	"math/big"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/plain"
)

const (
	maxPrompt = 8 << 10 // bytes
	maxReads  = 110     // characters
	looseness = 0.15    // what a bid loses for a word that was left unread
)

const help = "I can do arithmetic and convert units. For example: \"what is 12% of 840\", or \"5 miles in km\"."

// New returns the expert. It is safe for concurrent use.
func New() experts.Expert {
	lex := newLexicon()
	return experts.Expert{
		Name:    "calc",
		Context: true, // "and half of that?"
		Description: "Does arithmetic exactly: plus, minus, times, divided by, percent of a number, discounts, tips and tax, fractions, " +
			"powers, roots, factorials, sine and logarithm, very large numbers, sums, averages and medians of a list, remainders, the greatest common divisor (gcd). " +
			"Converts units: length (km, miles, feet), mass (kg, pounds), temperature (Celsius, Fahrenheit), " +
			"bytes (GB, GiB), seconds, minutes and hours, area, volume, speed; and numbers between decimal, hex, octal and binary.",
		Examples: []string{
			"what is 12% of 840?",
			"1/3 + 1/6 * 2",
			"square root of 2 plus 2^10",
			"convert 72 F to celsius",
			"average of 3, 4 and 8",
		},
		Answer: func(ctx context.Context, q experts.Question) (core.Reply, error) {
			return lex.answer(ctx, q)
		},
		Bid: func(ctx context.Context, text string, said []core.Message) core.Bid {
			return lex.bid(ctx, text, said)
		},
	}
}

func (l *lexicon) answer(ctx context.Context, q experts.Question) (core.Reply, error) {
	if len(q.Prompt) > maxPrompt {
		return experts.Failure("That is too long for me: I read questions of at most 8000 characters.", nil), nil
	}
	r, err := l.read(ctx, q.Prompt, q.Context)
	switch {
	case ctx.Err() != nil:
		return core.Reply{}, ctx.Err()
	case errors.Is(err, unread):
		return experts.Clarify(help, "what is 12% of 840", "5 miles in km"), nil
	case errors.As(err, new(question)):
		return experts.Clarify(err.Error()), nil
	case err != nil:
		return experts.Failure(err.Error(), nil), nil
	}
	return r.reply(), nil
}

// bid reads and computes a text as answer does.
func (l *lexicon) bid(ctx context.Context, text string, said []core.Message) core.Bid {
	if len(text) > maxPrompt {
		return core.Bid{}
	}
	r, err := l.read(ctx, text, said)
	var ask question
	switch {
	case err == nil && r.goesOn: // another may know what was counted: days, in weeks
		return core.Bid{Score: experts.ReadOperand, Reads: r.reads()}
	case err == nil:
		return core.Bid{Score: experts.ReadAll - looseness*float64(r.loose), Reads: r.reads()}
	case errors.As(err, &ask) && ask.bare:
		return core.Bid{Score: experts.ReadShape, Reads: "an operand", Needs: []string{ask.ask}}
	case !errors.Is(err, unread) && strings.ContainsAny(text, "0123456789"):
		return core.Bid{Score: experts.Understood, Reads: "a calculation", Needs: []string{err.Error()}}
	}
	return core.Bid{}
}

// result is a value and how it is wanted.
type result struct {
	value   value
	target  *unit    // what to convert to, or nil
	rest    *unit    // what to count the rest of a whole number of target in, or nil
	goesOn  bool     // it converts what was answered before
	base    string   // a base, or "fraction"
	places  int      // digits after the point, -1 as they come
	verdict string   // what is said in the place of the value
	note    string   // what is said besides
	loose   int      // words left unread
	step    *big.Rat // the result is rounded to a multiple of this, nil for none
}

// read reads a whole question and computes it: as an expression,
// else by what it names.
func (l *lexicon) read(ctx context.Context, prompt string, said []core.Message) (r result, err error) {
	defer func() { err = cmp.Or(reason(recover()), err) }()
	expect(!workTime().MatchString(prompt))
	toks := l.tokens(l.comparing(l.proportional(prompt)))
	expression := slices.DeleteFunc(slices.Clone(toks), func(t token) bool { return t.kind == "topic" || t.is("unread", "opener") })
	last := func() *value { return l.lastResult(ctx, said) }
	err = unread
	if !slices.ContainsFunc(expression, func(t token) bool { return t.kind == "unread" }) {
		p := &parser{ctx: ctx, toks: expression, units: l.units}
		r, err = p.read(prompt, last)
	}
	if errors.Is(err, unread) {
		p := &parser{ctx: ctx, toks: toks, units: l.units, bagged: true}
		if r, err = p.read(prompt, last); err != nil && r.loose > 0 { // no reason counts for what was hardly read
			err = unread
		}
	}
	if said := goingOn(toks); errors.Is(err, unread) && said != nil && last() != nil { // "add 19%", "and half"
		p := &parser{ctx: ctx, toks: said, units: l.units, bagged: said[0].kind == "ans"}
		r, err = p.read(prompt, last)
	}
	return r, err
}

// workTime is how long somebody works: a 35 hour week is not 35 hours in weeks.
var workTime = plain.LazyRegexp(`\b\d+[ -](?:hour|day|minute)[ -](?:week|day|month|shift)\b`) //nolint:gochecknoglobals // never changes; see plain.LazyRegexp

// goingOn returns what is done with the last result, without naming it, with
// "that" in its place; nil for what does nothing with it.
func goingOn(toks []token) []token {
	for len(toks) > 0 && toks[0].is("word", "and") {
		toks = toks[1:]
	}
	that := token{kind: "ans"}
	switch n := len(toks); {
	case n == 0 || slices.ContainsFunc(toks, func(t token) bool { return t.kind == "ans" || t.kind == "unread" }):
		return nil
	case n == 1 && (toks[0].kind == "root" || toks[0].kind == "times" || toks[0].kind == "fn"):
		return []token{toks[0], that}
	case n < 6 && toks[0].kind == "verb" && toks[0].text != "convert" && toks[0].text != "round":
		return slices.Concat([]token{that}, toks)
	}
	return nil
}

// read reads the whole of the tokens.
func (p *parser) read(prompt string, last func() *value) (r result, err error) {
	defer func() { err = cmp.Or(reason(recover()), err) }()
	for _, t := range p.toks {
		if t.kind == "unread" {
			r.loose++
		}
	}
	nouns := slices.DeleteFunc(slices.Clone(p.toks), func(t token) bool { return t.kind != "noun" })
	n := len(p.toks)
	expect(n > 0 && (p.bagged || len(nouns) != 1 || p.toks[n-1].kind != "noun")) // "840 weather"
	r.goesOn = p.followUp(last)
	n = len(p.toks)
	p.question(&r)
	expect(len(p.toks) == 0)
	if r.target == nil {
		r.value = p.named(r.value)
	}
	r.verdict, r.note = p.verdict, p.note
	if m := comma().FindString(prompt); m != "" && r.places > 0 && p.steps == 0 && r.value.n.IsInt() {
		panic(question{ask: "Is " + m + " more than a thousand? Write it without the comma if so, else with a point."})
	}
	if p.lost {
		panic(question{ask: "I have no number that \"it\" could be. Say it in digits.", bare: true})
	}
	if v := r.value; r.target == nil && r.base == "" && r.places < 0 && r.step == nil {
		if v.percent() && p.steps == 1 && !strings.Contains(v.text, " ") {
			panic(question{ask: "Of what shall I take " + v.text + "?", bare: true})
		}
		if p.steps == 0 {
			expect(v.unit != nil && strings.ContainsAny(prompt, "0123456789"))
			panic(question{ask: "Into what shall I convert " + v.text + "? Say for example \"" + v.text + " in\" and the other unit.", bare: n == 2})
		}
		expect(n > 1 || v.text != "e")
	}
	r.convert()
	return r, nil
}

// followUp puts the last result before what goes on from it, "plus 10" or "in
// miles?", and makes it what "it" is.
func (p *parser) followUp(last func() *value) (converts bool) {
	for p.take("op", ",") || p.takeWord("and", "of") {
	}
	t, after := p.peek(), p.peekAt(1)
	rounds := t.is("word", "to") && after.kind == "num" && p.peekAt(2).is("word", "places") || t.is("verb", "round") && after.kind != "num" && after.kind != "fn" && !after.is("op", "(")
	goesOn := rounds || t.kind == "post" && t.text != "%" || t.kind == "op" && slices.Contains([]string{"+", "-", "*", "/", "^", "mod"}, t.text) && t.word != "-" ||
		(t.is("word", "in") || t.is("word", "to")) && (after.unit != nil || after.kind == "base")
	if p.ans = last(); goesOn && p.ans != nil {
		p.toks = slices.Insert(p.toks, 0, token{kind: "ans"})
	} else if !goesOn { // "how long to drive 300 km"
		p.takeWord("to")
	}
	return goesOn && t.kind == "word"
}

// question reads what is asked: an expression, and how its value is wanted.
func (p *parser) question(r *result) {
	r.places = -1
	if p.take("verb", "round") && !p.precision(r) {
		r.places = 0
	}
	p.take("verb", "convert")
	p.takeWord("from")
	t, of := p.peek(), p.peekAt(2)
	counted := p.peekAt(1).is("word", "inone") || p.peekAt(1).is("word", "in") && (of.kind == "num" || of.unit != nil && t.unit != nil && of.unit.dim == "time" && t.unit.scale.Cmp(of.unit.scale) < 0)
	switch {
	case t.is("word", "howmany") && p.peekAt(1).kind == "noun": // "how many bottles are in 3 boxes of 12"
		p.toks = p.toks[2:]
		p.nouns = true
		p.takeWord("in", "inone")
	case p.takeWord("howmany") || t.unit != nil && counted: // "seconds in a week"
		p.target(r)
		expect(r.target != nil)
		p.takeWord("in", "inone", "to")
	case t.kind == "base":
		p.target(r)
		p.takeWord("of")
	}
	if p.bagged {
		r.value = p.bag(r)
	} else {
		r.value = p.sum()
	}
	expect(!p.nouns || p.steps > 0 && r.value.unit == nil)
	p.takeWord("each")
	for len(p.toks) > 0 && p.ending(r) {
	}
	p.take("op", ",")
}

// ending reads one thing after the expression: what to convert or round it to.
func (p *parser) ending(r *result) bool {
	n := len(p.toks)
	p.take("op", ",")
	equals := p.take("op", "=")
	if equals && len(p.toks) == 0 {
		return true
	}
	if p.take("verb", "round") {
		r.places = max(r.places, 0)
	}
	if p.precision(r) {
		return true
	}
	to := p.takeWord("in", "to", "by", "of") || equals
	switch t := p.peek(); {
	case to && r.places == 0 && r.step == nil && t.kind == "num" && len(p.toks) == 1 && t.num.IsInt() && t.num.Cmp(rat("20")) <= 0: // "round 3.567 to 2"
		if p.next(); r.value.n.IsInt() { // "round 347 to 10"
			r.places, r.step = -1, t.num
		} else {
			r.places = int(t.num.Num().Int64())
		}
	case p.takeWord("from"): // "100 from miles to km", "100 to km from miles"
		u := p.next().unit
		expect(u != nil && r.value.unit == nil)
		r.value = r.value.measured(u)
	case r.base == "" && r.target == nil && (to || t.kind == "unit"):
		p.takeWord("howmany")
		p.target(r)
	}
	return len(p.toks) < n
}

// precision reads to what a result is rounded: "to 2 decimals", "to the nearest
// 100".
func (p *parser) precision(r *result) bool {
	all := p.toks
	p.takeWord("in", "to", "by", "of")
	t, what := p.peek(), p.peekAt(1)
	switch {
	case p.takeWord("nearest"):
		r.places = 0
	case p.takeWord("multiple"):
		r.step = p.next().num
		expect(r.step != nil && r.step.Sign() > 0)
		r.places = -1
	case t.kind == "num" && t.num.IsInt() && t.num.Cmp(rat("99")) <= 0 && (what.is("word", "places") || what.is("base", "10")):
		r.places = int(t.num.Num().Int64())
		p.toks = p.toks[2:]
	default:
		p.toks = all
		return false
	}
	return true
}

// target reads what to convert to.
func (p *parser) target(r *result) {
	switch t := p.next(); {
	case t.kind == "unit":
		r.target = t.unit
		if u := p.peekAt(1).unit; p.peek().is("word", "and") && u != nil && u.dim == t.unit.dim && u.offset == nil && u.scale.Cmp(t.unit.scale) < 0 {
			r.rest = u
			p.toks = p.toks[2:]
		}
	case t.is("post", "%"):
		r.target = percent()
	case t.kind == "base":
		p.steps++
		r.base = t.text
	default:
		panic(unread)
	}
}

func (r *result) convert() {
	expect(r.value.noun == "" || r.target == nil && r.base == "")
	if r.target != nil {
		r.value = r.value.to(r.target)
		r.value.exact = r.value.exact && fits(r.value.n)
	}
	if r.step != nil {
		whole, _ := new(big.Rat).SetString(new(big.Rat).Quo(r.value.number(), r.step).FloatString(0))
		whole.Mul(whole, r.step)
		r.value.exact = r.value.exact && whole.Cmp(r.value.n) == 0
		r.value.n = whole
	}
	switch r.base {
	case "":
	case "fraction", "10", "e":
		r.value = r.value.plain()
	default:
		if r.value.unit != nil || !r.value.n.IsInt() {
			panic(notWhole)
		}
		if r.base == "roman" && roman(r.value.n.Num()) == "" {
			panic(refusal("Roman numerals are for 1 to 3999."))
		}
	}
	if len(strings.TrimPrefix(r.value.n.Num().String(), "-")) > maxDigits {
		panic(tooLarge)
	}
}

// lastResult returns the number that the last answer of the conversation has in
// bold, nil for none.
func (l *lexicon) lastResult(ctx context.Context, said []core.Message) (last *value) {
	other := false // an answer without a number stands between
	for _, m := range slices.Backward(said) {
		switch m.Role {
		case core.RoleUser:
			if other && strings.ContainsAny(m.Text, "0123456789") { // that may be what is meant
				return nil
			}
			other = false
			continue
		case core.RoleSystem:
			continue
		case core.RoleAssistant:
			other = true
		}
		parts := strings.Split(m.Text[:min(len(m.Text), maxPrompt)], "**")
		for i := len(parts) - 2; i > 0; i-- {
			if i%2 == 1 { // between two marks
				if v := l.measure(ctx, parts[i]); v != nil {
					v.answer = true
					return v
				}
			}
		}
	}
	return nil
}

// measure reads a number with or without a unit, and nothing else.
func (l *lexicon) measure(ctx context.Context, text string) (v *value) {
	defer func() {
		if reason(recover()) != nil {
			v = nil
		}
	}()
	p := &parser{ctx: ctx, toks: l.tokens(text), units: l.units}
	expect(len(p.toks) > 0 && len(p.toks) <= 4)
	read := p.unary()
	expect(len(p.toks) == 0)
	return &read
}
