package git

import (
	"regexp"
	"strings"
	"time"
)

var (
	relative = regexp.MustCompile(`(?i)\b(?:(?:in|over|during|within|for|since|before|until) )?(?:the )?(today|yesterday|this (?:morning|week|month|year)|(?:last|past|previous) (?:week|month|year))\b`)
	rolling  = regexp.MustCompile(`(?i)\bthe (?:last|past|previous)\b|\bpast\b`)
	lastSpan = regexp.MustCompile(`(?i)\b(?:(?:in|over|during|within|since) )?(?:the )?(?:last|past|previous) (\d{1,4} |two |three |four |five |six |seven |ten |few |couple of |)(minute|hour|day|week|fortnight|month|year)s?\b`)
	agoSpan  = regexp.MustCompile(`(?i)\b(?:since |after )?(\d{1,4}|an?|two|three|four|five|six|seven|ten) (minute|hour|day|week|fortnight|month|year)s? ago\b`)
	weekday  = regexp.MustCompile(`(?i)\b(since|on|after|from|last|this|until|before)(?: last| this)? (mon|tues|wednes|thurs|fri|satur|sun)day\b`)
	twoDates = regexp.MustCompile(`(?i)\b(?:between|from) (` + aDate + `) (?:and|to|until) (` + aDate + `)`)
	oneDate  = regexp.MustCompile(`(?i)\b(since|after|from|before|until|till|in|on|during) (` + aDate + `)`)
)

const aDate = `\d{4}-\d{2}-\d{2}|\d{4}-\d{2}|(?:\d{1,2}(?:st|nd|rd|th)? )?(?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?: \d{1,2}(?:st|nd|rd|th)?\b)?(?:,? \d{4})?|\d{4}\b`

// moment is a point in time, and the words of the prompt that named it.
type moment struct {
	time  time.Time
	words string
}

// dates finds the period that words name, as it is at now. Either end may be
// open, which is the zero time.
func dates(words string, now time.Time) (since, until moment, ok bool) {
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	monday := day.AddDate(0, 0, -(int(now.Weekday())+6)%7)
	if m := twoDates.FindStringSubmatch(words); m != nil {
		from, _, ok1 := date(m[1], now)
		_, to, ok2 := date(m[2], now)
		return moment{from, m[0]}, moment{to, m[0]}, ok1 && ok2
	}
	if m := relative.FindStringSubmatch(words); m != nil && !rolling.MatchString(m[0]) {
		from, to := day, time.Time{}
		switch strings.NewReplacer("past ", "last ", "previous ", "last ").Replace(strings.ToLower(m[1])) {
		case "yesterday":
			from, to = day.AddDate(0, 0, -1), day
		case "this week":
			from = monday
		case "last week":
			from, to = monday.AddDate(0, 0, -7), monday
		case "this month":
			from = day.AddDate(0, 0, 1-day.Day())
		case "last month":
			to = day.AddDate(0, 0, 1-day.Day())
			from = to.AddDate(0, -1, 0)
		case "this year":
			from = time.Date(now.Year(), 1, 1, 0, 0, 0, 0, now.Location())
		case "last year":
			to = time.Date(now.Year(), 1, 1, 0, 0, 0, 0, now.Location())
			from = to.AddDate(-1, 0, 0)
		}
		switch low := strings.ToLower(m[0]); {
		case strings.HasPrefix(low, "since"):
			to = time.Time{}
		case strings.HasPrefix(low, "before"), strings.HasPrefix(low, "until"):
			from, to = time.Time{}, from
		}
		return moment{from, m[0]}, moment{to, m[0]}, true
	}
	for _, re := range []*regexp.Regexp{lastSpan, agoSpan} {
		if m := re.FindStringSubmatch(words); m != nil {
			return moment{back(now, max(1, number(strings.TrimSpace(m[1]))), strings.ToLower(m[2])), m[0]}, moment{}, true
		}
	}
	if m := weekday.FindStringSubmatch(words); m != nil {
		d := day
		for !strings.HasPrefix(strings.ToLower(d.Weekday().String()), strings.ToLower(m[2])) {
			d = d.AddDate(0, 0, -1)
		}
		switch strings.ToLower(m[1]) {
		case "on", "last", "this":
			return moment{d, m[0]}, moment{d.AddDate(0, 0, 1), m[0]}, true
		case "until", "before":
			return moment{time.Time{}, m[0]}, moment{d, m[0]}, true
		}
		return moment{d, m[0]}, moment{}, true
	}
	if m := oneDate.FindStringSubmatch(words); m != nil {
		from, to, ok := date(m[2], now)
		switch strings.ToLower(m[1]) {
		case "since", "from", "after":
			to = time.Time{}
		case "before", "until", "till":
			from, to = time.Time{}, from
		}
		return moment{from, m[0]}, moment{to, m[0]}, ok
	}
	return moment{}, moment{}, false
}

func back(now time.Time, n int, unit string) time.Time {
	switch unit {
	case "minute":
		return now.Add(-time.Duration(n) * time.Minute)
	case "hour":
		return now.Add(-time.Duration(n) * time.Hour)
	case "week":
		return now.AddDate(0, 0, -7*n)
	case "fortnight":
		return now.AddDate(0, 0, -14*n)
	case "month":
		return now.AddDate(0, -n, 0)
	case "year":
		return now.AddDate(-n, 0, 0)
	}
	return now.AddDate(0, 0, -n)
}

var ordinal = regexp.MustCompile(`(?i)(\d)(?:st|nd|rd|th)\b`)

// date reads a day, a month or a year, and returns where it begins and where
// the next one begins.
func date(s string, now time.Time) (from, to time.Time, ok bool) {
	s = ordinal.ReplaceAllString(strings.NewReplacer(",", "", ".", "", "of ", "").Replace(s), "$1")
	words := strings.Fields(s)
	for i, w := range words {
		if w[0] > '9' && len(w) > 3 {
			words[i] = w[:3]
		}
	}
	s = strings.Join(words, " ")
	layouts := []struct {
		layout           string
		year, month, day int
		yearless         bool
	}{
		{"2006-01-02", 0, 0, 1, false},
		{"2006-01", 0, 1, 0, false},
		{"2006", 1, 0, 0, false},
		{"Jan 2 2006", 0, 0, 1, false},
		{"2 Jan 2006", 0, 0, 1, false},
		{"Jan 2006", 0, 1, 0, false},
		{"Jan 2", 0, 0, 1, true},
		{"2 Jan", 0, 0, 1, true},
		{"Jan", 0, 1, 0, true},
	}
	for _, l := range layouts {
		t, err := time.ParseInLocation(l.layout, s, now.Location())
		if err != nil {
			continue
		}
		if l.yearless {
			if t = t.AddDate(now.Year(), 0, 0); t.After(now) {
				t = t.AddDate(-1, 0, 0)
			}
		}
		return t, t.AddDate(l.year, l.month, l.day), true
	}
	return time.Time{}, time.Time{}, false
}
