package offline

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"yaap/core"
	"yaap/core/rank"
)

// maxValue bounds what is handed from one step to the next, in bytes.
const (
	maxValue = 2000
	maxUnit  = 40
)

// valueOf is what a later step means by the result of an earlier one that was
// asked something: the value of its data that is called so, with its unit, or
// that the question names, or the only one, else its message.
func valueOf(r core.ToolResult, asked string) string {
	values := r.Data
	message := r.Text
	if r.Reply != nil {
		values, message = r.Reply.Data, r.Reply.Message
	}
	for _, k := range [...]string{"result", "value", "answer", "output"} {
		if s, ok := scalar(values[k]); ok {
			if unit, _ := values["unit"].(string); unit != "" {
				s += " " + clip(unit, maxUnit)
			}
			return s
		}
	}
	if s, ok := named(values, asked); ok {
		return s
	}
	if len(values) == 1 {
		for _, v := range values {
			if s, ok := scalar(v); ok {
				return s
			}
		}
	}
	message = strings.TrimSpace(message)
	if !strings.Contains(message, "\n") {
		message = strings.TrimSuffix(message, ".")
	}
	return clip(message, maxValue)
}

// named returns the value whose key stands in the question ("how many lines"),
// and for a question of how many the total.
func named(values map[string]any, asked string) (string, bool) {
	words := rank.Terms(asked)
	for _, k := range slices.Sorted(maps.Keys(values)) {
		if s, ok := scalar(values[k]); ok && slices.Contains(words, rank.Stem(strings.ToLower(k))) {
			return s, true
		}
	}
	if strings.Contains(strings.ToLower(asked), "how many") {
		for _, k := range [...]string{"total", "count"} {
			if s, ok := scalar(values[k]); ok {
				return s, true
			}
		}
	}
	return "", false
}

func scalar(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, v != "" && len(v) <= maxValue
	case json.Number:
		return v.String(), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case int:
		return strconv.Itoa(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	}
	return "", false
}

// stand is what stands for a value while experts are ranked: its shape, never
// its words, so that no result can choose who is asked next.
func stand(value string) string {
	if tokens := lex(clip(value, 64), nil); len(value) <= 64 && len(tokens) > 0 {
		for _, t := range tokens {
			if t.class == word || t.class == name || t.class == quoted || t.class == query {
				return `"…"`
			}
		}
		return value
	}
	return `"…"`
}

// handOn makes a step's text complete with the value of the step before: in
// place of the word that refers to it, as the object of its verb, or behind it.
func handOn(text, value string) string {
	tokens := lex(text, nil)
	if i, n := reference(text, tokens); n > 0 {
		return text[:tokens[i].start] + value + text[tokens[i+n-1].end:]
	}
	if len(tokens) == 0 {
		return value
	}
	body := strings.TrimRight(text, " .?!")
	switch first := tokens[0]; {
	case first.class == operator && !isImperative(first.lower):
		return value + " " + text
	case len(tokens) == 1:
		return body + " " + value
	case isPreposition(tokens[1].lower) && !isQuestionWord(first.lower):
		return text[:first.end] + " " + value + text[first.end:]
	case complete(tokens):
		return text
	}
	return body + " (" + value + ")"
}

// complete reports whether a step has an object of its own.
func complete(tokens []token) bool {
	for _, t := range tokens {
		switch t.class {
		case word, operator, unit:
		default:
			return true
		}
	}
	return isQuestionWord(tokens[0].lower)
}

// reference finds the words that stand for an earlier result: "that", "it",
// "the result". It returns the position of the first and their number.
func reference(text string, tokens []token) (at, count int) {
	for i, t := range tokens {
		next := ""
		if i+1 < len(tokens) {
			next = tokens[i+1].lower
		}
		prev := ""
		if i > 0 {
			prev = tokens[i-1].lower
		}
		switch t.lower {
		case "that", "it", "this", "them", "those", "these":
			if t.text != t.lower && i > 0 || strings.HasPrefix(text[t.end:], "'") || strings.HasPrefix(text[t.end:], "’") {
				continue
			}
			if i+1 < len(tokens) && (next == "result" || next == "answer" || next == "value" || next == "output" || next == "number") {
				return i, 2
			}
			if t.lower == "that" && prev == "is" && (isPreposition(next) || refersFirst(next)) {
				return i, 1 // "what is that in yards", "what is that times 2"; not "what time is it in Rome"
			}
			if (t.lower == "it" || t.lower == "that") && (i == 1 || i == 2 && prev == "is") && tokens[0].lower == "what" && (isPreposition(next) || refersFirst(next)) {
				return i, 1 // "what is it in yards", "what's that times 2"
			}
			if i == 0 && !refersFirst(next) || isAuxiliary(prev) {
				continue
			}
			if next == "" || isPreposition(next) || next == "and" || next == "by" || next == "plus" || next == "minus" || next == "times" ||
				next == "%" || i+1 < len(tokens) && (tokens[i+1].class == operator || tokens[i+1].class == quoted) || endsClause(text, tokens, i) {
				return i, 1
			}
		case "the":
			if next == "result" || next == "answer" || next == "output" {
				return i, 2
			}
		}
	}
	return 0, 0
}

func refersFirst(next string) bool {
	switch next {
	case "plus", "minus", "times", "divided", "in", "as", "to", "multiplied", "squared", "+", "-", "*", "/", "^":
		return true
	}
	return false
}

func isAuxiliary(w string) bool {
	switch w {
	case "is", "was", "will", "does", "did", "do", "can", "could", "would", "should", "has", "are", "were", "if", "when", "where", "because", "what", "whats":
		return true
	}
	return false
}

func endsClause(text string, tokens []token, i int) bool {
	end := len(text)
	if i+1 < len(tokens) {
		end = tokens[i+1].start
	}
	return strings.ContainsAny(text[tokens[i].end:end], ",.;?!")
}
