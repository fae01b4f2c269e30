package guard

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// The instructions that are found are data: a wording is a line of this file.
//
//go:embed rules/injection.tsv
var injectionFile string

// findInjection returns the instructions in s that are meant for a model, in
// order, each as far as its sentence goes, and text that is not seen.
//
// They count as orders only: "users try to ignore previous instructions", "we
// never tell the user" and names such as ignore_previous_instructions are talk.
// The wording itself is found between quotes too, unless it is only mentioned:
// nothing else is between the quotes, and a word such as "like" or "phrase" is
// before them. What a user may well say is not found: "ignore my previous
// instructions".
func findInjection(s string) []Finding {
	r := injectionRules()
	found := findUnseen(s)
	seen, at := s, []int(nil)
	if found != nil || mayHideLetters(s) {
		seen, at = withoutUnseen(s)
	}
	for _, f := range r.find(seen) {
		if at != nil {
			f.Start, f.End = at[f.Start], at[f.End-1]+1
		}
		found = append(found, f)
	}
	return inOrder(found)
}

// inOrder sorts findings, and drops those that begin within another.
func inOrder(found []Finding) []Finding {
	if len(found) < 2 {
		return found
	}
	slices.SortStableFunc(found, func(a, b Finding) int { return a.Start - b.Start })
	kept := found[:1]
	for _, f := range found[1:] {
		last := &kept[len(kept)-1]
		if f.Start >= last.End {
			kept = append(kept, f)
		} else if f.End > last.End {
			last.End = f.End
		}
	}
	return kept
}

// injectionSet is the embedded data as the search asks for it.
type injectionSet struct {
	begins  map[string][]injectionRule     // by the word that an instruction begins with
	lengths lengths                        // of those words
	marks   [utf8.RuneSelf][]injectionRule // by the first byte of what a mark begins with
	addressed, notOrder, notForbidden,
	cites *regexp.Regexp // what is before an instruction
}

type injectionRule struct {
	kind, how string
	begin     string                // of a mark
	pattern   *regexp.Regexp        // of what follows the word, or of the mark
	mentioned func() *regexp.Regexp // the pattern, and the quote behind it
}

const (
	betweenWords = "[\\s,*\"'`’“”()>-]{1,9}"
	anyQuote     = "[\"'`“”„‘’«»]"
)

//nolint:gochecknoglobals // parsed once from the embedded file, and never changed
var injectionRules = sync.OnceValue(readInjectionRules)

func readInjectionRules() *injectionSet {
	r := &injectionSet{begins: map[string][]injectionRule{}}
	t := readTable(injectionFile)
	t.replaces = append(t.replaces, " ", betweenWords)
	compile := func(pattern string) *regexp.Regexp { return t.compile("(?i)" + pattern) }
	for _, f := range t.rows {
		rule := injectionRule{kind: f[0], how: f[1], pattern: compile("^(?:" + f[3] + ")"), mentioned: sync.OnceValue(func() *regexp.Regexp { return compile("^(?:" + f[3] + ")" + anyQuote) })}
		for _, begin := range strings.Fields(f[2]) {
			if c := begin[0]; !isWordByte(c) && c != '{' {
				rule.begin = begin
				r.marks[c] = append(r.marks[c], rule)
				continue
			}
			list := t.words[strings.Trim(begin, "{}")]
			if list == nil {
				list = []string{begin}
			}
			for _, w := range list {
				r.begins[w] = append(r.begins[w], rule)
				r.lengths.add(w)
			}
		}
	}
	r.addressed = compile(`\byou (?:(?:{TO}|{SOFT}|{KNOW}) )*$`)
	r.notOrder = compile(`\b(?:{OTHER} (?:(?:{TO}|{SOFT}|{KNOW}) )*|{TO} (?:(?:{SOFT}|{KNOW}) )*)$`)
	r.notForbidden = compile(`\b(?:{FILL}|{SOFT}|you) (?:{TO} )*$`)
	r.cites = compile(`\b{CITE}\s*` + anyQuote + `$`)
	return r
}

// find finds the instructions in s, in which every letter is seen.
func (r *injectionSet) find(s string) []Finding {
	var found []Finding
	done := 0
	for i := 0; i < len(s); {
		end := max(wordEnd(s, i), i+1)
		f, ok := Finding{}, false
		if c := s[i]; isWordByte(c) {
			f, ok = r.order(s, i, end, done)
		} else if r.marks[c] != nil {
			f, ok = r.mark(s, i, done)
		}
		if ok {
			found = append(found, f)
			end, done = f.End, f.End
		}
		i = end
	}
	return found
}

// order finds the instruction that begins with the word s[start:end], as far as its sentence goes.
func (r *injectionSet) order(s string, start, end, done int) (Finding, bool) {
	var buf [16]byte
	if end-start > len(buf) || !r.lengths.has(s[start:end]) {
		return Finding{}, false
	}
	rules := r.begins[string(appendLower(buf[:0], s[start:end]))]
	if rules == nil {
		return Finding{}, false
	}
	before := clause(s[max(done, start-96):start])
	rest := s[end:min(len(s), end+200)]
	for _, rule := range rules {
		if !rule.pattern.MatchString(rest) || !r.counts(rule.how, before) || r.cites.MatchString(before) && rule.mentioned().MatchString(rest) {
			continue
		}
		at := rule.pattern.FindStringSubmatchIndex(rest)
		if len(at) > 2 && at[2] >= 0 {
			continue
		}
		return Finding{rule.kind, start, sentenceEnd(s, end+at[1])}, true
	}
	return Finding{}, false
}

// mark finds what begins with a mark at s[i]: a forged header, an image.
func (r *injectionSet) mark(s string, i, done int) (Finding, bool) {
	rest := s[i:min(len(s), i+2048)]
	for _, rule := range r.marks[s[i]] {
		if !strings.HasPrefix(rest, rule.begin) || rule.how == "line" && !beginsLine(s[max(done, i-64):i]) || !rule.pattern.MatchString(rest) {
			continue
		}
		at := rule.pattern.FindStringSubmatchIndex(rest)
		return Finding{rule.kind, i, i + at[len(at)-1]}, true
	}
	return Finding{}, false
}

// beginsLine reports whether nothing but blanks and marks of lists is before what comes next on its line.
func beginsLine(before string) bool {
	before = before[strings.LastIndexByte(before, '\n')+1:]
	return strings.Trim(before, " \t\r*#>-") == "" && !strings.HasSuffix(before, "#")
}

// counts reports whether what is before an instruction lets it be one: the reader is told to do it, rather than somebody else.
func (r *injectionSet) counts(how, before string) bool {
	bare := strings.TrimRight(before, "\"'`“„«‘")
	switch {
	case how == "always", strings.TrimSpace(before) == "", len(bare) < len(before):
		return true
	case how == "forbid":
		return r.notForbidden.MatchString(before)
	}
	return r.addressed.MatchString(before) || !r.notOrder.MatchString(before)
}

// clause is the part of before that belongs to the sentence that goes on behind it.
func clause(before string) string {
	for i := len(before) - 1; i >= 0; i-- {
		if strings.IndexByte(".!?;:]}{|=>", before[i]) >= 0 {
			return before[i+1:]
		}
		if before[i] != '\n' {
			continue
		}
		if rest := strings.TrimLeft(before[i+1:], " \t\r"); rest != "" && strings.IndexByte("\n-*#", rest[0]) >= 0 {
			return strings.TrimLeft(rest, "\n-*# ")
		}
	}
	return before
}

// wordEnd is where the word ends that begins at i: letters, digits, and dashes and apostrophes between them.
func wordEnd(s string, i int) int {
	end := i
	for i < len(s) {
		switch c := s[i]; {
		case isAlnum(c) || c == '_':
			i++
			end = i
		case (c == '-' || c == '\'') && i == end && i+1 < len(s) && isWordByte(s[i+1]):
			i++
		case c < utf8.RuneSelf:
			return end
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			if !unicode.IsLetter(r) && (r != '’' || i == 0 || i+n == len(s) || !isWordByte(s[i+n])) {
				return end
			}
			i += n
			end = i
		}
	}
	return end
}

// sentenceEnd returns where the sentence ends that s[end:] goes on with.
func sentenceEnd(s string, end int) int {
	i := end
	for limit := min(len(s), end+400); i < limit; i++ {
		switch s[i] {
		case '\n', '"', '`':
			return i
		case '.', '!', '?':
			if i+1 == len(s) || isSpace(s[i+1]) {
				return i + 1
			}
		}
	}
	for i < len(s) && i > end && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// mayHideLetters reports whether a character in s is not seen.
func mayHideLetters(s string) bool { return strings.ContainsFunc(s, isUnseen) }

func isUnseen(r rune) bool { return isZeroWidth(r) || isTag(r) || isSelector(r) }

func isZeroWidth(r rune) bool {
	return r == 0xad || r == 0x180e || r >= 0x200b && r <= 0x200d || r >= 0x2060 && r <= 0x2064 || r == 0xfeff
}

func isTag(r rune) bool { return r >= 0xe0000 && r <= 0xe007f }

func isSelector(r rune) bool { return r >= 0xe0100 && r <= 0xe01ef || r >= 0xfe00 && r <= 0xfe0f }

// withoutUnseen returns s without what is not seen, and where each of its bytes is in s.
func withoutUnseen(s string) (seen string, at []int) {
	b := make([]byte, 0, len(s))
	at = make([]int, 0, len(s))
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !isUnseen(r) {
			b = append(b, s[i:i+n]...)
			for k := range n {
				at = append(at, i+k)
			}
		}
		i += n
	}
	return string(b), at
}

// findUnseen finds text that is not seen: letters of the block of tags but for those of flags, several variation selectors or
// letters without width in a row, and what turns the direction of letters that are read from left to right. A single letter
// without width is no finding: web pages, emoji and many scripts have them.
func findUnseen(s string) []Finding {
	const flag = "\U0001f3f4"
	var found []Finding
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		start, tags, others := i, 0, 0
		for isUnseen(r) {
			if isTag(r) {
				tags++
			} else {
				others++
			}
			i += n
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		isFlag := tags <= 7 && others == 0 && strings.HasSuffix(s[:start], flag)
		if tags > 0 && !isFlag || others >= 4 {
			found = append(found, Finding{kindHidden, start, i})
		}
		if (r == '\u202d' || r == '\u202e' || r == '\u2067') && !rightToLeftAhead(s[i+n:]) {
			found = append(found, Finding{kindHidden, i, i + n})
		}
		i += n
	}
	return found
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
