package eval

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/memory"
)

// leastBid is what a question has to be worth to the memory, or nobody answers it.
const leastBid = 0.3

// WeekResult measures the contexts and the answers of a week.
type WeekResult struct {
	Week          string   `json:"week"`
	HeldOut       bool     `json:"held_out"`
	Lines         int      `json:"lines"`
	Wanted        int      `json:"wanted"`
	Facts         int      `json:"facts"`
	Present       int      `json:"present"`
	Contradicting int      `json:"contradictions"`
	Questions     int      `json:"questions"`
	Right         int      `json:"right"`
	Unknown       int      `json:"unknown"` // questions that nothing answers
	Told          int      `json:"told"`    // those of which that is told
	Wrong         []string `json:"wrong"`   // in words
}

// WeekResults are the measurements of several weeks.
type WeekResults []WeekResult

// String is the table.
func (k WeekResults) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "week\tlines wanted\tfacts present\tcontradictions\tanswers right\tnothing said, told so") //nolint:errcheck // of a strings.Builder
	for _, k := range k {
		name := k.Week
		if k.HeldOut {
			name += " (held out)"
		}
		fmt.Fprintf(w, "%s\t%d of %d, %.0f %%\t%d of %d, %.0f %%\t%d\t%d of %d\t%d of %d\n", name, k.Wanted, k.Lines, share(k.Wanted, k.Lines), //nolint:errcheck // of a strings.Builder
			k.Present, k.Facts, share(k.Present, k.Facts), k.Contradicting, k.Right, k.Questions, k.Told, k.Unknown)
	}
	w.Flush() //nolint:errcheck // of a strings.Builder
	return b.String()
}

func share(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }

// Recorder records the messages of a week.
type Recorder interface {
	memory.Store
	memory.StatementSource
}

// Play has a week remembered, every developer's in a memory of its own, and
// measures what the contexts say and how questions are answered. A model may
// write the contexts.
func Play(ctx context.Context, into Recorder, w Week, model llm.Model) (WeekResult, error) {
	k := WeekResult{Week: w.Name, HeldOut: heldOut(w.Name)}
	vault := core.Vault{ID: "week-" + w.Name, Title: "week-" + w.Name, Created: time.Now()}
	if err := into.Put(ctx, vault); err != nil {
		return k, err
	}
	for i, p := range w.People {
		row := core.Memory{ID: fmt.Sprintf("%s-%d", vault.ID, i), Vault: vault.ID, Title: fmt.Sprintf("person-%d", i), Created: vault.Created}
		if err := into.Put(ctx, row); err != nil {
			return k, err
		}
		last := p.Turns[len(p.Turns)-1].Time.Add(between)
		invoker := memory.NewInvoker(memory.NewAgent(memory.Config{
			Store: into, Vault: vault, Memory: row, Model: func() llm.Model { return model }, Now: func() time.Time { return last },
		}))
		for at := 0; at < len(p.Turns); {
			end := at
			for end < len(p.Turns) && p.Sittings[end] == p.Sittings[at] {
				end++
			}
			thread := row.ID + " " + p.Sittings[at]
			if err := invoker.StartSession(ctx, thread); err != nil {
				return k, err
			}
			if err := invoker.Process(ctx, thread, p.Turns[at:end]...); err != nil {
				return k, err
			}
			if err := invoker.EndSession(ctx, thread); err != nil {
				return k, err
			}
			at = end
		}
		docs, err := into.Contexts(ctx, row.ID, 1)
		if err != nil {
			return k, err
		}
		if len(docs) > 0 {
			k.read(p, docs[0].Content)
		}
		r := memory.NewRecaller(into, row.ID, func() time.Time { return last })
		for _, q := range p.Questions {
			if err := k.ask(ctx, r, p, q); err != nil {
				return k, err
			}
		}
	}
	return k, nil
}

// miss notes what is not as it should be.
func (k *WeekResult) miss(p Person, format string, args ...any) {
	k.Wrong = append(k.Wrong, strings.SplitN(p.Name, ",", 2)[0]+": "+fmt.Sprintf(format, args...))
}

// read rates a context by the labels.
func (k *WeekResult) read(p Person, content string) {
	present := make([]bool, len(p.Facts))
	history := false
	for line := range strings.Lines(content) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			history = strings.HasPrefix(line, "## History")
			continue
		}
		if line == "" {
			continue
		}
		k.Lines++
		wanted := false
		for i, f := range p.Facts {
			if holdsAll(line, f) {
				wanted, present[i] = true, present[i] || !history
			}
		}
		for _, a := range p.Allowed {
			wanted = wanted || holdsAll(line, a)
		}
		for _, o := range p.Old {
			switch {
			case !holdsAll(line, o):
			case history:
				wanted = true
			case !wanted && !isPast(line):
				k.Contradicting++
				k.miss(p, "stands still: %s", line)
			}
		}
		if wanted {
			k.Wanted++
		} else {
			k.miss(p, "not wanted: %s", line)
		}
	}
	for i, f := range p.Facts {
		k.Facts++
		if present[i] {
			k.Present++
		} else {
			k.miss(p, "is missing: %s", strings.Join(f, " "))
		}
	}
}

// isPast reports whether a line tells something as past.
func isPast(line string) bool {
	return slices.ContainsFunc(lang.Languages(), func(l *lang.Language) bool { return l.HasPhrase(line, "old") })
}

// holdsAll reports whether a text holds each of some words, or one of its
// alternatives.
func holdsAll(text string, words []string) bool {
	for _, w := range words {
		if !slices.ContainsFunc(strings.Split(w, "|"), func(s string) bool { return holds(text, s) }) {
			return false
		}
	}
	return true
}

// holds reports whether a text holds some words, which nothing of a word goes
// before: "25" is not in "125".
func holds(text, words string) bool {
	text, words = " "+strings.ToLower(text), strings.ToLower(words)
	for from := 0; ; {
		at := strings.Index(text[from:], words)
		if at < 0 {
			return false
		}
		from += at
		if before := text[from-1]; strings.ContainsRune(" .,;:/@-_([\"'¿¡\n“„", rune(before)) || before >= 0x80 {
			return true
		}
		from += len(words)
	}
}

// ask asks a question, and rates the answer.
func (k *WeekResult) ask(ctx context.Context, r *memory.Recaller, p Person, q Asked) error {
	k.Questions++
	if q.Nothing {
		k.Unknown++
	}
	answer := ""
	if r.Bid(ctx, q.Text, nil).Score >= leastBid {
		args, err := json.Marshal(map[string]string{"prompt": q.Text})
		if err != nil {
			return err
		}
		result, err := r.Tool().Call(ctx, core.Call{Args: args})
		if err != nil {
			return err
		}
		answer = result.Text
	}
	switch {
	case !q.Right(answer):
		k.miss(p, "%s: %q", q.Text, answer)
	case q.Nothing:
		k.Told++
		k.Right++
	default:
		k.Right++
	}
	return nil
}

// Right reports whether an answer is.
func (q Asked) Right(answer string) bool {
	nothing := slices.ContainsFunc(lang.Languages(), func(l *lang.Language) bool {
		said, _, _ := strings.Cut(l.Phrase("nothing"), "%s")
		return said != "" && strings.HasPrefix(answer, said)
	})
	if q.Nothing || nothing {
		return q.Nothing && nothing
	}
	for line := range strings.Lines(answer) {
		if slices.ContainsFunc(q.Not, func(not string) bool { return holds(line, not) && !isPast(line) }) {
			return false
		}
	}
	return answer != "" && !slices.ContainsFunc(q.Wanted, func(any []string) bool {
		return !slices.ContainsFunc(any, func(w string) bool { return holds(answer, w) })
	})
}
