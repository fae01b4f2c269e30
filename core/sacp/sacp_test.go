package sacp_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/sacp"
)

func TestInstructionsOfferCompletedOnlyWhereAnEarlyEndIsAllowed(t *testing.T) {
	if text := sacp.Instructions(false); strings.Contains(text, "completed") {
		t.Errorf("completed is offered:\n%s", text)
	}
	if text := sacp.Instructions(true); !strings.Contains(text, `"clarification_needed" | "completed",`) {
		t.Errorf("completed is not offered:\n%s", text)
	}
	for _, text := range []string{sacp.Instructions(false), sacp.Instructions(true)} {
		if strings.Count(text, "### SYSTEM PROTOCOL: RESPONSE FORMAT INSTRUCTIONS\n") != 1 {
			t.Errorf("no heading:\n%s", text)
		}
		res, err := sacp.Parse(text[strings.Index(text, "Example:"):])
		if err != nil || res.Reply.Message != "The result is 10." || res.Repaired() {
			t.Errorf("the example reads as %+v, %v", res, err)
		}
	}
}

func TestTheSchemaHasTheThoughtFirst(t *testing.T) {
	var schema struct {
		Type       string
		Properties json.RawMessage
		Required   []string
	}
	if err := json.Unmarshal(sacp.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	want := []string{"thought", "status", "data", "message"}
	if diff := cmp.Diff(want, schema.Required); diff != "" || schema.Type != "object" {
		t.Errorf("required (-want +got)\n%s", diff)
	}
	last := -1
	for _, key := range append(want, "next_step_hint") {
		at := bytes.Index(schema.Properties, []byte(`"`+key+`":{`))
		if at <= last {
			t.Errorf("%s stands at %d, the key before it at %d", key, at, last)
		}
		last = at
	}
}

func TestTheFallbackIsTheObjectOfTheProtocol(t *testing.T) {
	want := `{"thought":"System Note: LLM failed to provide structured JSON output.","status":"failure",` +
		`"data":{"raw_output":"so <it> \"is\"\n"},"message":"The LLM returned an invalid response format."}`
	if diff := cmp.Diff(want, string(sacp.Marshal(sacp.Fallback("so <it> \"is\"\n")))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestTheFallbackKeeps64KiBOfWholeCharacters(t *testing.T) {
	for _, raw := range []string{strings.Repeat("x", 1<<20), "x" + strings.Repeat("é", 1<<18), strings.Repeat("\xff", 1<<16)} {
		kept, ok := sacp.Fallback(raw).Data["raw_output"].(string)
		if !ok || !utf8.ValidString(kept) || utf8.RuneCountInString(kept) > 64<<10 || len(kept) < 64<<10-1 {
			t.Errorf("kept %d bytes of %.10q…", len(kept), raw)
		}
	}
}

func TestALookAtTheBeginningTellsAReplyFromOtherText(t *testing.T) {
	for text, want := range map[string]bool{
		`{"status":"success"}`:                                   true,
		`{"thought":"t", "status": succ`:                         true,
		`{'Status': 'x'`:                                         true,
		"\ufeff\n```json\n{\"thought\":\"t\",\"status\":1}\n```": true,
		"<think>hm {</think>\n{\"status\":\"done\"}":             true,
		`"{\"status\":\"success\"}"`:                             true,
		`{\"status\":\"success\"}`:                               true,
		"":                                                       false,
		"42":                                                     false,
		"The status is {\"status\":\"success\"}":                 false,
		`{"port":80,"server":{"status":"ok"}}`:                   false,
		`{"message":"m","thought":"t"}`:                          false,
		`{status}`:                                               false,
		`[{"status":"success"}]`:                                 false,
		"```go\nfunc main() {}\n``` {\"status\":\"success\"}": false,
	} {
		if got := sacp.LooksLike(text); got != want {
			t.Errorf("LooksLike(%q) = %v", text, got)
		}
	}
}

func TestAReplyThatNobodyPromisedLosesNothing(t *testing.T) {
	for text, want := range map[string]bool{
		`{"status":"failure","message":"no fish"}`:                    true,
		`{"thought":"t","status":"ok","data":[1],"message":"1 fish"}`: true,
		`{"status":"ok","message":"2 rows","rows":[1,2]}`:             false,
		`{"status":"success","data":{"rows":2}}`:                      false,
		`{"status":"open","message":"m"}`:                             false,
		`{"status":{"branch":"main"},"message":"committed"}`:          false,
		`{"message":"m"}`: false,
		"3 fish":          false,
	} {
		if got := sacp.IsReply(text); got != want {
			t.Errorf("IsReply(%q) = %v", text, got)
		}
	}
}

func TestWhatIsTooLongOrTooDeepIsRefused(t *testing.T) {
	deep := func(n int) string {
		return `{"status":"success","message":"m","data":{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}}`
	}
	for name, c := range map[string]struct {
		text, want string
	}{
		"long":        {strings.Repeat(" ", 4<<20) + "{}", "the reply is 4194306 bytes long, but at most 4194304 can be read"},
		"deep":        {deep(200), "the reply is nested deeper than 200 levels"},
		"deep, prose": {"Here: " + deep(500) + ".", "the reply is nested deeper than 200 levels"},
		"very deep":   {deep(100_000), "the reply is nested deeper than 200 levels"},
		"200 levels":  {deep(199), ""},
	} {
		got := ""
		if _, err := sacp.Parse(c.text); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// Wherever a reply is cut off, what is read of it is what had been written, and
// it is no success. Only the last brace may be missing.
func TestAReplyThatIsCutOffAnywhereIsReadUpToThere(t *testing.T) {
	const whole = "```json\n" + `{"thought":"I \"think\" so, {a: 1}","status":"success","data":{"a":[1,"b, c"],"d":{"e":null}},"message":"It's \u00e9 and\n😀, \"done\"."}`
	full, err := sacp.Parse(whole)
	if err != nil {
		t.Fatal(err)
	}
	status := strings.Index(whole, `success"`) + len(`success`)
	for n := range len(whole) {
		res, err := sacp.Parse(whole[:n])
		if n < status {
			if err == nil {
				t.Errorf("%s: read as %+v", whole[:n], res.Reply)
			}
			continue
		}
		got := res.Reply
		if err != nil || !res.Repaired() || got.Thought != full.Reply.Thought || res.CutOff() != (n < len(whole)-1) ||
			(got.Status == core.StatusFailure) != res.CutOff() {
			t.Errorf("%s: %+v, %v", whole[:n], res, err)
		}
		if !strings.HasPrefix(full.Reply.Message, strings.TrimRight(got.Message, "\ufffd")) {
			t.Errorf("%s: message %q", whole[:n], got.Message)
		}
	}
}
