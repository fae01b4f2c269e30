package room

import (
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/memory"
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
