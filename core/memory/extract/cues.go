package extract

import "strings"

// says says whether a phrase of one of the sets stands in text, in lower case, as
// whole words.
func says(text string, sets ...string) bool {
	for _, set := range sets {
		for p := range words()[set] {
			if strings.Contains(text, p) && stands(text, p) {
				return true
			}
		}
	}
	return false
}

// decides says whether a sentence, in lower case, tells of a decision.
func decides(text string) bool {
	if strings.HasSuffix(text, "?") || says(text, "undecided") {
		return false
	}
	return says(text, "decision") || says(text, "instead") && says(text, "change")
}

// polite says whether a sentence is there for the sake of politeness.
func polite(text string) bool {
	first, _, _ := strings.Cut(strings.ToLower(text[:min(len(text), 120)]), " ")
	return is("polite", strings.TrimRight(first, ",!."))
}
