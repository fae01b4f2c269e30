package offline

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const maxPieces = 12 // of a prompt; what is beyond belongs to the last

// piece is what stands between two joints of a prompt.
type piece struct {
	start, end int   // byte offsets, without the words that join
	joint      joint // with the piece before
	tokens     []token
}

func (p piece) text(prompt string) string { return strings.TrimSpace(prompt[p.start:p.end]) }

// joint says how a piece hangs together with the one before.
type joint uint8

const (
	soft     joint = iota // and, also, a comma, a full stop
	hard                  // a question mark, a semicolon, a line of its own
	sequence              // then, after that
)

// cost is what cutting there takes off the worth of a segmentation.
func (p piece) cost() float64 {
	cost := 0.06
	if p.joint != soft {
		cost = 0.02
	}
	if language().begins("question", p.tokens) > 0 {
		cost -= 0.02
	}
	return cost
}

// How items of a list begin: in lines of their own, and numbered in one line.
var (
	bullet   = regexp.MustCompile(`(?m)^[ \t]*(?:[-*•]|\(?\d{1,2}[.):]|\(?[a-h]\))[ \t]+`)
	numbered = regexp.MustCompile(`(?:^|[ \t])\(?(?:(\d{1,2})[.)]|([a-h])\))[ \t]+`)
)

// unlist puts each item of a list on a line, without its bullet or number.
func unlist(prompt string) string {
	if items := numbered.FindAllStringSubmatchIndex(prompt, maxPieces); len(items) > 1 && !strings.Contains(prompt, "\n") && !strings.HasPrefix(prompt, "@") {
		for n, m := range items {
			if (m[2] < 0 || prompt[m[2]:m[3]] != strconv.Itoa(n+1)) && (m[4] < 0 || prompt[m[4]] != byte('a'+n)) {
				return prompt
			}
		}
		return strings.TrimSpace(numbered.ReplaceAllString(prompt, "\n"))
	}
	if strings.HasPrefix(prompt, "@") || len(bullet.FindAllString(prompt, 2)) < 2 {
		return prompt
	}
	return bullet.ReplaceAllString(prompt, "")
}

// cut finds every place where a prompt may be cut: at signs between sentences and
// lines, and at words that join. Nothing in quotes or brackets is cut, nor "3 and 4".
func cut(prompt string) []piece {
	tokens := lex(prompt)
	if len(tokens) == 0 {
		return []piece{{start: 0, end: len(prompt)}}
	}
	pieces := []piece{{start: opening(prompt, tokens[0]), end: len(prompt)}}
	first, depth := 0, 0
	for i := 1; i < len(tokens) && len(pieces) < maxPieces; i++ {
		gap := prompt[tokens[i-1].end:tokens[i].start]
		depth = max(0, depth+strings.Count(gap, "(")+strings.Count(gap, "[")-strings.Count(gap, ")")-strings.Count(gap, "]"))
		j, n, ok := jointAt(tokens, i, gap, prompt)
		if depth > 0 || !ok || i+n >= len(tokens) {
			continue
		}
		last := &pieces[len(pieces)-1]
		last.end, last.tokens = tokens[i-1].end+closing(gap), tokens[first:i]
		first = i + n
		pieces = append(pieces, piece{start: opening(prompt, tokens[first]), end: len(prompt), joint: j})
		i = first
	}
	pieces[len(pieces)-1].tokens = tokens[first:]
	return pieces
}

// jointAt reports whether token i begins a new piece, and how many words of
// joining stand before what it is about.
func jointAt(tokens []token, i int, gap, prompt string) (j joint, n int, ok bool) {
	next, _ := utf8.DecodeRuneInString(prompt[tokens[i].start:])
	switch {
	case strings.ContainsAny(gap, "?;\n"), strings.Contains(gap, "! "):
		j, ok = hard, true
	case strings.Contains(gap, ". ") && (unicode.IsUpper(next) || language().begins("question", tokens[i:]) > 0) &&
		(tokens[i-1].class != word || len(tokens[i-1].text) > 3):
		j, ok = hard, true
	case strings.Contains(gap, ","), tokens[i].lower == "&", tokens[i].lower == "-" && strings.HasPrefix(prompt[tokens[i].end:], " "):
		ok = true
		if tokens[i].class == sign {
			n = 1
		}
	}
	for i+n < len(tokens) {
		l := language()
		switch m := l.begins("then", tokens[i+n:]); {
		case m > 0 && (tokens[i+n].lower != "next" && tokens[i+n].lower != "finally" || ok):
			j, ok, n = sequence, true, n+m
			continue
		}
		m := l.begins("and", tokens[i+n:])
		if m == 0 || tokens[i+n].lower == "plus" && !ok && l.begins("question", tokens[i+n+m:]) == 0 {
			break
		}
		ok, n = true, n+m
	}
	if ok && j == soft && i+n < len(tokens) && bare(tokens[i-1]) && bare(tokens[i+n]) && endsAt(tokens, i+n, prompt) {
		return 0, 0, false // "3 and 4", "1, 2"
	}
	return j, n, ok
}

// endsAt reports whether token i ends what it belongs to.
func endsAt(tokens []token, i int, prompt string) bool {
	return i+1 == len(tokens) || strings.ContainsAny(prompt[tokens[i].end:tokens[i+1].start], ",;?\n") || language().begins("and", tokens[i+1:]) > 0
}

// bare reports whether a token is a number, a file or the like, which stands for
// nothing alone.
func bare(t token) bool { return t.class != word && t.class != sign }

// closing is how much of the gap belongs to what is before it.
func closing(gap string) int {
	n := 0
	for _, r := range gap {
		if !strings.ContainsRune("?!)]}'\"”’…", r) {
			break
		}
		n += utf8.RuneLen(r)
	}
	return n
}

// opening is where t begins with the brackets and signs before it.
func opening(prompt string, t token) int {
	at := t.start
	for at > 0 && strings.ContainsRune("([{@$", rune(prompt[at-1])) {
		at--
	}
	return at
}
