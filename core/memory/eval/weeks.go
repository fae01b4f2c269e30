package eval

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
)

//go:embed testdata/weeks/*.txt testdata/questions/*.txt
var weekFiles embed.FS

// between is the time from one turn of a week to the next.
const between = 2 * time.Minute

// heldOut reports whether a week is one that no rule is fitted to.
func heldOut(name string) bool {
	return strings.HasSuffix(name, "-held") || slices.Contains([]string{"three", "six", "ten", "eleven", "twelve", "thirteen"}, name)
}

// Week is what some developers say in a week, with what is to be kept of it.
type Week struct {
	Name   string
	People []Person
}

// HeldOut reports whether nothing is fitted to it.
func (w Week) HeldOut() bool { return heldOut(w.Name) }

// Person is one with a memory of their own.
type Person struct {
	Name      string
	Turns     []core.Message
	Sittings  []string // of each turn
	Facts     [][]string
	Allowed   [][]string
	Old       [][]string
	Questions []Asked
}

// Asked is a plain question and what its answer holds, in alternatives, and does
// not hold; Nothing says that it has to tell that nothing was said.
type Asked struct {
	Text    string
	Wanted  [][]string
	Not     []string
	Nothing bool
}

// Weeks returns the scripted weeks.
func Weeks() ([]Week, error) {
	var weeks []Week
	for _, name := range [...]string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"} {
		raw, err := weekFiles.ReadFile("testdata/weeks/" + name + ".txt")
		if err != nil {
			return nil, err
		}
		w, err := readWeek(name, string(raw))
		if err != nil {
			return nil, err
		}
		weeks = append(weeks, w)
	}
	return weeks, nil
}

// Questions returns what many people say, each in one sitting, and what they ask of it,
// by language; "held" is in the name of what no weight is fitted to.
func Questions() ([]Week, error) {
	names, err := fs.Glob(weekFiles, "testdata/questions/*.txt")
	if err != nil {
		return nil, err
	}
	var weeks []Week
	for _, name := range names {
		raw, err := weekFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		w, err := readWeek(strings.TrimSuffix(path.Base(name), ".txt"), string(raw))
		if err != nil {
			return nil, err
		}
		weeks = append(weeks, w)
	}
	return weeks, nil
}

// readWeek reads the form that testdata/weeks/README.md tells of.
func readWeek(name, text string) (Week, error) {
	w := Week{Name: name}
	var at time.Time
	var sitting string
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\n")
		mark, rest, _ := strings.Cut(line, " ")
		if mark == "" {
			continue
		}
		if mark == "#" {
			w.People = append(w.People, Person{Name: rest})
			continue
		}
		if len(w.People) == 0 {
			return w, fmt.Errorf("%s: line %d is of nobody", name, n)
		}
		p := &w.People[len(w.People)-1]
		say := func(role core.Role, status core.Status) {
			m := core.Message{ID: path.Join(name, p.Name, fmt.Sprint(len(p.Turns))), Role: role, Text: rest, Time: at}
			if role == core.RoleAssistant {
				m.Reply = &core.Reply{Status: status, Message: rest}
			} else {
				at = at.Add(between)
			}
			p.Turns, p.Sittings = append(p.Turns, m), append(p.Sittings, sitting)
		}
		last := len(p.Questions) - 1
		switch {
		case mark == "@":
			var err error
			if at, err = time.Parse("2006-01-02 15:04", rest); err != nil {
				return w, fmt.Errorf("%s: line %d: %w", name, n, err)
			}
			sitting = rest
		case mark == ">":
			say(core.RoleUser, "")
		case mark == "<":
			say(core.RoleAssistant, core.StatusSuccess)
		case mark == "!":
			say(core.RoleAssistant, core.StatusFailure)
		case mark == "|" && len(p.Turns) > 0:
			p.Turns[len(p.Turns)-1].Text += "\n" + rest
		case mark == "+":
			p.Facts = append(p.Facts, strings.Fields(rest))
		case mark == "*":
			p.Allowed = append(p.Allowed, strings.Fields(rest))
		case mark == "~":
			p.Old = append(p.Old, strings.Fields(rest))
		case mark == "?":
			p.Questions = append(p.Questions, Asked{Text: rest})
		case mark == "=" && last >= 0:
			p.Questions[last].read(rest)
		default:
			return w, fmt.Errorf("%s: line %d cannot be read", name, n)
		}
	}
	return w, nil
}

func (a *Asked) read(label string) {
	if label == "nothing" {
		a.Nothing = true
		return
	}
	wanted, not, _ := strings.Cut(label, " !")
	for w := range strings.SplitSeq(wanted, " & ") {
		a.Wanted = append(a.Wanted, strings.Split(w, "|"))
	}
	for n := range strings.SplitSeq(not, " !") {
		if n != "" {
			a.Not = append(a.Not, n)
		}
	}
}
