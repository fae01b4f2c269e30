package tui

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core"
)

// Rebound are keys that the user wants elsewhere: a key of the table, and the one that
// does in its place what it does. The keys of readline and of dialogs stay.
type Rebound map[string]string

// Check refuses what cannot be bound, and what would do two things.
func (r Rebound) Check() error {
	_, err := r.table()
	return err
}

// named is the user's own key for one of the table.
func (r Rebound) named(key string) string { return cmp.Or(r[key], key) }

// table is the key table with the user's own keys.
func (r Rebound) table() ([]binding, error) {
	table := keyTable()
	for _, key := range slices.Sorted(maps.Keys(r)) {
		if err := r.checkKey(table, key); err != nil {
			return nil, err
		}
	}
	seen := map[place]map[string]string{}
	for i, b := range table {
		keys := make([]string, len(b.keys))
		for n, key := range b.keys {
			keys[n] = r.named(key)
		}
		table[i].keys = keys
		for _, key := range keys {
			for at, does := range seen {
				other, bound := does[key]
				if bound && (at == b.where || (at == everywhere || b.where == everywhere) && at != inApproval && b.where != inApproval) {
					return nil, unbindable(key+" would be for “"+other+"” and for “"+b.help+"”", "choose another key for one of them")
				}
			}
		}
		if seen[b.where] == nil {
			seen[b.where] = map[string]string{}
		}
		for _, key := range keys {
			seen[b.where][key] = b.help
		}
	}
	return table, nil
}

func (r Rebound) checkKey(table []binding, key string) error {
	own := r[key]
	at := slices.IndexFunc(table, func(b binding) bool { return slices.Contains(b.keys, key) })
	switch {
	case at < 0 || key == digits:
		return unbindable("no key "+key+" can be changed", "f1 in the chat lists the keys; write the one of the list on the left, such as ctrl+s: ctrl+o")
	case key == "ctrl+c":
		return unbindable("ctrl+c stays what it is", "it is the way out of everything")
	case own == "ctrl+m" || own == "ctrl+i":
		return unbindable(own+" is enter or tab in many terminals", "choose another key for "+key)
	case !isKey(own):
		return unbindable("there is no key "+own, "write it as alt+n, ctrl+o, f9 or x")
	}
	for _, b := range table {
		if utf8.RuneCountInString(own) == 1 && slices.Contains(b.keys, key) && (b.where == inInput || b.where == everywhere) {
			return unbindable(own+" could no longer be typed", "choose one with ctrl or alt for "+key)
		}
	}
	return nil
}

func unbindable(message, hint string) error {
	return core.Fail(core.CodeInvalid, "keys: "+message, hint)
}

// isKey reports whether a terminal sends a key of that name.
func isKey(name string) bool {
	for _, with := range []string{"ctrl+", "alt+", "shift+"} {
		name = strings.TrimPrefix(name, with)
	}
	if char, size := utf8.DecodeRuneInString(name); size > 0 && size == len(name) {
		return unicode.IsGraphic(char) && char != ' '
	}
	named := strings.Fields("enter tab esc space backspace delete insert up down left right home end pgup pgdown f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12")
	return slices.Contains(named, name)
}
