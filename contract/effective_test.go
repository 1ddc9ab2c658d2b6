package contract_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func ExampleDocument_Effective() {
	var undeclared contract.Document
	d := undeclared.Effective()
	fmt.Println(d.Risk, d.Effect, d.ContentTrust, d.Confirmation)
	// Output: critical destructive prompt-injection-prone always
}

func TestDocumentEffective_FillsInOmittedClauses(t *testing.T) {
	t.Parallel()
	d := contract.Document{Name: "notes.write", Permissions: []string{"notes:write"}}
	want := contract.Document{
		Name: "notes.write", Permissions: []string{"notes:write"}, DiscoverWith: []string{"notes:write"},
		Risk: risk.Critical, Effect: risk.Destructive, ContentTrust: trust.PromptInjectionProne,
		Reads: []contract.DataKind{contract.UntrustedData}, Sends: true, Confirmation: contract.ConfirmationAlways,
		SideEffects:   []contract.SideEffect{{Reach: contract.External, Undo: contract.Irreversible}},
		Reversibility: risk.Irreversible,
		Idempotency:   &contract.Idempotency{Mode: idempotency.None}, DryRun: dryrun.None, AuditEvent: "notes.write",
		MaxResultBytes: 1 << 20, MaxArgumentBytes: 4 << 20,
	}
	assert.Equal(t, want, d.Effective())
	assert.Equal(t, want, d.Effective().Effective())
}

func TestDocumentEffective_LeavesDeclaredClausesAsTheyAre(t *testing.T) {
	t.Parallel()
	d := build(t, writing().AuditEvent("note.kept").Idempotency(contract.Idempotency{Mode: idempotency.Managed})).Document()
	d.SideEffects = []contract.SideEffect{{Description: "It is kept.", Reach: contract.Internal, Undo: contract.Reversible}}
	effective := d.Effective()
	assert.Equal(t, d.Idempotency, effective.Idempotency)
	assert.Equal(t, d.SideEffects, effective.SideEffects)
	assert.Equal(t, d.AuditEvent, effective.AuditEvent)
	effective.SideEffects[0].Reach = contract.External
	effective.Idempotency.Mode = idempotency.Native
	assert.Equal(t, contract.Internal, d.SideEffects[0].Reach, "the copy shares nothing with the original")
	assert.Equal(t, idempotency.Managed, d.Idempotency.Mode, "the copy shares nothing with the original")
}

func TestDocumentEffective_ConfirmationFollowsFromRiskAndSecurityLevel(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		document contract.Document
		want     contract.Confirmation
	}{
		"low":                 {contract.Document{Effect: risk.ReadOnly}, contract.ConfirmationNever},
		"high":                {contract.Document{Effect: risk.HighRiskWrite}, contract.ConfirmationAlways},
		"restricted read":     {contract.Document{Effect: risk.ReadOnly, Risk: risk.Restricted}, contract.ConfirmationNever},
		"verification needed": {contract.Document{Effect: risk.ReadOnly, SecurityLevel: 8}, contract.ConfirmationAlways},
		"verification by step-up": {contract.Document{Effect: risk.ReadOnly, SecurityLevel: 8,
			StepUp: &contract.StepUp{MaxAge: time.Minute}}, contract.ConfirmationNever},
	} {
		assert.Equal(t, c.want, c.document.Effective().Confirmation, name)
	}
}

func TestDocumentEffective_UnknownOutcomeIsRefusedAtEveryRisk(t *testing.T) {
	t.Parallel()
	managed := &contract.Idempotency{Mode: idempotency.Managed}
	low := contract.Document{Effect: risk.LowRiskWrite, Idempotency: managed}.Effective()
	high := contract.Document{Effect: risk.HighRiskWrite, Idempotency: managed}.Effective()
	assert.Equal(t, idempotency.Refuse, low.Idempotency.OnUnknown)
	assert.Equal(t, idempotency.Refuse, high.Idempotency.OnUnknown)
	assert.Equal(t, 24*time.Hour, low.Idempotency.Retention)
	keyed := contract.Document{Idempotency: &contract.Idempotency{Mode: idempotency.Keyed}}.Effective()
	assert.Equal(t, &contract.Idempotency{Mode: idempotency.Keyed, ClientKey: true, Retention: 24 * time.Hour,
		OnUnknown: idempotency.Refuse}, keyed.Idempotency)
}

func TestRateLimitAdmits_NeedsAsManyCallsAsFast(t *testing.T) {
	t.Parallel()
	limit := contract.RateLimit{Calls: 10, Per: time.Minute}
	assert.True(t, limit.Admits(limit))
	assert.True(t, contract.RateLimit{Calls: 20, Per: 2 * time.Minute}.Admits(limit))
	assert.False(t, contract.RateLimit{Calls: 9, Per: time.Second}.Admits(limit), "a smaller burst")
	assert.False(t, contract.RateLimit{Calls: 19, Per: 2 * time.Minute}.Admits(limit), "a slower refill")
	assert.False(t, contract.RateLimit{Calls: 20}.Admits(limit), "a period of zero")
}
