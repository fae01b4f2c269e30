package clock

import (
	"bufio"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // the zones, for machines that have none
)

//go:embed zones.txt
var zonesFile string

//go:embed places.txt
var placesFile string

//go:embed abbreviations.txt
var abbreviationsFile string

// place is a place or zone as the user called it.
type place struct {
	name  string   // to show
	zones []string // names in the tz database; several for a large country, none for a fixed offset
	zone  *time.Location
	note  string // what an ambiguous abbreviation was taken for
}

// each returns the place once for every zone it has, named after its city.
func (p place) each() []place {
	if len(p.zones) < 2 {
		return []place{p}
	}
	var out []place
	for _, name := range p.zones {
		if zone, err := time.LoadLocation(name); err == nil {
			out = append(out, place{name: city(name), zone: zone})
		}
	}
	return out
}

// single refuses a place of several zones.
func (p place) single() error {
	if len(p.zones) > 1 {
		return ambiguous(p.name + " has several time zones. Name a city, for example " + city(p.zones[0]) + ".")
	}
	return nil
}

// city is the last part of a zone's name, as it is spoken.
func city(zone string) string {
	return strings.ReplaceAll(zone[strings.LastIndexByte(zone, '/')+1:], "_", " ")
}

// everyday are short names that mean something else; the full name alone then
// means the zone.
const everyday = " center wake easter christmas casey davis troll midway north south west east truk universal eat cat wet art "

// newPlaces returns all places by their folded names.
func newPlaces(folded func(string) string) map[string]place {
	names := map[string]place{}
	eachLine(zonesFile, func(zone string) {
		p := place{name: city(zone), zones: []string{zone}}
		area, _, found := strings.Cut(zone, "/")
		if strings.Contains(" US Canada Brazil Chile Mexico Etc ", " "+area+" ") {
			p.name = zone // their last parts are no places
		} else if short := folded(p.name); !strings.Contains(everyday, " "+short+" ") && (found || len(short) > 3) {
			if _, taken := names[short]; !taken {
				names[short] = p
			}
		}
		names[folded(zone)] = p
	})
	eachLine(placesFile, func(line string) {
		zones, list, _ := strings.Cut(line, ": ")
		for _, name := range strings.Split(list, " | ") {
			names[folded(name)] = place{name: name, zones: strings.Split(zones, ",")}
		}
	})
	eachLine(abbreviationsFile, func(line string) {
		head, meaning, _ := strings.Cut(line, ": ")
		offset, name, _ := strings.Cut(head, " ")
		full, others, several := strings.Cut(meaning, "; ")
		hours, minutes, _ := strings.Cut(offset, ":")
		p := offsetPlace(hours, minutes)
		p.name = name + " (" + p.name + ")"
		if several {
			p.note = " (" + name + " taken as " + full + "; " + others + ".)"
		}
		names[folded(full)] = p
		if !strings.Contains(everyday, " "+folded(name)+" ") {
			names[folded(name)] = p
		}
	})
	return names
}

func eachLine(table string, f func(line string)) {
	for lines := bufio.NewScanner(strings.NewReader(table)); lines.Scan(); {
		if !strings.HasPrefix(lines.Text(), "#") {
			f(lines.Text())
		}
	}
}

// offsetPlace is a fixed distance from UTC: hours with their sign, and minutes.
func offsetPlace(hours, minutes string) place {
	h, _ := strconv.Atoi(hours)
	m, _ := strconv.Atoi(minutes)
	if strings.HasPrefix(hours, "-") {
		m = -m
	}
	name := offsetName(h*3600 + m*60)
	return place{name: name, zone: time.FixedZone(name, h*3600+m*60)}
}

func offsetName(seconds int) string {
	name := fmt.Sprintf("UTC%+d", seconds/3600)
	if minutes := max(seconds, -seconds) / 60 % 60; minutes != 0 {
		name += fmt.Sprintf(":%02d", minutes)
	}
	return strings.TrimSuffix(name, "+0")
}

func utcOffset(t time.Time) string {
	_, seconds := t.Zone()
	return offsetName(seconds)
}

// find returns the place with the longest name at the start of s, and the
// length of that name.
func (r reader) find(s string) (p place, n int) {
	words := strings.SplitN(s, " ", 6)
	for n := min(5, len(words)); n > 0; n-- {
		name := strings.Join(words[:n], " ")
		p, ok := r.places[name]
		if !ok {
			continue
		}
		var err error
		if p.zone == nil {
			p.zone, err = time.LoadLocation(p.zones[0])
		}
		if err == nil {
			return p, len(name)
		}
	}
	return place{}, 0
}

// holds reports whether a place lies in this one, which is a country or state.
func (p place) holds(other place) bool {
	return len(other.zones) == 1 && slices.Contains(p.zones, other.zones[0])
}

func accents() *strings.Replacer {
	var pairs []string
	for _, plain := range []string{"aáàâãäå", "cç", "eéèêë", "iíìîïı", "nñń", "oóòôõöø", "uúùûü", "yý", "lł", "sśş", "gğ", "'’‘", "-−–", " _"} {
		for i, r := range plain {
			if i > 0 {
				pairs = append(pairs, string(r), plain[:1])
			}
		}
	}
	return strings.NewReplacer(append(pairs, "ß", "ss", "æ", "ae")...)
}
