package audit

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/risk"
)

// An Event is one entry of the audit log. It shares no memory with the guard,
// so a sink may keep it. Copies share Permissions, AuditOnly and Removed, which
// must not be modified.
//
// Its JSON has the members in field order. Empty members are omitted, except
// agent, and durationMs of [Terminal] and [Late] events. An event without Kind
// or Time cannot be marshalled.
type Event struct {
	// Time is when the event was written; time in JSON, RFC 3339 in UTC with
	// nanoseconds.
	Time time.Time
	// Kind is the point of the call at which it was written; event in JSON.
	Kind Kind
	// CallID is the same in all events of a call.
	CallID string
	// Tool is the name that was called, as the caller wrote it. There may be no
	// such tool.
	Tool string
	// AuditEvent is the event name that the contract declares. Default: the
	// tool's name.
	AuditEvent string
	// Risk is the level that was enforced for these arguments.
	Risk risk.Level
	// Effect is the kind of change that was enforced for these arguments.
	Effect risk.Effect
	// Confirmation and Permissions are what was enforced for these arguments, if
	// the contract derives them from the arguments. Otherwise they are empty; see
	// the contract. If a session bound required a person, Confirmation is
	// "always"; see guard.WithSessionBound.
	Confirmation string
	Permissions  []string
	// Version is the contract's version.
	Version string
	// ContractDigest is the digest of the contract that was enforced.
	ContractDigest string
	// ArgumentsDigest is the keyed digest of the arguments. Equal arguments
	// have equal digests. Without the key, a digest does not help anyone guess
	// the arguments.
	ArgumentsDigest string
	// LookupKey identifies the call's record in the store.
	LookupKey string
	// OperationID names the operation of a managed or keyed call, as its answer
	// does; see contract.Outcome. It is empty in an intent that is written
	// before the call is claimed.
	OperationID string
	// Issuer is the authority that authenticated the principal.
	Issuer string
	// Tenant is the organisation that the principal belongs to.
	Tenant string
	// Principal is the subject that the call was made for. It is empty for an
	// anonymous caller.
	Principal string
	// Agent is true unless the principal is known to be a human who makes the
	// call by hand.
	Agent bool
	// Decision is what the guard did with the call.
	Decision Decision
	// Stage is the stage of the guard that ended the call, in lower case.
	Stage string
	// Status is the status of the outcome: ok, error, asked, dry-run or
	// replayed.
	Status string
	// Code is the failure code in the answer.
	Code string
	// Class is the class of that failure, retryable or fatal.
	Class string
	// Error is the text of an undeclared error or of a failure's cause, which
	// the caller does not see.
	Error string
	// NotPersisted is true if the outcome is correct but could not be recorded
	// for replays.
	NotPersisted bool
	// AuditOnly names the clauses that the call broke and that are audited but
	// not enforced: names of a contract's members, sorted.
	AuditOnly []string
	// Removed names the places in the result where characters were removed, and
	// the kinds of those characters. A name that the output schema does not
	// declare becomes "*".
	Removed []string
	// Duration is the time from the start of the call to this event; durationMs
	// in JSON, in whole milliseconds, rounded down. Negative counts as zero.
	Duration time.Duration
}

// A Kind is the point of a call at which an event was written, as JSON has it.
// The zero value is not valid.
type Kind string

const (
	// Intent is written before the handler may start.
	Intent Kind = "intent"
	// Asked is written when a person has been asked and the call waits for the
	// answer.
	Asked Kind = "asked"
	// Decided is written when a person has answered a question. The principal
	// is that person, Decision is the answer, and Stage is where it was given:
	// confirm or stepup in the caller's client, decide with an approver, and
	// completestepup on the page of a step-up. An answer that does not count
	// has the status error.
	Decided Kind = "decided"
	// Terminal is written when a call has ended. There is at most one per call
	// ID.
	Terminal Kind = "terminal"
	// Late is written when a handler returned after the terminal event of its
	// call.
	Late Kind = "late"
	// Found is written when a repeated call has found out that an earlier one
	// had its effect; see contract.Builder.Reconcile. It stands in for the
	// terminal event that the earlier call lacks, and has the LookupKey and the
	// OperationID of that call. The call ID is that of the repeated call.
	Found Kind = "found"
)

var kinds = [...]Kind{Intent, Asked, Decided, Terminal, Late, Found}

func (k Kind) isValid() bool { return slices.Contains(kinds[:], k) }

// A Decision is the guard's treatment of a call, as JSON has it. The zero value
// means that nothing has been decided yet.
type Decision string

const (
	// Allow means that the handler ran, or is about to run.
	Allow Decision = "allow"
	// Deny means that the call was refused and the handler did not run.
	Deny Decision = "deny"
	// Ask means that a person was asked first.
	Ask Decision = "ask"
	// Replay means that the recorded outcome of an earlier call was returned,
	// and the handler did not run.
	Replay Decision = "replay"
	// DryRun means that a preview was returned, and the handler did not run.
	DryRun Decision = "dry-run"
)

func (d Decision) isValid() bool {
	switch d {
	case "", Allow, Deny, Ask, Replay, DryRun:
		return true
	default:
		return false
	}
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
	OperationID     string      `json:"operationId,omitzero"`
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
	Removed         []string    `json:"removed,omitempty"`
	DurationMs      *int64      `json:"durationMs,omitzero"`
}

// MarshalJSON returns the event as one line of JSON. Every unprintable
// character is escaped, so the log can be shown on a terminal. It returns an
// error for an event without Time or valid Kind, and for a Risk, Effect or
// Decision that is neither valid nor empty.
func (e Event) MarshalJSON() ([]byte, error) {
	if e.Time.IsZero() {
		return nil, errors.New("audit: event has no time")
	}
	if !e.Kind.isValid() {
		return nil, errors.New("audit: event has no kind")
	}
	if !e.Decision.isValid() {
		return nil, errors.New("audit: event has an unknown decision")
	}
	w := wire{
		Time: e.Time.UTC(), Kind: e.Kind, CallID: e.CallID, Tool: e.Tool, AuditEvent: e.AuditEvent,
		Risk: e.Risk, Effect: e.Effect, Confirmation: e.Confirmation, Permissions: e.Permissions,
		Version: e.Version, ContractDigest: e.ContractDigest,
		ArgumentsDigest: e.ArgumentsDigest, LookupKey: e.LookupKey, OperationID: e.OperationID, Issuer: e.Issuer, Tenant: e.Tenant,
		Principal: e.Principal, Agent: e.Agent, Decision: e.Decision, Stage: e.Stage, Status: e.Status,
		Code: e.Code, Class: e.Class, Error: e.Error, NotPersisted: e.NotPersisted, AuditOnly: e.AuditOnly,
		Removed: e.Removed,
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

// UnmarshalJSON sets e from an event's JSON. Unknown members are ignored. If it
// returns an error, e is unchanged.
func (e *Event) UnmarshalJSON(data []byte) error {
	var w wire
	if err := json.Unmarshal(data, &w); err != nil {
		// The cause would quote the input.
		return errors.New("audit: malformed event")
	}
	switch {
	case w.Time.IsZero():
		return errors.New("audit: event has no time")
	case w.Time.UTC().Year() < 0 || w.Time.UTC().Year() > 9999:
		return errors.New("audit: event has a time out of range") // in UTC it is beyond RFC 3339
	case !w.Kind.isValid():
		return errors.New("audit: event has no kind")
	case !w.Decision.isValid():
		return errors.New("audit: event has an unknown decision")
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
	if len(w.Removed) == 0 {
		w.Removed = nil
	}
	if len(w.Permissions) == 0 {
		w.Permissions = nil
	}
	*e = Event{
		Time: w.Time.UTC(), Kind: w.Kind, CallID: w.CallID, Tool: w.Tool, AuditEvent: w.AuditEvent,
		Risk: w.Risk, Effect: w.Effect, Confirmation: w.Confirmation, Permissions: w.Permissions,
		Version: w.Version, ContractDigest: w.ContractDigest,
		ArgumentsDigest: w.ArgumentsDigest, LookupKey: w.LookupKey, OperationID: w.OperationID, Issuer: w.Issuer, Tenant: w.Tenant,
		Principal: w.Principal, Agent: w.Agent, Decision: w.Decision, Stage: w.Stage, Status: w.Status,
		Code: w.Code, Class: w.Class, Error: w.Error, NotPersisted: w.NotPersisted,
		AuditOnly: w.AuditOnly, Removed: w.Removed, Duration: duration,
	}
	return nil
}

// hasDuration reports whether the event's JSON has a duration.
func (e Event) hasDuration() bool { return e.Kind == Terminal || e.Kind == Late || e.Duration > 0 }

// durationMs returns the duration as its JSON has it.
func (e Event) durationMs() int64 { return max(0, e.Duration.Milliseconds()) }

// isTrouble reports whether an operator should see the event: a refusal, a
// failure, an outcome that could not be recorded, or a broken clause that is
// audited but not enforced.
func (e Event) isTrouble() bool {
	if e.Status == "cancelled" { // a caller that changes its mind
		return e.Decision == Deny || e.NotPersisted || len(e.AuditOnly) > 0
	}
	return e.Decision == Deny || e.Status == "error" || e.Code != "" || e.Error != "" ||
		e.NotPersisted || len(e.AuditOnly) > 0
}
