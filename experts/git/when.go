package git

import (
	"regexp"
	"strings"
	"time"
)

var (
	calendar = regexp.MustCompile(`(?i)\b(?:(since|before|until|in|on|during) )?(today|yesterday|(?:this|last) (?:week|month|year)|(?:last )?(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b`)
	span     = regexp.MustCompile(`(?i)\b(?:(?:in|over|during|within|since) )?(?:the (?:last|past)(?: (` + someN + `))?|past(?: (` + someN + `))?|last (` + someN + `)) (hour|day|week|month|year)s?\b`)
	ago      = regexp.MustCompile(`(?i)\bsince (an?|` + someN + `) (hour|day|week|month|year)s? ago\b`)
	oneDate  = regexp.MustCompile(`(?i)\b(since|after|before|until|in|on|during) (\d{4}(?:-\d{2}){0,2}|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*(?: \d{1,2}\b)?(?:,? \d{4})?)\b`)
)

// period is a span of time and the words that named it. Either end may be
// open, which is the zero time.
type period struct {
	since, until time.Time
	words        string
}

// dates finds the period that a prompt names, as it is at now.
func dates(prompt string, now time.Time) (period, bool) {
	if m := span.FindStringSubmatch(prompt); m != nil {
		return period{since: back(now, max(1, number(m[1]+m[2]+m[3])), strings.ToLower(m[4])), words: m[0]}, true
	}
	if m := ago.FindStringSubmatch(prompt); m != nil {
		return period{since: back(now, max(1, number(m[1])), strings.ToLower(m[2])), words: m[0]}, true
	}
	if m := calendar.FindStringSubmatch(prompt); m != nil {
		from, to := calendarDays(strings.ToLower(m[2]), now)
		return bounded(m[1], from, to, m[0]), true
	}
	if m := oneDate.FindStringSubmatch(prompt); m != nil {
		from, to, ok := date(m[2], now)
		return bounded(m[1], from, to, m[0]), ok
	}
	return period{}, false
}

// bounded is the span from from to to, or what is since or before it.
func bounded(preposition string, from, to time.Time, words string) period {
	switch strings.ToLower(preposition) {
	case "since", "after":
		return period{since: from, words: words}
	case "before", "until":
		return period{until: from, words: words}
	}
	return period{from, to, words}
}

// calendarDays returns where a day, a week, a month or a year begins, and
// where the next one does.
func calendarDays(name string, now time.Time) (from, to time.Time) {
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	last := 0
	if strings.HasPrefix(name, "last ") {
		last = -1
	}
	switch unit := strings.TrimPrefix(strings.TrimPrefix(name, "last "), "this "); unit {
	case "today":
		return day, day.AddDate(0, 0, 1)
	case "yesterday":
		return day.AddDate(0, 0, -1), day
	case "week":
		from = day.AddDate(0, 0, -(int(now.Weekday())+6)%7+7*last)
		return from, from.AddDate(0, 0, 7)
	case "month":
		from = day.AddDate(0, last, 1-day.Day())
		return from, from.AddDate(0, 1, 0)
	case "year":
		from = time.Date(now.Year()+last, 1, 1, 0, 0, 0, 0, now.Location())
		return from, from.AddDate(1, 0, 0)
	default: // a day of the week, the last one
		for strings.ToLower(day.Weekday().String()) != unit {
			day = day.AddDate(0, 0, -1)
		}
		return day, day.AddDate(0, 0, 1)
	}
}

// back returns the time n units before now, months and years being about so.
func back(now time.Time, n int, unit string) time.Time {
	if unit == "hour" {
		return now.Add(-time.Duration(n) * time.Hour)
	}
	days := map[string]int{"day": 1, "week": 7, "month": 30, "year": 365}[unit]
	return now.AddDate(0, 0, -days*min(n, 50*365/days)) // git knows no date before 1970
}

// date reads a day, a month or a year, and returns where it begins and where
// the next one begins.
func date(s string, now time.Time) (from, to time.Time, ok bool) {
	words := strings.Fields(strings.ReplaceAll(s, ",", ""))
	for i, w := range words {
		if w[0] > '9' && len(w) > 3 {
			words[i] = w[:3]
		}
	}
	for _, l := range []struct {
		layout           string
		year, month, day int
	}{
		{"2006-01-02", 0, 0, 1},
		{"2006-01", 0, 1, 0},
		{"2006", 1, 0, 0},
		{"Jan 2 2006", 0, 0, 1},
		{"Jan 2006", 0, 1, 0},
		{"Jan 2", 0, 0, 1},
		{"Jan", 0, 1, 0},
	} {
		t, err := time.ParseInLocation(l.layout, strings.Join(words, " "), now.Location())
		if err != nil {
			continue
		}
		if t.Year() == 0 { // the last one
			if t = t.AddDate(now.Year(), 0, 0); t.After(now) {
				t = t.AddDate(-1, 0, 0)
			}
		}
		return t, t.AddDate(l.year, l.month, l.day), true
	}
	return time.Time{}, time.Time{}, false
}
