package room

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
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
		_, got := maskedRunner{failing{err}, Masking{}}.Run(t.Context(), core.Input{})
		if text := got.Error() + core.HintOf(got); strings.Contains(text, token) || core.CodeOf(got) != core.CodeOf(err) {
			t.Errorf("told is %s (%s)", text, core.CodeOf(got))
		}
	}
	if _, got := (maskedRunner{failing{plain}, Masking{}}).Run(t.Context(), core.Input{}); !errors.Is(got, plain) {
		t.Errorf("without a secret it is %v", got)
	}
}

func TestWhatIsLearnedIsMasked(t *testing.T) {
	s := shelfOf(t).store
	token := "ghp_" + strings.Repeat("a1B2c3", 6)
	must.Do(t, s.Learn(t.Context(), core.Learned{Expert: "clock", Origin: "o", Question: "is " + token + " a time?"}))
	if list, err := s.Learned(t.Context()); err != nil || len(list) != 1 || strings.Contains(list[0].Question, token) {
		t.Errorf("stored is %+v, %v", list, err)
	}
}
