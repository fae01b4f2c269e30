package storetest_test

import (
	"testing"

	"yaap/core"
	"yaap/core/store/storetest"
)

func TestMemoryIsAJournal(t *testing.T) {
	storetest.Suite(t, func(*testing.T) core.Journal { return storetest.NewMemory() })
}
