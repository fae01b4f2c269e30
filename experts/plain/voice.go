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

// Voice says texts, which are written in English, in the language of a question.
// The zero one speaks English, as it does what it has no words for.
type Voice struct {
	Language string // de, es, or empty for English
	Words    map[string]string
}

// NewVoices reads the texts of answers. A line is a text in English, with what
// it is in German and in Spanish behind " | ".
func NewVoices(replies string) map[string]Voice {
	voices := map[string]Voice{"de": {"de", map[string]string{}}, "es": {"es", map[string]string{}}}
	for line := range strings.Lines(sharedReplies + replies) {
		if texts := strings.Split(strings.TrimSuffix(line, "\n"), " | "); len(texts) == 3 {
			voices["de"].Words[texts[0]], voices["es"].Words[texts[0]] = texts[1], texts[2]
		}
	}
	return voices
}

// VoiceFor returns the voice that answers a question. One word tells no language.
func VoiceFor(voices map[string]Voice, question string) Voice {
	if !strings.Contains(question, " ") {
		return Voice{}
	}
	return voices[lang.Of(strings.TrimPrefix(question, "du ")).ID] // which is a command, and German for you
}

// English reports whether a text has one of the words that say little and are English, which
// tell that it is.
func English(text string) bool {
	en := lang.Languages()[0]
	return slices.ContainsFunc(lang.Words(text), func(w string) bool { return en.Has(lang.Function, w) || en.Has(lang.Question, w) })
}

// Say fills a text in.
func (v Voice) Say(format string, args ...any) string {
	if text, ok := v.Words[format]; ok {
		format = text
	}
	return fmt.Sprintf(format, args...)
}

// Count says how many there are of what many names.
func (v Voice) Count(n int, many string) string {
	if n == 1 {
		many = strings.TrimSuffix(strings.NewReplacer("entries", "entry", "branches", "branch", "stashes", "stash").Replace(many), "s")
	}
	return fmt.Sprintf("%d %s", n, v.Say(many))
}
