package calc

// phrase reads one of the sentences that have a verb, or an expression.
func (p *parser) phrase() value {
	switch t := p.peek(); {
	case p.take("verb", "share"):
		whole := p.sum()
		p.take("op", ",")
		return p.share(p.sum(), whole)
	case t.kind == "verb":
		p.next()
		return p.verb(t.text)
	}
	v := p.sum()
	if p.take("verb", "share") {
		v = p.share(v, p.sum())
	}
	return v
}

// verb reads "add 5 to 20" and its like: what it is done with, a word between,
// and the other operand.
func (p *parser) verb(name string) value {
	p.list++
	operand := p.sum
	if name == "remainder" { // "of 17 divided by 5"
		operand = p.unary
	}
	a := operand()
	between := p.next()
	p.list--
	b := operand()
	if p.err != nil {
		return p.fail(p.err)
	}
	switch name + " " + between.text {
	case "add to":
		if b.percent() {
			return p.binary(a, "+", b)
		}
		return p.binary(b, "+", a)
	case "add and", "add ,", "raise by":
		v := p.binary(a, "+", b)
		for p.take("op", ",") || p.take("word", "and") {
			v = p.binary(v, "+", p.sum())
		}
		return v
	case "take from":
		return p.binary(b, "-", a)
	case "lower by":
		return p.binary(a, "-", b)
	case "multiply by", "multiply and", "multiply with":
		return p.binary(a, "*", b)
	case "divide by", "divide and", "divide to":
		return p.binary(a, "/", b)
	case "remainder /", "remainder by", "remainder and", "remainder mod":
		return p.binary(a, "mod", b)
	case "difference and":
		p.expect(a.percent() == b.percent())
		if v := p.binary(a, "-", b); v.n.Sign() >= 0 {
			return v
		}
		return p.binary(b, "-", a)
	case "change to":
		v := p.percentage(p.binary(p.binary(b, "-", a), "/", a))
		v.text = "change from " + a.text + " to " + b.text
		return v
	}
	return p.fail(errUnread)
}

// share is part as a percentage of whole.
func (p *parser) share(part, whole value) value {
	v := p.percentage(p.binary(part, "/", whole))
	v.text = part.text + " as a percentage of " + whole.text
	return v
}

func (p *parser) percentage(v value) value {
	v, err := v.to(percent())
	if err != nil {
		return p.fail(err)
	}
	return v
}
