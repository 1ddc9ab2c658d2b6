package contract

import (
	"github.com/toolcontract/toolcontract/internal/enum"
	"github.com/toolcontract/toolcontract/trust"
)

// MetaKeyContract is the key of the contract in a tool's _meta in tools/list.
// Its value is a [Document] without schemas, or a [Summary].
const MetaKeyContract = "io.github.toolcontract/contract"

// MetaKeyOutcome is the key of the [Outcome] in a result's _meta in tools/call.
const MetaKeyOutcome = "io.github.toolcontract/outcome"

// MetaKeyIdempotencyKey is the key of the client's idempotency key in the _meta
// of a tools/call request, for keyed tools and for managed tools that take one.
// Its value is a string of 1 to 255 printable ASCII characters.
const MetaKeyIdempotencyKey = "io.github.toolcontract/idempotencyKey"

// An Outcome reports to programs what became of one call. It stands in the
// result's _meta, because clients preserve _meta of every result, but discard
// the structured content of an error.
type Outcome struct {
	// Status is the kind of the outcome.
	Status Status `json:"status"`
	// Code and Class are set when the call failed: when Status is
	// [StatusError], or when it is [StatusReplayed] and the earlier call had
	// failed.
	Code  string `json:"code,omitempty"`
	Class Class  `json:"class,omitzero"`
	// RetryAfterMs is the delay before a useful repetition, in milliseconds as
	// on the wire, because an outcome is written for every call. Zero: no delay
	// is known.
	RetryAfterMs int64 `json:"retryAfterMs,omitempty"`
	// MissingPermissions are the permissions that the caller lacks, if they are
	// the reason for a Code of [CodePermissionDenied].
	MissingPermissions []string `json:"missingPermissions,omitempty"`
	// StepUp has the demand that the caller's authentication does not meet:
	// MaxAge if it is too old, ACR if it has another class. Nil: it
	// meets the demand, or there is none.
	StepUp *StepUp `json:"stepUp,omitempty"`
	// Violations lists every clause of the input schema that the call broke.
	Violations []Violation `json:"violations,omitempty"`
	// Readings lists the arguments that were read in another form than the
	// schema demands, because the contract is lenient. It has at most
	// 100; MoreReadings counts the others.
	Readings     []Reading `json:"readings,omitempty"`
	MoreReadings int       `json:"moreReadings,omitempty"`
	// Hint is advice for the model.
	Hint string `json:"hint,omitempty"`
	// URL is the address at which a person approves the call.
	URL string `json:"url,omitempty"`
	// ContractVersion is the version of the enforced contract.
	ContractVersion string `json:"contractVersion,omitempty"`
	// ContentTrust is the declared trust in the results of the tool.
	ContentTrust trust.Level `json:"contentTrust,omitzero"`
	// Reads lists the kinds of data that results of the tool may contain, if
	// the contract declares them. Empty: only ContentTrust is known.
	Reads []DataKind `json:"reads,omitempty"`
	// Sanitized counts the characters that were removed from the result.
	Sanitized int `json:"sanitized,omitempty"`
	// Removed lists what these characters were, and where. It has at most 20
	// places.
	Removed []Removal `json:"removed,omitempty"`
	// OperationID names the operation of a managed or keyed call: "op_" and a
	// base64url text. It is the same for every repetition of the call, and no
	// secret. The tool operations_get tells the caller what became of the
	// operation. Empty: the call is not recorded, or the ID would help to guess
	// a secret argument.
	OperationID string `json:"operationId,omitempty"`
	// CallID is the id of this call in the audit log.
	CallID string `json:"callId,omitempty"`
	// Deprecated is the notice of a deprecated tool.
	Deprecated *Deprecation `json:"deprecated,omitempty"`
	// UseName is the name to use instead of the alias that was called.
	UseName string `json:"useName,omitempty"`
	// KeyIgnored is true if an idempotency key was sent that the contract does
	// not take.
	KeyIgnored bool `json:"keyIgnored,omitempty"`
	// NoEffect is true if the call of a tool that writes failed before its
	// handler ran, for example in [Builder.Precheck], with a code that handlers
	// fail with too. The call had no effect then.
	NoEffect bool `json:"noEffect,omitempty"`
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

// A Removal reports characters that were removed from one text of a result; see
// [Builder.Sanitize].
type Removal struct {
	// Pointer is an RFC 6901 JSON Pointer to the text in the result, or to the
	// object whose member has the name.
	Pointer string `json:"pointer"`
	// Kinds are the kinds of the characters: "control" for those that control a
	// terminal, "direction" for those that reorder text, and "invisible".
	Kinds []string `json:"kinds,omitempty"`
	// Count is the number of characters.
	Count int `json:"count"`
}

// A Status is the kind of an [Outcome]. No outcome has the zero value.
type Status uint8

const (
	// StatusOK: the tool ran and this is its result.
	StatusOK Status = iota + 1
	// StatusError: the call failed with Code and Class.
	StatusError
	// StatusAsked: a person is being asked; nothing ran.
	StatusAsked
	// StatusDryRun: the result is a preview; nothing ran.
	StatusDryRun
	// StatusReplayed: the stored result of an earlier call; nothing ran.
	StatusReplayed
	// StatusCancelled: the caller cancelled the call, and the handler ended
	// without a result. It is no failure, so there is no Code.
	StatusCancelled
)

var statuses = enum.Of[Status]("contract", "status", "", "ok", "error", "asked", "dry-run", "replayed", "cancelled")

// String returns the wire text of s, "undeclared" for the zero value.
func (s Status) String() string { return statuses.String(s) }

// GoString returns the type and the text of s, for failures of tests.
func (s Status) GoString() string { return statuses.GoString(s) }

// MarshalText returns the wire text of s; the zero value is an error.
func (s Status) MarshalText() ([]byte, error) { return statuses.Marshal(s) }

// UnmarshalText sets s from its wire text. Any other text is an error and
// leaves s unchanged.
func (s *Status) UnmarshalText(text []byte) error { return statuses.Unmarshal(s, text) }
