package extract

import "strings"

// says whether one of the phrases stands in text, in lower case, as whole
// words.
func says(text string, phrases ...string) bool {
	for _, p := range phrases {
		if strings.Contains(text, p) && stands(text, p) {
			return true
		}
	}
	return false
}

// decides says whether a sentence, in lower case, tells of a decision.
func decides(text string) bool {
	if strings.HasSuffix(text, "?") || undecided(text) {
		return false
	}
	return says(text, "decided", "decision", "we use", "we'll use", "will use", "agreed", "chose", "we choose", "going with", "go with", "let's use",
		"settled on", "we switch", "switch to", "rejected",
		"entschieden", "entscheidung", "beschlossen", "geeinigt", "wir nehmen", "wir nutzen", "wir verwenden", "nutzen wir", "nehmen wir",
		"verwenden wir", "wir setzen auf", "festgelegt", "verworfen") ||
		says(text, "instead of", "statt", "anstatt", "stattdessen") &&
			says(text, "use", "using", "take", "switch", "switched", "move", "moved", "replace", "prefer", "nutzen", "nehmen", "verwenden", "setzen")
}

func undecided(text string) bool {
	return says(text, "to be decided", "not decided", "not yet decided", "undecided", "need a decision", "noch nicht entschieden", "zu entscheiden")
}

// tasks says whether a sentence, in lower case, tells of something to be done.
func tasks(text string) bool {
	return undecided(text) || says(text,
		"todo", "to do", "fixme", "need to", "needs to", "have to", "has to", "next", "will", "i'll", "we'll", "must", "should", "open question",
		"action item", "follow up", "not yet", "remind me", "blocked",
		"muss", "müssen", "sollte", "sollten", "als nächstes", "nächster schritt", "noch zu", "noch offen", "offene frage", "steht aus",
		"werde", "werden wir", "wir werden", "nicht vergessen", "erinnere mich")
}

// durable says whether a sentence, in lower case, tells what holds for long.
func durable(text string) bool {
	return personal(text) || says(text, "always", "never", "immer", "nie", "niemals", "i like", "i don't like", "i hate", "i work", "ich mag", "ich arbeite")
}

// personal says whether a sentence, in lower case, tells who the user is and
// wants.
func personal(text string) bool {
	return says(text, "my name is", "i am called", "call me", "calls me", "i'm called", "i prefer", "we prefer", "i live", "i always", "i never",
		"my favourite", "my favorite", "my email", "my timezone", "remember that", "please remember",
		"ich heiße", "mein name ist", "nenn mich", "ich bevorzuge", "wir bevorzugen", "ich wohne", "merk dir", "am liebsten")
}

// polite says whether a sentence is there for the sake of politeness.
func polite(text string) bool {
	if len(text) > 120 {
		text = text[:120]
	}
	text = strings.ToLower(text)
	first, _, _ := strings.Cut(text, " ")
	switch strings.TrimRight(first, ",!.") {
	case "hi", "hello", "hey", "hej", "dear", "sorry", "thanks", "thank", "good", "hallo", "moin", "servus", "liebe", "lieber", "guten", "danke", "bonjour",
		"before", "okay", "ok":
		return true
	}
	return false
}
