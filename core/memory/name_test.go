package memory_test

import (
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/memory"
)

func TestTheNameOfSomebodyIsToldHoweverItIsAskedFor(t *testing.T) {
	for _, said := range []string{"my wife's name is Clara", "my wife is called Clara", "the name of my wife is Clara"} {
		s := open(t)
		say(t, s, said)
		for _, question := range []string{"what is my wife called?", "what's my wife's name?", "who is my wife?", "what is the name of my wife?"} {
			if _, text := ask(t, memory.NewRecaller(s, "m", nil), question); !strings.Contains(text, "Clara") {
				t.Errorf("%s, %s %q", said, question, text)
			}
		}
	}
}

func TestThatThereIsSomethingTellsNoNameOfIt(t *testing.T) {
	for said, question := range map[string]string{
		"we have a dog": "what's the name of our dog?", "our team has a mascot since May": "what is our mascot called?",
		"wir haben einen Hund": "wie heißt unser Hund?", "tenemos un perro": "¿cómo se llama nuestro perro?",
	} {
		s := open(t)
		say(t, s, said)
		if _, text := ask(t, memory.NewRecaller(s, "m", nil), question); text != "" && !strings.Contains(text, "othing") && !strings.Contains(text, "ichts") && !strings.Contains(text, "nada") {
			t.Errorf("%s, %s %q", said, question, text)
		}
	}
	for said, question := range map[string]string{
		"we have a dog named rex": "what's the name of our dog?", "we adopted a dog, Rex, from the shelter": "what is our dog called?", "our dog Rex is 4": "what's our dog called?",
		"unser Hund ist Rex": "wie heißt unser Hund?", "our server is rex": "what is our server called?",
	} {
		s := open(t)
		say(t, s, said)
		if _, text := ask(t, memory.NewRecaller(s, "m", nil), question); !strings.Contains(strings.ToLower(text), "rex") {
			t.Errorf("%s, %s %q", said, question, text)
		}
	}
}

func TestWhoSaysWhoTheyAreInAnyWordsIsToldTheirName(t *testing.T) {
	for said, question := range map[string]string{
		"I'm Philippa, and I work at a bakery":          "what's my name?",
		"hi, Philippa here":                             "what is my name?",
		"signed Philippa (that's me)":                   "do you know my name?",
		"call me Philippa":                              "what's my name, do you know?",
		"everyone calls me philippa":                    "what's my name?",
		"I go by Philippa":                              "what's my name again?",
		"this is Philippa from accounting":              "what's my name?",
		"you can call me Philippa, I do frontend":       "what is my name?",
		"ich bin Philippa, Backend-Entwickler bei Otto": "wie heiße ich?",
		"hier ist Philippa":                             "wie ist mein Name?",
		"alle nennen mich philippa":                     "wie heiße ich?",
		"soy Philippa, diseñadora en Bilbao":            "¿cómo me llamo?",
		"me llamo Philippa y trabajo en Correos":        "¿cómo me llamo?",
		"llámame Philippa":                              "¿cuál es mi nombre?",
	} {
		s := open(t)
		say(t, s, said, "the office is in Kassel")
		if _, text := ask(t, memory.NewRecaller(s, "m", nil), question); !strings.Contains(strings.ToLower(text), "philippa") {
			t.Errorf("%s %s: %q", said, question, text)
		}
	}
	for said, question := range map[string]string{
		"this is Tom's mug": "what's my name?", "I am in Bonn": "what's my name?", "I'm from Leeds": "what am I called?", "my boss is Ada": "what's my name?",
		"ich bin aus Bonn": "wie heiße ich?", "mein Hund ist Rex": "wie heiße ich?", "soy de Lugo": "¿cómo me llamo?",
	} {
		s := open(t)
		say(t, s, said)
		if _, text := ask(t, memory.NewRecaller(s, "m", nil), question); text != "" && !strings.Contains(text, "othing") && !strings.Contains(text, "ichts") && !strings.Contains(text, "nada") {
			t.Errorf("%s %s: %q", said, question, text)
		}
	}
}
