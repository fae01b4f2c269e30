package main

import (
	"os"
	"slices"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The test binary is yaap under that name, and every expert of the stories
// under its own. A room that runs inside the test starts its children from the
// test binary, too: those are known by their first argument.
func TestMain(m *testing.M) {
	inRoom := len(os.Args) > 1 && slices.Contains([]string{"expert", "guard"}, os.Args[1])
	yaap := main
	if inRoom {
		yaap = func() { syscall.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
	}
	programs := map[string]func(){
		"yaap": yaap, "heron": brief(heron), "misfit": brief(misfit), "peer": peer,
		"tally": brief(tally), "latecomer": latecomer, "editor": editor, "forge": brief(forge), "browse": brief(browse),
	}
	if inRoom && programs[base(os.Args[0])] == nil {
		yaap()
	}
	testscript.Main(m, programs)
}

// brief returns a program that ends as soon as it is done: os.Exit stays for a
// second where races are looked for, and a room waits for its experts to end.
// They cannot be told otherwise, as GORACE is not theirs to see.
func brief(program func()) func() {
	return func() {
		program()
		syscall.Exit(0)
	}
}
