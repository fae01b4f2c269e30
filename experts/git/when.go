package git

import (
	"fmt"
	"strings"
	"time"

	"yaap/experts/plain"
)

//nolint:gochecknoglobals // never changes; see plain.Expr
var dated = plain.Expr(`\b(?:(since|after|before|until|in|on|over|during|within) )?(?:` +
	`(today|yesterday|this (?:week|month)|(?:last )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d{4}-\d{2}-\d{2})` +
	`|(?:the )?(?:last|past)(?: (` + someN + `))? (hour|day|week|month|year)s?)\b`)

// period is a span of time and the words that named it. Either end may be
// open, which is the zero time.
type period struct {
	since, until time.Time
	words        string
}

// stamp is a time as git reads it: it takes a date after 2099, and a time before
// 1970, for now.
func stamp(t time.Time) string { return fmt.Sprint("@", max(t.Unix(), 1)) }

// dates finds the period that a prompt names, as it is at now. It is the zero
// period where there is none.
func dates(prompt string, now time.Time) period {
	m := dated().FindStringSubmatch(prompt)
	if m == nil {
		return period{}
	}
	if m[4] != "" {
		hours := map[string]int{"hour": 1, "day": 24, "week": 7 * 24, "month": 30 * 24, "year": 365 * 24}[strings.ToLower(m[4])]
		n := min(max(plain.Number(m[3]), 1), 50*365*24/hours) // nothing is before 1970, as git knows it
		return period{since: now.Add(-time.Duration(n*hours) * time.Hour), words: m[0]}
	}
	day, days := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location()), 1
	switch name := strings.TrimPrefix(strings.ToLower(m[2]), "last "); {
	case name == "today":
	case name == "yesterday":
		day = day.AddDate(0, 0, -1)
	case name == "this week":
		day, days = day.AddDate(0, 0, -(int(now.Weekday())+6)%7), 7
	case name == "this month":
		day, days = day.AddDate(0, 0, 1-now.Day()), 31
	case strings.HasSuffix(name, "day"): // the last one
		for !strings.EqualFold(day.Weekday().String(), name) {
			day = day.AddDate(0, 0, -1)
		}
	default:
		var err error
		if day, err = time.ParseInLocation(time.DateOnly, name, now.Location()); err != nil {
			return period{}
		}
		if day.Unix() < 1 { // the zero time would be no bound
			day = time.Unix(1, 0)
		}
	}
	switch strings.ToLower(m[1]) {
	case "since", "after":
		return period{since: day, words: m[0]}
	case "before", "until":
		return period{until: day, words: m[0]}
	}
	return period{day, day.AddDate(0, 0, days), m[0]}
}
