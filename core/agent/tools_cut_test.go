package agent_test

import (
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/guard"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
)

func TestAResultThatIsCutSaysHowMuchOfHowMuchItIs(t *testing.T) {
	for size, want := range map[int]string{
		64 << 10:    "",
		64<<10 + 1:  "[cut here: these are the first 64 KiB of 64 KiB; ask for less, or for another part]",
		300 << 10:   "[cut here: these are the first 64 KiB of 300 KiB; ask for less, or for another part]",
		5<<20 + 1e5: "[cut here: these are the first 64 KiB of 5.1 MiB; ask for less, or for another part]",
	} {
		model := llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("a", "big", "x")}}, llmtest.Turn{Text: reply("done")})
		s := newStage(t, model, says("big", strings.Repeat("x", size)))
		if _, err := s.run("go"); err != nil {
			t.Fatal(err)
		}
		messages := model.Requests()[1].Messages
		m := messages[len(messages)-1]
		if m.Result.Truncated != (want != "") || !strings.HasSuffix(m.Result.Text, want) || len(m.Result.Text) > 64<<10 || !strings.Contains(m.Text, want) {
			t.Errorf("%d bytes: %d bytes are left, which end in %q", size, len(m.Result.Text), m.Result.Text[len(m.Result.Text)-100:])
		}
	}
}

func TestAResultThatIsCutIsWholeInAFileWithoutItsSecrets(t *testing.T) {
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	model := llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("a", "big", "x")}}, llmtest.Turn{Text: reply("done")})
	s := newStage(t, model, says("big", strings.Repeat("heron ", 20<<10)+secret))
	s.cfg.Guards.Results = guard.Policy{Secrets: guard.Redact}
	var kept string
	s.cfg.Keep = func(name, _ string, data []byte) (core.File, error) {
		kept = string(data)
		return core.File{Name: name, Path: "/files/" + name}, nil
	}
	if _, err := s.run("go"); err != nil {
		t.Fatal(err)
	}
	messages := model.Requests()[1].Messages
	got := messages[len(messages)-1].Result
	if !strings.HasSuffix(got.Text, "; all of it is in /files/big]") || len(got.Text) > 64<<10 || len(got.Files) != 1 {
		t.Errorf("%d bytes with the files %+v end in %q", len(got.Text), got.Files, got.Text[len(got.Text)-100:])
	}
	if !strings.HasPrefix(kept, "heron heron ") || len(kept) < 120<<10 || strings.Contains(kept, secret) {
		t.Errorf("%d bytes are kept, which end in %q", len(kept), kept[max(0, len(kept)-100):])
	}
}

func TestDataThatAModelIsNotGivenIsSaidToBeLeftOut(t *testing.T) {
	model := llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("a", "big", "x")}}, llmtest.Turn{Text: reply("done")})
	big := says("big", `{"status":"success","message":"m","data":{"a":"`+strings.Repeat("x", 200<<10)+`"}}`)
	s := newStage(t, model, big)
	if _, err := s.run("go"); err != nil {
		t.Fatal(err)
	}
	messages := model.Requests()[1].Messages
	if text := messages[len(messages)-1].Text; len(text) > 1000 || !strings.Contains(text, `"data_left_out":"it is too large: with it the result has 200 KiB"`) {
		t.Errorf("got %.300s", text)
	}
}
