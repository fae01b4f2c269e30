package offline

import (
	"strings"

	"yaap/core"
)

// maxTold is how many words a text may have that is taken for a statement.
const maxTold = 60

// kept is how a tool of the room ends its description when it keeps what is said.
const kept = " No message of this room is left out."

// noted answers a prompt that only tells something, in a room that keeps what is
// said. What might ask for anything is none: it is better asked back.
func (p *plan) noted() (core.Reply, bool) {
	if !declares(p.talk.prompt) || !p.room.remembers() {
		return core.Reply{}, false
	}
	return core.Reply{
		Thought: "That tells something and asks nothing; the room keeps what is said.",
		Status:  core.StatusSuccess,
		Message: "Noted: this room remembers it. If it is a question, end it with a question mark.",
	}, true
}

// remembers reports whether the tool of the room itself that knows what was said
// says that it is remembered.
func (r *room) remembers() bool {
	best := r.best(part{text: "what did I say earlier?"})
	return best.ok() && best.tool.spec.Owner == "" && strings.HasSuffix(best.tool.spec.Description, kept)
}

// declares reports whether each clause of text is a statement.
func declares(text string) bool {
	text = afterPreface(strings.TrimSpace(text))
	if strings.ContainsAny(text, "?\n`\"") || strings.Contains(text, "'d ") || strings.Contains(text, "’d ") {
		return false
	}
	tokens := lex(text, nil)
	if len(tokens) == 0 || len(tokens) > maxTold {
		return false
	}
	for i, t := range tokens {
		v := voiceOfWord(t.lower)
		opens := i == 0 || joins(tokens[i-1].lower)
		noun := i > 0 && (isArticle(tokens[i-1].lower) || isPreposition(tokens[i-1].lower)) && !opens
		switch {
		case seeks(t.lower) && t.class != date, asksFor(t.lower), v == listener, v == toSpeaker,
			opens && requestWord(t.lower), isImperative(t.lower) && !noun:
			return false
		}
	}
	from := 0
	for i := 1; i <= len(tokens); i++ {
		if i < len(tokens) && !strings.ContainsAny(text[tokens[i-1].end:tokens[i].start], ",;:.!") {
			continue
		}
		if clause := tokens[from:i]; !declarative(clause) && (from == 0 || !isPreposition(clause[0].lower)) {
			return false
		}
		from = i
	}
	return true
}

// afterPreface takes off by what people say that something is to be known.
func afterPreface(text string) string {
	for _, preface := range [...]string{"please remember that ", "remember that ", "please note that ", "note that ", "for the record, ", "by the way, ", "fyi, ", "fyi: "} {
		if len(text) > len(preface) && strings.EqualFold(text[:len(preface)], preface) {
			return text[len(preface):]
		}
	}
	return text
}

// declarative reports whether a clause has the form of a statement: who speaks
// and what they do or did, or a thing and what it is.
func declarative(clause []token) bool {
	if voiceOfWord(clause[0].lower) == speaker {
		return len(clause) > 2 && tellingVerb(clause[1].lower) && clause[2].lower != "to" || len(clause) > 3 && clause[2].lower == "to" && clause[1].inPast()
	}
	for i, t := range clause {
		switch {
		case isCopula(t.lower) && i+1 < len(clause) && clause[i+1].lower == "to": // "the task is to"
			return false
		case isCopula(t.lower):
			return i > 0 && len(told(clause[:i])) > 0 && len(told(clause[i+1:])) > 0
		case i == 0 && isArticle(t.lower):
		case t.weight == 0 && (!isArticle(clause[0].lower) || !isPreposition(t.lower) && !isArticle(t.lower)), !isArticle(clause[0].lower) && i > 2:
			return false
		}
	}
	return false
}

func isCopula(w string) bool {
	switch w {
	case "is", "are", "was", "were", "has", "had", "will":
		return true
	}
	return false
}

// tellingVerb reports whether "I" and w begin what somebody tells of themselves.
func tellingVerb(w string) bool {
	switch w {
	case "am", "are", "was", "were", "have", "had", "like", "love", "hate", "prefer", "use", "live", "work", "own", "speak", "drive",
		"chose", "met", "bought", "grew", "went", "told", "said":
		return true
	}
	return strings.HasSuffix(w, "ed") && w != "need"
}

// joins reports whether a clause may begin after w.
func joins(w string) bool {
	switch w {
	case "and", "or", "but", "so", "then", "please":
		return true
	}
	return false
}

// seeks reports whether w makes a request of what is worded as a statement.
func seeks(w string) bool {
	switch w {
	case "want", "wanted", "need", "needed", "wish", "wonder", "wondered", "wondering", "would", "could", "should", "must", "can", "cannot", "may", "might", "please",
		"help", "look", "looking", "looked", "find", "finding", "know", "forgot", "forget", "lost", "miss", "missing", "problem", "problems", "question", "questions",
		"trouble", "idea", "hope", "hoping", "try", "trying", "tried", "unsure", "sure", "right", "correct", "or", "request", "task", "curious", "interested", "asked", "asking", "if", "whether", "let", "it", "them", "stuck", "due", "supposed":
		return true
	}
	return false
}
