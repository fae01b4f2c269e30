package rank

import (
	"strings"
	"unicode"
)

// Words returns the runs of letters and digits in text, in lower case. An
// apostrophe ends a word, and what follows it ("don't") is dropped.
func Words(text string) []string {
	fields := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '\'' && r != '’'
	})
	words := fields[:0]
	for _, f := range fields {
		f = strings.TrimLeft(f, "'’")
		if i := strings.IndexAny(f, "'’"); i >= 0 {
			f = f[:i]
		}
		if f != "" {
			words = append(words, f)
		}
	}
	return words
}

// Terms returns the stems of the words in text that tell something.
func Terms(text string) []string {
	words := Words(text)
	terms := words[:0]
	for _, w := range words {
		if Weight(w) > 0 {
			terms = append(terms, Stem(w))
		}
	}
	return terms
}

// Weight says how much the lower-case English word tells about a text's
// subject: 0 for one that every text has, 1 for one that few have.
func Weight(word string) float64 {
	w := listed(word)
	if base := participle(plural(word)); w == 1 && base != word && asciiLetters(word) {
		w = max(generic, min(listed(base), listed(base+"e")))
	}
	return w
}

// listed is the weight of a word as it stands.
func listed(word string) float64 {
	switch word {
	case "a", "an", "the", "this", "that", "these", "those", "and", "or", "but", "nor", "if", "then", "else", "than", "so", "as",
		"i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "you", "your", "yours", "he", "him", "his", "she", "her", "hers",
		"it", "its", "itself", "they", "them", "their", "theirs", "one", "ones", "who", "whom", "whose", "what", "which", "when", "where",
		"why", "how", "am", "is", "are", "was", "were", "be", "been", "being", "do", "does", "did", "doing", "done", "don", "doesn", "didn",
		"isn", "aren", "wasn", "weren", "won", "wouldn", "couldn", "shouldn", "has", "have", "had", "having", "haven", "hasn", "can",
		"could", "will", "would", "shall", "should", "may", "might", "must", "of", "in", "on", "at", "to", "from", "into", "onto", "for",
		"with", "without", "within", "by", "about", "between", "through", "during", "before", "after", "above", "below", "under", "over",
		"up", "down", "out", "off", "again", "not", "no", "yes", "too", "very", "just", "also", "only", "own", "same", "such", "both",
		"because", "already", "u", "while", "until", "till", "per", "via", "etc", "eg", "ie", "e", "g", "s", "t", "ll", "re", "ve", "d", "m", "let", "lets",
		"please", "pls", "kindly", "ok", "okay", "oh", "hey", "hi", "hello", "thanks", "thank", "well", "there", "here", "now", "yet",
		"still", "some", "any", "upon", "cannot", "ain", "gonna", "wanna", "got", "id", "im", "whats", "hows", "wheres", "whos",
		"many", "much", "more", "most", "few", "each", "every", "all", "other", "another", "around", "across", "right",
		"current", "currently":
		return 0
	case "show", "tell", "give", "get", "find", "list", "read", "search", "see", "look", "want", "need", "know", "like", "help", "use",
		"used", "using", "uses", "try", "thing", "things", "stuff", "way", "ways", "kind", "kinds", "sort", "lot", "lots", "bit", "info",
		"information", "detail", "details", "question", "questions", "answer", "answers", "ask", "asks", "really", "exactly", "good", "best", "better", "great", "nice", "new", "explain", "describe", "display", "print", "work", "works",
		"go", "goes", "going", "come", "take", "takes", "put", "say", "says", "said", "think", "mean", "means", "meant", "start", "keep",
		"something", "anything", "everything", "someone", "anyone", "everyone", "nothing", "quickly", "simple", "simply", "make", "makes",
		"made", "different", "various", "general", "certain", "able", "seem", "seems", "happen", "happened", "happens", "provide",
		"provides", "provided", "support", "supports", "supported", "allow", "allows", "return", "returns", "handle", "handles",
		"including", "include", "includes", "expert", "experts", "tool", "tools", "given", "first", "second", "quick",
		"called", "call", "always", "ever", "never", "often", "usually", "actually", "maybe", "perhaps", "possible", "fetch",
		"check", "knows", "wants", "needs", "looking", "trying", "thought", "idea", "ideas", "long", "big", "small",
		"lookup", "retrieve", "anybody", "somebody", "everybody", "nobody", "interesting", "favourite", "favorite", "recommend",
		"suggest", "decide", "write", "wrote", "written", "run", "open", "set", "turn", "bring", "hold", "live", "feel",
		"old", "large", "little", "next", "last", "early", "young", "important", "public", "bad", "difference",
		"compare", "thinking", "learn", "understand", "worth", "enough", "everywhere", "somewhere", "anywhere", "newest", "latest",
		"oldest", "earliest", "previous", "following", "specific", "available", "nearest", "nearby", "biggest", "smallest", "largest":
		return generic
	case "time", "times", "day", "days", "date", "dates", "week", "weeks", "month", "months", "year", "years", "hour", "hours", "minute",
		"minutes", "night", "morning", "evening", "afternoon", "today", "tomorrow", "yesterday", "tonight", "change", "changes", "changed",
		"line", "lines", "number", "numbers", "name", "names", "named", "place", "places", "world", "people", "person", "man", "woman",
		"child", "children", "country", "city", "town", "house", "home", "water", "word", "words", "text", "part", "parts", "point", "case",
		"group", "problem", "fact", "facts", "money", "book", "books", "story", "job", "business", "life", "hand", "school", "state",
		"family", "system", "program", "company", "game", "area", "head", "room", "side", "end", "member", "car", "power", "order", "level",
		"office", "door", "health", "art", "war", "history", "result", "results", "reason", "research", "girl", "guy", "moment", "air",
		"teacher", "force", "education", "foot", "eye", "body", "face", "top", "bottom", "move", "play", "pay", "meet", "follow", "stop",
		"create", "speak", "add", "added", "remove", "removed", "delete", "spend", "grow", "win", "offer", "remember", "love", "consider",
		"appear", "buy", "wait", "serve", "die", "send", "build", "stay", "fall", "cut", "reach", "kill", "raise", "pass", "sell",
		"count", "value", "values", "total", "size", "file", "files", "folder", "page", "key", "code", "user", "users", "type",
		"types", "form", "field", "content", "contents", "document", "documents", "item", "items", "example", "examples", "test",
		"local", "record", "records", "entry", "entries", "version", "message", "messages", "note", "notes", "plan", "plans",
		"high", "low", "short", "full", "free", "real", "whole", "common", "special", "hard", "easy", "clear", "recent", "late", "close",
		"data", "back", "away", "together", "far", "near", "fast", "slow", "contain", "contains", "containing", "matter",
		"happy", "human", "light", "leave", "left", "leaves", "leaving", "white", "black", "red", "green", "blue", "letter", "letters", "language", "meaning",
		"food", "table", "column", "image", "picture", "service", "services", "street", "road", "once", "twice", "fix", "fixes", "fixed", "repair", "repairs", "convert", "converts", "converting", "conversion", "conversions", "calculate", "calculates",
		"calculation", "compute", "computes", "map", "phone", "web", "site", "link":
		return common
	}
	return 1
}

const (
	generic = 0.3
	common  = 0.55
)
