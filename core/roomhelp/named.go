package roomhelp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/rank"
	"github.com/yaap-chat/yaap/docs"
)

const (
	exampleMost = 2   // of an expert
	leastLine   = 0.7 // of the words, for an answer by a line's own words
)

// named answers a question about something that it names: a key, a command, a
// setting, a flag, or an expert of the room.
func (h *Help) named(words []string, l *lang.Language) found {
	best := found{}
	words = slices.Clone(words)
	for i := range words {
		words[i] = strings.TrimSuffix(words[i], "'s")
	}
	for i, w := range words {
		if say := h.thing(words, i); say != "" {
			if share := h.shareBeside(words, w, l, "what", "how", "do", "use", "you", "can", "change", "keys", "commands", "see", "help", "config", "filler", "works", "list"); share > best.share {
				best = found{text: say, about: "help on: " + w, share: share, worth: bidRead}
			}
		}
		if e, ok := h.expert(w); ok && h.about(words, i) {
			if share := h.shareBeside(words, w, l, "able", "what", "how", "you", "filler"); share > best.share {
				best = found{text: describe(e), about: "what " + e.Name + " can do", share: share, worth: bidRead}
			}
		}
	}
	return best
}

// about reports whether words ask what the expert at i is or can do.
func (h *Help) about(words []string, i int) bool {
	for j, w := range words {
		if j != i && slices.Contains(h.words[w], "able") && w != "for" {
			return true
		}
	}
	return false
}

// shareBeside is the share of a question that is about one of its words, where
// others of some meanings add nothing.
func (h *Help) shareBeside(words []string, thing string, l *lang.Language, meanings ...string) float64 {
	all := 1.
	for _, w := range words {
		of := h.words[w]
		if w == thing || l.Has(lang.Function, w) || l.Has(lang.Question, w) || slices.ContainsFunc(of, func(m string) bool { return slices.Contains(meanings, m) }) {
			continue
		}
		all += stranger
	}
	return 1 / all
}

// thing tells of the key, command, setting or flag that the word at i names.
func (h *Help) thing(words []string, i int) string {
	w := words[i]
	means := func(m string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(h.words[w], m) })
	}
	if name, ok := strings.CutPrefix(w, "/"); ok {
		return tellCommand(h.guide.Commands, "/", name)
	}
	if strings.HasPrefix(w, "--") {
		return tellCommand(h.guide.Flags, "", w)
	}
	if i > 0 && words[i-1] == "yaap" {
		if say := tellCommand(h.guide.Shell, "", "yaap "+w); say != "" {
			return say
		}
	}
	beside := func(i int) bool { return i >= 0 && i < len(words) && slices.Contains(h.words[words[i]], "keys") }
	if strings.Contains(w, "+") || len(w) == 2 && w[0] == 'f' || w == "esc" || beside(i-1) || beside(i+1) { // "the tab key"
		if say := h.tellKey(w); say != "" {
			return say
		}
	}
	if strings.Contains(w, "_") || means("config") {
		for _, s := range h.guide.Settings {
			if s.Name == w {
				return fmt.Sprintf("`%s` in `%s`: %s.", s.Name, h.guide.Config, s.Does)
			}
		}
	}
	return ""
}

func tellCommand(list []Command, mark, name string) string {
	for _, c := range list {
		if c.Name == name || slices.Contains(c.Aliases, name) {
			return strings.TrimSuffix(c.line(mark), ".") + "."
		}
	}
	return ""
}

// line tells of a command in a line.
func (c Command) line(mark string) string {
	text := "`" + strings.TrimSpace(mark+c.Name+" "+c.Args) + "`: " + c.Does
	if c.Key != "" {
		text += " (`" + c.Key + "`)"
	}
	return text
}

// tellKey tells what a key does, wherever it works.
func (h *Help) tellKey(name string) string {
	var lines []string
	for _, k := range h.guide.Keys {
		if slices.Contains(k.Keys, name) {
			line := "`" + name + "`: " + k.Does
			if k.Where != "" {
				line = "`" + name + "` " + k.Where + ": " + k.Does
			}
			lines = append(lines, line)
		}
	}
	for _, c := range h.guide.Commands {
		if c.Key == name {
			lines = append(lines, "The same as `/"+c.Name+"`: "+c.Does)
		}
	}
	return strings.Join(lines[:min(len(lines), 3)], "\n")
}

// describe tells what an expert says of itself.
func describe(e core.Expert) string {
	text := "**" + e.Name + "**: " + strings.TrimRight(e.Description, ". ") + "."
	if len(e.Examples) > 0 {
		text += "\nAsk, say, “" + strings.Join(e.Examples[:min(len(e.Examples), exampleMost)], "” or “") + "”; `@" + e.Name + "` asks it directly."
	}
	return text
}

// line is a key or a command with the words of its own line.
type line struct {
	text, about string
	stems       map[string]bool
}

func linesOf(g Guide) []line {
	var all []line
	add := func(text, about, words string) {
		x := line{text: text, about: about, stems: map[string]bool{}}
		for _, w := range lang.Words(words) {
			x.stems[rank.Stem(w)] = true
		}
		all = append(all, x)
	}
	for _, k := range g.Keys {
		where := ""
		if k.Where != "" {
			where = " " + k.Where
		}
		add("`"+strings.Join(k.Keys, "`, `")+"`"+where+": "+k.Does+".", "the key "+k.Keys[0], k.Does)
	}
	for _, c := range g.Commands {
		add(c.line("/")+".", "/"+c.Name, c.Name+" "+c.Does)
	}
	for _, c := range slices.Concat(g.Shell, g.Flags) {
		add(c.line("")+".", c.Name, c.Name+" "+c.Does)
	}
	for _, s := range g.Settings {
		add("`"+s.Name+"` in `"+g.Config+"`: "+s.Does+".", "the setting "+s.Name, s.Name+" "+s.Does)
	}
	for _, topic := range docs.Topics() {
		text, _ := docs.Read(topic)
		for _, s := range docs.Sections(text) {
			if s.First != "" {
				add(strings.Join(strings.Fields(s.First), " ")+"\n\nMore of it: `/help "+topic+"`.", "the document "+topic, s.Title)
			}
		}
	}
	return all
}

// byLine finds the key, command, setting or section of a document whose own
// line has the words of a question.
func (h *Help) byLine(text string, words []string, l *lang.Language) found {
	var content []string
	asked := false // how something is done, or by which key, command or setting
	for i, w := range words {
		of := h.words[w]
		if w == "how" && i+1 < len(words) && !l.Has(lang.Function, words[i+1]) && !l.Has(lang.YesNo, words[i+1]) {
			return found{} // how old, how deep: of something else
		}
		if slices.ContainsFunc(of, places) {
			return found{}
		}
		asked = asked || slices.ContainsFunc(of, func(m string) bool { return m == "how" || m == "keys" || m == "commands" || m == "config" })
		skip := l.Has(lang.Function, w) || l.Has(lang.Question, w) || slices.Contains(of, "filler") || slices.Contains(of, "keys") || slices.Contains(of, "commands")
		if !skip || slices.Contains(of, "direction") {
			content = append(content, rank.Stem(w))
		}
	}
	if _, refers := lang.AllPhrases().Refers(lang.Lex(text), false); refers > 0 { // "how do I run it?"
		return found{}
	}
	if !asked || !lang.IsQuestion(text) || l.OpeningLength(text, lang.HowMany) > 0 || len(content) == 0 {
		return found{}
	}
	known := func(stem string) bool {
		return slices.ContainsFunc(h.lines, func(x line) bool { return x.stems[stem] })
	}
	best := found{}
	for _, x := range h.lines {
		var read, all float64
		for _, stem := range content {
			switch {
			case x.stems[stem]:
				read, all = read+1, all+1
			case known(stem):
				all++
			default:
				all += stranger
			}
		}
		if share := read / all; share >= leastLine && share > best.share {
			best = found{text: x.text, about: "help on: " + x.about, share: share, worth: bidLikely}
		}
	}
	return best
}

// someKeys are the keys that open something, in one line.
func (h *Help) someKeys() string {
	var all []string
	for _, k := range h.guide.Keys {
		if k.Where == "" && (strings.HasPrefix(k.Keys[0], "f") || strings.HasPrefix(k.Keys[0], "ctrl+")) && len(k.Does) < 24 {
			all = append(all, "`"+k.Keys[0]+"` "+k.Does)
		}
	}
	return strings.Join(all, " · ")
}

func (h *Help) allCommands() string {
	var all []string
	for _, c := range h.guide.Commands {
		all = append(all, "`/"+c.Name+"`")
	}
	return strings.Join(all, " ")
}

func (h *Help) allSettings() string {
	var all []string
	for _, s := range h.guide.Settings {
		all = append(all, s.Name)
	}
	return strings.Join(all, ", ")
}
