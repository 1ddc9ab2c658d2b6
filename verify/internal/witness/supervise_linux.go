//go:build amd64 || arm64

package witness

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A supervisor observes one child process. Only one goroutine may use it.
type supervisor struct {
	control  int
	listener int            // -1 until the child has sent it
	calls    map[int32]call // by number
	sockets  sockets
	sizes    sizes

	window bool    // a window is open
	events []Event // of the open window

	reached  bool   // the child installed the filter
	refused  string // why the kernel refused the filter
	reported bool
	report   []byte
}

// supervise runs the test again in a child process and observes it.
func supervise(t *testing.T, o Options) (Result, error) {
	limit := cmp.Or(o.Limit, defaultLimit)
	if deadline, ok := t.Deadline(); ok {
		limit = min(limit, time.Until(deadline)*8/10)
	}
	type end struct {
		result Result
		err    error
	}
	ended := make(chan end, 1)
	go func() {
		// The kernel kills the child when the thread that started it ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		result, err := observeChild(t, limit)
		ended <- end{result, err}
	}()
	e := <-ended
	return e.result, e.err
}

// observeChild starts the child and returns its report. The result's Why is set
// if the kernel refused the filter.
func observeChild(t *testing.T, limit time.Duration) (result Result, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return result, fmt.Errorf("witness: socket pair: %w", err)
	}
	theirs := os.NewFile(uintptr(pair[1]), "control")
	s := &supervisor{control: pair[0], listener: -1, calls: map[int32]call{}, sockets: sockets{peers: map[string]peer{}}}
	defer s.close()
	for _, c := range table(control, 0) {
		s.calls[int32(c.number)] = c
	}
	if s.sizes, err = notificationSizes(); err != nil {
		return result, fmt.Errorf("witness: %w", err)
	}
	log, err := newTestLog()
	if err != nil {
		return result, fmt.Errorf("witness: log of the child: %w", err)
	}
	defer func() { err = errors.Join(err, log.repeat(startFolder)) }()
	cmd, err := repetition(t, limit, theirs, log)
	if err != nil {
		return result, fmt.Errorf("witness: %w", err)
	}
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.WaitDelay = time.Second
	err = cmd.Start()
	_ = theirs.Close()
	if err != nil {
		return Result{Why: fmt.Sprintf("the test binary cannot be started again: %v", err), Unseen: withoutKernel()}, nil
	}
	failure, err := s.follow(cmd, limit)
	switch {
	case err != nil:
		return result, fmt.Errorf("witness: %w", err)
	case s.refused != "":
		return Result{Why: s.refused, Unseen: withoutKernel()}, nil
	case !s.reached && failure == "":
		failure = "the test did not reach this line again in a process of its own"
	case failure == "" && !s.reported:
		failure = "the observation ended without a report"
	}
	if failure != "" {
		return result, &ChildError{Reason: failure, Output: end(output.String())}
	}
	return Result{Report: s.report, Unseen: withKernel()}, nil
}

func end(output string) string {
	const longest = 64 << 10
	if len(output) > longest {
		return "…" + output[len(output)-longest:]
	}
	return output
}

// follow serves the child until it has ended, and returns how it failed, or "".
func (s *supervisor) follow(cmd *exec.Cmd, limit time.Duration) (failure string, err error) {
	wake, alive, err := os.Pipe()
	if err != nil {
		return "", errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	defer func() { err = errors.Join(err, wake.Close()) }()
	ended := make(chan error, 1)
	go func() {
		ended <- cmd.Wait()
		// This can happen after follow has returned. By then, a closed
		// descriptor's number could belong to another file.
		_ = alive.Close()
	}()
	deadline := time.Now().Add(limit + limit/10) // the child ends itself first, and prints where it was
	for {
		running, err := s.serve(int(wake.Fd()), deadline)
		if err == nil && running {
			continue
		}
		late := err == nil && !time.Now().Before(deadline)
		if err != nil || late {
			_ = cmd.Process.Kill()
			s.close()
		}
		status := <-ended
		switch {
		case err != nil:
			return "", err
		case late:
			return fmt.Sprintf("the observation took longer than %v", limit), nil
		case status != nil && time.Until(deadline) < limit/10:
			return fmt.Sprintf("the observation took longer than %v", limit), nil
		case status != nil && !errors.Is(status, exec.ErrWaitDelay):
			return fmt.Sprintf("the test failed while it was observed: %v", status), nil
		}
		return "", nil
	}
}

// serve waits for one event and handles it. It returns false if the child has
// ended or time is up.
func (s *supervisor) serve(wake int, deadline time.Time) (running bool, err error) {
	fds := []unix.PollFd{{Fd: int32(wake), Events: unix.POLLIN}, {Fd: int32(s.control), Events: unix.POLLIN},
		{Fd: int32(s.listener), Events: unix.POLLIN}}
	left := time.Until(deadline)
	if left <= 0 {
		return false, nil
	}
	if _, err := unix.Poll(fds, int(left.Milliseconds())+1); err != nil {
		return err == unix.EINTR, ignore(err, unix.EINTR)
	}
	// The listener comes first, because a call that began before a window ended
	// belongs to that window.
	if fds[2].Revents&unix.POLLIN != 0 {
		if err := s.notification(); err != nil {
			return false, err
		}
	}
	switch {
	case fds[1].Revents&unix.POLLIN != 0:
		return true, s.message()
	case fds[0].Revents != 0: // it does not wait for programs that the child left behind
		return false, nil
	case fds[1].Revents&unix.POLLHUP != 0:
		s.control = closeFD(s.control)
	case fds[2].Revents&(unix.POLLIN|unix.POLLHUP) == unix.POLLHUP:
		s.listener = closeFD(s.listener)
	}
	return true, nil
}

// ignore returns nil for one error.
func ignore(err, one error) error {
	if errors.Is(err, one) {
		return nil
	}
	return err
}

// closeFD closes a descriptor and returns -1, which poll skips.
func closeFD(fd int) int {
	if fd >= 0 {
		_ = unix.Close(fd)
	}
	return -1
}

// close closes both descriptors. Calls waiting for the listener fail with
// ENOSYS.
func (s *supervisor) close() {
	s.listener = closeFD(s.listener)
	s.control = closeFD(s.control)
}

// message handles a message from the child.
func (s *supervisor) message() error {
	m, listener, err := receive(s.control)
	if errors.Is(err, io.EOF) || errors.Is(err, unix.ECONNRESET) {
		s.control = closeFD(s.control)
		return nil
	}
	if err != nil {
		return err
	}
	var answer []Event
	switch m.Op {
	case opReady:
		s.listener, s.reached = listener, true
		// Waking up on the same processor halves the time of a call. Kernels
		// before 6.6 do not have it.
		_ = unix.IoctlSetInt(listener, unix.SECCOMP_IOCTL_NOTIF_SET_FLAGS, unix.SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP)
		return nil
	case opRefused:
		s.refused = m.Why
		return nil
	case opReport:
		s.report, s.reported = m.Report, true
		return nil
	case opBegin:
		s.window, s.events = true, nil
	case opEnd:
		s.window = false
		answer, s.events = s.events, nil
	}
	return send(s.control, message{Events: answer}, nil)
}
