package files

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/rank"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/plain"
)

// How much is looked at for what documents say.
const (
	maxDocuments = 200
	maxDocument  = 256 << 10 // bytes of one
	maxSaid      = 512 << 10 // bytes of all
	maxPassage   = 600       // bytes that are shown of one
	common       = 0.5       // the weight of a word that a passage has to have
	maxKnown     = 2 << 10   // bytes by which the language of one is known
	maxNamed     = 4         // words, but articles, of "what is the SEV2", which one that is rare suffices for
	rareIn       = 3         // sections: a single word that more have says too little
)

// passage is a paragraph, an item of a list or a row of a table in a document, or a heading
// with all that is below it.
type passage struct {
	path    string
	line    int
	heading string
	text    string            // empty: it is a heading
	box     string            // what stands in the box before it that may be ticked; empty: there is none
	top     bool              // it is that of the document
	says    []map[string]bool // the stems of the words of each of its sentences
	about   map[string]bool   // those of the headings above it and of the name of its file
}

// documents are the passages below the directory. They are read anew when they are old.
type documents struct {
	mu    sync.Mutex
	read  time.Time
	all   []passage
	files map[string]contents[passage]
}

// passages returns what the documents say.
func (t *tree) passages(ctx context.Context) []passage {
	known, err := t.known(ctx)
	old := t.documents
	old.mu.Lock()
	defer old.mu.Unlock()
	if time.Since(old.read) < namesTime {
		return old.all
	}
	paths := cut(known.nearest(isDocument, func(p string) int { return strings.Count(p, "/") }), maxDocuments)
	old.all = reread(t, &old.files, paths, maxDocument, maxSaid, func(p string) []passage {
		body, _, _ := t.text(p) // empty: it cannot be read
		return passagesIn(p, body)
	})
	if err == nil {
		old.read = time.Now()
	}
	return old.all
}

func isDocument(p string) bool {
	return slices.Contains([]string{".md", ".markdown", ".rst", ".adoc", ".txt"}, strings.ToLower(path.Ext(p))) && !holdsSettings(p)
}

// wordsOf are the words of a text; a date in digits is one.
func wordsOf(text string) []string {
	return rank.Words(rank.Spaced(isoDate().ReplaceAllString(text, "$1$2$3")))
}

// stemsOf are the stems of the words of a text, and where that is not English their roots.
func stemsOf(text string, rooted bool) map[string]bool {
	stems := map[string]bool{}
	for _, w := range wordsOf(text) {
		stems[rank.Stem(w)] = true
		if rooted {
			stems[root(w)] = true
		}
	}
	return stems
}

// root is a word of German or Spanish without its ending, behind a mark that no stem has.
func root(w string) string {
	w = plain.Fold(w)
	for _, ending := range []string{"ern", "en", "er", "es", "em", "as", "os", "et", "e", "n", "s", "a", "o", "t"} {
		if short, ok := strings.CutSuffix(w, ending); ok && len(short) > 2 {
			w = short
			break
		}
	}
	return "~" + w
}

// passagesIn are those of one document.
func passagesIn(p, body string) (all []passage) {
	var above []string // the headings, by their level
	var columns []string
	var lines []string
	code, began, n := false, 0, 0
	name := strings.TrimSuffix(path.Base(p), path.Ext(p))
	rooted := lang.Of(body[:min(len(body), maxKnown)]).ID != "en"
	heading, about := "", stemsOf(name, rooted)
	add := func(text string) {
		box := ""
		if m := aBox().FindStringSubmatch(text); m != nil {
			box, text = m[1], text[len(m[0]):]
		}
		says := []map[string]bool{}
		for _, sentence := range lang.Sentences(cmp.Or(text, heading)) {
			says = append(says, stemsOf(sentence, rooted))
		}
		all = append(all, passage{path: p, line: began, heading: heading, text: text, says: says, about: about, box: box})
	}
	flush := func() {
		if len(lines) > 0 {
			add(strings.Join(lines, " "))
		}
		lines = nil
	}
	for line := range strings.Lines(body) {
		text := strings.TrimSpace(tidy(line))
		level := len(text) - len(strings.TrimLeft(text, "#"))
		fence := strings.HasPrefix(text, "```")
		switch {
		case fence:
			flush()
			code = !code
		case code, text == "", strings.Trim(text, "-=|: ") == "":
			flush()
		case level > 0 && strings.HasPrefix(text[level:], " "):
			flush()
			heading = strings.Trim(text, "# ")
			above = append(above[:min(len(above), level-1)], heading)
			about = stemsOf(strings.Join(above, " ")+" "+name, rooted)
			columns = nil
			began = n + 1
			add("")
			all[len(all)-1].top = level == 1
		case strings.HasPrefix(text, "|"):
			flush()
			began = n + 1
			cells := cellsOf(text)
			if columns == nil {
				columns = cells
				break
			}
			add(row(columns, cells))
		default:
			if isItem(text) {
				flush()
			}
			if len(lines) == 0 {
				began = n + 1
			}
			lines = append(lines, strings.TrimLeft(text, "-*+ "))
		}
		if n++; !strings.HasPrefix(text, "|") {
			columns = nil
		}
	}
	flush()
	return all
}

//nolint:gochecknoglobals // never change; see plain.Expr
var (
	isoDate    = plain.Expr(`\b(\d{4})-(\d\d)-(\d\d)\b`)
	aBox       = plain.Expr(`^\[([ x])\] `)
	unremarked = plain.Expr(`\s*[(,;].*`) // behind what is to be done: who does it, and by when
)

func cellsOf(line string) (cells []string) {
	for cell := range strings.SplitSeq(strings.Trim(line, "| "), "|") {
		cells = append(cells, strings.TrimSpace(cell))
	}
	return cells
}

// row is a row of a table with what its columns are called.
func row(columns, cells []string) string {
	var parts []string
	for i, cell := range cells {
		if i < len(columns) && columns[i] != "" {
			cell = columns[i] + ": " + cell
		}
		parts = append(parts, cell)
	}
	return strings.Join(parts, ", ")
}

// isItem reports whether a line begins an item of a list.
func isItem(text string) bool {
	mark, rest, ok := strings.Cut(text, " ")
	number := strings.TrimFunc(mark, unicode.IsDigit)
	return ok && rest != "" && (slices.Contains([]string{"-", "*", "+"}, mark) || number != mark && (number == "." || number == ")"))
}

// personal are words of a question that no document answers: it is about the user, the
// room or what was said before.
//
//nolint:gochecknoglobals // never changes
var personal = []string{"my", "me", "mine", "you", "your", "mein", "meine", "dein", "deine", "mi", "tu", "su", "it", "them", "they", "he", "she", "his", "her", "their"}

// passageFor is the passage that has all words of a question that tell something; nil:
// there is none. Where several do it is the one whose own words are the most of them.
func (t *tree) passageFor(ctx context.Context, prompt string) *passage {
	words := wordsOf(prompt)
	if !lang.Asks(prompt) || slices.ContainsFunc(words, func(w string) bool { return slices.Contains(personal, w) }) {
		return nil
	}
	asks := []string{"what", "who", "where", "when", "was", "wer", "wo", "wann", "wie", "quién", "dónde", "cuándo", "qué"}
	all := slices.DeleteFunc(slices.Clone(t.passages(ctx)), func(p passage) bool { return p.box != "" && !p.tasks(prompt, words) })
	short := len(lang.Of(prompt).Without(prompt, lang.Article)) <= maxNamed
	for i, terms := range wantedIn(prompt, words) {
		named := len(terms) > 1 || i == 0 && short && slices.Contains(asks, words[0])
		if len(terms) == 1 && len(words) > 1 && slices.Contains([]string{"many", "much", "old"}, words[1]) {
			break // a word alone is no number
		}
		if best := bestOf(all, terms, named); best != nil {
			return best
		}
	}
	return nil
}

// tasks reports whether a thing to do may answer a question. It does not say where anything
// is, and who and when only of what is to be done: its verb, which is small in German and
// else its first word, is in the question.
func (p *passage) tasks(prompt string, words []string) bool {
	l := lang.Of(prompt)
	verbs := strings.Fields(unremarked().ReplaceAllString(p.text, ""))
	switch {
	case len(verbs) == 0, l.Opens(prompt, lang.Where) > 0:
		return false
	case l.Opens(prompt, lang.Who)+l.Opens(prompt, lang.When) == 0:
		return true
	case l.ID == "de":
		verbs = slices.DeleteFunc(verbs, func(w string) bool { return w != strings.ToLower(w) || l.Has(lang.Function, w) })
	default:
		verbs = verbs[:1]
	}
	return slices.ContainsFunc(verbs, func(verb string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return rank.Stem(w) == rank.Stem(strings.ToLower(verb)) || root(w) == root(verb) })
	})
}

// bestOf is the passage that has all terms in a sentence, the most of them in its own words:
// a heading before what is below it, what is said before what is to be done, and where not
// named nothing but a heading.
func bestOf(all []passage, terms [][]string, named bool) (best *passage) {
	most, sections := 0, map[string]bool{}
	for i := range all {
		p := &all[i]
		own, whole := p.holds(terms)
		if !whole || !named && p.text != "" {
			continue
		}
		sections[p.path+"\x00"+p.heading] = true
		if best == nil || own > most || own == most && (best.top || best.box > p.box || best.text != "" && p.text == "" && !p.top) {
			best, most = p, own
		}
	}
	if len(terms) == 1 && len(sections) > rareIn {
		return nil
	}
	return best
}

// wantedIn are the words of a question that a passage has to have: in German and Spanish
// the roots of those that tell something.
func wantedIn(prompt string, words []string) [][][]string {
	l := lang.Of(prompt)
	if l.ID == "en" {
		return wanted(words)
	}
	var terms [][]string
	for _, w := range l.Without(prompt, lang.Question, lang.YesNo, lang.HowMany, lang.Function, lang.Verb) {
		if len(rank.Words(w)) == 1 && !slices.Contains([]string{"tag", "uhr", "uhrzeit", "zeit", "monat", "jahr", "hoch", "día", "hora", "mes", "año"}, w) {
			terms = append(terms, []string{root(w)})
		}
	}
	if len(terms) == 0 {
		return nil
	}
	return [][][]string{terms}
}

// wanted are the words of a question that a passage has to have, each in its forms: those
// that tell something, and where that is one of them first the others, too. There are none
// where no word tells much.
func wanted(words []string) [][][]string {
	var telling, all [][]string
	tells := false
	for i, w := range words {
		weight := rank.Weight(w)
		if weight == 0 || slices.Contains([]string{"number", "name", "address", "date", "time"}, w) && len(words) > 1 {
			continue // "the phone number"
		}
		forms := []string{rank.Stem(w)}
		if i > 0 {
			forms = append(forms, rank.Stem(words[i-1]+w))
		}
		if i+1 < len(words) {
			forms = append(forms, rank.Stem(w+words[i+1]))
		}
		all = append(all, forms)
		if weight >= common {
			telling = append(telling, forms)
		}
		tells = tells || weight == 1
	}
	switch {
	case len(telling) > 1:
		return [][][]string{telling}
	case len(telling) == 1 && len(all) > 1 && tells:
		return [][][]string{all, telling}
	case len(telling) == 1 && len(all) > 1:
		return [][][]string{all}
	case tells:
		return [][][]string{telling}
	}
	return nil
}

// holds reports how many of the terms a sentence of a passage has, and whether it has all
// of them, with what stands above the passage.
func (p *passage) holds(terms [][]string) (own int, whole bool) {
	for _, says := range p.says {
		n, lacks := 0, false
		for _, forms := range terms {
			if slices.ContainsFunc(forms, func(f string) bool { return says[f] }) || compounds(says, forms[0]) {
				n++
			} else if !slices.ContainsFunc(forms, func(f string) bool { return p.about[f] }) {
				lacks = true
			}
		}
		if !lacks && (p.text == "" || n > 0) {
			own, whole = max(own, n), true
		}
	}
	return own, whole
}

// compounds reports whether a word of a sentence ends with a root: stund of Arbeitsstunden.
func compounds(says map[string]bool, form string) bool {
	end, ok := strings.CutPrefix(form, "~")
	if !ok || len(end) < 5 {
		return false
	}
	for w := range says {
		if strings.HasPrefix(w, "~") && strings.HasSuffix(w, end) {
			return true
		}
	}
	return false
}

// passage answers with what a document says, and where.
func (t *tree) passage(_ context.Context, q query) (core.Reply, error) {
	p := q.passage
	if p.text == "" {
		body, _, err := t.text(p.path)
		if err != nil {
			return core.Reply{}, err
		}
		all := sections(body)
		if at := slices.IndexFunc(all, func(s section) bool { return s.title == p.heading && s.line == p.line }); at >= 0 {
			return t.told(p.path, &all[at]), nil
		}
		return t.page(p.path, 1, maxSection)
	}
	text := p.text
	if p.box != "" {
		text = "[" + p.box + "] " + text
	}
	message := clip(text, maxPassage) + " (" + plain.Code(p.path+":"+strconv.Itoa(p.line)) + ")"
	if p.heading != "" {
		message = "**" + p.heading + "**: " + message
	}
	return experts.Success(message, map[string]any{"path": p.path, "line": float64(p.line), "title": p.heading, "text": p.text}), nil
}
