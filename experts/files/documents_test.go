package files

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/yaap-chat/yaap/core/linear"
	"github.com/yaap-chat/yaap/core/linear/lineartest"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/experts/expertstest"
	"github.com/yaap-chat/yaap/experts/plain"
)

// documentQuestion is a question and where its answer stands; without places nothing answers it.
type documentQuestion struct {
	text   string
	places []documentPlace
}

type documentPlace struct {
	path, piece string
	line        int
}

// world is the documents of a directory, and what is asked there.
type world struct {
	name, dir string
	questions []documentQuestion
}

// worlds are those of a directory of archives. Who wrote them knew neither the rules nor the words.
func worlds(t *testing.T, pattern string) (all []world) {
	t.Helper()
	for _, archive := range must.Get(filepath.Glob(filepath.Join("testdata", "documents", pattern)))(t) {
		w := world{name: filepath.Base(archive), dir: t.TempDir()}
		for _, f := range must.Get(txtar.ParseFile(archive))(t).Files {
			if f.Name != "questions" {
				expertstest.Write(t, w.dir, map[string]string{f.Name: string(f.Data)})
				continue
			}
			for line := range strings.Lines(string(f.Data)) {
				text, places, ok := strings.Cut(strings.TrimSpace(line), " => ")
				if !ok {
					continue
				}
				q := documentQuestion{text: text}
				for place := range strings.SplitSeq(places, " || ") {
					if path, piece, ok := strings.Cut(place, " | "); ok {
						q.places = append(q.places, documentPlace{path, piece, lineOf(w.dir, path, piece)})
					}
				}
				w.questions = append(w.questions, q)
			}
		}
		all = append(all, w)
	}
	return all
}

// lineOf is the line of a file that holds a piece of text.
func lineOf(dir, path, piece string) int {
	body, _ := os.ReadFile(filepath.Join(dir, path))
	for n, line := range strings.Split(string(body), "\n") {
		if strings.Contains(line, piece) {
			return n + 1
		}
	}
	return 0
}

// squeezed is a text without what Markdown adds to it.
func squeezed(s string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t\n*_`|", r) }), " "))
}

// answeredBy reports whether a passage, or a sentence of one, answers.
func (q documentQuestion) answeredBy(path, said string, line int) bool {
	return slices.ContainsFunc(q.places, func(place documentPlace) bool {
		return place.path == path && (strings.Contains(squeezed(said), squeezed(place.piece)) || place.line == line)
	})
}

// documentsTally is how many questions have an answer and got it, and how many have none and got none.
type documentsTally struct{ right, with, wrong, told, without int }

func tallyOf(t *testing.T, all []world) (n documentsTally) {
	t.Helper()
	for _, w := range all {
		e := newExpert(w.dir)
		for _, q := range w.questions {
			said, path, line := "", "", 0.0
			if e.bid(t.Context(), q.text, nil).Score > 0 {
				reply := expertstest.Ask(t, asked(e), q.text)
				said = reply.Message
				path, _ = reply.Data["path"].(string)
				line, _ = reply.Data["line"].(float64)
			}
			switch {
			case len(q.places) == 0:
				if n.without++; said == "" {
					n.told++
					continue
				}
			default:
				if n.with++; q.answeredBy(path, said, int(line)) {
					n.right++
					continue
				}
				if said != "" {
					n.wrong++
				}
			}
			if testing.Verbose() {
				t.Logf("%s: %s: %v: %.150q", w.name, q.text, q.places, said)
			}
		}
	}
	return n
}

var fit = flag.Bool("fit", false, "write the weights anew")

// ofOthers are some of what other experts are asked.
func ofOthers(t *testing.T) (all []documentQuestion) {
	t.Helper()
	for _, name := range []string{"git", "clock", "calc"} {
		for i, line := range expertstest.Lines(t, filepath.Join("..", "..", name, "testdata", "questions.txt")) {
			if text, _, ok := strings.Cut(line, " => "); ok && i%20 == 0 {
				all = append(all, documentQuestion{text: text})
			}
		}
	}
	return all
}

// fitted are the weights that tell the sentences that answer the questions of some worlds.
func fitted(t *testing.T, all []world) linear.Weights {
	t.Helper()
	var choices [][]lineartest.Example
	others := ofOthers(t)
	for _, w := range all {
		e := newExpert(w.dir)
		root := must.Get(os.OpenRoot(w.dir))(t)
		for _, q := range append(w.questions, others...) {
			found := false
			var examples []lineartest.Example
			for _, c := range (&tree{expert: e, root: root, bidding: true}).candidates(t.Context(), q.text) {
				line := 0
				if len(c.passage.sentences) == 1 && c.passage.text != "" {
					line = c.passage.line
				}
				said := c.text
				if c.passage.text == "" { // it is answered with what is below it
					reply := must.Get((&tree{expert: e, root: root, Translator: plain.TranslatorFor(translators(), q.text)}).passage(t.Context(), query{passage: c.passage}))(t)
					said = reply.Message
				}
				yes := q.answeredBy(c.passage.path, said, line)
				found = found || yes
				examples = append(examples, lineartest.Example{Features: c.features, Yes: yes})
			}
			choices = append(choices, examples)
			if len(q.places) > 0 && !found && testing.Verbose() {
				t.Logf("not among the candidates: %s: %s: %v", w.name, q.text, q.places)
			}
		}
		must.Do(t, root.Close())
	}
	return lineartest.FitChoice(choices, 1)
}

// Nothing was fitted to the worlds that are held out.
func TestWhatDocumentsSayAnswersQuestions(t *testing.T) {
	if *fit {
		w := fitted(t, worlds(t, "*.txtar"))
		must.Do(t, os.WriteFile("passages.txt", []byte(lineartest.Text(w)), 0o600))
		passageWeights = func() linear.Weights { return w }
	}
	for _, set := range []struct {
		pattern     string
		right, told float64
	}{{"en-*", 0.65, 0.8}, {"de-*", 0.7, 0.73}, {"es-*", 0.7, 0.75}, {"held/en-*", 0.6, 0.75}, {"held/de-*", 0.7, 0.6}, {"held/es-*", 0.7, 0.59}} {
		n := tallyOf(t, worlds(t, set.pattern))
		t.Logf("%s: %d of %d right, %d wrong; nothing %d of %d", set.pattern, n.right, n.with, n.wrong, n.told, n.without)
		if float64(n.right) < set.right*float64(n.with) || float64(n.told) < set.told*float64(n.without) {
			t.Errorf("%s: less than %.2f and %.2f", set.pattern, set.right, set.told)
		}
	}
}
