package data

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// describe tells name, type, how many are empty, and the smallest and largest
// value of every column.
func (q question) describe() string {
	parts := make([]string, 0, len(q.cols))
	for _, c := range q.cols[:min(len(q.cols), 100)] {
		parts = append(parts, fmt.Sprintf("SELECT %s AS column, coalesce(max(CASE typeof(%s) WHEN 'null' THEN NULL ELSE typeof(%[2]s) END), 'empty') AS type, count(*) - count(%[2]s) AS empty, count(DISTINCT %[2]s) AS different, min(%[2]s) AS smallest, max(%[2]s) AS largest FROM %[3]s", literal(c), ident(c), q.table))
	}
	return strings.Join(parts, " UNION ALL ")
}

func (q question) counted(group []string, from string, edge []string) string {
	limit := ""
	if len(edge) > 2 && number(edge[2]) > 0 {
		limit = fmt.Sprintf(" LIMIT %d", number(edge[2]))
	}
	return "SELECT " + idents(group) + ", count(*) AS row_count" + from + " GROUP BY " + idents(group) + " ORDER BY row_count DESC" + limit
}

// superlative answers "which region has the highest amount".
func (q question) superlative(head, from string) (statement, title string, err error) {
	m := askSuper.FindStringSubmatch(head)
	low := strings.ToLower(m[1])
	dir := "DESC"
	if slices.Contains([]string{"least", "fewest", "lowest", "smallest", "cheapest", "youngest", "earliest", "oldest"}, low) {
		dir = "ASC"
	}
	cols := q.in(head)
	measure := q.in(m[2])
	if low == "oldest" || low == "youngest" || low == "cheapest" || low == "most expensive" {
		measure = append(measure, q.meant(low)...)
		if c := q.meant(low); low == "oldest" && len(c) > 0 && strings.EqualFold(c[0], "age") || low == "youngest" && len(c) > 0 && !strings.EqualFold(c[0], "age") {
			dir = "DESC"
		}
	}
	if len(measure) == 0 {
		measure = q.meant(low)
	}
	if len(measure) == 0 {
		return "SELECT " + ident(cols[0]) + ", count(*) AS row_count" + from + " GROUP BY 1 ORDER BY 2 " + dir + " LIMIT 1", "The " + low + " rows", nil
	}
	what := slices.DeleteFunc(cols, func(c string) bool { return c == measure[0] })
	fn := ""
	switch tail := strings.ToLower(m[2]); {
	case strings.Contains(tail, "average") || strings.Contains(tail, "mean") || strings.Contains(tail, "avg"):
		fn = "avg"
	case strings.Contains(tail, "total") || strings.Contains(tail, "sum") || low == "most" || low == "least":
		fn = "sum"
	}
	switch {
	case len(what) == 0:
		return "SELECT *" + from + notNull(from, measure[0]) + " ORDER BY " + ident(measure[0]) + " " + dir + " LIMIT 1", "The " + low + " " + measure[0], nil
	case fn == "":
		return "SELECT " + ident(what[0]) + ", " + ident(measure[0]) + from + notNull(from, measure[0]) + " ORDER BY 2 " + dir + " LIMIT 1", "The " + low + " " + measure[0], nil
	}
	return "SELECT " + ident(what[0]) + ", " + fn + "(" + ident(measure[0]) + ") AS " + ident(fn+" "+measure[0]) + from + " GROUP BY 1 ORDER BY 2 " + dir + " LIMIT 1", "The " + low + " " + measure[0], nil
}

func notNull(from, col string) string { return and(from) + ident(col) + " IS NOT NULL" }

// and goes on with the condition of from, or begins one.
func and(from string) string {
	if strings.Contains(from, " WHERE ") {
		return " AND "
	}
	return " WHERE "
}

// addPeriod makes the month, year or day of the date column a column of its
// own, where the prompt speaks of one and there is none.
func (q *question) addPeriod() {
	m := ofPeriod.FindStringSubmatch(q.prompt)
	if m == nil || len(q.in(m[1])) > 0 {
		return
	}
	period := strings.ToLower(m[1])
	date := q.meant("latest")
	for _, c := range q.cols {
		if low := strings.ToLower(c); len(date) == 0 && (strings.HasSuffix(low, "_on") || strings.HasSuffix(low, "_at") || strings.HasPrefix(low, "joined")) {
			date = []string{c}
		}
	}
	if len(date) > 0 {
		format := map[string]string{"month": "%Y-%m", "year": "%Y", "day": "%Y-%m-%d", "weekday": "%w"}[period]
		q.table = "(SELECT *, strftime('" + format + "', " + ident(date[0]) + ") AS " + ident(period) + " FROM " + q.table + ")"
		q.cols = append(slices.Clone(q.cols), period)
	}
}

// ordered shows the rows with the largest, or smallest, value of by.
func (q question) ordered(word, cols, by string, n int, from string) (statement, title string, err error) {
	dir := " DESC"
	if expression(strings.ToLower(word)) == "min" {
		dir = ""
	}
	return fmt.Sprintf("SELECT %s%s%s ORDER BY %s%s LIMIT %d", cols, from, notNull(from, by), ident(by), dir, max(n, 1)), "The " + strings.ToLower(word) + " by " + by, nil
}

// noNumbers reports whether there are columns, and all hold text.
func (q question) noNumbers(ctx context.Context, cols []string) bool {
	for _, c := range cols {
		var kind string
		if err := q.s.conn.QueryRowContext(ctx, "SELECT typeof(max("+ident(c)+")) FROM "+q.table).Scan(&kind); err != nil || kind != "text" {
			return false
		}
	}
	return len(cols) > 0
}

// flag reports whether a column holds nothing but 0 and 1.
func (q question) flag(ctx context.Context, col string) bool {
	var yes bool
	err := q.s.conn.QueryRowContext(ctx, "SELECT count(*) > 0 AND min("+ident(col)+" IN (0, 1)) FROM "+q.table+" WHERE "+ident(col)+" IS NOT NULL").Scan(&yes)
	return err == nil && yes
}

// extreme answers "the biggest order": the row with the largest number.
func (q question) extreme(ctx context.Context, agg, from string) (statement, title string, err error) {
	col, err := q.onlyNumbers(ctx, agg)
	if err != nil {
		return "", "", err
	}
	switch fn := expression(strings.ToLower(agg)); fn {
	case "min":
		return "SELECT *" + from + notNull(from, col) + " ORDER BY " + ident(col) + " LIMIT 1", "The smallest " + col, nil
	case "max":
		return "SELECT *" + from + " ORDER BY " + ident(col) + " DESC LIMIT 1", "The largest " + col, nil
	default:
		return "SELECT " + fn + "(" + ident(col) + ") AS " + ident(strings.ToLower(agg)+" "+col) + from, agg + " " + col, nil
	}
}

// top answers "top 3 products by revenue", and "top 3 rows by amount".
func (q question) top(rest string, by []string, from string) (statement, title string, err error) {
	m := topN.FindStringSubmatch(rest)
	n := number(m[1])
	if n == 0 {
		n = 10
	}
	dir := "DESC"
	if low := strings.ToLower(m[0]); strings.HasPrefix(low, "bottom") || strings.HasPrefix(low, "worst") || strings.HasPrefix(low, "lowest") {
		dir = "ASC"
	}
	if what := q.in(rest); len(what) > 0 && what[0] != by[0] {
		return "SELECT " + ident(what[0]) + ", sum(" + ident(by[0]) + ") AS " + ident("total "+by[0]) + from + " GROUP BY 1 ORDER BY 2 " + dir + " LIMIT " + strconv.Itoa(n), "Top " + what[0] + " by " + by[0], nil
	}
	return "SELECT *" + from + " ORDER BY " + ident(by[0]) + " " + dir + " LIMIT " + strconv.Itoa(n), "Top rows by " + by[0], nil
}

// measures are the columns that an aggregate is of.
func (q question) measures(rest string, group []string) []string {
	cols := q.in(rest)
	if len(cols) == 0 {
		for _, m := range askAgg.FindAllString(rest, 3) {
			cols = append(cols, q.meant(strings.ToLower(m))...)
		}
	}
	return slices.DeleteFunc(cols, func(c string) bool { return slices.Contains(group, c) || slices.Contains(q.used, c) && len(cols) > 1 })
}

// meant is the column that a word such as "oldest" is about.
func (q question) meant(w string) []string {
	wanted := map[string]string{"oldest": "age birth born date created", "youngest": "age birth born date created", "cheapest": "price cost amount", "most expensive": "price cost amount", "latest": "date time created updated day", "earliest": "date time created updated day", "newest": "date time created updated day"}[w]
	for _, want := range strings.Fields(wanted) {
		for _, c := range q.cols {
			if strings.Contains(strings.ToLower(c), want) {
				return []string{c}
			}
		}
	}
	return nil
}

// aggregates are the words that ask for one; "total" is a column's name where
// there is such a column and another word.
func (q question) aggregates(rest string) [][]string {
	all := askAgg.FindAllStringSubmatch(rest, 6)
	if len(all) < 2 {
		return all
	}
	return slices.DeleteFunc(all, func(m []string) bool { return len(q.in(m[1])) > 0 })
}

// median is the middle value, or the mean of the two in the middle.
func (q question) median(col string, group []string, from string) string {
	names, over := "", ""
	if len(group) > 0 {
		names, over = idents(group)+", ", "PARTITION BY "+idents(group)
	}
	inner := "SELECT " + names + ident(col) + " AS v, row_number() OVER (" + over + " ORDER BY " + ident(col) + ") AS r, count(*) OVER (" + over + ") AS n" + from + notNull(from, col)
	outer := "SELECT " + names + "avg(v) AS " + ident("median "+col) + " FROM (" + inner + ") WHERE r IN ((n + 1) / 2, (n + 2) / 2)"
	if len(group) > 0 {
		outer += " GROUP BY " + idents(group) + fmt.Sprintf(" ORDER BY %d DESC", len(group)+1)
	}
	return outer
}

func (q question) aggregate(aggs [][]string, cols, group []string, from string) string {
	var exprs []string
	for _, a := range aggs {
		for _, c := range cols {
			exprs = append(exprs, expression(strings.ToLower(a[1]))+"("+ident(c)+") AS "+ident(strings.ToLower(a[1])+" "+c))
		}
	}
	if len(group) == 0 {
		return "SELECT " + strings.Join(exprs, ", ") + from
	}
	return "SELECT " + idents(group) + ", " + strings.Join(exprs, ", ") + from + " GROUP BY " + idents(group) + fmt.Sprintf(" ORDER BY %d DESC", len(group)+1)
}

func expression(agg string) string {
	switch agg {
	case "average", "avg", "mean", "median": // median beside others: its own question is exact
		return "avg"
	case "sum", "total":
		return "sum"
	case "min", "minimum", "lowest", "smallest", "cheapest", "earliest", "oldest", "youngest":
		return "min"
	}
	return "max"
}

func aggTitle(aggs [][]string, cols []string) string {
	w := strings.ToLower(aggs[0][1])
	return strings.ToUpper(w[:1]) + w[1:] + " " + cols[0]
}
