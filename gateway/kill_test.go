package gateway_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway"
)

// begin calls a tool that does not answer. It returns the ID of the tool's
// process, and a channel for the answer that comes once the process is killed.
func (k *kit) begin(s *server, tool string) (pid int, answer chan *adapter.CallResult) {
	k.t.Helper()
	answer = make(chan *adapter.CallResult, 1)
	go func() { answer <- k.call(tool) }()
	select {
	case pid = <-s.holds:
	case a := <-answer:
		require.Fail(k.t, "the call ended", "%+v", a.Outcome)
	}
	return pid, answer
}

func TestKill_EndsCallsWithAClearOutcome(t *testing.T) {
	t.Parallel()
	for transport, start := range map[string]func(*testing.T, ...string) *server{"stdio": overStdio, "http": overHTTP} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			first, second := start(t, toolPid, toolLook, toolHold), overStdio(t, toolPid)
			k := newKit(t, map[string]*server{"first": first, "second": second}, managed())
			k.refresh()
			others := k.pid("second_pid")

			pid, read := k.begin(first, "look")
			_, write := k.begin(first, "hold")
			kill(t, pid)

			a := <-read
			assert.Equal(t, gateway.ErrInterrupted.Code(), a.Outcome.Code)
			assert.Equal(t, contract.ClassRetryable, a.Outcome.Class)
			a = <-write
			assert.Equal(t, contract.CodeOutcomeUnknown, a.Outcome.Code)
			assert.Equal(t, contract.ClassFatal, a.Outcome.Class)
			assert.Equal(t, others, k.pid("second_pid"), "the other server was not touched")
			again := k.call("hold").Outcome
			assert.Equal(t, contract.CodeOutcomeUnknown, again.Code, "the guard does not run it again")
			assert.True(t, strings.HasPrefix(a.Outcome.OperationID, "op_"), a.Outcome.OperationID)
			assert.Equal(t, a.Outcome.OperationID, again.OperationID)

			if transport == "http" {
				a = k.call("pid") // perhaps on a connection not yet known to be closed
				assert.Contains(t, []string{"upstream_unavailable", gateway.ErrInterrupted.Code()}, a.Outcome.Code)
				a = k.call("pid")
				assert.Equal(t, "upstream_unavailable", a.Outcome.Code, "nothing was sent")
				assert.Equal(t, contract.ClassRetryable, a.Outcome.Class)
				require.True(t, first.start(t, first.path))
			}
			assert.NotEqual(t, pid, k.pid("pid"), "the server is there again")
		})
	}
}

func TestKill_ManyTimesLosesNoOtherCall(t *testing.T) {
	t.Parallel()
	first, second := overStdio(t, toolPid, toolLook), overStdio(t, toolPid, toolHold)
	k := newKit(t, map[string]*server{"first": first, "second": second}, gateway.Options{})
	k.refresh()
	other, waiting := k.begin(second, "hold")
	for range 4 { // equal calls that fail more often exhaust the retry budget
		pid, read := k.begin(first, "look")
		kill(t, pid)
		assert.Equal(t, gateway.ErrInterrupted.Code(), (<-read).Outcome.Code)
		assert.Equal(t, other, k.pid("second_pid"))
	}
	assert.Empty(t, waiting)
	kill(t, other)
	assert.Equal(t, gateway.ErrUnanswered.Code(), (<-waiting).Outcome.Code)
}
