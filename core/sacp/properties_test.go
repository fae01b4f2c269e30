package sacp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/sacp"
)

func FuzzParseGivesALegalReplyThatReadsBackTheSame(f *testing.F) {
	for _, file := range files(f) {
		for _, c := range readCases(f, file) {
			f.Add(c.raw)
		}
	}
	f.Fuzz(func(t *testing.T, raw string) {
		res, err := sacp.Parse(raw)
		if err != nil {
			if msg := err.Error(); msg == "" || strings.Contains(msg, "\n") || len(msg) > 500 {
				t.Errorf("%q: not one sentence: %q", raw, msg)
			}
			return
		}
		switch res.Reply.Status {
		case core.StatusSuccess, core.StatusFailure, core.StatusClarification, core.StatusCompleted:
		default:
			t.Errorf("%q: status %q", raw, res.Reply.Status)
		}
		if res.Reply.Data == nil {
			t.Errorf("%q: no data", raw)
		}
		text := string(sacp.Marshal(res.Reply))
		if !json.Valid([]byte(text)) {
			t.Fatalf("%q: marshalled as %s", raw, text)
		}
		again, err := sacp.Parse(text)
		if err != nil || len(again.Steps) > 0 {
			t.Fatalf("%q: marshalled as %s, which gives %v %v", raw, text, err, again.Steps)
		}
		if diff := cmp.Diff(res.Reply, again.Reply); diff != "" {
			t.Errorf("%q (-first +again)\n%s", raw, diff)
		}
		if !sacp.LooksLike(text) {
			t.Errorf("%s does not look like a reply", text)
		}
	})
}

// Whatever is valid JSON is read as encoding/json reads it, whatever stands
// around it.
func FuzzValidJSONIsNeverMended(f *testing.F) {
	for _, file := range files(f) {
		for _, c := range readCases(f, file) {
			f.Add(c.raw, "a {b} \"c\"} \n")
		}
	}
	f.Fuzz(func(t *testing.T, raw, after string) {
		plain, err := sacp.Parse(raw)
		if err != nil || len(plain.Steps) > 0 || strings.ContainsAny(after, "{,") {
			return
		}
		res, err := sacp.Parse("Here: " + raw + "\n" + after)
		if err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		if diff := cmp.Diff(plain.Reply, res.Reply); diff != "" || res.Repaired() {
			t.Errorf("%q: %v (-alone +in prose)\n%s", raw, res.Steps, diff)
		}
	})
}
