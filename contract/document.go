package contract

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// Format is the version of the document's wire form.
const Format = 1

// A Document is the contract of one tool as data: the same in tools/list, in
// snapshots and on a catalogue page. Build makes it. The comment of a field
// defines its zero value, which is always the stricter case.
//
// A Document is a plain value. Copy it with Clone before you modify its slices
// or maps. contract.schema.json is its JSON Schema.
type Document struct {
	// Format is the version of the wire form: the constant [Format].
	Format int `json:"format"`
	// Name is "domain.verb", unique in a server. Required.
	Name string `json:"name"`
	// Title, Description, Category and Metadata are for people, agents and
	// filters. Only the description is required.
	Title       string         `json:"title,omitempty"`
	Description string         `json:"description,omitempty"`
	Category    string         `json:"category,omitempty"`
	Metadata    map[string]any `json:"metadata,omitempty"`
	// Version is the version of the contract, by Semantic Versioning 2.0.0.
	// Required.
	Version string `json:"version,omitempty"`
	// Deprecated is set if the tool should not be used any more. Nil: it is not
	// deprecated.
	Deprecated *Deprecation `json:"deprecated,omitempty"`
	// Aliases are old names, the oldest first: callable and not listed. The
	// first one identifies the tool in keys and counts.
	Aliases []string `json:"aliases,omitempty"`
	// Risk is the level. Undeclared: it follows from Effect.
	Risk risk.Level `json:"risk,omitzero"`
	// Effect is the kind of change. Undeclared counts as destructive.
	Effect risk.Effect `json:"effect,omitzero"`
	// SecurityLevel runs from 0 to 10: from 1 up a principal is needed, from 4
	// up its permissions are checked, from 8 up a confirmation or a step-up.
	// Zero: no demand beyond the other clauses.
	SecurityLevel risk.SecurityLevel `json:"securityLevel,omitempty"`
	// ContentTrust is the trust in the results of the tool. Undeclared counts
	// as prompt-injection-prone.
	ContentTrust trust.Level `json:"contentTrust,omitzero"`
	// Delimit declares which texts of results and errors are delimited as data.
	// Undeclared: text if ContentTrust is untrusted or prompt-injection-prone,
	// else never.
	Delimit trust.Delimiting `json:"delimit,omitzero"`
	// Sanitize declares which parts of results lose the characters that hide
	// text or control a terminal. Undeclared: always.
	Sanitize trust.Sanitizing `json:"sanitize,omitzero"`
	// Reads lists the kinds of data that results may contain. Kinds that
	// ContentTrust implies may be left out; see [Document.Effective].
	Reads []DataKind `json:"reads,omitempty"`
	// Sends is true if a call can carry data of its arguments out of the
	// system. An Effect of publication and an external side effect imply it.
	Sends bool `json:"sends,omitempty"`
	// Autonomous is true if an agent may make every call without a person. It
	// is derived: true only if Confirmation is never. With ConfirmationWhen, or
	// a Resolves that asks no person, it may make some calls so.
	Autonomous bool `json:"autonomous"`
	// Confirmation declares when a person is asked.
	Confirmation Confirmation `json:"confirmation,omitzero"`
	// ConfirmationReason is the reason why a tool at high needs no
	// confirmation.
	ConfirmationReason string `json:"confirmationReason,omitempty"`
	// TypedConfirmation is true if a person types a word that the question
	// names to confirm a call.
	TypedConfirmation bool `json:"typedConfirmation,omitempty"`
	// StepUp demands a recent or strong authentication. Nil: none.
	StepUp *StepUp `json:"stepUp,omitempty"`
	// Resolves is set if the arguments may weaken the contract of a call, and
	// says how far. The clauses of the document are the most that a call
	// demands, and those of Resolves the least. Nil: the contract of every call
	// is that of the document.
	Resolves *Least `json:"resolves,omitempty"`
	// Permissions are all needed to call the tool.
	Permissions []string `json:"permissions,omitempty"`
	// NoPermissions is the reason why a tool above low needs no permissions.
	NoPermissions string `json:"noPermissions,omitempty"`
	// ObjectAuthorization is true if the server also decides by the arguments
	// whether the caller may make the call. Then permission_denied depends on
	// them.
	ObjectAuthorization bool `json:"objectAuthorization,omitempty"`
	// DiscoverWith lists the permissions that show the tool in the list.
	// Empty: all of Permissions.
	DiscoverWith []string `json:"discoverWith,omitempty"`
	// SideEffects are the changes outside the return value. A write without any
	// counts as having one that is external and irreversible.
	SideEffects []SideEffect `json:"sideEffects,omitempty"`
	// Reversibility is how far the changes of a call can be undone. It follows
	// from Effect and SideEffects; the hardest class to undo counts:
	//   - read-only, if the effect is and there are no side effects;
	//   - irreversible, if the effect is destructive or undeclared, if a side
	//     effect is irreversible, or if a write declares no side effects;
	//   - reversible-outside, if the effect is a publication or a payment, or a
	//     side effect is external;
	//   - reversible otherwise.
	// If Resolves lowers the effect of a call, its class can be lower. In a
	// document from another server, the class also stands for what the side
	// effects leave out, and it never counts as lower than the derived one.
	Reversibility risk.Reversibility `json:"reversibility,omitzero"`
	// Idempotency declares the effect of a repeated call. Nil: it has its
	// effect again.
	Idempotency *Idempotency `json:"idempotency,omitempty"`
	// Reconcile is set if a repeated call finds out what became of an earlier
	// one whose outcome is unknown. Nil: such an outcome stays unknown.
	Reconcile *Reconciling `json:"reconcile,omitempty"`
	// DryRun declares whether the tool has a dry run. Undeclared: it has none.
	DryRun dryrun.Mode `json:"dryRun,omitzero"`
	// Lenient lists the forms in which arguments may be sent, other than the
	// one that InputSchema demands. Empty: none.
	Lenient []Leniency `json:"lenient,omitempty"`
	// AuditEvent is the name written to the audit log.
	AuditEvent string `json:"auditEvent,omitempty"`
	// FailureModes is the complete list: those of the tool in the order of
	// their declaration, then those of the guard.
	FailureModes []FailureMode `json:"failureModes,omitempty"`
	// RateLimit bounds how often one principal calls. Nil: the guard's default.
	RateLimit *RateLimit `json:"rateLimit,omitempty"`
	// TotalRateLimit bounds how often all callers together call. Nil: none
	// declared.
	TotalRateLimit *RateLimit `json:"totalRateLimit,omitempty"`
	// RetryBudget bounds how often the same call may fail. Nil: the guard's
	// default.
	RetryBudget *RetryBudget `json:"retryBudget,omitempty"`
	// Timeout bounds the handler. It is written in whole milliseconds. Zero:
	// none declared.
	Timeout time.Duration `json:"timeoutMs,omitempty"`
	// Cancellable is true if a write ends when its caller disconnects. False:
	// the write is finished. Reads always end.
	Cancellable bool `json:"cancellable,omitempty"`
	// MaxConcurrent bounds the calls that run at once in a process. Zero: none.
	MaxConcurrent int `json:"maxConcurrent,omitempty"`
	// MaxResultBytes and MaxArgumentBytes bound JSON sizes. Zero: 1 MiB
	// and 4 MiB.
	MaxResultBytes   int64 `json:"maxResultBytes,omitempty"`
	MaxArgumentBytes int64 `json:"maxArgumentBytes,omitempty"`
	// InputSchema and OutputSchema are JSON Schema 2020-12. The contract in
	// tools/list omits them, because they stand beside it.
	InputSchema  json.RawMessage `json:"inputSchema,omitempty"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`

	// Unknown has the members of a read document that this version does not
	// know, so that they are not lost when it is written.
	Unknown map[string]json.RawMessage `json:"-"`
}

// A Summary is the short form of a contract: everything that a caller needs
// before the first call, and that the listed tool doesn't have beside it.
type Summary struct {
	// Format is the version of the wire form, [Format]; the other fields are
	// those of the document.
	Format       int          `json:"format"`
	Name         string       `json:"name,omitempty"`
	Risk         risk.Level   `json:"risk,omitzero"`
	Effect       risk.Effect  `json:"effect,omitzero"`
	ContentTrust trust.Level  `json:"contentTrust,omitzero"`
	Confirmation Confirmation `json:"confirmation,omitzero"`
	// Reversibility stands for what SideEffects leave out.
	Reversibility risk.Reversibility `json:"reversibility,omitzero"`
	Resolves      *Least             `json:"resolves,omitempty"`
	DryRun        dryrun.Mode        `json:"dryRun,omitzero"`
	// IdempotentForSeconds is how long a call can be repeated without a second
	// effect: the Retention of [Idempotency], or its ArgumentsRetention if all
	// arguments may be the key. [Builder.ReplayUntil] and [Builder.ReplayWhile]
	// may end it earlier. Zero: a repetition may have a second effect at any
	// time, or never has one; the idempotent hint tells which.
	IdempotentForSeconds int64 `json:"idempotentForSeconds,omitempty"`
	// KeyRequired means that a call without a client key is refused.
	KeyRequired bool         `json:"keyRequired,omitempty"`
	Reconcile   *Reconciling `json:"reconcile,omitempty"`
	Version     string       `json:"version,omitempty"`
	Category    string       `json:"category,omitempty"`
	Autonomous  bool         `json:"autonomous"`
	StepUp      *StepUp      `json:"stepUp,omitempty"`
	Permissions []string     `json:"permissions,omitempty"`
	// SideEffects have only their descriptions, of at most 80 characters each.
	SideEffects []SideEffect `json:"sideEffects,omitempty"`
	AuditEvent  string       `json:"auditEvent,omitempty"`
	// FailureCodes are the codes of FailureModes, without those of the guard
	// that every tool has: invalid_input, unauthenticated, permission_denied,
	// rate_limit_exceeded, output_invalid, result_too_large, unavailable,
	// retry_budget_exhausted and internal_error.
	FailureCodes []string `json:"failureCodes"`
}

// summaryText is the longest description in a summary, in characters.
const summaryText = 80

// Summary returns the short form of d.
func (d Document) Summary() Summary {
	s := Summary{
		Format: d.Format, Name: d.Name, Risk: d.Risk, Effect: d.Effect, ContentTrust: d.ContentTrust,
		Confirmation: d.Confirmation, Resolves: d.Resolves, DryRun: d.DryRun, Version: d.Version, Category: d.Category,
		IdempotentForSeconds: int64(d.idempotentFor() / time.Second),
		KeyRequired:          d.isDeduplicated() && d.Idempotency.KeyRequired,
		Reconcile:            clonePointer(d.Reconcile),
		Autonomous:           d.Autonomous,
		Reversibility:        d.effectiveReversibility(),
		StepUp:               clonePointer(d.StepUp), Permissions: slices.Clone(d.Permissions), AuditEvent: d.AuditEvent,
		FailureCodes: []string{},
	}
	for _, e := range d.SideEffects {
		if text := []rune(e.Description); len(text) > summaryText {
			e.Description = string(text[:summaryText-1]) + "…"
		}
		s.SideEffects = append(s.SideEffects, SideEffect{Description: e.Description})
	}
	for _, m := range d.FailureModes {
		if m.By != ByGuard || !hasEveryTool(m.Code) {
			s.FailureCodes = append(s.FailureCodes, m.Code)
		}
	}
	return s
}

// NeedsPrincipal reports whether anonymous callers are refused. A risk of high
// or above demands a principal. Permissions, authorization by the arguments, a
// security level, managed or keyed idempotency, a required dry run and a
// step-up demand one too.
func (d Document) NeedsPrincipal() bool {
	return len(d.Permissions) > 0 || d.SecurityLevel.NeedsPrincipal() || d.StepUp != nil || d.DryRun == dryrun.Required ||
		d.ObjectAuthorization || d.isDeduplicated() || d.Risk.AtLeast(risk.High)
}

// Clone returns a deep copy of d. Values in Metadata and Unknown are shared.
// They are plain JSON and must not be changed.
func (d Document) Clone() Document {
	d.Metadata = maps.Clone(d.Metadata)
	d.Deprecated = clonePointer(d.Deprecated)
	d.Aliases = slices.Clone(d.Aliases)
	d.Reads = slices.Clone(d.Reads)
	d.StepUp = clonePointer(d.StepUp)
	if d.Resolves = clonePointer(d.Resolves); d.Resolves != nil {
		d.Resolves.Permissions = slices.Clone(d.Resolves.Permissions)
	}
	d.Permissions = slices.Clone(d.Permissions)
	d.DiscoverWith = slices.Clone(d.DiscoverWith)
	d.SideEffects = slices.Clone(d.SideEffects)
	if d.Idempotency = clonePointer(d.Idempotency); d.Idempotency != nil {
		d.Idempotency.KeyFields = slices.Clone(d.Idempotency.KeyFields)
	}
	d.Reconcile = clonePointer(d.Reconcile)
	d.Lenient = slices.Clone(d.Lenient)
	d.FailureModes = slices.Clone(d.FailureModes)
	d.RateLimit = clonePointer(d.RateLimit)
	d.TotalRateLimit = clonePointer(d.TotalRateLimit)
	d.RetryBudget = clonePointer(d.RetryBudget)
	d.InputSchema = bytes.Clone(d.InputSchema)
	d.OutputSchema = bytes.Clone(d.OutputSchema)
	d.Unknown = maps.Clone(d.Unknown)
	return d
}

func clonePointer[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}

// Hints are the four tool annotations of the Model Context Protocol
// (ToolAnnotations). They are derived from the contract, so they cannot
// contradict it, and all four are always written.
type Hints struct {
	ReadOnly    bool // readOnlyHint
	Destructive bool // destructiveHint
	Idempotent  bool // idempotentHint
	OpenWorld   bool // openWorldHint
}

// Hints derives the annotations: read-only from the effect; destructive from
// the effect or an irreversible side effect; idempotent from native or atomic
// idempotency, key fields or a required client key, or read-only; open world
// from an external side effect, an effect of publication or payment, content
// that may inject, or a call that sends data.
//
// A managed tool whose key is all arguments is not idempotent for clients that
// see only the hint, because an equal call has a second effect once
// ArgumentsRetention has ended. Neither is a keyed tool, because a call without a
// key has its effect again.
func (d Document) Hints() Hints {
	readOnly := d.Effect == risk.ReadOnly
	h := Hints{
		ReadOnly:    readOnly,
		Destructive: d.Effect == risk.Destructive || d.Effect == 0,
		Idempotent:  readOnly || d.hintsIdempotent(),
		OpenWorld: d.Effect == risk.ExternalPublication || d.Effect == risk.PaidOperation || d.Effect == 0 ||
			d.ContentTrust != trust.Trusted && d.ContentTrust != trust.Sensitive || d.Sends || slices.Contains(d.Reads, UntrustedData),
	}
	for _, s := range d.effectiveSideEffects() {
		h.Destructive = h.Destructive || s.Undo.Effective() == Irreversible
		h.OpenWorld = h.OpenWorld || s.Reach.Effective() == External
	}
	return h
}
