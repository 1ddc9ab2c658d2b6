//go:build amd64 || arm64

package witness

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// The child process finds its test in the environment, after its parent's
// number, so that programs it starts are not mistaken for it. The control
// socket is the first descriptor after the standard ones, followed by a log if
// the first process has one.
const (
	variable     = "TOOLCONTRACT_WITNESS"
	control  int = 3
)

// A child is the process whose test is observed. It implements session.
type child struct{ test string }

// insideChild reports whether this process was started to observe a test.
func insideChild() (child, bool) {
	parent, test, ok := strings.Cut(os.Getenv(variable), " ")
	return child{test}, ok && parent == strconv.Itoa(os.Getppid())
}

// observe runs the function under the filter and hands its report over.
func (c child) observe(t *testing.T, o Options, observe func(*testing.T, *Recorder) []byte) {
	unix.CloseOnExec(control)
	if keepsTestLog() {
		unix.CloseOnExec(control + 1)
	}
	if why, err := c.installFilter(); err != nil {
		t.Fatalf("witness: %v", err)
	} else if why != "" {
		if err := send(control, message{Op: opRefused, Why: why}, nil); err != nil {
			t.Fatalf("witness: %v", err)
		}
		return
	}
	r := &Recorder{options: o, kernel: c}
	report := observe(t, r)
	if r.err != nil {
		t.Fatal(r.err)
	}
	if err := send(control, message{Op: opReport, Report: report}, nil); err != nil {
		t.Fatalf("witness: %v", err)
	}
}

// installFilter installs the filter and sends its listener to the parent. why
// is set if the kernel refused.
func (child) installFilter() (why string, err error) {
	// Package net finds out once per process which addresses it can bind. That
	// is not the handler's doing.
	if warm, err := net.Listen("tcp", "127.0.0.1:0"); err == nil { //nolint:noctx // it does not wait
		if err := warm.Close(); err != nil {
			return "", err
		}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	listener, err := install(table(control, os.Getpid()))
	if err != nil {
		return refusal("refused the filter", err), nil
	}
	err = send(control, message{Op: opReady}, unix.UnixRights(listener))
	// Only the parent may have it: then no call waits once the parent has
	// ended.
	if err := unix.Close(listener); err != nil {
		return "", err
	}
	return "", err
}

func (child) begin() error {
	_, err := ask(opBegin)
	return err
}

func (child) end() ([]Event, error) { return ask(opEnd) }

func ask(op string) ([]Event, error) {
	if err := send(control, message{Op: op}, nil); err != nil {
		return nil, fmt.Errorf("witness: the supervisor does not answer: %w", err)
	}
	answer, _, err := receive(control)
	if err != nil {
		return nil, fmt.Errorf("witness: the supervisor does not answer: %w", err)
	}
	return answer.Events, nil
}
