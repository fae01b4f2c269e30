package main

import (
	"os"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The test binary is yaap under that name, and every expert of the stories
// under its own. A room that runs inside the test starts its children from the
// test binary, too: those are known by their first argument.
func TestMain(m *testing.M) {
	programs := map[string]func(){
		"yaap": main, "heron": heron, "misfit": misfit, "peer": peer,
		"tally": tally, "latecomer": latecomer, "editor": editor,
	}
	if len(os.Args) > 1 && programs[base(os.Args[0])] == nil && slices.Contains([]string{"expert", "guard"}, os.Args[1]) {
		main()
	}
	testscript.Main(m, programs)
}
