package question

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/yaap-chat/yaap/core/lang"
)

// Sentence is one that may answer questions.
type Sentence struct {
	Text  string
	Dated bool // it tells a time otherwise than in digits
	Own   bool // it tells of who asks, though it does not say so
	Order int  // the higher, the later

	Around map[string]bool // the stems of what stands above it, and says what it is about

	lang    *lang.Language
	words   []string
	stems   map[string]bool
	subject map[string]bool
}

// NewSentence reads a sentence of a language. It is about some stems, too, that it need not hold.
func NewSentence(l *lang.Language, text string, about map[string]bool) Sentence {
	words := lang.Expanded(text)
	s := Sentence{Text: text, lang: l, words: words, stems: Stems(words), subject: Stems(l.Subject(text))}
	if i := slices.IndexFunc(words, func(w string) bool { return l.Has("calling", w) }); i > 0 { // "a bucket called osprey"
		maps.Copy(s.subject, Stems(words[i-1:i]))
	}
	maps.Copy(s.stems, about)
	maps.Copy(s.subject, about)
	return s
}

// Holds reports whether a sentence holds a word of a question.
func (s Sentence) Holds(w Word) bool { return w.In(s.stems) }

// Statement is a sentence beside a question.
type Statement struct {
	Sentence

	Read    float64 // share of the question's words
	Subject bool    // they are what it is about
	Extra   int     // other words in its subject
	Holding []bool  // which words of the question it holds
	Near    []bool  // which it holds in another form
	Above   []bool  // which it holds only in what stands above it
}

// Measure tells how much of a question is read in a sentence. weights are those of the
// question's words.
func (q *Question) Measure(sentence Sentence, weights []float64) Statement {
	s := Statement{Sentence: sentence, Read: 1, Holding: make([]bool, len(q.Words)), Near: make([]bool, len(q.Words)), Above: make([]bool, len(q.Words))}
	l := s.lang
	var read, all float64
	for i, w := range q.Words {
		if l.ID != q.Lang.ID && w.Weight <= VerbWeight && len(q.Words) > 1 && q.Demands != lang.Who { // it has another word for that
			continue
		}
		all += weights[i]
		if w.In(s.stems) || shaped(w.Text, s.Text) || q.AsksMyName() && l.IntroducesSpeaker(s.Text) || q.Costs && l.Has("cost", w.Text) && s.Priced() {
			s.Holding[i] = true
			read += weights[i]
			s.Subject = s.Subject || w.In(s.subject) || q.Names(w.Text) && l.IsDefinition(s.Text) // "the auditor is Mr. Keller"
			continue
		}
		if s.Near[i] = w.near(s.words); !s.Near[i] && w.In(s.Around) {
			s.Holding[i], s.Above[i], s.Subject = true, true, true
			read += weights[i]
		}
	}
	if all > 0 {
		s.Read = read / all
	}
	if first := strings.Fields(strings.ToLower(s.Text)); !s.Subject && len(first) > 0 && l.Has("date", strings.TrimSuffix(first[0], "s")) { // "Montags ist Kontrolle"
		s.Subject = read > 0
	}
	for _, w := range l.Subject(s.Text) {
		if !l.Has(lang.Function, w) && !q.IsAbout(w) {
			s.Extra++
		}
	}
	return s
}

// IsAbout reports whether a statement holds one of the words of a question that say what
// it is about.
func (s Statement) IsAbout(q *Question) bool {
	most := 0.0
	for _, w := range q.Words {
		most = max(most, w.Weight)
	}
	for i, w := range q.Words {
		if w.Weight >= min(most, 1) && (s.Holding[i] || s.Near[i]) {
			return true
		}
	}
	return false
}

// readNear is the share of a question's words that a statement holds, in another form
// for a half.
func (s Statement) readNear() float64 {
	near := 0.0
	for _, is := range s.Near {
		if is {
			near += 0.5
		}
	}
	return s.Read + near/float64(max(len(s.Near), 1))
}

// holds reports whether a statement holds what a question of a kind asks for.
func (s Statement) holds(demands string) bool {
	digits := strings.ContainsAny(s.Text, "0123456789")
	is := func(kinds ...string) bool {
		return slices.ContainsFunc(s.words, func(w string) bool {
			return slices.ContainsFunc(kinds, func(kind string) bool { return s.lang.Has(kind, w) || s.lang.Has(kind, strings.TrimSuffix(w, "s")) })
		})
	}
	switch demands {
	case lang.When:
		return s.Dated || digits || is(lang.Time)
	case lang.HowMany:
		return digits || is("number")
	case lang.Where:
		named := s.Subject && s.Extra == 0 && s.Read > 0.99 // "where is the printer?", "the printer is lp-3"
		return named || is("where at") || strings.ContainsAny(s.Text, "/:")
	}
	return true
}

// shaped reports whether a text holds what a word names by its form alone: an IP address,
// a link, an address of mail, a port.
func shaped(word, text string) bool {
	is := shapeOf(word)
	return is != nil && is.MatchString(text)
}

// shapeOf is the form of what a word names; nil: it has none.
func shapeOf(word string) *regexp.Regexp {
	return cmp.Or(shapes()[word], shapes()[strings.TrimSuffix(word, "s")])
}

// Priced reports whether a sentence says what something costs.
func (s Sentence) Priced() bool {
	return slices.ContainsFunc(s.words, func(w string) bool { return s.lang.Has("cost", w) || s.lang.Has("currency", w) }) || strings.ContainsAny(s.Text, "€$£") || cents().MatchString(s.Text)
}

//nolint:gochecknoglobals // compiled once and never changed
var cents = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d[.,]\d\d\b`) })

//nolint:gochecknoglobals // compiled once and never changed
var shapes = sync.OnceValue(func() map[string]*regexp.Regexp {
	ip, link, mail := regexp.MustCompile(`\b\d{1,3}(\.\d{1,3}){3}\b|\b[0-9a-f]{1,4}:[0-9a-f:]*:[0-9a-f]{0,4}\b`), regexp.MustCompile(`\w://`), regexp.MustCompile(`\S@\S+\.\w`)
	address := regexp.MustCompile(ip.String() + "|" + link.String() + "|" + mail.String())
	phone := regexp.MustCompile(`(^|\s|:)\+?\d[\d /()-]{5,}\d\b`)
	return map[string]*regexp.Regexp{
		"ip": ip, "link": link, "url": link, "enlace": link, "email": mail, "mail": mail, "e-mail": mail, "correo": mail,
		"address": address, "adresse": address, "dirección": address,
		"number": phone, "phone": phone, "nummer": phone, "telefon": phone, "telefonnummer": phone, "número": phone, "teléfono": phone,
		"port": regexp.MustCompile(`:\d{2,5}\b`), "puerto": regexp.MustCompile(`:\d{2,5}\b`),
	}
})
