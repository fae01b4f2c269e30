package data

import (
	"context"
	"errors"
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
func (q *question) where(ctx context.Context, words string) (head, where string, err error) {
	loc := whereWord.FindStringSubmatchIndex(words)
	if loc == nil {
		return q.implied(ctx, words)
	}
	head, cond := words[:loc[0]], words[loc[2]:loc[3]]
	if superlat.MatchString(cond) {
		return q.implied(ctx, words)
	}
	for _, re := range []*regexp.Regexp{askOrder, groupWord} { // what follows the condition
		if m := re.FindStringIndex(cond); m != nil && m[0] > 0 {
			head, cond = head+" "+cond[m[0]:], strings.TrimSpace(cond[:m[0]])
		}
	}
	if !sureWhere.MatchString(words[loc[0]:]) {
		if _, _, ok := q.condition(firstPart(cond), ""); !ok {
			return q.implied(ctx, words)
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
	s = strings.TrimSpace(article.ReplaceAllString(s, ""))
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
	if rest != "" && plainValue(rest) {
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

var (
	compare  = regexp.MustCompile(`(?i)\b((?:\w+ ){0,3}?)((?:is |are |was )?(?:older|younger|more|less|greater|fewer|larger|bigger|smaller|higher|lower|cheaper|longer|shorter) than|over|under|above|below|after|before|since|at least|at most|exceeding)\s+("[^"]+"|'[^']+'|[$€£]?-?\d[\d.,:/-]*)`)
	inYear   = regexp.MustCompile(`(?i)\b(?:in|on|during|of|from) (\d{4}(?:-\d{2}){0,2})\b`)
	lessThan = regexp.MustCompile(`(?i)younger|less|fewer|smaller|lower|cheaper|shorter|under|below|before`)
	article  = regexp.MustCompile(`(?i)^(?:the|its|their)\s+`)
	isDate   = regexp.MustCompile(`^\d{4}-\d{2}`)
)

// implied finds the conditions that no "where" opens: a comparison, such as
// "older than 40", or a value that stands in one of the columns.
func (q *question) implied(ctx context.Context, words string) (head, where string, err error) {
	var conds []string
	for range 4 {
		m := compare.FindStringSubmatch(words)
		if m == nil {
			break
		}
		col, err := q.compared(ctx, m[1], m[2], m[3])
		if err != nil {
			return words, "", err
		}
		sign := ">"
		if lessThan.MatchString(m[2]) {
			sign = "<"
		}
		if low := strings.ToLower(m[2]); low == "since" || low == "at least" || low == "at most" {
			sign = map[string]string{"since": ">=", "at least": ">=", "at most": "<="}[low]
		}
		conds = append(conds, ident(col)+" "+sign+" "+constant(m[3]))
		words = strings.Replace(words, m[0], q.withoutColumn(m[1], col), 1)
	}
	if m := inYear.FindStringSubmatch(words); m != nil {
		if year := q.in("year"); len(year) > 0 && len(m[1]) == 4 {
			conds = append(conds, ident(year[0])+" = "+m[1])
			words = strings.Replace(words, m[0], " ", 1)
		} else {
			before := words[:strings.Index(words, m[0])]
			if col, err := q.compared(ctx, before, "", m[1]+"-01"); err == nil {
				conds = append(conds, ident(col)+" LIKE "+literal(m[1]+"%"))
				words = q.withoutColumn(before, col) + words[len(before)+len(m[0]):]
			}
		}
	}
	found, words, err := q.values(ctx, words)
	if err != nil {
		return words, "", err
	}
	if conds = append(conds, found...); len(conds) == 0 {
		return words, "", nil
	}
	return words, " WHERE (" + strings.Join(conds, " AND ") + ")", nil
}

// compared is the column that a comparison is about: the one named before it,
// the one its word means, the dates for a date, the only numbers for a number.
func (q question) compared(ctx context.Context, before, said, value string) (string, error) {
	isText := !isNumber.MatchString(strings.TrimLeft(value, "$€£"))
	if cols := q.in(lastWords(before)); len(cols) > 0 && (isText || !q.noNumbers(ctx, cols[len(cols)-1:])) {
		return cols[len(cols)-1], nil
	}
	for _, w := range strings.Fields(strings.ToLower(lastWords(before))) { // "sold after" is of sold_on
		for _, c := range q.cols {
			if len(w) > 2 && strings.HasPrefix(normal(c), w) {
				return c, nil
			}
		}
	}
	low, stems := strings.ToLower(said), ""
	switch {
	case strings.Contains(low, "old"), strings.Contains(low, "young"):
		stems = "age"
	case strings.Contains(low, "cheap"):
		stems = "price cost amount"
	case isDate.MatchString(unquote(value)):
		stems = "date time day joined created updated _on _at"
	}
	for _, stem := range strings.Fields(stems) {
		for _, c := range q.cols {
			if strings.Contains(strings.ToLower(c), stem) {
				return c, nil
			}
		}
	}
	return q.onlyNumbers(ctx, strings.TrimSpace(said+" "+value))
}

// withoutColumn takes the words that name col off the end.
func (q question) withoutColumn(words, col string) string {
	near := lastWords(words)
	if cols := q.in(near); len(cols) > 0 && cols[len(cols)-1] == col {
		return strings.TrimSuffix(strings.TrimSpace(words), near) + " "
	}
	return words
}

func lastWords(s string) string {
	w := strings.Fields(s)
	return strings.Join(w[max(0, len(w)-2):], " ")
}

// onlyNumbers is the one column of numbers that is no key, or the question
// which one is meant.
func (q question) onlyNumbers(ctx context.Context, what string) (string, error) {
	var found []string
	for _, c := range q.cols {
		if n := normal(c); n == "id" || strings.HasSuffix(n, " id") {
			continue
		}
		var kind string
		if err := q.s.conn.QueryRowContext(ctx, "SELECT typeof(max("+ident(c)+")) FROM "+q.table).Scan(&kind); err != nil {
			return "", q.s.words(err)
		}
		if kind == "integer" || kind == "real" {
			found = append(found, c)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	options := found
	if len(options) == 0 {
		options = q.cols
	}
	return "", &unclear{"Which column do you mean by “" + what + "”? " + code(q.name) + " has " + strings.Join(q.cols[:min(len(q.cols), 30)], ", ") + ".", options[:min(len(options), 10)]}
}

// values finds words that are the value of some column, and takes them out.
// A word that looks like a value and is none is asked about.
func (q *question) values(ctx context.Context, words string) (conds []string, rest string, err error) {
	var names []string
	odd := ""
	columns := map[string]bool{}
	for _, c := range q.cols {
		for _, w := range strings.Fields(normal(c)) {
			columns[w], columns[w+"s"] = true, true
		}
	}
	list := wordLike.FindAllString(words, 100)
	for i, w := range list {
		bare := strings.TrimSuffix(strings.Trim(unquote(w), ".?!"), "'s")
		low := strings.ToLower(bare)
		if len(q.in(w)) > 0 || columns[low] || columns[strings.TrimSuffix(low, "s")] || low == "" || slices.Contains(plainWords(), low) || askEdge.MatchString("first "+low) && isNumber.MatchString(low) || askAgg.MatchString(low) {
			continue
		}
		names = append(names, bare)
		if one := strings.TrimSuffix(bare, "s"); one != bare && len(one) > 2 {
			names = append(names, one)
		}
		if i+1 < len(list) && bare == w {
			names = append(names, bare+" "+strings.Trim(unquote(list[i+1]), ".?!"))
		}
		if unquote(w) != w || i > 0 && bare != low {
			odd = w
		}
	}
	if len(names) == 0 || len(q.cols) > 50 {
		return nil, words, nil
	}
	list = make([]string, min(len(names), 20))
	for i := range list {
		list[i] = literal(strings.ToLower(names[i]))
	}
	hits := map[string][]string{}
	for _, c := range q.cols {
		rows, err := q.s.conn.QueryContext(ctx, "SELECT DISTINCT "+ident(c)+" FROM "+q.table+" WHERE typeof("+ident(c)+") = 'text' AND lower("+ident(c)+") IN ("+strings.Join(list, ", ")+") LIMIT 20")
		if err != nil {
			return nil, words, q.s.words(err)
		}
		for rows.Next() {
			var v string
			if err := rows.Scan(&v); err == nil {
				hits[c] = append(hits[c], v)
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return nil, words, q.s.words(err)
		}
	}
	for _, c := range q.cols {
		if len(hits[c]) == 0 {
			continue
		}
		var in []string
		for _, v := range hits[c] {
			in = append(in, literal(v))
			words = regexp.MustCompile(`(?i)(?:\b(?:for|in|from|of|is|are|the|at|with|to|named|called)\s+)*["'`+"`"+`]?`+regexp.QuoteMeta(v)+`["'`+"`"+`]?`).ReplaceAllString(words, " ")
			if strings.EqualFold(strings.TrimSuffix(unquote(odd), "'s"), v) || strings.Contains(strings.ToLower(v), strings.ToLower(unquote(odd))) {
				odd = ""
			}
		}
		conds = append(conds, ident(c)+" IN ("+strings.Join(in, ", ")+")")
		q.used = append(q.used, c)
		if len(in) > 1 {
			q.shared = []string{c}
		}
	}
	if len(conds) == 0 {
		for _, n := range names {
			if !strings.Contains(n, " ") && len(n) > 2 {
				q.odd = append(q.odd, n)
			}
		}
	}
	if odd != "" && len(conds) == 0 {
		return nil, words, &unclear{"I find no " + code(unquote(odd)) + " in " + code(q.name) + ", neither as a column nor as a value. Its columns are " + strings.Join(q.cols[:min(len(q.cols), 30)], ", ") + ".", q.cols[:min(len(q.cols), 10)]}
	}
	return conds, words, nil
}

// plainWords are never taken for a value.
func plainWords() []string {
	return strings.Fields(`a an the all any every each some and or not of in on at to by for from with is are was were be been do does did has have had i me my we our you it its
		this that these those there here what which who whose when where why how many much show list give get find tell display print preview count number sum total average mean
		median minimum maximum min max top bottom first last highest lowest most least rows row records record entries entry items item lines line columns column fields field values value
		table tables file data dataset different distinct unique sorted sort sorted order ordered group grouped per sorted descending ascending desc asc sample random head tail
		percentage percent share proportion people person things thing live lives living according contain contains sold made common frequent popular distribution breakdown frequency
		describe schema structure look like size rows? summary summarize summarise statistics stats overview please only just also then than more less up out as if so can could would
		sales orders users customers products no none example examples select everything what's it's old age largest biggest smallest greatest latest earliest newest oldest youngest
		cheapest expensive null empty missing one two three four five six seven eight nine ten few`)
}
