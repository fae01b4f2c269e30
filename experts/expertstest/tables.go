package expertstest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
)

// A table is a file in testdata. Of its lines, comments aside, the first, third,
// fifth ... are what the expert is tuned to, and each must be right. The others
// are never looked at while it is, and so many of them must be right.

// maxReads is how many letters a bid may say.
const maxReads = 120

// Answers checks a table of questions with what the answers hold:
//
//	prompt => this; this or|that; !and not this
//	first // second, asked after it => **all that is bold**; and this
//	prompt => failure; this
//
// An answer is a success where its status is not among what it holds. Names and
// values that stand for something in a line are given in pairs.
func Answers(t *testing.T, e experts.Expert, table string, heldOut int, names ...string) {
	t.Helper()
	Table(t, table, heldOut, func(line string) string {
		return wrong(t, e, strings.NewReplacer(names...).Replace(line))
	})
}

// Messages checks a table of questions with the whole message of each answer.
func Messages(t *testing.T, e experts.Expert, table string) {
	t.Helper()
	for _, line := range Lines(t, table) {
		_, prompt, want := Cut(line)
		if reply := Ask(t, e, prompt); reply.Message != want {
			t.Errorf("%q\n got %s %q\nwant %q", prompt, reply.Status, reply.Message, want)
		}
	}
}

// Status checks that the prompts of a table, and more of them, get a reply of a status
// whose message holds what stands behind them.
func Status(t *testing.T, e experts.Expert, status core.Status, table string, more ...string) {
	t.Helper()
	for _, line := range append(Lines(t, table), more...) {
		_, prompt, want := Cut(line)
		if reply := Ask(t, e, prompt); reply.Status != status || !strings.Contains(reply.Message, want) {
			t.Errorf("%.40q\n got %s %q\nwant %s with %q", prompt, reply.Status, reply.Message, status, want)
		}
	}
}

// Declines checks a table of texts that are for others.
func Declines(t *testing.T, e experts.Expert, table string, heldOut int) {
	t.Helper()
	Table(t, table, heldOut, func(line string) string {
		if bid := e.Bid(t.Context(), line, nil); !bid.Declines() {
			return "the bid is " + JSON(t, bid)
		}
		return ""
	})
}

// Doubts checks that no text is read whole: each asks two things.
func Doubts(t *testing.T, e experts.Expert, table string) {
	t.Helper()
	for _, line := range Lines(t, table) {
		if bid := e.Bid(t.Context(), line, nil); bid.Score > experts.Understood {
			t.Errorf("%s: %+v", line, bid)
		}
	}
}

// Table checks the lines of a table: it fails for each tuned line that is wrong,
// and where fewer of the others are right than heldOut. wrong says what is wrong
// with a line, "" where it is right.
func Table(t *testing.T, table string, heldOut int, wrong func(line string) string) {
	t.Helper()
	right, others := 0, 0
	for i, line := range Lines(t, table) {
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

// Lines are those of a table that are no comments.
func Lines(tb testing.TB, table string) []string {
	tb.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", table))
	if err != nil {
		tb.Fatal(err)
	}
	return slices.DeleteFunc(strings.Split(strings.TrimSpace(string(raw)), "\n"), func(line string) bool {
		return line == "" || line[0] == '#'
	})
}

// Cut cuts a line of a table into what was said before, what is asked and what
// is wanted.
func Cut(line string) (said []string, prompt, want string) {
	if i := strings.LastIndex(line, " => "); i >= 0 {
		line, want = line[:i], line[i+len(" => "):]
	}
	said = strings.Split(line, " // ")
	return said[:len(said)-1], said[len(said)-1], want
}

// wrong says what is wrong with the bid on a question and with its answer.
func wrong(tb testing.TB, e experts.Expert, line string) string {
	tb.Helper()
	before, prompt, want := Cut(line)
	var said []core.Message
	for _, text := range before {
		said = append(said, Said(text, Ask(tb, e, text).Message)...)
	}
	bid := e.Bid(tb.Context(), prompt, said)
	if bid.Declines() || bid.Reads == "" || len([]rune(bid.Reads)) > maxReads {
		return "the bid is " + JSON(tb, bid)
	}
	reply := Ask(tb, e, prompt, said...)
	text := string(reply.Status) + " " + Text(tb, reply)
	status := core.StatusSuccess
	for part := range strings.SplitSeq(want, "; ") {
		part, not := strings.CutPrefix(part, "!")
		if s, ok := core.ParseStatus(part); ok {
			status = s
		} else if slices.ContainsFunc(strings.Split(part, "|"), func(s string) bool { return holds(reply, text, s) }) == not {
			return "wanted " + part + ", but for !: " + bid.Reads + "\n" + text
		}
	}
	switch {
	case reply.Status != status:
		return "wanted " + string(status) + ": " + text
	case status == core.StatusSuccess && (bid.Score < experts.Understood || len(bid.Needs) > 0):
		return "the bid is " + JSON(tb, bid)
	case reply.Status == core.StatusClarification && len(bid.Needs) == 0:
		return "it is asked back, and the bid did not say so: " + text
	case strings.Contains(reply.Message, "\n\n\n"):
		return "there are empty lines in a row: " + text
	}
	return ""
}

// holds reports whether the text of a reply holds a part, or whether a bold part
// is all that is bold in its message.
func holds(r core.Reply, text, part string) bool {
	if !strings.HasPrefix(part, "**") || !strings.HasSuffix(part, "**") {
		return strings.Contains(text, part)
	}
	var bold []string
	for _, m := range regexp.MustCompile(`\*\*(.+?)\*\*`).FindAllStringSubmatch(r.Message, -1) {
		bold = append(bold, m[1])
	}
	return part == "**"+strings.Join(bold, ", ")+"**"
}
