package clock

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // the zones, for machines that have none
)

//go:embed places.txt
var placesFile string

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
func (p place) single() place {
	if len(p.zones) > 1 {
		panic(ambiguous(p.name + " has several time zones. Name a city, for example " + city(p.zones[0]) + "."))
	}
	return p
}

// holds reports whether a place lies in this one, which is a country or state.
func (p place) holds(other place) bool {
	return len(other.zones) == 1 && slices.Contains(p.zones, other.zones[0])
}

// city is the last part of a zone's name, as it is spoken.
func city(zone string) string {
	return strings.ReplaceAll(zone[strings.LastIndexByte(zone, '/')+1:], "_", " ")
}

// newPlaces returns the places of places.txt by their folded names.
func (r *reader) newPlaces() map[string]place {
	places := map[string]place{}
	for line := range strings.Lines(placesFile) {
		zones, list, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || line[0] == '#' {
			continue
		}
		list, taken, several := strings.Cut(list, "; ")
		names := strings.Split(list, " | ")
		p := place{zones: strings.Split(zones, ",")}
		if !strings.Contains(zones, "/") {
			hours, minutes, _ := strings.Cut(zones, ":")
			p = offsetPlace(hours, minutes)
			p.name = names[0] + " (" + p.name + ")"
		}
		if several {
			p.note = " (" + names[0] + " taken as that of " + taken + ".)"
		}
		for _, name := range names {
			named := p
			if p.name == "" {
				named.name = name
			}
			places[r.folded(name)] = named
		}
	}
	return places
}

// find returns the place with the longest name at the start of s, and the
// length of that name. An everyday word starts none that is only a zone's.
func (r *reader) find(s string, everyday bool) (p place, n int) {
	words := strings.SplitN(s, " ", 6)
	for n := min(5, len(words)); n > 0; n-- {
		name := strings.Join(words[:n], " ")
		p, ok := r.places[name]
		if !ok && !everyday && n <= 3 {
			p, ok = zoneOf(name)
		}
		if ok && p.zone == nil {
			var err error
			p.zone, err = time.LoadLocation(p.zones[0])
			ok = err == nil
		}
		if ok {
			return p, len(name)
		}
	}
	return place{}, 0
}

// zoneOf returns the zone of the tz database with that name, or that is named
// after such a city: "new york" is America/New_York.
func zoneOf(name string) (place, bool) {
	if strings.Contains(" wake easter midway north south east west reunion ", " "+name+" ") {
		return place{}, false
	}
	title := []byte(strings.ReplaceAll(name, " ", "_"))
	for i, c := range title {
		if c >= 'a' && c <= 'z' && (i == 0 || strings.IndexByte("_-/", title[i-1]) >= 0) {
			title[i] = c - 'a' + 'A'
		}
	}
	zone := strings.NewReplacer("_Of_", "_of_", "_Es_", "_es_", "-Au-", "-au-", "Us/", "US/", "/Utc", "/UTC", "/Gmt", "/GMT").Replace(string(title))
	areas := []string{"Europe/", "America/", "Asia/", "Africa/", "Australia/", "Pacific/", "Atlantic/", "Indian/", "America/Argentina/"}
	if strings.Contains(zone, "/") {
		areas = []string{""}
	}
	for _, area := range areas {
		if loc, err := time.LoadLocation(area + zone); err == nil {
			p := place{name: city(zone), zones: []string{area + zone}, zone: loc}
			if strings.HasPrefix(zone, "Etc/") {
				p.name = zone // whose signs are the other way round
			}
			return p, true
		}
	}
	return place{}, false
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
	sign, minutes := '+', seconds/60
	if minutes < 0 {
		sign, minutes = '-', -minutes
	}
	switch {
	case minutes == 0:
		return "UTC"
	case minutes%60 == 0:
		return fmt.Sprintf("UTC%c%d", sign, minutes/60)
	}
	return fmt.Sprintf("UTC%c%d:%02d", sign, minutes/60, minutes%60)
}
