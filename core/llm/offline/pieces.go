package offline

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"yaap/core/lang"
)

const maxPieces = 12 // of a prompt; what is beyond belongs to the last

// piece is what stands between two joints of a prompt.
type piece struct {
	start, end int   // byte offsets, without the words that join
	joint      joint // with the piece before
	tokens     []lang.Token
}

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
	if lang.AllPhrases().Begins(lang.Question, p.tokens) > 0 {
		cost -= 0.02
	}
	return cost
}

func (p piece) text(prompt string) string { return strings.TrimSpace(prompt[p.start:p.end]) }

// trim takes the words of courtesy off a piece, and what introduces a request.
func (p *piece) trim() {
	l := lang.AllPhrases()
	for len(p.tokens) > 0 {
		n := max(l.Begins(lang.Opening, p.tokens), l.Begins(lang.Courtesy, p.tokens))
		if n == 0 {
			break
		}
		if p.tokens = p.tokens[n:]; len(p.tokens) > 0 {
			p.start = p.tokens[0].Start
		}
	}
	for n := len(p.tokens); n > 1 && l.Only(lang.Trailer, p.tokens[n-1:]); n-- {
		p.tokens, p.end = p.tokens[:n-1], p.tokens[n-2].End
	}
}

// How items of a list begin: in lines of their own, and numbered in one line.
var (
	bullet   = regexp.MustCompile(`(?m)^[ \t]*(?:[-*•]|\(?\d{1,2}[.):]|\(?[a-h]\))[ \t]+`)
	numbered = regexp.MustCompile(`(?:^|[ \t])\(?(?:(\d{1,2})[.)]|([a-h])\))[ \t]+`)
)

// unlist puts each item of a list on a line, without its bullet or number.
func unlist(prompt string) string {
	items := numbered.FindAllStringSubmatchIndex(prompt, maxPieces)
	switch {
	case strings.HasPrefix(prompt, "@"):
		return prompt
	case len(items) > 1 && !strings.Contains(prompt, "\n"):
		for n, m := range items {
			if (m[2] < 0 || prompt[m[2]:m[3]] != strconv.Itoa(n+1)) && (m[4] < 0 || prompt[m[4]] != byte('a'+n)) {
				return prompt
			}
		}
		return strings.TrimSpace(numbered.ReplaceAllString(prompt, "\n"))
	case len(bullet.FindAllString(prompt, 2)) > 1:
		return bullet.ReplaceAllString(prompt, "")
	}
	return prompt
}

// cut finds every place where a prompt may be cut: at signs between sentences and
// lines, and at words that join. Nothing in quotes or brackets is cut, nor "3 and 4".
func cut(prompt string) []piece {
	tokens := lang.Lex(prompt)
	if len(tokens) == 0 {
		return []piece{{end: len(prompt)}}
	}
	pieces := []piece{{start: opening(prompt, tokens[0]), end: len(prompt)}}
	first, depth := 0, 0
	for i := 1; i < len(tokens) && len(pieces) < maxPieces; i++ {
		gap := prompt[tokens[i-1].End:tokens[i].Start]
		depth = max(0, depth+strings.Count(gap, "(")+strings.Count(gap, "[")-strings.Count(gap, ")")-strings.Count(gap, "]"))
		j, n, ok := jointAt(tokens, i, gap, prompt)
		if depth > 0 || !ok || i+n >= len(tokens) {
			continue
		}
		last := &pieces[len(pieces)-1]
		last.end, last.tokens = tokens[i-1].End+len(gap)-len(strings.TrimLeft(gap, "?!)]}'\"”’…")), tokens[first:i]
		first = i + n
		pieces = append(pieces, piece{start: opening(prompt, tokens[first]), end: len(prompt), joint: j})
		i = first
	}
	pieces[len(pieces)-1].tokens = tokens[first:]
	return pieces
}

// jointAt reports whether token i begins a new piece, and how many words of
// joining stand before what it is about.
func jointAt(tokens []lang.Token, i int, gap, prompt string) (j joint, n int, ok bool) {
	l := lang.AllPhrases()
	next, _ := utf8.DecodeRuneInString(prompt[tokens[i].Start:])
	switch {
	case strings.ContainsAny(gap, "?;\n"), strings.Contains(gap, "! "):
		j, ok = hard, true
	case strings.Contains(gap, ". ") && (unicode.IsUpper(next) || l.Begins(lang.Question, tokens[i:]) > 0) &&
		(tokens[i-1].Shape != lang.Word || len(tokens[i-1].Text) > 3):
		j, ok = hard, true
	case strings.ContainsAny(gap, ","), strings.Contains(gap, ". "):
		ok = true
	case tokens[i].Lower == "&", tokens[i].Lower == "-" && strings.HasPrefix(prompt[tokens[i].End:], " "):
		n, ok = 1, true
	}
	for i+n < len(tokens) {
		then, and := l.Begins(lang.Then, tokens[i+n:]), l.Begins(lang.And, tokens[i+n:])
		switch {
		case then > 0 && (ok || tokens[i+n].Lower != "next" && tokens[i+n].Lower != "finally"):
			j, ok, n = sequence, true, n+then
			continue
		case and > 0 && (ok || tokens[i+n].Lower != "plus" || l.Begins(lang.Question, tokens[i+n+and:]) > 0):
			ok, n = true, n+and
			continue
		}
		break
	}
	if ok && j == soft && i+n < len(tokens) && bare(tokens[i-1]) && bare(tokens[i+n]) && endsAt(tokens, i+n, prompt) {
		return 0, 0, false // "3 and 4", "1, 2"
	}
	return j, n, ok
}

// endsAt reports whether token i ends what it belongs to.
func endsAt(tokens []lang.Token, i int, prompt string) bool {
	return i+1 == len(tokens) || strings.ContainsAny(prompt[tokens[i].End:tokens[i+1].Start], ",;?\n") || lang.AllPhrases().Begins(lang.And, tokens[i+1:]) > 0
}

// bare reports whether a token is a number, a file or the like, which stands for
// nothing alone.
func bare(t lang.Token) bool { return t.Shape != lang.Word && t.Shape != lang.Sign }

// opening is where t begins with the brackets and signs before it.
func opening(prompt string, t lang.Token) int {
	return len(strings.TrimRight(prompt[:t.Start], "([{@$"))
}
