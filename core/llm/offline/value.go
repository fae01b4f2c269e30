package offline

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/rank"
	"github.com/yaap-chat/yaap/core/safe"
)

const maxValue = 2000 // bytes that are handed from one step to the next

// kind is what an earlier result is, as far as a later question cares.
type kind uint8

const (
	aText kind = iota
	aNumber
	aDate
	aPath
)

func kinds() []kind { return []kind{aNumber, aDate, aPath, aText} }

// stand is something of that kind, which experts are sent in place of a result
// that is not there yet.
func (k kind) stand() string {
	return [...]string{"Berlin", "7", "2026-01-01", "README.md"}[k]
}

func kindOfValue(value string) kind {
	tokens := lang.Lex(safe.Prefix(value, maxValue))
	if len(tokens) == 0 || len(tokens) > 2 {
		return aText
	}
	return map[lang.Shape]kind{lang.Number: aNumber, lang.Date: aDate, lang.Path: aPath}[tokens[0].Shape]
}

// framesOf are the places where an earlier result may stand in a text: where it
// is referred to, with or without the noun behind that, else before the text or after
// its first word.
func framesOf(text string) []frame {
	tokens, l := lang.Lex(text), lang.AllPhrases()
	if i, n := l.Refers(tokens, false); n > 0 {
		before, next := text[:tokens[i].Start], i+n
		frames := []frame{{before: before, after: text[tokens[next-1].End:]}}
		if next == len(tokens) || tokens[next].Shape != lang.Word {
			return frames
		}
		noun := tokens[next]
		switch {
		case l.Begins(lang.Its, tokens[i:]) > 0: // "its square" is the square of it
			of := frame{before: before + strings.TrimRight(text[noun.Start:], " .?!") + " of "}
			frames = slices.Insert(frames, 0, of)
		case i > 0 && l.Begins(lang.ThatOne, tokens[i:]) > 0: // "who made that commit", not "that helps"
			after := text[noun.End:]
			frames = append(frames, frame{before: before, after: after}, frame{before: before + noun.Text + " ", after: after})
		}
		return frames
	}
	frames := []frame{{after: " " + text}}
	if len(tokens) > 0 && tokens[0].Shape == lang.Word {
		frames = append(frames, frame{before: text[:tokens[0].End] + " ", after: text[tokens[0].End:]})
	}
	return frames
}

func (f frame) with(value string) string { return f.before + value + f.after }

// valuesOf are what a later step may mean by the result of an earlier one that was
// asked something, the likeliest first: the value of its data that is called so,
// with its unit, or that the question names, or the only one, its message, and its
// other dates and files.
func valuesOf(r core.ToolResult, asked string) (list []string) {
	values, message := r.Data, r.Text
	if r.Reply != nil {
		values, message = r.Reply.Data, r.Reply.Message
	}
	values = withOnly(values)
	all := slices.Sorted(maps.Keys(values))
	words := rank.Terms(asked)
	named := slices.DeleteFunc(slices.Clone(all), func(k string) bool { return !slices.Contains(words, rank.Stem(strings.ToLower(k))) })
	keys := slices.Concat([]string{"result", "value", "answer", "output"}, named, []string{"total", "count"})
	if len(all) == 1 {
		keys = append(keys, all...)
	}
	unit, _ := values["unit"].(string)
	for _, k := range keys {
		s, ok := scalar(values[k])
		if ok && kindOfValue(s) == aNumber {
			s = strings.TrimSpace(s + " " + safe.Prefix(unit, 40))
		}
		if ok {
			list = append(list, s)
		}
	}
	message = strings.ReplaceAll(strings.TrimSpace(message), "**", "")
	if !strings.Contains(message, "\n") {
		message = strings.TrimSuffix(message, ".")
	}
	list = append(list, safe.Prefix(message, maxValue))
	for _, k := range all { // a date or a file; any number may be anything
		if s, ok := scalar(values[k]); ok && (kindOfValue(s) == aDate || kindOfValue(s) == aPath) {
			list = append(list, s)
		}
	}
	return list
}

// withOnly are values with those of lists that have one element only.
func withOnly(values map[string]any) map[string]any {
	all := maps.Clone(values)
	for k, v := range values {
		list, ok := v.([]any)
		if !ok || len(list) != 1 {
			continue
		}
		row, ok := list[0].(map[string]any)
		if !ok {
			all[k] = list[0]
		}
		for name, cell := range row {
			if _, known := values[name]; !known {
				all[name] = cell
			}
		}
	}
	return all
}

func scalar(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, v != "" && len(v) <= maxValue
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case json.Number, int, int64:
		return fmt.Sprint(v), true
	}
	return "", false
}

// onlyValue is the number or time that a text tells, with its unit behind it; empty where it
// tells none, or several.
func onlyValue(text string) (value string) {
	tokens, l := lang.Lex(text), lang.AllPhrases()
	beside := func(i int) bool { // a word that may belong to the value
		return i < len(tokens) && tokens[i].Shape == lang.Word && text[tokens[i-1].End:tokens[i].Start] == " " &&
			l.Begins(lang.Relation, tokens[i:])+l.Begins(lang.Question, tokens[i:])+l.Begins(lang.And, tokens[i:])+l.Begins(lang.Then, tokens[i:])+l.Begins(lang.Article, tokens[i:]) == 0
	}
	for i, t := range tokens {
		switch {
		case t.Shape != lang.Number && t.Shape != lang.Date:
			continue
		case value != "":
			return ""
		}
		if value = t.Text; beside(i + 1) {
			value = text[t.Start:tokens[i+1].End]
		}
	}
	return value
}
