package yaap_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/yaap"
)

func TestARefusedIntroductionNamesTheRuleItBreaks(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 20) + `1` + strings.Repeat(`}`, 20)
	for _, c := range []struct {
		name string
		edit func(*yaap.Introduction)
		code string
		says string
	}{
		{"an upper-case name", func(in *yaap.Introduction) { in.Name = "Heron" }, yaap.BadName, "a-z"},
		{"an empty name", func(in *yaap.Introduction) { in.Name = "" }, yaap.BadName, "2 to 48"},
		{"a one-letter name", func(in *yaap.Introduction) { in.Name = "a" }, yaap.BadName, "2 to 48"},
		{"a name with an escape", func(in *yaap.Introduction) { in.Name = "a\x1b[2J" }, yaap.BadName, "a-z"},
		{"a name with a line break", func(in *yaap.Introduction) { in.Name = "heron\n" }, yaap.BadName, "a-z"},
		{"a lookalike name", func(in *yaap.Introduction) { in.Name = "hеron" }, yaap.BadName, "a-z"},
		{"a name that is too long", func(in *yaap.Introduction) { in.Name = strings.Repeat("a", 49) }, yaap.BadName, "48"},
		{"the name of a tool", func(in *yaap.Introduction) { in.Name = "hello" }, yaap.BadName, "reserved"},
		{"a name like a handoff", func(in *yaap.Introduction) { in.Name = "handoff-x" }, yaap.BadName, "reserved"},
		{"a name like yaap's own", func(in *yaap.Introduction) { in.Name = "yaap_x" }, yaap.BadName, "reserved"},
		{"no description", func(in *yaap.Introduction) { in.Description = " " }, yaap.BadDescription, "required"},
		{"a long description", func(in *yaap.Introduction) { in.Description = strings.Repeat("é", 1025) }, yaap.TooLarge, "1024"},
		{"six examples", func(in *yaap.Introduction) { in.Examples = make([]string, 6) }, yaap.TooMany, "5"},
		{"an unknown output", func(in *yaap.Introduction) { in.Output = "xml" }, yaap.BadSchema, "sacp"},
		{"too much concurrency", func(in *yaap.Introduction) { in.Concurrency = 65 }, yaap.BadSchema, "64"},
		{"a negative time limit", func(in *yaap.Introduction) { in.CallTimeoutMS = -1 }, yaap.BadSchema, "call_timeout_ms"},
		{"a schema of a string", func(in *yaap.Introduction) { in.InputSchema = json.RawMessage(`{"type":"string"}`) }, yaap.BadSchema, "object"},
		{"a schema that is no JSON", func(in *yaap.Introduction) { in.InputSchema = json.RawMessage(`{`) }, yaap.BadSchema, "JSON"},
		{"a schema that is null", func(in *yaap.Introduction) { in.InputSchema = json.RawMessage(`null`) }, yaap.BadSchema, "null"},
		{"a remote reference", func(in *yaap.Introduction) {
			in.InputSchema = json.RawMessage(`{"type":"object","properties":{"a":{"$ref":"http://169.254.169.254/x"}}}`)
		}, yaap.BadSchema, "within itself"},
		{"a deep schema", func(in *yaap.Introduction) { in.InputSchema = json.RawMessage(deep) }, yaap.BadSchema, "deeper"},
		{"a huge schema", func(in *yaap.Introduction) {
			in.InputSchema = json.RawMessage(`{"x":"` + strings.Repeat("x", yaap.MaxSchema) + `"}`)
		}, yaap.TooLarge, "bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := yaap.Introduction{Name: "heron", Description: "Knows herons."}
			c.edit(&in)
			err := in.Check()
			var refusal *yaap.Refusal
			if !errors.As(err, &refusal) {
				t.Fatalf("got %v, want a refusal", err)
			}
			if refusal.Code != c.code || !strings.Contains(refusal.Message, c.says) {
				t.Errorf("got %s %q, want %s and a message with %q", refusal.Code, refusal.Message, c.code, c.says)
			}
		})
	}
}

func TestAnHonestIntroductionPasses(t *testing.T) {
	in := yaap.Introduction{
		Name: "grey-heron_2", Description: strings.Repeat("é", 1024), Examples: []string{"what do herons eat?"},
		InputSchema: json.RawMessage(`{"type":"object","properties":{"prompt":{"$ref":"#/$defs/p"}},"$defs":{"p":{"type":"string"}}}`),
		Output:      yaap.OutputSACP, Concurrency: 64, CallTimeoutMS: 1000,
	}
	if err := in.Check(); err != nil {
		t.Error(err)
	}
}

func FuzzAHostileHelloIsRefusedOrHarmless(f *testing.F) {
	f.Add(`{"name":"heron","description":"x","input_schema":{"type":"object"}}`)
	f.Add(`{"name":"heron","description":"x","input_schema":[[[[[[]]]]]]}`)
	f.Fuzz(func(t *testing.T, raw string) {
		var in yaap.Introduction
		if json.Unmarshal([]byte(raw), &in) != nil {
			return
		}
		if in.Check() == nil && strings.ContainsAny(in.Name, "\x1b\n \t") {
			t.Errorf("%q was accepted as a name", in.Name)
		}
	})
}
