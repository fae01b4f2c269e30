package core_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/yaap-chat/yaap/core"
)

func TestTheCodeAndTheHintOfAnErrorAreFoundInItsTree(t *testing.T) {
	inner := &core.Error{Code: core.CodeNoModel, Message: "no model", Hint: "pull one"}
	outer := &core.Error{Code: core.CodeInternal, Message: "the run failed", Err: inner}
	for _, c := range []struct {
		err  error
		code core.Code
		hint string
	}{
		{nil, "", ""},
		{inner, core.CodeNoModel, "pull one"},
		{fmt.Errorf("ask: %w", inner), core.CodeNoModel, "pull one"},
		{outer, core.CodeInternal, "pull one"},
		{errors.Join(errors.New("first"), inner), core.CodeNoModel, "pull one"},
		{context.Canceled, core.CodeCancelled, ""},
		{context.DeadlineExceeded, core.CodeTimedOut, ""},
		{errors.New("boom"), core.CodeInternal, ""},
	} {
		if got := core.CodeOf(c.err); got != c.code {
			t.Errorf("%v: got the code %q, want %q", c.err, got, c.code)
		}
		if got := core.HintOf(c.err); got != c.hint {
			t.Errorf("%v: got the hint %q, want %q", c.err, got, c.hint)
		}
	}
	if !errors.Is(outer, inner) || outer.Error() != "the run failed: no model" {
		t.Errorf("the cause is lost: %v", outer)
	}
}
