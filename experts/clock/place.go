package clock

import (
	"bufio"
	_ "embed"
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
	zones []string // names in the tz database; several for a large country
	fixed *time.Location
	local bool   // the user's own zone
	note  string // what an ambiguous abbreviation was taken for
}

// location loads the first of a place's zones.
func (p place) location() (*time.Location, error) {
	if p.fixed != nil {
		return p.fixed, nil
	}
	return time.LoadLocation(p.zones[0])
}

// holds reports whether a place lies in this one, which is a country or state.
func (p place) holds(other place) bool {
	return len(other.zones) == 1 && slices.Contains(p.zones, other.zones[0])
}

// each returns the place once for every zone it has, named after its city.
func (p place) each() []place {
	if len(p.zones) < 2 {
		return []place{p}
	}
	var out []place
	for _, zone := range p.zones {
		out = append(out, place{name: city(zone), zones: []string{zone}})
	}
	return out
}

// city is the last part of a zone's name, as it is spoken.
func city(zone string) string {
	return strings.ReplaceAll(zone[strings.LastIndexByte(zone, '/')+1:], "_", " ")
}

// atlas finds places by name, folded.
type atlas struct {
	names   map[string]place
	accents *strings.Replacer
}

func newAtlas() atlas {
	a := atlas{names: map[string]place{}, accents: accents()}
	eachLine(zonesFile, func(zone string) {
		named := place{name: city(zone), zones: []string{zone}}
		area, _, found := strings.Cut(zone, "/")
		switch area {
		case "US", "Canada", "Brazil", "Chile", "Mexico", "Etc":
			named.name = zone // their last parts are no places
		default:
			name := a.folded(named.name)
			if _, taken := a.names[name]; !taken && !ordinary(name) && (found || len(name) > 3) {
				a.names[name] = named
			}
		}
		a.names[a.folded(zone)] = named
	})
	eachLine(placesFile, func(line string) {
		zones, names, _ := strings.Cut(line, ": ")
		for _, name := range strings.Split(names, " | ") {
			a.names[a.folded(name)] = place{name: name, zones: strings.Split(zones, ",")}
		}
	})
	eachLine(abbreviationsFile, func(line string) {
		head, meaning, _ := strings.Cut(line, ": ")
		hours, name, _ := strings.Cut(head, " ")
		note := ""
		if taken, others, ok := strings.Cut(meaning, "; "); ok {
			note = name + " taken as " + taken + "; " + others
		}
		h, m, _ := strings.Cut(hours, ":")
		p := offsetPlace(name, h, m, note)
		full, _, _ := strings.Cut(meaning, "; ")
		a.names[a.folded(full)] = p
		if !ordinary(a.folded(name)) {
			a.names[a.folded(name)] = p
		}
	})
	return a
}

func eachLine(table string, f func(line string)) {
	for lines := bufio.NewScanner(strings.NewReader(table)); lines.Scan(); {
		if !strings.HasPrefix(lines.Text(), "#") {
			f(lines.Text())
		}
	}
}

// ordinary reports whether a short name is an everyday word; the full name
// alone then means the zone.
func ordinary(name string) bool {
	switch name {
	case "center", "wake", "easter", "christmas", "casey", "davis", "troll", "midway", "north", "south", "west", "east", "truk", "universal", "eat", "cat", "wet", "art":
		return true
	}
	return false
}

// offsetPlace is a fixed distance from UTC: hours with their sign, and minutes.
func offsetPlace(name, hours, minutes, note string) place {
	h, _ := strconv.Atoi(strings.TrimPrefix(hours, "+"))
	m, _ := strconv.Atoi(minutes)
	if strings.HasPrefix(hours, "-") {
		m = -m
	}
	return place{name: name, fixed: time.FixedZone(name, h*3600+m*60), note: note}
}

// find returns the place with the longest name at the start of words, and how
// many words that is.
func (a atlas) find(words []string) (place, int) {
	for n := min(5, len(words)); n > 0; n-- {
		if p, ok := a.names[strings.Join(words[:n], " ")]; ok {
			return p, n
		}
	}
	return place{}, 0
}

// folded lowers a name and takes its accents off.
func (a atlas) folded(name string) string { return a.accents.Replace(strings.ToLower(name)) }

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
