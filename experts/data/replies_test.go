package data

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/experts/expertstest"
)

func TestEveryAnswerIsGivenInEveryLanguage(t *testing.T) { expertstest.Replies(t, translators()) }

func TestADateThatMayMeanAnotherDayIsSaidToBeRead(t *testing.T) {
	dir := t.TempDir()
	expertstest.Write(t, dir, map[string]string{"o.csv": "ref,sent,qty\na,03/04/2026,2\nb,05/06/2026,3\n", "p.csv": "ref,sent,qty\na,13/04/2026,2\nb,05/06/2026,3\n"})
	for question, said := range map[string]bool{"qty in o.csv by month of sent": true, "total qty per month in o.csv": true, "total qty per month in p.csv": false, "total qty in o.csv": false} {
		if got := expertstest.Ask(t, New(dir), question).Message; strings.Contains(got, "05/06/2026 is taken for 2026-06-05") != said {
			t.Errorf("%s: %s", question, got)
		}
	}
}

func TestAnAnswerIsGivenInTheLanguageOfItsQuestion(t *testing.T) {
	e := New(filepath.Join("testdata", "plots"))
	for question, want := range map[string]string{
		"Wer zahlt am meisten Pacht?":                       "**Kerstin Wohlrab** mit 192.96 €: höchster Wert von Summe von Pacht nach Pächter in parzellen.csv",
		"Welche Parzellen haben keinen Pächter?":            "**2** Zeilen in parzellen.csv mit Pächter leer",
		"Wer hat Parzelle 12?":                              "**Keine Zeilen**: Pächter in parzellen.csv mit Parzelle = 12",
		"Wie hoch ist die gesamte Pacht?":                   "Summe von Pacht in parzellen.csv",
		"¿cuál es la suma de Pacht?":                        "suma de Pacht en parzellen.csv",
		"wie viele Parzellen Summe der Pacht":               "Ist das eine Zahl von Zeilen oder Summe von Pacht?",
		"Durchschnitt der Pacht Fläche":                     "Geht es um `Pacht` oder um `Fläche_m2`?",
		"show rows of parzellen.csv where Pächter is empty": "in parzellen.csv where Pächter is empty",
	} {
		if got := expertstest.Ask(t, e, question); !strings.Contains(got.Message, want) {
			t.Errorf("%s: %q, want %q", question, got.Message, want)
		}
	}
}
