package audit

import (
	"encoding/json"
	"errors"
	"math"
	"time"

	"github.com/toolcontract/toolcontract/risk"
)

// An Event is one entry of the audit log. It is a value that shares nothing with whoever made it: a sink
// may keep it. Copies of it share Permissions and AuditOnly, so nobody changes what those hold.
//
// In JSON its members stand in the order of the fields. An empty member is left out, but agent, which is
// always written, and durationMs, which [Terminal] and [Late] events always have. An event whose Kind or
// Time is not set cannot be marshalled.
type Event struct {
	// Time is when the event was written; time in JSON, RFC 3339 in UTC with nanoseconds.
	Time time.Time
	// Kind is the point of the call at which it was written; event in JSON.
	Kind Kind
	// CallID is shared by all events of a call.
	CallID string
	// Tool is the name that was called. It may be a name that no tool has, as the caller wrote it.
	Tool string
	// AuditEvent is the event name that the contract declares, which is the tool's name unless it says
	// otherwise.
	AuditEvent string
	// Risk is the level that was enforced for these arguments.
	Risk risk.Level
	// Effect is the kind of change that was enforced for these arguments.
	Effect risk.Effect
	// Confirmation and Permissions are what was enforced for these arguments too, where the contract
	// leaves that to its Resolve; empty elsewhere, where the contract says it.
	Confirmation string
	Permissions  []string
	// Version is the contract's version.
	Version string
	// ContractDigest is the digest of the contract that was enforced.
	ContractDigest string
	// ArgumentsDigest is the keyed digest of the arguments: equal for equal arguments, and of no use for
	// guessing them without the key.
	ArgumentsDigest string
	// LookupKey is what the call's record is found by in an idempotency store.
	LookupKey string
	// Issuer is who vouches for the principal.
	Issuer string
	// Tenant is the organisation that the principal belongs to.
	Tenant string
	// Principal is the subject on whose behalf the call was made. It is empty for an anonymous caller.
	Principal string
	// Agent says that the principal is not known to be a human at the controls.
	Agent bool
	// Decision is what the guard did with the call.
	Decision Decision
	// Stage is the stage of the guard that ended the call, in lower case.
	Stage string
	// Status is the status of the outcome: ok, error, asked, dry-run or replayed.
	Status string
	// Code is the failure code that the caller was given.
	Code string
	// Class is the class of that failure, retryable or fatal.
	Class string
	// Error is what the caller was not told: the text of an undeclared error or of a failure's cause.
	Error string
	// NotPersisted says that the outcome is true but could not be recorded for replays.
	NotPersisted bool
	// AuditOnly names the clauses that the call broke and that were not kept, because they are only
	// audited: names of members of a contract, sorted.
	AuditOnly []string
	// Duration is how long the call took until this event; durationMs in JSON, in whole milliseconds,
	// rounded down. A negative one counts as zero.
	Duration time.Duration
}

// wire is the event's form in JSON.
type wire struct {
	Time            time.Time   `json:"time"`
	Kind            Kind        `json:"event"`
	CallID          string      `json:"callId,omitzero"`
	Tool            string      `json:"tool,omitzero"`
	AuditEvent      string      `json:"auditEvent,omitzero"`
	Risk            risk.Level  `json:"risk,omitzero"`
	Effect          risk.Effect `json:"effect,omitzero"`
	Confirmation    string      `json:"confirmation,omitzero"`
	Permissions     []string    `json:"permissions,omitempty"`
	Version         string      `json:"version,omitzero"`
	ContractDigest  string      `json:"contractDigest,omitzero"`
	ArgumentsDigest string      `json:"argumentsDigest,omitzero"`
	LookupKey       string      `json:"lookupKey,omitzero"`
	Issuer          string      `json:"issuer,omitzero"`
	Tenant          string      `json:"tenant,omitzero"`
	Principal       string      `json:"principal,omitzero"`
	Agent           bool        `json:"agent"`
	Decision        Decision    `json:"decision,omitzero"`
	Stage           string      `json:"stage,omitzero"`
	Status          string      `json:"status,omitzero"`
	Code            string      `json:"code,omitzero"`
	Class           string      `json:"class,omitzero"`
	Error           string      `json:"error,omitzero"`
	NotPersisted    bool        `json:"notPersisted,omitzero"`
	AuditOnly       []string    `json:"auditOnly,omitempty"`
	DurationMs      *int64      `json:"durationMs,omitzero"`
}

// MarshalJSON returns the event as one line of JSON in which every character that cannot be printed is
// escaped, so that the log can be shown on a terminal. An event without Time or a valid Kind, or with
// a Risk, Effect or Decision that is neither valid nor undeclared, is an error.
func (e Event) MarshalJSON() ([]byte, error) {
	if e.Time.IsZero() {
		return nil, errors.New("audit: event has no time")
	}
	w := wire{
		Time: e.Time.UTC(), Kind: e.Kind, CallID: e.CallID, Tool: e.Tool, AuditEvent: e.AuditEvent,
		Risk: e.Risk, Effect: e.Effect, Confirmation: e.Confirmation, Permissions: e.Permissions, Version: e.Version, ContractDigest: e.ContractDigest,
		ArgumentsDigest: e.ArgumentsDigest, LookupKey: e.LookupKey, Issuer: e.Issuer, Tenant: e.Tenant,
		Principal: e.Principal, Agent: e.Agent, Decision: e.Decision, Stage: e.Stage, Status: e.Status,
		Code: e.Code, Class: e.Class, Error: e.Error, NotPersisted: e.NotPersisted, AuditOnly: e.AuditOnly,
	}
	if e.hasDuration() {
		ms := e.durationMs()
		w.DurationMs = &ms
	}
	line, err := json.Marshal(w)
	if err != nil {
		return nil, err
	}
	return escapeUnprintable(line), nil
}

// UnmarshalJSON sets e from an event's JSON. Members that it does not know are ignored; where the JSON
// is not an event, e is unchanged.
func (e *Event) UnmarshalJSON(data []byte) error {
	var w wire
	if err := json.Unmarshal(data, &w); err != nil {
		// The cause quotes what it could not read.
		return errors.New("audit: malformed event")
	}
	switch {
	case w.Time.IsZero():
		return errors.New("audit: event has no time")
	case w.Time.UTC().Year() < 0 || w.Time.UTC().Year() > 9999:
		return errors.New("audit: event has a time out of range") // its offset led it beyond RFC 3339
	case !w.Kind.IsValid():
		return errors.New("audit: event has no kind")
	}
	var duration time.Duration
	if w.DurationMs != nil {
		if *w.DurationMs < 0 || *w.DurationMs > math.MaxInt64/int64(time.Millisecond) {
			return errors.New("audit: event has a duration out of range")
		}
		duration = time.Duration(*w.DurationMs) * time.Millisecond
	}
	if len(w.AuditOnly) == 0 {
		w.AuditOnly = nil
	}
	if len(w.Permissions) == 0 {
		w.Permissions = nil
	}
	*e = Event{
		Time: w.Time.UTC(), Kind: w.Kind, CallID: w.CallID, Tool: w.Tool, AuditEvent: w.AuditEvent,
		Risk: w.Risk, Effect: w.Effect, Confirmation: w.Confirmation, Permissions: w.Permissions, Version: w.Version, ContractDigest: w.ContractDigest,
		ArgumentsDigest: w.ArgumentsDigest, LookupKey: w.LookupKey, Issuer: w.Issuer, Tenant: w.Tenant,
		Principal: w.Principal, Agent: w.Agent, Decision: w.Decision, Stage: w.Stage, Status: w.Status,
		Code: w.Code, Class: w.Class, Error: w.Error, NotPersisted: w.NotPersisted,
		AuditOnly: w.AuditOnly, Duration: duration,
	}
	return nil
}

// hasDuration reports whether the event says how long its call took.
func (e Event) hasDuration() bool { return e.Kind == Terminal || e.Kind == Late || e.Duration > 0 }

// durationMs is the duration as it is written.
func (e Event) durationMs() int64 { return max(0, e.Duration.Milliseconds()) }

// isTrouble reports whether an operator should look at the event: a refusal, a failure, an outcome that
// could not be recorded, or a clause that was not kept.
func (e Event) isTrouble() bool {
	return e.Decision == Deny || e.Status == "error" || e.Code != "" || e.Error != "" || e.NotPersisted || len(e.AuditOnly) > 0
}
