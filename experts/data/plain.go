package data

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"yaap/core"
)

// errNotMine says that nothing in the prompt asks about a table.
var errNotMine = errors.New("not about a table")

var (
	polite   = regexp.MustCompile(`(?i)^(?:(?:please|hey|hi|hello|ok|okay|so|and|now|then|also|just|next|finally)\b[,:\s]*|(?:can|could|would|will) (?:you|i|we) (?:please )?|i(?:'d| would)? (?:like|want|need) (?:you )?(?:to )?(?:know |see )?|let me |let's |tell me |do you know )+`)
	wordLike = regexp.MustCompile(`"[^"]*"|'[^']*'|` + "`[^`]*`" + `|[^\s,;:()]+`)

	askFiles   = regexp.MustCompile(`(?i)\b(?:data ?files?|data ?sets?|csv files?|json files?|databases?|spreadsheets?|tsv files?|sqlite files?)\b|^(?:what|which|list|show).*\btables\b`)
	askTables  = regexp.MustCompile(`(?i)\btables?\b|\bschema\b`)
	askColumns = regexp.MustCompile(`(?i)\b(?:columns?|fields?|headers?|schema|describe|description|structure|look like|attributes|keys|data ?types?)\b`)
	askSummary = regexp.MustCompile(`(?i)\b(?:summar(?:y|i[sz]e)|statistics|stats|overview|profile|what(?:'s| is) in|about)\b`)
	askRows    = regexp.MustCompile(`(?i)\b(?:how many|number of|count|size|how (?:big|large|long))\b`)
	askUnique  = regexp.MustCompile(`(?i)\b(?:distinct|unique|different|possible values|all values|which values|what values|values of)\b`)
	askEdge    = regexp.MustCompile(`(?i)\b(first|top|head|last|bottom|tail)\b(?:\s+(\d{1,6}|one|two|three|four|five|six|seven|eight|nine|ten|few))?|\b(\d{1,6}) (?:random )?(?:rows|records|lines|entries|examples|samples)\b`)
	askOrder   = regexp.MustCompile(`(?i)\b(?:sort(?:ed)?|order(?:ed)?|rank(?:ed)?)(?: \w+)?? by (.+?)(?:,?\s+(desc(?:ending)?|asc(?:ending)?|\(?(?:the )?(?:highest|largest|biggest|newest|latest|oldest|youngest|lowest|smallest|earliest|most|least) (?:first|to \w+)\)?))?$`)
	downward   = regexp.MustCompile(`(?i)^\W?(?:the )?(?:desc|highest|largest|biggest|newest|latest|most)`)
	askShow    = regexp.MustCompile(`(?i)\b(?:show|list|display|print|give|get|preview|sample|head|rows?|records?|entries|lines|select|find|filter|read|open|see|view|which|who|what|random|data|content|contents)\b`)
	askAgg     = regexp.MustCompile(`(?i)\b(average|avg|mean|median|sum|total|min(?:imum)?|max(?:imum)?|highest|largest|biggest|greatest|lowest|smallest|cheapest|most expensive|oldest|youngest|latest|earliest|newest)\b`)
	askMost    = regexp.MustCompile(`(?i)\b(?:most (?:common|frequent|popular|often)|frequency|distribution|breakdown|histogram|how often|least (?:common|frequent))\b`)
	askSuper   = regexp.MustCompile(`(?i)^(?:which|what|who)\b.*?\b(?:has|have|had|with|is|was|were|are|got|sold|makes?|made)\b.*?\b(most|least|fewest|highest|largest|biggest|greatest|lowest|smallest|cheapest|most expensive|oldest|youngest|latest|earliest|newest)\b(.*)$`)
	groupWord  = regexp.MustCompile(`(?i)\b(?:grouped by|group by|broken down by|split by|by|per|for each|for every|in each|across|of each|each)\s+(.+)$`)
	whereWord  = regexp.MustCompile(`(?i)\b(?:where|whose|for which|that ha(?:ve|s)|having|have|has|if|when|with(?: an?)?)\s+(.+)$`)
	sureWhere  = regexp.MustCompile(`(?i)^(?:where|whose|for which)\b`)
	superlat   = regexp.MustCompile(`(?i)^(?:the )?(?:most|least|highest|largest|lowest|smallest|biggest|greatest|max|min|fewest|top)`)
)

func clean(prompt string) string {
	s := strings.ToValidUTF8(prompt, "")
	if len(s) > maxPrompt {
		s = strings.ToValidUTF8(s[:maxPrompt], "")
	}
	s = strings.NewReplacer("“", `"`, "”", `"`, "‘", "'", "’", "'").Replace(strings.TrimSpace(s))
	s = polite.ReplaceAllString(s, "")
	return strings.TrimSpace(strings.TrimRight(s, "?!. "))
}

// question is a prompt about one table, being taken apart.
type question struct {
	prompt string // without the file's name
	file   string
	table  string // as SQL has it
	name   string // as a user has it
	cols   []string
	s      *session
	shared []string // a column of which the condition names several values
	odd    []string // words that are neither column nor value nor common
}

// plain answers what is asked in words.
func (f *folder) plain(ctx context.Context, prompt string) (core.Reply, error) {
	p, rest, err := f.mentioned(ctx, prompt)
	if err != nil {
		return core.Reply{}, err
	}
	if p == "" {
		all, err := f.files(ctx)
		if err != nil {
			return core.Reply{}, err
		}
		if askFiles.MatchString(prompt) {
			return listFiles(all), nil
		}
		if !aboutTables(prompt) {
			return core.Reply{}, errNotMine
		}
		if len(all) != 1 {
			return core.Reply{}, which(all)
		}
		p = all[0]
	}
	q := question{prompt: strings.Join(strings.Fields(rest), " "), file: p, name: p}
	if kindOf(p) == "sqlite" {
		tables, err := f.tables(ctx, p)
		if err != nil {
			return core.Reply{}, err
		}
		picked := question{cols: tables}.in(rest)
		if len(picked) > 1 {
			return core.Reply{}, &unclear{"That is about " + strings.Join(picked, " and ") + ". Ask for one table, or join them in SQL: SELECT … FROM " + p + " " + picked[0] + " JOIN " + picked[1] + " ON …", []string{"describe " + picked[0] + " in " + p, "describe " + picked[1] + " in " + p}}
		}
		if len(picked) == 1 {
			q.name = picked[0]
		} else {
			if askTables.MatchString(rest) || len(tables) == 0 || askSummary.MatchString(rest) || !aboutTables(rest) {
				return f.describeTables(ctx, p, tables)
			}
			if q.name, err = f.onlyTable(ctx, p); err != nil {
				return core.Reply{}, err
			}
		}
	}
	return f.about(ctx, q)
}

func which(all []string) error {
	if len(all) == 0 {
		return &core.Error{Code: core.CodeNotFound, Message: "There is no CSV, TSV, JSON or SQLite file here.", Hint: "Start yaap in the directory that holds your data."}
	}
	return &unclear{"Which file do you mean? There are " + strings.Join(all[:min(len(all), 20)], ", ") + ".", all[:min(len(all), 10)]}
}

func aboutTables(s string) bool {
	for _, re := range []*regexp.Regexp{askColumns, askRows, askUnique, askEdge, askAgg, askMost, askOrder, groupWord, askTables} {
		if re.MatchString(s) && (re == askTables || tableWords.MatchString(s)) {
			return true
		}
	}
	return false
}

var tableWords = regexp.MustCompile(`(?i)\b(?:rows?|records?|columns?|fields?|tables?|csv|json|tsv|data|dataset|entries|values?|by|per|average|avg|sum|total|mean|median|group)\b`)

// mentioned finds the data file that the prompt names, and returns what is left
// of the prompt.
func (f *folder) mentioned(ctx context.Context, prompt string) (file, rest string, err error) {
	words := wordLike.FindAllString(prompt, 400)
	for _, w := range words {
		name := strings.TrimRight(unquote(w), ".?!")
		if kindOf(name) == "" {
			continue
		}
		file, err := f.resolve(ctx, name)
		return file, without(prompt, w), err
	}
	for _, w := range words {
		name := unquote(w)
		if len(name) < 3 || strings.ContainsAny(name, "./\\") || !regexp.MustCompile(`^[\w-]+$`).MatchString(name) || common(name) {
			continue
		}
		if file, err := f.resolve(ctx, name); err == nil {
			return file, without(prompt, w), nil
		}
	}
	return "", prompt, nil
}

func common(w string) bool {
	return slices.Contains(strings.Fields("the data file table rows row columns column count sum total average show list first last top how many what which where with from for and number max min"), strings.ToLower(w))
}

// without takes a file's name and the little words about it out of a prompt.
func without(prompt, name string) string {
	re := regexp.MustCompile(`(?i)(?:\s*\b(?:in|of|from|for|inside|within|on|the|file|table|database|dataset)\b)*\s*` + regexp.QuoteMeta(name) + `(?:\s+(?:file|table|dataset|database)\b)?`)
	if loc := re.FindStringIndex(prompt); loc != nil {
		return strings.TrimSpace(prompt[:loc[0]] + " " + prompt[loc[1]:])
	}
	return prompt
}

func listFiles(all []string) core.Reply {
	var b strings.Builder
	rows := make([]any, len(all))
	for i, p := range all {
		rows[i] = []any{p, kindOf(p)}
		if i < 50 {
			b.WriteString("- " + code(p) + "\n")
		}
	}
	message := fmt.Sprintf("There are %d data files:\n\n%s", len(all), b.String())
	if len(all) == 0 {
		message = "There is no CSV, TSV, JSON or SQLite file here."
	}
	data := map[string]any{"columns": []string{"file", "kind"}, "rows": rows[:min(len(rows), maxData)], "row_count": float64(len(all)), "truncated": len(all) > maxData}
	return core.Reply{Status: core.StatusSuccess, Thought: "I looked for tables in the directory.", Message: strings.TrimSpace(message), Data: data}
}

func (f *folder) describeTables(ctx context.Context, p string, tables []string) (core.Reply, error) {
	if len(tables) == 0 {
		return core.Reply{}, &core.Error{Code: core.CodeNotFound, Message: "There are no tables in " + code(p) + "."}
	}
	s, err := f.session(ctx, p)
	if err != nil {
		return core.Reply{}, err
	}
	res, err := s.run(ctx, "SELECT s.name AS \"table\", (SELECT group_concat(name, ', ') FROM pragma_table_info(s.name)) AS columns FROM sqlite_schema s WHERE s.type IN ('table', 'view') AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY s.name")
	if err != nil {
		return core.Reply{}, err
	}
	return answered(res, "Tables in "+code(p), "I read this as: which tables are there."), nil
}

// about answers a question about one table.
func (f *folder) about(ctx context.Context, q question) (core.Reply, error) {
	sqlite := ""
	if kindOf(q.file) == "sqlite" {
		sqlite = q.file
	}
	s, err := f.session(ctx, sqlite)
	if err != nil {
		return core.Reply{}, err
	}
	if sqlite == "" {
		if err := s.load(ctx, q.file); err != nil {
			s.close()
			return core.Reply{}, err
		}
	}
	q.s, q.table = s, ident(q.name)
	if q.cols, err = s.columns(ctx, q.name); err != nil {
		s.close()
		return core.Reply{}, err
	}
	statement, title, err := q.statement(ctx)
	if err != nil {
		s.close()
		return core.Reply{}, err
	}
	res, err := s.run(ctx, statement)
	if err != nil {
		return core.Reply{}, err
	}
	if len(statement) > 300 {
		statement = strings.ToValidUTF8(statement[:300], "") + "…"
	}
	return answered(res, title+" in "+code(q.name), "I read this as SQL: "+statement), nil
}

func (s *session) columns(ctx context.Context, table string) (names []string, err error) {
	rows, err := s.conn.QueryContext(ctx, "SELECT name FROM pragma_table_info("+literal(table)+")")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

// statement turns the words into SQL, and says what it is in a few words.
func (q *question) statement(ctx context.Context) (statement, title string, err error) {
	if age := q.meant("oldest"); len(age) > 0 {
		q.prompt = howOld.ReplaceAllString(q.prompt, "what is the "+age[0]+" of")
	}
	q.addPeriod()
	head, where, err := q.where(ctx, q.prompt)
	if err != nil {
		return "", "", err
	}
	if askPercent.MatchString(head) && where != "" {
		return "SELECT round(100.0 * sum(CASE WHEN " + strings.TrimPrefix(where, " WHERE ") + " THEN 1 ELSE 0 END) / count(*), 2) AS percent FROM " + q.table, "Percent", nil
	}
	order, desc := "", false
	if m := askOrder.FindStringSubmatch(head); m != nil {
		if cols := q.in(m[1]); len(cols) > 0 {
			order, desc = cols[0], downward.MatchString(m[2]) || strings.Contains(strings.ToLower(m[2]), "oldest") && strings.Contains(strings.ToLower(cols[0]), "age")
			head = strings.Replace(head, m[0], " ", 1)
		}
	}
	group, rest := []string{}, head
	if m := groupWord.FindStringSubmatchIndex(head); m != nil {
		if group = q.in(head[m[2]:m[3]]); len(group) > 0 {
			rest = head[:m[0]]
		}
	}
	from := " FROM " + q.table + where
	if len(group) == 0 && len(q.shared) > 0 && askAgg.MatchString(rest) {
		group = q.shared // "north and south" asks for both
	}
	switch aggs := q.aggregates(rest); {
	case len(aggs) == 1 && strings.EqualFold(aggs[0][1], "median") && len(q.measures(rest, group)) > 0:
		return q.median(q.measures(rest, group)[0], group, from), "Median", nil
	case (askColumns.MatchString(head) || askTables.MatchString(head) && !askRows.MatchString(head) && !askEdge.MatchString(head) || askMissing.MatchString(head)) && len(q.in(rest)) == 0, askSummary.MatchString(head) && len(q.in(rest)) == 0 && len(aggs) == 0:
		return q.describe(), "Columns", nil
	case askMost.MatchString(head) && len(q.in(head)) > 0:
		return q.counted(q.in(head)[:1], from, askEdge.FindStringSubmatch(head)), "How often", nil
	case askSuper.MatchString(head) && len(q.in(head))+len(q.meant(strings.ToLower(askSuper.FindStringSubmatch(head)[1]))) > 0:
		return q.superlative(head, from)
	case askUnique.MatchString(rest) && askRows.MatchString(rest) && len(q.in(rest)) > 0:
		c := q.in(rest)[0]
		if len(group) > 0 {
			return "SELECT " + idents(group) + ", count(DISTINCT " + ident(c) + ") AS " + ident("distinct "+c) + from + " GROUP BY " + idents(group) + " ORDER BY 2 DESC", "Different " + c, nil
		}
		return "SELECT count(DISTINCT " + ident(c) + ") AS " + ident("distinct "+c) + from, "Different " + c, nil
	case askUnique.MatchString(rest) && len(q.in(rest)) > 0:
		return "SELECT DISTINCT " + idents(q.in(rest)) + from + " ORDER BY 1", "Different " + strings.Join(q.in(rest), ", "), nil
	case len(group) > 0 && topN.MatchString(rest) && len(aggs) == 0:
		return q.top(rest, group, from)
	case len(aggs) > 0 && bySize.MatchString(aggs[0][1]) && len(group) > 0 && len(q.measures(rest, group)) == 0:
		return q.ordered(aggs[0][1], "*", group[0], number(anyNumber.FindString(rest)), from)
	case len(aggs) == 1 && bySize.MatchString(aggs[0][1]) && len(group) == 0 && q.noNumbers(ctx, q.measures(rest, group)):
		col, err := q.onlyNumbers(ctx, aggs[0][1])
		if err != nil {
			return "", "", err
		}
		return q.ordered(aggs[0][1], idents(append(q.measures(rest, group), col)), col, 1, from)
	case len(aggs) > 0 && len(q.measures(rest, group)) > 0:
		return q.aggregate(aggs, q.measures(rest, group), group, from), aggTitle(aggs, q.measures(rest, group)), nil
	case askRows.MatchString(rest) && len(group) > 0:
		return q.counted(group, from, nil), "Rows", nil
	case askRows.MatchString(rest):
		if cols := q.in(rest); len(cols) == 1 && q.flag(ctx, cols[0]) {
			return "SELECT count(*) AS row_count" + from + and(from) + ident(cols[0]) + " = 1", "Rows", nil
		} else if len(cols) > 0 && where == "" && !rowWords.MatchString(rest) {
			return "SELECT count(DISTINCT " + ident(cols[0]) + ") AS " + ident("distinct "+cols[0]) + from, "Different " + cols[0], nil
		}
		return "SELECT count(*) AS row_count" + from, "Rows", nil
	case len(group) > 0 && len(q.measures(rest, group)) > 0:
		return q.aggregate([][]string{{"total", "total"}}, q.measures(rest, group), group, from), "Total", nil
	case len(aggs) > 0 && where == "" && order == "" && len(q.in(rest)) == 0:
		return q.extreme(ctx, aggs[0][1], from)
	default:
		if where == "" && order == "" && !askShow.MatchString(head) && askEdge.FindString(head) == "" && len(q.in(head)) == 0 && strings.TrimSpace(head) != "" {
			return "", "", errNotMine
		}
		if where == "" && order == "" && len(q.odd) > 0 && len(q.in(head)) == 0 && isQuestion.MatchString(head) {
			return "", "", &unclear{"I do not know what “" + strings.Join(q.odd, " ") + "” is in " + code(q.name) + ". Its columns are " + strings.Join(q.cols[:min(len(q.cols), 30)], ", ") + ".", q.cols[:min(len(q.cols), 10)]}
		}
	}
	return q.rows(rest, from, order, desc)
}

var (
	askMissing = regexp.MustCompile(`(?i)\b(?:missing|nulls?|empty|blank)\b`)
	ofPeriod   = regexp.MustCompile(`(?i)\b(?:which|what|by|per|each|every|for each) (month|year|day|weekday)\b`)
	bySize     = regexp.MustCompile(`(?i)^(?:highest|largest|biggest|greatest|lowest|smallest|cheapest|most expensive)$`)
	anyNumber  = regexp.MustCompile(`\d{1,6}`)
	isQuestion = regexp.MustCompile(`(?i)^(?:which|what|who|when|where|why|how|compare|is|are|does|do)\b`)
	howOld     = regexp.MustCompile(`(?i)\bhow old (?:is|are|was)\b`)
	askPercent = regexp.MustCompile(`(?i)\b(?:percent(?:age)?|share|proportion|fraction)\b`)
	rowWords   = regexp.MustCompile(`(?i)\b(?:rows?|records?|entries|lines|items|count|size)\b`)
	topN       = regexp.MustCompile(`(?i)\b(?:top|best|biggest|largest|highest|bottom|worst|first|lowest)\b\s*(\d{1,6}|one|two|three|four|five|six|seven|eight|nine|ten)?`)
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
	return slices.DeleteFunc(cols, func(c string) bool { return slices.Contains(group, c) })
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

// rows shows rows: the first, the last, those of a condition, in an order.
func (q question) rows(rest, from, order string, desc bool) (statement, title string, err error) {
	n, last := 0, false
	if m := askEdge.FindStringSubmatch(rest); m != nil {
		n = max(number(m[2]), number(m[3]))
		last = slices.Contains([]string{"last", "bottom", "tail"}, strings.ToLower(m[1]))
		if n == 0 && m[1] != "" && !regexp.MustCompile(`(?i)\brow\b`).MatchString(rest) {
			n = 5
		}
		n = max(n, 1)
	}
	cols := "*"
	if picked := q.in(rest); len(picked) > 0 {
		cols = idents(picked)
	}
	dir := ""
	if desc {
		dir = " DESC"
	}
	title = "Rows"
	switch {
	case strings.Contains(strings.ToLower(rest), "random"):
		from += " ORDER BY random()"
		if n == 0 {
			n = 5
		}
	case order != "":
		from += " ORDER BY " + ident(order) + dir
	case last && kindOf(q.file) != "sqlite":
		return fmt.Sprintf("SELECT %s FROM (SELECT *, rowid AS row%s ORDER BY rowid DESC LIMIT %d) ORDER BY row", or(strings.TrimPrefix(cols, "*"), idents(q.cols)), from, max(n, 1)), "The last rows", nil
	}
	if n > 0 {
		from += fmt.Sprintf(" LIMIT %d", n)
	}
	return "SELECT " + cols + from, title, nil
}

func idents(cols []string) string {
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = ident(c)
	}
	return strings.Join(out, ", ")
}

func number(s string) int {
	words := []string{"", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	if i := slices.Index(words, strings.ToLower(s)); i > 0 {
		return i
	}
	if strings.EqualFold(s, "few") {
		return 5
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

func unquote(s string) string {
	if len(s) > 1 && s[0] == s[len(s)-1] && strings.ContainsRune("\"'`", rune(s[0])) {
		return s[1 : len(s)-1]
	}
	return s
}
