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
	askSuper   = regexp.MustCompile(`(?i)^(?:which|what|who)\b.*?\b(?:has|have|had|with|is|was|were|are|got|sold|makes?|made|do|does|did)\b.*?\b(most|least|fewest|highest|largest|biggest|greatest|lowest|smallest|cheapest|most expensive|oldest|youngest|latest|earliest|newest)\b(.*)$`)
	groupWord  = regexp.MustCompile(`(?i)\b(?:grouped by|group by|broken down by|split by|by|per|for each|for every|in each|across|of each|each)\s+(.+)$`)
	whereWord  = regexp.MustCompile(`(?i)\b(?:where|whose|for which|that ha(?:ve|s)|having|have|has|if|when|with(?: an?)?)\s+(.+)$`)
	sureWord   = regexp.MustCompile(`(?i)\b(?:where|whose|for which)\b`)
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
	used   []string // columns that a condition was found for by their values
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
		asked := rest
		if m := sureWord.FindStringIndex(rest); m != nil {
			asked = rest[:m[0]]
		}
		picked := question{cols: tables}.in(asked)
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
		if len(picked) == 1 && n == 0 && order == "" && !strings.Contains(" "+normal(rest)+" ", " "+normal(picked[0])+" ") {
			cols = "DISTINCT " + cols // "the regions" are the different ones
		}
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
