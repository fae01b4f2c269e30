package plain

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core/lang"
)

//go:embed replies.txt
var sharedReplies string

// Translator translates the texts of answers, which are written in English, into the language
// of a question. The zero one, and a text without a translation, stay English.
type Translator struct {
	Language string // de, es, or empty for English
	Words    map[string]string
}

// NewTranslators parses translations, by the id of their language. A line is a text in
// English, German and Spanish, with " | " between.
func NewTranslators(replies string) map[string]Translator {
	translators := map[string]Translator{"de": {"de", map[string]string{}}, "es": {"es", map[string]string{}}}
	for line := range strings.Lines(sharedReplies + replies) {
		if texts := strings.Split(strings.TrimSuffix(line, "\n"), " | "); len(texts) == 3 {
			translators["de"].Words[texts[0]], translators["es"].Words[texts[0]] = texts[1], texts[2]
		}
	}
	return translators
}

// TranslatorFor returns the translator for the language of a question; of one word, English.
func TranslatorFor(translators map[string]Translator, question string) Translator {
	if !strings.Contains(question, " ") {
		return Translator{}
	}
	return translators[lang.Of(strings.TrimPrefix(question, "du ")).ID] // which is a command, and German for you
}

// IsEnglish reports whether a text has an English function word or question word.
func IsEnglish(text string) bool {
	en := lang.Languages()[0]
	return slices.ContainsFunc(lang.Words(text), func(w string) bool { return en.Has(lang.Function, w) || en.Has(lang.Question, w) })
}

// Say translates a format and fills it in.
func (v Translator) Say(format string, args ...any) string {
	if text, ok := v.Words[format]; ok {
		format = text
	}
	return fmt.Sprintf(format, args...)
}

// Count is a number with the translated noun: many is its English plural.
func (v Translator) Count(n int, many string) string {
	if n == 1 {
		many = strings.TrimSuffix(strings.NewReplacer("entries", "entry", "branches", "branch", "stashes", "stash").Replace(many), "s")
	}
	return fmt.Sprintf("%d %s", n, v.Say(many))
}
