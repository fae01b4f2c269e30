package lang

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxPieces = 12 // of a prompt; what is beyond belongs to the last
	maxNoun   = 6  // words of what [Direct] takes for a question's noun
)

// Piece is the part of a prompt between two boundaries.
type Piece struct {
	Start, End int      // byte offsets, without the words that join
	Boundary   Boundary // with the piece before
	Tokens     []Token
}

// Boundary is what separates a [Piece] from the one before.
type Boundary uint8

// The boundaries.
const (
	Soft     Boundary = iota // and, also, a comma, a full stop
	Hard                     // a question mark, a semicolon, a line of its own
	Sequence                 // then, after that
)

// Text is what stands in a piece of prompt.
func (p Piece) Text(prompt string) string { return strings.TrimSpace(prompt[p.Start:p.End]) }

// Trim takes the words of courtesy off a piece, and what introduces a request.
func (p *Piece) Trim() {
	l := AllPhrases()
	for len(p.Tokens) > 0 {
		n := max(l.Begins(Opening, p.Tokens), l.Begins(Greeting, p.Tokens))
		for _, one := range phrasesByLanguage() {
			n = max(n, one.opens(p.Tokens))
		}
		if kind := l.Begins(Courtesy, p.Tokens); kind == len(p.Tokens) || kind > 0 && p.Tokens[kind].Start > p.Tokens[kind-1].End+1 {
			n = max(n, kind) // "good, …", and not "good meeting time"
		}
		if n == 0 {
			break
		}
		if p.Tokens = p.Tokens[n:]; len(p.Tokens) > 0 {
			p.Start = p.Tokens[0].Start
		}
	}
	for i := range p.Tokens {
		if l.Only(Trailer, p.Tokens[i:]) {
			if p.Tokens = p.Tokens[:i]; i > 0 {
				p.End = p.Tokens[i-1].End
			}
			return
		}
	}
}

// opens returns how many tokens open a request in a sentence of their own: "would
// you be so kind as to tell me", "I was wondering if". Such an opening is made of
// few words and ends with one of telling.
func (l Phrases) opens(tokens []Token) int {
	end, i, told := 0, 0, false
	for i < len(tokens) {
		if n := l.Begins(Tell, tokens[i:]); n > 0 {
			i, told = i+n, true
			if i > 1 {
				end = i
			}
			continue
		}
		if l.Begins(Lead, tokens[i:]) == 0 {
			break
		}
		i++
	}
	if told && i > 1 && i == len(tokens) {
		return i
	}
	for end > 0 && end < len(tokens) && l.Begins(AfterTell, tokens[end:]) > 0 {
		end++
	}
	return end
}

// IsCopula reports whether a word says what something is: "is" and the like.
func (t Token) IsCopula() bool {
	return slices.ContainsFunc(tables(), func(l *Language) bool { return l.Has("copula", t.Lower) })
}

// DirectQuestions are the questions that a clause may stand for, whose verb stands behind
// what is asked about: "who is the author" for "who the author is".
func DirectQuestions(clause string) (list []string) {
	tokens, l := Lex(clause), AllPhrases()
	first := l.Begins(Question, tokens)
	verb := slices.IndexFunc(tokens, Token.IsCopula)
	if first == 0 || verb <= first {
		return nil
	}
	rest := clause[:tokens[verb-1].End] + clause[tokens[verb].End:]
	for _, t := range tokens[first:min(verb, first+maxNoun)] {
		list = append(list, strings.TrimSpace(rest[:t.Start]+tokens[verb].Text+" "+rest[t.Start:]))
	}
	return list
}

// How items of a list begin: in lines of their own, and numbered in one line.
//
//nolint:gochecknoglobals // never change; see pattern
var (
	bullet   = pattern(`(?m)^[ \t]*(?:[-*•]|\(?\d{1,2}[.):]|\(?[a-h]\))[ \t]+`)
	numbered = pattern(`(?:^|[ \t])\(?(?:(\d{1,2})[.)]|([a-h])\))[ \t]+`)
)

// Unlist puts each item of a list on a line, without its bullet or number.
func Unlist(prompt string) string {
	items := numbered().FindAllStringSubmatchIndex(prompt, maxPieces)
	switch {
	case strings.HasPrefix(prompt, "@"):
		return prompt
	case len(items) > 1 && !strings.Contains(prompt, "\n"):
		for n, m := range items {
			if (m[2] < 0 || prompt[m[2]:m[3]] != strconv.Itoa(n+1)) && (m[4] < 0 || prompt[m[4]] != byte('a'+n)) {
				return prompt
			}
		}
		return strings.TrimSpace(numbered().ReplaceAllString(prompt, "\n"))
	case len(bullet().FindAllString(prompt, 2)) > 1:
		return bullet().ReplaceAllString(prompt, "")
	}
	return prompt
}

// Pieces finds every place where a prompt may be cut: at signs between sentences and
// lines, and at words that join. Nothing in quotes or brackets is cut, nor "3 and 4".
func Pieces(prompt string) []Piece {
	tokens := Lex(prompt)
	if len(tokens) == 0 {
		return []Piece{{End: len(prompt)}}
	}
	pieces := []Piece{{Start: opening(prompt, tokens[0]), End: len(prompt)}}
	first, depth := 0, 0
	from, to := apposition(prompt)
	for i := 1; i < len(tokens) && len(pieces) < maxPieces; i++ {
		gap := prompt[tokens[i-1].End:tokens[i].Start]
		depth = max(0, depth+strings.Count(gap, "(")+strings.Count(gap, "[")-strings.Count(gap, ")")-strings.Count(gap, "]"))
		j, n, ok := jointAt(tokens, i, gap, prompt)
		if depth > 0 || !ok || i+n >= len(tokens) || tokens[i].Start >= from && tokens[i].Start <= to {
			continue
		}
		last := &pieces[len(pieces)-1]
		last.End, last.Tokens = tokens[i-1].End+len(gap)-len(strings.TrimLeft(gap, "?!)]}'\"”’…")), tokens[first:i]
		first = i + n
		pieces = append(pieces, Piece{Start: opening(prompt, tokens[first]), End: len(prompt), Boundary: j})
		i = first
	}
	pieces[len(pieces)-1].Tokens = tokens[first:]
	return pieces
}

// apposition is from where to where a statement names or tells more of its subject between
// commas; to is below 0 where it does not: "the caretaker, Mr Budd, has the key".
func apposition(prompt string) (from, to int) {
	l, words := Of(prompt), tokens(prompt)
	if strings.ContainsAny(prompt, "?¿\n") || IsQuestion(prompt) || len(words) == 0 || l.Has("command", words[0].lower) {
		return 0, -1
	}
	for i := 1; i < len(words); i++ {
		if strings.Contains(words[i-1].after, ",") {
			if !l.apposed(words, i) {
				return 0, -1
			}
			end := i + 1
			for !strings.Contains(words[end-1].after, ",") {
				end++
			}
			return words[i].start, words[end].start
		}
	}
	return 0, -1
}

// jointAt reports whether token i begins a new piece, and how many words of
// joining stand before what it is about.
func jointAt(tokens []Token, i int, gap, prompt string) (j Boundary, n int, ok bool) {
	l := AllPhrases()
	next, _ := utf8.DecodeRuneInString(prompt[tokens[i].Start:])
	ordinal := len(tokens[i-1].Text) < 3 && tokens[i-1].Shape == Number && slices.ContainsFunc(tables(), func(l *Language) bool { return l.Has("date", tokens[i].Lower) })
	switch {
	case ordinal && strings.HasPrefix(gap, ". "): // am 10. Dezember
	case strings.ContainsAny(gap, "?;\n"), strings.Contains(gap, "! "):
		j, ok = Hard, true
	case strings.Contains(gap, ". ") && (unicode.IsUpper(next) || l.Begins(Question, tokens[i:]) > 0) &&
		(tokens[i-1].Shape != Word || len(tokens[i-1].Text) > 3):
		j, ok = Hard, true
	case strings.ContainsAny(gap, ","), strings.Contains(gap, ". "):
		ok = true
	case tokens[i].Lower == "&", tokens[i].Lower == "+" && l.Begins(Question, tokens[i+1:]) > 0, tokens[i].Lower == "-" && strings.HasPrefix(prompt[tokens[i].End:], " "):
		n, ok = 1, true
	}
	for i+n < len(tokens) {
		then, and := l.Begins(Then, tokens[i+n:]), l.Begins(And, tokens[i+n:])
		switch {
		case then > 0 && (ok || tokens[i+n].Lower != "next" && tokens[i+n].Lower != "finally"):
			j, ok, n = Sequence, true, n+then
			continue
		case and > 0 && (ok || tokens[i+n].Lower != "plus" || l.Begins(Question, tokens[i+n+and:]) > 0):
			ok, n = true, n+and
			continue
		}
		break
	}
	if ok && j == Soft && i+n < len(tokens) && bare(tokens[i-1]) && bare(tokens[i+n]) && endsAt(tokens, i+n, prompt) && !strings.HasPrefix(prompt[tokens[i+n].End:], "!") {
		return 0, 0, false // "3 and 4", "1, 2", not "sqrt(2) and 5!"
	}
	return j, n, ok
}

// endsAt reports whether token i ends what it belongs to.
func endsAt(tokens []Token, i int, prompt string) bool {
	return i+1 == len(tokens) || strings.ContainsAny(prompt[tokens[i].End:tokens[i+1].Start], ",;?\n") || AllPhrases().Begins(And, tokens[i+1:]) > 0
}

// bare reports whether a token is a number, a file or the like, which stands for
// nothing alone.
func bare(t Token) bool { return t.Shape != Word && t.Shape != Sign }

// opening is where t begins with the brackets and signs before it.
func opening(prompt string, t Token) int {
	return len(strings.TrimRight(prompt[:t.Start], "([{@$"))
}
