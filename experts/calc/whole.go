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

// factors writes a whole number as a product of primes.
func (p *parser) factors(v value) string {
	n := v.number()
	if p.steps++; !n.IsInt() || !n.Num().IsInt64() || n.Cmp(whole(2).n) < 0 {
		panic(refusal("I find the prime factors of whole numbers from 2 to 9223372036854775807."))
	}
	if p.dry {
		return ""
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
