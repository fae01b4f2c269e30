package clock

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
)

// here is the zone of the user as a place.
func (d *desk) here() place {
	name := d.now.Location().String()
	if name == "Local" {
		name = d.say("your zone")
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

// elsewhere says how far a place is ahead of the user.
func (d *desk) elsewhere(t time.Time) string {
	_, there := t.Zone()
	_, here := t.In(d.now.Location()).Zone()
	switch minutes := (there - here) / 60; {
	case minutes > 0:
		return d.say(" (%s ahead of you)", hoursMinutes(minutes))
	case minutes < 0:
		return d.say(" (%s behind you)", hoursMinutes(-minutes))
	}
	return ""
}

// tell is "what time is it in Tokyo", also for several places or here.
func (d *desk) tell() core.Reply {
	if len(d.places) == 0 {
		p := d.here()
		d.reads = "the time here"
		return experts.Success(fmt.Sprintf("**%s**, %s (%s)", d.now.Format("15:04"), d.on(d.now, fullDate), p.name), momentData(p, d.now))
	}
	expect(!d.has("P in P")) // "is Paris in France"
	places, names := each(d.places)
	d.reads = "the time in " + names
	if len(places) == 1 {
		t := d.now.In(places[0].zone)
		return d.success(momentData(places[0], t), "**%s** in %s, %s", t.Format("15:04"), places[0].name, d.on(t, dayMonth)+d.elsewhere(t))
	}
	text, data := d.list(d.now, places)
	return experts.Success(text, several(data))
}

// list says one moment at several places, with the day where it is another.
func (d *desk) list(t time.Time, places []place) (text string, data []any) {
	var said []string
	for _, p := range places {
		at := t.In(p.zone)
		one := d.say("**%s** in %s", at.Format("15:04"), p.name)
		if at.YearDay() != t.YearDay() {
			one += d.say(" on %s", d.on(at, dayMonth))
		}
		said, data = append(said, one), append(data, momentData(p, at))
	}
	return strings.Join(said, ", "), data
}

// convert is "3pm London in New York".
func (d *desk) convert() core.Reply {
	expect(len(d.times) == 1)
	source, targets := d.here(), d.places
	if i := d.sourceIndex(); i >= 0 {
		source, targets = d.places[i], slices.Delete(slices.Clone(d.places), i, i+1)
		if len(targets) == 0 {
			targets = []place{d.here()}
		}
	}
	from := d.moment(source.single())
	places, names := each(targets)
	d.reads = from.Format("15:04") + " " + source.name + " in " + names
	text, all := d.list(from, places)
	data := several(all)
	data["from"] = momentData(source, from)
	return d.success(data, "%s: %s in %s on %s", text, from.Format("15:04"), source.name, d.on(from, fullDate))
}

// sourceIndex says which of the places the time belongs to, -1 for the user's.
func (d *desk) sourceIndex() int {
	before, after, _ := strings.Cut(" "+d.shape+" ", " T ")
	n := strings.Count(before, "P")
	after = strings.TrimPrefix(after, "D ")
	after, told := strings.CutPrefix(after, ". ")
	asked := told || strings.HasPrefix(after, "what ") || strings.HasPrefix(after, "when ") || strings.HasPrefix(after, "time in ")
	after = strings.TrimPrefix(after, "time ")
	for _, said := range []string{" .", " D", " in", " time"} {
		before = strings.TrimSuffix(before, said)
	}
	at := strings.HasSuffix(before, " P")
	switch words := strings.Fields(after + " . . ."); {
	case d.has("P T P") && !d.has("in P T P") && len(d.places[n].zones) > 0 && !strings.HasPrefix(d.places[n].zones[0], "Etc/"):
		return n - 1
	case words[0] != "P" && d.has("from P"):
		before, _, _ := strings.Cut(d.shape, "from P")
		return strings.Count(before, "P")
	case asked && at, told && n > 0: // "when it is 15:00 there, what time is it in"
		return n - 1
	case asked && len(d.places) == 1:
		return -1
	case words[0] == "P", words[0] == "from" && words[1] == "P":
		return n
	case words[0] == "in" && words[1] == "P" && (d.has("time", "when", "if") || !at) && (len(d.places) > 1 || d.has("if", "when", "here")):
		return n
	case at && (len(d.places) > 1 || !d.has("time")):
		return n - 1
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
		panic(refuse("%s does not exist in %s on %s: the clocks go forward then.", at, p.name, on))
	}
	for _, other := range []time.Time{t.Add(-time.Hour), t.Add(time.Hour)} {
		if other.Format("15:04") == at {
			panic(askBack("%s comes twice in %s on %s, as the clocks go back then: at %s and %s. Which one do you mean?",
				at, p.name, on, offsetOf(t), offsetOf(other)))
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
	d.reads = "the difference between " + a.name + " and " + b.name
	atA, atB := d.now.In(a.zone), d.now.In(b.zone)
	_, offA := atA.Zone()
	_, offB := atB.Zone()
	minutes := (offB - offA) / 60
	verdict := "%s"
	if strings.HasPrefix(d.shape, "P") && !strings.HasPrefix(d.shape, "P how") && minutes != 0 && d.has("ahead", "back") != d.has("behind") {
		verdict = map[bool]string{true: "**Yes**: %s", false: "**No**: %s"}[minutes < 0 == d.has("ahead", "back")]
	}
	text := d.say("**0 h**: %s and %s have the same time", a.name, b.name)
	switch {
	case minutes > 0:
		text = d.say("**%s**: %s is ahead of %s", hoursMinutes(minutes), b.name, a.name)
	case minutes < 0:
		text = d.say("**%s**: %s is behind %s", hoursMinutes(-minutes), b.name, a.name)
	}
	data := map[string]any{"result": float64(minutes) / 60, "minutes": float64(minutes), "times": []any{momentData(a, atA), momentData(b, atB)}}
	return d.success(data, "%s, %s in %s is %s in %s", d.say(verdict, text), atA.Format("15:04"), a.name, atB.Format("15:04"), b.name)
}

// zone is "what time zone is Tokyo in".
func (d *desk) zone() core.Reply {
	p := d.place()
	t := d.now.In(p.zone)
	d.reads = "the time zone of " + p.name
	return d.success(momentData(p, t), "**%s** in %s now (%s), where it is %s", offsetOf(t), p.name, p.zone, t.Format("15:04"))
}

// lasts is "how long from 9:15 to 17:40".
func (d *desk) lasts() core.Reply {
	expect(len(d.times) == 2 && len(d.dates) != 1)
	other := &desk{question: question{times: d.times[1:], dates: d.dates[min(1, len(d.dates)):]}, now: d.now}
	layout := func(t time.Time) string { return t.Format("15:04") }
	var from, to time.Time
	if len(d.dates) == 2 {
		from, to = d.moment(d.place()), other.moment(d.place())
		layout = func(t time.Time) string { return t.Format("15:04, ") + d.on(t, shortDate) }
		expect(!to.Before(from))
	} else {
		utc := place{zone: time.UTC} // where every day has 24 hours
		if from, to = d.moment(utc), other.moment(utc); to.Before(from) {
			to = to.AddDate(0, 0, 1)
		}
	}
	d.reads = "the time from " + layout(from) + " to " + layout(to)
	minutes := int(to.Unix()-from.Unix()) / 60
	return d.success(map[string]any{"result": float64(minutes), "minutes": float64(minutes)}, "**%s** from %s to %s", d.long(60*minutes), layout(from), layout(to))
}

// until is "how many hours until 5pm".
func (d *desk) until() core.Reply {
	expect(len(d.times) == 1)
	p := d.place()
	t := d.moment(p)
	switch since := d.has("since"); {
	case len(d.dates) > 0:
	case t.Before(d.now) && !since:
		t = t.AddDate(0, 0, 1)
	case t.After(d.now) && since:
		t = t.AddDate(0, 0, -1)
	}
	d.reads = "the time until " + t.Format("15:04, "+shortDate)
	minutes := int(math.Round(float64(t.Unix()-d.now.Unix()) / 60))
	phrase := "**%s** until %s"
	if minutes < 0 {
		phrase = "**%s** since %s"
	}
	data := momentData(p, t)
	data["result"], data["minutes"] = float64(minutes), float64(minutes)
	at := t.Format("15:04") + ", " + d.on(t, fullDate)
	if len(d.places) > 0 {
		at += " (" + p.name + ")"
	}
	return d.success(data, phrase, d.long(int(max(t.Unix()-d.now.Unix(), d.now.Unix()-t.Unix()))), at)
}

// The hours that a meeting may have at each place, from the first to before the
// last.
const (
	workBegins = 9
	workEnds   = 17
)

// meet is when people of several places are at work at the same time.
func (d *desk) meet() core.Reply {
	here := d.places[0].single()
	if len(d.places) == 1 {
		here = d.here()
	}
	var names []string
	on := append(d.days(), day(d.now.In(here.zone).Date()))[0]
	from := time.Date(on.Year(), on.Month(), on.Day(), workBegins, 0, 0, 0, here.zone)
	to := from.Add((workEnds - workBegins) * time.Hour)
	for _, p := range d.places {
		names = append(names, p.name)
		begins := time.Date(on.Year(), on.Month(), on.Day(), workBegins, 0, 0, 0, p.single().zone)
		if begins.After(from) {
			from = begins
		}
		if ends := begins.Add((workEnds - workBegins) * time.Hour); ends.Before(to) {
			to = ends
		}
	}
	d.reads = "a time for a meeting in " + strings.Join(names, ", ")
	if !from.Before(to) {
		panic(refuse("There is no hour from 9:00 to 17:00 in all of %s. Say which of them may meet early or late.", strings.Join(names, ", ")))
	}
	text, all := d.list(from, d.places)
	from, to = from.In(here.zone), to.In(here.zone)
	data := several(all)
	data["result"], data["until"] = from.Format(time.RFC3339), to.Format(time.RFC3339)
	return d.success(data, "**%s–%s** in %s on %s, when it is from 9:00 to 17:00 everywhere: it begins at %s",
		from.Format("15:04"), to.Format("15:04"), here.name, d.on(from, dayMonth), strings.ReplaceAll(text, "**", ""))
}

// clocks is when the clocks change next.
func (d *desk) clocks() core.Reply {
	p := d.place()
	d.reads = "the next change of the clocks in " + p.name
	wanted := ""
	switch {
	case d.has("clocksback") || d.has("summer") && d.has("end", "done"):
		wanted = "back"
	case d.has("clocksforward") || d.has("summer"):
		wanted = "forward"
	}
	way, end, minutes := "", d.now, 0
	if len(d.years) == 1 {
		end = time.Date(within(d.years[0]), 1, 1, 0, 0, 0, 0, p.zone)
	}
	for range 9 { // times
		if _, end = end.In(p.zone).ZoneBounds(); end.IsZero() {
			return d.success(map[string]any{"place": p.name, "zone": p.zone.String()}, "**Never**: the clocks in %s do not change", p.name)
		}
		_, before := end.Add(-time.Second).In(p.zone).Zone()
		_, after := end.In(p.zone).Zone()
		minutes = (after - before) / 60
		if way = map[bool]string{true: "back", false: "forward"}[minutes < 0]; wanted == "" || way == wanted {
			break
		}
	}
	expect(len(d.years) == 0 || end.In(p.zone).Year() == d.years[0])
	data := momentData(p, end.In(p.zone))
	return d.success(data, "**%s**: the clocks in %s go "+way+" by %s", d.on(end.In(p.zone), fullDate), p.name, hoursMinutes(max(minutes, -minutes)))
}

// summer is whether daylight saving time is kept at a place now, or at noon of a
// day.
func (d *desk) summer() core.Reply {
	p := d.place()
	t := d.now.In(p.zone)
	if len(d.dates) > 0 {
		d.times = []timeOfDay{{hour: 12}}
		t = d.moment(p)
	}
	d.reads = "whether it is daylight saving time in " + p.name
	data := momentData(p, t)
	data["result"] = t.IsDST()
	phrase := "**No**, it is standard time in %s on %s (%s)"
	if t.IsDST() {
		phrase = "**Yes**, it is daylight saving time in %s on %s (%s)"
	}
	return d.success(data, phrase, p.name, d.on(t, shortDate), offsetOf(t))
}

// unix turns seconds since 1970 into a time, or a time into those.
func (d *desk) unix() core.Reply {
	p := d.place()
	if len(d.places) == 0 && len(d.numbers)+len(d.times)+len(d.dates) > 0 {
		p = place{name: "UTC", zone: time.UTC}
	}
	if len(d.numbers) > 0 {
		t := time.Unix(d.numbers[0], 0).In(p.zone)
		if d.numbers[0] >= 1e11 {
			t = time.UnixMilli(d.numbers[0]).In(p.zone)
		}
		d.reads = fmt.Sprintf("the moment of Unix time %d", d.numbers[0])
		return d.success(momentData(p, t), "**%s**, %s (%s): Unix time %d", t.Format("15:04:05"), d.on(t, fullDate), p.name, d.numbers[0])
	}
	t := d.now.In(p.zone)
	if len(d.times)+len(d.dates) > 0 {
		d.times = append(d.times, timeOfDay{})
		t = d.moment(p)
	}
	d.reads = "the Unix time of " + t.Format("2006-01-02 15:04:05 MST")
	data := momentData(p, t)
	data["result"], data["unix"] = float64(t.Unix()), float64(t.Unix())
	return d.success(data, "**%d**, the Unix time of %s", t.Unix(), t.Format("2006-01-02 15:04:05 MST"))
}

func hoursMinutes(minutes int) string {
	h, m := minutes/60, minutes%60
	switch {
	case h == 0:
		return fmt.Sprintf("%d min", m)
	case m == 0:
		return fmt.Sprintf("%d h", h)
	}
	return fmt.Sprintf("%d h %d min", h, m)
}

// long says a length of time in the unit that was asked for, or in hours and
// minutes.
func (d *desk) long(seconds int) string {
	switch d.unit() {
	case "second":
		return fmt.Sprintf("%d s", seconds)
	case "minute":
		return fmt.Sprintf("%d min", (seconds+30)/60)
	}
	return hoursMinutes((seconds + 30) / 60)
}
