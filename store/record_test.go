package store_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/store"
)

func TestEnums_String(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]fmt.Stringer{
		"in_progress":     store.InProgress,
		"completed":       store.Completed,
		"failed":          store.Failed,
		"unknown":         store.Unknown,
		"state(5)":        store.RecordState(5),
		"state(255)":      store.RecordState(255),
		"claimed":         store.Claimed,
		"running":         store.Running,
		"finished":        store.Finished,
		"abandoned":       store.Abandoned,
		"conflicting":     store.Conflicting,
		"nonce spent":     store.NonceSpent,
		"exhausted":       store.Exhausted,
		"claim status(8)": store.ClaimStatus(8),
		"happened":        store.Happened,
		"did not happen":  store.DidNotHappen,
		"settlement(3)":   store.Settlement(3),
	} {
		assert.Equal(t, want, v.String())
	}
	for _, zero := range []fmt.Stringer{
		store.NoRecord, store.ClaimStatus(0), store.Settlement(0),
	} {
		assert.Equal(t, "undeclared", zero.String())
	}
}

func TestRecordState_IsFinished(t *testing.T) {
	t.Parallel()
	for s := range store.RecordState(6) {
		assert.Equal(t, s == store.Completed || s == store.Failed, s.IsFinished(), s.String())
	}
}
