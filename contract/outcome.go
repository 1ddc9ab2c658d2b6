package contract

import (
	"github.com/toolcontract/toolcontract/internal/enum"
	"github.com/toolcontract/toolcontract/trust"
)

// MetaKeyContract is the key of a tool's _meta in tools/list under which its
// contract stands: a [Document] without schemas, or a [Summary].
const MetaKeyContract = "io.github.toolcontract/contract"

// MetaKeyOutcome is the key of a result's _meta in tools/call under which the
// [Outcome] stands.
const MetaKeyOutcome = "io.github.toolcontract/outcome"

// MetaKeyIdempotencyKey is the key of a tools/call request's _meta under which a
// client sends the idempotency key of a managed call, for contracts that take
// one: a string of 1 to 255 printable ASCII characters.
const MetaKeyIdempotencyKey = "io.github.toolcontract/idempotencyKey"

// An Outcome tells a program what became of one call. It stands in the result's
// _meta, because clients keep that on every result and throw structured content
// of an error away.
type Outcome struct {
	// Status is the kind of the outcome.
	Status Status `json:"status"`
	// Code and Class are set when the call failed: when Status is [StatusError],
	// or when it is [StatusReplayed] and the earlier call had failed.
	Code  string `json:"code,omitempty"`
	Class Class  `json:"class,omitzero"`
	// RetryAfterMs is the delay, in milliseconds, after which a repetition
	// makes sense. Zero: none was stated.
	RetryAfterMs int64 `json:"retryAfterMs,omitempty"`
	// MissingPermissions are those that the caller lacks, where Code is
	// [CodePermissionDenied] for that reason.
	MissingPermissions []string `json:"missingPermissions,omitempty"`
	// StepUp says what the caller's authentication lacks: MaxAgeSeconds where it
	// is too old, ACR where it is of another class. Nil: nothing of that kind.
	StepUp *StepUp `json:"stepUp,omitempty"`
	// Violations lists every clause of the input schema that the call broke.
	Violations []Violation `json:"violations,omitempty"`
	// Hint is advice for the model.
	Hint string `json:"hint,omitempty"`
	// URL is where a person goes on, to approve.
	URL string `json:"url,omitempty"`
	// ContractVersion is the version of the contract that was kept.
	ContractVersion string `json:"contractVersion,omitempty"`
	// ContentTrust is the declared trust of what the tool returns.
	ContentTrust trust.Level `json:"contentTrust,omitzero"`
	// Sanitized counts the characters that were removed from the result.
	Sanitized int `json:"sanitized,omitempty"`
	// CallID is the id under which the audit log knows this call.
	CallID string `json:"callId,omitempty"`
	// Deprecated is the notice of a deprecated tool.
	Deprecated *Deprecation `json:"deprecated,omitempty"`
	// UseName is the name to use instead of the alias that was called.
	UseName string `json:"useName,omitempty"`
	// KeyIgnored says that an idempotency key was sent which the contract does
	// not take.
	KeyIgnored bool `json:"keyIgnored,omitempty"`
}

// A Violation is one broken clause of a schema.
type Violation struct {
	// Rule is a stable identifier, such as "schema.maximum".
	Rule string `json:"rule"`
	// Pointer is an RFC 6901 JSON Pointer into the arguments.
	Pointer string `json:"pointer"`
	// Message is for people and models. It never contains the offending value.
	Message string `json:"message"`
}

// A Status is the kind of an [Outcome].
type Status uint8

const (
	// UndeclaredStatus is the zero value; no outcome has it.
	UndeclaredStatus Status = iota
	// StatusOK: the tool ran and its result was kept.
	StatusOK
	// StatusError: the call failed; Code and Class say how.
	StatusError
	// StatusAsked: a person is being asked; nothing ran.
	StatusAsked
	// StatusDryRun: the result is a preview; nothing ran.
	StatusDryRun
	// StatusReplayed: the stored result of an earlier call; nothing ran.
	StatusReplayed
)

var statuses = enum.Of[Status]("contract", "status", "", "ok", "error", "asked", "dry-run", "replayed")

// IsZero reports whether s is the zero value.
func (s Status) IsZero() bool { return s == UndeclaredStatus }

// String returns the wire text of s, "undeclared" for the zero value.
func (s Status) String() string { return statuses.String(s) }

// MarshalText returns the wire text of s; the zero value is an error.
func (s Status) MarshalText() ([]byte, error) { return statuses.Marshal(s) }

// UnmarshalText sets s from its wire text. Any other text is an error and
// leaves s unchanged.
func (s *Status) UnmarshalText(text []byte) error { return statuses.Unmarshal(s, text) }
