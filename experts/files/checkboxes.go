package files

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/plain"
)

// doDocuments is the bid on a question for what is left to do that names no document: who
// was told of tasks bids more, and who knows of none bids less.
const doDocuments = 0.75

//nolint:gochecknoglobals // never change; see plain.LazyRegexp
var (
	listsTasks    = plain.LazyRegexp(`\b(?:to-?dos?|to do list|check-?lists?|check-?box(?:es)?|box(?:es)?|tasks?|items?|jobs?|aufgaben(?:liste)?|kästchen|tareas?|casillas?)\b`)
	justADocument = plain.LazyRegexp(`\.(?:md|markdown|txt|rst|adoc)\b`)
	namesBoxes    = plain.LazyRegexp(`\b(?:to-?dos?|to do list|check-?lists?|check-?box(?:es)?|aufgabenliste|casillas?)\b`)
	openBoxes     = plain.LazyRegexp(`\b(?:open|un(?:ticked|checked|done|finished)|left|remaining|outstanding|still|to do|offene?n?|unerledigte?n?|pendientes?|abiertas?)\b`)
	doneBoxes     = plain.LazyRegexp(`\b(?:done|ticked|checked|finished|completed|erledigte?n?|abgehakte?n?|hech[oa]s?|terminadas?)\b`)
	asksToDo      = plain.LazyRegexp(`^(?:(?:show |list )?(?:the |my |our )?open tasks|what(?:'s| is| do (?:i|we))? (?:still )?(?:left |have )?to do|what(?:'s| is) (?:still )?(?:left|open) to do|what do (?:i|we) still have to do|was (?:ist|muss) noch (?:zu tun|offen|zu erledigen|erledigt werden|gemacht werden)|offene aufgaben|qué (?:queda|falta) por hacer|tareas pendientes)[?. ]*$`)
	asksOf        = plain.LazyRegexp(`^(?:what (?:(?:must|should) (?P<name>[\pL-]+) (?:still )?|(?:does|has) (?P<name>[\pL-]+) (?:still )?(?:have |need |got |left )?to )(?:do|finish)|what (?:is|are) (?P<name>[\pL-]+)['’]s? (?:open )?(?:tasks?|to-?dos?|jobs?)|(?:which|what) (?:open )?(?:tasks?|to-?dos?|jobs?) (?:does|has|are for|are left for|is for) (?P<name>[\pL-]+)(?: (?:still )?(?:have|left|got))?|was (?:muss|soll|hat) (?P<name>[\pL-]+) (?:noch )?(?:zu )?(?:tun|machen|erledigen)|welche aufgaben hat (?P<name>[\pL-]+)(?: noch)?|qué (?:tiene que|debe) hacer (?P<name>[\pL-]+)|qué tareas tiene (?P<name>[\pL-]+))[?. ]*$`)
	asksBoxes     = plain.LazyRegexp(`^(?:what|which|how many|list|show|are there|was|welche|wie viele|zeig|liste|qué|cuáles|cuántas|muestra|lista)\b`)
)

// boxesBid is the bid on a question for boxes: less where it names neither them nor a document.
func boxesBid(prompt string) float64 {
	if namesBoxes().MatchString(prompt) || justADocument().MatchString(prompt) {
		return experts.ReadAll
	}
	return doDocuments
}

// isFor reports whether a thing to do is somebody's: who is named before a colon does it, and
// otherwise whoever is named.
func isFor(text, name string) bool {
	if who, _, ok := strings.Cut(text, ": "); ok && !strings.Contains(who, " ") {
		return strings.EqualFold(who, name)
	}
	return slices.Contains(wordsOf(text), name)
}

// boxes reads a question for the things to do that documents list with boxes to tick: all
// of them, those that are open, or those that are done. It returns none for another one.
func (t *tree) boxes(ctx context.Context, prompt string) (asked []passage, open, done bool) {
	toDo := asksToDo().MatchString(strings.TrimSpace(prompt))
	name := strings.ToLower(strings.Join(append(asksOf().FindStringSubmatch(strings.TrimLeft(prompt, " ¿")), "", "")[1:], ""))
	if name == "" && !toDo && (!asksBoxes().MatchString(strings.TrimSpace(prompt)) || !listsTasks().MatchString(prompt)) {
		return nil, false, false
	}
	all := slices.DeleteFunc(slices.Clone(t.passages(ctx)), func(p passage) bool { return p.box == "" })
	if name != "" {
		return slices.DeleteFunc(all, func(p passage) bool { return !isFor(p.text, name) }), true, false
	}
	named := slices.DeleteFunc(slices.Clone(all), func(p passage) bool {
		return !strings.Contains(strings.ToLower(prompt), strings.ToLower(path.Base(p.path)))
	})
	open, done = openBoxes().MatchString(prompt), doneBoxes().MatchString(prompt)
	switch {
	case toDo:
		return all, true, false
	case open && done:
		return nil, false, false
	case len(named) > 0:
		return named, open, done
	case open || done:
		return all, open, done
	}
	return nil, false, false
}

// ticked answers with the boxes of documents that are asked for.
func (t *tree) ticked(_ context.Context, q query) (core.Reply, error) {
	var lines []string
	n := 0
	for _, p := range q.boxes {
		isDone := p.box != " "
		if q.open && isDone || q.done && !isDone {
			continue
		}
		if n++; n <= maxData {
			mark := map[bool]string{true: "x", false: " "}[isDone]
			lines = append(lines, "- ["+mark+"] "+clip(p.text, maxPassage)+" ("+plain.Code(p.path+":"+strconv.Itoa(p.line))+")")
		}
	}
	state := ""
	switch {
	case q.open:
		state = t.Say("open")
	case q.done:
		state = t.Say("done")
	}
	message := t.Say("**%d** of %d %s", n, len(q.boxes), state)
	if state == "" {
		message = t.Say("**%d** to do", n)
	}
	if len(lines) > 0 {
		message += ":\n\n" + strings.Join(lines, "\n")
	}
	return experts.Success(message, map[string]any{"total": float64(n), "of": float64(len(q.boxes)), "tasks": lines}), nil
}
