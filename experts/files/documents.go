package files

import (
	"context"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/question"
	"github.com/yaap-chat/yaap/core/rank"
	"github.com/yaap-chat/yaap/experts/plain"
)

// How much is looked at for what documents say.
const (
	maxDocuments = 200
	maxDocument  = 256 << 10 // bytes of one
	maxSaid      = 512 << 10 // bytes of all
	maxKnown     = 2 << 10   // bytes by which the language of one is known
	shortLine    = 60        // bytes: a paragraph of such lines is one of lines
	maxLabel     = 6         // words before a colon
	maxRead      = 4 << 10   // letters of a passage
	maxLevel     = 6         // of a heading
	maxGiven     = 2000      // settings that are read like what documents say
	maxValue     = 200       // bytes of the value of one that is a word or two, and no text of its own
	maxUnit      = 2         // letters of the unit that a setting is named by, too: keepalive_s
)

// form is how a passage is written.
type form string

const (
	isHeading   form = "heading"
	isParagraph form = "paragraph"
	isEntry     form = "item"
	isRow       form = "row"
	isSetting   form = "setting"
)

// passage is a paragraph, an item of a list or a row of a table in a document, or a heading
// with all that is below it.
type passage struct {
	form
	path      string
	line      int
	heading   string
	text      string          // empty: it is a heading
	box       string          // what stands in the box before it that may be ticked; empty: there is none
	below     int             // how many passages stand before it below its heading, and itself
	label     string          // what it says that it tells: Rent, of "Rent: 900 a month"
	headed    map[string]bool // the stems of its heading
	columns   map[string]bool // those of the names of the columns of a row, but the first
	sentences []question.Sentence
}

// documents are the passages below the directory. They are read anew when they are old.
type documents struct {
	mu    sync.Mutex
	read  time.Time
	all   []passage
	given []setting
	said  []passage // all, and the settings
	of    []int     // the passage of each sentence of the index
	index *question.Index
	count int // of the passages that it was made of
	files map[string]contents[passage]
}

// passages returns what the documents say.
func (t *tree) passages(ctx context.Context) []passage {
	t.documents.mu.Lock()
	defer t.documents.mu.Unlock()
	t.readDocuments(ctx)
	return t.documents.all
}

// sentences returns what the documents and the files of settings say, with the index of its
// sentences and the passage that each is of.
func (t *tree) sentences(ctx context.Context) ([]passage, *question.Index, []int) {
	_, given := t.allSettings(ctx)
	given = slices.DeleteFunc(slices.Clone(given), func(s setting) bool { return isCode(s.path) || len(s.value) > maxValue })
	given = given[:min(len(given), maxGiven)]
	d := t.documents
	d.mu.Lock()
	defer d.mu.Unlock()
	t.readDocuments(ctx)
	if d.index == nil || !slices.Equal(d.given, given) {
		d.said, d.given = slices.Clone(d.all), given
		for _, s := range given {
			d.said = append(d.said, s.passage())
		}
		var all []question.Sentence
		d.of = nil
		for i, p := range d.said {
			for _, s := range p.sentences {
				s.Order = -len(all) // of two that say the same the first counts
				all, d.of = append(all, s), append(d.of, i)
			}
		}
		d.index = question.NewIndex(all)
	}
	return d.said, d.index, d.of
}

// passage is what a setting says.
func (s setting) passage() passage {
	keys := strings.Split(s.name, ".")
	words := slices.DeleteFunc(rank.Words(rank.Spaced(keys[len(keys)-1])), func(w string) bool { return len(w) <= maxUnit })
	p := passage{form: isSetting, path: s.path, line: s.line, text: s.String(), label: strings.Join(words, " ")}
	said := question.NewSentence(lang.Of(""), p.label+": "+s.value, nil)
	name := strings.TrimSuffix(path.Base(s.path), path.Ext(s.path))
	said.Around = question.Stems(rank.Words(rank.Spaced(strings.Join(append(keys[:len(keys)-1], name), " "))))
	p.sentences = []question.Sentence{said}
	return p
}

// readDocuments reads those that have changed. Who calls it holds the lock.
func (t *tree) readDocuments(ctx context.Context) {
	d := t.documents
	if time.Since(d.read) < namesTime {
		return
	}
	known, err := t.known(ctx)
	paths := cut(known.nearest(isDocument, func(p string) int { return strings.Count(p, "/") }), maxDocuments)
	changed := len(d.files) == 0
	d.all = reread(t, &d.files, paths, maxDocument, maxSaid, func(p string) []passage {
		changed = true
		body, _, _ := t.text(p) // empty: it cannot be read
		return passagesIn(p, body)
	})
	if changed || len(d.all) != d.count {
		d.index, d.count = nil, len(d.all)
	}
	if err == nil {
		d.read = time.Now()
	}
}

func isDocument(p string) bool {
	return slices.Contains([]string{".md", ".markdown", ".rst", ".adoc", ".txt"}, strings.ToLower(path.Ext(p))) && !holdsSettings(p)
}

// wordsOf are the words of a text; a date in digits is one.
func wordsOf(text string) []string {
	return rank.Words(rank.Spaced(isoDate().ReplaceAllString(text, "$1$2$3")))
}

// reader reads the passages of one document.
type reader struct {
	path, name string
	lang       *lang.Language
	all        []passage

	above   []string // the headings, and
	levels  []int    // the level of each
	lead    string   // what announces what follows it: "You need:"
	parents []parent // the items above one that is further in
	columns []string // of the table
	lines   []string // of the paragraph or item that is read
	began   int      // its first line
	form
	indent int
	below  int // passages since the heading
}

type parent struct {
	indent int
	text   string
}

// passagesIn are those of one document.
func passagesIn(p, body string) []passage {
	r := reader{path: p, name: strings.TrimSuffix(path.Base(p), path.Ext(p)), lang: lang.Of(body[:min(len(body), maxKnown)]), form: isParagraph}
	lines := split(body)
	code := false
	for n := 0; n < len(lines); n++ {
		text := strings.TrimSpace(tidy(lines[n]))
		level, title := headingOf(text)
		if level == 0 && !code && len(r.lines) == 0 && n+1 < len(lines) {
			if level = underlined(text, strings.TrimSpace(lines[n+1])); level > 0 {
				title = text
			}
		}
		switch {
		case strings.HasPrefix(text, "```"):
			r.flush()
			code = !code
		case code, strings.Count(text, " | ") > 1 && !strings.HasPrefix(text, "|"), text == "", strings.Trim(text, "-=|: ~^") == "":
			r.flush()
			if !strings.HasPrefix(text, "|") {
				r.columns = nil
			}
		case level > 0:
			r.flush()
			r.under(level, title, n+1)
		case strings.HasPrefix(text, "|"):
			r.flush()
			r.row(text, n+1)
		default:
			r.line(lines[n], text, n+1)
		}
	}
	r.flush()
	return r.all
}

// headingOf is the level of a heading, and its words; 0: it is none.
func headingOf(text string) (level int, title string) {
	if bold, ok := strings.CutPrefix(text, "**"); ok && strings.Count(bold, "**") == 1 && strings.HasSuffix(bold, "?**") { // of a list of questions
		return maxLevel, strings.TrimSuffix(bold, "**")
	}
	for _, mark := range []string{"#", "="} {
		level = len(text) - len(strings.TrimLeft(text, mark))
		if level > 0 && strings.HasPrefix(text[level:], " ") {
			return level, strings.Trim(text, mark+" ")
		}
	}
	return 0, ""
}

// underlined is the level of a heading that the line below it underlines.
func underlined(text, below string) int {
	switch {
	case len(below) < 3 || len(text) == 0 || len(text) > shortLine+20 || isItem(text):
		return 0
	case strings.Trim(below, "=") == "":
		return 1
	case strings.Trim(below, "-") == "", strings.Trim(below, "~") == "", strings.Trim(below, "^") == "":
		return 2
	}
	return 0
}

// under begins what is below a heading.
func (r *reader) under(level int, title string, line int) {
	for n := len(r.levels); n > 0 && r.levels[n-1] >= level; n-- {
		r.above, r.levels = r.above[:n-1], r.levels[:n-1]
	}
	r.above, r.levels = append(r.above, title), append(r.levels, level)
	r.columns, r.lead, r.parents = nil, "", nil
	r.began, r.form = line, isHeading
	r.add("")
	r.form = isParagraph
}

// row reads a row of a table; the first has the names of the columns.
func (r *reader) row(text string, line int) {
	cells := cellsOf(text)
	if r.columns == nil {
		r.columns = cells
		return
	}
	r.began, r.form = line, isRow
	r.add(row(r.columns, cells))
	last := &r.all[len(r.all)-1]
	last.label, last.columns = cells[0], question.Stems(lang.Words(strings.Join(r.columns[1:], " ")))
	r.form = isParagraph
}

// line reads a line of words, which may begin an item or a line of its own.
func (r *reader) line(raw, text string, n int) {
	r.columns = nil
	switch {
	case strings.HasPrefix(text, ": ") && len(r.lines) == 1: // what a word means
		r.lines[0] += text
		return
	case isItem(text):
		r.flush()
		r.form, r.indent = isEntry, len(raw)-len(strings.TrimLeft(raw, " 	"))
		_, text, _ = strings.Cut(text, " ")
	case len(r.lines) > 0 && standsAlone(r.lines[len(r.lines)-1], text):
		r.flush()
	}
	if len(r.lines) == 0 {
		r.began = n
	}
	r.lines = append(r.lines, text)
}

// standsAlone reports whether a line does not go on in the next one.
func standsAlone(line, next string) bool {
	first := []rune(next)[0]
	return labelOf(line) != "" && labelOf(next) != "" || strings.HasPrefix(next, "**") || len(line) < shortLine && !unicode.IsLower(first) && !strings.HasSuffix(line, ",")
}

// flush ends what is read.
func (r *reader) flush() {
	if len(r.lines) > 0 {
		r.add(strings.Join(r.lines, " "))
	}
	r.lines, r.form = nil, isParagraph
}

// add adds a passage; an empty text is that of the heading.
func (r *reader) add(text string) {
	p := passage{form: r.form, path: r.path, line: r.began, text: text}
	if len(r.above) > 0 {
		p.heading = r.above[len(r.above)-1]
	}
	p.headed = question.Stems(lang.Words(p.heading))
	if m := aBox().FindStringSubmatch(text); m != nil {
		p.box, p.text = m[1], text[len(m[0]):]
	}
	p.label = labelOf(p.text)
	around := []string{r.name}
	around = append(around, r.above...)
	if r.form == isEntry {
		for len(r.parents) > 0 && r.parents[len(r.parents)-1].indent >= r.indent {
			r.parents = r.parents[:len(r.parents)-1]
		}
		for _, parent := range r.parents {
			around = append(around, parent.text)
		}
		r.parents = append(r.parents, parent{r.indent, p.text})
	} else if text != "" {
		r.parents = nil
	}
	if r.form == isEntry || r.form == isRow {
		around = append(around, r.lead)
	} else {
		r.lead = ""
		if strings.HasSuffix(text, ":") {
			r.lead = text
		}
	}
	around = append(around, p.label)
	said := unmarked(p.text)
	if text == "" {
		said = p.heading
	}
	for _, text := range lang.Sentences(clip(said, maxRead)) {
		if len(lang.Words(text)) == 0 {
			continue
		}
		s := question.NewSentence(r.lang, text, nil)
		s.Around = question.Stems(lang.Words(strings.Join(around, "\n")))
		p.sentences = append(p.sentences, s)
	}
	if r.form == isHeading {
		r.below = 0
	} else {
		r.below++
	}
	p.below = r.below
	r.all = append(r.all, p)
}

// unmarked is a text without what Markdown emphasises it by.
func unmarked(text string) string {
	return strings.NewReplacer("**", "", "`", "", "__", "").Replace(text)
}

// labelOf is what a line says that it tells, before a colon; empty: it does not.
func labelOf(text string) string {
	if bold, _, ok := strings.Cut(strings.TrimPrefix(text, "**"), "**"); ok && strings.HasPrefix(text, "**") {
		text = strings.TrimRight(bold, ".:") + ": "
	}
	label, _, ok := strings.Cut(unmarked(text), ": ")
	if number, rest, is := strings.Cut(label, ". "); is && strings.Trim(number, "0123456789") == "" {
		label = rest
	}
	if !ok || len(strings.Fields(label)) > maxLabel || strings.ContainsAny(label, ".!?") {
		return ""
	}
	return label
}

//nolint:gochecknoglobals // never change; see plain.LazyRegexp
var (
	isoDate = plain.LazyRegexp(`\b(\d{4})-(\d\d)-(\d\d)\b`)
	aBox    = plain.LazyRegexp(`^\[([ x])\] `)
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
