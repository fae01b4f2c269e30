package data

import (
	"context"
	"fmt"
	"regexp"
	"strings"
)

// column is the one column that words name and name alone, or empty.
func (q *question) column(words string) string {
	var fits []string
	for _, c := range q.cols {
		if strings.EqualFold(strings.TrimSpace(words), c) {
			return c
		}
		if s := stem(words); s != "" && (s == stem(c) || s == stem(c)+" column") {
			fits = append(fits, c)
		}
	}
	if len(fits) != 1 {
		return ""
	}
	return fits[0]
}

// value reads "average amount"; only numbers have a sum and an average.
func (q *question) value(ctx context.Context, head string) (value, what string, err error) {
	m := askValue.FindStringSubmatch(head)
	if m == nil {
		return "", "", nil
	}
	col := q.column(m[2])
	if col == "" {
		return "", "", nil
	}
	fn := map[string]string{"average": "avg", "avg": "avg", "mean": "avg", "sum": "sum", "total": "sum", "count": "count", "min": "min", "minimum": "min", "lowest": "min", "smallest": "min"}[m[1]]
	if fn == "" {
		fn = "max"
	}
	if fn == "avg" || fn == "sum" {
		if ok, err := q.numeric(ctx, col); !ok {
			return "", "", err
		}
	}
	what = strings.ToUpper(m[1][:1]) + m[1][1:] + " of " + col
	return fn + "(" + ident(col) + ") AS " + ident(m[1]+" "+col), what, nil
}

// numeric reports whether a column holds no text.
func (q *question) numeric(ctx context.Context, col string) (bool, error) {
	kinds, err := q.s.texts(ctx, "SELECT typeof(max("+ident(col)+")) FROM "+ident(q.table))
	return err == nil && kinds[0] != "text" && kinds[0] != "blob", err
}

// where reads one condition, such as "amount is over 100"; it is empty where
// that is not one.
func (q *question) where(ctx context.Context, words string) (string, error) {
	m := condition.FindStringSubmatch(strings.TrimSpace(words))
	if m == nil || noValue.MatchString(m[3]) {
		return "", nil
	}
	col, value := q.column(m[1]), literal(unquote(m[3]))+" COLLATE NOCASE"
	if col == "" {
		return "", nil
	}
	numbers, err := q.numeric(ctx, col)
	if numbers && isNumber.MatchString(m[3]) {
		value = m[3]
	}
	op := strings.TrimPrefix(strings.ToLower(m[2]), "is ")
	switch op {
	case "", "is", "equals", "==":
		op = "="
	case "over", "above", "more than", "greater than":
		op = ">"
	case "under", "below", "less than":
		op = "<"
	}
	if err != nil || strings.ContainsAny(op[:1], "<>") && op != "<>" && numbers != isNumber.MatchString(m[3]) { // a number and a text have no order
		return "", err
	}
	return " WHERE " + ident(col) + " " + op + " " + value, nil
}

// describe tells name, type, how many are empty, and the smallest and largest
// value of every column.
func (q *question) describe() string {
	var parts []string
	for _, c := range q.cols[:min(len(q.cols), 100)] {
		parts = append(parts, fmt.Sprintf("SELECT %s AS column, coalesce(max(CASE typeof(%s) WHEN 'null' THEN NULL ELSE typeof(%[2]s) END), 'empty') AS type, count(*) - count(%[2]s) AS empty, count(DISTINCT %[2]s) AS different, min(%[2]s) AS smallest, max(%[2]s) AS largest FROM %[3]s", literal(c), ident(c), ident(q.table)))
	}
	return strings.Join(parts, " UNION ALL ")
}

// askBack shows the SQL to type, with the columns there are.
func (q *question) askBack() error {
	asked := q.asked
	if r := []rune(asked); len(r) > 100 {
		asked = string(r[:100]) + "…"
	}
	names := make([]string, len(q.cols))
	for i, c := range q.cols {
		names[i] = source(c)
	}
	last := names[len(names)-1]
	rows := "SELECT " + strings.Join(names[:min(len(names), 4)], ", ") + " FROM " + q.source + " ORDER BY " + last + " DESC LIMIT 5"
	groups := "SELECT " + last + ", count(*) FROM " + q.source + " GROUP BY " + last
	return &unclear{"In words I understand only simple questions, and “" + asked + "” is not one of them. The columns of " + code(q.source) + " are " + some(names) + ". Ask it in SQL, such as: " + code(rows), []string{rows, groups, "describe " + q.source}}
}

var plainName = regexp.MustCompile(`^[\pL_][\pL\pN_./]*$`)

// source is a name as it stands in SQL.
func source(name string) string {
	if plainName.MatchString(name) && !notTable.MatchString(name) && (kindOf(name) != "" || !strings.ContainsAny(name, "./")) {
		return name
	}
	return ident(name)
}

func unquote(s string) string {
	if len(s) > 1 && s[0] == s[len(s)-1] && strings.ContainsRune("\"'`", rune(s[0])) || len(s) > 1 && s[0] == '[' {
		return s[1 : len(s)-1]
	}
	return s
}
