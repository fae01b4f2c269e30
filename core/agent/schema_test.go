package agent_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
)

const (
	counted   = `{"thought":"","status":"success","data":{"count":3},"message":"Three."}`
	uncounted = `{"thought":"","status":"success","data":{"count":"three"},"message":"Three."}`
)

func decodeErrors(events []core.Event) (list [][]string) {
	for _, e := range events {
		if b, ok := e.Body.(core.DecodeError); ok {
			list = append(list, b.Errors)
		}
	}
	return list
}

func TestDataOfAnAnswerThatDoesNotFitIsAskedForOnceMore(t *testing.T) {
	model := llmtest.New(t, llmtest.Turn{Text: uncounted}, llmtest.Turn{Text: counted})
	s := newStage(t, model)
	s.cfg.DataSchema = json.RawMessage(`{"type":"object","properties":{"count":{"type":"integer"}},"required":["count"]}`)
	result, err := s.run("how many?")
	if err != nil || result.Reply.Status != core.StatusSuccess || fmt.Sprint(result.Reply.Data) != "map[count:3]" {
		t.Fatalf("got %+v, %v", result.Reply, err)
	}
	requests := model.Requests()
	if !strings.Contains(requests[0].System, string(s.cfg.DataSchema)) {
		t.Error("the model is not told the schema")
	}
	again := requests[1].Messages
	if text := again[len(again)-1].Text; !strings.Contains(text, "count") || !strings.Contains(text, "integer") {
		t.Errorf("it is asked again with %q", text)
	}
	if got := decodeErrors(s.events()); len(got) != 1 || len(got[0]) != 1 || !strings.Contains(got[0][0], "count") {
		t.Errorf("reported as %q", got)
	}
}

func TestAnAnswerWhoseDataStaysWrongIsAFailureThatSaysWhat(t *testing.T) {
	for name, text := range map[string]string{"wrong data": uncounted, "plain words": "There are three."} {
		s := newStage(t, llmtest.New(t, llmtest.Turn{Text: text}, llmtest.Turn{Text: text}))
		s.cfg.Journal = &auditing{Journal: s.journal}
		s.cfg.DataSchema = json.RawMessage(`{"type":"object","properties":{"count":{"type":"integer"}},"required":["count"]}`)
		result, err := s.run("how many?")
		if err != nil || result.Reply.Status != core.StatusFailure || !strings.Contains(result.Reply.Message, "hree.") || !strings.Contains(result.Reply.Message, "count") {
			t.Errorf("%s: got %+v, %v", name, result.Reply, err)
		}
		if got := decodeErrors(s.events()); len(got) == 0 {
			t.Errorf("%s: it is not reported", name)
		}
		if row := s.audited(); row.Said != core.StatusSuccess || row.Status != core.StatusFailure {
			t.Errorf("%s: the audit log has %s, before %s", name, row.Status, row.Said)
		}
	}
}

func TestAQuestionToTheUserNeedsNoData(t *testing.T) {
	s := newStage(t, llmtest.New(t, llmtest.Turn{Text: `{"thought":"","status":"clarification_needed","data":{},"message":"Which ones?"}`}))
	s.cfg.DataSchema = json.RawMessage(`{"type":"object","required":["count"]}`)
	result, err := s.run("how many?")
	if err != nil || result.Reply.Message != "Which ones?" || result.Reply.Status != core.StatusClarification {
		t.Errorf("got %+v, %v", result.Reply, err)
	}
	if diff := cmp.Diff([][]string(nil), decodeErrors(s.events())); diff != "" {
		t.Error(diff)
	}
}

// audited is the last row of the audit log.
func (s *stage) audited() core.AuditRow {
	s.t.Helper()
	a, _ := s.cfg.Journal.(*auditing)
	if a == nil || len(a.rows) == 0 {
		s.t.Fatal("nothing is audited")
	}
	return a.rows[len(a.rows)-1]
}
