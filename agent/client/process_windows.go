package client

import (
	"errors"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A tree is a process and what it started: a job object. If this process ends
// without closing the job, the system ends what is in it.
type tree struct {
	group uint32 // the ID of the process, which is that of its console group
	job   windows.Handle
}

func startTree(cmd *exec.Cmd) (tree, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return tree{}, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		err = start(cmd, job)
	}
	if err != nil {
		return tree{}, errors.Join(err, windows.CloseHandle(job))
	}
	return tree{uint32(cmd.Process.Pid), job}, nil //nolint:gosec // a process ID has 32 bits
}

// start starts a process in a job.
func start(cmd *exec.Cmd, job windows.Handle) error {
	// CTRL_BREAK reaches only this process.
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	if err := cmd.Start(); err != nil {
		return err
	}
	var assigned error
	err := cmd.Process.WithHandle(func(process uintptr) {
		assigned = windows.AssignProcessToJobObject(job, windows.Handle(process))
	})
	if err = errors.Join(err, assigned); err != nil {
		return errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	return nil
}

// terminate sends CTRL_BREAK, which Go reports as os.Interrupt. It has no
// effect on a process with a different console.
func (t tree) terminate() { _ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, t.group) }

func (t tree) kill() { _ = windows.TerminateJobObject(t.job, 1) } // it may have ended

func (t tree) isEmpty() bool {
	var counts struct { // JOBOBJECT_BASIC_ACCOUNTING_INFORMATION
		times                                 [4]int64
		faults, processes, active, terminated uint32
	}
	err := windows.QueryInformationJobObject(t.job, windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&counts)), uint32(unsafe.Sizeof(counts)), nil)
	return err == nil && counts.active == 0
}

func (t tree) close() { _ = windows.CloseHandle(t.job) }

// isBroken reports whether the reader of a pipe is gone.
func isBroken(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA)
}
