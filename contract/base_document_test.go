package contract_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func TestBaseDocument_HasOnlyWhatTheBaseDeclares(t *testing.T) {
	t.Parallel()
	full := contract.Retryable("full", "The box is full.")
	for name, test := range map[string]struct {
		base contract.Base
		want contract.Document
	}{
		"nothing": {contract.Base{}, contract.Document{Format: 1, Name: "send"}},
		"an effect, and the risk that follows": {
			contract.Base{Effect: risk.ExternalPublication},
			contract.Document{Format: 1, Name: "send", Effect: risk.ExternalPublication, Risk: risk.Critical},
		},
		"a trust and a version": {
			contract.Base{Trust: trust.Untrusted, Version: "1.0.0"},
			contract.Document{Format: 1, Name: "send", ContentTrust: trust.Untrusted, Version: "1.0.0"},
		},
		"a failure, without the guard's": {
			contract.Base{Failures: []*contract.Failure{full}},
			contract.Document{Format: 1, Name: "send", FailureModes: []contract.FailureMode{{Code: "full", Class: contract.ClassRetryable,
				Description: "The box is full.", By: contract.ByTool}}},
		},
		"a declared confirmation": {
			contract.Base{
				Effect:       risk.LowRiskWrite,
				Confirmation: contract.ConfirmationAlways,
				Autonomous:   new(false),
				AuditEvent:   "sent",
			},
			contract.Document{Format: 1, Name: "send", Effect: risk.LowRiskWrite, Risk: risk.Medium,
				Confirmation: contract.ConfirmationAlways, AuditEvent: "sent"},
		},
		"an assertion about an undeclared risk": {contract.Base{Autonomous: new(false)}, contract.Document{Format: 1, Name: "send"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := test.base.Document("send")
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
}

func TestBaseDocument_RefusesContradictingClauses(t *testing.T) {
	t.Parallel()
	for rule, base := range map[string]contract.Base{
		"risk.floor": {Effect: risk.Destructive, Risk: risk.Low},
		"sideEffects.readOnly": {
			Effect:      risk.ReadOnly,
			SideEffects: []contract.SideEffect{{Description: "x"}},
		},
		"version.form":        {Version: "one"},
		"description.missing": {Description: " "},
		"permissions.missing": {NoPermissions: " "},
		"confirmation.critical": {
			Effect:             risk.Destructive,
			Confirmation:       contract.ConfirmationNever,
			ConfirmationReason: "trust me",
		},
		"autonomous.contradiction": {Effect: risk.Destructive, Autonomous: new(true)},
		"schema.typeSchema":        {TypeSchemas: []contract.TypeSchema{{}}},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			_, err := base.Document("send")
			mistakes := contract.DeclarationErrors(err)
			require.Len(t, mistakes, 1)
			assert.Equal(t, rule, mistakes[0].Rule)
			assert.Equal(t, "send", mistakes[0].Tool)
		})
	}
	_, err := contract.Base{}.Document("")
	assert.NotEmpty(t, contract.DeclarationErrors(err))
}

func TestReport_AddsMistakesOfAdapters(t *testing.T) {
	t.Parallel()
	b := reading().Version("")
	bound.Report(b, bound.Mistake{Rule: "serve.task", Where: "execution", Message: "m", Remedy: "r"})
	_, err := b.Build()
	mistakes := contract.DeclarationErrors(err)
	require.Len(t, mistakes, 2)
	assert.Equal(t, &contract.DeclarationError{Rule: "serve.task", Tool: "notes.read", Where: "execution", Message: "m",
		Remedy: "r"}, mistakes[0])
	assert.Equal(t, "version.missing", mistakes[1].Rule)
}
