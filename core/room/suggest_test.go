package room

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
)

// notes is what an expert lets be read.
type notes struct{ hub.ResourceProvider }

func (notes) Resources(context.Context) ([]core.Resource, error) {
	return []core.Resource{
		{URI: "notes://herons", Name: "Grey herons"},
		{URI: "notes://kites", Name: "Red kites"},
		{URI: "evil://\x1b[2J", Name: "x"},
		{URI: "repo://{owner}/{name}/README", Name: "a repository", Template: true},
	}, nil
}

func (notes) Prompts(context.Context) ([]core.PromptSpec, error) {
	return []core.PromptSpec{{Name: "ask", Args: []core.PromptArg{{Name: "bird", Required: true}, {Name: "where"}}}, {Name: "answer"}}, nil
}

func (notes) Complete(_ context.Context, c core.Completing) ([]string, error) {
	if c.Arg == "bird" && c.Known["where"] == "lake" || c.Arg == "name" && c.Known["owner"] == "yaap-chat" || c.Arg == "owner" {
		return []string{c.Typed + "one", "grey heron"}, nil
	}
	return nil, nil
}

func TestWhatOnlyAnExpertKnowsIsCompleted(t *testing.T) {
	for before, want := range map[string][]string{
		"sum up @notes:":              {"sum up @notes:notes://herons ", "sum up @notes:notes://kites ", "sum up @notes:repo://"},
		"@notes:kite":                 {"@notes:notes://kites "},
		"@notes:notes://herons":       nil,
		"@notes:rep":                  {"@notes:repo://"},
		"@notes:repo://y":             {"@notes:repo://yone/", "@notes:repo://grey heron/"},
		"@notes:repo://yaap-chat/y":   {"@notes:repo://yaap-chat/yone/README", "@notes:repo://yaap-chat/grey heron/README"},
		"@notes:repo://other/y":       nil,
		"me@notes:":                   nil,
		"/notes:":                     {"/notes:ask ", "/notes:answer"},
		"/notes:as":                   {"/notes:ask "},
		"/notes:answer":               nil,
		"/notes:ask ":                 {"/notes:ask bird=", "/notes:ask where="},
		"/notes:ask b":                {"/notes:ask bird="},
		"/notes:ask where=lake ":      {"/notes:ask where=lake bird="},
		"/notes:ask where=lake bird=": {"/notes:ask where=lake bird=one", "/notes:ask where=lake bird='grey heron'"},
		"/notes:ask where=wood bird=": nil,
		"/notes:nothing ":             nil,
		"what is notes: " + strings.Repeat("x", 10): nil,
	} {
		var got []string
		for _, s := range suggested(t.Context(), before, notes{}) {
			got = append(got, before[:s.At]+s.Insert)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", before, diff)
		}
	}
}
