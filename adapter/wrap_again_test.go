package adapter_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// What is weaker is the question of compat.Weaker, for each clause that a rule
// can declare.
func TestCheckAgain_RefusesWhatPackageCompatCallsWeaker(t *testing.T) {
	t.Parallel()
	strict := contract.Base{
		Version: "1.0.0", Effect: risk.HighRiskWrite, Risk: risk.Critical, SecurityLevel: 9, Trust: trust.Untrusted,
		Delimit: trust.DelimitAll, Sanitize: trust.SanitizeAlways, Reads: []contract.DataKind{contract.PrivateData}, Sends: true,
		Permissions: []string{"a:b", "c:d"}, DiscoverWith: []string{"a:b"}, Confirmation: contract.ConfirmationAlways,
		StepUp:    contract.StepUp{MaxAge: time.Minute, When: "Always."},
		RateLimit: contract.RateLimit{Calls: 20, Per: time.Minute}, TotalRateLimit: contract.RateLimit{Calls: 50, Per: time.Minute},
		RetryBudget: contract.RetryBudget{Failures: 3, Window: time.Minute}, Timeout: time.Second, MaxConcurrent: 2,
		MaxResultBytes: 1000, MaxArgumentBytes: 1000, AuditEvent: "a.b",
		SideEffects: []contract.SideEffect{{Description: "It is sent.", Reach: contract.External, Undo: contract.Irreversible}},
	}
	built := func(base contract.Base) *contract.Tool {
		tool, err := adapter.Wrap(echo, result(adapter.HandlerResult{}, nil), adapter.WrapConfig{}).From(base).Build()
		require.NoError(t, err)
		return tool
	}
	for clause, edit := range map[string]func(b *contract.Base){
		"effect":        func(b *contract.Base) { b.Effect = risk.LowRiskWrite },
		"risk":          func(b *contract.Base) { b.Risk = risk.High },
		"securityLevel": func(b *contract.Base) { b.SecurityLevel = 3 },
		"contentTrust":  func(b *contract.Base) { b.Trust = trust.Trusted },
		"delimit":       func(b *contract.Base) { b.Delimit = trust.DelimitNever },
		"sanitize":      func(b *contract.Base) { b.Sanitize = trust.SanitizeNever },
		"reads":         func(b *contract.Base) { b.Reads = []contract.DataKind{contract.PublicData} },
		"permissions":   func(b *contract.Base) { b.Permissions = []string{"a:b"} },
		"stepUp":        func(b *contract.Base) { b.StepUp.MaxAge = time.Hour },
		"rateLimit":     func(b *contract.Base) { b.RateLimit.Calls = 21 },
		"totalRateLimit": func(b *contract.Base) {
			b.TotalRateLimit = contract.RateLimit{}
		},
		"retryBudget":      func(b *contract.Base) { b.RetryBudget = contract.RetryBudget{} },
		"timeoutMs":        func(b *contract.Base) { b.Timeout = time.Minute },
		"maxConcurrent":    func(b *contract.Base) { b.MaxConcurrent = 0 },
		"maxResultBytes":   func(b *contract.Base) { b.MaxResultBytes = 0 },
		"maxArgumentBytes": func(b *contract.Base) { b.MaxArgumentBytes = 0 },
		"auditEvent":       func(b *contract.Base) { b.AuditEvent = "" },
		"sideEffects":      func(b *contract.Base) { b.SideEffects[0].Undo = contract.Reversible },
	} {
		weak := strict
		weak.SideEffects = slices.Clone(strict.SideEffects)
		edit(&weak)
		w := adapter.NewWrapper(wrap.Rules{}, adapter.Config{})
		for _, c := range []struct{ old, next *contract.Tool }{
			{built(strict), built(weak)}, {built(weak), built(strict)}, {built(strict), built(strict)},
		} {
			err := w.CheckAgain(c.old, c.next)
			weaker := compat.Weaker(compat.Protections, c.old.Document(), c.next.Document())
			assert.Equal(t, len(weaker) > 0, err != nil, clause)
			if len(weaker) > 0 {
				assert.Equal(t, weaker[0].Clause, contract.DeclarationErrors(err)[0].Where)
			}
		}
		assert.Equal(t, clause, contract.DeclarationErrors(w.CheckAgain(built(strict), built(weak)))[0].Where)
		if clause != "auditEvent" { // alarms know the old name, whichever it is
			assert.NoError(t, w.CheckAgain(built(weak), built(strict)), clause)
		}
	}
}

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
