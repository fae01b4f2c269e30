package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/guard"
	"github.com/yaap-chat/yaap/core/must"
)

func TestSecretsAreTakenOutUnlessTheFileSaysOtherwise(t *testing.T) {
	redact := guard.Policy{Secrets: guard.Redact}
	for file, want := range map[string]config.Guards{
		"": {core.GuardInput: redact, core.GuardArgs: redact, core.GuardResult: redact, core.GuardOutput: redact},
		"guard:\n  secrets: allow\n": {
			core.GuardInput: {Secrets: guard.Allow}, core.GuardArgs: {Secrets: guard.Allow},
			core.GuardResult: {Secrets: guard.Allow}, core.GuardOutput: {Secrets: guard.Allow},
		},
		"guard:\n  injection: {tool_results: block}\n  personal: {output: force_failure}\n": {
			core.GuardInput: redact, core.GuardArgs: redact,
			core.GuardResult: {Secrets: guard.Redact, Injection: guard.Block},
			core.GuardOutput: {Secrets: guard.Redact, Personal: guard.ForceFailure},
		},
	} {
		c := must.Get(load(t, file, nil, config.Flags{}))(t)
		if diff := cmp.Diff(want, c.Guard.V); diff != "" {
			t.Errorf("%q (-want +got)\n%s", file, diff)
		}
	}
}

func TestAStageThatIsNotThereIsToldThoseThatAre(t *testing.T) {
	_, err := load(t, "guard:\n  secrets: {somewhere: block}\n", nil, config.Flags{})
	if err == nil || !strings.Contains(err.Error(), "there are input, tool_args, tool_results, output") {
		t.Errorf("got %v", err)
	}
}

func TestAGuardThatCannotBeUnderstoodIsRefused(t *testing.T) {
	for _, file := range []string{
		"guard:\n  secrets: hide\n", "guard:\n  passwords: block\n", "guard:\n  secrets: {somewhere: block}\n", "guard:\n  secrets: [block]\n",
	} {
		_, err := load(t, file, nil, config.Flags{})
		if core.CodeOf(err) != core.CodeInvalid || core.HintOf(err) == "" {
			t.Errorf("%q: got %v", file, err)
		}
	}
}
