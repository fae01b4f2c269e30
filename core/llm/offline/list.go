package offline

import (
	"regexp"
	"strconv"
	"strings"
)

// How items of a list begin.
var (
	bullet   = regexp.MustCompile(`^\s*(?:[-*•]|\(?\d{1,2}[.):]|\(?[a-h]\))\s+`)
	numbered = regexp.MustCompile(`(?:^|\s)\(?(?:(\d{1,2})[.)]|([a-h])\))\s+`)
)

// span is a piece of a text.
type span struct{ start, end int }

// itemsOf finds the items of a prompt that is a list, without their bullets or
// numbers, or else takes the prompt as one.
func (r *room) itemsOf(prompt string) []span {
	items := itemsInLines(prompt)
	if len(items) < 2 {
		items = r.itemsInALine(prompt)
	}
	if len(items) < 2 || items[0].start > 0 && r.belongs(prompt[:items[0].start], prompt, items) {
		return []span{{0, len(prompt)}}
	}
	return items
}

// itemsInLines finds the items of a list in lines; what follows an item without
// a bullet belongs to it.
func itemsInLines(prompt string) []span {
	var items []span
	at := 0
	for line := range strings.Lines(prompt) {
		if m := bullet.FindString(line); m != "" {
			items = append(items, span{at + len(m), at + len(line)})
		} else if len(items) > 0 {
			items[len(items)-1].end = at + len(line)
		}
		at += len(line)
	}
	return full(prompt, items)
}

// itemsInALine finds "1. this 2. that" and "a) this b) that" where every item can be asked: a number
// with a point may mean anything.
func (r *room) itemsInALine(prompt string) []span {
	var items []span
	for _, m := range numbered.FindAllStringSubmatchIndex(clip(prompt, maxDescription), -1) {
		if place(prompt, m) != len(items)+1 {
			continue
		}
		if len(items) > 0 {
			items[len(items)-1].end = m[0]
		}
		items = append(items, span{m[1], len(prompt)})
	}
	items = full(prompt, items)
	for _, i := range items {
		if text := prompt[i.start:i.end]; !requests(text) && !r.best(r.newPart(text)).ok() {
			return nil
		}
	}
	return items
}

// place is the number or the letter of a numbered match, from 1 on.
func place(prompt string, m []int) int {
	if m[2] < 0 {
		return int(prompt[m[4]]-'a') + 1
	}
	n, _ := strconv.Atoi(prompt[m[2]:m[3]]) // two digits
	return n
}

// full leaves out items without a word.
func full(prompt string, items []span) []span {
	var out []span
	for _, i := range items {
		if strings.TrimSpace(prompt[i.start:i.end]) != "" {
			out = append(out, i)
		}
	}
	return out
}

// belongs reports whether what stands before a list is needed to understand it,
// as in "translate these: 1. ...".
func (r *room) belongs(lead, prompt string, items []span) bool {
	lead = bullet.ReplaceAllString(lead, "")
	if len(told(lex(lead, nil))) == 0 {
		return false
	}
	if r.best(r.newPart(lead)).ok() {
		return true
	}
	for _, i := range items {
		if text := prompt[i.start:i.end]; !requests(text) && !r.best(r.newPart(text)).ok() {
			return true
		}
	}
	return false
}
