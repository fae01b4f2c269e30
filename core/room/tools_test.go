package room

import (
	"testing"

	"yaap/core"
	"yaap/core/event"
	"yaap/core/hub"
	"yaap/core/memory"
)

func TestOnlyAModelThatCannotSearchIsGivenRecall(t *testing.T) {
	offline := true
	set := tools{Toolbox: hub.New(new(event.Bus), nil, nil), own: []core.Tool{(&memory.Recaller{}).Tool()}, offline: func() bool { return offline }}
	has := func() bool { _, ok := set.Tools().Find(memory.RecallName); return ok }
	if !has() {
		t.Error("the offline model is not given recall")
	}
	offline = false
	if has() {
		t.Error("a model that searches is given recall")
	}
}
