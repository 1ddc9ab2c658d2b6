package contract

import (
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A Base holds clauses that many tools share, such as the version, the category
// and the trust. Pass it to [Builder.From]. Each field declares the clause of
// the [Builder] verb with the same name. Build checks it with the rest of the
// tool.
//
// A zero field declares nothing; any other value declares the clause. A list
// that is empty but not nil declares an empty list, which hides the list of a
// lower base. No clause needs its zero value declared, except Autonomous, which
// is a pointer.
//
// A Base is a plain value. To extend one, copy it and set fields of the copy,
// or pass both to From.
type Base struct {
	// Title, Description, Category and Metadata are for people, agents and
	// filters.
	Title       string
	Description string
	Category    string
	Metadata    map[string]any
	// Version is the version of the contract, by Semantic Versioning 2.0.0.
	Version string
	// Deprecated announces that the tools should no longer be used.
	Deprecated Deprecation
	// FlatName allows names without a domain.
	FlatName bool
	// Aliases are old names, the oldest first: callable and not listed. The
	// first one identifies the tool in keys and counts.
	Aliases []string
	// AuditEvent is the name of the tools' events in the audit log.
	AuditEvent string
	// Risk is the level. Undeclared: it follows from Effect.
	Risk risk.Level
	// Effect is the kind of change that the tools make.
	Effect risk.Effect
	// SecurityLevel runs from 0 to 10; see [Document.SecurityLevel].
	SecurityLevel risk.SecurityLevel
	// Trust is the trust in the results.
	Trust trust.Level
	// Delimit declares which texts of results and errors are delimited as data.
	Delimit trust.Delimiting
	// Sanitize declares which parts of results lose hidden characters.
	Sanitize trust.Sanitizing
	// Reads lists the kinds of data that results may contain.
	Reads []DataKind
	// Sends is true if a call can carry data out of the system.
	Sends bool
	// Permissions are all needed to call the tools. If NoPermissions is set
	// instead, the tools need none, and it is the published reason.
	Permissions   []string
	NoPermissions string
	// DiscoverWith lists the permissions that show the tools in the list.
	DiscoverWith []string
	// Confirmation is [ConfirmationAlways], or [ConfirmationNever] with the
	// published ConfirmationReason, or [ConfirmationUpstream] for tools whose
	// own server asks. [ConfirmationWhen] needs the function of
	// [Builder.ConfirmWhen].
	Confirmation       Confirmation
	ConfirmationReason string
	// Autonomous asserts whether an agent may run the tools without a person.
	// Nil: there is no assertion.
	Autonomous *bool
	// StepUp demands a recent or strong authentication.
	StepUp StepUp
	// SideEffects are the changes outside the return value.
	SideEffects []SideEffect
	// Idempotency declares what a repeated call does.
	Idempotency Idempotency
	// Lenient lists the forms in which arguments may be sent, other than the one
	// that the input schema demands. A tool from high risk up takes only
	// [HostMember] from them.
	Lenient []Leniency
	// RateLimit bounds how often one principal calls each tool, and
	// TotalRateLimit how often all callers together do.
	RateLimit      RateLimit
	TotalRateLimit RateLimit
	// RetryBudget bounds how often the same call of one tool may fail.
	RetryBudget RetryBudget
	// Timeout bounds the handler, in whole milliseconds.
	Timeout time.Duration
	// Cancellable is true if a write ends when its caller disconnects.
	Cancellable bool
	// MaxConcurrent bounds the calls of each tool that run at once.
	MaxConcurrent int
	// MaxResultBytes and MaxArgumentBytes bound JSON sizes.
	MaxResultBytes   int64
	MaxArgumentBytes int64
	// Failures are declared failures of the tools.
	Failures []*Failure
	// OtherErrors returns undeclared errors to the caller, as this class.
	OtherErrors Class
	// TypeSchemas gives the schemas of types that do not describe their own.
	TypeSchemas []TypeSchema
	// UncheckedPatterns accepts patterns that RE2 cannot check.
	UncheckedPatterns bool
}

// layer returns the values that b declares for the clauses.
func (b Base) layer(clauses []clause) layer {
	var l layer
	for _, c := range clauses {
		if c.base != nil {
			c.base(&b, &l)
		}
	}
	return l
}

// fromBase declares a base's field in l unless it is zero.
func fromBase[T comparable](l *layer, d declaration[T], field T) {
	var zero T
	if field != zero {
		d.set(l, field)
	}
}

// listFromBase declares a copy of a base's list in l unless it is nil.
func listFromBase[T any](l *layer, d declaration[[]T], field []T) {
	if field != nil {
		d.set(l, slices.Clone(field))
	}
}
