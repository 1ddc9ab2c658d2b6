package idempotency_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/idempotency"
)

func TestStatesVerdictsAndResolutionsAsText(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]fmt.Stringer{
		"in_progress":    idempotency.InProgress,
		"completed":      idempotency.Completed,
		"failed":         idempotency.Failed,
		"unknown":        idempotency.Unknown,
		"state(5)":       idempotency.State(5),
		"state(255)":     idempotency.State(255),
		"claimed":        idempotency.Claimed,
		"running":        idempotency.Running,
		"finished":       idempotency.Finished,
		"abandoned":      idempotency.Abandoned,
		"conflicting":    idempotency.Conflicting,
		"nonce spent":    idempotency.NonceSpent,
		"exhausted":      idempotency.Exhausted,
		"verdict(8)":     idempotency.Verdict(8),
		"happened":       idempotency.Happened,
		"did not happen": idempotency.DidNotHappen,
		"resolution(3)":  idempotency.Resolution(3),
	} {
		assert.Equal(t, want, v.String())
	}
	for _, zero := range []fmt.Stringer{
		idempotency.UndeclaredState, idempotency.UndeclaredVerdict, idempotency.UndeclaredResolution,
	} {
		assert.Equal(t, "undeclared", zero.String())
	}
}

func TestStateAndResolutionPredicates(t *testing.T) {
	t.Parallel()
	for s := range idempotency.State(6) {
		assert.Equal(t, s == idempotency.UndeclaredState, s.IsZero(), s.String())
		assert.Equal(t, s == idempotency.Completed || s == idempotency.Failed, s.IsFinished(), s.String())
	}
	for r := range idempotency.Resolution(4) {
		assert.Equal(t, r == idempotency.Happened || r == idempotency.DidNotHappen, r.IsValid(), r.String())
	}
}
