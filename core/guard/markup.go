package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// markup finds what begins with < [ # or ! here.
func (p *injectionScanner) markup() (kind string, n int) {
	s := p.s[p.i:]
	switch s[0] {
	case '!':
		return kindImage, imageLen(s)
	case '<':
		if hasPrefixFold(s, "<img ") {
			return kindImage, imageTagLen(s)
		}
	}
	return kindHeader, headerLen(s, p.newline)
}

// headerLen returns the length of what begins a message in the formats that
// models are given. Those that people write about too count at the start of a
// line, or with the name of a speaker behind them.
func headerLen(s string, newline bool) int {
	for _, open := range [...]string{"<|im_start|>", "<|start_header_id|>", "<start_of_turn>", "<|start|>"} {
		if rest, ok := strings.CutPrefix(s, open); ok {
			if n := speakerLen(rest); n > 0 {
				return len(open) + n
			}
			return 0
		}
	}
	if !newline {
		return 0
	}
	for _, open := range [...]string{"<|system|>", "<|user|>", "<|assistant|>", "<|developer|>", "<｜User｜>", "<｜Assistant｜>", "<<SYS>>", "[INST]", "[SYSTEM_PROMPT]"} {
		if hasPrefixFold(s, open) {
			return len(open)
		}
	}
	for _, open := range [...]string{"<system>", "<system_prompt>", "<system-message>", "[system]", "[system message]"} {
		if hasPrefixFold(s, open) && ordersAhead(s[len(open):]) {
			return len(open)
		}
	}
	if s[0] != '#' {
		return 0
	}
	title := strings.TrimLeft(s[:min(len(s), 8)], "#")
	n := min(len(s), 8) - len(title)
	rest := strings.TrimLeft(s[n:min(len(s), n+24)], " ")
	for _, name := range [...]string{"system:", "instruction:", "assistant:", "human:", "system prompt:", "new system prompt:"} {
		if hasPrefixFold(rest, name) {
			return strings.IndexByte(s, ':') + 1
		}
	}
	return 0
}

// speakerLen returns the length of the name of a speaker that s begins with.
func speakerLen(s string) int {
	for _, name := range [...]string{"system", "user", "assistant", "developer", "tool", "model", "ipython"} {
		if hasPrefixFold(s, name) && (len(s) == len(name) || !isWordByte(s[len(name)])) {
			return len(name)
		}
	}
	return 0
}

// ordersAhead reports whether s begins as one speaks to a model.
func ordersAhead(s string) bool {
	s = strings.TrimLeft(s[:min(len(s), 40)], " \t\r\n:")
	for _, open := range [...]string{"you are ", "you must ", "you will ", "you should ", "your task", "your new ", "ignore ", "disregard ", "forget ", "override "} {
		if hasPrefixFold(s, open) {
			return true
		}
	}
	return false
}

// imageLen returns the length of ![...](address) at the start of s, if the
// address carries data away.
func imageLen(s string) int {
	if !strings.HasPrefix(s, "![") {
		return 0
	}
	alt := strings.IndexByte(s[:min(len(s), 200)], ']')
	if alt < 0 || !strings.HasPrefix(s[alt:], "](") {
		return 0
	}
	open := alt + len("](")
	if !isRemote(s[open:]) {
		return 0
	}
	end := strings.IndexByte(s[open:min(len(s), open+2048)], ')')
	if end < 0 || !carriesData(s[open:open+end]) {
		return 0
	}
	return open + end + 1
}

// imageTagLen is imageLen for <img src="address">.
func imageTagLen(s string) int {
	end := strings.IndexByte(s[:min(len(s), 2048)], '>')
	if end < 0 {
		return 0
	}
	src := strings.Index(s[:end], "src=")
	if src < 0 {
		return 0
	}
	address := strings.TrimLeft(s[src+len("src="):end], `"' `)
	if n := strings.IndexAny(address, "\"' \t"); n >= 0 {
		address = address[:n]
	}
	if !carriesData(address) {
		return 0
	}
	return end + 1
}

// carriesData reports whether the query of an address holds a mark, a gap to be
// filled in, or much text. Badges and signed addresses hold neither.
func carriesData(address string) bool {
	_, query, ok := strings.Cut(address, "?")
	if !ok || !isRemote(address) || strings.Contains(address, "\n") {
		return false
	}
	if holdsMark(query, 0, len(query)) || strings.ContainsAny(query, "{}[]<>") || strings.Contains(query, "$(") {
		return true
	}
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		name, value, _ := strings.Cut(pair, "=")
		words := strings.Count(value, "%20") + strings.Count(value, "+") + strings.Count(value, "%0A")
		switch strings.ToLower(name) {
		case "d", "data", "q", "c", "content", "text", "msg", "message", "payload", "leak", "secret", "secrets", "conversation", "history",
			"chat", "prompt", "context", "env", "dump", "stolen", "exfil", "info", "password", "key", "body":
			if words >= 2 || len(value) >= 32 || isGap(value) {
				return true
			}
		default:
			if words >= 6 {
				return true
			}
		}
	}
	return false
}

func isRemote(address string) bool {
	return hasPrefixFold(address, "http://") || hasPrefixFold(address, "https://") || strings.HasPrefix(address, "//")
}

// isGap reports whether v is a name in capitals, for the model to fill in.
func isGap(v string) bool {
	return len(v) >= 4 && strings.ToUpper(v) == v && strings.Trim(v, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
}

func isZeroWidth(r rune) bool {
	switch r {
	case '\u200b', '\u200c', '\u200d', '\u2060', '\u2061', '\u2062', '\u2063', '\u2064', '\ufeff', '\u180e', '\u00ad':
		return true
	}
	return false
}

func isTag(r rune) bool { return r >= 0xe0000 && r <= 0xe007f }

func isSelector(r rune) bool { return r >= 0xe0100 && r <= 0xe01ef || r >= 0xfe00 && r <= 0xfe0f }

// unseen returns the length of what is not seen at s[i:], and whether it is a
// finding: letters
// of the block of tags but for those of flags, several variation selectors or
// letters without width in a row, and what turns the direction of letters that
// are read from left to right. A single letter without width is no finding: web
// pages, emoji and many scripts have them.
func unseen(s string, i, from int) (n int, hidden bool) {
	const flag = "\U0001f3f4"
	end, tags, rest, zero := i, 0, 0, 0
	for end < len(s) {
		r, n := utf8.DecodeRuneInString(s[end:])
		switch {
		case isTag(r):
			tags++
		case isSelector(r):
			rest++
		case isZeroWidth(r):
			zero++
		default:
			if end == i && (r == '\u202d' || r == '\u202e' || r == '\u2067') && !rightToLeftAhead(s[i+n:]) {
				return n, true
			}
			n = 0
		}
		if n == 0 {
			break
		}
		end += n
	}
	switch {
	case tags > 0 && tags <= 7 && rest+zero == 0 && strings.HasSuffix(s[from:i], flag):
		return end - i, false
	}
	return end - i, tags > 0 || rest >= 4 || zero >= 4
}

// hiddenIn returns where text that is not seen begins in s[start:end], or start.
func hiddenIn(s string, start, end, from int) int {
	for i := start; i < end; i++ {
		if s[i] != 0xc2 && s[i] < 0xe1 || !utf8.RuneStart(s[i]) {
			continue
		}
		n, hidden := unseen(s, i, from)
		if hidden {
			return i
		}
		i += max(n, 1) - 1
	}
	return start
}

// rightToLeftAhead reports whether the next letter is of a script that is read
// from right to left.
func rightToLeftAhead(s string) bool {
	for i, r := range s[:min(len(s), 32)] {
		if unicode.IsLetter(r) && i < 32 {
			return unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko)
		}
	}
	return false
}
