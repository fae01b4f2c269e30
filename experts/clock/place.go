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

//go:embed zones.txt
var zonesFile string

// place is a place or zone as the user called it.
type place struct {
	name  string   // to show
	zones []string // names in the tz database; several for a large country, none for a fixed offset
	zone  *time.Location
	may   string // what an ambiguous abbreviation may be
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

// single asks about a place of several zones.
func (p place) single() place {
	if p.may != "" {
		panic(ambiguous(p.name + " may be " + p.may + ". Name a city or the offset."))
	}
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

// newPlaces returns the places of places.txt, and the cities that a zone of
// zones.txt is named after, by their folded names.
func (r *reader) newPlaces() map[string]place {
	places := map[string]place{}
	for line := range strings.Lines(zonesFile) {
		area, list, ok := strings.Cut(line, ": ")
		if !ok || line[0] == '#' {
			continue
		}
		for zone := range strings.FieldsSeq(list) {
			places[r.folded(area+"/"+zone)] = place{name: city(zone), zones: []string{area + "/" + zone}}
			named := strings.Contains(" West East North South Easter Midway Wake Christmas General Reunion Center Currie Knox ", " "+zone+" ")
			if name := r.folded(zone); !named && places[name].zones == nil {
				places[name] = place{name: city(zone), zones: []string{area + "/" + zone}}
			}
		}
	}
	for line := range strings.Lines(placesFile) {
		zones, list, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || line[0] == '#' {
			continue
		}
		list, may, _ := strings.Cut(list, "; ")
		names := strings.Split(list, " | ")
		p := place{zones: strings.Split(zones, ","), may: may}
		if !strings.Contains(zones, "/") {
			hours, minutes, _ := strings.Cut(zones, ":")
			p = offsetPlace(hours, minutes)
			p.name, p.may = names[0]+" ("+p.name+")", may
		}
		if may != "" {
			p.name = names[0]
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
// length of that name.
func (r *reader) find(s string) (p place, n int) {
	words := strings.SplitN(s, " ", 6)
	for n := min(5, len(words)); n > 0; n-- {
		name := strings.Join(words[:n], " ")
		p, ok := r.cities[name]
		if !ok && n == 1 && strings.Contains(name, "/") {
			p = place{name: city(zoneName(name)), zones: []string{zoneName(name)}}
			if ok = !isDigit(name[0]); strings.HasPrefix(zoneName(name), "Etc/") {
				p.name = zoneName(name) // whose signs are the other way round
			}
		}
		if ok && p.zone == nil {
			p.zone, ok = r.zone(p.zones[0])
		}
		if ok {
			return p, len(name)
		}
	}
	return place{}, 0
}

// zone returns a zone of the tz database.
func (r *reader) zone(name string) (*time.Location, bool) {
	if zone, ok := r.zones.Load(name); ok {
		return zone.(*time.Location), true
	}
	zone, err := time.LoadLocation(name)
	if err == nil {
		r.zones.Store(name, zone)
	}
	return zone, err == nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// zoneName writes the name of a zone as the tz database does.
func zoneName(name string) string {
	title := []byte(strings.ReplaceAll(name, " ", "_"))
	for i, c := range title {
		if c >= 'a' && c <= 'z' && (i == 0 || strings.IndexByte("_-/", title[i-1]) >= 0) {
			title[i] = c - 'a' + 'A'
		}
	}
	return strings.NewReplacer("_Of_", "_of_", "_Es_", "_es_", "-Au-", "-au-", "Us/", "US/", "/Utc", "/UTC", "/Gmt", "/GMT").Replace(string(title))
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
