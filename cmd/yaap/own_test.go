package main

import (
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/memory"
	"github.com/yaap-chat/yaap/core/roomhelp"
	"github.com/yaap-chat/yaap/core/yaap"
)

func TestTheNamesOfTheRoomsOwnToolsAreReserved(t *testing.T) {
	for _, name := range []string{roomhelp.Name, memory.RecallName, memory.CorrectName, memory.ForgetName} {
		if err := yaap.CheckName(name); err == nil || !strings.Contains(err.Error(), "reserved") {
			t.Errorf("an expert may be called %s: %v", name, err)
		}
	}
}
