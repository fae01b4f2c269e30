package clock

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"yaap/core"
	"yaap/experts"
)

// at is the present time at a place.
func (d *desk) at(p place) time.Time { return d.now.In(p.zone) }

// here is the zone of the user as a place.
func (d *desk) here() place {
	name := d.now.Location().String()
	if name == "Local" {
		name = "your zone"
	}
	return place{name: name, zone: d.now.Location()}
}

// place is the first that is named, or here.
func (d *desk) place() (place, error) {
	if len(d.places) == 0 {
		return d.here(), nil
	}
	return d.places[0], d.places[0].single()
}

// zoneData describes a moment at a place for programs.
func zoneData(p place, t time.Time) map[string]any {
	data := dateData(t)
	data["result"], data["time"], data["clock"] = t.Format(time.RFC3339), t.Format(time.RFC3339), t.Format("15:04")
	data["place"], data["zone"], data["offset"] = p.name, p.zone.String(), utcOffset(t)
	return data
}

// several is the data of one moment, or of several.
func several(all []any) map[string]any {
	if len(all) == 1 {
		return all[0].(map[string]any)
	}
	return map[string]any{"times": all}
}

var zoneWord = regexp.MustCompile(`\b(zone|timezone|offset)\b`)

// tell is "what time is it in Tokyo", also for several places or here.
func (d *desk) tell() (core.Reply, error) {
	switch {
	case otherWords.MatchString(d.shape) || len(d.years)+len(d.spans) > 0:
		return core.Reply{}, errUnread
	case len(d.places) == 0:
		p := d.here()
		reply := experts.Success(fmt.Sprintf("It is %s on %s (%s).", d.now.Format("15:04"), d.now.Format(fullDate), p.name), zoneData(p, d.now))
		reply.Thought = "no place named, so the local zone"
		return reply, nil
	}
	var said []string
	var all []any
	for _, p := range d.places {
		var times []string
		for _, one := range p.each() {
			all = append(all, zoneData(one, d.at(one)))
			times = append(times, one.name+" "+d.at(one).Format("15:04"))
		}
		if len(times) > 1 {
			said = append(said, p.name+" has several times: "+strings.Join(times, ", ")+".")
			continue
		}
		text := fmt.Sprintf("In %s it is %s on %s", p.name, d.at(p).Format("15:04"), d.at(p).Format(fullDate))
		if zoneWord.MatchString(d.shape) {
			text += " (" + p.zone.String() + ", " + utcOffset(d.at(p)) + ")"
		}
		said = append(said, text+"."+p.note)
	}
	return experts.Success(strings.Join(said, " "), several(all)), nil
}

var (
	sourceAfter  = regexp.MustCompile(`T (?:(?:on |at )?D )?(?:time )?(?:in |at |from )?P`)
	sourceBefore = regexp.MustCompile(`P (?:time )?(?:at |on )?(?:D )?T`)
	directSource = regexp.MustCompile(`T (?:D )?(?:from )?P|P (?:time )?T|(?:when|if|from)\b.*T (?:time )?(?:in|at) P|P .*\b(?:here|local|mine)\b`)
)

// convert is "3pm London in New York".
func (d *desk) convert() (core.Reply, error) {
	if len(d.places) == 0 || len(d.times) != 1 {
		return core.Reply{}, ambiguous("At which place is that time, and where do you want to know it? For example: \"3pm London in New York\".")
	}
	source, targets := d.here(), d.places
	if i := d.sourceIndex(); i >= 0 {
		source = d.places[i]
		targets = append(append([]place{}, d.places[:i]...), d.places[i+1:]...)
		if len(targets) == 0 {
			targets = []place{d.here()}
		}
	}
	if err := source.single(); err != nil {
		return core.Reply{}, err
	}
	from, err := d.moment(source)
	if err != nil {
		return core.Reply{}, err
	}
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
			all = append(all, zoneData(one, t))
		}
	}
	data := several(all)
	data["from"] = zoneData(source, from)
	text := fmt.Sprintf("%s in %s on %s is %s.", from.Format("15:04"), source.name, from.Format(fullDate), strings.Join(said, ", "))
	reply := experts.Success(text+note, data)
	reply.Thought = "read as a time in " + source.name
	return reply, nil
}

// sourceIndex says which of the places the time belongs to, -1 for the user's.
func (d *desk) sourceIndex() int {
	pattern := sourceAfter
	if len(d.places) == 1 {
		pattern = directSource
	}
	loc := pattern.FindStringIndex(d.shape)
	if loc == nil && len(d.places) > 1 {
		loc = sourceBefore.FindStringIndex(d.shape)
		if loc == nil {
			return 0
		}
	}
	if loc == nil {
		return -1
	}
	return max(0, strings.Count(d.shape[:loc[1]], "P")-1)
}

// moment is the time of day that was asked about, at a place, on the day that
// was named or today.
func (d *desk) moment(p place) (time.Time, error) {
	on := day(d.at(p).Date())
	if len(d.dates) > 0 {
		var err error
		if on, err = d.dates[0].at(on, false); err != nil {
			return time.Time{}, err
		}
	}
	w := d.times[0]
	t := time.Date(on.Year(), on.Month(), on.Day(), w.hour, w.minute, w.second, 0, p.zone)
	if t.Hour() != w.hour || t.Minute() != w.minute {
		return t, refusal(fmt.Sprintf("%02d:%02d does not exist in %s on %s: the clocks go forward then.", w.hour, w.minute, p.name, on.Format(shortDate)))
	}
	return t, nil
}

// apart is "time difference between Berlin and Tokyo", or from here.
func (d *desk) apart() (core.Reply, error) {
	if len(d.places) == 1 {
		d.places = append(d.places, d.here())
	}
	if len(d.places) != 2 {
		return core.Reply{}, errUnread
	}
	a, b := d.places[0], d.places[1]
	if err := errors.Join(a.single(), b.single()); err != nil {
		return core.Reply{}, err
	}
	atA, atB := d.at(a), d.at(b)
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
	reply := experts.Success(fmt.Sprintf("%s: %s in %s is %s in %s.%s%s", text, atA.Format("15:04"), a.name, atB.Format("15:04"), b.name, a.note, b.note), map[string]any{
		"result": float64(minutes) / 60, "minutes": float64(minutes), "hours": float64(minutes) / 60, "times": []any{zoneData(a, atA), zoneData(b, atB)},
	})
	reply.Thought = "the difference as of now; daylight saving may change it"
	return reply, nil
}

// until is "how many hours until 5pm".
func (d *desk) until() (core.Reply, error) {
	if len(d.times) > 1 {
		return core.Reply{}, errUnread
	}
	p, err := d.place()
	if err != nil {
		return core.Reply{}, err
	}
	t, err := d.moment(p)
	if err != nil {
		return core.Reply{}, err
	}
	if t.Before(d.now) && len(d.dates) == 0 {
		t = t.AddDate(0, 0, 1)
	}
	minutes := int(t.Sub(d.now).Round(time.Minute) / time.Minute)
	text := fmt.Sprintf("%s on %s is %s away.", t.Format("15:04"), t.Format(fullDate), hoursMinutes(minutes))
	if minutes < 0 {
		text = fmt.Sprintf("%s on %s was %s ago.", t.Format("15:04"), t.Format(fullDate), hoursMinutes(-minutes))
	}
	data := zoneData(p, t)
	data["result"], data["minutes"] = float64(minutes), float64(minutes)
	return experts.Success(text, data), nil
}

func hoursMinutes(minutes int) string {
	h, m := minutes/60, minutes%60
	switch {
	case h == 0:
		return plural(m, "minute")
	case m == 0:
		return plural(h, "hour")
	}
	return plural(h, "hour") + " " + plural(m, "minute")
}
