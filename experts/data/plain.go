package data

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"yaap/core"
	"yaap/experts/plain"
)

// The questions that are understood in words. They are matched against what
// stem leaves of the words; whatever it leaves must be understood, or the
// question is asked back.
//
//nolint:gochecknoglobals // never change; see plain.Expr
var (
	askFiles   = plain.Expr(`\b(?:files|data ?sets|databases|spreadsheets|tables)\b`)
	askTables  = plain.Expr(`^(?:describe )?(?:table|schema|structure)?(?: name)?$`)
	askColumns = plain.Expr(`^(?:(?:how many|number|name|type|describe) )*(?:describe|column|field|header|schema|structure|summary|look like)(?: (?:column|field|name|type))*$`)
	askCount   = plain.Expr(`^(?:how many|number|count)(?: (?:row|record|entry|line))?$|^row count$`)
	askValue   = plain.Expr(`^(average|avg|mean|sum|total|min|minimum|lowest|smallest|max|maximum|highest|largest|biggest|count) (.+)$`)
	askRows    = plain.Expr(`^(first|top|head|preview)?(?: ?(\d{1,6}))?(?: ?(row|record|entry|line))?$`)

	names     = plain.Expr(`"[^"]*"|'[^']*'|[^\s,;:()?!]+`)
	oneRow    = plain.Expr(`\b(?:row|record|entry|line)\b`)
	byWord    = plain.Expr(`(?:^|\s)(?:grouped by|group by|by|per|for each)\s+(.+)$`)
	notWord   = plain.Expr(`[^\pL\pN]+`)
	plainName = plain.Expr(`^[\pL_][\pL\pN_./]*$`)
)

// stem leaves the words that say something, in lower case and without a plural.
func stem(s string) string {
	skipped := strings.Fields("a an the of in on at to from is are was were be there this that it its s i we you me my do does did have has show give list display print get see view open read what which csv json tsv sqlite database all")
	var out []string
	for _, w := range strings.Fields(notWord().ReplaceAllString(strings.ToLower(s), " ")) {
		if root, ok := strings.CutSuffix(w, "ies"); ok {
			out = append(out, root+"y")
		} else if !slices.Contains(skipped, w) {
			out = append(out, strings.TrimSuffix(w, "s"))
		}
	}
	return strings.Join(out, " ")
}

// question is what is asked of one table, in words.
type question struct {
	s      *session
	asked  string // the prompt
	words  string // without the names of file and table
	source string // the table as a user names it in SQL
	table  string
	cols   []string
}

// plain answers what is asked in words.
func (f *folder) plain(ctx context.Context, prompt string) (core.Reply, error) {
	all, err := f.files(ctx)
	if err != nil {
		return core.Reply{}, err
	}
	var name, p string
	words := names().FindAllString(prompt, -1)
	if at := slices.IndexFunc(words, func(w string) bool { return kindOf(unquote(w)) != "" }); at >= 0 {
		name = words[at]
		p, err = f.resolve(ctx, unquote(name))
	}
	switch {
	case err != nil:
		return core.Reply{}, err
	case p == "" && len(all) == 0:
		return core.Reply{}, &unclear{noFiles + " I answer questions about the tables in such files.", nil}
	case p == "" && askFiles().MatchString(prompt):
		res := result{columns: []string{"file", "kind"}, count: len(all), truncated: len(all) > maxData}
		for _, p := range all[:min(len(all), maxData)] {
			res.rows = append(res.rows, []any{p, kindOf(p)})
		}
		return res.reply("Data files", "I looked for tables in the directory."), nil
	case p == "" && len(all) == 1:
		p = all[0]
	case p == "":
		return core.Reply{}, &unclear{"Which file do you mean? There is " + some(all) + ". Ask “how many rows are in " + all[0] + "?” or in SQL: “SELECT * FROM " + all[0] + " LIMIT 5”.", all[:min(len(all), 10)]}
	}
	file := ""
	if kindOf(p) == "sqlite" {
		file = p
	}
	s, err := f.session(ctx, file)
	if err != nil {
		return core.Reply{}, err
	}
	defer s.close()
	q := question{s: s, asked: prompt, words: without(prompt, name), source: source(p), table: p}
	if file == "" {
		err = s.load(ctx, p, p)
	} else {
		err = q.pick(ctx)
	}
	if err != nil {
		return core.Reply{}, err
	}
	return q.answer(ctx)
}

// without takes a name, and the little words about it, out of the words.
func without(words, name string) string {
	if name == "" {
		return words
	}
	re := regexp.MustCompile(`(?i)(^|\s)(?:(?:in|of|on|for|from|the|table)\s+)*(?:` + regexp.QuoteMeta(name) + `)(?:\s+(?:table|file))?([\s,;:]|$)`)
	if loc := re.FindStringIndex(words); loc != nil {
		return strings.TrimSpace(words[:loc[0]] + " " + words[loc[1]:])
	}
	return words
}

// pick finds the table that the words name, else the only one. There is none
// where the question is which ones there are.
func (q *question) pick(ctx context.Context) error {
	tables, err := q.s.tables(ctx)
	if err != nil {
		return err
	}
	named := slices.DeleteFunc(slices.Clone(tables), func(t string) bool { return without(q.words, t) == q.words })
	switch {
	case len(named) > 1:
		return &unclear{"That is about " + strings.Join(named, " and ") + ". Ask for one table, or join them in SQL: SELECT … FROM " + q.source + " " + named[0] + " JOIN " + q.source + " " + named[1] + " ON …", nil}
	case len(named) == 1:
		q.table = named[0]
		q.words = without(q.words, q.table)
	case askTables().MatchString(stem(q.words)) && len(tables) > 0:
		q.table = ""
		return nil
	case len(tables) != 1:
		return q.s.whichTable(tables)
	default:
		q.table = tables[0]
	}
	q.source += " " + source(q.table)
	return nil
}

// answer answers a question about one table, or about which there are.
func (q *question) answer(ctx context.Context) (core.Reply, error) {
	statement, title := `SELECT s.name AS "table", (SELECT group_concat(name, ', ') FROM pragma_table_info(s.name)) AS columns FROM sqlite_schema s WHERE `+isTable, "Tables"
	var err error
	if q.table != "" {
		if q.cols, err = q.s.texts(ctx, "SELECT name FROM pragma_table_info("+literal(q.table)+")"); err != nil {
			return core.Reply{}, err
		}
		statement, title, err = q.statement(ctx)
	}
	if err == nil && statement == "" {
		err = q.askBack()
	}
	if err != nil {
		return core.Reply{}, err
	}
	res, err := q.s.query(ctx, statement)
	return res.reply(title+" in "+plain.Code(q.source), "I read this as: "+strings.ToLower(title)+"."), err
}

// statement turns the words into SQL, and says what it is in a few words. It
// is empty where a word is left that is not understood.
func (q *question) statement(ctx context.Context) (statement, title string, err error) {
	head, from, by := q.words, " FROM "+ident(q.table), ""
	if m := byWord().FindStringSubmatchIndex(head); m != nil {
		if by = q.column(head[m[2]:]); by == "" {
			return "", "", nil
		}
		head = head[:m[0]]
	}
	head = stem(head)
	value, what := "count(*) AS row_count", "Rows"
	rows, limit := askRows().FindStringSubmatch(head), ""
	switch {
	case rows == nil:
	case rows[2] != "":
		limit = " LIMIT " + rows[2]
	case rows[1] != "" && oneRow().MatchString(q.words):
		limit = " LIMIT 1"
	case rows[1] != "":
		limit = " LIMIT 5"
	}
	switch {
	case askCount().MatchString(head):
	case rows != nil && by == "":
		return "SELECT *" + from + limit, "Rows", nil
	case rows != nil && rows[1] == "top":
		return "SELECT *" + from + " ORDER BY " + ident(by) + " DESC" + limit, "The top rows by " + by, nil
	case askColumns().MatchString(head) && q.column(head) == "" && by == "":
		return q.describe(), "Columns", nil
	default:
		if value, what, err = q.value(ctx, head); value == "" {
			return "", "", err
		}
	}
	if by == "" {
		return "SELECT " + value + from, what, nil
	}
	return "SELECT " + ident(by) + ", " + value + from + " GROUP BY 1 ORDER BY 2 DESC", what + " by " + by, nil
}

// column is the one column that words name and name alone, or empty.
func (q *question) column(words string) string {
	var fits []string
	for _, c := range q.cols {
		if strings.EqualFold(strings.TrimSpace(words), c) {
			return c
		}
		if s := strings.TrimSuffix(stem(words), " column"); s != "" && s == stem(c) {
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
	m := askValue().FindStringSubmatch(head)
	if m == nil {
		return "", "", nil
	}
	fn, col := "max", q.column(m[2])
	for _, known := range []string{"avg average mean", "sum total", "count", "min minimum lowest smallest"} {
		if words := strings.Fields(known); slices.Contains(words, m[1]) {
			fn = words[0]
		}
	}
	if col == "" {
		return "", "", nil
	}
	kinds, err := q.s.texts(ctx, "SELECT typeof(max("+ident(col)+")) FROM "+ident(q.table))
	if err != nil || (fn == "avg" || fn == "sum") && (kinds[0] == "text" || kinds[0] == "blob") {
		return "", "", err
	}
	what = strings.ToUpper(m[1][:1]) + m[1][1:] + " of " + col
	return fn + "(" + ident(col) + ") AS " + ident(m[1]+" "+col), what, nil
}

// describe tells name, type, how many are empty, and the smallest and largest
// value of every column.
func (q *question) describe() string {
	var parts []string
	for _, c := range q.cols[:min(len(q.cols), 100)] {
		parts = append(parts, fmt.Sprintf("SELECT %s AS column, coalesce(max(nullif(typeof(%s), 'null')), 'empty') AS type, count(*) - count(%[2]s) AS empty, count(DISTINCT %[2]s) AS different, min(%[2]s) AS smallest, max(%[2]s) AS largest FROM %[3]s", literal(c), ident(c), ident(q.table)))
	}
	return strings.Join(parts, " UNION ALL ")
}

// askBack shows the SQL to type, with the columns there are.
func (q *question) askBack() error {
	columns := make([]string, len(q.cols))
	for i, c := range q.cols {
		columns[i] = source(c)
	}
	asked := strings.ToValidUTF8(q.asked[:min(len(q.asked), 100)], "")
	last := columns[len(columns)-1]
	rows := "SELECT " + strings.Join(columns[:min(len(columns), 4)], ", ") + " FROM " + q.source + " ORDER BY " + last + " DESC LIMIT 5"
	groups := "SELECT " + last + ", count(*) FROM " + q.source + " GROUP BY " + last
	return &unclear{"In words I understand only simple questions, and “" + asked + "” is not one of them. The columns of " + plain.Code(q.source) + " are " + some(columns) + ". Ask it in SQL, such as: " + plain.Code(rows), []string{rows, groups, "describe " + q.source}}
}

// source is a name as it stands in SQL.
func source(name string) string {
	if plainName().MatchString(name) && !notTable().MatchString(name) && (kindOf(name) != "" || !strings.ContainsAny(name, "./")) {
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
