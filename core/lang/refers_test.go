package lang

import "testing"

func TestWhatStandsForSomethingInTheSameTextRefersToNothingBefore(t *testing.T) {
	for text, want := range map[string]bool{
		"when will Ivy leave if she starts now?":       false,
		"list the authors with their commits":          false,
		"the parcels and their weights":                false,
		"when does a train that is late arrive?":       false,
		"when did I say that I leave?":                 false,
		"did I mention that the gate is open?":         false,
		"is that the last one?":                        true,
		"when does she leave?":                         true,
		"what are their commits?":                      true,
		"is that more than 10 km?":                     true,
		"and how long ago was that?":                   true,
		"who made that commit?":                        true,
		"Ivy starts now; how long is that in minutes?": true,
	} {
		if _, n := AllPhrases().Refers(Lex(text), false); (n > 0) != want {
			t.Errorf("%q refers to what was said before: %v", text, n > 0)
		}
	}
}
