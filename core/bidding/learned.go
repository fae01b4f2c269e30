package bidding

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/rank"
)

const (
	maxLearned  = 20   // questions of an expert
	maxQuestion = 200  // bytes of one
	maxOwn      = 1000 // bytes of what the user types; more was pasted
	maxOwnLines = 5
)

// asks reports whether the question stands in what the user said, in the user's
// own words: on one line, and neither quoted nor pasted.
func asks(said, question string) bool {
	if len(question) > maxQuestion || len(said) > maxOwn || strings.Count(strings.TrimSpace(said), "\n") >= maxOwnLines {
		return false
	}
	wanted, fenced := fold(question), false
	if !slices.ContainsFunc(rank.Terms(question), func(term string) bool { return strings.IndexFunc(term, unicode.IsLetter) >= 0 }) {
		return false // nothing to know it by
	}
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
		case fenced, strings.HasPrefix(line, ">"):
		case strings.Contains(" "+fold(unquoted(line))+" ", " "+wanted+" "):
			return true
		}
	}
	return false
}

// unquoted is a line without what stands in quotation marks.
func unquoted(line string) string {
	for _, marks := range [...]string{`""`, "“”", "„“", "«»", "``"} {
		marks := []rune(marks)
		for {
			before, rest, ok := strings.Cut(line, string(marks[0]))
			_, after, closed := strings.Cut(rest, string(marks[1]))
			if !ok || !closed {
				break
			}
			line = before + " | " + after
		}
	}
	return line
}

// Learned are questions that the expert has answered here.
func (l *Ledger) Learned(expert string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a := l.account(expert); a != nil {
		return a.questions()
	}
	return nil
}

func (a *account) questions() []string {
	list := make([]string, len(a.learned))
	for i, learned := range a.learned {
		list[i] = learned.Question
	}
	return list
}

// learn stores a question, unless the expert has one of the same words. Of more
// than 20 the older of the two goes that are most alike.
func (l *Ledger) learn(ctx context.Context, lesson core.Learned) {
	lesson.Question = strings.TrimSpace(lesson.Question)
	l.mu.Lock()
	known := l.known[identity{lesson.Expert, lesson.Origin}]
	if known == nil { // it was forgotten meanwhile
		l.mu.Unlock()
		return
	}
	kept := slices.Clone(known.learned)
	l.mu.Unlock()
	if slices.ContainsFunc(kept, func(o core.Learned) bool { return likeness(terms(o), terms(lesson)) == 1 }) {
		return
	}
	ctx = context.WithoutCancel(ctx)
	err := l.store.Learn(ctx, lesson)
	if err == nil && len(kept) >= maxLearned {
		err = l.store.Unlearn(ctx, spare(append(kept, lesson)))
	}
	if err == nil {
		err = l.read(ctx)
	}
	if err != nil {
		l.log.Warn("a question is not stored as an example", "expert", lesson.Expert, "err", err)
	}
}

// unlearn removes what was learned from an award.
func (l *Ledger) unlearn(ctx context.Context, a Award) {
	l.mu.Lock()
	var wrong []core.Learned
	if known := l.known[identity{a.Expert, a.Origin}]; known != nil {
		for _, learned := range known.learned {
			if fold(learned.Question) == fold(a.Question) {
				wrong = append(wrong, learned)
			}
		}
	}
	l.mu.Unlock()
	for _, learned := range wrong {
		if err := l.store.Unlearn(context.WithoutCancel(ctx), learned); err != nil {
			l.log.Warn("an example of a wrong answer stays", "expert", a.Expert, "err", err)
		}
	}
}

// read takes what was learned from the store: as it is masked there, and without
// what was forgotten.
func (l *Ledger) read(ctx context.Context) error {
	all, err := l.store.Learned(ctx)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.known {
		a.learned = nil
	}
	for _, learned := range all {
		id := identity{learned.Expert, learned.Origin}
		if l.known[id] == nil {
			l.known[id] = newAccount(id, l.turn)
		}
		l.known[id].learned = append(l.known[id].learned, learned)
	}
	return nil
}

// spare is the one that is least missed: of the two that are most alike the older.
func spare(list []core.Learned) core.Learned {
	oldest, most := 0, -1.0
	for i := range list {
		for j := range i {
			if alike := likeness(terms(list[i]), terms(list[j])); alike > most {
				most, oldest = alike, j
			}
		}
	}
	return list[oldest]
}

// terms are the different words of a question that tell something. All numbers are
// alike.
func terms(l core.Learned) []string {
	list := rank.Terms(l.Question)
	for i, term := range list {
		if strings.IndexFunc(term, func(r rune) bool { return !unicode.IsDigit(r) }) < 0 {
			list[i] = "0"
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// likeness is the share of the terms of both that both have.
func likeness(a, b []string) float64 {
	both := 0
	for _, term := range a {
		if slices.Contains(b, term) {
			both++
		}
	}
	return float64(both) / float64(max(len(a)+len(b)-both, 1))
}
