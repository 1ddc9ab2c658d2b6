package contract

import (
	"slices"

	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

const (
	declaredReads declaration[[]DataKind] = "reads"
	declaredSends declaration[bool]       = "sends"
)

const (
	ruleReadsUnknown = "reads.unknown"
	ruleReadsPublic  = "reads.public"
	ruleReadsTrusted = "reads.trusted"
)

func dataFlowClause() clause {
	return clause{
		members: []string{"reads", "sends"},
		keys:    tagKeys{"reads": enumsValue(declaredReads), "sends": flagValue(declaredSends)},
		base: func(b *Base, l *layer) {
			listFromBase(l, declaredReads, b.Reads)
			fromBase(l, declaredSends, b.Sends)
		},
		check: checkDataFlow,
		effective: func(d *Document) {
			d.Reads = d.effectiveReads()
			d.Sends = d.effectiveSends()
		},
		rules: []BuildRule{
			{ID: ruleReadsUnknown, Summary: "A kind of data is public, private or untrusted."},
			{ID: ruleReadsPublic, Summary: "A tool that reads only public data reads no private data, and its content is not sensitive."},
			{ID: ruleReadsTrusted, Summary: "A tool whose content is trusted reads no untrusted data."},
		},
	}
}

// Reads adds kinds of data that the tool's results may contain: the document's
// member reads. Untrusted content implies [UntrustedData], and sensitive
// content implies [PrivateData], so these need no declaration.
//
// guard.WithTrifectaConfirmation and contracttest.Check use Reads and Sends to
// find tools that together can leak private data.
func (b *Builder[In, Out]) Reads(kinds ...DataKind) *Builder[In, Out] {
	add(declaredReads, &b.verbs, kinds)
	return b
}

// Sends declares that a call can carry data from its arguments out of the
// system, to a place that others can read: the document's member sends. An
// effect of publication and an external side effect imply it. Declare it for
// reads that send data too, such as fetching an address that the model chooses.
func (b *Builder[In, Out]) Sends() *Builder[In, Out] {
	declaredSends.set(&b.verbs, true)
	return b
}

func checkDataFlow(c *checker) {
	c.doc.Sends = declaredSends.of(&c.layer)
	kinds := slices.Clone(declaredReads.of(&c.layer))
	if slices.ContainsFunc(kinds, func(k DataKind) bool { return !dataKinds.IsValid(k) }) {
		c.bad(ruleReadsUnknown, "reads", "the kind of data is unknown", "use a constant such as contract.PrivateData")
		return
	}
	slices.Sort(kinds)
	kinds = slices.Compact(kinds)
	if slices.Contains(kinds, PublicData) && (slices.Contains(kinds, PrivateData) || c.doc.ContentTrust == trust.Sensitive) {
		c.bad(ruleReadsPublic, "reads", "the tool reads only public data, and also private or sensitive data",
			c.advice(string(declaredReads), "remove contract.PublicData", "remove public from the key reads"))
	}
	if slices.Contains(kinds, UntrustedData) && c.doc.ContentTrust == trust.Trusted {
		c.bad(ruleReadsTrusted, "reads", "the tool reads untrusted data, and its content is trusted",
			c.advice(string(declaredReads), "remove contract.UntrustedData, or declare another Trust", "remove untrusted from the key "+
				"reads, or declare another trust"))
	}
	c.doc.Reads = kinds
}

// effectiveReads returns the kinds of data that d declares or implies.
func (d Document) effectiveReads() []DataKind {
	kinds := slices.DeleteFunc(slices.Clone(d.Reads), func(k DataKind) bool { return !dataKinds.IsValid(k) })
	if d.ContentTrust.MayInject() {
		kinds = append(kinds, UntrustedData)
	}
	if d.ContentTrust == trust.Sensitive {
		kinds = append(kinds, PrivateData)
	}
	if slices.Contains(kinds, PrivateData) {
		kinds = slices.DeleteFunc(kinds, func(k DataKind) bool { return k == PublicData })
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// effectiveSends reports whether d declares or implies that a call sends data
// out of the system.
func (d Document) effectiveSends() bool {
	return d.Sends || d.Effect == risk.ExternalPublication ||
		slices.ContainsFunc(d.effectiveSideEffects(), func(s SideEffect) bool { return s.Reach.Effective() == External })
}
