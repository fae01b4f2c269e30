package data

import (
	"context"
	"regexp"
	"slices"
	"strings"
)

var (
	notWord   = regexp.MustCompile(`[^\pL\pN]+`)
	andOr     = regexp.MustCompile(`(?i)\s+(and|or)\s+`)
	betweens  = regexp.MustCompile(`(?i)\b(between\s+\S+)\s+and\s+`)
	isNumber  = regexp.MustCompile(`^-?\d+(?:\.\d+)?$`)
	thousands = regexp.MustCompile(`^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$`)
)

// operator is a way of comparing, and how it is said. In sql, %s is the value.
type operator struct {
	said *regexp.Regexp
	sql  string
}

func operators() []operator {
	say := func(s, sql string) operator { return operator{regexp.MustCompile(`(?i)^(?:` + s + `)\s*`), sql} }
	return []operator{
		say(`is not (?:null|empty|missing|blank)$|is set$|not null$|(?:is )?not empty$`, "IS NOT NULL"),
		say(`is (?:null|empty|missing|blank)$|(?:null|empty|missing|blank)$|is not set$`, "IS NULL"),
		say(`(?:is )?(?:>=|at least|no less than|not less than|greater than or equal to|from)`, ">="),
		say(`(?:is )?(?:<=|at most|up to|no more than|not more than|less than or equal to)`, "<="),
		say(`!=|<>|is not equal to|is not|isn't|not equal to|does not equal|not`, "<>"),
		say(`(?:is )?(?:>|greater than|more than|larger than|bigger than|higher than|over|above|exceeds|after|older than)`, ">"),
		say(`(?:is )?(?:<|less than|smaller than|lower than|fewer than|under|below|before|younger than)`, "<"),
		say(`(?:is )?between`, "BETWEEN"),
		say(`(?:is )?(?:in|one of|any of)\b`, "IN"),
		say(`does not contain|doesn't contain|not like|not containing`, "NOT LIKE"),
		say(`contains?|containing|includes?|like|matches`, "LIKE"),
		say(`starts? with|starting with|begins? with`, "STARTS"),
		say(`ends? with|ending with|ending in`, "ENDS"),
		say(`==?|is equal to|equals?(?: to)?|is exactly|is|are|was|of|:`, "="),
	}
}

// in returns the columns that words mention, in the order of the words. Case,
// punctuation and a plural's s do not matter.
func (q question) in(words string) []string {
	type hit struct {
		at  int
		col string
	}
	var hits []hit
	hay := " " + normal(words) + " "
	byLength := slices.Clone(q.cols)
	slices.SortStableFunc(byLength, func(a, b string) int { return len(b) - len(a) })
	for _, c := range byLength {
		n := normal(c)
		if n == "" {
			continue
		}
		for _, form := range []string{n, n + "s", n + "es", strings.TrimSuffix(n, "s"), strings.TrimSuffix(n, "y") + "ies", strings.TrimSuffix(n, "ies") + "y"} {
			if at := strings.Index(hay, " "+form+" "); at >= 0 && form != "" {
				hits = append(hits, hit{at, c})
				hay = hay[:at+1] + strings.Repeat("\x00", len(form)) + hay[at+1+len(form):]
				break
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return a.at - b.at })
	out := []string{}
	for _, h := range hits {
		out = append(out, h.col)
	}
	return out
}

func normal(s string) string {
	return strings.TrimSpace(notWord.ReplaceAllString(strings.ToLower(s), " "))
}

// where splits the condition off the words and turns it into SQL.
func (q question) where(ctx context.Context, words string) (head, where string, err error) {
	loc := whereWord.FindStringSubmatchIndex(words)
	if loc == nil {
		return q.value(ctx, words)
	}
	head, cond := words[:loc[0]], words[loc[2]:loc[3]]
	if superlat.MatchString(cond) {
		return words, "", nil
	}
	for _, re := range []*regexp.Regexp{askOrder, groupWord} { // what follows the condition
		if m := re.FindStringIndex(cond); m != nil && m[0] > 0 {
			head, cond = head+" "+cond[m[0]:], strings.TrimSpace(cond[:m[0]])
		}
	}
	if !sureWhere.MatchString(words[loc[0]:]) {
		if _, _, ok := q.condition(firstPart(cond), ""); !ok {
			return words, "", nil
		}
	}
	cond = betweens.ReplaceAllString(cond, "$1 \x00 ")
	var b strings.Builder
	start, last := 0, ""
	for _, m := range append(andOr.FindAllStringSubmatchIndex(cond, 20), []int{len(cond), len(cond), 0, 0}) {
		part, col, ok := q.condition(strings.TrimSpace(cond[start:m[0]]), last)
		if !ok {
			raw := strings.ReplaceAll(cond, "\x00", "AND")
			return head, " WHERE " + raw, nil // check has the last word
		}
		b.WriteString(part)
		if m[3] > m[2] {
			b.WriteString(" " + strings.ToUpper(cond[m[2]:m[3]]) + " ")
		}
		start, last = m[1], col
	}
	return head, " WHERE (" + b.String() + ")", nil
}

// condition reads "amount is over 100"; without a column it goes on with last.
func (q question) condition(s, last string) (sql, col string, ok bool) {
	s = strings.TrimSpace(regexp.MustCompile(`(?i)^(?:the|its|their)\s+`).ReplaceAllString(s, ""))
	col, rest := last, s
	low := strings.ToLower(s)
	longest := 0
	for _, c := range q.cols {
		for _, form := range []string{strings.ToLower(c), normal(c), ident(strings.ToLower(c))} {
			if strings.HasPrefix(low, form) && len(form) > longest && (len(low) == len(form) || !isWordByte(low[len(form)])) {
				col, rest, longest = c, strings.TrimSpace(s[len(form):]), len(form)
			}
		}
	}
	if col == "" {
		return "", "", false
	}
	name := ident(col)
	for _, op := range operators() {
		m := op.said.FindString(rest)
		if m == "" {
			continue
		}
		value := strings.TrimSpace(rest[len(m):])
		switch op.sql {
		case "IS NULL", "IS NOT NULL":
			return name + " " + op.sql, col, true
		case "BETWEEN":
			from, to, ok := strings.Cut(value, "\x00")
			return name + " BETWEEN " + constant(from) + " AND " + constant(to), col, ok
		case "IN":
			var list []string
			for _, v := range strings.Split(strings.Trim(value, "() "), ",") {
				list = append(list, constant(v))
			}
			return name + " COLLATE NOCASE IN (" + strings.Join(list, ", ") + ")", col, value != ""
		case "LIKE", "NOT LIKE":
			return name + " " + op.sql + " " + literal("%"+strings.Trim(unquote(value), "%")+"%"), col, value != ""
		case "STARTS":
			return name + " LIKE " + literal(unquote(value)+"%"), col, value != ""
		case "ENDS":
			return name + " LIKE " + literal("%"+unquote(value)), col, value != ""
		}
		return name + " " + op.sql + " " + constant(value) + " COLLATE NOCASE", col, value != "" && plainValue(value)
	}
	if longest > 0 && rest != "" && plainValue(rest) {
		return name + " = " + constant(rest) + " COLLATE NOCASE", col, true
	}
	return "", "", false
}

func firstPart(cond string) string {
	cond = betweens.ReplaceAllString(cond, "$1 \x00 ")
	if m := andOr.FindStringIndex(cond); m != nil {
		return cond[:m[0]]
	}
	return cond
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 0x80
}

// plainValue reports whether s is one value, rather than an expression.
func plainValue(s string) bool {
	return unquote(s) != s || !strings.ContainsAny(s, "()<>=*+%|")
}

// constant is a number as it is, and anything else as text.
func constant(s string) string {
	s = strings.TrimSpace(s)
	bare := strings.TrimRight(strings.TrimLeft(s, "$€£"), "%")
	if isNumber.MatchString(bare) {
		return bare
	}
	if thousands.MatchString(bare) {
		return strings.ReplaceAll(bare, ",", "")
	}
	switch strings.ToLower(s) {
	case "true", "yes":
		return "1"
	case "false", "no":
		return "0"
	}
	return literal(unquote(s))
}

var lastFor = regexp.MustCompile(`(?i)^(.*\S)\s+(?:for|in|from|of|where it is|at|on)\s+(?:the\s+)?("[^"]+"|'[^']+'|[\w.-]+(?: [\w.-]+)?)$`)

// value reads "total amount for north", where north is in some column.
func (q question) value(ctx context.Context, words string) (head, where string, err error) {
	m := lastFor.FindStringSubmatch(words)
	if m == nil || len(q.in(m[2])) > 0 || len(q.cols) > 50 || groupWord.MatchString(m[2]) {
		return words, "", nil
	}
	for _, c := range q.cols {
		var n int
		if err := q.s.conn.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM "+q.table+" WHERE "+ident(c)+" = "+constant(m[2])+" COLLATE NOCASE)").Scan(&n); err != nil {
			return words, "", q.s.words(err)
		}
		if n == 1 {
			return m[1], " WHERE " + ident(c) + " = " + constant(m[2]) + " COLLATE NOCASE", nil
		}
	}
	return words, "", nil
}
