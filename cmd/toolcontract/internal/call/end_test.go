package call

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/contract"
)

func TestAdvice_FitsTheFailure(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		failure agent.Failure
		want    string
	}{
		"a person who has to sign in": {
			agent.Failure{Code: contract.CodeStepUpRequired}, "authenticate again, then repeat the call; it had no effect",
		},
		"an unknown outcome": {
			agent.Failure{Code: contract.CodeOutcomeUnknown, EffectPossible: true},
			"check whether the call had its effect; a repetition may have it again",
		},
		"an unknown outcome with a key that may not count": {
			agent.Failure{Code: contract.CodeOutcomeUnknown, EffectPossible: true, Key: "k1"},
			"check whether the call had its effect before you repeat it; with -key k1 a tool that takes keys recognizes the repetition",
		},
		"another failure": {
			agent.Failure{Code: contract.CodePermissionDenied}, "do not repeat the call; it had no effect",
		},
	} {
		assert.Equal(t, test.want, endOf(nil, &agent.FatalError{Failure: test.failure}, true).Advice, name)
	}
}
