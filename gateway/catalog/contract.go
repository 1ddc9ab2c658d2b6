package catalog

import (
	"cmp"
	"slices"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// unknownVersion is the contract version of a tool whose server declares none.
const unknownVersion = "0.0.0"

// Contract starts a contract from the effective facts of e, for a gateway's
// guard. The guard then confirms, limits, audits and deduplicates calls of a
// tool whose server knows nothing about contracts. handler forwards the call;
// [HandlerOf] is one.
//
// The tool's errors reach the caller with their texts, and with the code and
// class of a failure that the server declares for the tool. A call that did not
// reach the server is [ErrUnavailable]. The contract has no step-up and no dry
// run, which only the server can offer.
//
// The schemas lose x-sensitive and x-review, because a gateway's guard keeps no
// arguments and shows all of them to the person it asks. A schema with x-secret
// is an error of Build: set inputSchema in the operator's file to a schema
// without that argument.
//
// Callers can add clauses before Build. It is an error of Build (rule
// catalog.quarantined) if the entry is quarantined. The contract of a vetoed
// tool is forbidden.
func (e Entry) Contract(handler adapter.Handler, c adapter.WrapConfig) *wrap.Builder {
	c.Package = cmp.Or(c.Package, "catalog")
	if e.Status == Quarantined {
		c.Mistakes = append(slices.Clip(c.Mistakes), &contract.DeclarationError{
			Rule: "catalog.quarantined", Tool: e.Name, Message: "the tool is in quarantine",
			Remedy: "decide about it in the operator's file",
		})
	}
	d := e.Definition
	// The effective contract decides the hints, not the server behind it.
	d.Annotations = adapter.ToolAnnotations{Title: d.Annotations.Title}
	for _, keyword := range []string{schema.SensitiveKeyword, schema.ReviewKeyword} {
		d.InputSchema = schema.WithoutKeyword(d.InputSchema, keyword)
		if d.OutputSchema != nil {
			d.OutputSchema = schema.WithoutKeyword(d.OutputSchema, keyword)
		}
	}
	byCode, failures := e.failures()
	base := e.base()
	base.Failures = failures
	b := adapter.Wrap(d, withFailures(handler, byCode), c).From(base)
	if limit := e.Effective.RateLimit; limit != nil {
		b.RateLimit(limit.Calls, limit.Per)
	}
	if deprecated := e.Effective.Deprecated; deprecated != nil {
		b.Deprecated(*deprecated)
	}
	return b
}

// base returns the clauses of the effective contract that a gateway enforces.
// Its lists are not nil, so that they override those of the gateway's own base.
func (e Entry) base() contract.Base {
	d := e.Effective
	b := contract.Base{
		Version:     cmp.Or(d.Version, unknownVersion),
		Effect:      d.Effect,
		Risk:        d.Risk,
		Trust:       d.ContentTrust,
		Sends:       d.Sends,
		Reads:       dataKinds(d),
		SideEffects: sideEffects(d),
		OtherErrors: contract.ClassFatal,
		AuditEvent:  d.AuditEvent,
	}
	if len(d.Permissions) > 0 {
		b.Permissions = d.Permissions
	} else {
		b.NoPermissions = d.NoPermissions
	}
	switch {
	case d.Risk == risk.Forbidden:
	case d.Confirmation == contract.ConfirmationAlways:
		b.Confirmation = contract.ConfirmationAlways
	case d.ConfirmationReason != "":
		b.Confirmation = contract.ConfirmationNever
		b.ConfirmationReason = d.ConfirmationReason
	}
	if d.Idempotency != nil {
		b.Idempotency = *d.Idempotency
	}
	if d.Timeout > 0 {
		b.Timeout = d.Timeout
	}
	return b
}

// sideEffects returns the side effects for the gateway's own contract. Its
// class follows from them, so they also declare what only the class of d says.
func sideEffects(d contract.Document) []contract.SideEffect {
	derived := contract.Document{Effect: d.Effect, SideEffects: d.SideEffects}.Effective().Reversibility
	if d.Effect == risk.ReadOnly || d.Reversibility == derived {
		return append([]contract.SideEffect{}, d.SideEffects...)
	}
	list := d.Effective().SideEffects // filled in from the class
	if d.Reversibility.AtLeast(derived) || len(d.SideEffects) == 0 {
		whole := contract.Document{Reversibility: d.Reversibility, Effect: d.Effect}.Effective().SideEffects[0]
		whole.Description = "Its changes count as " + d.Reversibility.String() + "."
		list = append(list[:len(d.SideEffects)], whole)
	}
	return list
}

// dataKinds returns the kinds of data that a contract declares its tool to
// read, without those that its content trust excludes, because an override may
// set the trust.
func dataKinds(d contract.Document) []contract.DataKind {
	return slices.DeleteFunc(append([]contract.DataKind{}, d.Reads...), func(k contract.DataKind) bool {
		return k == contract.UntrustedData && d.ContentTrust == trust.Trusted || k == contract.PublicData &&
			d.ContentTrust == trust.Sensitive
	})
}
