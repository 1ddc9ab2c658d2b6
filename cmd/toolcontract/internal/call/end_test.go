package call

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
)

func TestAdvice_FitsTheFailure(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		failure agent.Failure
		tool    agent.Tool
		want    string
	}{
		"a person who has to sign in": {
			agent.Failure{Code: contract.CodeStepUpRequired}, agent.Tool{}, "authenticate again, then repeat the call; it had no effect",
		},
		"an unknown outcome": {
			agent.Failure{Code: contract.CodeOutcomeUnknown, EffectPossible: true}, agent.Tool{},
			"check whether the call had its effect; a repetition may act again",
		},
		"an unknown outcome of a managed tool": {
			agent.Failure{EffectPossible: true},
			agent.Tool{Origin: agent.OriginContract, Contract: contract.Document{
				Idempotency: &contract.Idempotency{Mode: idempotency.Managed},
			}},
			"check whether the call had its effect; a repetition has no second effect",
		},
		"an unknown outcome with a key that may not count": {
			agent.Failure{Code: contract.CodeOutcomeUnknown, EffectPossible: true, Key: "k1"}, agent.Tool{Origin: agent.OriginContract},
			"check whether the call had its effect before you repeat it; with -key k1 a tool that takes keys recognizes the repetition",
		},
		"another failure": {
			agent.Failure{Code: contract.CodePermissionDenied}, agent.Tool{}, "do not repeat the call; it had no effect",
		},
	} {
		assert.Equal(t, test.want, endOf(nil, &agent.FatalError{Failure: test.failure}, test.tool).Advice, name)
	}
}
