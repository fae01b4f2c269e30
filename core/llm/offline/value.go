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
// is referred to, else before the text or after its first word.
func framesOf(text string) []frame {
	tokens := lang.Lex(text)
	if i, n := lang.AllPhrases().Refers(tokens, false); n > 0 {
		return []frame{{before: text[:tokens[i].Start], after: text[tokens[i+n-1].End:]}}
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
