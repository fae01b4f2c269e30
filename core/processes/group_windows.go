package processes

import (
	"errors"
	"os/exec"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Group is a command and all that it starts: a job object, which the command is in before
// its first instruction. A group must be started with its own Start or Run; its other
// methods may be called from any goroutine from then on. What is left of it ends at the
// latest with this program, however that ends, and may end once nothing refers to the group.
type Group struct {
	cmd *exec.Cmd
	job windows.Handle
}

// apart keeps ctrl+c from a command, and in a session the console. One that opens windows
// opens them all the same.
func apart(cmd *exec.Cmd, session bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	if session {
		cmd.SysProcAttr.CreationFlags |= windows.CREATE_NO_WINDOW
	}
}

// Start starts the command, and fails like [exec.Cmd.Start], and when the system does not
// let it have a job.
func (g *Group) Start() error {
	job, err := newJob()
	if err != nil {
		return err
	}
	g.job = job
	runtime.AddCleanup(g, func(h windows.Handle) { _ = windows.CloseHandle(h) }, job)
	g.cmd.SysProcAttr.CreationFlags |= windows.CREATE_SUSPENDED
	if err := g.cmd.Start(); err != nil {
		return err
	}
	var assigned error
	err = g.cmd.Process.WithHandle(func(h uintptr) {
		assigned = windows.AssignProcessToJobObject(job, windows.Handle(h))
	})
	if err = errors.Join(err, assigned); err == nil {
		err = resume(g.cmd.Process.Pid)
	}
	if err != nil {
		_ = g.cmd.Process.Kill() // it has done nothing yet
		_ = g.cmd.Wait()         // it was killed
		return err
	}
	return nil
}

// newJob makes a job whose processes end with its last handle.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		return 0, errors.Join(err, windows.CloseHandle(job))
	}
	return job, nil
}

// resume has a process run that was started suspended.
func resume(pid int) error {
	threads, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(threads) }()
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(threads, &entry); err == nil; err = windows.Thread32Next(threads, &entry) {
		if entry.OwnerProcessID != uint32(pid) {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return err
		}
		_, err = windows.ResumeThread(thread)
		return errors.Join(err, windows.CloseHandle(thread))
	}
	return err
}

// Kill kills all of the group at once.
func (g *Group) Kill() error {
	_ = g.cmd.Process.Kill() // it may not be in its job yet
	err := windows.TerminateJobObject(g.job, 1)
	runtime.KeepAlive(g)
	return err
}

// End asks all of the group to end: by SIGTERM, on Windows by ctrl+break, which only
// those hear that have the console of this program.
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

// InheritedEnv names the variables of the environment that every program is given.
func InheritedEnv() []string {
	return []string{"PATH", "HOME", "LANG", "TZ", "TMPDIR", "SystemRoot", "SystemDrive", "ComSpec", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA"}
}
