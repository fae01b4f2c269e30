package clock

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// refusal is a reason, in words, why a question has no answer.
type refusal string

func (r refusal) Error() string { return string(r) }

// date is a day that a question names. A day without a year floats: it is the
// next one from today, or the last one where the question looks back.
type date struct {
	at       func(today time.Time) (time.Time, error)
	floating bool
	month    bool // a whole month, of which at is the first day
}

// day returns the first moment of a day in UTC, where every day has 24 hours.
func day(year int, month time.Month, dayOfMonth int) time.Time {
	return time.Date(year, month, dayOfMonth, 0, 0, 0, 0, time.UTC)
}

// resolve returns the day, given today's. back says that a day without a year
// is a past one.
func (d date) resolve(today time.Time, back bool) (time.Time, error) {
	t, err := d.at(today)
	if err != nil || !d.floating {
		return t, err
	}
	switch {
	case back && t.After(today):
		return d.at(today.AddDate(-1, 0, 0))
	case !back && t.Before(today):
		return d.at(today.AddDate(1, 0, 0))
	}
	return t, nil
}

const (
	monthNames   = `jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?`
	weekdayNames = `mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?`
)

var (
	isoDate   = regexp.MustCompile(`^(\d{4})[-/](\d{1,2})[-/](\d{1,2})\b`)
	dotDate   = regexp.MustCompile(`^(\d{1,2})[.](\d{1,2})[.](\d{4})\b`)
	slashDate = regexp.MustCompile(`^(\d{1,2})/(\d{1,2})/(\d{4})\b`)
	dayMonth  = regexp.MustCompile(`^(\d{1,2})(?:st|nd|rd|th)?[ -](?:of )?(` + monthNames + `)\b(?:[ -](?:in |of )?(\d{4})\b)?`)
	monthDay  = regexp.MustCompile(`^(` + monthNames + `) (?:the )?(\d{1,2})(?:st|nd|rd|th)?\b(?: (?:of |in )?(\d{4})\b)?`)
	monthOnly = regexp.MustCompile(`^(` + monthNames + `)\b(?: (?:of )?(\d{4})\b)?`)
	weekdayRE = regexp.MustCompile(`^(?:(next|last|this|coming|this coming|past) )?(` + weekdayNames + `)\b`)
	feast     = regexp.MustCompile(`^(christmas eve|christmas day|christmas|xmas|boxing day|new year'?s? eve|new year'?s? day|new years?|new year's|valentine'?s day|valentine'?s|halloween|st patrick'?s day|easter sunday|easter monday|good friday|easter|thanksgiving|bastille day|pi day)\b(?: (?:be |day )?(?:of |in )?(\d{4})\b)?`)
	nth       = regexp.MustCompile(`^(first|second|third|fourth|last|1st|2nd|3rd|4th) (` + weekdayNames + `) (?:of|in) (?:(` + monthNames + `)(?: (\d{4}))?|(next|this|the) month)\b`)
	relative  = regexp.MustCompile(`^(day after tomorrow|day before yesterday|today|tomorrow|yesterday|tonight|(?:end of|left in) (?:the |this )?year|(?:end of|left in) (?:the |this )?month|end of (\d{4})|start of (\d{4})|next (?:month|year|week)|last (?:month|year|week))\b`)
)

// readDate reads a date at the start of s and returns how much of s it is.
func readDate(s string) (date, int) {
	if m := isoDate.FindStringSubmatch(s); m != nil {
		return calendar(m[1], month(m[2]), m[3]), len(m[0])
	}
	if m := dotDate.FindStringSubmatch(s); m != nil {
		return calendar(m[3], month(m[2]), m[1]), len(m[0])
	}
	if m := slashDate.FindStringSubmatch(s); m != nil {
		return slash(m), len(m[0])
	}
	if m := dayMonth.FindStringSubmatch(s); m != nil {
		return calendar(m[3], month(m[2]), m[1]), len(m[0])
	}
	if m := monthDay.FindStringSubmatch(s); m != nil {
		return calendar(m[3], month(m[1]), m[2]), len(m[0])
	}
	if m := feast.FindStringSubmatch(s); m != nil {
		return holiday(m[1], m[2]), len(m[0])
	}
	if m := nth.FindStringSubmatch(s); m != nil {
		return nthWeekday(m), len(m[0])
	}
	if m := relative.FindStringSubmatch(s); m != nil {
		return relativeDate(m[1], m[2]+m[3]), len(m[0])
	}
	if m := weekdayRE.FindStringSubmatch(s); m != nil && (m[1] != "" || len(m[2]) > 3 || m[0] == s) {
		return weekdayDate(m[1], m[2]), len(m[0])
	}
	if m := monthOnly.FindStringSubmatch(s); m != nil && (m[2] != "" || m[1] != "may" && len(m[1]) > 3 && m[1] != "march" || m[0] == s) {
		d := calendar(m[2], month(m[1]), "1")
		d.month, d.floating = true, false
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
	return date{floating: year == "", at: func(today time.Time) (time.Time, error) {
		y := today.Year()
		if year != "" {
			y, _ = strconv.Atoi(year)
		}
		for tries := 0; year == "" && m == time.February && d == 29 && !leap(y) && tries < 8; tries++ {
			y++
		}
		t := day(y, m, d)
		if t.Day() != d || t.Month() != m || y < 1 {
			name := strconv.Itoa(int(m))
			if m >= 1 && m <= 12 {
				name = m.String()
			}
			return t, refusal(fmt.Sprintf("There is no day %d of month %s in %d.", d, name, y))
		}
		return t, nil
	}}
}

// slash reads 03/25/2026 and 25/03/2026, and asks where it could be both.
func slash(m []string) date {
	a, _ := strconv.Atoi(m[1])
	b, _ := strconv.Atoi(m[2])
	switch {
	case a > 12 || a == b:
		return calendar(m[3], time.Month(b), m[1])
	case b > 12:
		return calendar(m[3], time.Month(a), m[2])
	}
	return date{at: func(time.Time) (time.Time, error) {
		return time.Time{}, ambiguous(fmt.Sprintf("%s may be %d %s or %d %s. Write it as %s-%02d-%02d or %s-%02d-%02d.",
			m[0], a, time.Month(b), b, time.Month(a), m[3], b, a, m[3], a, b))
	}}
}

// ambiguous says what the user must choose between.
type ambiguous string

func (a ambiguous) Error() string { return string(a) }

func relativeDate(name, year string) date {
	return date{at: func(today time.Time) (time.Time, error) {
		if year != "" {
			y, _ := strconv.Atoi(year)
			if strings.HasPrefix(name, "start") {
				return day(y, 1, 1), nil
			}
			return day(y, 12, 31), nil
		}
		switch {
		case name == "tomorrow":
			return today.AddDate(0, 0, 1), nil
		case name == "yesterday":
			return today.AddDate(0, 0, -1), nil
		case name == "day after tomorrow":
			return today.AddDate(0, 0, 2), nil
		case name == "day before yesterday":
			return today.AddDate(0, 0, -2), nil
		case name == "next week":
			return today.AddDate(0, 0, 7), nil
		case name == "last week":
			return today.AddDate(0, 0, -7), nil
		case name == "next month":
			return day(today.Year(), today.Month()+1, 1), nil
		case name == "last month":
			return day(today.Year(), today.Month()-1, 1), nil
		case name == "next year":
			return day(today.Year()+1, 1, 1), nil
		case name == "last year":
			return day(today.Year()-1, 1, 1), nil
		case strings.HasSuffix(name, "year"):
			return day(today.Year(), 12, 31), nil
		case strings.HasSuffix(name, "month"):
			return day(today.Year(), today.Month()+1, 0), nil
		}
		return today, nil
	}}
}

// weekdayDate is the next such day after today, or the last one before it.
func weekdayDate(which, name string) date {
	wanted := weekday(name)
	return date{at: func(today time.Time) (time.Time, error) {
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

// nthWeekday is "first Monday of next month".
func nthWeekday(m []string) date {
	which := strings.Index("fisethfola1s2n3r4t", m[1][:2]) / 2 % 5
	return date{at: func(today time.Time) (time.Time, error) {
		first := day(today.Year(), today.Month(), 1)
		if m[3] != "" {
			first = day(today.Year(), month(m[3]), 1)
		}
		if m[4] != "" {
			y, _ := strconv.Atoi(m[4])
			first = day(y, first.Month(), 1)
		}
		if m[5] == "next" {
			first = day(first.Year(), first.Month()+1, 1)
		}
		if m[1] == "last" {
			end := day(first.Year(), first.Month()+1, 0)
			return end.AddDate(0, 0, -((int(end.Weekday()) - weekday(m[2]) + 7) % 7)), nil
		}
		return first.AddDate(0, 0, (weekday(m[2])-int(first.Weekday())+7)%7+7*which), nil
	}}
}

func weekday(name string) int { return strings.Index("sunmontuewedthufrisat", name[:3]) / 3 }

func holiday(name, year string) date {
	name = strings.ReplaceAll(name, "'", "")
	return date{floating: year == "", at: func(today time.Time) (time.Time, error) {
		y := today.Year()
		if year != "" {
			y, _ = strconv.Atoi(year)
		}
		switch {
		case name == "christmas eve":
			return day(y, 12, 24), nil
		case strings.HasPrefix(name, "christmas"), name == "xmas":
			return day(y, 12, 25), nil
		case name == "boxing day":
			return day(y, 12, 26), nil
		case strings.HasSuffix(name, "eve"):
			return day(y, 12, 31), nil
		case strings.HasPrefix(name, "new year"):
			return day(y, 1, 1), nil
		case strings.HasPrefix(name, "valentine"):
			return day(y, 2, 14), nil
		case name == "halloween":
			return day(y, 10, 31), nil
		case strings.HasPrefix(name, "st"):
			return day(y, 3, 17), nil
		case name == "bastille day":
			return day(y, 7, 14), nil
		case name == "pi day":
			return day(y, 3, 14), nil
		case name == "thanksgiving": // the fourth Thursday of November
			first := day(y, 11, 1)
			return first.AddDate(0, 0, (int(time.Thursday)-int(first.Weekday())+7)%7+21), nil
		case name == "good friday":
			return easter(y).AddDate(0, 0, -2), nil
		case name == "easter monday":
			return easter(y).AddDate(0, 0, 1), nil
		}
		return easter(y), nil
	}}
}

// easter is Easter Sunday of the Gregorian calendar (Butcher's rule).
func easter(y int) time.Time {
	a, b, c := y%19, y/100, y%100
	d := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	e := (32 + 2*(b%4) + 2*(c/4) - d - c%4) % 7
	f := d + e - 7*((a+11*d+22*e)/451) + 114
	return day(y, time.Month(f/31), f%31+1)
}

func leap(y int) bool { return y%4 == 0 && (y%100 != 0 || y%400 == 0) }
