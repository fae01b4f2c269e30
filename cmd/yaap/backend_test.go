package main

import (
	"strings"
	"testing"

	"yaap/core"
	"yaap/core/event"
	"yaap/core/hub"
)

func TestACommandForExpertsThatLacksSomethingSaysWhat(t *testing.T) {
	b := &backend{app: &app{hub: hub.New(new(event.Bus), nil, nil)}}
	for line, want := range map[string]string{
		"":        "/experts add CMD ARGS",
		"add":     "takes a command",
		"stop":    "takes the name of an expert",
		"restart": "takes the name of an expert",
		"forget":  "takes the name of an expert",
		"invite":  "invite is not a way",
	} {
		_, err := b.changeExperts(t.Context(), strings.Fields(line))
		if err == nil || core.CodeOf(err) != core.CodeInvalid || !strings.Contains(err.Error()+core.HintOf(err), want) {
			t.Errorf("/experts %s: got %v, %s", line, err, core.HintOf(err))
		}
	}
}

func TestAForkThatIsNotUnderstoodIsNotGuessedAt(t *testing.T) {
	for words, want := range map[string]string{
		"--at x":                  `"x" is not the number of a step`,
		"--at 0":                  `"0" is not the number of a step`,
		"--at -2":                 `"-2" is not the number of a step`,
		"--at":                    "nothing follows --at",
		"--at 2 --set":            "nothing follows --set",
		"at 2":                    "knows no at",
		"--set a.data.x=1":        "--set changes what a step came to",
		"--at 2 --migrate please": "knows no --migrate",
	} {
		_, _, err := readFork(strings.Fields(words))
		if core.CodeOf(err) != core.CodeInvalid || !strings.Contains(err.Error(), want) || core.HintOf(err) == "" {
			t.Errorf("%s: got %v (%s)", words, err, core.HintOf(err))
		}
	}
	at, sets, err := readFork(strings.Fields("--set a.data.x=1 --at=2 --set=b.data.y=z"))
	if err != nil || at != 2 || strings.Join(sets, " ") != "a.data.x=1 b.data.y=z" {
		t.Errorf("got %d, %q, %v", at, sets, err)
	}
}
