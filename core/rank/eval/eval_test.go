package eval_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/rank/eval"
)

func TestToolsAreReadFromWhateverListsThem(t *testing.T) {
	want := []eval.Tool{{"heron", "Finds herons."}, {"tides", "High water."}}
	for name, text := range map[string]string{
		"an object":      `{"tides": "High water.", "heron": "Finds herons."}`,
		"a list":         `[{"name":"heron","description":"Finds herons."},{"name":"tides","description":"High water.","inputSchema":{"type":"object"}}]`,
		"tools/list":     "\ufeff" + `{"tools":[{"name":"heron","description":"Finds herons."},{"name":"tides","description":"High water."}],"nextCursor":""}`,
		"a whole answer": `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"heron","description":"Finds herons."},{"name":"tides","description":"High water."}]}}`,
	} {
		got, err := eval.ReadTools([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	for _, text := range []string{``, `{}`, `[]`, `3`, `{"heron": 3}`, `[{"description":"nameless"}]`, `[{"name":"a"},{"name":"a"}]`, `{"tools":`} {
		if got, err := eval.ReadTools([]byte(text)); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

func TestQuestionsAreReadByTheirHeader(t *testing.T) {
	want := []eval.Question{{"where, please, are herons?", "heron"}, {`is "high water" soon?`, "tides"}}
	for _, text := range []string{
		"Query,Tool\n\"where, please, are herons?\",heron\n\"is \"\"high water\"\" soon?\",tides\n",
		"\ufefftool,id,QUERY\r\nheron,1,\"where, please, are herons?\"\r\n tides,2,\"is \"\"high water\"\" soon?\"\r\n",
	} {
		got, err := eval.ReadQuestions(strings.NewReader(text))
		must.Report(t, err)
		must.Equal(t, want, got)
	}
	for _, text := range []string{"", "Query\n", "Question,Tool\na,b\n", "Query,Tool\n", "Query,Tool\nonly one\n"} {
		if got, err := eval.ReadQuestions(strings.NewReader(text)); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

// birds are tools that say nothing of what they are asked: only learning helps.
func birds() (set eval.Set) {
	for _, name := range []string{"one", "two", "three", "four"} {
		set.Tools = append(set.Tools, eval.Tool{Name: name, Description: "a tool"})
		for i := range 30 {
			set.Questions = append(set.Questions, eval.Question{Text: fmt.Sprintf("where is the %sbird of kind%c%c", name, 'a'+i%26, 'a'+i/26), Tool: name})
		}
	}
	set.Questions = append(set.Questions, eval.Question{Text: "what?", Tool: "five"})
	return set
}

func TestWhatToolsHaveLearnedIsMeasured(t *testing.T) {
	report, err := eval.Run(t.Context(), birds(), 1)
	must.Do(t, err)
	if report.Tools != 4 || report.Asked != 120 || report.Unknown != 1 || len(report.Measured) != 4 {
		t.Fatalf("%+v", report)
	}
	for i, learned := range []int{0, 1, 5, 20} {
		row := report.Measured[i]
		if row.Learned != learned || row.Room.At1 > row.Room.At5 || row.Room.At5 > row.Room.At10 || row.Plain.At10 > 120 {
			t.Errorf("%+v", row)
		}
		if right := row.Room.At1 == 120 && row.Plain.At5 == 120 && row.Plain.At1 > 100; right != (learned > 0) {
			t.Errorf("after %d questions a tool: %+v", learned, row)
		}
	}
	again, err := eval.Run(t.Context(), birds(), 1)
	if diff := cmp.Diff(report, again); diff != "" || err != nil {
		t.Errorf("the same set and seed come to something else: %v\n%s", err, diff)
	}
	for _, text := range []string{"4 tools, 120 questions asked; 1 are for tools that are not in the list", "learned a tool", "\n20                120      1.000  1.000  1.000"} {
		if !strings.Contains(report.String(), text) {
			t.Errorf("no %q in\n%s", text, report)
		}
	}
}

func TestAToolIsNeverAskedWhatItHasLearned(t *testing.T) {
	var set eval.Set
	for _, name := range []string{"one", "two"} {
		set.Tools = append(set.Tools, eval.Tool{Name: name})
	}
	for range 20 { // the same question, again and again: it is not learned from itself
		set.Questions = append(set.Questions, eval.Question{Text: "where is the heron", Tool: "two"})
	}
	report, err := eval.Run(t.Context(), set, 1)
	if err != nil || report.Measured[3].Room.At10 != 0 {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestAMeasurementCanBeCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := eval.Run(ctx, birds(), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
