package hub_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
)

func TestAToolThatIsNotOfferedIsNamedWithItsReason(t *testing.T) {
	r := open(t, nil)
	e := newExpert("heron")
	deep := `{"type":"object","properties":{"a":` + strings.Repeat(`{"properties":{"a":`, 20) + "{}" + strings.Repeat("}}", 20) + "}}"
	e.list = func(context.Context) ([]core.ToolSpec, error) {
		return []core.ToolSpec{
			{Name: "eat", Schema: core.PromptSchema()},
			{Name: "dee\x1b[31mp", Schema: []byte(deep)},
			{Name: "wide", Schema: []byte(`{"type":"object","description":"` + strings.Repeat("x", 64<<10) + `"}`)},
			{Name: "far", Schema: []byte(`{"type":"object","properties":{"a":{"$ref":"http://x"}}}`)},
			{Name: "list", Schema: []byte(`{"type":"array"}`)},
		}, nil
	}
	r.join(e)
	got := r.expert("heron").Omitted
	want := []string{"nested deeper than", "bytes", "refers to", "type object"}
	if len(got) != len(want) {
		t.Fatalf("got %q", got)
	}
	for i, why := range want {
		if !strings.Contains(got[i], "heron__") || !strings.Contains(got[i], why) || strings.Contains(got[i], "\x1b") {
			t.Errorf("got %q, want the reason %q", got[i], why)
		}
	}
	var notices []string
	for _, b := range r.events() {
		if n, ok := b.(core.Notice); ok {
			notices = append(notices, n.Text)
		}
	}
	if len(notices) != 1 || !strings.HasPrefix(notices[0], "heron has tools that are not offered: heron__dee") || !strings.HasSuffix(notices[0], "; and 1 more") {
		t.Errorf("got %q", notices)
	}
	if names := r.names(); len(names) != 1 || names[0] != "heron__eat" {
		t.Errorf("got %q", names)
	}
}

func TestMoreToolsThanAnExpertMayHaveAreNamed(t *testing.T) {
	r := open(t, nil)
	e := newExpert("heron")
	e.list = func(context.Context) (specs []core.ToolSpec, err error) {
		for n := range 130 {
			specs = append(specs, core.ToolSpec{Name: fmt.Sprint("t", n), Schema: core.PromptSchema()})
		}
		return specs, nil
	}
	r.join(e)
	if got := r.expert("heron").Omitted; len(got) != 2 || !strings.Contains(got[1], "heron__t129: an expert may have 128 tools") {
		t.Errorf("got %q", got)
	}
}
