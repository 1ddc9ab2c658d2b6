package verify

import (
	"errors"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/verify/internal/state"
	"github.com/toolcontract/toolcontract/verify/internal/witness"
)

// observedCall is one call, with what the witnesses saw of it.
type observedCall struct {
	made     bool // the call was made at all
	result   *contracttest.Result
	err      error
	runs     []handlerRun
	hung     bool // the call did not end within the limit
	running  bool // a handler was still running some time after the call ended
	hasState bool
	// hasFolders means that the fixture's folders were compared.
	hasFolders bool

	changes []string        // what the call changed
	events  []witness.Event // everything the witnesses saw that nothing allows
	blind   []string        // acts whose effect no witness saw
}

// call makes one call and observes it.
func (h *harness) call(call func() (*contracttest.Result, error)) observedCall {
	o := observedCall{made: true, hasState: h.of.State != nil, hasFolders: len(h.of.Folders) > 0}
	before := h.snapshot()
	n := h.runLog.count()
	trees := h.trees()
	type answer struct {
		result *contracttest.Result
		err    error
	}
	answered := make(chan answer, 1)
	act := func() {
		done := waitFor(func() {
			a := answer{err: errExited}
			defer func() { answered <- a }()
			a.result, a.err = call()
		}, h.config.limit+patience)
		o.hung = !done
		o.running = done && !waitFor(h.runLog.wait, patience)
	}
	if h.witness.Kernel() { // nothing else runs in the child process
		logged := act
		act = func() { h.log.standard(logged) }
	}
	seen := h.witness.Window(act)
	if o.hung {
		o.err = errHung
	} else {
		a := <-answered
		o.result, o.err = a.result, a.err
	}
	for i, after := range h.trees() {
		seen.Events = append(seen.Events, trees[i].Diff(after)...)
	}
	o.runs = h.runLog.runsAfter(n)
	h.runs += len(o.runs)
	h.weigh(&o, seen, state.Compare(before, h.snapshot()))
	return o
}

// errExited is the error of a call whose handler ended its goroutine.
var errExited = errors.New("the call did not return, because its goroutine ended; " +
	"a handler must not call runtime.Goexit or FailNow")

var errHung = fmt.Errorf("the call did not end within its limit; see WithCallLimit")

// waitFor runs f and reports whether it returned in time. It counts short
// steps, so a pause of the whole process counts as just one of them.
func waitFor(f func(), limit time.Duration) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	ticker := time.NewTicker(waitStep)
	defer ticker.Stop()
	for range (limit + waitStep - 1) / waitStep {
		select {
		case <-done:
			return true
		case <-ticker.C:
		}
	}
	return false
}

// waitStep is the length of a step. If the whole process pauses for longer,
// waitFor still counts one step.
const waitStep = 10 * time.Millisecond

// patience is how long a handler may keep running after its context has ended.
// It does not depend on the tool's timeout: on a busy machine, a handler with a
// timeout of a few milliseconds takes as long to return as any other.
const patience = 2 * time.Second

// plain makes an input's call without a preview.
func (h *harness) plain(in input) (*contracttest.Result, error) {
	if h.doc.DryRun != dryrun.Required {
		return h.client.Try(h.doc.Name, in.arguments)
	}
	preview, err := h.preview(in)
	if err != nil || preview.Outcome.Status != contract.StatusDryRun {
		return preview, err
	}
	return h.client.Try(h.doc.Name, withMember(in.arguments, "dryRunToken", dryRunToken(preview.Structured)))
}

func (h *harness) preview(in input) (*contracttest.Result, error) {
	return h.client.Try(h.doc.Name, withMember(in.arguments, "dryRun", true))
}
