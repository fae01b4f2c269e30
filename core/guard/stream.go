package guard

import (
	"strings"
	"unicode/utf8"
)

const (
	streamContext = 256      // how much of what went on is looked at again with what follows
	streamHold    = 8 << 10  // how much is held back at most for a secret that may come to an end
	streamLimit   = 16 << 10 // how much is held back of a single word
)

// Stream masks secrets in a text that arrives in pieces. What may turn out to be part of a secret is held back until it is
// known: the last word, what follows the name of a secret on its line, a word that may yet be said to be a password, a row of
// words such as a seed phrase has, a block of a key. In a script without blanks every character is a word. A secret goes on as its mark, once it has ended, and no part of it before. The zero value is ready. It is for one
// goroutine at a time.
type Stream struct {
	text string // what is looked at: context, and what is held back
	sent int    // text[:sent] has gone on, as it is or as a mark
	skip bool   // a secret longer than the limit goes on: all is dropped as far as a blank
}

// Write takes the next piece and returns what may go on.
func (s *Stream) Write(piece string) string {
	s.text += piece
	if !strings.ContainsAny(piece, " \t\n") && lastUnspaced(s.text[max(s.sent, len(s.text)-len(piece)-utf8.UTFMax):]) == 0 && len(s.text)-s.sent < streamLimit {
		return "" // the last word goes on
	}
	out := s.advance(s.settled())
	if keep := s.sent - streamContext; keep > streamContext/2 { // from where a line or a word begins
		if n := max(strings.LastIndexAny(s.text[:keep], " \n")+1, lastUnspaced(s.text[:keep])); n > 0 {
			keep = n
		}
		s.text, s.sent = s.text[keep:], s.sent-keep
	}
	return out
}

// Close returns what was held back. The stream is as new.
func (s *Stream) Close() string {
	out := s.advance(len(s.text), findSecrets(s.text))
	*s = Stream{}
	return out
}

// advance sends text[sent:to] without what was found in it.
func (s *Stream) advance(to int, found []Finding) string {
	if s.skip {
		n := strings.IndexAny(s.text[s.sent:to], " \n\"'")
		if n < 0 {
			s.sent = to
			return ""
		}
		s.sent += n
		s.skip = false
	}
	if to <= s.sent {
		return ""
	}
	var b strings.Builder
	for _, f := range found {
		switch {
		case f.End <= s.sent:
			continue
		case f.Start >= to:
		case f.Start < s.sent: // its mark has gone on
			s.sent = min(f.End, to)
			continue
		case f.End > to: // it has reached the limit
			b.WriteString(s.text[s.sent:f.Start] + mark(f.Kind))
			s.sent, s.skip = to, true
			continue
		default:
			b.WriteString(s.text[s.sent:f.Start] + mark(f.Kind))
			s.sent = f.End
			continue
		}
		break
	}
	if s.sent < to {
		b.WriteString(s.text[s.sent:to])
		s.sent = to
	}
	return b.String()
}

// settled returns as far as where the text cannot become part of a secret by what follows, and what is found in it.
func (s *Stream) settled() (to int, found []Finding) {
	to = strings.LastIndexAny(s.text, " \t\n") + 1 // the last word may go on
	to += unspacedLen(s.text, to)
	sc := newScanner(s.text)
	for f, ok := sc.next(); ok; f, ok = sc.next() {
		found = append(found, f)
		rest := s.text[f.End:]
		open := f.Start > 0 && strings.IndexByte("\"'", s.text[f.Start-1]) >= 0 && !strings.HasPrefix(rest, s.text[f.Start-1:f.Start])
		if open || strings.TrimSpace(rest) == "" {
			to = min(to, f.Start)
		}
	}
	line := strings.LastIndexByte(s.text[:to], '\n') + 1
	sc.said.read(&sc, len(s.text))
	if sc.said.noun.kind != "" {
		to = min(to, max(sc.said.end, line))
	}
	if sc.said.program != nil {
		to = min(to, max(sc.said.starts, line))
	}
	to = min(to, sc.seed)
	to = sc.toldLater(to)
	if i := strings.LastIndex(s.text, "echo "); i >= max(sc.done, line) {
		to = min(to, i)
	}
	if i := strings.LastIndex(s.text, pemBegin); i >= 0 {
		if _, closed := pemLen(s.text[i:]); !closed {
			to = min(to, i)
		}
	}
	for _, f := range found {
		if f.Start < to && to < f.End {
			to = f.Start
		}
	}
	switch held := len(s.text) - max(to, s.sent); {
	case held > streamLimit:
		to = len(s.text)
	case held > streamHold:
		to = max(to, strings.LastIndexAny(s.text[:len(s.text)-streamHold/2], " \t\n")+1)
	}
	return max(to, s.sent), found
}

// toldLater is where a word before to begins that what follows may say to be a password: "hunter2 is my". Without one it
// is to.
func (sc *scanner) toldLater(to int) int {
	for end := to; ; {
		if f, ok := sc.toldWord(end); ok {
			return f.Start
		}
		word := strings.TrimRight(sc.s[sc.done:max(sc.done, end)], " \t")
		word = word[strings.LastIndexAny(word, " \t\n")+1:]
		if !sc.r.tells[word] && word != "as" && word != "als" && !sc.r.owners[word] {
			return to
		}
		end = sc.done + strings.LastIndex(sc.s[sc.done:end], word)
	}
}
