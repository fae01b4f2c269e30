package data

import (
	"context"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/plain"
)

const fileName = `[\pL\pN_./~-]+\.(?:csv|tsv|tab|jsonl?|ndjson|db3?|sqlite3?)\b`

//nolint:gochecknoglobals // never change; see plain.LazyRegexp
var (
	fence    = plain.LazyRegexp("(?s)```(?:sql|sqlite)?\\s*(.*?)```")
	startSQL = plain.LazyRegexp(`^(?:select|values|with|explain|pragma|attach|detach|vacuum|reindex|insert|replace|delete|drop|create|alter|update|begin|commit|rollback|savepoint|release)\b`)
	looksSQL = plain.LazyRegexp(`^(?:select\b(?:[^;]*?\sfrom\s+\S|[^a-z]*[-+*/0-9('"]|\s+\w+\()|values\s*\(|with\s+(?:recursive\s+)?\w+(?:\s*\([^)]*\))?\s+as\s|explain\s+(?:query|select|with|values|insert|update|delete)\b|` +
		`insert\s+(?:or\s+\w+\s+)?into\s|replace\s+into\s|delete\s+from\s|update\s+(?:\S+\s+){1,3}set\s+\S+\s*=|(?:drop|create|alter)\s+(?:temp\w*\s+|unique\s+|virtual\s+)?(?:table|view|index|trigger)\s|pragma\s+\w+|(?:attach|detach)\s+(?:database\s+)?['"\w]|vacuum\b|reindex\b|(?:begin|commit|rollback|savepoint|release)(?:\s+\w+)?\s*(?:;|$))`)
	leadSQL   = plain.LazyRegexp("^(?:(?:run|execute|query|sql)\\b[:,]?\\s*|(?:in|on|from)\\s+\\S+[:,]?\\s+|`+)+")
	comments  = plain.LazyRegexp(`(?s)^(?:\s*(?:--[^\n]*\n|/\*.*?\*/))+`)
	aFile     = plain.LazyRegexp(fileName)
	justAFile = plain.LazyRegexp(`^` + fileName + `$`)
	plainName = plain.LazyRegexp(`^[\pL_][\pL\pN_./]*$`)
	fromWord  = plain.LazyRegexp(`^(?:from|join|,)\s*$`)

	// part is a token of a statement as SQLite reads it, but that a file's name
	// is one token, with the space behind it. What is not closed is a token of
	// its beginning alone.
	part     = plain.LazyRegexp(`(?s)(?:'(?:[^']|'')*'|"(?:[^"]|"")*"|` + "`(?:[^`]|``)*`" + `|\[[^\]]*\]|--[^\n]*|/\*.*?\*/|/\*|` + fileName + `|[\pL\pN_$]+|\S)\s*`)
	reads    = plain.LazyRegexp(`(?s)^(?:explain\s+(?:query\s+plan\s+)?)?(?:select|with|values)\b`)
	unclosed = plain.LazyRegexp("^(?:['\"`\\[]|/\\*)$")
	// leaving are the functions and tables that could leave the file.
	leaving = plain.LazyRegexp(`^(?:load_extension|readfile|writefile|fts3_tokenizer|sqlite_dbpage|pragma_\w*)$`)
	// writes are the keywords of SQLite that a statement that reads has not.
	writes = plain.LazyRegexp(`^(?:insert|update|delete|drop|create|alter|into)$`)
	// notTable is a word after a file's name that is not a table in it.
	notTable = plain.LazyRegexp(`(?s)^(?:where|group|order|limit|having|union|intersect|except|window|join|inner|left|right|full|cross|natural|outer|on|using|as|offset|indexed|not|[^\w"].*)\s*$`)
)

func refused(why string) error {
	return core.Fail(core.CodeRefused, why, "I only read: one SELECT, WITH, VALUES or EXPLAIN at a time.")
}

// maxLook is how much of a statement a bid looks at.
const maxLook = 1000

// findSQL splits a prompt into the statement in it and a SQLite file that is
// named before it. Both may be empty.
func findSQL(prompt string) (statement, file string) {
	if m := fence().FindStringSubmatch(prompt); m != nil {
		return m[1], ""
	}
	prompt = strings.TrimSpace(comments().ReplaceAllString(strings.TrimSpace(prompt), ""))
	lead := ""
	if !startSQL().MatchString(prompt) {
		lead = leadSQL().FindString(prompt)
		prompt = prompt[len(lead):]
	}
	if !startSQL().MatchString(prompt) || !looksSQL().MatchString(prompt[:min(len(prompt), maxLook)]) && !longSelect(prompt) {
		return "", ""
	}
	if name := strings.Trim(aFile().FindString(lead), ":,"); kindOf(name) == "sqlite" {
		file = name
	}
	return strings.TrimRight(prompt, "`?! \n"), file
}

// longSelect reports whether a statement of many columns names a table.
func longSelect(prompt string) bool {
	return len(prompt) > maxLook && slices.Contains(strings.Fields(strings.ToLower(prompt)), "from")
}

// readSQL bids on a statement: on what reads tables that are here, and on what
// is refused since it writes.
func (c *catalog) readSQL(statement, around string) reading {
	g := reading{statement: statement, around: around, score: experts.ReadAll}
	if len(statement) > maxLook {
		return g // it is looked at when it is run
	}
	tokens, err := checked(statement)
	if err != nil {
		g.score = experts.Understood
		return g
	}
	with := slices.ContainsFunc(tokens, func(t string) bool { return strings.EqualFold(strings.TrimSpace(t), "with") })
	for _, name := range sources(tokens) {
		switch {
		case with || justAFile().MatchString(name) || name == "(" || c.holder(name) != "":
		case strings.Contains(statement, "from"):
			return reading{} // "select the best from the list"
		default:
			g.score = experts.Understood
		}
	}
	return g
}

// sources are the names of what a statement reads.
func sources(tokens []string) (names []string) {
	for i := 1; i < len(tokens); i++ {
		if fromWord().MatchString(tokens[i-1]) && tokens[i-1][0] != ',' {
			names = append(names, unquote(strings.TrimSpace(tokens[i])))
		}
	}
	return names
}

// holder is the file that has a table or is the table of that name; empty where
// none or several do.
func (c *catalog) holder(name string) (file string) {
	for _, t := range c.tables {
		if !strings.EqualFold(t.name, name) && (t.file != t.name || !strings.EqualFold(baseName(t.name), name)) {
			continue
		}
		if file != "" {
			return ""
		}
		file = t.file
	}
	return file
}

// checked splits a statement into tokens, without comments, and refuses what is
// not one statement that reads. It is the part that can say why; the database
// below it could not be written either.
func checked(statement string) (tokens []string, err error) {
	ended := false
	for _, t := range part().FindAllString(strings.TrimSpace(statement), -1) {
		bare := strings.TrimSpace(t)
		name := unquote(bare)
		switch {
		case strings.HasPrefix(t, "--"), len(bare) > 2 && strings.HasPrefix(t, "/*"):
			t = " "
		case ended:
			return nil, refused("There is more than one statement in that.")
		case bare == ";":
			t, ended = " ", true
		case unclosed().MatchString(bare):
			return nil, refused("A quote or a comment is not closed in that.")
		case writes().MatchString(bare), t[0] != '\'' && leaving().MatchString(name):
			return nil, refused("I do not run " + plain.Code(strings.ToUpper(name)) + ".")
		}
		if len(tokens) > 0 && t == " " {
			tokens[len(tokens)-1] += t
		} else if t != " " {
			tokens = append(tokens, t)
		}
	}
	if !reads().MatchString(strings.Join(tokens, "")) {
		return nil, refused("That is no statement that reads.")
	}
	return tokens, nil
}

// runSQL runs a statement whose tables may be files. SQLite tells which ones it
// misses; only the SQLite file must be known before: the one in the statement,
// else the one around it.
func (f *folder) runSQL(ctx context.Context, cat *catalog, statement, around string) (core.Reply, error) {
	tokens, err := checked(statement)
	if err != nil {
		return core.Reply{}, err
	}
	statement, file, err := f.rewrite(tokens)
	if around == "" {
		around = cat.around(tokens)
	}
	if err == nil && file == "" && around != "" {
		file, err = f.find(around)
	}
	if err != nil {
		return core.Reply{}, err
	}
	s, err := f.session(ctx, file)
	if err != nil {
		return core.Reply{}, err
	}
	defer s.close()
	res, err := s.query(ctx, statement)
	if err != nil {
		return core.Reply{}, err
	}
	return res.reply(query{}), nil
}

// around is the SQLite file with the first of the tables that a statement reads.
func (c *catalog) around(tokens []string) string {
	for _, name := range sources(tokens) {
		if file := c.holder(name); kindOf(file) == "sqlite" {
			return file
		}
	}
	return ""
}

// rewrite quotes the names of files, which SQLite then reads as tables. A
// SQLite file before its table's name is taken out.
func (f *folder) rewrite(tokens []string) (statement, file string, err error) {
	var b strings.Builder
	for i := 0; i < len(tokens); i++ {
		t := strings.TrimSpace(tokens[i])
		isTable := i > 0 && fromWord().MatchString(tokens[i-1])
		switch {
		case isTable && kindOf(unquote(t)) == "sqlite":
			p, err := f.find(unquote(t))
			if err != nil {
				return "", "", err
			}
			if file != "" && file != p {
				return "", "", core.Fail(core.CodeInvalid, "I read one SQLite file at a time, and that names "+plain.Code(file)+" and "+plain.Code(p)+".", "")
			}
			file = p
			if i+1 == len(tokens) || notTable().MatchString(tokens[i+1]) {
				b.WriteString(ident(p) + " ")
			}
		case justAFile().MatchString(t) && kindOf(t) != "sqlite":
			b.WriteString(ident(t) + strings.TrimPrefix(tokens[i], t))
		default:
			b.WriteString(tokens[i])
		}
	}
	return strings.TrimSpace(b.String()), file, nil
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
