package guard_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
)

// needsKey asserts that a call is refused because it has no idempotency key.
func needsKey(t *testing.T, r *guard.Result) {
	t.Helper()
	refused(t, r, contract.CodeInvalidInput, contract.ClassRetryable)
	require.Len(t, r.Outcome.Violations, 1)
	assert.Equal(t, "idempotencyKey", r.Outcome.Violations[0].Rule)
	assert.Empty(t, r.Outcome.Violations[0].Pointer)
	assert.Contains(t, r.Text, contract.MetaKeyIdempotencyKey, "the model and its host learn where the key goes")
}

func TestKeyRequired_RefusesACallWithoutAKey(t *testing.T) {
	t.Parallel()
	for _, mode := range []idempotency.Mode{idempotency.Managed, idempotency.Keyed} {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			required := contract.Idempotency{Mode: mode, KeyRequired: true}
			k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", required, nil).MustBuild()})
			for range 2 {
				needsKey(t, k.call(alice, "pay.now", validPay))
			}
			refused(t, k.callKeyed(alice, "pay.now", validPay, ""), contract.CodeInvalidInput, contract.ClassRetryable)
			refused(t, k.callKeyed(alice, "pay.now", validPay, strings.Repeat("k", 256)), contract.CodeInvalidInput,
				contract.ClassRetryable)
			require.Zero(t, n.runs.Load())

			first := k.callKeyed(alice, "pay.now", validPay, "a")
			require.Equal(t, contract.StatusOK, first.Outcome.Status, first.Text)
			assert.False(t, first.Outcome.KeyIgnored)
			replayOf(t, first, k.callKeyed(alice, "pay.now", validPay, "a"))
			needsKey(t, k.call(alice, "pay.now", validPay)) // equal arguments are no key, also after a success
			assert.Equal(t, contract.StatusOK, k.callKeyed(alice, "pay.now", validPay, "b").Outcome.Status, "another key is another call")
			refused(t, k.callKeyed(alice, "pay.now", `{"pay":{"amount":11}}`, "a"), contract.CodeKeyConflict, contract.ClassRetryable)
			assert.EqualValues(t, 2, n.runs.Load())
		})
	}
}

// A dry run has no effect that a key could stand for.
func TestKeyRequired_ADryRunNeedsNoKey(t *testing.T) {
	t.Parallel()
	n := &counter{}
	required := contract.Idempotency{Mode: idempotency.Managed, KeyRequired: true}
	k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", required, nil).DryRun(dryrun.By(previewPay).Required()).MustBuild()})
	var preview struct {
		Token string `json:"dryRunToken"`
	}
	dry := k.call(alice, "pay.now", `{"pay":{"amount":10},"dryRun":true}`)
	require.Equal(t, contract.StatusDryRun, dry.Outcome.Status, dry.Text)
	require.NoError(t, json.Unmarshal(dry.Structured, &preview))
	call := `{"pay":{"amount":10},"dryRunToken":"` + preview.Token + `"}`
	needsKey(t, k.call(alice, "pay.now", call))
	first := k.callKeyed(alice, "pay.now", call, "a")
	require.Equal(t, contract.StatusOK, first.Outcome.Status, "the refused call has not spent the token: %s", first.Text)
	replayOf(t, first, k.callKeyed(alice, "pay.now", validPay, "a"))
	assert.EqualValues(t, 1, n.runs.Load())
}

// Nobody is asked about a call that cannot run.
func TestKeyRequired_NoPersonIsAskedAboutACallWithoutAKey(t *testing.T) {
	t.Parallel()
	n := &counter{}
	required := contract.Idempotency{Mode: idempotency.Managed, KeyRequired: true}
	k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", required, nil).ConfirmAlways().MustBuild()})
	needsKey(t, k.call(alice, "pay.now", validPay))
	k.asked(round{who: alice, tool: "pay.now", arguments: validPay, key: "a"})
	assert.Zero(t, n.runs.Load())
}
