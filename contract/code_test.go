package contract_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
)

// codesOf returns the codes of a built contract, in order.
func codesOf(d contract.Document) []string {
	var codes []string
	for _, m := range d.FailureModes {
		codes = append(codes, m.Code)
	}
	return codes
}

func modeOf(d contract.Document, code string) (contract.FailureMode, bool) {
	for _, m := range d.FailureModes {
		if m.Code == code {
			return m, true
		}
	}
	return contract.FailureMode{}, false
}

func TestReservedCodes_AreAddedWhereTheyCanHappen(t *testing.T) {
	t.Parallel()
	managed := func() *noteBuilder {
		return writing().Idempotency(contract.Idempotency{Mode: idempotency.Managed})
	}
	keyed := func() *noteBuilder { return writing().Idempotency(contract.Idempotency{Mode: idempotency.Keyed}) }
	native := func() *noteBuilder { return writing().Idempotency(contract.Idempotency{Mode: idempotency.Native}) }
	required := func() *noteBuilder { return writing().DryRun(dryrun.By(previewOf[noteInput]).Required()) }
	supported := func() *noteBuilder { return writing().DryRun(dryrun.By(previewOf[noteInput])) }
	retry, fatal := contract.ClassRetryable, contract.ClassFatal
	type builders = []*noteBuilder
	for _, c := range []struct {
		code     string
		class    contract.Class
		has, not builders
	}{
		{contract.CodeInvalidInput, retry, builders{reading(), writing()}, nil},
		{contract.CodeUnauthenticated, fatal, builders{reading(), writing()}, nil},
		{contract.CodePermissionDenied, fatal, builders{reading(), writing()}, nil},
		{contract.CodeRateLimitExceeded, retry, builders{reading(), reading().RateLimit(1, time.Second)}, nil},
		{contract.CodeDryRunRequired, retry, builders{required()}, builders{reading(), writing(), supported()}},
		{contract.CodeConfirmationRequired, fatal, builders{writing().ConfirmAlways(), writing().ConfirmWhen(never)},
			builders{reading(), writing()}},
		{contract.CodeConfirmationPending, retry, builders{writing().ConfirmAlways(), writing().ConfirmWhen(never)}, builders{reading(),
			writing()}},
		{contract.CodeConfirmationDeclined, retry, builders{writing().ConfirmAlways(), writing().Effect(risk.Destructive)},
			builders{reading(), writing()}},
		{contract.CodeStepUpRequired, fatal, builders{writing().StepUp(contract.StepUp{ACR: "mfa"})}, builders{reading(), writing(),
			writing().ConfirmAlways()}},
		{contract.CodeKeyInProgress, retry, builders{managed(), keyed()}, builders{reading(), writing(), native()}},
		{contract.CodeKeyConflict, retry, builders{managed(), keyed()}, builders{reading(), writing(), native()}},
		{contract.CodeOutcomeUnknown, fatal, builders{managed(), keyed()}, builders{reading(), writing(), native()}},
		{contract.CodeAlreadyDone, fatal, builders{managed(), keyed()}, builders{reading(), writing(), native()}},
		{contract.CodeOutputInvalid, fatal, builders{reading(), writing()}, nil},
		{contract.CodeResultTooLarge, fatal, builders{writing(), managed()}, nil},
		{contract.CodeResultTooLarge, retry, builders{reading(), reading().MaxResultBytes(1)}, nil},
		{contract.CodeTimeout, fatal, builders{writing(), writing().Timeout(time.Second), writing().Cancellable(), keyed()},
			builders{reading()}},
		{contract.CodeTimeout, retry, builders{reading().Timeout(time.Second), native(), managed()}, nil},
		{contract.CodeUnavailable, retry, builders{reading(), writing()}, nil},
		{contract.CodeRetryBudgetExhausted, fatal, builders{writing(), managed(), supported()}, nil},
		{contract.CodeRetryBudgetExhausted, retry, builders{reading(), reading().RetryBudget(1, time.Second)}, nil},
		{contract.CodeInternalError, fatal, builders{reading(), writing()}, nil},
		{contract.CodePolicyViolation, fatal, nil, builders{reading(), writing(), managed(), required()}},
		{contract.CodeToolRetry, retry, nil, builders{reading(), writing()}},
		{contract.CodeToolFatal, fatal, nil, builders{reading(), writing()}},
	} {
		t.Run(c.code+" is "+c.class.String(), func(t *testing.T) {
			t.Parallel()
			for i, b := range c.has {
				m, ok := modeOf(build(t, b).Document(), c.code)
				require.True(t, ok, "contract %d can answer %s", i, c.code)
				assert.Equal(t, c.class, m.Class, "contract %d", i)
				assert.Equal(t, contract.ByGuard, m.By, "contract %d", i)
				assert.NotEmpty(t, m.Description)
			}
			for i, b := range c.not {
				_, ok := modeOf(build(t, b).Document(), c.code)
				assert.False(t, ok, "contract %d cannot answer %s", i, c.code)
			}
			_, err := withClass(c.code, c.class).Failures(declared(c.code, c.class)).Build()
			assert.NoError(t, err, "a tool may declare it with its own class")
			_, err = withClass(c.code, c.class).Failures(declared(c.code, opposite(c.class))).Build()
			require.Error(t, err)
			assert.Equal(t, "failure.reserved", contract.DeclarationErrors(err)[0].Rule)
		})
	}
}

// withClass returns a contract in which the code has the given class.
func withClass(code string, class contract.Class) *noteBuilder {
	switch {
	case class == contract.ClassRetryable && code == contract.CodeTimeout:
		return writing().Idempotency(contract.Idempotency{Mode: idempotency.Native})
	case class == contract.ClassRetryable && (code == contract.CodeRetryBudgetExhausted || code == contract.CodeResultTooLarge):
		return reading()
	default:
		return writing()
	}
}

func declared(code string, class contract.Class) *contract.Failure {
	if class == contract.ClassRetryable {
		return contract.Retryable(code, "Declared by the tool.")
	}
	return contract.Fatal(code, "Declared by the tool.")
}

func opposite(class contract.Class) contract.Class {
	if class == contract.ClassRetryable {
		return contract.ClassFatal
	}
	return contract.ClassRetryable
}

func TestFailureModes_AreTheAuthorsInOrderThenTheGuards(t *testing.T) {
	t.Parallel()
	freeText := contract.Retryable(contract.CodeToolRetry, "Free text.")
	b := writing().Failures(errTorn, freeText).Failures(contract.Fatal(contract.CodeUnauthenticated,
		"The other service does not know the caller."), errLocked)
	d := build(t, b).Document()
	assert.Equal(t, []string{
		"note_torn", "tool_retry", "unauthenticated", "note_locked",
		"invalid_input", "permission_denied", "rate_limit_exceeded", "output_invalid", "result_too_large",
		"timeout", "unavailable",
		"retry_budget_exhausted", "internal_error",
	}, codesOf(d))
	for i, m := range d.FailureModes {
		assert.Equal(t, i < 4, m.By == contract.ByTool, m.Code)
	}
	m, _ := modeOf(d, contract.CodeUnauthenticated)
	assert.Equal(t, "The other service does not know the caller.", m.Description)
}

// A failure of the guard after which a write may have had its effect declares
// that, and no failure of a read does.
func TestFailureModes_OfTheGuardDeclareWhetherAnEffectIsPossible(t *testing.T) {
	t.Parallel()
	possible := func(b *noteBuilder) (codes []string) {
		for _, m := range build(t, b).Document().FailureModes {
			if m.EffectPossible {
				codes = append(codes, m.Code)
			}
		}
		return codes
	}
	assert.Equal(t, []string{"output_invalid", "result_too_large", "timeout", "internal_error"}, possible(writing().ConfirmAlways()))
	assert.Empty(t, possible(reading().Timeout(time.Second)))
}

func TestFailureModes_AreTheSameEveryTime(t *testing.T) {
	t.Parallel()
	want, err := json.Marshal(build(t, writing().Failures(errTorn, errLocked)).Document().FailureModes)
	require.NoError(t, err)
	for range 20 {
		got, err := json.Marshal(build(t, writing().Failures(errTorn, errLocked)).Document().FailureModes)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got))
	}
}
