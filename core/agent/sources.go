package agent

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	fragmentsKey = "fragments" // of a result's data: a list of {id, source, url, text, score}
	maxFragments = 20          // of one result
	maxSources   = 999         // of a conversation
	maxTitle     = 120         // bytes of what a source is called
	maxURL       = 500
)

// source is what a part of a result was taken from, as results say it in their
// fragments.
type source struct{ title, url string }

// line is a source for people and models.
func (s source) line(n int) string {
	return strings.TrimRight(fmt.Sprintf("[%d] %s  %s", n, s.title, s.url), " ")
}

// sources are those of a conversation, in the order in which they came. The same one
// has the same number for as long as the conversation lasts.
type sources struct {
	list  []source
	known map[string]int   // numbers by id, address or text
	of    map[string][]int // numbers by the message that named them
}

// take numbers what a result names. It may be called again with the same message.
func (s *sources) take(m core.Message) {
	if m.Role != core.RoleTool || m.Result == nil || !m.Result.OK() {
		return
	}
	fragments, _ := m.Result.Data[fragmentsKey].([]any)
	if len(fragments) == 0 || s.of[m.ID] != nil {
		return
	}
	if s.of == nil {
		s.known, s.of = map[string]int{}, map[string][]int{}
	}
	for _, f := range fragments[:min(len(fragments), maxFragments)] {
		o, _ := f.(map[string]any)
		text := func(key string, limit int) string {
			said, _ := o[key].(string)
			return safe.Cut(safe.Line(safe.Prefix(said, 4*limit)), limit)
		}
		one := source{title: cmp.Or(text("source", maxTitle), text("title", maxTitle), m.Name), url: text("url", maxURL)}
		key := cmp.Or(text("id", maxURL), one.url, one.title+"\n"+text("text", maxURL))
		n, ok := s.known[key]
		if !ok {
			if len(s.list) == maxSources {
				break
			}
			s.list = append(s.list, one)
			n = len(s.list)
			s.known[key] = n
		}
		if !slices.Contains(s.of[m.ID], n) {
			s.of[m.ID] = append(s.of[m.ID], n)
		}
	}
}

// shown are messages as a model is shown them: what a result was taken from is numbered.
func (s *sources) shown(messages []core.Message) []core.Message {
	if len(s.list) == 0 {
		return messages
	}
	messages = slices.Clone(messages)
	for i, m := range messages {
		if len(s.of[m.ID]) == 0 {
			continue
		}
		var b strings.Builder
		b.WriteString(m.Text + "\nIts fragments were taken from these, in this order. Put the number behind what you take from one, such as [1]:")
		for _, n := range s.of[m.ID] {
			b.WriteString("\n" + s.list[n-1].line(n))
		}
		messages[i].Text = b.String()
	}
	return messages
}

var (
	citation = regexp.MustCompile(`\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]`)
	code     = regexp.MustCompile("(?s)```.*?(?:```|$)|`[^`\n]*`")
)

// cited are the numbers in an answer, outside code, in their order: those of sources and
// the others.
func (s *sources) cited(text string) (known, unknown []int) {
	for _, m := range citation.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
		for number := range strings.SplitSeq(m[1], ",") {
			n, err := strconv.Atoi(strings.TrimSpace(number))
			switch {
			case err != nil || slices.Contains(known, n) || slices.Contains(unknown, n):
			case n >= 1 && n <= len(s.list):
				known = append(known, n)
			default:
				unknown = append(unknown, n)
			}
		}
	}
	slices.Sort(known)
	return known, unknown
}

// cite lists below an answer what it was taken from, and says which numbers mean nothing.
// Where nothing named a source, a number in brackets is none.
func (r *run) cite(reply core.Reply) core.Reply {
	known, unknown := r.sources.cited(reply.Message)
	if len(r.sources.list) == 0 || len(known)+len(unknown) == 0 {
		return reply
	}
	var lines []string
	list := make([]any, len(known))
	for i, n := range known {
		from := r.sources.list[n-1]
		lines = append(lines, "- "+from.line(n))
		list[i] = map[string]any{"n": n, "source": from.title, "url": from.url}
	}
	for _, n := range unknown {
		lines = append(lines, fmt.Sprintf("- [%d] is no source that was found here", n))
	}
	reply.Message = strings.TrimRight(reply.Message, "\n") + "\n\n" + strings.Join(lines, "\n")
	if _, own := reply.Data["sources"]; !own && len(list) > 0 {
		data := map[string]any{"sources": list}
		maps.Copy(data, reply.Data)
		reply.Data = data
	}
	return reply
}

// uncited says what is wrong with an answer that has to name its sources.
func (r *run) uncited(reply core.Reply) error {
	if !r.cfg.Cites || len(r.sources.list) == 0 || reply.Status != core.StatusSuccess {
		return nil
	}
	if known, _ := r.sources.cited(reply.Message); len(known) > 0 {
		return nil
	}
	return fmt.Errorf("it names no source: put the number of the fragment behind what you took from it, such as [1]")
}
