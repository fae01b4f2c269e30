package git

import (
	"regexp"
	"strings"
	"time"
)

var (
	named   = regexp.MustCompile(`(?i)\b(?:(since|after|before|until|in|on|during) )?(today|yesterday|(?:this|last) (?:week|month|year)|(?:last )?(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b`)
	isoDate = regexp.MustCompile(`(?i)\b(since|after|before|until|in|on|during) (\d{4}(?:-\d{2}){0,2})\b`)
	span    = regexp.MustCompile(`(?i)\b(?:(?:in|over|during|within|since) )?(?:the (?:last|past)(?: (` + someN + `))?|past(?: (` + someN + `))?|last (` + someN + `)) (hour|day|week|month|year)s?\b`)
	ago     = regexp.MustCompile(`(?i)\bsince (?:an?|(` + someN + `)) (hour|day|week|month|year)s? ago\b`)
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
		return period{since: back(now, number(m[1]+m[2]+m[3]), m[4]), words: m[0]}, true
	}
	if m := ago.FindStringSubmatch(prompt); m != nil {
		return period{since: back(now, number(m[1]), m[2]), words: m[0]}, true
	}
	for _, re := range []*regexp.Regexp{named, isoDate} {
		m := re.FindStringSubmatch(prompt)
		if m == nil {
			continue
		}
		from, to, ok := calendar(strings.ToLower(m[2]), now)
		switch strings.ToLower(m[1]) {
		case "since", "after":
			to = time.Time{}
		case "before", "until":
			from, to = time.Time{}, from
		}
		return period{from, to, m[0]}, ok
	}
	return period{}, false
}

// back returns the time n units before now, one unit where n is 0. Months and
// years are about so long, and nothing is before 1970, as git knows it.
func back(now time.Time, n int, unit string) time.Time {
	hours := map[string]int{"hour": 1, "day": 24, "week": 7 * 24, "month": 30 * 24, "year": 365 * 24}[strings.ToLower(unit)]
	return now.Add(-time.Duration(min(max(n, 1), 50*365*24/hours)*hours) * time.Hour)
}

// calendar returns where a day, a week, a month or a year begins, and where
// the next one does.
func calendar(name string, now time.Time) (from, to time.Time, ok bool) {
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	last := 0
	if strings.HasPrefix(name, "last ") {
		last = -1
	}
	switch unit := strings.TrimPrefix(strings.TrimPrefix(name, "last "), "this "); unit {
	case "today":
		from = day
	case "yesterday":
		from = day.AddDate(0, 0, -1)
	case "week":
		from = day.AddDate(0, 0, -(int(now.Weekday())+6)%7+7*last)
		return from, from.AddDate(0, 0, 7), true
	case "month":
		name = day.AddDate(0, last, 1-day.Day()).Format("2006-01")
	case "year":
		name = day.AddDate(last, 0, 0).Format("2006")
	default: // a day of the week is the last one
		for i := range 7 {
			if d := day.AddDate(0, 0, -i); strings.EqualFold(d.Weekday().String(), unit) {
				from = d
			}
		}
	}
	if !from.IsZero() {
		return from, from.AddDate(0, 0, 1), true
	}
	if from, err := time.ParseInLocation("2006-01-02", name, now.Location()); err == nil {
		return from, from.AddDate(0, 0, 1), true
	}
	if from, err := time.ParseInLocation("2006-01", name, now.Location()); err == nil {
		return from, from.AddDate(0, 1, 0), true
	}
	from, err := time.ParseInLocation("2006", name, now.Location())
	return from, from.AddDate(1, 0, 0), err == nil
}
