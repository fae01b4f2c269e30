package main

import (
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store"
)

func TestWhoCameAndWhoLeftIsOnDisk(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"} {
		t.Setenv(name, home)
	}
	var out, errs strings.Builder
	if code := Main([]string{"run", "--builtin", "calc", "2+2"}, strings.NewReader(""), &out, &errs); code != 0 {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	db := must.Get(sql.Open("sqlite", filepath.Join(home, "yaap", store.File)))(t)
	defer func() {
		must.Report(t, db.Close())
	}()
	for _, kind := range []string{"expert_joined", "expert_left"} {
		var n int
		if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM event WHERE type = ?", kind).Scan(&n); err != nil || n != 1 {
			t.Errorf("%s is stored %d times, %v; want once", kind, n, err)
		}
	}
}

func TestWhatFailedTwiceOfOneCauseIsSaidOnce(t *testing.T) {
	full := &core.Error{Code: core.CodeInternal, Message: "the disk is full", Hint: "make room\n"}
	var told strings.Builder
	(&program{stderr: &told}).complain(errors.Join(full, full))
	if got, want := told.String(), "yaap: the disk is full\n      make room\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAHintAtAShellNamesNoSlashCommand(t *testing.T) {
	for hint, want := range map[string]string{
		"go on with /continue": "go on with yaap run --continue",
		"go on with /continue (outside the chat: yaap run --continue), or ask":              "go on with yaap run --continue, or ask",
		"try another model with /model":                                                     "try another model with --model",
		"bring one in with /experts add CMD":                                                "bring one in with --expert 'NAME=COMMAND ARGS'",
		"begin another conversation with /new; the rest":                                    "begin another conversation with yaap run PROMPT; the rest",
		"check it; /experts restart heron starts it again":                                  "check it; the next yaap run starts it again",
		"Nobody reads it.\n/experts shows all, @name asks one; more: /experts add, /model.": "Nobody reads it.\n@name asks one; more: --expert 'NAME=COMMAND', --model.",
		"tail might: `/experts restart tail` brings it back.":                               "tail might: the next yaap run brings it back.",
		"forge has changed; /trust forge shows how":                                         "forge has changed; yaap trust show forge shows how",
		"f2 shows the tools of every expert":                                                "f2 in the chat shows the tools of every expert",
		"look at /home/me/model/continue":                                                   "look at /home/me/model/continue",
		"`ollama pull hf.co/heron/models` gets it, or choose with /model":                   "`ollama pull hf.co/heron/models` gets it, or choose with --model",
	} {
		if got := new(program).atShell(hint); got != want {
			t.Errorf("%q at a shell is %q; want %q", hint, got, want)
		}
	}
}

func TestProgressTellsWhatBecomesOfARun(t *testing.T) {
	for want, body := range map[string]core.Body{
		"! offline answers from here, not ollama/x: it is not there\n": core.Fallback{From: "ollama/x", To: "offline", Reason: "it is not there"},
		"… yaap → reviewer: it is a draft\n":                           core.Handoff{From: "yaap", To: "reviewer", Reason: "it is a draft"},
		"! secrets in tool_args, redact: 1 API key\n":                  core.GuardrailViolation{Guardrail: "secrets", Stage: core.GuardArgs, Verdict: "redact", Reason: "1 API key"},
		"? files__write has to be allowed: it changes files\n":         core.ApprovalRequested{Tool: "files__write", Reason: "it changes files"},
		"… calc what is 6 * 7?\n":                                      core.ToolCallStart{Tool: "calc", Args: []byte(`{"prompt":"what is 6 * 7?"}`)},
		"… files__write path: a.txt, content: x\n":                     core.ToolCallStart{Tool: "files__write", Args: []byte(`{"path":"a.txt","content":"x"}`)},
		"? files__write waits\n":                                       core.ToolCallEnd{Tool: "files__write", Status: core.ToolWaiting},
		"✓ allowed: session\n":                                         core.ApprovalGiven{Decision: core.AllowSession},
		"✗ denied\n":                                                   core.ApprovalGiven{Decision: core.Deny},
		"← heron left: exited with status 3\n":                         core.ExpertLeft{Name: "heron", Reason: core.LeftExited, Detail: "exited with status 3"},
		"← heron left: goodbye\n":                                      core.ExpertLeft{Name: "heron", Reason: core.LeftGoodbye},
		"← heron left: goodbye: off home\n":                            core.ExpertLeft{Name: "heron", Reason: core.LeftGoodbye, Detail: "off home"},
		"! the disk is full\n      make room\n      or use --model\n":  core.Notice{Text: "the disk is full", Hint: "make room\nor use /model"},
		"": core.GuardrailCheck{Guardrail: "secrets", Valid: true},
	} {
		var told strings.Builder
		w := watcher{p: &program{stderr: &told}}
		w.progress(core.Event{Body: body})
		if got := told.String(); got != want {
			t.Errorf("%T: %q, want %q", body, got, want)
		}
	}
}

func TestWhatMayBeAskedNextStandsUnderTheAnswer(t *testing.T) {
	var out strings.Builder
	p := &program{stdout: &out}
	reply := core.Reply{Status: core.StatusClarification, Message: "Which?", Data: map[string]any{"options": []any{"@calc 3/4/2026", "/trust x", "\x1b[2JWales"}}}
	must.Do(t, p.print(reply))
	if got := out.String(); got != "Which?\n  @calc 3/4/2026\n  Wales\n" {
		t.Errorf("got:\n%s", got)
	}
}
