package store

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/lang"
)

// filter is what entries have to be, whatever words they hold.
type filter struct {
	where string // a condition on entry; each part of it begins with AND
	args  []any
}

func (f filter) empty() bool { return f.where == "" }

func (f *filter) and(condition string, args ...any) {
	f.where += " AND " + condition
	f.args = append(f.args, args...)
}

// inText finds a filter, or what stands between quotes, where none is.
var inText = regexp.MustCompile(`"[^"]*"|(?i)(^|\s)(from|before|after|tag|role):("[^"]*"|\S*)`)

// filters reads the filters of a question, and returns the rest of it:
// from:NAME (who said it: me, you, or one whose name stands before what was said),
// role:user, before:DAY and after:DAY (without that day), tag:KEY, tag:VALUE or
// tag:KEY=VALUE. A value with blanks stands between quotes. What stands between
// quotes is no filter.
func filters(text string, now time.Time) (f filter, rest string, err error) {
	var b strings.Builder
	at := 0
	for _, m := range inText.FindAllStringSubmatchIndex(text, -1) {
		if m[4] < 0 { // between quotes
			continue
		}
		b.WriteString(text[at:m[0]] + " ")
		at = m[1]
		name, value := strings.ToLower(text[m[4]:m[5]]), strings.Trim(strings.TrimSuffix(text[m[6]:m[7]], "*"), `"`)
		if err := f.take(name, strings.TrimSpace(value), now); err != nil {
			return f, "", err
		}
	}
	b.WriteString(text[at:])
	return f, b.String(), nil
}

func (f *filter) take(name, value string, now time.Time) error {
	examples := map[string]string{
		"from": "from:ada, from:me or from:you", "role": "role:user, role:assistant, role:system or role:tool",
		"before": "before:2026-03-01, before:march or before:yesterday", "after": "after:2026-03-01, after:march or after:yesterday",
		"tag": "tag:topic, tag:billing or tag:topic=billing",
	}
	wrong := func(why string) error {
		return core.Fail(core.CodeInvalid, fmt.Sprintf("the filter %s: %s", name, why),
			"write "+examples[name]+", without a blank after the colon; between quotes it is searched for")
	}
	if value == "" {
		return wrong("has no value")
	}
	lower := strings.ToLower(value)
	switch name {
	case "from":
		switch lower {
		case "me", "user":
			f.and("role = 'user'")
		case "you", "yaap", "assistant":
			f.and("role = 'assistant'")
		default:
			f.and(`(raw LIKE ? ESCAPE '\' OR raw LIKE ? ESCAPE '\' AND instr(substr(raw, 1, 60), ':') > 0 OR `+tagged+` AND lower(value) = ?))`,
				like(lower)+":%", like(lower)+" %:%", lower)
		}
	case "role":
		switch lower {
		case "me":
			lower = "user"
		case "you":
			lower = "assistant"
		case "user", "assistant", "system", "tool":
		default:
			return wrong("does not know " + value)
		}
		f.and("role = ?", lower)
	case "before", "after":
		p, ok := lang.PeriodIn(value, now)
		if !ok {
			return wrong("takes a day, and " + value + " is none")
		}
		if name == "before" {
			f.and("created_us < ?", p.From.UnixMicro())
		} else {
			f.and("created_us >= ?", p.To.UnixMicro())
		}
	case "tag":
		key, is, both := strings.Cut(lower, "=")
		if !both {
			is = key
			f.and(tagged+" AND (lower(key) = ? OR lower(value) = ?))", key, is)
		} else {
			f.and(tagged+" AND lower(key) = ? AND lower(value) = ?)", key, is)
		}
	}
	return nil
}

// tagged is the beginning of a condition on the tags of an entry, as they were last set.
const tagged = `EXISTS (SELECT 1 FROM (
	SELECT key, value FROM json_each(entry.tags) WHERE key NOT IN (SELECT key FROM entry_tag WHERE entry_tag.seq = entry.seq)
	UNION ALL SELECT key, value FROM entry_tag WHERE entry_tag.seq = entry.seq AND value <> '') WHERE true`

// like is a text in a pattern of LIKE, whose escape is \.
func like(text string) string {
	return strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(text)
}
