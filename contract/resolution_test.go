package contract_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

// worstCase returns the contract of a tool that has many operations.
func worstCase(t *testing.T, change func(*contract.Document)) contract.Document {
	t.Helper()
	d := contract.Document{
		Name: "accounts.change", Risk: risk.Critical, Effect: risk.Destructive, Confirmation: contract.ConfirmationAlways,
		Permissions: []string{"accounts:read", "accounts:write", "accounts:admin"},
		SideEffects: []contract.SideEffect{{Description: "The account is gone."}},
	}
	if change != nil {
		change(&d)
	}
	return d
}

func TestResolved_IsAsDeclaredByDefault(t *testing.T) {
	t.Parallel()
	d := worstCase(t, nil)
	now, err := d.Resolved(contract.Resolution{})
	require.NoError(t, err)
	assert.Equal(t, d, now)
}

func TestResolved_MayBeWeaker(t *testing.T) {
	t.Parallel()
	now, err := worstCase(t, nil).Resolved(contract.Resolution{
		Effect: risk.ReadOnly, Risk: risk.Low, Confirmation: contract.ConfirmationNever, Permissions: []string{"accounts:write",
			"accounts:read"},
	})
	require.NoError(t, err)
	assert.Equal(t, risk.ReadOnly, now.Effect)
	assert.Equal(t, risk.Low, now.Risk)
	assert.Equal(t, contract.ConfirmationNever, now.Confirmation)
	assert.Equal(t, []string{"accounts:read", "accounts:write"}, now.Permissions, "in the order of the contract")
	assert.True(t, now.Autonomous)
	assert.Empty(t, now.SideEffects, "a call that changes nothing has no side effects")

	now, err = worstCase(t, nil).Resolved(contract.Resolution{Effect: risk.HighRiskWrite, Risk: risk.High})
	require.NoError(t, err)
	assert.Equal(t, contract.ConfirmationAlways, now.Confirmation, "a lower risk leaves the confirmation as it is")
	assert.False(t, now.Autonomous)
	assert.NotEmpty(t, now.SideEffects)

	now, err = worstCase(t, nil).Resolved(contract.Resolution{Effect: risk.ReadOnly})
	require.NoError(t, err)
	assert.Equal(t, risk.Critical, now.Risk, "a lower effect leaves the risk as it is")

	none, err := worstCase(t, nil).Resolved(contract.Resolution{Effect: risk.ReadOnly, Risk: risk.Low, Permissions: []string{}})
	require.NoError(t, err)
	assert.Empty(t, none.Permissions, "none are needed at low")
}

func TestResolved_IsNeverStricter(t *testing.T) {
	t.Parallel()
	mild := contract.Resolution{Effect: risk.LowRiskWrite, Risk: risk.Medium}
	for _, c := range []struct {
		name     string
		change   func(*contract.Document)
		resolved contract.Resolution
		clauses  []string
	}{
		{"a graver effect", func(d *contract.Document) { d.Effect = risk.HighRiskWrite },
			contract.Resolution{Effect: risk.PaidOperation}, []string{"effect"}},
		{"an effect that is none", nil, contract.Resolution{Effect: 99}, []string{"effect"}},
		{"a higher risk", nil, contract.Resolution{Risk: risk.Restricted}, []string{"risk"}},
		{"a risk that is none", nil, contract.Resolution{Risk: 99}, []string{"risk"}},
		{"a risk below the effect", nil, contract.Resolution{Risk: risk.High}, []string{"risk"}},
		{"a risk below the lower effect", nil, contract.Resolution{Effect: risk.HighRiskWrite, Risk: risk.Medium}, []string{"risk"}},
		{"a confirmation although none is declared", func(d *contract.Document) { d.Confirmation = contract.ConfirmationNever },
			contract.Resolution{Confirmation: contract.ConfirmationAlways}, []string{"confirmation"}},
		{"a confirmation that is none", nil, contract.Resolution{Confirmation: 99}, []string{"confirmation"}},
		{"a confirmation with a condition", nil, contract.Resolution{Effect: mild.Effect, Risk: mild.Risk,
			Confirmation: contract.ConfirmationWhen}, []string{"confirmation"}},
		{"a confirmation by another server", nil, contract.Resolution{Effect: mild.Effect, Risk: mild.Risk,
			Confirmation: contract.ConfirmationUpstream}, []string{"confirmation"}},
		{"no confirmation at critical", nil, contract.Resolution{Confirmation: contract.ConfirmationNever}, []string{"confirmation"}},
		{"no confirmation at high", nil, contract.Resolution{Effect: risk.HighRiskWrite, Risk: risk.High,
			Confirmation: contract.ConfirmationNever}, []string{"confirmation"}},
		{
			"no confirmation although the security level demands it", func(d *contract.Document) { d.SecurityLevel = 8 },
			contract.Resolution{Effect: mild.Effect, Risk: mild.Risk, Confirmation: contract.ConfirmationNever},
			[]string{"confirmation"},
		},
		{"a permission of its own", nil, contract.Resolution{Permissions: []string{"accounts:read", "accounts:root"}},
			[]string{"permissions"}},
		{"no permissions above low", nil, contract.Resolution{Effect: mild.Effect, Risk: mild.Risk, Permissions: []string{}},
			[]string{"permissions"}},
		{
			"no permissions where the security level has them checked", func(d *contract.Document) { d.SecurityLevel = 4 },
			contract.Resolution{Effect: risk.ReadOnly, Risk: risk.Low, Permissions: []string{}},
			[]string{"permissions"},
		},
		{
			"everything at once", func(d *contract.Document) {
				d.Effect, d.Risk, d.Confirmation = risk.LowRiskWrite, risk.Medium, contract.ConfirmationNever
			},
			contract.Resolution{Effect: risk.Destructive, Risk: risk.Critical, Confirmation: contract.ConfirmationAlways,
				Permissions: []string{"x"}},
			[]string{"effect", "risk", "confirmation", "permissions", "permissions"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			now, err := worstCase(t, c.change).Resolved(c.resolved)
			var refused *contract.ResolutionError
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, c.clauses, refused.Clauses)
			assert.Len(t, refused.Messages, len(c.clauses))
			assert.Equal(t, contract.Document{}, now, "nothing is left to go on with")
		})
	}
}

func TestResolved_ConfirmationWhenMayBecomeNever(t *testing.T) {
	t.Parallel()
	d := worstCase(t, func(d *contract.Document) {
		d.Risk, d.Effect, d.Confirmation = risk.High, risk.HighRiskWrite, contract.ConfirmationWhen
	})
	now, err := d.Resolved(contract.Resolution{Confirmation: contract.ConfirmationNever})
	require.NoError(t, err)
	assert.Equal(t, contract.ConfirmationNever, now.Confirmation)
	d.SecurityLevel, d.StepUp = 8, &contract.StepUp{ACR: "mfa"}
	_, err = d.Resolved(contract.Resolution{Confirmation: contract.ConfirmationNever})
	require.NoError(t, err, "the step-up is what the security level demands")
}
