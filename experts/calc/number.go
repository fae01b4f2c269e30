package calc

import (
	"math"
	"math/big"
	"strings"
)

// Results are held to maxDigits digits before and after the point; maxBits is
// the same bound for what is on the way to them.
const (
	maxDigits = 10_000
	maxBits   = 36_000
	rootScale = 110 // decimals that a rounded root is computed to
)

// refusal is a reason, in words, why something is not computed.
type refusal string

func (r refusal) Error() string { return string(r) }

const (
	tooLarge   = refusal("That number would have more than 10000 digits, which is more than I work with.")
	zeroDivide = refusal("Division by zero has no result.")
	notWhole   = refusal("That works on whole numbers only.")
)

// parseNumeral reads a literal that numeral matched; text is how it is shown.
// An exponent beyond what a result may have gives nil.
func parseNumeral(s string) (n *big.Rat, text string) {
	s = strings.ToLower(s)
	if len(s) > 2 && s[0] == '0' && strings.IndexByte("xbo", s[1]) >= 0 {
		i, ok := new(big.Int).SetString(strings.ReplaceAll(s, "_", ""), 0)
		if !ok {
			return nil, s
		}
		return new(big.Rat).SetInt(i), s
	}
	mantissa, exponent, _ := strings.Cut(s, "e")
	if i := strings.IndexByte(mantissa, ','); i >= 0 && (i < len(mantissa)-4 || len(mantissa) < 4) && strings.Count(mantissa, ",") == 1 && !strings.Contains(mantissa, ".") && len(mantissa)-i != 4 {
		mantissa = strings.Replace(mantissa, ",", ".", 1) // 3,14
	}
	mantissa = strings.NewReplacer(",", "", " ", "", "'", "", "_", "").Replace(mantissa)
	if exponent != "" {
		s = mantissa + "e" + exponent
		if len(strings.TrimLeft(exponent, "+-0")) > 4 {
			return nil, s
		}
	} else {
		s = mantissa
	}
	if len(mantissa) > maxDigits {
		return nil, s
	}
	n, _ = new(big.Rat).SetString(s)
	return n, s
}

func fits(n *big.Rat) bool {
	return n.Num().BitLen() <= maxBits && n.Denom().BitLen() <= maxBits
}

// power returns base to the power of exp; exact is false for a rounded root.
func power(base, exp *big.Rat) (n *big.Rat, exact bool, err error) {
	if !exp.IsInt() {
		if exp.Denom().BitLen() > 7 {
			return inexactPower(base, exp)
		}
		root, exact, err := nthRoot(base, int(exp.Denom().Int64()))
		if err != nil {
			return nil, false, err
		}
		n, _, err = power(root, new(big.Rat).SetInt(exp.Num()))
		return rounded(n, exact), exact, err
	}
	e := new(big.Int).Abs(exp.Num())
	if base.Sign() == 0 && exp.Sign() < 0 {
		return nil, false, zeroDivide
	}
	one := big.NewRat(1, 1)
	if new(big.Rat).Abs(base).Cmp(one) == 0 || base.Sign() == 0 {
		if base.Sign() < 0 && e.Bit(0) == 0 || e.Sign() == 0 {
			return one, true, nil
		}
		return base, true, nil
	}
	bits := max(base.Num().BitLen(), base.Denom().BitLen())
	if e.BitLen() > 20 || (bits-1)*int(e.Int64()) > maxBits {
		if !base.IsInt() {
			return inexactPower(base, exp)
		}
		return nil, false, tooLarge
	}
	n = new(big.Rat).SetFrac(new(big.Int).Exp(base.Num(), e, nil), new(big.Int).Exp(base.Denom(), e, nil))
	if exp.Sign() < 0 {
		n.Inv(n)
	}
	return n, true, nil
}

func inexactPower(base, exp *big.Rat) (*big.Rat, bool, error) {
	b, _ := base.Float64()
	e, _ := exp.Float64()
	f := math.Pow(b, e)
	if f == 0 || math.IsInf(f, 0) {
		return nil, false, tooLarge
	}
	n, err := fromFloat(f)
	return n, false, err
}

// fromFloat turns the result of a float64 function into a number of the 14
// digits that can be trusted.
func fromFloat(f float64) (*big.Rat, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, refusal("That has no real result, or one beyond what I work with.")
	}
	n, _ := new(big.Rat).SetString(big.NewFloat(f).Text('e', 13))
	return n, nil
}

// nthRoot returns the k-th root, exact where there is one, else rounded to
// rootScale decimals.
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
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(rootScale)), nil)
	scaled := new(big.Int).Exp(ten, big.NewInt(int64(k)), nil)
	scaled.Mul(scaled, n.Num()).Quo(scaled, n.Denom())
	num, _ = intRoot(scaled, k)
	return new(big.Rat).SetFrac(num, ten), false, nil
}

// intRoot returns the whole part of the k-th root of n >= 0, and whether it is
// the root.
func intRoot(n *big.Int, k int) (*big.Int, bool) {
	if k == 2 {
		root := new(big.Int).Sqrt(n)
		return root, new(big.Int).Mul(root, root).Cmp(n) == 0
	}
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

// rounded keeps an inexact number from growing with every step.
func rounded(n *big.Rat, exact bool) *big.Rat {
	if n == nil || exact || n.Denom().BitLen() < 4*rootScale {
		return n
	}
	extra := max(0, n.Denom().BitLen()-n.Num().BitLen()) / 3
	n, _ = new(big.Rat).SetString(n.FloatString(rootScale + extra))
	return n
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

func floor(n *big.Rat) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Div(n.Num(), n.Denom())) // Euclidean; the denominator is positive
}

func modulus(a, b *big.Rat) (*big.Rat, error) {
	if b.Sign() == 0 {
		return nil, zeroDivide
	}
	q := new(big.Rat).Quo(a, b)
	return q.Sub(a, q.Mul(floor(q), b)), nil
}

// decimals returns how many digits after the point write n in full, false when
// no number of them does.
func decimals(n *big.Rat) (int, bool) {
	places, exact := n.FloatPrec()
	return places, exact && places <= maxDigits
}

// decimal writes n in full where that is possible, else rounded to 12 digits.
func decimal(n *big.Rat, exact bool) (text string, full bool) {
	if places, ok := decimals(n); ok && exact {
		return n.FloatString(places), true
	}
	f := new(big.Float).SetPrec(256).SetRat(n)
	if f.Sign() != 0 && (f.MantExp(nil) > 50 || f.MantExp(nil) < -30) {
		mantissa, exponent, _ := strings.Cut(f.Text('e', 11), "e")
		return trimZeros(mantissa) + "e" + exponent, false
	}
	places := 12
	for whole := floor(new(big.Rat).Abs(n)); whole.Sign() > 0 && places > 0; places-- {
		whole = floor(whole.Quo(whole, big.NewRat(10, 1)))
	}
	for small := new(big.Rat).Abs(n); places >= 12 && small.Sign() > 0 && small.Cmp(big.NewRat(1, 10)) < 0; places++ {
		small.Mul(small, big.NewRat(10, 1))
	}
	return trimZeros(n.FloatString(places)), false
}

func trimZeros(s string) string {
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		return "0"
	}
	return s
}
