package operation

import "time"

// LookupTool is the default name of the tool that looks up operations.
const LookupTool = "operations_get"

// LookupEvent is the audit event of that tool, under any name.
const LookupEvent = "operation.looked_up"

// The states of an operation.
const (
	// Running means that the call has not ended.
	Running = "running"
	// Ended means that the call is over, and may have had its effect.
	Ended = "ended"
	// Succeeded means that the call had its effect.
	Succeeded = "succeeded"
	// Failed means that the call ended without an effect.
	Failed = "failed"
	// NotDone means that the call certainly had no effect. A repeated call runs.
	NotDone = "did_not_happen"
	// Unknown means that nothing certain is known.
	Unknown = "unknown"
)

// A Status is what a caller may know about an operation. It is the result of the
// lookup tool. One without a Tool is [Unknown] and has nothing else.
type Status struct {
	State        string    `json:"state" jsonschema:"enum=running,enum=ended,enum=succeeded,enum=failed,enum=did_not_happen,enum=unknown" jsonschema_description:"running: it has not ended. succeeded: it had its effect. failed: it ended without an effect. did_not_happen: it had no effect, and may run when repeated. ended: it is over, and may have had its effect. unknown: nothing is known for certain."`
	Tool         string    `json:"tool,omitempty" jsonschema_description:"The tool that was called."`
	StartedAt    time.Time `json:"startedAt,omitzero"`
	EndedAt      time.Time `json:"endedAt,omitzero"`
	RetryAfterMs int64     `json:"retryAfterMs,omitempty" jsonschema_description:"When to look again, in milliseconds."`
	// Advice is a text for the model. Empty: none.
	Advice string `json:"-"`
}
