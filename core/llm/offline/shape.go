package offline

import (
	"regexp"
	"strings"
)

// The shapes a run of characters without a space may have.
var (
	dateShape   = regexp.MustCompile(`^(\d{4}-\d{1,2}(-\d{1,2})?(T[\d:.]+Z?)?|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}|\d{1,2}(st|nd|rd|th))$`)
	hourShape   = regexp.MustCompile(`(?i)^(\d{1,2}:\d{2}(:\d{2})?([ap]m)?|\d{1,2}([ap]m|h\d{2}))$`)
	linkShape   = regexp.MustCompile(`(?i)^([a-z][a-z0-9+.-]*://\S+|www\.\S+|[\w.+-]+@[\w-]+\.[a-z]{2,})$`)
	pathShape   = regexp.MustCompile(`^(\.{0,2}/|~/|\*\.)[\w.*~/-]*$|^[\w*.-]+/[\w./*-]*[A-Za-z_*][\w./*-]*$|^[\w-][\w.-]*\.[A-Za-z][A-Za-z0-9]{0,6}$|^\.[a-z][\w-]{2,}$`)
	labelShape  = regexp.MustCompile(`^(#\d+|[A-Z]{2,10}-\d+|[0-9a-f]*[0-9][0-9a-f]*[a-f][0-9a-f]{3,}|[0-9a-f]*[a-f][0-9a-f]*[0-9][0-9a-f]{3,}|v?\d+\.\d+\.\d+|HEAD(~\d+)?)$`)
	abbreviated = regexp.MustCompile(`^([A-Za-z]\.)+[A-Za-z]?$`)
)

// shape tells what s is by its form alone.
func shape(s string) (class, bool) {
	switch {
	case len(s) > 512:
		return quoted, true
	case !strings.ContainsAny(s, "0123456789./@#:*~") && s != "HEAD":
		return 0, false
	case dateShape.MatchString(s):
		return date, true
	case hourShape.MatchString(s):
		return hour, true
	case linkShape.MatchString(s):
		return link, true
	case labelShape.MatchString(s):
		return label, true
	case abbreviated.MatchString(s):
		return 0, false
	case pathShape.MatchString(s) && strings.ContainsAny(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ*"):
		return path, !startsWithDigitUnit(s)
	}
	return 0, false
}

// startsWithDigitUnit tells "1.5km" from a name with an extension.
func startsWithDigitUnit(s string) bool {
	rest := strings.TrimLeft(s, "0123456789.,")
	return len(rest) < len(s) && isUnit(rest)
}

func isOperator(s string) bool {
	switch s {
	case "+", "-", "−", "*", "/", "^", "**", "%", "×", "÷", "=", "<", ">", "√", "!", "==", "·", "//":
		return true
	}
	return false
}

func isOperatorWord(w string) bool {
	switch w {
	case "plus", "minus", "times", "divided", "divide", "multiplied", "multiply", "subtract", "percent", "squared", "cubed", "modulo", "mod":
		return true
	}
	return false
}

// multiplies reports whether w before a number, or before "of" and a number, is
// what it is multiplied by.
func multiplies(w string) bool {
	switch w {
	case "half", "halve", "third", "thirds", "quarter", "quarters", "twice", "double", "thrice", "triple", "square":
		return true
	}
	return false
}

func isNumberWord(w string) bool {
	switch w {
	case "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen",
		"sixteen", "seventeen", "eighteen", "nineteen", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
		"hundred", "thousand", "million", "billion", "dozen", "half", "zero":
		return true
	}
	return false
}

func isDateWord(w string) bool {
	switch w {
	case "today", "tomorrow", "yesterday", "tonight", "weekend", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
		"mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays", "sundays":
		return true
	}
	return isMonth(w)
}

func isMonth(w string) bool {
	switch w {
	case "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december":
		return true
	}
	return false
}

func isHourWord(w string) bool { return w == "noon" || w == "midnight" || w == "pm" }

// isUnit reports whether s is a measure, where its place in a text allows it.
func isUnit(s string) bool {
	switch s {
	case "m", "g", "s", "h", "l", "K", "C", "F", "B", "b", "J", "W", "V", "A", "N", "t":
		return true
	}
	w := strings.TrimSuffix(strings.ToLower(s), "s")
	switch w {
	case "km", "cm", "mm", "nm", "µm", "mi", "mile", "metre", "meter", "kilometre", "kilometer", "centimetre", "centimeter", "millimetre",
		"millimeter", "yd", "yard", "ft", "foot", "feet", "inch", "inche", "kg", "mg", "lb", "oz", "pound", "ounce", "gram", "gramme",
		"kilogram", "kilo", "tonne", "ton", "stone", "ml", "cl", "litre", "liter", "gallon", "pint", "cup", "min", "sec", "ms", "hr",
		"minute", "second", "hour", "day", "week", "month", "year", "celsiu", "celsius", "fahrenheit", "kelvin", "degree", "°c", "°f", "°", "byte", "bit",
		"kb", "mb", "gb", "tb", "kib", "mib", "gib", "tib", "kilobyte", "megabyte", "gigabyte", "terabyte", "mph", "kph", "knot",
		"acre", "hectare", "watt", "joule", "calorie", "kcal", "volt", "amp":
		return true
	}
	return false
}

func isPreposition(w string) bool {
	switch w {
	case "in", "on", "at", "for", "of", "to", "into", "from", "about", "with", "by", "near", "as", "between", "under", "over", "than",
		"after", "before", "within", "inside", "around", "since", "until", "during", "through", "across", "onto", "without":
		return true
	}
	return false
}

func isArticle(w string) bool {
	switch w {
	case "a", "an", "the", "my", "our", "your", "his", "her", "its", "their", "this", "these", "those", "some", "any", "all", "every", "each", "and", "or":
		return true
	}
	return false
}

// isQuestionWord reports whether w opens a question.
func isQuestionWord(w string) bool {
	switch w {
	case "what", "whats", "who", "whos", "whose", "when", "where", "wheres", "which", "why", "how", "is", "are", "was", "were", "does", "do", "did", "can",
		"could", "will", "would", "should", "has", "have":
		return true
	}
	return false
}

// isImperative reports whether w opens a request; it lists what people ask
// machines to do, whatever it is about.
func isImperative(w string) bool {
	switch w {
	case "please", "show", "tell", "give", "find", "list", "convert", "calculate", "compute", "translate", "read", "search", "look", "count",
		"open", "print", "display", "explain", "describe", "compare", "check", "summarise", "summarize", "get", "fetch", "add", "multiply",
		"divide", "subtract", "write", "create", "make", "play", "send", "book", "order", "draw", "plan", "suggest", "recommend", "turn",
		"set", "remind", "name", "define", "spell", "sort", "run", "query", "sum", "let", "ask", "grep", "round", "double", "express",
		"generate", "delete", "remove", "buy", "sell", "close", "start", "stop", "help":
		return true
	}
	return false
}
