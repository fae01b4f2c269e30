package processes_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/processes"
)

// The test binary is also every program that the tests start.
func TestMain(m *testing.M) {
	if len(os.Args) < 3 || os.Args[1] != "program" {
		os.Exit(m.Run())
	}
	if os.Args[2] == "parent" {
		child := program("child")
		child.Stdin, child.Stdout = os.Stdin, os.Stdout
		if child.Start() != nil {
			os.Exit(1)
		}
		return // at once
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// program is one that says that it is ready, and runs until its input ends; a parent
// leaves one behind.
func program(kind string) *exec.Cmd {
	return exec.Command(os.Args[0], "program", kind) //nolint:noctx // the tests end it
}

// piped gives a program pipes of the test's, which end only with everything that has them.
func piped(t *testing.T, kind string) (cmd *exec.Cmd, in io.WriteCloser, out *bufio.Reader, started func()) {
	t.Helper()
	theirIn, ourIn, err := os.Pipe()
	must.Do(t, err)
	ourOut, theirOut, err := os.Pipe()
	must.Do(t, err)
	cmd = program(kind)
	cmd.Stdin, cmd.Stdout = theirIn, theirOut
	t.Cleanup(func() { _, _ = ourIn.Close(), ourOut.Close() })
	return cmd, ourIn, bufio.NewReader(ourOut), func() { _, _ = theirIn.Close(), theirOut.Close() }
}

func TestWhatACommandLeavesBehindEndsWithItsGroup(t *testing.T) {
	for name, group := range map[string]func(*exec.Cmd) *processes.Group{"group": processes.NewGroup, "session": processes.NewSession} {
		cmd, _, out, started := piped(t, "parent")
		g := group(cmd)
		must.Do(t, g.Start())
		started()
		must.Do(t, cmd.Wait())
		if line := must.Get(out.ReadString('\n'))(t); line != "ready\n" {
			t.Errorf("%s: what it left behind says %q", name, line)
		}
		must.Report(t, g.Kill())
		if rest, err := io.ReadAll(out); err != nil || len(rest) > 0 { // it ends when nobody has it any more
			t.Errorf("%s: %q, %v", name, rest, err)
		}
	}
}

func TestAGroupThatNobodyRefersToRunsToItsEnd(t *testing.T) {
	cmd, in, out, started := piped(t, "child")
	ran := make(chan error)
	go func() { ran <- processes.NewGroup(cmd).Run() }()
	_ = must.Get(out.ReadString('\n'))(t)
	for range 3 {
		runtime.GC()
	}
	must.Do(t, in.Close())
	must.Report(t, <-ran)
	started()
}

func TestACommandThatIsNotThereIsNoGroup(t *testing.T) {
	if err := processes.NewSession(exec.Command("/nobody/has/this")).Run(); err == nil { //nolint:noctx // it does not run
		t.Error("it ran")
	}
}

func TestWhoRunsIsAlive(t *testing.T) {
	if !processes.Alive(os.Getpid()) || processes.Alive(1<<30) {
		t.Error("this process is said to be gone, or one to be there that is not")
	}
}
