package rank

import (
	"cmp"
	"strings"
)

// Stem maps the lower-case English word to a form that it shares with its
// inflections, its closest derivations and a few everyday synonyms and
// abbreviations. The form need not be a word.
func Stem(word string) string {
	if len(word) < 3 || !asciiLetters(word) {
		return word
	}
	if base := cmp.Or(irregular(word), synonym(word)); base != "" {
		word = base
	}
	w := british(plural(word))
	w = participle(w)
	w = derived(w)
	if len(w) > 3 && strings.HasSuffix(w, "e") {
		w = w[:len(w)-1]
	}
	return w
}

func asciiLetters(w string) bool {
	for i := range len(w) {
		if w[i] < 'a' || w[i] > 'z' {
			return false
		}
	}
	return true
}

func plural(w string) string {
	switch {
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "xes"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "s") && len(w) > 3 && w != "news" && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		return w[:len(w)-1]
	}
	return w
}

func british(w string) string {
	for _, s := range [...][2]string{{"isation", "ization"}, {"ising", "izing"}, {"ised", "ized"}, {"ise", "ize"}} {
		if len(w) >= 7 && strings.HasSuffix(w, s[0]) {
			return strings.TrimSuffix(w, s[0]) + s[1]
		}
	}
	if len(w) >= 5 && strings.HasSuffix(w, "tre") {
		return w[:len(w)-2] + "er"
	}
	if len(w) >= 5 && strings.HasSuffix(w, "our") {
		return w[:len(w)-3] + "or"
	}
	return w
}

func participle(w string) string {
	var base string
	switch {
	case strings.HasSuffix(w, "ied") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "ing") && len(w) > 5:
		base = w[:len(w)-3]
	case strings.HasSuffix(w, "ed") && len(w) > 4 && !strings.HasSuffix(w, "eed"):
		base = w[:len(w)-2]
	default:
		return w
	}
	if !strings.ContainsAny(base, "aeiouy") {
		return w
	}
	return undouble(base)
}

func undouble(w string) string {
	if n := len(w); n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("lsz", rune(w[n-1])) {
		return w[:n-1]
	}
	return w
}

// derived strips the endings that make a noun of a verb or compare an adjective.
func derived(w string) string {
	switch {
	case strings.HasSuffix(w, "ization"):
		return w[:len(w)-5]
	case strings.HasSuffix(w, "ation") && len(w) > 7:
		return w[:len(w)-3]
	case strings.HasSuffix(w, "tion") && len(w) > 6:
		return w[:len(w)-3]
	case strings.HasSuffix(w, "sion") && len(w) > 6:
		return w[:len(w)-4] + "t"
	case strings.HasSuffix(w, "ment") && len(w) > 7:
		return w[:len(w)-4]
	case strings.HasSuffix(w, "ly") && len(w) > 6:
		return w[:len(w)-2]
	case (strings.HasSuffix(w, "er") || strings.HasSuffix(w, "or")) && len(w) > 6:
		return undouble(w[:len(w)-2])
	case strings.HasSuffix(w, "est") && len(w) > 5 && !endsInEst(w):
		return undouble(w[:len(w)-3])
	case strings.HasSuffix(w, "y") && len(w) > 4 && strings.ContainsRune("nwdgm", rune(w[len(w)-2])):
		return undouble(w[:len(w)-1])
	}
	return w
}

func endsInEst(w string) bool {
	switch w {
	case "forest", "request", "interest", "suggest", "harvest", "protest", "contest", "honest", "digest", "invest", "arrest", "priest", "manifest":
		return true
	}
	return false
}

// irregular returns the base of a word that no rule reaches.
func irregular(w string) string {
	switch w {
	case "wrote", "written":
		return "write"
	case "ate", "eaten":
		return "eat"
	case "ran":
		return "run"
	case "bought":
		return "buy"
	case "sold":
		return "sell"
	case "built":
		return "build"
	case "found":
		return "find"
	case "flew", "flown":
		return "fly"
	case "spoke", "spoken":
		return "speak"
	case "sent":
		return "send"
	case "made":
		return "make"
	case "said":
		return "say"
	case "saw", "seen":
		return "see"
	case "took", "taken":
		return "take"
	case "children":
		return "child"
	case "men":
		return "man"
	case "women":
		return "woman"
	case "people":
		return "person"
	case "feet":
		return "foot"
	case "inches":
		return "inch"
	case "began", "begun":
		return "begin"
	case "broke", "broken":
		return "break"
	case "chose", "chosen":
		return "choose"
	case "drew", "drawn":
		return "draw"
	case "drank", "drunk":
		return "drink"
	case "fell", "fallen":
		return "fall"
	case "gave", "given":
		return "give"
	case "grew", "grown":
		return "grow"
	case "lost":
		return "lose"
	case "met":
		return "meet"
	case "paid":
		return "pay"
	case "slept":
		return "sleep"
	case "spent":
		return "spend"
	case "taught":
		return "teach"
	case "told":
		return "tell"
	}
	return ""
}

// synonym returns the word that people use more often for an abbreviation or
// another word.
func synonym(w string) string {
	switch w {
	case "diff", "diffs":
		return "difference"
	case "repo", "repos":
		return "repository"
	case "config", "configs":
		return "configuration"
	case "temp":
		return "temperature"
	case "avg":
		return "average"
	case "dir", "dirs", "folder", "folders":
		return "directory"
	case "msg", "msgs":
		return "message"
	case "db", "dbs":
		return "database"
	case "mins":
		return "minute"
	case "hrs":
		return "hour"
	case "photo", "photos", "pic", "pics":
		return "picture"
	case "movie", "movies":
		return "film"
	case "purchase", "purchases", "purchased":
		return "buy"
	case "email", "emails", "mails":
		return "mail"
	case "cost", "costs":
		return "price"
	case "repair", "repairs", "repairing":
		return "fix"
	case "cheaper", "cheapest":
		return "cheap"
	}
	return ""
}
