// Package expertstest holds an expert to tables of questions, for tests only.
//
// A table is a file in testdata. Of its lines, comments aside, the first, third,
// fifth ... are what the expert is tuned to, and each must be right. The others
// are never looked at while it is, and so many of them must be right.
package expertstest

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"yaap/core"
	"yaap/experts"
	"yaap/experts/plain"
)

// maxReads is how many letters a bid may say.
const maxReads = 120

// Answers checks a table of questions with what the answers hold:
//
//	prompt => this; this or|that; !and not this
//
// names and values that stand for something in a line are given in pairs.
func Answers(t *testing.T, e experts.Expert, table string, heldOut int, names ...string) {
	t.Helper()
	check(t, table, heldOut, func(line string) string {
		return wrong(t, e, strings.NewReplacer(names...).Replace(line))
	})
}

// Declines checks a table of texts that are for others.
func Declines(t *testing.T, e experts.Expert, table string, heldOut int) {
	t.Helper()
	check(t, table, heldOut, func(line string) string {
		if bid := e.Bid(t.Context(), line, nil); !bid.Declines() {
			return "the bid is " + text(t, bid)
		}
		return ""
	})
}

// Doubts checks that no text is read whole: each asks two things.
func Doubts(t *testing.T, e experts.Expert, table string) {
	t.Helper()
	for _, line := range lines(t, table) {
		if bid := e.Bid(t.Context(), line, nil); bid.Score > experts.Understood {
			t.Errorf("%s: %+v", line, bid)
		}
	}
}

// Bids times the bids on the questions of questions.txt, on the texts of
// others.txt, and on texts that a careless reader would spend seconds on.
func Bids(b *testing.B, e experts.Expert, hostile []string, names ...string) {
	b.Helper()
	asked := lines(b, "questions.txt")
	for i, line := range asked {
		asked[i], _, _ = strings.Cut(strings.NewReplacer(names...).Replace(line), " => ")
	}
	for name, texts := range map[string][]string{"questions": asked, "others": lines(b, "others.txt"), "hostile": hostile} {
		b.Run(name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				e.Bid(b.Context(), texts[i%len(texts)], nil)
			}
		})
	}
}

// Replies checks that what the package says has words in every language, and
// that they are filled in alike.
func Replies(t *testing.T, voices map[string]plain.Voice) {
	t.Helper()
	said := map[string]bool{}
	names, err := filepath.Glob("*.go")
	for _, name := range names {
		source, readErr := os.ReadFile(name)
		err = errors.Join(err, readErr)
		for _, m := range regexp.MustCompile(`\b[tv](?:oice)?\.(?:Say|Count)\((?:[\w.()]+, )?"((?:[^"\\]|\\.)+)"`).FindAllStringSubmatch(string(source), -1) {
			said[m[1]] = !strings.HasSuffix(name, "_test.go")
		}
	}
	if err != nil || len(said) == 0 {
		t.Fatal(err, said)
	}
	for id, voice := range voices {
		for text := range said {
			if other, ok := voice.Words[text]; !ok {
				t.Errorf("%s has no words for %q", id, text)
			} else if blanks(other) != blanks(text) && !strings.Contains(other, "%[") {
				t.Errorf("%s fills in %q otherwise than %q", id, other, text)
			}
		}
	}
}

func blanks(text string) string {
	return strings.Join(regexp.MustCompile(`%[a-z]`).FindAllString(text, -1), "")
}

// check fails for each tuned line that is wrong, and where fewer of the others
// are right than heldOut.
func check(t *testing.T, table string, heldOut int, wrong func(line string) string) {
	t.Helper()
	right, others := 0, 0
	for i, line := range lines(t, table) {
		why := wrong(line)
		switch {
		case i%2 == 0 && why != "":
			t.Errorf("%s\n%.800s\n", line, why)
		case i%2 == 1:
			others++
			if why == "" {
				right++
			}
		}
	}
	t.Logf("%s: %d of %d are right that nothing was tuned to", table, right, others)
	if right < heldOut {
		t.Errorf("%s: %d are right that nothing was tuned to, want %d", table, right, heldOut)
	}
}

// lines are those of a table that are no comments.
func lines(tb testing.TB, table string) []string {
	tb.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", table))
	if err != nil {
		tb.Fatal(err)
	}
	return slices.DeleteFunc(strings.Split(strings.TrimSpace(string(raw)), "\n"), func(line string) bool {
		return line == "" || line[0] == '#'
	})
}

// wrong says what is wrong with the bid on a question and with its answer.
func wrong(tb testing.TB, e experts.Expert, line string) string {
	tb.Helper()
	prompt, want, _ := strings.Cut(line, " => ")
	bid := e.Bid(tb.Context(), prompt, nil)
	if bid.Score < experts.Understood || bid.Reads == "" || len([]rune(bid.Reads)) > maxReads {
		return "the bid is " + text(tb, bid)
	}
	reply, err := e.Answer(tb.Context(), experts.Question{Prompt: prompt})
	if err != nil {
		return err.Error()
	}
	said := string(reply.Status) + " " + reply.Message + text(tb, reply.Data)
	for part := range strings.SplitSeq(want, "; ") {
		part, not := strings.CutPrefix(part, "!")
		holds := slices.ContainsFunc(strings.Split(part, "|"), func(s string) bool { return strings.Contains(said, s) })
		if holds == not {
			return "wanted " + part + ", but for !: " + bid.Reads + "\n" + said
		}
	}
	switch {
	case reply.Status == core.StatusClarification && len(bid.Needs) == 0:
		return "it is asked back, and the bid did not say so: " + said
	case strings.Contains(reply.Message, "\n\n\n"):
		return "there are empty lines in a row: " + said
	}
	return ""
}

func text(tb testing.TB, v any) string {
	tb.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}
