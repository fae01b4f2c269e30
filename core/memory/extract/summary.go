package extract

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// DefaultSummary is how many characters a summary has at most if not said
// otherwise.
const DefaultSummary = 512

// All that is not taken from the text.
const (
	gap      = " … "
	stop     = "; "
	also     = "also: "
	none     = "…"
	dangling = " ,;:–—" // left out where a clause is taken on its own
	brackets = "([{"    // at its end, too
)

// Summary returns a text of at most max characters (runes; DefaultSummary if
// max is not positive) that stands for one message of a role. A text that fits
// is returned with its blanks folded. Of a longer one those sentences and
// clauses are taken that tell most, in their order, and the facts (see [Facts])
// they leave out are listed after "also:", as far as they fit: nearly all of
// the facts come before the reading. No word and no number is cut; where not
// one fits, the summary is "…".
func Summary(role, text string, max int) string {
	limit := limitOf(max, DefaultSummary)
	var b strings.Builder
	if foldTo(&b, text, limit) <= limit {
		return b.String()
	}
	s := newSummary(role, text, limit)
	for _, share := range []float64{1, 0.96, 0.92} {
		s.choose(s.promise(share))
		if s.readable() {
			break
		}
	}
	return s.render()
}

// limitOf is max, or what is usual where none is given.
func limitOf(max, usual int) int {
	if max <= 0 {
		return usual
	}
	return max
}

// piece is a sentence or a clause that may be taken.
type piece struct {
	text     string
	sentence int // of the document
	start    int // in it
	end      int
	facts    []int32
	words    []int32
	cost     int     // runes with what joins it
	bonus    float64 // for how it is worded
	weight   float64 // for where it stands
}

// fact is one of the distinct facts of a text.
type fact struct {
	text     string
	cost     int // runes with what joins it to a list
	sentence int // where it first stands
	start    int
	end      int
}

// summary is the choice of pieces and facts.
type summary struct {
	max    int
	facts  []fact
	ids    map[string]int32
	words  map[string]int32
	counts []int // how often each word stands in the text
	pieces []piece

	promised []bool // facts that are to be in the summary
	covered  []bool // facts that stand in a chosen piece
	told     []bool // words that do
	chosen   []int  // pieces
	used     int    // runes
}

// candidates is how many pieces are weighed against one another.
const candidates = 384

func newSummary(role, text string, limit int) *summary {
	d := parse(text)
	s := &summary{max: limit, ids: map[string]int32{}, words: map[string]int32{}}
	for i, part := range d.sentences {
		for _, f := range d.facts(part) {
			word := part.text[f.start:f.end]
			if _, known := s.ids[word]; !known {
				s.ids[word] = int32(len(s.facts))
				s.facts = append(s.facts, fact{text: word, cost: utf8.RuneCountInString(word) + 2, sentence: i, start: f.start, end: f.end})
			}
		}
	}
	led := false
	longest := min(160, max(least, limit/2))
	for i, part := range d.sentences {
		p := piece{sentence: i, bonus: emphasis(role, part), weight: 1}
		if !led && !polite(part.text) {
			led, p.weight = true, 1.5
		}
		facts := d.facts(part)
		clauses(part.text, facts, longest, func(start, end int) {
			p.start, p.end = start, end
			n := 0
			for n < len(facts) && facts[n].end <= end {
				n++
			}
			s.piece(part, facts[:n], p)
			facts = facts[n:]
		})
	}
	s.narrow()
	return s
}

// piece adds a piece, unless it tells nothing.
func (s *summary) piece(part sentence, facts []span, p piece) {
	p.text = part.text[p.start:p.end]
	if strings.Trim(p.text, dangling+brackets) == "" {
		return
	}
	for _, f := range facts {
		word := part.text[f.start:f.end]
		p.facts = append(p.facts, s.ids[word])
		if f.words < 2 {
			continue
		}
		for single := range strings.FieldsSeq(word) {
			if id, ok := s.ids[single]; ok {
				p.facts = append(p.facts, id)
			}
		}
	}
	slices.Sort(p.facts)
	p.facts = slices.Compact(p.facts)
	for word := range strings.FieldsSeq(p.text) {
		word = strings.Trim(word, ".,;:!?()\"'`*")
		if len(word) < 3 {
			continue
		}
		if word = strings.ToLower(word); common(word) {
			continue
		}
		id, known := s.words[word]
		if !known {
			id = int32(len(s.counts))
			s.words[word] = id
			s.counts = append(s.counts, 0)
		}
		s.counts[id]++
		p.words = append(p.words, id)
	}
	if p.start > 0 {
		p.weight *= 0.6 // the end of a sentence tells less without its beginning
	}
	p.cost = utf8.RuneCountInString(p.text) + 4
	if len(p.facts)+len(p.words) > 0 {
		s.pieces = append(s.pieces, p)
	}
}

// narrow leaves the pieces that promise most, so that weighing them takes no
// more than a bounded time.
func (s *summary) narrow() {
	s.promised = make([]bool, len(s.facts))
	s.covered = make([]bool, len(s.facts))
	s.told = make([]bool, len(s.counts))
	if len(s.pieces) <= candidates {
		return
	}
	density := make([]float64, len(s.pieces))
	order := make([]int, len(s.pieces))
	for i, p := range s.pieces {
		density[i] = s.value(p) / float64(p.cost)
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(density[b], density[a]) })
	order = order[:candidates]
	if !slices.Contains(order, 0) {
		order[candidates-1] = 0
	}
	slices.Sort(order)
	pieces := make([]piece, 0, candidates)
	for _, i := range order {
		pieces = append(pieces, s.pieces[i])
	}
	s.pieces = pieces
}

// emphasis is what the wording of a sentence says of its weight.
func emphasis(role string, s sentence) float64 {
	var bonus float64
	lower := strings.ToLower(s.text)
	if len(lower) > 400 {
		lower = lower[:400]
	}
	if decides(lower) || says(lower, "undecided", "task") || s.form == task {
		bonus++
	}
	if says(lower, "trouble") {
		bonus += 0.5
	}
	if role == "user" && strings.HasSuffix(lower, "?") {
		bonus++
	}
	if s.form == code {
		bonus /= 2
	}
	return bonus
}

// promise marks the facts that the summary is to have: a share of them, the
// shortest ones, if a list of them fits; else what fills most of it, and it
// returns how many runes a list of them takes.
func (s *summary) promise(share float64) int {
	order := make([]int, len(s.facts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.facts[a].cost, s.facts[b].cost) })
	clear(s.promised)
	total, room := len(also)+2, s.max
	count := int(share*float64(len(order)) + 0.999)
	for _, i := range order[:count] {
		total += s.facts[i].cost
	}
	if total > room {
		room, count = s.max*7/10, len(order)
		slices.Sort(order)
	}
	total = len(also) + 2
	for _, i := range order[:count] {
		if c := s.facts[i].cost; total+c <= room {
			s.promised[i] = true
			total += c
		}
	}
	return total
}

// value is what a piece adds to what was chosen.
func (s *summary) value(p piece) float64 {
	var facts, words float64
	for _, id := range p.facts {
		if !s.covered[id] {
			facts++
		}
	}
	for _, id := range p.words {
		if !s.told[id] {
			words += 0.1 * float64(min(s.counts[id], 4))
		}
	}
	if facts+words == 0 {
		return 0
	}
	return (facts + words + p.bonus) * p.weight
}

// saving is what a piece takes off the list of promised facts.
func (s *summary) saving(p piece) int {
	n := 0
	for _, id := range p.facts {
		if s.promised[id] && !s.covered[id] {
			n += s.facts[id].cost
		}
	}
	return n
}

// choose takes the pieces with the best value for their length, as long as the
// promised facts that are in none of them still fit into a list of listed runes.
func (s *summary) choose(listed int) {
	clear(s.covered)
	clear(s.told)
	s.chosen, s.used = s.chosen[:0], 0
	left := make([]int, len(s.pieces))
	for i := range left {
		left[i] = i
	}
	for len(left) > 0 {
		best, bestDensity, bestNet := -1, 0.0, 0
		n := 0
		for _, i := range left {
			p := s.pieces[i]
			net := p.cost - s.saving(p)
			value := s.value(p)
			if s.used+listed+net > s.max || s.used+p.cost > s.max || value == 0 {
				continue // what does not fit now will not fit later
			}
			left[n] = i
			n++
			if density := value / float64(max(net, 8)); density > bestDensity {
				best, bestDensity, bestNet = i, density, net
			}
		}
		left = left[:n]
		if best < 0 {
			return
		}
		s.take(best)
		s.used += s.pieces[best].cost
		listed += bestNet - s.pieces[best].cost
		left = slices.DeleteFunc(left, func(i int) bool { return i == best })
	}
}

func (s *summary) take(i int) {
	s.chosen = append(s.chosen, i)
	for _, id := range s.pieces[i].facts {
		s.covered[id] = true
	}
	for _, id := range s.pieces[i].words {
		s.told[id] = true
	}
}

// readable says whether sentences make up a fair part of the summary.
func (s *summary) readable() bool { return s.used*3 >= s.max || len(s.chosen) == len(s.pieces) }

// render writes the chosen pieces in their order, then the list of facts.
func (s *summary) render() string {
	slices.Sort(s.chosen)
	var b strings.Builder
	var last piece
	for n, i := range s.chosen {
		p := s.pieces[i]
		text := p.text
		switch same := n > 0 && last.sentence == p.sentence; {
		case same && last.end == p.start:
		case same:
			b.WriteString(gap)
			text = strings.TrimLeft(text, dangling)
		default:
			b.WriteString(join(b.String()))
			if p.start > 0 {
				b.WriteString(none + " ")
			}
			text = strings.TrimLeft(text, dangling)
		}
		adjoins := n+1 < len(s.chosen) && s.pieces[s.chosen[n+1]].sentence == p.sentence && s.pieces[s.chosen[n+1]].start == p.end
		if !adjoins {
			text = strings.TrimRight(text, dangling+brackets)
		}
		b.WriteString(text)
		last = p
	}
	return s.list(b.String())
}

// join is what separates a sentence from the one before.
func join(before string) string {
	last, _ := utf8.DecodeLastRuneInString(before)
	switch last {
	case utf8.RuneError:
		return ""
	case '.', '!', '?', '…', '。', '！', '？':
		return " "
	}
	return stop
}

// list appends the facts that body leaves out, as far as they fit: what was
// promised before the rest.
func (s *summary) list(body string) string {
	lead := ""
	if body != "" {
		lead = join(body) + also
	}
	room := s.max - utf8.RuneCountInString(body) - len(lead) + 2 // the first fact follows no comma
	var listed []int
	for _, promised := range []bool{true, false} {
		for i, f := range s.facts {
			if room < 3 {
				break
			}
			if s.promised[i] == promised && !s.covered[i] && f.cost <= room && !stands(body, f.text) {
				listed = append(listed, i)
				room -= f.cost
			}
		}
	}
	slices.Sort(listed)
	var b strings.Builder
	b.WriteString(body)
	for n, i := range listed {
		f := s.facts[i]
		switch {
		case n == 0:
			b.WriteString(lead)
		case f.sentence == s.facts[listed[n-1]].sentence && f.start == s.facts[listed[n-1]].end+1:
			b.WriteByte(' ')
		default:
			b.WriteString(", ")
		}
		b.WriteString(f.text)
	}
	if b.Len() == 0 {
		return none
	}
	return b.String()
}
