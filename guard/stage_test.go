package guard_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
)

// budgetHolds reports whether the retry budget is enforced. For a managed tool,
// Begin enforces it.
func budgetHolds(t *testing.T, managed bool, opts ...guard.Option) bool {
	t.Helper()
	n, i := &counter{}, contract.Idempotency{Mode: idempotency.None}
	if managed {
		i = byArguments
	}
	tool := n.managedPayer("pay.now", i, func(context.Context, payInput) error { return errNoFunds }).RetryBudget(1,
		time.Hour).MustBuild()
	k := newKit(t, []*contract.Tool{tool}, opts...)
	k.call(alice, "pay.now", validPay)
	r := k.call(alice, "pay.now", validPay)
	return r.Outcome.Code == contract.CodeRetryBudgetExhausted && n.runs.Load() == 1
}

func TestStage_DisabledBudgetOfAManagedToolIsNoticed(t *testing.T) {
	t.Parallel()
	assert.True(t, budgetHolds(t, true))
	assert.False(t, budgetHolds(t, true, guard.WithoutStage("budget")))
}

// Each clause of each stage has a check, which holds, and fails once the stage
// is disabled.
func TestStage_DisabledStageIsNoticed(t *testing.T) {
	t.Parallel()
	for _, name := range guard.StageClauses() {
		require.NotNil(t, stageChecks[name], "%s has no check", name)
	}
	for name, check := range stageChecks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stage, _, _ := strings.Cut(name, ",") // a stage can have several checks
			assert.Contains(t, guard.StageNames(), stage)
			assert.True(t, check(t), "the guard does not enforce the stage")
			// A call that panics because its stage is missing never gives its
			// slot back, so Close must not wait long for it.
			assert.False(t, holdsContained(t, check, guard.WithoutStage(stage),
				guard.WithTimes(guard.Times{Drain: 100 * time.Millisecond})), "the check does not notice the disabled stage")
		})
	}
}

// holdsContained counts a panic as a failed check, because a later stage may
// rely on an earlier one.
func holdsContained(t *testing.T, check stageCheck, opts ...guard.Option) (held bool) {
	defer func() {
		if recover() != nil {
			held = false
		}
	}()
	return check(t, opts...)
}
