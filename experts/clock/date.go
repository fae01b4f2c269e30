package clock

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// date is a day that a question names. It is found when today is known; one
// without a year is the next one from today, or the last one if back.
type date struct {
	at    func(today time.Time, back bool) (time.Time, error)
	month bool // a whole month, of which at is the first day
}

// day returns the first moment of a day in UTC, where every day has 24 hours.
func day(year int, month time.Month, dayOfMonth int) time.Time {
	return time.Date(year, month, dayOfMonth, 0, 0, 0, 0, time.UTC)
}

func daysBetween(from, to time.Time) int { return int(to.Sub(from) / (24 * time.Hour)) }

const (
	monthNames   = `jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?`
	weekdayNames = `mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?`
)

var (
	isoDate   = regexp.MustCompile(`^(\d{4})[-/](\d{1,2})[-/](\d{1,2})\b`)
	dotDate   = regexp.MustCompile(`^(\d{1,2})[.](\d{1,2})[.](\d{4})\b`)
	daySlash  = regexp.MustCompile(`^(1[3-9]|2\d|3[01])/(\d{1,2})/(\d{4})\b`)
	slashDay  = regexp.MustCompile(`^(\d{1,2})/(1[3-9]|2\d|3[01])/(\d{4})\b`)
	slashDate = regexp.MustCompile(`^\d{1,2}/\d{1,2}/\d{4}\b`)
	dayMonth  = regexp.MustCompile(`^(\d{1,2})(?:st|nd|rd|th)?[ -](?:of )?(` + monthNames + `)\b(?:[ -](?:be )?(?:in |of )?(\d{4})\b)?`)
	monthDay  = regexp.MustCompile(`^(` + monthNames + `) (?:the )?(\d{1,2})(?:st|nd|rd|th)?\b(?: (?:of |in )?(\d{4})\b)?`)
	monthOnly = regexp.MustCompile(`^(` + monthNames + `)\b(?: (?:of )?(\d{4})\b)?`)
	weekdayRE = regexp.MustCompile(`^(?:(next|last|this|coming|past) )?(` + weekdayNames + `)\b`)
	yearEnd   = regexp.MustCompile(`^(?:end of|left in) (?:(\d{4})|the year)\b`)
	relative  = regexp.MustCompile(`^(day after tomorrow|day before yesterday|today|tomorrow|yesterday|tonight|(?:next|last) (?:week|month)|(?:end of|left in) (?:the |this )?month)\b`)
)

// readDate reads a date at the start of s and returns how much of s it is.
func readDate(s string) (date, int) {
	for _, form := range []struct {
		re               *regexp.Regexp
		year, month, day int // which group is which
	}{{isoDate, 1, 2, 3}, {dotDate, 3, 2, 1}, {daySlash, 3, 2, 1}, {slashDay, 3, 1, 2}, {dayMonth, 3, 2, 1}, {monthDay, 3, 1, 2}} {
		if m := form.re.FindStringSubmatch(s); m != nil {
			return calendar(m[form.year], month(m[form.month]), m[form.day]), len(m[0])
		}
	}
	if m := slashDate.FindString(s); m != "" {
		return date{at: func(time.Time, bool) (time.Time, error) {
			return time.Time{}, ambiguous(m + " may be two days. Write the year first: 2026-04-03 is 3 April.")
		}}, len(m)
	}
	if m := yearEnd.FindStringSubmatch(s); m != nil {
		return calendar(m[1], time.December, "31"), len(m[0])
	}
	if m := relative.FindString(s); m != "" {
		return relativeDate(m), len(m)
	}
	if m := weekdayRE.FindStringSubmatch(s); m != nil && (m[1] != "" || len(m[2]) > 3 || m[0] == s) {
		return weekdayDate(m[1], m[2]), len(m[0])
	}
	if m := monthOnly.FindStringSubmatch(s); m != nil && (m[2] != "" || m[1] != "may" && len(m[1]) > 3 && m[1] != "march" || m[0] == s) {
		d := calendar(m[2], month(m[1]), "1")
		d.month = true
		return d, len(m[0])
	}
	return date{}, 0
}

// month reads a month's number or name.
func month(s string) time.Month {
	if n, err := strconv.Atoi(s); err == nil {
		return time.Month(n)
	}
	return time.Month(strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", s[:3])/3 + 1)
}

// calendar is a date with a year, or without one.
func calendar(year string, m time.Month, dayOfMonth string) date {
	d, _ := strconv.Atoi(dayOfMonth)
	return date{at: func(today time.Time, back bool) (time.Time, error) {
		if year != "" {
			y, _ := strconv.Atoi(year)
			return exactDay(y, m, d)
		}
		step := 1
		if back {
			step = -1
		}
		y := today.Year()
		t, err := exactDay(y, m, d)
		for tries := 0; tries < 8 && (err != nil || back && t.After(today) || !back && t.Before(today)); tries++ { // 29 February may be 8 years away
			y += step
			t, err = exactDay(y, m, d)
		}
		return t, err
	}}
}

func exactDay(y int, m time.Month, d int) (time.Time, error) {
	t := day(y, m, d)
	if t.Day() == d && t.Month() == m && y > 0 {
		return t, nil
	}
	return t, refusal(fmt.Sprintf("There is no day %d of month %d in %d.", d, m, y))
}

func relativeDate(name string) date {
	firstOf := map[string]int{"next month": 1, "last month": -1}[name]
	return date{month: firstOf != 0, at: func(today time.Time, _ bool) (time.Time, error) {
		switch {
		case firstOf != 0:
			return day(today.Year(), today.Month()+time.Month(firstOf), 1), nil
		case strings.HasSuffix(name, "month"): // its end
			return day(today.Year(), today.Month()+1, 0), nil
		}
		days := map[string]int{
			"tomorrow": 1, "yesterday": -1, "day after tomorrow": 2, "day before yesterday": -2, "next week": 7, "last week": -7,
		}
		return today.AddDate(0, 0, days[name]), nil
	}}
}

// weekdayDate is the next such day after today, or the last one before it.
func weekdayDate(which, name string) date {
	wanted := strings.Index("sunmontuewedthufrisat", name[:3]) / 3
	return date{at: func(today time.Time, _ bool) (time.Time, error) {
		ahead := (wanted - int(today.Weekday()) + 7) % 7
		if which == "last" || which == "past" {
			ahead -= 7
		}
		if ahead == 0 && which != "this" {
			ahead = 7
		}
		return today.AddDate(0, 0, ahead), nil
	}}
}

func leap(y int) bool { return day(y, 12, 31).YearDay() == 366 }
