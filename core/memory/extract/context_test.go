package extract_test

import (
	"testing"
	"time"

	"yaap/core/memory/extract"
)

func TestShow(t *testing.T) {
	at := time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)
	var turns []extract.Turn
	c := ""
	for i, m := range developerMessages(t) {
		turns = append(turns, extract.Turn{Role: m.role, Text: m.text, Time: at.Add(time.Duration(i) * time.Hour)})
		if len(turns) == 6 {
			c = extract.Context(c, turns, 0)
			turns = nil
		}
	}
	t.Log(len([]rune(c)), c)
}
