package clock

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"yaap/core"
	"yaap/experts"
)

// here is the zone of the user as a place.
func (d *desk) here() place {
	name := d.now.Location().String()
	if name == "Local" {
		name = "your zone"
	}
	return place{name: name, zone: d.now.Location()}
}

// place is the first that is named, or here.
func (d *desk) place() place {
	if len(d.places) == 0 {
		return d.here()
	}
	return d.places[0].single()
}

// momentData describes a moment at a place for programs.
func momentData(p place, t time.Time) map[string]any {
	data := dateData(t)
	data["result"], data["time"], data["clock"] = t.Format(time.RFC3339), t.Format(time.RFC3339), t.Format("15:04")
	data["place"], data["zone"], data["offset"] = p.name, p.zone.String(), offsetOf(t)
	return data
}

func offsetOf(t time.Time) string {
	_, seconds := t.Zone()
	return offsetName(seconds)
}

// several is the data of one moment, or of several.
func several(all []any) map[string]any {
	if len(all) == 1 {
		return all[0].(map[string]any)
	}
	return map[string]any{"times": all}
}

// tell is "what time is it in Tokyo", also for several places or here.
func (d *desk) tell() core.Reply {
	expect(len(d.years)+len(d.spans)+len(d.dates) == 0 && !d.has("before", "after", "second", "flight", "train", "call", "meeting", "game", "leaves", "starts", "begins", "arrives"))
	expect(!d.has("day") || !d.has("year"))
	if len(d.places) == 0 {
		p := d.here()
		return experts.Success(fmt.Sprintf("It is %s on %s (%s).", d.now.Format("15:04"), d.now.Format(fullDate), p.name), momentData(p, d.now))
	}
	var said []string
	var all []any
	for _, p := range d.places {
		var times []string
		for _, one := range p.each() {
			t := d.now.In(one.zone)
			all = append(all, momentData(one, t))
			times = append(times, one.name+" "+t.Format("15:04"))
		}
		t := d.now.In(p.zone)
		text := fmt.Sprintf("In %s it is %s on %s", p.name, t.Format("15:04"), t.Format(fullDate))
		switch {
		case len(times) > 1:
			text = p.name + " has several times: " + strings.Join(times, ", ")
		case d.has("zone", "timezone", "offset"):
			text += " (" + p.zone.String() + ", " + offsetOf(t) + ")"
		}
		said = append(said, text+"."+p.note)
	}
	return experts.Success(strings.Join(said, " "), several(all))
}

// convert is "3pm London in New York".
func (d *desk) convert() core.Reply {
	if len(d.places) == 0 || len(d.times) != 1 {
		panic(ambiguous("At which place is that time, and where do you want to know it? For example: \"3pm London in New York\"."))
	}
	source, targets := d.here(), d.places
	if i := d.sourceIndex(); i >= 0 {
		source, targets = d.places[i], slices.Delete(slices.Clone(d.places), i, i+1)
		if len(targets) == 0 {
			targets = []place{d.here()}
		}
	}
	from := d.moment(source.single())
	var said []string
	var all []any
	note := source.note
	for _, target := range targets {
		note += target.note
		for _, one := range target.each() {
			t := from.In(one.zone)
			on := ""
			if t.YearDay() != from.YearDay() {
				on = " on " + t.Format(fullDate)
			}
			said = append(said, t.Format("15:04")+on+" in "+one.name)
			all = append(all, momentData(one, t))
		}
	}
	data := several(all)
	data["from"] = momentData(source, from)
	return experts.Success(fmt.Sprintf("%s in %s on %s is %s.%s", from.Format("15:04"), source.name, from.Format(fullDate), strings.Join(said, ", "), note), data)
}

// sourceIndex says which of the places the time belongs to, -1 for the user's.
func (d *desk) sourceIndex() int {
	patterns := []string{`T (?:(?:on |at )?D )?(?:time )?(?:in |at |from )?P`, `P (?:time )?(?:at |on )?(?:D )?T`, `P`}
	if len(d.places) == 1 {
		patterns = []string{`T (?:D )?(?:from )?P|P (?:time )?T|(?:when|if|from)\b.*T (?:time )?(?:in|at) P|P .*\b(?:here|local|mine)\b`}
	}
	for _, pattern := range patterns {
		if loc := regexp.MustCompile(pattern).FindStringIndex(d.shape); loc != nil {
			return max(0, strings.Count(d.shape[:loc[1]], "P")-1)
		}
	}
	return -1
}

// moment is the time of day that was asked about, at a place, on the day that
// was named or today.
func (d *desk) moment(p place) time.Time {
	on := day(d.now.In(p.zone).Date())
	if len(d.dates) > 0 {
		on = d.dates[0].at(on, false)
	}
	w := d.times[0]
	t := time.Date(on.Year(), on.Month(), on.Day(), w.hour, w.minute, w.second, 0, p.zone)
	at := fmt.Sprintf("%02d:%02d", w.hour, w.minute)
	if t.Format("15:04") != at {
		panic(refusal(fmt.Sprintf("%s does not exist in %s on %s: the clocks go forward then.", at, p.name, on.Format(shortDate))))
	}
	for _, other := range []time.Time{t.Add(-time.Hour), t.Add(time.Hour)} {
		if other.Format("15:04") == at {
			panic(ambiguous(fmt.Sprintf("%s comes twice in %s on %s, as the clocks go back then: at %s and %s. Which one do you mean?",
				at, p.name, on.Format(shortDate), offsetOf(t), offsetOf(other))))
		}
	}
	return t
}

// apart is "time difference between Berlin and Tokyo", or from here.
func (d *desk) apart() core.Reply {
	if len(d.places) == 1 {
		d.places = append(d.places, d.here())
	}
	expect(len(d.places) == 2)
	a, b := d.places[0].single(), d.places[1].single()
	atA, atB := d.now.In(a.zone), d.now.In(b.zone)
	_, offA := atA.Zone()
	_, offB := atB.Zone()
	minutes := (offB - offA) / 60
	text := fmt.Sprintf("%s and %s have the same time", a.name, b.name)
	switch {
	case minutes > 0:
		text = fmt.Sprintf("%s is %s ahead of %s", b.name, hoursMinutes(minutes), a.name)
	case minutes < 0:
		text = fmt.Sprintf("%s is %s behind %s", b.name, hoursMinutes(-minutes), a.name)
	}
	return experts.Success(fmt.Sprintf("%s: %s in %s is %s in %s.%s%s", text, atA.Format("15:04"), a.name, atB.Format("15:04"), b.name, a.note, b.note),
		map[string]any{"result": float64(minutes) / 60, "minutes": float64(minutes), "times": []any{momentData(a, atA), momentData(b, atB)}})
}

// until is "how many hours until 5pm".
func (d *desk) until() core.Reply {
	expect(len(d.times) == 1)
	p := d.place()
	t := d.moment(p)
	if t.Before(d.now) && len(d.dates) == 0 {
		t = t.AddDate(0, 0, 1)
	}
	minutes := int(math.Round(float64(t.Unix()-d.now.Unix()) / 60))
	text := fmt.Sprintf("%s on %s is %s away.", t.Format("15:04"), t.Format(fullDate), hoursMinutes(minutes))
	if minutes < 0 {
		text = fmt.Sprintf("%s on %s was %s ago.", t.Format("15:04"), t.Format(fullDate), hoursMinutes(-minutes))
	}
	data := momentData(p, t)
	data["result"], data["minutes"] = float64(minutes), float64(minutes)
	return experts.Success(text, data)
}

// unix turns seconds since 1970 into a time, or a time into those.
func (d *desk) unix() core.Reply {
	if len(d.spans) > 0 {
		panic(ambiguous("Of which moment do you want the Unix time? For example: \"unix time of 2026-01-01\"."))
	}
	p := d.place()
	if len(d.places) == 0 && len(d.numbers)+len(d.times)+len(d.dates) > 0 {
		p = place{name: "UTC", zone: time.UTC}
	}
	if len(d.numbers) > 0 {
		t := time.Unix(d.numbers[0], 0).In(p.zone)
		if d.numbers[0] >= 1e11 {
			t = time.UnixMilli(d.numbers[0]).In(p.zone)
		}
		return experts.Success(fmt.Sprintf("%d is %s on %s (%s).", d.numbers[0], t.Format("15:04:05"), t.Format(fullDate), p.name), momentData(p, t))
	}
	t := d.now.In(p.zone)
	if len(d.times)+len(d.dates) > 0 {
		d.times = append(d.times, timeOfDay{})
		t = d.moment(p)
	}
	data := momentData(p, t)
	data["result"], data["unix"] = float64(t.Unix()), float64(t.Unix())
	return experts.Success(fmt.Sprintf("The Unix time of %s is %d.", t.Format("2006-01-02 15:04:05 MST"), t.Unix()), data)
}

func hoursMinutes(minutes int) string {
	h, m := minutes/60, minutes%60
	switch {
	case h == 0:
		return count(m, "minute")
	case m == 0:
		return count(h, "hour")
	}
	return count(h, "hour") + " " + count(m, "minute")
}
