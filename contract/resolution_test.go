package contract_test

import (
	"encoding/json"
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
		SideEffects: []contract.SideEffect{{Description: "The account is gone."}}, Reversibility: risk.Irreversible,
		Resolves: &contract.Least{Effect: risk.ReadOnly, Risk: risk.Low, Confirmation: contract.ConfirmationNever,
			Permissions: []string{}},
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
	d.Resolves = nil
	assert.Equal(t, d, now, "the contract of one call is decided")
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

// A call is never weaker than the least that the document publishes. Without
// one, as in an older server's document, no call is weaker.
func TestResolved_IsNeverWeakerThanTheLeast(t *testing.T) {
	t.Parallel()
	open := contract.Least{Effect: risk.ReadOnly, Risk: risk.Low, Confirmation: contract.ConfirmationNever, Permissions: []string{}}
	weaker := contract.Resolution(open)
	for name, c := range map[string]struct {
		raise    func(*contract.Least)
		resolved contract.Resolution
		clauses  []string
	}{
		"effect":            {func(l *contract.Least) { l.Effect = risk.LowRiskWrite }, weaker, []string{"effect"}},
		"risk":              {func(l *contract.Least) { l.Risk = risk.Medium }, weaker, []string{"risk"}},
		"the declared risk": {func(l *contract.Least) { l.Risk = 0 }, weaker, []string{"risk"}},
		"confirmation": {func(l *contract.Least) { l.Confirmation = contract.ConfirmationAlways }, weaker,
			[]string{"confirmation"}},
		"the declared confirmation": {func(l *contract.Least) { l.Confirmation = 0 }, weaker,
			[]string{"confirmation"}},
		"permissions": {func(l *contract.Least) { l.Permissions = []string{"accounts:read"} }, weaker,
			[]string{"permissions"}},
		"other permissions": {func(l *contract.Least) { l.Permissions = []string{"accounts:read"} },
			contract.Resolution{Permissions: []string{"accounts:write"}}, []string{"permissions"}},
		"the declared permissions": {func(l *contract.Least) { l.Permissions = nil }, weaker, []string{"permissions"}},
		"nothing may be weaker": {func(l *contract.Least) { *l = contract.Least{} }, weaker,
			[]string{"effect", "risk", "confirmation", "permissions"}},
		"no least at all": {nil, weaker, []string{"effect", "risk", "confirmation", "permissions"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := worstCase(t, func(d *contract.Document) {
				if c.raise == nil {
					d.Resolves = nil
				} else {
					c.raise(d.Resolves)
				}
			})
			_, err := d.Resolved(c.resolved)
			var refused *contract.ResolutionError
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, c.clauses, refused.Clauses)
			_, err = d.Resolved(contract.Resolution{})
			require.NoError(t, err)
		})
	}
	_, err := worstCase(t, nil).Resolved(weaker)
	require.NoError(t, err)
}

// grave returns a destructive tool that always asks.
func grave() *noteBuilder {
	return writing().Effect(risk.Destructive).Permissions("notes:read")
}

func TestResolve_PublishesWhatIsWeakerThanTheContract(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		least contract.Least
		want  *contract.Least
	}{
		"nothing": {contract.Least{}, nil},
		"the declared values": {contract.Least{Effect: risk.Destructive, Risk: risk.Critical,
			Confirmation: contract.ConfirmationAlways, Permissions: []string{"notes:read", "notes:write"}}, nil},
		"some clauses": {contract.Least{Effect: risk.HighRiskWrite, Risk: risk.High, Confirmation: contract.ConfirmationAlways},
			&contract.Least{Effect: risk.HighRiskWrite, Risk: risk.High}},
		"permissions in the order of the contract": {contract.Least{Permissions: []string{"notes:write", "notes:read"}}, nil},
		"one permission": {contract.Least{Permissions: []string{"notes:read"}},
			&contract.Least{Permissions: []string{"notes:read"}}},
		"calls that need different permissions": {contract.Least{Permissions: []string{}}, &contract.Least{Permissions: []string{}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := build(t, grave().Resolve(c.least, asDeclared)).Document()
			assert.Equal(t, c.want, d.Resolves)
			assert.Equal(t, c.want, d.Summary().Resolves)
			data, err := json.Marshal(d)
			require.NoError(t, err)
			var read contract.Document
			require.NoError(t, json.Unmarshal(data, &read))
			assert.Equal(t, c.want, read.Resolves, "an empty list of permissions is not an absent one")
			_, err = contract.ParseDocument(data)
			require.NoError(t, err)
		})
	}
}

func TestEffective_FillsInTheLeast(t *testing.T) {
	t.Parallel()
	d := build(t, grave().Resolve(contract.Least{Effect: risk.HighRiskWrite, Risk: risk.High}, asDeclared)).Document()
	want := &contract.Least{Effect: risk.HighRiskWrite, Risk: risk.High, Confirmation: contract.ConfirmationAlways,
		Permissions: d.Permissions}
	assert.Equal(t, want, d.Effective().Resolves)
	d.Resolves = &contract.Least{Effect: 99, Risk: risk.Forbidden, Confirmation: 99}
	assert.Equal(t, &contract.Least{Effect: risk.Destructive, Risk: risk.Critical, Confirmation: contract.ConfirmationAlways,
		Permissions: d.Permissions}, d.Effective().Resolves, "no value is above the declared one")
	d.Resolves = nil
	assert.Nil(t, d.Effective().Resolves)
}

// Autonomous(false) asserts that no call runs without a person. Forbidden tools
// are exempt, because agents cannot call them.
func TestBuild_AutonomyFollowsTheWeakestCall(t *testing.T) {
	t.Parallel()
	asks := contract.Least{Effect: risk.HighRiskWrite, Risk: risk.High}
	alone := contract.Least{Effect: risk.ReadOnly, Risk: risk.Low, Confirmation: contract.ConfirmationNever}
	assert.False(t, build(t, grave().Autonomous(false).Resolve(asks, asDeclared)).Document().Autonomous)
	assert.False(t, build(t, grave().Resolve(alone, asDeclared)).Document().Autonomous)
	assert.False(t, build(t, grave().Risk(risk.Forbidden).Autonomous(false).Resolve(alone, asDeclared)).Document().Autonomous)
	for name, b := range map[string]*noteBuilder{
		"by the verb": grave().Autonomous(false),
		"by a base":   grave().From(contract.Base{Autonomous: new(false)}),
		"with a confirmation of some calls": grave().Effect(risk.HighRiskWrite).Autonomous(false).
			ConfirmWhen(func(noteInput) bool { return true }),
	} {
		assert.Equal(t, []string{"autonomous.contradiction"}, mistakes(t, b.Resolve(alone, asDeclared)), name)
	}
}
