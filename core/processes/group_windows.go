package processes

import (
	"errors"
	"os/exec"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Group is a command and all that it starts: a job object, of which what
// a program starts in the first moment of its life may stay out. A group must be
// started with its own Start or Run; its other methods may be called from any goroutine
// from then on. What is left of it ends at the latest with this program.
type Group struct {
	cmd    *exec.Cmd
	handle windows.Handle // of the job; 0: there is none
}

func apart(cmd *exec.Cmd, session bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP, HideWindow: session}
}

// Start starts the command, and fails like [exec.Cmd.Start].
func (g *Group) Start() error {
	handle, err := newJob()
	if err != nil {
		return err
	}
	if err := g.cmd.Start(); err != nil {
		return errors.Join(err, windows.CloseHandle(handle))
	}
	if err := assign(handle, g.cmd.Process.Pid); err != nil { // it has ended already, and so has its group
		return windows.CloseHandle(handle)
	}
	g.handle = handle
	runtime.AddCleanup(g, func(h windows.Handle) { _ = windows.CloseHandle(h) }, handle)
	return nil
}

// newJob makes a job whose processes end with its last handle.
func newJob() (windows.Handle, error) {
	handle, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(handle, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		return 0, errors.Join(err, windows.CloseHandle(handle))
	}
	return handle, nil
}

func assign(handle windows.Handle, pid int) error {
	p, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	return errors.Join(windows.AssignProcessToJobObject(handle, p), windows.CloseHandle(p))
}

// Kill kills all of the group at once.
func (g *Group) Kill() error {
	if g.handle == 0 {
		return g.cmd.Process.Kill()
	}
	return windows.TerminateJobObject(g.handle, 1)
}

// End asks all of the group to end: by SIGTERM, on Windows by ctrl+break, which only
// programs with a console hear.
func (g *Group) End() error {
	return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(g.cmd.Process.Pid))
}

// Alive reports whether there is a process of that number; where it cannot be told, there is.
func Alive(pid int) bool {
	p, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return !errors.Is(err, windows.ERROR_INVALID_PARAMETER)
	}
	defer func() { _ = windows.CloseHandle(p) }()
	state, err := windows.WaitForSingleObject(p, 0)
	return err != nil || state == uint32(windows.WAIT_TIMEOUT)
}

// Basics are the variables of the environment that every program needs.
func Basics() []string {
	return []string{"PATH", "HOME", "LANG", "TMPDIR", "SystemRoot", "SystemDrive", "ComSpec", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA"}
}
