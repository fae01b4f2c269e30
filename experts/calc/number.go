package calc

import (
	"math/big"
	"regexp"
	"strings"
)

// Results are held to maxDigits digits before and after the point; maxBits is
// the same bound for what is on the way to them. A rounded number keeps
// floatBits bits.
const (
	maxDigits = 10_000
	maxBits   = 36_000
	floatBits = 400
)

// refusal is a reason, in words, why something is not computed.
type refusal string

func (r refusal) Error() string { return string(r) }

const (
	tooLarge   = refusal("That number would have more than 10000 digits, which is more than I work with.")
	zeroDivide = refusal("Division by zero has no result.")
	notWhole   = refusal("That works on whole numbers only.")
)

var (
	numeral = regexp.MustCompile(`^(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|` +
		`(\d{1,3}([, '_]\d{3})+(\.\d+)?|\d+,\d+|\d+(\.\d+)?|\.\d+)([eE][+-]?\d+)?)`)
	thousands    = regexp.MustCompile(`[, '_](\d{3})`)
	decimalComma = regexp.MustCompile(`^(\d+),(\d{1,2}|\d{4,})(e|$)`)
)

// parseNumeral reads a literal that numeral matched; text is how it is shown.
// What no result could hold gives nil.
func parseNumeral(s string) (n *big.Rat, text string) {
	s = strings.ToLower(s)
	if len(s) > 2 && strings.Contains("0x 0b 0o", s[:2]) {
		if i, ok := new(big.Int).SetString(s, 0); ok {
			return new(big.Rat).SetInt(i), s
		}
		return nil, s
	}
	s = decimalComma.ReplaceAllString(s, "$1.$2$3") // 3,14
	s = thousands.ReplaceAllString(s, "$1")
	mantissa, exponent, _ := strings.Cut(s, "e")
	if len(mantissa) > maxDigits || len(strings.TrimLeft(exponent, "+-0")) > 4 {
		return nil, s
	}
	n, _ = new(big.Rat).SetString(s)
	return n, s
}

func fits(n *big.Rat) bool {
	return n.Num().BitLen() <= maxBits && n.Denom().BitLen() <= maxBits
}

// rounded keeps an inexact number from growing with every step.
func rounded(n *big.Rat, exact bool) *big.Rat {
	if exact {
		return n
	}
	n, _ = new(big.Float).SetPrec(floatBits).SetRat(n).Rat(nil)
	return n
}

// power returns base to the power of exp; exact is false for a rounded root.
func power(base, exp *big.Rat) (n *big.Rat, exact bool, err error) {
	if !exp.IsInt() {
		if exp.Denom().BitLen() > 7 {
			return nil, false, refusal("I take roots up to the 127th, and that power needs a higher one.")
		}
		root, exact, err := nthRoot(base, int(exp.Denom().Int64()))
		if err != nil {
			return nil, false, err
		}
		n, _, err := power(rounded(root, exact), new(big.Rat).SetInt(exp.Num()))
		return n, exact, err
	}
	if exp.Sign() < 0 {
		if base.Sign() == 0 {
			return nil, false, zeroDivide
		}
		return power(new(big.Rat).Inv(base), new(big.Rat).Neg(exp))
	}
	e := exp.Num()
	bits := max(base.Num().BitLen(), base.Denom().BitLen()) - 1
	if bits == 0 || base.Sign() == 0 { // 1, -1 or 0
		e = big.NewInt(int64(e.Sign()) * int64(2-e.Bit(0)))
	}
	if e.BitLen() > 20 || bits*int(e.Int64()) > maxBits {
		return nil, false, tooLarge
	}
	return new(big.Rat).SetFrac(new(big.Int).Exp(base.Num(), e, nil), new(big.Int).Exp(base.Denom(), e, nil)), true, nil
}

// nthRoot returns the k-th root, exact where there is one, else rounded to 110
// decimals.
func nthRoot(n *big.Rat, k int) (root *big.Rat, exact bool, err error) {
	if n.Sign() < 0 {
		if k%2 == 0 {
			return nil, false, refusal("A negative number has no real square root, nor any other even root.")
		}
		root, exact, err = nthRoot(new(big.Rat).Neg(n), k)
		return root.Neg(root), exact, err
	}
	num, numExact := intRoot(n.Num(), k)
	den, denExact := intRoot(n.Denom(), k)
	if numExact && denExact {
		return new(big.Rat).SetFrac(num, den), true, nil
	}
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(110), nil)
	scaled := new(big.Int).Exp(ten, big.NewInt(int64(k)), nil)
	scaled.Mul(scaled, n.Num()).Quo(scaled, n.Denom())
	num, _ = intRoot(scaled, k)
	return new(big.Rat).SetFrac(num, ten), false, nil
}

// intRoot returns the whole part of the k-th root of n >= 0, and whether it is
// the root.
func intRoot(n *big.Int, k int) (*big.Int, bool) {
	if n.Sign() == 0 {
		return new(big.Int), true
	}
	exp, less := big.NewInt(int64(k)), big.NewInt(int64(k-1))
	x := new(big.Int).Lsh(big.NewInt(1), uint(n.BitLen()/k+1)) // at or above the root
	for {
		next := new(big.Int).Quo(n, new(big.Int).Exp(x, less, nil))
		next.Add(next, new(big.Int).Mul(x, less)).Quo(next, exp)
		if next.Cmp(x) >= 0 {
			return x, new(big.Int).Exp(x, exp, nil).Cmp(n) == 0
		}
		x = next
	}
}

func factorial(n *big.Rat) (*big.Rat, error) {
	switch {
	case !n.IsInt() || n.Sign() < 0:
		return nil, refusal("A factorial needs a whole number that is not negative.")
	case n.Num().BitLen() > 12 || n.Num().Int64() > 3300:
		return nil, tooLarge
	}
	return new(big.Rat).SetInt(new(big.Int).MulRange(1, n.Num().Int64())), nil
}

func choose(n, k *big.Rat) (*big.Rat, error) {
	if !n.IsInt() || !k.IsInt() || n.Sign() < 0 || k.Sign() < 0 {
		return nil, notWhole
	}
	if n.Cmp(k) < 0 {
		return new(big.Rat), nil
	}
	if n.Num().BitLen() > 20 || k.Num().Int64() > 5000 && n.Num().Int64()-k.Num().Int64() > 5000 {
		return nil, tooLarge
	}
	return new(big.Rat).SetInt(new(big.Int).Binomial(n.Num().Int64(), k.Num().Int64())), nil
}

// divisor is the greatest common divisor, or the least common multiple.
func divisor(op string, a, b *big.Rat) (*big.Rat, error) {
	if !a.IsInt() || !b.IsInt() {
		return nil, notWhole
	}
	x, y := new(big.Int).Abs(a.Num()), new(big.Int).Abs(b.Num())
	gcd := new(big.Int).GCD(nil, nil, x, y)
	if op == "lcm" && gcd.Sign() > 0 {
		return new(big.Rat).SetInt(x.Mul(x, y).Quo(x, gcd)), nil
	}
	return new(big.Rat).SetInt(gcd), nil
}

func modulus(a, b *big.Rat) (*big.Rat, error) {
	if b.Sign() == 0 {
		return nil, zeroDivide
	}
	q := new(big.Rat).Quo(a, b)
	q.SetInt(new(big.Int).Div(q.Num(), q.Denom())) // rounded down
	return q.Sub(a, q.Mul(q, b)), nil
}

// decimal writes n in full where that is possible, else rounded to 12 digits.
func decimal(n *big.Rat, exact bool) (text string, full bool) {
	if places, ok := n.FloatPrec(); ok && exact && places <= maxDigits {
		return n.FloatString(places), true
	}
	return new(big.Float).SetPrec(floatBits).SetRat(n).Text('g', 12), false
}
