package contract_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/enum"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func TestHints_FollowFromTheContract(t *testing.T) {
	t.Parallel()
	kept := contract.SideEffect{Description: "A note is kept.", Reach: contract.Internal, Undo: contract.Reversible}
	burnt := contract.SideEffect{Description: "A note is burnt.", Reach: contract.Internal, Undo: contract.Irreversible}
	sent := contract.SideEffect{Description: "A note is sent.", Reach: contract.External, Undo: contract.Reversible}
	vague := contract.SideEffect{Description: "Something happens."}
	native, managed := contract.Idempotency{Mode: idempotency.Native}, contract.Idempotency{Mode: idempotency.Managed}
	hints := func(readOnly, destructive, idempotent, openWorld bool) contract.Hints {
		return contract.Hints{ReadOnly: readOnly, Destructive: destructive, Idempotent: idempotent, OpenWorld: openWorld}
	}
	for _, c := range []struct {
		name    string
		builder *noteBuilder
		want    contract.Hints
	}{
		{"a read is read-only and idempotent", reading(), hints(true, false, true, false)},
		{"a read of sensitive content is in a closed world", reading().Trust(trust.Sensitive), hints(true, false, true, false)},
		{"a read of untrusted content is in an open world", reading().Trust(trust.Untrusted), hints(true, false, true, true)},
		{"a read of content that injects is in an open world", reading().Trust(trust.PromptInjectionProne), hints(true, false, true,
			true)},
		{"a read of undeclared content is in an open world", contract.New("notes.read",
			note).Description("Reads.").Version("1.0.0").Effect(risk.ReadOnly), hints(true, false, true, true)},
		{"a write that declares no side effect gets the worst hints", writing(), hints(false, true, false, true)},
		{"a write whose side effect is vague gets the worst hints", writing().SideEffects(vague), hints(false, true, false, true)},
		{"a write that stays inside and can be undone is harmless", writing().SideEffects(kept), hints(false, false, false, false)},
		{"an irreversible side effect is destructive", writing().SideEffects(kept, burnt), hints(false, true, false, false)},
		{"an external side effect opens the world", writing().SideEffects(kept, sent), hints(false, false, false, true)},
		{"a write of untrusted content opens the world", writing().SideEffects(kept).Trust(trust.Untrusted), hints(false, false, false,
			true)},
		{"a read that sends data opens the world", reading().Sends(), hints(true, false, true, true)},
		{"a read of sensitive and untrusted data opens the world", reading().Trust(trust.Sensitive).Reads(contract.UntrustedData),
			hints(true, false, true, true)},
		{"a read of private data is in a closed world", reading().Reads(contract.PrivateData), hints(true, false, true, false)},
		{"native idempotency is idempotent", writing().SideEffects(kept).Idempotency(native), hints(false, false, true, false)},
		{"managed idempotency is idempotent", writing().SideEffects(kept).Idempotency(managed), hints(false, false, true, false)},
		{"keyed idempotency is not, because a call without a key acts again",
			writing().SideEffects(kept).Idempotency(contract.Idempotency{Mode: idempotency.Keyed}), hints(false, false, false, false)},
		{"a high-risk write is no more than its side effects", writing().Effect(risk.HighRiskWrite).SideEffects(kept),
			hints(false, false, false, false)},
		{"a publication opens the world", writing().Effect(risk.ExternalPublication).SideEffects(kept), hints(false, false, false,
			true)},
		{"a payment opens the world", writing().Effect(risk.PaidOperation).SideEffects(kept), hints(false, false, false, true)},
		{"a destruction is destructive", writing().Effect(risk.Destructive).SideEffects(kept), hints(false, true, false, false)},
		{"a critical risk alone is a destruction",
			complete(contract.New("notes.drop", note)).Risk(risk.Critical).Permissions("a").SideEffects(kept), hints(false, true, false,
				false)},
		{"a raised risk changes no hint", writing().Risk(risk.Critical).SideEffects(kept), hints(false, false, false, false)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, build(t, c.builder).Document().Hints())
		})
	}
}

func TestHints_OfASparseDocumentAreTheWorst(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]contract.Document{
		"nothing":               {},
		"a mode of none":        {Idempotency: &contract.Idempotency{Mode: idempotency.None}},
		"an undeclared mode":    {Idempotency: &contract.Idempotency{}},
		"a low risk":            {Risk: risk.Low},
		"trusted content alone": {ContentTrust: trust.Trusted},
	} {
		assert.Equal(t, contract.Hints{Destructive: true, OpenWorld: true}, d.Hints(), name)
	}
}

func TestHints_CannotContradictTheContract(t *testing.T) {
	t.Parallel()
	for _, effect := range enum.All[risk.Effect]() {
		for _, content := range append(enum.All[trust.Level](), trust.Undeclared) {
			d := contract.Document{Effect: effect, ContentTrust: content}
			h, name := d.Hints(), fmt.Sprintf("%v returning %v content", effect, content)
			assert.Equal(t, effect == risk.ReadOnly, h.ReadOnly, name)
			assert.False(t, h.ReadOnly && h.Destructive, name)
			assert.False(t, h.ReadOnly && !h.Idempotent, name)
			assert.True(t, h.OpenWorld || !content.MayInject(), name)
			assert.True(t, h.Destructive || effect != risk.Destructive, name)
		}
	}
}
