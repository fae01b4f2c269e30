package server

import "testing"

func TestTheServerIsMade(t *testing.T) {
	if New(nil) == nil {
		t.Error("there is none")
	}
}
