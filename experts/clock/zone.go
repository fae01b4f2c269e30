package clock

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"yaap/core"
	"yaap/experts"
)

// at returns the present time at a place.
func (d *desk) at(p place) (time.Time, error) {
	loc, err := p.location()
	if err != nil {
		return time.Time{}, refusal("I have no rules for the zone " + p.zones[0] + ".")
	}
	return d.now.In(loc), nil
}

// here is the zone of the user as a place.
func (d *desk) here() place {
	name := d.local.String()
	if name == "Local" {
		name = "your zone"
	}
	return place{name: name, fixed: d.local, local: true}
}

// zoneData describes a moment at a place for programs.
func zoneData(p place, t time.Time) map[string]any {
	zone := t.Location().String()
	if p.fixed == nil {
		zone = p.zones[0]
	}
	year, week := t.ISOWeek()
	return map[string]any{
		"result": t.Format(time.RFC3339), "place": p.name, "zone": zone, "time": t.Format(time.RFC3339), "date": t.Format(time.DateOnly),
		"clock": t.Format("15:04"), "weekday": t.Weekday().String(), "offset": utcOffset(t),
		"iso_week": fmt.Sprintf("%d-W%02d", year, week),
	}
}

func utcOffset(t time.Time) string {
	_, seconds := t.Zone()
	sign := "+"
	if seconds < 0 {
		sign, seconds = "-", -seconds
	}
	if seconds == 0 {
		return "UTC"
	}
	if minutes := seconds / 60 % 60; minutes != 0 {
		return fmt.Sprintf("UTC%s%d:%02d", sign, seconds/3600, minutes)
	}
	return fmt.Sprintf("UTC%s%d", sign, seconds/3600)
}

// tell is "what time is it in Tokyo", also for several places or here.
func (d *desk) tell() (core.Reply, error) {
	places := d.places
	if len(places) == 0 {
		t := d.now
		reply := experts.Success(fmt.Sprintf("It is %s on %s (%s).", t.Format("15:04"), t.Format(fullDate), d.here().name), zoneData(d.here(), t))
		reply.Thought = "no place named, so the local zone"
		return reply, nil
	}
	var parts []string
	var all []any
	for i, p := range places {
		for _, one := range p.each() {
			t, err := d.at(one)
			if err != nil {
				return core.Reply{}, err
			}
			all = append(all, zoneData(one, t))
			if len(p.zones) > 1 {
				parts = append(parts, one.name+" "+t.Format("15:04"))
			} else {
				text := fmt.Sprintf("In %s it is %s on %s", one.called(t), t.Format("15:04"), t.Format(fullDate))
				if zoneWord.MatchString(d.shape) {
					text += " (" + one.zones[0] + ", " + utcOffset(t) + ")"
				}
				parts = append(parts, text)
			}
		}
		if len(p.zones) > 1 && i == 0 {
			parts[0] = p.name + " has several times: " + parts[0]
		}
	}
	data := map[string]any{"times": all}
	if len(all) == 1 {
		data = all[0].(map[string]any)
	}
	reply := experts.Success(strings.Join(parts, separator(places))+"."+notes(places), data)
	reply.Thought = "the present time in " + names(places)
	return reply, nil
}

var zoneWord = regexp.MustCompile(`\b(zone|timezone|offset)\b`)

func separator(places []place) string {
	if len(places) == 1 && len(places[0].zones) > 1 {
		return ", "
	}
	return ". "
}

// called is a place's name; a zone's offset is said with an abbreviation.
func (p place) called(t time.Time) string {
	if p.fixed != nil && !p.local && utcOffset(t) != p.name {
		return p.name + " (" + utcOffset(t) + ")"
	}
	return p.name
}

func notes(places []place) string {
	var out strings.Builder
	for _, p := range places {
		if p.note != "" {
			out.WriteString(" (" + p.note + ".)")
		}
	}
	return out.String()
}

func names(places []place) string {
	var out []string
	for _, p := range places {
		out = append(out, p.name)
	}
	return strings.Join(out, " and ")
}

var (
	lostPlace    = regexp.MustCompile(`T X|\b(?:in|to|from|at) X|\b(?:in|to) P X`)
	sourceAfter  = regexp.MustCompile(`T (?:(?:on |at )?D )?(?:time )?(?:in |at |from )?P`)
	sourceBefore = regexp.MustCompile(`P (?:time )?(?:at |on )?(?:D )?T`)
	directSource = regexp.MustCompile(`T (?:D )?(?:from )?P|P (?:time )?T|(?:when|if|from)\b.*T (?:time )?(?:in|at) P|P .*\b(?:here|local|mine)\b`)
)

// convert is "3pm London in New York".
func (d *desk) convert() (core.Reply, error) {
	if lostPlace.MatchString(d.shape) || len(d.places) == 0 && len(d.unknown) > 0 {
		return core.Reply{}, errUnread
	}
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
	if len(source.zones) > 1 {
		return core.Reply{}, ambiguous(source.name + " has several time zones. Name a city, for example " + source.each()[0].name + ".")
	}
	from, note, err := d.moment(source)
	if err != nil {
		return core.Reply{}, err
	}
	var parts []string
	var all []any
	for _, target := range targets {
		for _, one := range target.each() {
			loc, err := one.location()
			if err != nil {
				return core.Reply{}, refusal("I have no rules for the zone " + one.name + ".")
			}
			t := from.In(loc)
			all = append(all, zoneData(one, t))
			day := ""
			if t.Format(time.DateOnly) != from.Format(time.DateOnly) {
				day = " on " + t.Format(fullDate)
			}
			parts = append(parts, t.Format("15:04")+day+" in "+one.called(t))
		}
	}
	data := all[0].(map[string]any)
	if len(all) > 1 {
		data = map[string]any{"times": all}
	}
	data["from"] = zoneData(source, from)
	reply := experts.Success(fmt.Sprintf("%s in %s on %s is %s.%s%s", from.Format("15:04"), source.called(from), from.Format(fullDate),
		strings.Join(parts, ", "), note, notes(d.places)), data)
	reply.Thought = "a time in " + source.name + " told for " + names(targets)
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
func (d *desk) moment(p place) (t time.Time, note string, err error) {
	here, err := d.at(p)
	if err != nil {
		return t, "", err
	}
	on := day(here.Date())
	if len(d.dates) > 0 {
		if on, err = d.dates[0].resolve(on, false); err != nil {
			return t, "", err
		}
	}
	w := d.times[0]
	t = time.Date(on.Year(), on.Month(), on.Day(), w.hour, w.minute, w.second, 0, here.Location())
	if t.Hour() != w.hour || t.Minute() != w.minute {
		return t, "", refusal(fmt.Sprintf("%02d:%02d does not exist in %s on %s: the clocks go forward then.", w.hour, w.minute, p.name, on.Format(shortDate)))
	}
	for _, shift := range []time.Duration{-time.Hour, time.Hour} {
		if other := t.Add(shift); other.Format("15:04") == t.Format("15:04") {
			note = fmt.Sprintf(" (The clocks go back that night: %02d:%02d happens twice; this is %s.)", w.hour, w.minute, utcOffset(t))
		}
	}
	return t, note, nil
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
	for _, p := range d.places {
		if len(p.zones) > 1 {
			return core.Reply{}, ambiguous(p.name + " has several time zones. Name a city, for example " + p.each()[0].name + ".")
		}
	}
	atA, errA := d.at(a)
	atB, errB := d.at(b)
	if errA != nil || errB != nil {
		return core.Reply{}, refusal("I have no rules for one of these zones.")
	}
	_, offA := atA.Zone()
	_, offB := atB.Zone()
	minutes := (offB - offA) / 60
	text := fmt.Sprintf("%s and %s have the same time", a.name, b.name)
	if minutes != 0 {
		first, second, way := b.name, a.name, "ahead of"
		if minutes < 0 {
			way = "behind"
		}
		text = fmt.Sprintf("%s is %s %s %s", first, hoursMinutes(max(minutes, -minutes)), way, second)
	}
	reply := experts.Success(fmt.Sprintf("%s: %s in %s is %s in %s.%s", text, atA.Format("15:04"), a.name, atB.Format("15:04"), b.name, notes(d.places)), map[string]any{
		"result": float64(minutes) / 60, "minutes": float64(minutes), "hours": float64(minutes) / 60, "times": []any{zoneData(a, atA), zoneData(b, atB)},
	})
	reply.Thought = "the difference as of now; daylight saving may change it"
	return reply, nil
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

func plural(n int, unit string) string {
	if n == 1 || n == -1 {
		return fmt.Sprintf("%d %s", n, unit)
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// saving is "when do the clocks change in Berlin" and "is it daylight saving
// time in London".
func (d *desk) saving() (core.Reply, error) {
	p := d.here()
	if len(d.places) > 0 {
		p = d.places[0].each()[0]
	}
	t, err := d.at(p)
	if err != nil {
		return core.Reply{}, err
	}
	state := "is on standard time"
	if t.IsDST() {
		state = "is on daylight saving time"
	}
	data := zoneData(p, t)
	data["dst"] = t.IsDST()
	_, end := t.ZoneBounds()
	if end.IsZero() {
		return experts.Success(fmt.Sprintf("%s %s (%s) and changes its clocks no more.", p.name, state, utcOffset(t)), data), nil
	}
	_, before := t.Zone()
	data["next_change"] = end.Format(time.RFC3339)
	reply := experts.Success(fmt.Sprintf("%s %s (%s). The clocks change next on %s, from %s to %s.", p.name, state, utcOffset(t),
		end.Format(fullDate), end.In(time.FixedZone("", before)).Format("15:04"), end.Format("15:04")), data)
	reply.Thought = "from the rules of the zone"
	return reply, nil
}
