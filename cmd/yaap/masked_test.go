package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"yaap/core"
)

// failing is a runner that fails.
type failing struct{ err error }

func (f failing) Run(context.Context, core.Input) (core.Result, error) { return core.Result{}, f.err }

func TestTheErrorOfARunIsToldWithoutItsSecrets(t *testing.T) {
	const token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	plain := &core.Error{Code: core.CodeUnreachable, Message: "no answer", Hint: "try again"}
	for _, err := range []error{
		&core.Error{Code: core.CodeNoModel, Message: "the key " + token + " is wrong", Hint: "mend " + token},
		fmt.Errorf("asked with %s: %w", token, plain), errors.Join(plain, errors.New(token)),
	} {
		_, got := maskedRunner{failing{err}, masking{}}.Run(t.Context(), core.Input{})
		if text := got.Error() + core.HintOf(got); strings.Contains(text, token) || core.CodeOf(got) != core.CodeOf(err) {
			t.Errorf("told is %s (%s)", text, core.CodeOf(got))
		}
	}
	if _, got := (maskedRunner{failing{plain}, masking{}}).Run(t.Context(), core.Input{}); !errors.Is(got, plain) {
		t.Errorf("without a secret it is %v", got)
	}
}
