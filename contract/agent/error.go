package agent

import (
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/trust"
)

// The codes of failures that the agent finds itself. It also uses the codes of
// package contract in their meaning, such as [contract.CodeOutcomeUnknown].
const (
	// CodeUnknownTool: the server lists no tool of the name. Nothing was sent.
	CodeUnknownTool = "unknown_tool"
	// CodeRefused: the tool is forbidden or quarantined, or the host refused
	// the call. Nothing was sent.
	CodeRefused = "tool_refused"
	// CodeProtocolError: the server answered with a JSON-RPC error.
	CodeProtocolError = "protocol_error"
	// CodeContractBroken: the server did not do what the contract promises,
	// such as to mark a preview, or sent a result that has no meaning.
	CodeContractBroken = "contract_broken"
)

// A RetryError is a failed call that the model can correct or replace by
// another one. The call had no effect, as far as the contract promises that.
// Give Prompt to the model as the observation of the call.
type RetryError struct {
	// Failure has the tool, the code and the texts.
	Failure
	// After is the delay before the same call is useful again. It is set if the
	// server demands a longer delay than the agent waits, or demands it too
	// often. Zero: the same call is not expected to succeed.
	After time.Duration
}

// A FatalError is a failed call that must not be repeated. It ends the run of
// an agent.
type FatalError struct {
	// Failure has the tool, the code and the texts.
	Failure
	// Err is the cause, such as the error of the transport or a
	// [*ProtocolError]. Nil: the server reported the failure itself.
	Err error
}

// A Failure is what [RetryError] and [FatalError] have in common.
type Failure struct {
	// Tool is the listed name of the tool, and Code the code of the failure.
	Tool, Code string
	// Key is the idempotency key of the call. Empty: the tool takes none. A
	// call that is repeated unchanged must have the same key; see [WithKey].
	Key string
	// Message is the text of the failure. It is sanitised. If it comes from the
	// server, it can be hostile; see Prompt.
	Message string
	// FromServer is true if Message is a text of the server.
	FromServer bool
	// Trust is the trust in the texts of the server.
	Trust trust.Level
	// Outcome is what the server reports of the call, such as the violations of
	// the arguments. Its Status is undeclared if the server reports nothing.
	Outcome contract.Outcome
	// Attempts counts the times that the call was sent. Zero: it was not sent.
	Attempts int
}

// Error returns the tool, the code and what to do. It leaves out the texts of
// the server, because they can have values of the call.
func (e *RetryError) Error() string { return "" }

// Error returns the tool, the code and the cause. It leaves out the texts of
// the server, because they can have values of the call.
func (e *FatalError) Error() string { return "" }

// Unwrap returns Err.
func (e *FatalError) Unwrap() error { return e.Err }

// Prompt returns the failure as an observation for a model: the code, the
// message, what is wrong with the arguments, and the hint. Texts of the server
// that are not trusted are delimited as data.
func (f *Failure) Prompt() string { return "" }
