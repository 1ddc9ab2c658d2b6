package contract_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
)

func TestRisk_FollowsFromTheEffect(t *testing.T) {
	t.Parallel()
	for effect, want := range map[risk.Effect]risk.Level{
		risk.ReadOnly:            risk.Low,
		risk.LowRiskWrite:        risk.Medium,
		risk.HighRiskWrite:       risk.High,
		risk.ExternalPublication: risk.Critical,
		risk.PaidOperation:       risk.Critical,
		risk.Destructive:         risk.Critical,
	} {
		assert.Equal(t, want, build(t, writing().Effect(effect)).Document().Risk, effect.String())
	}
	d := build(t, complete(contract.New("notes.drop", note)).Risk(risk.Critical).Permissions("a")).Document()
	assert.Equal(t, risk.Destructive, d.Effect, "a critical level alone")
	d = build(t, writing().Risk(risk.Low)).Document()
	assert.Equal(t, risk.Low, d.Risk, "a low-risk write may be low")
}

// exposed returns a result, so that its contract may be restricted.
type exposed struct {
	ID   string `json:"id" contract:"expose"`
	Text string `json:"text"`
}

func restricted(effect risk.Effect) *contract.Builder[noteInput, exposed] {
	return complete(contract.New("notes.use",
		handler[noteInput, exposed])).Risk(risk.Restricted).Effect(effect).Permissions("notes:use")
}

func TestConfirmation_FollowsFromTheLevel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		builder    buildable
		want       contract.Confirmation
		autonomous bool
	}{
		{"low runs alone", reading(), contract.ConfirmationNever, true},
		{"medium runs alone", writing(), contract.ConfirmationNever, true},
		{"high asks", writing().Effect(risk.HighRiskWrite), contract.ConfirmationAlways, false},
		{"critical asks", writing().Effect(risk.Destructive), contract.ConfirmationAlways, false},
		{"a read raised to critical asks", writing().Effect(risk.ReadOnly).Risk(risk.Critical), contract.ConfirmationAlways, false},
		{"forbidden asks", writing().Risk(risk.Forbidden), contract.ConfirmationAlways, false},
		{"a restricted read runs alone", restricted(risk.ReadOnly), contract.ConfirmationNever, true},
		{"a restricted low-risk write runs alone", restricted(risk.LowRiskWrite), contract.ConfirmationNever, true},
		{"a restricted high-risk write asks", restricted(risk.HighRiskWrite), contract.ConfirmationAlways, false},
		{"a restricted destruction asks", restricted(risk.Destructive), contract.ConfirmationAlways, false},
		{"a restricted high-risk write may declare never", restricted(risk.HighRiskWrite).ConfirmNever("It is undone."),
			contract.ConfirmationNever, true},
		{"security level 7 asks no more", writing().SecurityLevel(7), contract.ConfirmationNever, true},
		{"security level 8 asks", writing().SecurityLevel(8), contract.ConfirmationAlways, false},
		{"security level 10 asks of a read", reading().SecurityLevel(10).Permissions("a"), contract.ConfirmationAlways, false},
		{"security level 8 with a step-up runs alone", writing().SecurityLevel(8).StepUp(contract.StepUp{ACR: "mfa"}),
			contract.ConfirmationNever, true},
		{"critical with a step-up asks all the same", writing().Effect(risk.Destructive).StepUp(contract.StepUp{ACR: "mfa"}),
			contract.ConfirmationAlways, false},
		{"high may declare never", writing().Effect(risk.HighRiskWrite).ConfirmNever("It is undone."), contract.ConfirmationNever,
			true},
		{"high may declare when", writing().Effect(risk.HighRiskWrite).ConfirmWhen(never), contract.ConfirmationWhen, false},
		{"medium may declare always", writing().ConfirmAlways(), contract.ConfirmationAlways, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := build(t, c.builder).Document()
			assert.Equal(t, c.want, d.Confirmation)
			assert.Equal(t, c.autonomous, d.Autonomous)
		})
	}
	assert.Equal(t, []string{"confirmation.critical"}, mistakes(t, restricted(risk.Destructive).ConfirmNever("No need.")))
}

func TestIdempotency_IsCompleted(t *testing.T) {
	t.Parallel()
	managed := contract.Idempotency{Mode: idempotency.Managed}
	guess := contract.Idempotency{
		Mode: idempotency.Managed, Retention: 24 * time.Hour, ArgumentsRetention: 15 * time.Minute, OnUnknown: idempotency.Refuse,
	}
	for _, c := range []struct {
		name    string
		builder buildable
		want    *contract.Idempotency
	}{
		{"unsaid is none", writing(), nil},
		{"none is none", writing().Idempotency(contract.Idempotency{Mode: idempotency.None}), nil},
		{"native has nothing more", writing().Idempotency(contract.Idempotency{Mode: idempotency.Native}),
			&contract.Idempotency{Mode: idempotency.Native}},
		{"managed lasts a day, or 15 minutes for a guess, and refuses", writing().Idempotency(managed), &guess},
		{"managed refuses from high up too", writing().Effect(risk.HighRiskWrite).Idempotency(managed), &guess},
		{"a tagged field is the key", keyed().Idempotency(managed), &contract.Idempotency{Mode: idempotency.Managed,
			KeyFields: []string{"key"}, Retention: 24 * time.Hour, OnUnknown: idempotency.Refuse}},
		{"keyed takes a client key, lasts a day and refuses", writing().Idempotency(contract.Idempotency{Mode: idempotency.Keyed}),
			&contract.Idempotency{Mode: idempotency.Keyed, ClientKey: true, Retention: 24 * time.Hour, OnUnknown: idempotency.Refuse}},
		{"a declared idempotency stays",
			writing().Effect(risk.HighRiskWrite).Idempotency(contract.Idempotency{Mode: idempotency.Managed, ClientKey: true,
				Retention: time.Second, OnUnknown: idempotency.Rerun}), &contract.Idempotency{Mode: idempotency.Managed, ClientKey: true,
				Retention: time.Second, ArgumentsRetention: time.Second, OnUnknown: idempotency.Rerun}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, build(t, c.builder).Document().Idempotency)
		})
	}
}

func TestAuditEvent_DefaultsToTheName(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "notes.read", build(t, reading()).Document().AuditEvent)
	assert.Equal(t, "note.was.read", build(t, reading().AuditEvent("note.was.read")).Document().AuditEvent)
}
