package adapter_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

func TestCheckAgain_RefusesAWeakerContract(t *testing.T) {
	t.Parallel()
	built := func(base contract.Base) *contract.Tool {
		tool, err := adapter.Wrap(echo, result(adapter.HandlerResult{}, nil), adapter.WrapConfig{}).
			From(base).From(contract.Base{Version: "1.0.0"}).Build()
		require.NoError(t, err)
		return tool
	}
	of := func(effect risk.Effect, level risk.Level, permissions ...string) contract.Base {
		return contract.Base{Effect: effect, Risk: level, Permissions: permissions}
	}
	old := built(of(risk.HighRiskWrite, risk.Critical, "a:b", "c:d"))
	for name, c := range map[string]struct {
		next    contract.Base
		refused bool
	}{
		"the same":          {of(risk.HighRiskWrite, risk.Critical, "a:b", "c:d"), false},
		"stricter":          {of(risk.Destructive, risk.Critical, "c:d", "a:b", "e:f"), false},
		"a lower effect":    {of(risk.LowRiskWrite, risk.Critical, "a:b", "c:d"), true},
		"a lower risk":      {of(risk.HighRiskWrite, risk.High, "a:b", "c:d"), true},
		"fewer permissions": {of(risk.HighRiskWrite, risk.Critical, "a:b"), true},
		"other permissions": {of(risk.HighRiskWrite, risk.Critical, "a:b", "e:f"), true},
		"another category": {contract.Base{
			Effect: risk.HighRiskWrite, Risk: risk.Critical, Permissions: []string{"a:b", "c:d"}, Category: "x",
		}, false},
	} {
		err := adapter.NewWrapper(wrap.Rules{}, adapter.Config{}).CheckAgain(old, built(c.next))
		assert.Equal(t, c.refused, err != nil, name)
		if c.refused {
			assert.Equal(t, []string{"wrap.weaker echo"}, rules(err), name)
		}
	}
}
