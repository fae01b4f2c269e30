package clock

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // the zones, for machines that have none

	"github.com/yaap-chat/yaap/experts/plain"
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

// each returns the places once for every zone they have, of a large country by
// their cities, and all their names.
func each(places []place) (out []place, names string) {
	for i, p := range places {
		if i > 0 {
			names += ", "
		}
		if names += p.name; p.may != "" {
			p.single()
		}
		if len(p.zones) < 2 {
			out = append(out, p)
			continue
		}
		for _, name := range p.zones {
			if zone, err := time.LoadLocation(name); err == nil {
				out = append(out, place{name: city(name), zone: zone})
			}
		}
	}
	return out, names
}

// fixedOffset is an offset in what an abbreviation may be.
var fixedOffset = regexp.MustCompile(`UTC[+-]\d+(?::\d\d)?`)

// single asks about a place of several zones.
func (p place) single() place {
	if p.may != "" {
		asks := askBack("%s may be %s. Name a city or the offset.", p.name, p.may)
		asks.unclear, asks.means = p.name, fixedOffset.FindAllString(p.may, -1)
		panic(asks)
	}
	if len(p.zones) > 1 {
		panic(askBack("%s has several time zones. Name a city, for example %s.", p.name, city(p.zones[0])))
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
func (r *reader) newPlaces() *plain.Table[place] {
	return plain.NewTable(placesFile+zonesFile, func(head, names []string, add func(string, place)) {
		if head[0] == "area" {
			for zone := range strings.FieldsSeq(names[0]) {
				p := place{name: city(zone), zones: []string{head[1] + "/" + zone}}
				if add(r.folded(p.zones[0]), p); !strings.Contains(" West East North South Easter Midway Wake Christmas General Reunion Center Currie Knox ", " "+zone+" ") {
					add(r.folded(zone), p)
				}
			}
			return
		}
		last := len(names) - 1
		p := place{zones: strings.Split(head[0], ",")}
		names[last], p.may, _ = strings.Cut(names[last], "; ")
		if hours, minutes, _ := strings.Cut(head[0], "."); !strings.Contains(hours, "/") {
			fixed := offsetPlace(hours, minutes)
			p.zone, p.zones, p.name = fixed.zone, nil, names[0]+" ("+fixed.name+")"
		}
		if p.may != "" {
			p.name = names[0]
		}
		for _, name := range names {
			named := p
			if p.name == "" {
				named.name = name
			}
			add(r.folded(name), named)
		}
	})
}

// find returns the place with the longest name at the start of s, and the
// length of that name.
func (r *reader) find(s string) (p place, n int) {
	known, n := r.cities.Find(s)
	word, _, _ := strings.Cut(s, " ")
	switch {
	case n > 0 && n >= len(word):
		p = known[0]
	case strings.Contains(word, "/") && !isDigit(word[0]):
		p, n = place{name: city(zoneName(word)), zones: []string{zoneName(word)}}, len(word)
		if strings.HasPrefix(zoneName(word), "Etc/") {
			p.name = zoneName(word) // whose signs are the other way round
		}
	default:
		return place{}, 0
	}
	if p.zone == nil {
		zone, err := time.LoadLocation(p.zones[0])
		if err != nil {
			return place{}, 0
		}
		p.zone = zone
	}
	return p, n
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
