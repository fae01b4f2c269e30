package data

import (
	"context"
	"strings"

	"yaap/core"
	"yaap/experts/plain"
)

const fileName = `[\pL\pN_./~-]+\.(?:csv|tsv|tab|jsonl?|ndjson|db3?|sqlite3?)\b`

//nolint:gochecknoglobals // never change; see plain.Expr
var (
	fence    = plain.Expr("(?s)```(?:sql|sqlite)?\\s*(.*?)```")
	startSQL = plain.Expr("(?s)(?:^|[:`]\\s*|^(?:run|execute|query|sql|(?:in|on|from) \\S+)[:,]?\\s+)(" +
		`(?:select|pragma|attach|detach|vacuum|reindex|insert|replace|delete|drop|create|alter|update\s.+?\sset)\b.*|(?:begin|commit|rollback|savepoint|release)\s*(?:;.*)?|` +
		`values\s*\(.*|with\s.+?\bas\s.*?\(.*|explain\s+(?:query|select|with|values|insert|update|delete)\b.*)$`)
	comments  = plain.Expr(`(?s)^(?:\s*(?:--[^\n]*\n|/\*.*?\*/))+`)
	aFile     = plain.Expr(fileName)
	justAFile = plain.Expr(`^` + fileName + `$`)
	fromWord  = plain.Expr(`^(?:from|join|,)\s*$`)

	// token is a part of a statement as SQLite reads it, but that a file's name
	// is one token, with the space behind it. What is not closed is a token of
	// its beginning alone.
	token    = plain.Expr(`(?s)(?:'(?:[^']|'')*'|"(?:[^"]|"")*"|` + "`(?:[^`]|``)*`" + `|\[[^\]]*\]|--[^\n]*|/\*.*?\*/|/\*|` + fileName + `|[\pL\pN_$]+|\S)\s*`)
	reads    = plain.Expr(`(?s)^(?:explain\s+(?:query\s+plan\s+)?)?(?:select|with|values)\b`)
	unclosed = plain.Expr("^(?:['\"`\\[]|/\\*)$")
	// leaving are the functions and tables that could leave the file.
	leaving = plain.Expr(`^(?:load_extension|readfile|writefile|fts3_tokenizer|sqlite_dbpage|pragma_\w*)$`)
	// writes are the keywords of SQLite that a statement that reads has not.
	writes = plain.Expr(`^(?:insert|update|delete|drop|create|alter|into)$`)
	// notTable is a word after a file's name that is not a table in it.
	notTable = plain.Expr(`(?s)^(?:where|group|order|limit|having|union|intersect|except|window|join|inner|left|right|full|cross|natural|outer|on|using|as|offset|indexed|not|[^\w"].*)\s*$`)
)

func refused(why string) error {
	return &core.Error{Code: core.CodeRefused, Message: why, Hint: "I only read: one SELECT, WITH, VALUES or EXPLAIN at a time."}
}

// findSQL splits a prompt into the statement in it and a SQLite file that is
// named before it. Both may be empty.
func findSQL(prompt string) (statement, file string) {
	if m := fence().FindStringSubmatch(prompt); m != nil {
		return m[1], ""
	}
	prompt = strings.TrimSpace(comments().ReplaceAllString(prompt, ""))
	loc := startSQL().FindStringSubmatchIndex(prompt)
	if loc == nil {
		return "", ""
	}
	if name := aFile().FindString(prompt[:loc[2]]); kindOf(name) == "sqlite" {
		file = name
	}
	return strings.TrimRight(prompt[loc[2]:], "`?! \n"), file
}

// checked splits a statement into tokens, without comments, and refuses what is
// not one statement that reads. It is the part that can say why; the database
// below it could not be written either.
func checked(statement string) (tokens []string, err error) {
	ended := false
	for _, t := range token().FindAllString(strings.TrimSpace(statement), -1) {
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
func (f *folder) runSQL(ctx context.Context, statement, around string) (core.Reply, error) {
	tokens, err := checked(statement)
	if err != nil {
		return core.Reply{}, err
	}
	statement, file, err := f.rewrite(ctx, tokens)
	if err == nil && file == "" && around != "" {
		file, err = f.resolve(ctx, around)
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
	return res.reply("", "I read this as SQL and ran: "+statement), nil
}

// rewrite quotes the names of files, which SQLite then reads as tables. A
// SQLite file before its table's name is taken out.
func (f *folder) rewrite(ctx context.Context, tokens []string) (statement, file string, err error) {
	var b strings.Builder
	for i := 0; i < len(tokens); i++ {
		t := strings.TrimSpace(tokens[i])
		isTable := i > 0 && fromWord().MatchString(tokens[i-1])
		switch {
		case isTable && kindOf(unquote(t)) == "sqlite":
			p, err := f.resolve(ctx, unquote(t))
			if err != nil {
				return "", "", err
			}
			if file != "" && file != p {
				return "", "", &core.Error{Code: core.CodeInvalid, Message: "I read one SQLite file at a time, and that names " + plain.Code(file) + " and " + plain.Code(p) + "."}
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
