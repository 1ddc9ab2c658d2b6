package guard_test

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
)

// An approved call claims its record before its intent is logged. While the
// audit log cannot be written, that record must not answer the call. The
// approval counts once the log can be written again.
func TestThreat174_ApprovedCallIsToldThatTheAuditLogCannotBeWritten(t *testing.T) {
	t.Parallel()
	for name, tool := range map[string]func(*counter) *contract.Tool{
		"a tool without keys": func(n *counter) *contract.Tool { return n.asking("pay.now").Risk(risk.High).MustBuild() },
		"a managed tool": func(n *counter) *contract.Tool {
			return n.managedPayer("pay.now", byArguments, nil).ConfirmAlways().Risk(risk.High).MustBuild()
		},
	} {
		t.Run(name+", on a page", func(t *testing.T) {
			t.Parallel()
			n, sink := &counter{}, &breakable{}
			var lines bytes.Buffer
			k, d := approvals(t, tool(n), guard.WithAudit(sink), guard.WithLogger(slog.New(slog.NewTextHandler(&lines, nil))))
			waits(t, k.call(alice, "pay.now", validPay))
			q, _ := d.last(t)
			k.decide(q, true)
			sink.broken.Store(true)
			for range 2 {
				r := k.call(alice, "pay.now", validPay)
				refused(t, r, contract.CodeUnavailable, contract.ClassRetryable)
				assert.Positive(t, r.Outcome.RetryAfterMs)
			}
			assert.Zero(t, n.runs.Load())
			sink.broken.Store(false)
			_ = k.guard.Close(t.Context()) // the events of the refused calls may be lost
			assert.Contains(t, lines.String(), `msg="toolcontract: a call could not be answered" tool=pay.now`)
			assert.Contains(t, lines.String(), errDiskFull.Error())
		})
		t.Run(name+", in rounds", func(t *testing.T) {
			t.Parallel()
			n, sink := &counter{}, &breakable{}
			k := newKit(t, []*contract.Tool{tool(n)}, guard.WithAudit(sink))
			first := k.asked(payNow)
			sink.broken.Store(true)
			answered := payNow.with(first.State, confirmed)
			for range 2 {
				r, err := k.round(answered)
				require.NoError(t, err)
				refused(t, r, contract.CodeUnavailable, contract.ClassRetryable)
			}
			sink.broken.Store(false)
			r, err := k.round(answered)
			require.NoError(t, err)
			assert.Equal(t, contract.StatusOK, r.Outcome.Status)
			assert.EqualValues(t, 1, n.runs.Load())
			r, err = k.round(answered)
			require.NoError(t, err)
			assert.Equal(t, contract.StatusReplayed, r.Outcome.Status, "a recorded outcome needs no audit log")
		})
	}
}
