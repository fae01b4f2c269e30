package calc

import (
	"fmt"
	"math/big"
	"strings"
)

// maxDivisor is the largest divisor that a number is tried with.
const maxDivisor = 1_000_000

// divisible says whether one whole number divides another.
func (p *parser) divisible(a, b value) value {
	v := p.binary(a, "/", b)
	rest, _ := numeric(a.number(), "mod", b.number())
	if !a.n.IsInt() || !b.n.IsInt() {
		panic(notWhole)
	}
	if p.verdict, p.note = "Yes", fmt.Sprintf(": %s ÷ %s = %s", a.n.RatString(), b.n.RatString(), v.n.RatString()); rest.Sign() != 0 {
		p.verdict, p.note = "No", fmt.Sprintf(": %s ÷ %s leaves %s", a.n.RatString(), b.n.RatString(), rest.RatString())
	}
	return v
}

// compare says whether one value is larger or smaller than another.
func (p *parser) compare(a value, op string, b value) value {
	expect((a.noun == "") == (b.noun == ""))
	difference := p.binary(a, "-", b).n.Sign()
	p.verdict, p.note = "No", ": "+a.text+" "+string("<=>"[difference+1])+" "+b.text
	if (op == ">") == (difference > 0) && difference != 0 {
		p.verdict = "Yes"
	}
	a.text += " " + op + " " + b.text
	return a
}

// comparing is a prompt in which a question whether one thing is more than another is
// written with a sign: "is that more than 10 km" asks for no sum.
func (l *lexicon) comparing(prompt string) string {
	m := l.compares.FindStringSubmatchIndex(prompt)
	if m == nil || l.percents.MatchString(prompt[m[2]:m[3]]) {
		return prompt
	}
	op := " < "
	if m[4] >= 0 {
		op = " > "
	}
	return prompt[:m[3]] + op + prompt[m[1]:]
}

// factors writes a whole number as a product of primes.
func (p *parser) factors(v value) string {
	n := v.number()
	if p.steps++; !n.IsInt() || !n.Num().IsInt64() || n.Cmp(whole(2).n) < 0 {
		panic(refusal("I find the prime factors of whole numbers from 2 to 9223372036854775807."))
	}
	var all []string
	rest := n.Num().Int64()
	for d := int64(2); d <= maxDivisor && d*d <= rest; d += 1 + d%2 {
		times := 0
		for ; rest%d == 0; times++ {
			rest /= d
		}
		if times == 1 {
			all = append(all, fmt.Sprint(d))
		} else if times > 1 {
			all = append(all, fmt.Sprintf("%d^%d", d, times))
		}
	}
	if !big.NewInt(rest).ProbablyPrime(0) && rest > 1 { // which is exact for so small a number
		panic(refusal("That number has two prime factors above a million, which is further than I look."))
	}
	if rest > 1 {
		all = append(all, fmt.Sprint(rest))
	}
	return strings.Join(all, " × ")
}

// prime says whether a number is prime, or asked for its factors writes those.
func (p *parser) prime(asked string, v value) value {
	if asked == "odd" || asked == "even" {
		p.divisible(v, whole(2))
		if p.note = ": " + v.text + " is even"; p.verdict == "No" {
			p.note = ": " + v.text + " is odd"
		}
		p.verdict = map[bool]string{true: "Yes", false: "No"}[(p.verdict == "Yes") == (asked == "even")]
		return v
	}
	all := p.factors(v)
	switch {
	case asked == "factors":
		p.verdict, p.note = all, " = "+v.text
	case all == v.n.RatString():
		p.verdict, p.note = "Yes", ": "+v.text+" is prime"
	default:
		p.verdict, p.note = "No", ": "+v.text+" = "+all
	}
	return v
}
