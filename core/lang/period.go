package lang

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Period is a time that a text names: from its first day to the one after the last.
type Period struct {
	From, To time.Time
	Words    []string // that name it, in lower case
	Relative bool     // it is counted from today: "yesterday", and not "in May"
}

// PeriodIn returns the time that a text names in any of the languages: a day as
// 2026-03-04 or 4 March 2026, a month, a year of four digits that begins with 19 or
// 20, a weekday, or one that is counted from now, such as "last week". A weekday is
// the last one before today; a month without a year the last one that has begun.
func PeriodIn(text string, now time.Time) (p Period, ok bool) {
	words := Words(text)
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	for _, w := range words {
		if from, err := time.ParseInLocation(time.DateOnly, w, now.Location()); err == nil {
			return Period{from, from.AddDate(0, 0, 1), []string{w}, false}, true
		}
		if from, err := time.ParseInLocation("2006-01", w, now.Location()); err == nil {
			return Period{from, from.AddDate(0, 1, 0), []string{w}, false}, true
		}
	}
	for _, l := range tables() {
		if p, ok := l.counted(words, today); ok {
			return p, true
		}
	}
	for _, l := range tables() {
		if p, ok := l.named(words, today); ok {
			return p, true
		}
	}
	for _, w := range words {
		if year, ok := yearOf(w); ok {
			from := time.Date(year, time.January, 1, 0, 0, 0, 0, now.Location())
			return Period{from, from.AddDate(1, 0, 0), []string{w}, false}, true
		}
	}
	return Period{}, false
}

// counted returns a time that is counted from today.
func (l *Language) counted(words []string, today time.Time) (Period, bool) {
	monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7)
	month := today.AddDate(0, 0, 1-today.Day())
	year := time.Date(today.Year(), time.January, 1, 0, 0, 0, 0, today.Location())
	tomorrow := today.AddDate(0, 0, 1)
	for _, c := range [...]struct {
		name     string
		from, to time.Time
	}{
		{"day before yesterday", today.AddDate(0, 0, -2), today.AddDate(0, 0, -1)},
		{"yesterday", today.AddDate(0, 0, -1), today},
		{"today", today, tomorrow},
		{"last week", monday.AddDate(0, 0, -7), monday},
		{"this week", monday, tomorrow},
		{"last month", month.AddDate(0, -1, 0), month},
		{"this month", month, tomorrow},
		{"last year", year.AddDate(-1, 0, 0), year},
		{"this year", year, tomorrow},
	} {
		for phrase := range strings.SplitSeq(l.Phrase(c.name), ",") {
			if name := strings.Fields(phrase); within(words, name) {
				return Period{c.from, c.to, name, true}, true
			}
		}
	}
	return Period{}, false
}

// named returns a day, a month or a weekday that has a name.
func (l *Language) named(words []string, today time.Time) (Period, bool) {
	for i, name := range strings.Fields(strings.ToLower(l.Phrase("months"))) {
		at := slices.Index(words, name)
		if at < 0 || l.Has(Function, name) && !l.dated(words, at) { // "may I"
			continue
		}
		p := Period{Words: []string{name}}
		year, day := 0, 0
		for j := max(at-2, 0); j < min(at+3, len(words)); j++ {
			if y, ok := yearOf(words[j]); ok {
				year, p.Words = y, append(p.Words, words[j])
			} else if n, err := strconv.Atoi(strings.TrimRight(words[j], ".stndrh")); err == nil && n >= 1 && n <= 31 {
				day, p.Words = n, append(p.Words, words[j])
			}
		}
		p.From = time.Date(cmp.Or(year, today.Year()), time.Month(i+1), max(day, 1), 0, 0, 0, 0, today.Location())
		if year == 0 && p.From.After(today) {
			p.From = p.From.AddDate(-1, 0, 0)
		}
		if p.To = p.From.AddDate(0, 1, 0); day > 0 {
			p.To = p.From.AddDate(0, 0, 1)
		}
		return p, true
	}
	for i, name := range strings.Fields(l.Phrase("weekdays")) {
		if slices.Contains(words, name) {
			back := (int(today.Weekday())-i+6)%7 + 1
			return Period{today.AddDate(0, 0, -back), today.AddDate(0, 0, 1-back), []string{name}, false}, true
		}
	}
	return Period{}, false
}

// dated reports whether the word at a place stands where a month does.
func (l *Language) dated(words []string, at int) bool {
	if at+1 < len(words) && words[at+1][0] >= '0' && words[at+1][0] <= '9' {
		return true
	}
	return at > 0 && (l.Has("relation", words[at-1]) || words[at-1] == "last" || words[at-1] == "this" || words[at-1][0] >= '0' && words[at-1][0] <= '9')
}

func yearOf(w string) (int, bool) {
	if len(w) != 4 || w[:2] != "19" && w[:2] != "20" {
		return 0, false
	}
	year, err := strconv.Atoi(w)
	return year, err == nil
}

// within reports whether words stand in a row among others.
func within(words, row []string) bool {
	for i := 0; len(row) > 0 && i+len(row) <= len(words); i++ {
		if slices.Equal(words[i:i+len(row)], row) {
			return true
		}
	}
	return false
}

// CutPhrase returns the words of a text without the first occurrence of the words of row.
func CutPhrase(text string, row []string) string {
	words := tokens(text)
	for i := 0; len(row) > 0 && i+len(row) <= len(words); i++ {
		if startsWith(words[i:], phrase{words: row}) {
			return text[:words[i].start] + text[words[i+len(row)-1].end:]
		}
	}
	return text
}
