package guard

import (
	"regexp"
	"strings"
)

// table is a file of rules: groups of words, and rows of fields.
type table struct {
	words    map[string][]string // by the name of their group
	rows     [][]string
	replaces []string // the names of groups in a pattern, and RE2 for them
}

// readTable reads lines such as "$NAME: words", of which a group may have several where no pattern has its name, and rows whose
// fields are separated by tabs.
func readTable(file string) table {
	t := table{words: map[string][]string{}}
	for line := range ruleLines(file) {
		if name, list, ok := strings.Cut(line, ": "); ok && line[0] == '$' {
			words := strings.Fields(list)
			t.words[name[1:]] = append(t.words[name[1:]], words...)
			t.replaces = append(t.replaces, "{"+name[1:]+"}", "(?:"+strings.Join(words, "|")+")")
			continue
		}
		t.rows = append(t.rows, strings.Split(line, "\t"))
	}
	return t
}

// set holds the words of a group.
func (t *table) set(name string) map[string]bool {
	set := map[string]bool{}
	for _, w := range t.words[name] {
		set[w] = true
	}
	return set
}

// compile reads a pattern, in which {NAME} stands for one of the words of a group.
func (t *table) compile(pattern string) *regexp.Regexp {
	return regexp.MustCompile(strings.NewReplacer(t.replaces...).Replace(pattern))
}

// ruleLines are the lines that are not empty and no comments.
func ruleLines(file string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for line := range strings.SplitSeq(file, "\n") {
			if line != "" && line[0] != '#' && !yield(line) {
				return
			}
		}
	}
}
