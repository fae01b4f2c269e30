// Package eval measures how well questions find their tools by words: by the index
// that the room uses, and by a plain BM25 beside it, with descriptions alone and
// after some questions that each tool has answered before.
package eval

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core/rank"
)

// folds are the parts of the questions: each is asked when the others may have
// been learned.
const folds = 5

// Tool is what a tool says of itself.
type Tool struct{ Name, Description string }

// Question is a text, and the name of the tool that it is for.
type Question struct{ Text, Tool string }

// Set is what is measured with.
type Set struct {
	Tools     []Tool
	Questions []Question
}

// Report is the outcome of an evaluation. Its figures are reproducible from the set and the seed.
type Report struct {
	Tools    int    `json:"tools"`
	Asked    int    `json:"asked"`
	Unknown  int    `json:"unknown,omitempty"` // questions for tools that are not in the set: not asked
	Seed     uint64 `json:"seed"`
	Measured []Row  `json:"measured"`
}

// Row is how many questions found their tool after each tool had learned some.
type Row struct {
	Learned int    `json:"learned"` // questions a tool, at most: some tools have fewer
	Room    Counts `json:"room"`    // by the index of the room
	Plain   Counts `json:"plain"`   // by a plain BM25
}

// Counts are the questions whose tool was the first, or among the first 5 and 10.
type Counts struct {
	At1  int `json:"at1"`
	At5  int `json:"at5"`
	At10 int `json:"at10"`
}

func (c *Counts) add(place int) {
	for most, count := range map[int]*int{1: &c.At1, 5: &c.At5, 10: &c.At10} {
		if place <= most {
			*count++
		}
	}
}

// steps are how many questions a tool has learned.
func steps() []int { return []int{0, 1, 5, 20} }

// Run asks every question of a known tool. What a tool has learned is drawn with
// the seed from its questions in other parts of the set than the one that is asked.
// It fails only when ctx ends.
func Run(ctx context.Context, set Set, seed uint64) (Report, error) {
	places := map[string]int{}
	for i, tool := range set.Tools {
		places[tool.Name] = i
	}
	report := Report{Tools: len(set.Tools), Seed: seed}
	parts := split(set, places, seed)
	for _, q := range set.Questions {
		if _, known := places[q.Tool]; !known {
			report.Unknown++
		}
	}
	report.Asked = len(set.Questions) - report.Unknown
	for _, learned := range steps() {
		row := Row{Learned: learned}
		for part := range folds {
			docs := documents(set, parts, part, learned)
			room, plain := rank.NewTools(docs), newBaseline(docs)
			for tool := range set.Tools {
				for _, text := range parts[part][tool] {
					if err := ctx.Err(); err != nil {
						return report, err
					}
					row.Room.add(place(scores(room.Fits(text)), tool))
					row.Plain.add(place(plain.scores(text), tool))
				}
			}
		}
		report.Measured = append(report.Measured, row)
	}
	return report, nil
}

// split shuffles the questions of each tool and deals them out: part → tool → texts.
func split(set Set, places map[string]int, seed uint64) (parts [folds][][]string) {
	texts := make([][]string, len(set.Tools))
	for _, q := range set.Questions {
		if i, known := places[q.Tool]; known {
			texts[i] = append(texts[i], q.Text)
		}
	}
	random := rand.New(rand.NewPCG(seed, 0))
	for part := range parts {
		parts[part] = make([][]string, len(set.Tools))
	}
	for tool, all := range texts {
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for i, text := range all {
			parts[i%folds][tool] = append(parts[i%folds][tool], text)
		}
	}
	return parts
}

// documents are the tools, each with some questions that are in other parts than
// the one that is asked, and are no question of that one in the same words.
func documents(set Set, parts [folds][][]string, asked, learned int) []rank.ToolDoc {
	docs := make([]rank.ToolDoc, len(set.Tools))
	for tool, t := range set.Tools {
		docs[tool] = rank.ToolDoc{Name: t.Name, Description: t.Description}
		for i := 1; i < folds; i++ {
			for _, text := range parts[(asked+i)%folds][tool] {
				if len(docs[tool].Learned) < learned && !slices.Contains(parts[asked][tool], text) {
					docs[tool].Learned = append(docs[tool].Learned, text)
				}
			}
		}
	}
	return docs
}

func scores(fits []rank.Fit) []float64 {
	list := make([]float64, len(fits))
	for i, fit := range fits {
		list[i] = fit.Score
	}
	return list
}

// place is that of a tool among the others, from 1; one without a score has none.
func place(scores []float64, tool int) int {
	if scores[tool] <= 0 {
		return math.MaxInt
	}
	n := 1
	for i, score := range scores {
		if score > scores[tool] || score == scores[tool] && i < tool {
			n++
		}
	}
	return n
}

// String is a table.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d tools, %d questions asked", r.Tools, r.Asked)
	if r.Unknown > 0 {
		fmt.Fprintf(&b, "; %d are for tools that are not in the list, and were not asked", r.Unknown)
	}
	fmt.Fprintf(&b, "\n\n%-17s %-29s %s\n%-17s %-8s %5s  %5s  %5s   %-8s %5s  %5s  %5s\n", "", "the room", "plain BM25",
		"learned a tool", "right", "at 1", "at 5", "at 10", "right", "at 1", "at 5", "at 10")
	share := func(n int) float64 { return float64(n) / float64(max(r.Asked, 1)) }
	for _, row := range r.Measured {
		fmt.Fprintf(&b, "%-17d", row.Learned)
		for _, c := range []Counts{row.Room, row.Plain} {
			fmt.Fprintf(&b, " %-8d %.3f  %.3f  %.3f  ", c.At1, share(c.At1), share(c.At5), share(c.At10))
		}
		b.WriteString("\n")
	}
	return b.String()
}
