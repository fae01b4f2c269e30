package main

import (
	"strings"
	"testing"

	"yaap/core"
)

func TestACommandForExpertsThatLacksSomethingSaysWhat(t *testing.T) {
	b := &backend{app: &app{}}
	for line, want := range map[string]string{
		"":        "/experts add CMD ARGS",
		"add":     "takes a command",
		"stop":    "takes the name of an expert",
		"restart": "takes the name of an expert",
		"invite":  "invite is not a way",
	} {
		_, err := b.changeExperts(t.Context(), strings.Fields(line))
		if err == nil || core.CodeOf(err) != core.CodeInvalid || !strings.Contains(err.Error()+core.HintOf(err), want) {
			t.Errorf("/experts %s: got %v, %s", line, err, core.HintOf(err))
		}
	}
}
