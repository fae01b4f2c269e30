package core_test

import (
	"testing"

	"github.com/yaap-chat/yaap/core"
)

func TestWhyAnEntryWasFoundIsToldInWords(t *testing.T) {
	e := core.Entry{Role: core.RoleUser, Tags: map[string]string{"room": "cellar", "source": "mcp"}}
	for want, f := range map[string]core.Found{
		"says boiler, boilers":                                 {Match: "the \x02Boiler\x03 of \x02boilers\x03, a \x02boiler\x03"},
		"is right in place of one that said heron":             {Match: "a kestrel (in place of: \x02heron\x03)", Parts: map[string]float64{"corrects": 1}},
		"stands beside what fits; means something near":        {Match: "no hit", Parts: map[string]float64{"near": 0.1, "vector": 0.2}},
		"says cellar; is tagged room=cellar; was said by user": {Entry: e, Match: "the \x02cellar", Parts: map[string]float64{"speaker": 1}},
		"was said by User Two; is of that time":                {Entry: core.Entry{Raw: "User Two: hm"}, Parts: map[string]float64{"speaker": 1, "date": 1}},
		"but only asks; but was no answer":                     {Parts: map[string]float64{"question": -1, "status": -1}},
		"":                                                     {Match: "nothing"},
	} {
		if got := f.Explain("what did the user say of the Cellar?").String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
