package data

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"yaap/core"
)

var (
	startSQL  = regexp.MustCompile(`(?is)(?:^|[\s:(` + "`" + `])(select\s+(?:.+?\sfrom\s|[^a-z\s]|\S+\(|distinct\s|count|\d|case\s|cast\s|null|'|").*|select\s+\w+|with\s+(?:recursive\s+)?\S+\s*(?:\([^)]*\)\s*)?as\s*(?:not\s+materialized\s*|materialized\s*)?\(.*|values\s*\(.*|explain\s+(?:query\s+plan\s+)?(?:select|with|values|insert|update|delete|drop|create)\b.*)$`)
	writing   = regexp.MustCompile(`(?is)(?:^|[:;` + "`" + `]\s*|^(?:run|execute|in \S+)\s+)(?:insert\s+(?:or\s+\w+\s+)?into|update\s+.+\sset\s|delete\s+from|drop\s+(?:table|index|view|trigger|column|database)|create\s+(?:temp\w*\s+|unique\s+|virtual\s+)?(?:table|index|view|trigger)|alter\s+table|attach\b|detach\b|pragma\b|vacuum\b|reindex\b|analyze\b|replace\s+into|begin\b|commit\b|rollback\b|savepoint\b|release\b|truncate\s+table|merge\s+into)`)
	trailing  = regexp.MustCompile(`(?is)\s+(?:in|on|using|against)\s+(?:the\s+)?(?:file\s+|database\s+)?(\S+\.(?:db|db3|sqlite|sqlite3|csv|tsv|json|jsonl|ndjson))\s*[.?;]?\s*(?:please)?$`)
	fileWord  = regexp.MustCompile(`(?i)^[\w./~-]*\.(?:csv|tsv|tab|jsonl?|ndjson|db3?|sqlite3?)\b`)
	comments  = regexp.MustCompile(`(?s)^(?:\s*(?:--[^\n]*\n|/\*.*?\*/))+\s*`)
	fence     = regexp.MustCompile("(?is)```(?:sql|sqlite)?\\s*(.*?)```")
	endOfFrom = regexp.MustCompile(`(?i)^(?:where|group|order|limit|having|union|intersect|except|window|join|inner|left|right|full|cross|natural|outer|on|using|as|offset|indexed|not|from|select|values)$`)
)

func refused(why string) error {
	return &core.Error{Code: core.CodeRefused, Message: why, Hint: "I only read: one SELECT, WITH, VALUES or EXPLAIN at a time."}
}

// findSQL splits a prompt into the statement in it and the words around it.
// The statement is empty where there is none.
func findSQL(prompt string) (statement, about string) {
	if m := fence.FindStringSubmatch(prompt); m != nil {
		return strings.TrimSpace(m[1]), strings.Replace(prompt, m[0], " ", 1)
	}
	prompt = comments.ReplaceAllString(prompt, "")
	if loc := writing.FindStringIndex(prompt); loc != nil {
		return strings.TrimLeft(prompt[loc[0]:], ":; `"), ""
	}
	loc := startSQL.FindStringSubmatchIndex(prompt)
	if loc == nil || everything.MatchString(prompt) {
		return "", ""
	}
	statement, about = prompt[loc[2]:loc[3]], prompt[:loc[2]]
	if m := trailing.FindStringSubmatch(statement); m != nil && !strings.Contains(m[0], "(") {
		statement, about = strings.TrimSuffix(statement, m[0]), about+" "+m[1]
	}
	return strings.TrimRight(statement, "`?! "), about
}

// everything is a selection that is not meant as SQL.
var everything = regexp.MustCompile(`(?i)^select (?:all|everything|the|every|some|any|rows|only|those)\b`)

type kind int

const (
	word   kind = iota // a bare name, keyword or number
	quoted             // "x", [x], `x`: a name
	text               // 'x'
	mark               // anything else
)

type sqlToken struct {
	kind       kind
	value      string // without quotes
	start, end int
}

// tokens reads SQL as SQLite does; comments are left out.
func tokens(s string) ([]sqlToken, error) {
	var out []sqlToken
	for i := 0; i < len(s); {
		start := i
		switch c := s[i]; {
		case c == 0:
			return nil, refused("There is a zero byte in that.")
		case strings.IndexByte(" \t\r\n\f", c) >= 0:
			i++
		case strings.HasPrefix(s[i:], "--"):
			n := strings.IndexByte(s[i:], '\n')
			if n < 0 {
				n = len(s) - i
			}
			i += n
		case strings.HasPrefix(s[i:], "/*"):
			n := strings.Index(s[i+2:], "*/")
			if n < 0 {
				return nil, refused("A comment is not closed in that.")
			}
			i += n + 4
		case strings.IndexByte("'\"`[", c) >= 0:
			end := c
			if c == '[' {
				end = ']'
			}
			var b strings.Builder
			for i++; ; i++ {
				if i >= len(s) {
					return nil, refused("A quote is not closed in that.")
				}
				if s[i] == end {
					if end == ']' || i+1 >= len(s) || s[i+1] != end {
						break
					}
					i++
				}
				b.WriteByte(s[i])
			}
			i++
			k := quoted
			if c == '\'' {
				k = text
			}
			out = append(out, sqlToken{k, b.String(), start, i})
		case c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80:
			for i < len(s) && (s[i] == '_' || s[i] == '$' || s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z' || s[i] >= '0' && s[i] <= '9' || s[i] >= 0x80) {
				i++
			}
			out = append(out, sqlToken{word, s[start:i], start, i})
		default:
			i++
			out = append(out, sqlToken{mark, s[start:i], start, i})
		}
	}
	return out, nil
}

// check refuses everything but one statement that only reads. It is the part
// that can say why; the database below it could not be written either.
func check(statement string) error {
	toks, err := tokens(statement)
	if err != nil {
		return err
	}
	for len(toks) > 0 && toks[len(toks)-1].value == ";" && toks[len(toks)-1].kind == mark {
		toks = toks[:len(toks)-1]
	}
	if len(toks) == 0 {
		return refused("There is no statement in that.")
	}
	first := strings.ToUpper(toks[0].value)
	rest := toks[1:]
	if toks[0].kind == word && first == "EXPLAIN" && len(rest) > 0 {
		if strings.EqualFold(rest[0].value, "QUERY") && len(rest) > 2 {
			rest = rest[2:]
		}
		first, rest = strings.ToUpper(rest[0].value), rest[1:]
	}
	if !slices.Contains([]string{"SELECT", "WITH", "VALUES"}, first) {
		return refused(fmt.Sprintf("I do not run %s.", code(first)))
	}
	for i, t := range rest {
		name := strings.ToLower(t.value)
		next := ""
		if i+1 < len(rest) {
			next = strings.ToUpper(rest[i+1].value)
		}
		switch {
		case t.kind == mark && t.value == ";":
			return refused("There is more than one statement in that.")
		case t.kind == mark || t.kind == text:
		case t.kind == word && slices.Contains([]string{"insert", "update", "delete", "create", "drop", "alter"}, name), t.kind == word && name == "replace" && next == "INTO":
			return refused(fmt.Sprintf("I do not run %s.", code(strings.ToUpper(name))))
		case slices.Contains([]string{"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "sqlite_dbpage", "zipfile", "fsdir"}, name) && (next == "(" || name == "sqlite_dbpage"):
			return refused(fmt.Sprintf("I do not run %s.", code(name)))
		case strings.HasPrefix(name, "pragma_") && !slices.Contains([]string{"pragma_table_info", "pragma_table_xinfo", "pragma_table_list", "pragma_index_list", "pragma_index_info", "pragma_foreign_key_list"}, name):
			return refused(fmt.Sprintf("I do not run %s.", code(name)))
		}
	}
	return nil
}

// runSQL runs a statement whose tables may be files.
func (f *folder) runSQL(ctx context.Context, statement, about string) (core.Reply, error) {
	if err := check(statement); err != nil {
		return core.Reply{}, err
	}
	r := rewriting{folder: f, statement: statement}
	if err := r.rewrite(ctx, about); err != nil {
		return core.Reply{}, err
	}
	s, err := f.session(ctx, r.sqlite)
	if err != nil {
		return core.Reply{}, err
	}
	for _, p := range r.loads {
		if err := s.load(ctx, p); err != nil {
			s.close()
			return core.Reply{}, err
		}
	}
	res, err := s.run(ctx, r.statement)
	if err != nil {
		return core.Reply{}, err
	}
	return answered(res, "", "I read this as SQL and ran: "+r.statement), nil
}

// rewriting puts tables in the place of the files that a statement names.
type rewriting struct {
	*folder
	statement string
	toks      []sqlToken
	sqlite    string     // the SQLite file it works on, if any
	loads     []string   // the other files
	bare      []sqlToken // tables named without a file
}

func (r *rewriting) use(p string) error {
	switch {
	case kindOf(p) != "sqlite":
		r.loads = append(r.loads, p)
	case r.sqlite != "" && r.sqlite != p:
		return &core.Error{Code: core.CodeInvalid, Message: "I read one SQLite file at a time, and that names " + code(r.sqlite) + " and " + code(p) + "."}
	default:
		r.sqlite = p
	}
	return nil
}

func (r *rewriting) rewrite(ctx context.Context, about string) (err error) {
	if r.toks, err = tokens(r.statement); err != nil {
		return err
	}
	only := "" // a file around the statement that is its one table
	for _, w := range strings.Fields(about) {
		if w = strings.Trim(w, "\"'`,:;()"); kindOf(w) == "" {
			continue
		}
		if only, err = r.resolve(ctx, w); err != nil {
			return err
		}
		if err := r.use(only); err != nil {
			return err
		}
	}
	if err := r.files(ctx); err != nil {
		return err
	}
	more, err := r.bareNames(ctx, r.bare, r.sqlite, only)
	if err != nil {
		return err
	}
	for name, p := range more {
		if err := r.use(p); err != nil {
			return err
		}
		if kindOf(p) != "sqlite" {
			re := regexp.MustCompile(`(?i)\b(from|join)(\s+)["` + "`" + `\[]?` + regexp.QuoteMeta(name) + `\b["` + "`" + `\]]?`)
			r.statement = re.ReplaceAllString(r.statement, "${1}${2}"+strings.ReplaceAll(ident(p)+" AS "+ident(name), "$", "$$"))
		}
	}
	r.statement = strings.TrimRight(strings.TrimSpace(r.statement), "; ")
	return nil
}

// files replaces the files that the statement names by path.
func (r *rewriting) files(ctx context.Context) error {
	named := map[string]bool{}
	for i, t := range r.toks {
		if i+1 < len(r.toks) && (t.kind == word || t.kind == quoted) && strings.EqualFold(r.toks[i+1].value, "as") {
			named[strings.ToLower(t.value)] = true // a common table, or what an alias stands for: no file
		}
	}
	var b strings.Builder
	inFrom, done := false, 0
	for i, t := range r.toks {
		if t.start < done {
			continue
		}
		isTable := i > 0 && (inFrom && r.toks[i-1].value == "," || r.toks[i-1].kind == word && (strings.EqualFold(r.toks[i-1].value, "from") || strings.EqualFold(r.toks[i-1].value, "join")))
		if t.kind == word {
			switch strings.ToLower(t.value) {
			case "from":
				inFrom = true
			case "where", "group", "order", "limit", "select", "having":
				inFrom = false
			}
		}
		name, end := r.fileAt(t, isTable)
		if name == "" {
			if isTable && t.kind != text && t.kind != mark && !named[strings.ToLower(t.value)] {
				r.bare = append(r.bare, t)
			}
			continue
		}
		p, err := r.resolve(ctx, name)
		if err != nil {
			return err
		}
		if err := r.use(p); err != nil {
			return err
		}
		b.WriteString(r.statement[done:t.start])
		table := p
		if kindOf(p) == "sqlite" {
			if table, end = tableAfter(r.toks, end); table == "" {
				if table, err = r.onlyTable(ctx, p); err != nil {
					return err
				}
			}
		}
		b.WriteString(ident(table))
		done = end
	}
	r.statement = b.String() + r.statement[done:]
	return nil
}

// fileAt returns the file that is named at t and where its name ends; empty
// where t begins none.
func (r *rewriting) fileAt(t sqlToken, isTable bool) (name string, end int) {
	switch {
	case (t.kind == quoted || t.kind == text && isTable) && kindOf(t.value) != "":
		return t.value, t.end
	case t.kind == word || t.kind == mark && isTable && (t.value == "." || t.value == "/" || t.value == "~"):
		if m := fileWord.FindString(r.statement[t.start:]); m != "" && (isTable || strings.Contains(m, "/") || kindOf(m) != "sqlite") {
			return m, t.start + len(m)
		}
	}
	return "", t.end
}

// tableAfter reads the table's name that follows a SQLite file: a word of its
// own, or one after a dot or a colon.
func tableAfter(toks []sqlToken, at int) (table string, end int) {
	for i, t := range toks {
		if t.start < at {
			continue
		}
		if t.kind == mark && (t.value == "." || t.value == ":" || t.value == "/") && i+1 < len(toks) {
			return toks[i+1].value, toks[i+1].end
		}
		if t.kind == quoted || t.kind == word && !endOfFrom.MatchString(t.value) {
			return t.value, t.end
		}
		return "", at
	}
	return "", at
}

// bareNames finds the files that table names without an ending stand for.
func (f *folder) bareNames(ctx context.Context, bare []sqlToken, sqlite, only string) (map[string]string, error) {
	found := map[string]string{}
	for _, t := range bare {
		if strings.HasPrefix(strings.ToLower(t.value), "sqlite_") || strings.HasPrefix(strings.ToLower(t.value), "pragma_") {
			continue
		}
		if sqlite != "" {
			if tables, err := f.tables(ctx, sqlite); err != nil {
				return nil, err
			} else if slices.ContainsFunc(tables, func(n string) bool { return strings.EqualFold(n, t.value) }) {
				continue
			}
		}
		if p, err := f.resolve(ctx, t.value); err == nil && kindOf(p) != "sqlite" {
			found[t.value] = p
			continue
		}
		if only != "" && kindOf(only) != "sqlite" {
			found[t.value] = only
			continue
		}
		all, err := f.files(ctx)
		if err != nil {
			return nil, err
		}
		for _, p := range all[:min(len(all), 20)] {
			if kindOf(p) != "sqlite" || sqlite != "" {
				continue
			}
			tables, err := f.tables(ctx, p)
			if err == nil && slices.ContainsFunc(tables, func(n string) bool { return strings.EqualFold(n, t.value) }) {
				found[t.value] = p
				break
			}
		}
	}
	return found, nil
}

// tables lists the tables and views of a SQLite file.
func (f *folder) tables(ctx context.Context, p string) ([]string, error) {
	s, err := f.session(ctx, p)
	if err != nil {
		return nil, err
	}
	res, err := s.run(ctx, "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name")
	names := []string{}
	for _, row := range res.rows {
		if name, ok := row[0].(string); ok {
			names = append(names, name)
		}
	}
	return names, err
}

func (f *folder) onlyTable(ctx context.Context, p string) (string, error) {
	tables, err := f.tables(ctx, p)
	if err != nil {
		return "", err
	}
	if len(tables) == 1 {
		return tables[0], nil
	}
	if len(tables) == 0 {
		return "", &core.Error{Code: core.CodeNotFound, Message: "There are no tables in " + code(p) + "."}
	}
	return "", &unclear{"Which table of " + code(p) + "? It has " + strings.Join(tables[:min(len(tables), 20)], ", ") + ".", tables[:min(len(tables), 10)]}
}

func ident(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
