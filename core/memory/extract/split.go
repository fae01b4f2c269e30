package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// form is how a part of a text is written.
type form uint8

const (
	prose  form = iota
	item        // of a list
	task        // of a list, not ticked off
	ticked      // of a list, ticked off
	row         // of a table
	heading
	code
)

// sentence is a part of a text with the facts in it.
type sentence struct {
	text   string // with single blanks
	form   form
	lo, hi int // its facts in those of the document
}

// document is a text in its parts.
type document struct {
	sentences []sentence
	spans     []span
}

func (d *document) facts(s sentence) []span { return d.spans[s.lo:s.hi] }

// parse takes a text apart and finds its facts.
func parse(text string) *document {
	d := &document{}
	sc := scanner{german: isGerman(text), plain: map[string]struct{}{}}
	blocks(text, func(block string, f form) {
		sentences(block, f, sc.german, func(part string) {
			lo := len(sc.out)
			sc.scan(part)
			d.sentences = append(d.sentences, sentence{text: part, form: f, lo: lo, hi: len(sc.out)})
		})
	})
	d.spans = sc.out
	d.settle(sc.plain)
	return d
}

// settle drops the names that are in doubt: one that begins a sentence and is
// written small elsewhere, and one that is never a name without doubt.
func (d *document) settle(plain map[string]struct{}) {
	names := map[string]bool{}
	d.keep(func(word string, f span) bool {
		if f.kind == name && f.doubt == first && f.words == 1 {
			if _, small := plain[strings.ToLower(word)]; small {
				return false
			}
		}
		if f.kind == name && f.doubt != noun {
			names[word] = true
		}
		return true
	})
	d.keep(func(word string, f span) bool { return f.kind != name || f.doubt != noun || names[word] })
}

// keep drops the facts that keep refuses.
func (d *document) keep(keep func(word string, f span) bool) {
	n := 0
	for i := range d.sentences {
		s := &d.sentences[i]
		lo := n
		for _, f := range d.spans[s.lo:s.hi] {
			if keep(s.text[f.start:f.end], f) {
				d.spans[n] = f
				n++
			}
		}
		s.lo, s.hi = lo, n
	}
	d.spans = d.spans[:n]
}

// fold makes runs of blanks and control characters one blank, and the text
// valid.
func fold(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	foldTo(&b, text, len(text))
	return b.String()
}

// foldTo folds text until it has more than limit runes and returns how many.
func foldTo(b *strings.Builder, text string, limit int) int {
	n, gap := 0, false
	for _, r := range text {
		if unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u200b' || r == '\ufeff' {
			gap = n > 0
			continue
		}
		if gap {
			b.WriteByte(' ')
			n++
			gap = false
		}
		b.WriteRune(r)
		if n++; n > limit {
			break
		}
	}
	return n
}

// Bounds of parts, in bytes.
const (
	maxBlock = 8192 // of lines joined to a paragraph
	wrapped  = 50   // a line from here on may go on in the next
)

// blocks calls yield with the paragraphs, list items, rows and lines of code of
// a text, folded and without their marks.
func blocks(text string, yield func(string, form)) {
	var open strings.Builder
	kind, last, fenced := prose, "", false
	flush := func() {
		if open.Len() > 0 {
			yield(open.String(), kind)
			open.Reset()
		}
	}
	for raw := range strings.Lines(text) {
		line := fold(raw)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			flush()
			fenced = !fenced
			continue
		}
		body, f := mark(line, raw, fenced)
		if open.Len() > 0 && open.Len() < maxBlock && f == prose && kind <= task && goesOn(last, body) {
			open.WriteByte(' ')
		} else {
			flush()
			kind = f
		}
		open.WriteString(body)
		last = body
	}
	flush()
}

// goesOn says whether a line of prose is the rest of the one before, and not
// one of its own as in a log.
func goesOn(last, line string) bool {
	word, _, _ := strings.Cut(line, " ")
	return word != "" && len(last) >= wrapped && last[:4] != line[:min(4, len(line))] && !strings.HasSuffix(last, ":") &&
		!strings.HasSuffix(word, ":") && !strings.Contains(word, "=")
}

// mark tells the form of a line and takes its mark off.
func mark(line, raw string, fenced bool) (string, form) {
	if !strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		if fenced || len(line) > 3 || strings.Trim(line, "-=_*|:#>+ ") == "" {
			return "", prose
		}
		return line, prose
	}
	if fenced {
		return line, code
	}
	for strings.HasPrefix(line, "> ") {
		line = line[2:]
	}
	if rest, ok := bullet(line); ok {
		switch {
		case strings.HasPrefix(rest, "[ ] "):
			return rest[4:], task
		case strings.HasPrefix(rest, "[x] "), strings.HasPrefix(rest, "[X] "):
			return rest[4:], ticked
		}
		return rest, item
	}
	switch {
	case strings.HasPrefix(raw, "\t"), strings.HasPrefix(raw, "    "), logged(line):
		return line, code
	case line[0] == '#':
		if rest := strings.TrimLeft(line, "#"); rest[0] == ' ' {
			return rest[1:], heading
		}
	case line[0] == '|', strings.Count(line, " | ") > 1:
		return cells(line), row
	}
	return line, prose
}

// logged says whether a line is of a shell or of a log.
func logged(line string) bool {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "$", "DEBUG:", "INFO:", "WARN:", "WARNING:", "ERROR:", "FATAL:", "PANIC:", "DETAIL:", "HINT:", "TRACE:":
		return true
	}
	return isDate(word) && len(rest) > 2 && digit(rune(rest[0])) && strings.IndexByte(rest[:3], ':') > 0 || strings.HasPrefix(word, "time=")
}

// bullet takes the mark of a list item off.
func bullet(line string) (string, bool) {
	mark, rest, ok := strings.Cut(line, " ")
	if !ok {
		return line, false
	}
	switch mark {
	case "-", "*", "+", "•", "–":
		return rest, true
	}
	n := strings.TrimRight(mark, ".)")
	return rest, n != mark && len(n) > 0 && len(n) < 3 && strings.Trim(n, "0123456789") == ""
}

// cells joins the cells of a row of a table.
func cells(line string) string {
	var b strings.Builder
	for cell := range strings.SplitSeq(line, "|") {
		if cell = strings.TrimSpace(cell); cell == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(" | ")
		}
		b.WriteString(cell)
	}
	return b.String()
}

// sentences calls yield with the sentences of a block.
func sentences(block string, f form, german bool, yield func(string)) {
	if f == code || f == row {
		yield(block)
		return
	}
	start := 0
	emit := func(end int) {
		if s := strings.TrimSpace(block[start:end]); s != "" {
			yield(s)
		}
		start = end
	}
	for i := 0; i < len(block); {
		r, size := utf8.DecodeRuneInString(block[i:])
		i += size
		switch r {
		case '。', '！', '？':
			emit(i)
		case '.', '!', '?', '…':
			end := i
			for end < len(block) && strings.IndexByte(".!?\"')]*", block[end]) >= 0 {
				end++
			}
			if end < len(block) && block[end] == ' ' && (r != '.' || end > i || fullStop(block[start:i-1], block[end+1:], german)) {
				emit(end)
				i = end
			}
		}
	}
	emit(len(block))
}

// fullStop says whether the dot after before ends a sentence.
func fullStop(before, after string, german bool) bool {
	word := before[strings.LastIndexByte(before, ' ')+1:]
	word = strings.TrimLeft(word, "([\"'")
	if utf8.RuneCountInString(word) < 2 && !digits(word) || is("abbreviation", strings.ToLower(word)) {
		return false
	}
	if digits(word) && len(word) <= 2 {
		next, _, _ := strings.Cut(after, " ")
		first, _ := utf8.DecodeRuneInString(after)
		return !german && !month(next) && unicode.IsUpper(first)
	}
	return true
}

func digits(word string) bool { return word != "" && strings.Trim(word, "0123456789") == "" }

// least is how many runes a clause has before it may be cut off.
const least = 24

// clauses calls yield with the parts of a sentence of at most about limit
// runes: cut at punctuation if possible, else at a blank, never within a fact.
// A word longer than limit stays whole.
func clauses(text string, facts []span, limit int, yield func(start, end int)) {
	start, good, blank := 0, 0, 0 // offsets; good and blank are where it could be cut
	length, goodAt, blankAt := 0, 0, 0
	fact := 0
	for i, r := range text {
		for fact < len(facts) && facts[fact].end <= i {
			fact++
		}
		if i > start && (fact == len(facts) || i <= facts[fact].start) {
			before, _ := utf8.DecodeLastRuneInString(text[:i])
			switch {
			case length >= least && clauseEnd(text, i, before):
				good, goodAt = i, length
			case before == ' ' || unspaced(before) || unspaced(r) || strings.ContainsRune(",;{}[]()<>|", before) && !digit(r):
				blank, blankAt = i, length
			}
		}
		length++
		if length <= limit {
			continue
		}
		if cut, at := good, goodAt; cut > start || blank > start {
			if cut <= start {
				cut, at = blank, blankAt
			}
			yield(start, cut)
			start = cut
			length -= at
			goodAt -= at
			blankAt -= at
		}
	}
	if start < len(text) {
		yield(start, len(text))
	}
}

// clauseEnd says whether a clause may end before the word at i.
func clauseEnd(text string, i int, before rune) bool {
	if before != ' ' {
		return strings.ContainsRune("，、；：", before)
	}
	if strings.IndexByte(",;:", text[i-2]) >= 0 {
		return true
	}
	for _, start := range []string{"- ", "– ", "— ", "-> ", "→ ", "and ", "but ", "because ", "so ", "und ", "aber ", "weil ", "sondern "} {
		if strings.HasPrefix(text[i:], start) {
			return true
		}
	}
	return false
}
