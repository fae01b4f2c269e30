package text_test

import (
	"testing"

	"github.com/yaap-chat/yaap/core/text"
)

func TestABlockOfCodeIsEndedNeitherByItsTextNorByItsLanguage(t *testing.T) {
	for _, c := range []struct{ body, language, want string }{
		{"a = 1\n", "python", "```python\na = 1\n```"},
		{"a\n```\n# b", "text", "````text\na\n```\n# b\n````"},
		{"# b", "```x", "```\n# b\n```"},
	} {
		if got := text.Fenced(c.body, c.language); got != c.want {
			t.Errorf("%q of %q: %q, want %q", c.body, c.language, got, c.want)
		}
	}
}
