package lang_test

import (
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/lang"
)

func TestDigitsAndMarksOfOtherScriptsAreWrittenAsLatinHasThem(t *testing.T) {
	for text, want := range map[string]string{
		"١٢٪ من ٨٤٠؟": "12% من 840?", "１２ × ３．５": "12 × 3.5", "१२ + ३": "12 + 3", "ＳＱＲＴ（２）": "SQRT(2)", "報告１.txt": "報告１.txt",
		"12 + 3": "12 + 3", "": "", "√2 · π": "√2 · π",
	} {
		if got := lang.ToLatin(text); got != want {
			t.Errorf("%q is written %q, want %q", text, got, want)
		}
	}
}

func TestWordsOfOtherScriptsAreLeftOut(t *testing.T) {
	for text, want := range map[string]string{
		"كم هو 12% of 840?":          "12% of 840",
		"12% של 840":                 "12% of 840 | 12% 840",
		"840の12%は?":                  "840 in 12% | 840 12% | 12% of 840",
		"сколько будет 2^10?":        "2^10",
		"5 km в miles":               "5 km in miles | 5 km miles",
		"π * 2":                      "",
		"12% of 840":                 "",
		"привет":                     "",
		`найди "привет" в main.go`:   `"привет" in main.go | "привет" main.go`,
		"покажи файл.txt":            "файл.txt",
		"तीन 3 + ४":                  "3 + ४",
		"Straße 12, ¿qué tal, señor": "",
	} {
		if got := strings.Join(lang.WithoutForeignScript(text), " | "); got != want {
			t.Errorf("%q leaves %q, want %q", text, got, want)
		}
	}
}
