package answer_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
)

func TestRefusals_HaveTheirCodeAndDelay(t *testing.T) {
	t.Parallel()
	violation := contract.Violation{Rule: "schema.type", Pointer: "/amount"}
	for name, test := range map[string]struct {
		made *answer.Refusal
		want answer.Refusal
	}{
		"a plain one has no delay": {answer.NewRefusal("denied", "no"), answer.Refusal{Code: "denied", Message: "no"}},
		"a later one has its delay": {answer.Later("denied", "no", time.Minute), answer.Refusal{Code: "denied", Message: "no",
			RetryAfter: time.Minute}},
		"a missing resource returns soon": {answer.Unavailable("no store"), answer.Refusal{Code: contract.CodeUnavailable,
			Message: "no store", RetryAfter: answer.Soon}},
		"a closing server is unavailable": {answer.Closing(), answer.Refusal{Code: contract.CodeUnavailable,
			Message: "the server is closing", RetryAfter: answer.Soon}},
		"broken clauses are invalid input": {answer.Violated(violation), answer.Refusal{
			Code: contract.CodeInvalidInput, Violations: []contract.Violation{violation},
		}},
		"no clauses are invalid input too": {answer.Violated(), answer.Refusal{Code: contract.CodeInvalidInput}},
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
	r := answer.Closing()
	assert.NoError(t, r.Cause)
	assert.False(t, r.UnlessRepeated)
	assert.Same(t, r, r.Because(first).Because(last).OrReplay())
	assert.Equal(t, last, r.Cause)
	assert.True(t, r.UnlessRepeated)
	assert.NoError(t, r.Because(nil).Cause)
}
