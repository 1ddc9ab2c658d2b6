package witness

import (
	"fmt"
	"testing"
)

// A Result is what [Run] passes to judge.
type Result struct {
	// Report is what observe returned.
	Report []byte
	// Seen lists the witnesses, in the order kernel, folder, http.
	Seen []Source
	// Why says why the kernel was not a witness. Empty: it was one.
	Why string
	// Unseen describes the limits of the witnesses.
	Unseen []string
}

// A ChildError reports a child process that did not finish its observation.
type ChildError struct {
	// Reason describes the fault, such as "a handler ended the process".
	Reason string
	// Output is the end of what the child printed.
	Output string
}

// Error returns the reason and the output.
func (e *ChildError) Error() string {
	if e.Output == "" {
		return "witness: " + e.Reason
	}
	return fmt.Sprintf("witness: %s; the process printed:\n%s", e.Reason, e.Output)
}

// Run runs a subtest in which observe runs handlers under a [Recorder], and
// then judge reports.
//
// With the kernel as witness, the test runs again in a child process, which is
// this test binary with only this subtest selected. The child reaches the same
// call of Run, runs observe there, hands its report over and skips the rest of
// the test. In the first process, Run only runs judge. So the test's setup runs
// in both processes and is not observed, and observe runs in just one. Without
// the kernel, observe runs in this process, and the recorder has only the
// folders and transports of the options; [Result.Why] has the reason.
//
// The report is bytes because it crosses processes. If observe fails its test
// or does not return, judge gets a [ChildError]. judge runs once, and never in
// the child. If -test.run does not select the subtest, neither function runs.
func Run(t *testing.T, name string, o Options, observe func(*testing.T, *Recorder) []byte,
	judge func(*testing.T, Result, error)) {
	t.Helper()
	if inside, ok := insideChild(); ok {
		reached := false
		t.Run(name, func(t *testing.T) {
			if reached = inside.test == t.Name(); reached {
				inside.observe(t, o, observe)
			}
		})
		if reached {
			t.SkipNow() // the rest belongs to the other process
		}
		return
	}
	t.Run(name, func(t *testing.T) {
		t.Helper()
		result := Result{Unseen: withoutKernel()}
		var err error
		if result.Why = unsupported(t, o); result.Why == "" {
			result, err = supervise(t, o)
		}
		if result.Why != "" && err == nil {
			r := &Recorder{options: o}
			result.Report = observe(t, r)
			err = r.err
		}
		result.Seen = sources(o, result.Why == "")
		judge(t, result, err)
	})
}

// sources lists the witnesses of a run.
func sources(o Options, kernel bool) []Source {
	var seen []Source
	if kernel {
		seen = append(seen, Kernel)
	}
	if len(o.Folders) > 0 {
		seen = append(seen, Folder)
	}
	if len(o.Requests) > 0 {
		seen = append(seen, HTTP)
	}
	return seen
}

// Supported returns why the kernel cannot be a witness here, or "". A kernel
// that supports it can still refuse when [Run] installs the filter; the
// observation then runs without it.
func Supported() string { return platform() }

// unsupported returns why the kernel is not a witness for this test, or "".
func unsupported(t *testing.T, o Options) string {
	if o.NoKernel {
		return "the test does not use the kernel as witness"
	}
	if why := platform(); why != "" {
		return why
	}
	return cannotRepeat(t)
}

// withoutKernel lists what folders and transports do not see.
func withoutKernel() []string {
	return []string{
		"effects outside the compared folders and recorded transports",
		"network connections that do not use a recorded transport",
		"programs that the handler starts",
		"attempts that failed",
	}
}

// withKernel lists what the kernel does not show.
func withKernel() []string {
	return []string{
		"memory of the process",
		"the statement that a database gets over a connection, and the method of an HTTP request",
		"writes through pipes and unnamed pairs of sockets",
		"acts of a process that was already running and that the handler asks for them",
		"which bytes a shared mapping of a file writes; the mapping itself is an unknown event",
		"whether a call that was attempted succeeded",
	}
}
