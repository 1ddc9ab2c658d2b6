package contract_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func TestDocumentEffective_DerivesWhatAToolReads(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		document contract.Document
		want     []contract.DataKind
	}{
		"undeclared trust":  {contract.Document{}, []contract.DataKind{contract.UntrustedData}},
		"untrusted content": {contract.Document{ContentTrust: trust.Untrusted}, []contract.DataKind{contract.UntrustedData}},
		"content that injects": {contract.Document{ContentTrust: trust.PromptInjectionProne},
			[]contract.DataKind{contract.UntrustedData}},
		"trusted content":   {contract.Document{ContentTrust: trust.Trusted}, nil},
		"sensitive content": {contract.Document{ContentTrust: trust.Sensitive}, []contract.DataKind{contract.PrivateData}},
		"private untrusted": {contract.Document{ContentTrust: trust.Untrusted, Reads: []contract.DataKind{contract.PrivateData}},
			[]contract.DataKind{contract.PrivateData, contract.UntrustedData}},
		"public untrusted": {contract.Document{ContentTrust: trust.Untrusted, Reads: []contract.DataKind{contract.PublicData}},
			[]contract.DataKind{contract.PublicData, contract.UntrustedData}},
		"public and sensitive": {contract.Document{ContentTrust: trust.Sensitive, Reads: []contract.DataKind{contract.PublicData}},
			[]contract.DataKind{contract.PrivateData}},
		"a kind of a later format": {contract.Document{ContentTrust: trust.Trusted, Reads: []contract.DataKind{42}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.ElementsMatch(t, c.want, c.document.Effective().Reads)
		})
	}
}

func TestDocumentEffective_DerivesWhetherAToolSends(t *testing.T) {
	t.Parallel()
	inside := []contract.SideEffect{{Description: "It is kept.", Reach: contract.Internal, Undo: contract.Reversible}}
	outside := []contract.SideEffect{{Description: "It is sent.", Reach: contract.External, Undo: contract.Reversible}}
	vague := []contract.SideEffect{{Description: "It is there."}}
	for name, c := range map[string]struct {
		document contract.Document
		want     bool
	}{
		"a read":                       {contract.Document{Effect: risk.ReadOnly}, false},
		"a read that declares it":      {contract.Document{Effect: risk.ReadOnly, Sends: true}, true},
		"an internal side effect":      {contract.Document{Effect: risk.LowRiskWrite, SideEffects: inside}, false},
		"an external side effect":      {contract.Document{Effect: risk.LowRiskWrite, SideEffects: outside}, true},
		"a side effect without reach":  {contract.Document{Effect: risk.LowRiskWrite, SideEffects: vague}, true},
		"a write without side effects": {contract.Document{Effect: risk.LowRiskWrite}, true},
		"a publication":                {contract.Document{Effect: risk.ExternalPublication, SideEffects: inside}, true},
		"a payment that stays inside":  {contract.Document{Effect: risk.PaidOperation, SideEffects: inside}, false},
		"nothing declared":             {contract.Document{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, c.document.Effective().Sends)
		})
	}
}
