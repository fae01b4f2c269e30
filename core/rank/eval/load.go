package eval

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// ReadTools reads tools from JSON: an object of name → description, or what an MCP
// server lists: {"tools": [{"name": …, "description": …}]}, the list alone, or the
// answer that it is in.
func ReadTools(raw []byte) ([]Tool, error) {
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	type tools []struct{ Name, Description string }
	var list tools
	if json.Unmarshal(raw, &list) != nil {
		var listed struct {
			Tools  tools
			Result struct{ Tools tools }
		}
		if json.Unmarshal(raw, &listed) == nil {
			list = append(listed.Tools, listed.Result.Tools...)
		}
	}
	if list == nil {
		described := map[string]string{}
		if err := json.Unmarshal(raw, &described); err != nil {
			return nil, fmt.Errorf("it is neither an object of tool → description nor a list of tools: %w", err)
		}
		for _, name := range slices.Sorted(maps.Keys(described)) {
			list = append(list, struct{ Name, Description string }{name, described[name]})
		}
	}
	seen := map[string]bool{}
	out := make([]Tool, 0, len(list))
	for _, t := range list {
		if t.Name == "" || seen[t.Name] {
			return nil, fmt.Errorf("the name %q is empty, or stands there twice", t.Name)
		}
		seen[t.Name] = true
		out = append(out, Tool(t))
	}
	if len(out) == 0 {
		return nil, errors.New("there is no tool in it")
	}
	return out, nil
}

// ReadQuestions reads a CSV file whose header has the columns Query and Tool.
func ReadQuestions(r io.Reader) ([]Question, error) {
	rows := csv.NewReader(r)
	rows.FieldsPerRecord = -1
	rows.LazyQuotes = true
	header, err := rows.Read()
	if err != nil {
		return nil, fmt.Errorf("it has no header Query,Tool: %w", err)
	}
	column := func(name string) int {
		return slices.IndexFunc(header, func(s string) bool {
			return strings.EqualFold(strings.TrimSpace(strings.TrimPrefix(s, "\ufeff")), name)
		})
	}
	query, tool := column("Query"), column("Tool")
	if query < 0 || tool < 0 {
		return nil, fmt.Errorf("its first line is %.60q, not Query,Tool", strings.Join(header, ","))
	}
	var out []Question
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(row) <= max(query, tool) {
			line, _ := rows.FieldPos(0)
			return nil, fmt.Errorf("line %d has %d columns", line, len(row))
		}
		out = append(out, Question{Text: row[query], Tool: strings.TrimSpace(row[tool])})
	}
	if len(out) == 0 {
		return nil, errors.New("there is no question in it")
	}
	return out, nil
}
