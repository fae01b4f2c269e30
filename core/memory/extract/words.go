package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sample is how much of a text tells its language.
const sample = 4096

// isGerman says whether text has more German function words than English ones.
func isGerman(text string) bool {
	if len(text) > sample {
		text = text[:sample]
	}
	german := 0
	for word := range strings.FieldsSeq(text) {
		switch strings.ToLower(strings.Trim(word, ".,:;!?()")) {
		case "der", "das", "und", "ist", "nicht", "wir", "ich", "ein", "eine", "einen", "mit", "für", "auf", "zu", "den", "dem", "des",
			"auch", "sich", "bei", "im", "von", "dass", "haben", "wird", "werden", "noch", "nach", "aber", "oder", "wie", "sind", "kann", "bitte":
			german++
		case "the", "and", "is", "not", "we", "i", "a", "an", "with", "for", "on", "to", "of", "that", "this", "it", "at", "from",
			"have", "are", "be", "but", "or", "how", "can", "please", "by", "as":
			german--
		}
	}
	return german > 0
}

// common says whether a word is so usual that a capital letter makes no name
// of it. The word is in lower case, without what follows an apostrophe.
func common(word string) bool {
	if utf8.RuneCountInString(word) < 2 {
		return true
	}
	return commonEnglish(word) || commonGerman(word)
}

func commonEnglish(word string) bool {
	switch word {
	case "a", "an", "the", "this", "that", "these", "those", "and", "or", "but", "nor", "if", "then", "else", "than", "so", "as", "ok", "okay",
		"me", "my", "mine", "we", "us", "our", "ours", "you", "your", "yours", "he", "him", "his", "she", "her", "hers", "it", "its", "they",
		"them", "their", "theirs", "one", "ones", "who", "whom", "whose", "what", "which", "when", "where", "why", "how", "am", "is", "are",
		"was", "were", "be", "been", "being", "do", "does", "did", "done", "don", "doesn", "didn", "isn", "aren", "wasn", "weren", "won",
		"wouldn", "couldn", "shouldn", "has", "have", "had", "haven", "hasn", "can", "could", "will", "would", "shall", "should", "may", "might",
		"must", "of", "in", "on", "at", "to", "from", "into", "onto", "for", "with", "without", "within", "by", "about", "between", "through",
		"during", "before", "after", "above", "below", "under", "over", "up", "down", "out", "off", "again", "not", "no", "yes", "too", "very",
		"just", "also", "only", "own", "same", "such", "both", "because", "while", "until", "till", "per", "via", "etc", "let", "lets", "there",
		"here", "now", "once", "all", "any", "each", "every", "some", "most", "many", "much", "more", "less", "few", "other", "another",
		"first", "second", "third", "last", "next", "finally", "however", "therefore", "thus", "since", "although", "though", "maybe", "perhaps",
		"please", "thanks", "thank", "hi", "hello", "hey", "dear", "sorry", "sure", "yeah", "yep", "nope", "well", "still", "already", "yet",
		"even", "ever", "never", "always", "often", "sometimes", "today", "tomorrow", "yesterday", "two", "three", "four", "five", "nothing",
		"everything", "something", "anything", "everyone", "someone", "nobody", "note", "notes", "todo", "fixme", "ps", "fyi", "btw", "instead",
		"otherwise", "like", "see", "look", "got", "get", "gets", "go", "goes", "going", "make", "makes", "made", "take", "use", "uses", "used",
		"try", "add", "adds", "remove", "fix", "fixes", "update", "change", "changes", "run", "runs", "test", "tests", "build", "builds",
		"deploy", "check", "set", "put", "keep", "open", "close", "read", "write", "call", "create", "delete", "move", "start", "stop", "show",
		"find", "need", "needs", "want", "wants", "think", "know", "says", "said", "give", "ask", "tell", "help", "seems", "looks", "means",
		"works", "result", "results", "error", "errors", "warning", "question", "questions", "answer", "decision", "decisions", "summary",
		"steps", "step", "expected", "actual", "problem", "issue", "issues", "bug", "reason", "cause", "goal", "goals", "status", "action",
		"actions", "items", "item", "agenda", "attendees", "name", "value", "total", "time", "date", "type", "version", "file", "files", "line",
		"lines", "code", "data", "user", "users", "server", "client", "service", "option", "options", "example", "meeting", "team", "work",
		"review", "details", "description", "context", "background", "plan", "release", "output", "input", "log", "logs", "owner", "notice",
		"new", "old", "good", "great", "bad", "right", "left", "possible", "traceback", "exception", "caused", "root", "further",
		"memory", "cost", "costs", "people", "customers", "customer", "requests", "request", "response", "due", "average",
		"median", "maximum", "minimum", "latency", "size", "count", "number", "key", "host", "port", "default", "environment", "endpoint":
		return true
	}
	return false
}

func commonGerman(word string) bool {
	switch word {
	case "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer", "eines", "kein", "keine", "keinen", "und", "oder",
		"aber", "denn", "wenn", "weil", "dass", "daß", "ob", "als", "wie", "so", "ich", "du", "er", "sie", "es", "wir", "ihr", "mich", "dich",
		"uns", "euch", "mir", "dir", "ihm", "ihn", "ihnen", "mein", "meine", "meinen", "dein", "deine", "sein", "seine", "unser", "unsere",
		"unseren", "euer", "eure", "ihre", "ihren", "dieser", "diese", "dieses", "diesen", "diesem", "jeder", "jede", "jedes", "alle", "allem",
		"allen", "alles", "viele", "wenige", "mehr", "weniger", "ist", "sind", "war", "waren", "bin", "bist", "seid", "wird", "werden", "wurde",
		"wurden", "hat", "haben", "hatte", "hatten", "kann", "können", "könnte", "könnten", "muss", "müssen", "soll", "sollen", "sollte",
		"sollten", "will", "wollen", "darf", "dürfen", "mag", "möchte", "mit", "ohne", "für", "gegen", "von", "vom", "zu", "zum", "zur", "bei",
		"beim", "nach", "vor", "in", "im", "ins", "an", "am", "ans", "auf", "aus", "über", "unter", "zwischen", "durch", "um", "bis", "seit",
		"ab", "wegen", "trotz", "während", "nicht", "nur", "auch", "noch", "schon", "sehr", "ganz", "hier", "da", "dort", "dann", "danach",
		"jetzt", "nun", "heute", "morgen", "gestern", "immer", "nie", "oft", "manchmal", "wieder", "bitte", "danke", "hallo", "moin", "servus",
		"liebe", "lieber", "guten", "gruß", "grüße", "ja", "nein", "doch", "mal", "eben", "also", "deshalb", "daher", "damit", "dabei", "dazu",
		"außerdem", "leider", "vielleicht", "wer", "was", "wann", "wo", "warum", "wieso", "weshalb", "welche", "welcher", "welches", "man",
		"zuerst", "zunächst", "schließlich", "statt", "stattdessen", "nächste", "nächster", "nächsten", "nächstes", "erste", "zweite", "dritte",
		"letzte", "beide", "beides", "etwas", "nichts", "jemand", "niemand", "zwei", "drei", "vier", "fünf", "frage", "fragen", "antwort",
		"fehler", "problem", "ergebnis", "entscheidung", "aufgabe", "aufgaben", "hinweis", "achtung", "beispiel", "ziel", "grund", "ursache",
		"offen", "erledigt", "neu", "alt", "gut", "schlecht", "laut", "sobald", "falls", "obwohl", "bevor", "nachdem", "teilnehmer", "protokoll":
		return true
	}
	return false
}

// verb says whether a word may be what someone does: "is", "wants", "hat".
func verb(word string, german bool) bool {
	switch word {
	case "is", "was", "has", "had", "will", "would", "can", "could", "did", "made", "wrote", "found", "took", "went", "hat", "ist", "war", "wird",
		"kann", "soll", "muss", "möchte":
		return true
	}
	if len(word) < 4 || common(word) {
		return false
	}
	last := word[len(word)-2:]
	return last == "ed" || last[1] == 's' && last != "ss" && last != "us" && last != "is" && last != "as" || german && last[1] == 't'
}

// article says whether a German common noun follows the word.
func article(word string) bool {
	switch word {
	case "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer", "eines", "kein", "keine", "keinen", "keiner",
		"mein", "meine", "meinen", "meinem", "meiner", "dein", "deine", "sein", "seine", "seinen", "unser", "unsere", "unseren", "unserem",
		"unserer", "euer", "eure", "ihre", "ihren", "ihrem", "ihrer", "dieser", "diese", "dieses", "diesen", "diesem", "jeder", "jede", "jedes",
		"jeden", "jedem", "alle", "allen", "viele", "vielen", "zum", "zur", "im", "am", "beim", "vom", "ins", "ans", "mehr", "weniger",
		"pro", "ohne", "neue", "neuen", "neuer", "neues", "zwei", "drei", "welche", "welcher", "welches":
		return true
	}
	return false
}

// nounEnding says whether a German word has the ending of a common noun.
func nounEnding(word string) bool {
	for _, ending := range []string{
		"ung", "ungen", "heit", "heiten", "keit", "keiten", "schaft", "tion", "tionen", "tät", "täten", "nis", "nisse", "zeit", "zeiten", "tag", "woche",
	} {
		if strings.HasSuffix(word, ending) {
			return true
		}
	}
	return false
}

// month says whether a capitalised word names one, also cut to its beginning.
func month(word string) bool {
	switch strings.TrimSuffix(word, ".") {
	case "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
		"Januar", "Februar", "März", "Mai", "Juni", "Juli", "Oktober", "Dezember", "Jan", "Feb", "Mar", "Apr", "Jun", "Jul", "Aug", "Sep",
		"Sept", "Oct", "Okt", "Nov", "Dec", "Dez":
		return true
	}
	return false
}

// unit says whether a word after a number belongs to it in any case.
func unit(word string) bool {
	switch word {
	case "%", "percent", "prozent", "ns", "µs", "μs", "us", "ms", "s", "sec", "secs", "min", "mins", "h", "hrs", "d", "am", "pm", "uhr", "b", "kb",
		"mb", "gb", "tb", "kib", "mib", "gib", "tib", "bit", "bits", "byte", "bytes", "hz", "khz", "mhz", "ghz", "€", "eur", "euro", "$", "usd",
		"£", "gbp", "m", "km", "cm", "mm", "kg", "g", "°c", "c", "w", "kw", "kwh", "v", "px", "x", "rps", "qps", "rpm", "fps", "req/s",
		"mb/s", "gb/s", "mbit/s", "km/h", "ops/s", "rows/s", "ma", "mah", "µa", "mw", "kv", "dbm", "db", "ω", "kω", "nm", "chf", "pln", "ns/op", "b/op", "allocs/op", "mio", "mio.", "mrd", "mrd.", "million", "billion":
		return true
	}
	return false
}

// abbreviation says whether the full stop after a word ends no sentence.
func abbreviation(word string) bool {
	switch strings.ToLower(word) {
	case "e.g", "i.e", "eg", "ie", "etc", "vs", "approx", "cf", "resp", "incl", "mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "no", "nr", "fig",
		"z.b", "d.h", "u.a", "z.t", "o.ä", "s.o", "s.u", "bzw", "ca", "ggf", "evtl", "inkl", "usw", "vgl", "abs", "tel", "hr", "fr", "std", "mio",
		"mrd", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "okt", "nov", "dec", "dez", "z", "d", "u":
		return true
	}
	return false
}

// alternatives are words with a slash that are no path.
func alternatives(word string) bool {
	switch strings.ToLower(word) {
	case "and/or", "und/oder", "n/a", "k/a", "w/o", "he/she", "his/her", "yes/no", "ja/nein", "either/or", "er/sie", "km/h":
		return true
	}
	return false
}

// unspaced says whether a rune is of a script that is written without blanks
// between the words.
func unspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// wordRune says whether a rune may not be parted from others of its kind.
func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) && !unspaced(r)
}

func digit(r rune) bool { return '0' <= r && r <= '9' }

func asciiLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }
