package refusal_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/refusal"
)

func TestRefusals_HaveTheirCodeAndDelay(t *testing.T) {
	t.Parallel()
	violation := contract.Violation{Rule: "schema.type", Pointer: "/amount"}
	for name, test := range map[string]struct {
		made *refusal.Refusal
		want refusal.Refusal
	}{
		"a plain one has no delay": {refusal.New("denied", "no"), refusal.Refusal{Code: "denied", Message: "no"}},
		"a later one has its delay": {refusal.Later("denied", "no", time.Minute), refusal.Refusal{Code: "denied", Message: "no",
			RetryAfter: time.Minute}},
		"a missing resource returns soon": {refusal.Unavailable("no store"), refusal.Refusal{Code: contract.CodeUnavailable,
			Message: "no store", RetryAfter: refusal.Soon}},
		"a closing server is unavailable": {refusal.Closing(), refusal.Refusal{Code: contract.CodeUnavailable,
			Message: "the server is closing", RetryAfter: refusal.Soon}},
		"broken clauses are invalid input": {refusal.Violated(violation), refusal.Refusal{
			Code: contract.CodeInvalidInput, Violations: []contract.Violation{violation},
		}},
		"no clauses are invalid input too": {refusal.Violated(), refusal.Refusal{Code: contract.CodeInvalidInput}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, *test.made)
		})
	}
}

func TestRefusal_KeepsTheLastCauseAndMayBeReplayed(t *testing.T) {
	t.Parallel()
	first, last := errors.New("first"), errors.New("last")
	r := refusal.Closing()
	assert.NoError(t, r.Cause)
	assert.False(t, r.UnlessFinished)
	assert.Same(t, r, r.Because(first).Because(last).OrReplay())
	assert.Equal(t, last, r.Cause)
	assert.True(t, r.UnlessFinished)
	assert.NoError(t, r.Because(nil).Cause)
}
