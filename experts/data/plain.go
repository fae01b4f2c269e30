package data

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"yaap/core"
)

// The questions that are understood in words. They are matched against what
// stem leaves of the words; whatever it leaves must be understood, or the
// question is asked back.
var (
	askFiles   = regexp.MustCompile(`(?i)\b(?:files|data ?sets|databases|spreadsheets|tables)\b`)
	askTables  = regexp.MustCompile(`^(?:describe |how many |number )?(?:table|schema|structure)?(?: name)?$|^describe$`)
	askColumns = regexp.MustCompile(`^(?:(?:how many|number|name|type|describe) )*(?:describe|description|column|field|header|schema|structure|summary|summarize|overview|look like)(?: (?:column|field|name|type))*$`)
	askCount   = regexp.MustCompile(`^(?:how many|number|count|total number)(?: (?:row|record|entry|line))?$|^row count$`)
	askValue   = regexp.MustCompile(`^(average|avg|mean|sum|total|min|minimum|lowest|smallest|max|maximum|highest|largest|biggest|count) (.+)$`)
	askRows    = regexp.MustCompile(`^(first|top|head|preview|sample)?(?: ?(\d{1,6}))?(?: ?(row|record|entry|line))?$`)

	oneRow    = regexp.MustCompile(`(?i)\b(?:row|record|entry|line)\b`)
	byWord    = regexp.MustCompile(`(?i)\s(?:grouped by|group by|by|per|for each|for every|in each)\s+(.+)$`)
	whereWord = regexp.MustCompile(`(?i)(?:^|\s)(?:where|whose|with|have|has|having)\s+(\S.*)$`)
	condition = regexp.MustCompile(`(?i)^(.+?)(?:\s*(<=|>=|<>|!=|==?|<|>|\bis (?:over|above|more than|greater than|under|below|less than)\b|\b(?:over|above|more than|greater than|under|below|less than|equals|is)\b)\s*|\s+)('[^']+'|"[^"]+"|-?[\pL\pN_][\pL\pN_.:@-]*)$`)
	noValue   = regexp.MustCompile(`(?i)^(?:null|empty|missing|blank|set|not|true|false|yes|no|over|above|more|less|under|below|between|at|of|the)$`)
	isNumber  = regexp.MustCompile(`^-?\d+(?:\.\d+)?$`)
	notWord   = regexp.MustCompile(`[^\pL\pN]+`)
)

// stem leaves the words that say something, in lower case and without a plural.
func stem(s string) string {
	skipped := strings.Fields("a an the of in on at to from is are was were be there this that it its s i we you me my do does did have has show give list display print get see view open read select what which csv json tsv sqlite database all")
	var out []string
	for _, w := range strings.Fields(notWord.ReplaceAllString(strings.ToLower(s), " ")) {
		switch {
		case slices.Contains(skipped, w):
		case strings.HasSuffix(w, "ies"):
			out = append(out, strings.TrimSuffix(w, "ies")+"y")
		default:
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
	name, p, err := f.mentioned(ctx, prompt, all)
	switch {
	case err != nil:
		return core.Reply{}, err
	case p == "" && askFiles.MatchString(prompt) && len(all) > 0:
		return listFiles(all), nil
	case p == "" && len(all) == 1:
		p = all[0]
	case p == "" && len(all) == 0:
		return core.Reply{}, &unclear{noFiles + " I answer questions about the tables in such files.", nil}
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
	if file != "" {
		if tables, err := q.pick(ctx); err != nil || tables {
			return q.listTables(ctx, err)
		}
	} else if err := s.load(ctx, p, p); err != nil {
		return core.Reply{}, err
	}
	return q.answer(ctx)
}

// mentioned finds the file that the prompt names, with or without its ending.
func (f *folder) mentioned(ctx context.Context, prompt string, all []string) (name, file string, err error) {
	words := regexp.MustCompile(`"[^"]*"|'[^']*'|[^\s,;:()]+`).FindAllString(prompt, -1)
	for _, w := range words {
		if name = unquote(strings.TrimRight(w, ".?!")); kindOf(name) != "" {
			file, err = f.resolve(ctx, name)
			return w, file, err
		}
	}
	for _, w := range words {
		isStem := func(p string) bool { return strings.EqualFold(baseName(p), unquote(w)) }
		if stem(w) != "" && slices.ContainsFunc(all, isStem) && !askFiles.MatchString(w) {
			file, err = f.resolve(ctx, unquote(w))
			return w, file, err
		}
	}
	return "", "", nil
}

// without takes a name, and the little words about it, out of the words.
func without(words, name string) string {
	if name == "" {
		return words
	}
	re := regexp.MustCompile(`(?i)(^|\s)(?:(?:in|of|on|for|from|the|table|according to)\s+)*(?:` + regexp.QuoteMeta(name) + `)(?:\s+(?:table|file))?([\s,;:]|$)`)
	if loc := re.FindStringIndex(words); loc != nil {
		return strings.TrimSpace(words[:loc[0]] + " " + words[loc[1]:])
	}
	return words
}

func listFiles(all []string) core.Reply {
	res := result{columns: []string{"file", "kind"}, count: len(all), truncated: len(all) > maxData}
	for _, p := range all[:min(len(all), maxData)] {
		res.rows = append(res.rows, []any{p, kindOf(p)})
	}
	return res.reply("Data files", "I looked for tables in the directory.")
}

// pick finds the table that the words name, else the only one. It reports
// whether the question is which tables there are.
func (q *question) pick(ctx context.Context) (isList bool, err error) {
	tables, err := q.s.tables(ctx)
	if err != nil {
		return false, err
	}
	var named []string
	for _, t := range tables {
		if one := strings.TrimSuffix(strings.TrimSuffix(t, "s"), "S"); without(q.words, t) != q.words || without(q.words, one) != q.words {
			named = append(named, t)
		}
	}
	switch {
	case len(named) > 1:
		return false, &unclear{"That is about " + strings.Join(named, " and ") + ". Ask for one table, or join them in SQL: SELECT … FROM " + q.source + " " + named[0] + " JOIN " + q.source + " " + named[1] + " ON …", []string{"describe " + named[0] + " in " + q.source, "describe " + named[1] + " in " + q.source}}
	case len(named) == 1:
		q.table = named[0]
	case askTables.MatchString(stem(q.words)) && len(tables) > 0:
		return true, nil
	default:
		if q.table, err = q.s.onlyTable(ctx); err != nil {
			return false, err
		}
	}
	q.source += " " + source(q.table)
	return false, nil
}

func (q *question) listTables(ctx context.Context, err error) (core.Reply, error) {
	if err != nil {
		return core.Reply{}, err
	}
	res, err := q.s.query(ctx, `SELECT s.name AS "table", (SELECT group_concat(name, ', ') FROM pragma_table_info(s.name)) AS columns FROM sqlite_schema s WHERE s.type IN ('table', 'view') AND s.name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY s.name`)
	return res.reply("Tables in "+code(q.source), "I read this as: which tables are there."), err
}

// answer answers a question about one table.
func (q *question) answer(ctx context.Context) (core.Reply, error) {
	var err error
	if q.cols, err = q.s.texts(ctx, "SELECT name FROM pragma_table_info("+literal(q.table)+")"); err != nil {
		return core.Reply{}, err
	}
	name := baseName(q.table)
	inColumn := func(c string) bool { return strings.Contains(" "+stem(c)+" ", " "+stem(name)+" ") }
	if !slices.ContainsFunc(q.cols, inColumn) { // “how many sales are in sales.csv”
		q.words = without(q.words, name)
	}
	statement, title, err := q.statement(ctx)
	if err != nil {
		return core.Reply{}, err
	}
	if statement == "" {
		return core.Reply{}, q.askBack()
	}
	res, err := q.s.query(ctx, statement)
	if err != nil {
		return core.Reply{}, err
	}
	return res.reply(title+" in "+code(q.source), "I read this as: "+strings.ToLower(title)+"."), nil
}

// statement turns the words into SQL, and says what it is in a few words. It
// is empty where a word is left that is not understood.
func (q *question) statement(ctx context.Context) (statement, title string, err error) {
	head, from, by := q.words, " FROM "+ident(q.table), ""
	if m := whereWord.FindStringSubmatchIndex(head); m != nil {
		where, err := q.where(ctx, head[m[2]:])
		if where == "" {
			return "", "", err
		}
		head, from = head[:m[0]], from+where
	}
	if m := byWord.FindStringSubmatchIndex(" " + head); m != nil {
		if by = q.column(head[m[2]-1:]); by == "" {
			return "", "", nil
		}
		head = (" " + head)[:m[0]]
	}
	head = stem(head)
	value, what := "count(*) AS row_count", "Rows"
	rows := askRows.FindStringSubmatch(head)
	switch {
	case askCount.MatchString(head):
	case rows != nil && by == "":
		return "SELECT *" + from + q.limit(rows), "Rows", nil
	case rows != nil && rows[1] == "top":
		return "SELECT *" + from + " ORDER BY " + ident(by) + " DESC" + q.limit(rows), "The top rows by " + by, nil
	case askColumns.MatchString(head) && q.column(head) == "" && by == "" && !strings.Contains(from, " WHERE "):
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

// limit reads how many rows are asked for; without "first" and a number, all.
func (q *question) limit(rows []string) string {
	switch {
	case rows[2] != "":
		return " LIMIT " + rows[2]
	case rows[1] == "":
		return ""
	case oneRow.MatchString(q.words):
		return " LIMIT 1"
	}
	return " LIMIT 5"
}
