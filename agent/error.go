package agent

import (
	"fmt"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/trust"
)

// The codes of failures that the agent itself detects. It also uses codes of
// package contract with their usual meaning, such as
// [contract.CodeOutcomeUnknown].
const (
	// CodeUnknownTool: the server lists no tool of this name. Nothing was sent.
	CodeUnknownTool = "unknown_tool"
	// CodeRefused: the agent refuses to call the tool; see [Tool.Refusal]. In a
	// [RetryError], the definition of the tool changed before the call. Nothing
	// was sent.
	CodeRefused = "tool_refused"
	// CodeCancelled: the context of the caller ended. The call had no effect.
	CodeCancelled = "cancelled"
	// CodeProtocolError: the server answered with a JSON-RPC error.
	CodeProtocolError = "protocol_error"
	// CodeContractBroken: the server broke a promise of the contract or the
	// protocol, for example by not marking a preview. A call that writes may
	// have had its effect.
	CodeContractBroken = "contract_broken"
)

// A Failure is what [RetryError] and [FatalError] have in common.
type Failure struct {
	// Tool is the listed name of the tool, and Code the code of the failure.
	Tool, Code string
	// Key is the idempotency key of the call. Empty: the tool takes none. A
	// call that is repeated unchanged must have the same key; see [WithKey].
	Key string
	// Message is the sanitised text of the failure. If it comes from the
	// server, it can be hostile; see Prompt.
	Message string
	// FromServer is true if Message comes from the server.
	FromServer bool
	// Trust is the trust in the server's texts.
	Trust trust.Level
	// Outcome is what the server reports about the call, such as the violations
	// of the arguments. Its Status is undeclared if the server reports nothing.
	Outcome contract.Outcome
	// Operation is what the server says about the call. It has only the ID
	// unless an answer was lost and the agent, which could not repeat the call,
	// has looked it up. EffectPossible does not depend on it, because a server
	// can lie.
	Operation Operation
	// Attempts is how often the call was sent. Zero: it was not sent.
	Attempts int
	// EffectPossible is true if the call may have had an effect although it
	// failed, as far as the contract declares. A loop asks a person before it
	// makes the same call again, unless [SentCall.Repeatable] returns true. If
	// the contract doesn't list the failure, as a short contract never does, a
	// call that writes may have had an effect, unless the outcome rules it out;
	// see [contract.Outcome.NoEffect].
	EffectPossible bool
}

// A RetryError is a failed call that the model can correct or replace with
// another one. The call had no effect, as far as the contract promises that.
// Give Prompt to the model as the observation of the call.
type RetryError struct {
	// Failure has the tool, the code and the texts.
	Failure
	// After is how long to wait before making the same call again. It is set if
	// the server demands a longer delay than the agent waits, or demands one
	// too often. Zero: no delay is known.
	After time.Duration
}

// A FatalError is a failed call that must not be repeated. It ends the run of
// an agent.
type FatalError struct {
	// Failure has the tool, the code and the texts.
	Failure
	// Err is the cause, such as the error of the transport or a
	// client.ServerError. Nil: the server reported the failure itself.
	Err error
}

// Error returns the tool, the code and what to do. It leaves out the server's
// texts, because they can contain values of the call.
func (e *RetryError) Error() string {
	text := fmt.Sprintf("agent: call of %s: %s", clean(e.Tool), e.Code)
	if e.After > 0 {
		return fmt.Sprintf("%s; call it again after %v", text, e.After)
	}
	return text + "; give the failure to the model"
}

// Error returns the tool, the code and the cause. It leaves out the server's
// texts, because they can contain values of the call.
func (e *FatalError) Error() string {
	text := fmt.Sprintf("agent: call of %s: %s", clean(e.Tool), e.Code)
	switch {
	case e.Err != nil:
		text += ": " + clean(e.Err.Error())
	case !e.FromServer && e.Message != "":
		text += ": " + e.Message
	}
	return text + "; end the run"
}

// Unwrap returns Err.
func (e *FatalError) Unwrap() error { return e.Err }

// Prompt returns the failure as an observation for a model: the code, the
// message, what is wrong with the arguments, and the hint. Text that the
// message already contains is left out. Server texts that are not trusted are
// delimited as data.
func (f *Failure) Prompt() string {
	head := fmt.Sprintf("The call of %s failed: %s.", clean(f.Tool), f.Code)
	texts := f.outcomeTexts()
	fromServer := f.FromServer || len(texts) > 0
	if f.Message != "" {
		texts = append([]string{f.Message}, texts...)
	}
	if len(texts) == 0 {
		return head
	}
	text := strings.Join(texts, "\n")
	if fromServer && f.Trust.Effective().MayInject() {
		text = trust.Delimit(text)
	}
	return head + "\n" + text
}

// outcomeTexts returns the texts of the outcome that the message doesn't
// contain. They come from the server.
func (f *Failure) outcomeTexts() []string {
	var texts []string
	for _, v := range f.Outcome.Violations {
		if !strings.Contains(f.Message, v.Message) || !strings.Contains(f.Message, v.Pointer) {
			texts = append(texts, fmt.Sprintf("%s: %s (%s)", orRoot(v.Pointer), v.Message, v.Rule))
		}
	}
	if len(f.Outcome.MissingPermissions) > 0 {
		texts = append(texts, "missing permissions: "+strings.Join(f.Outcome.MissingPermissions, ", "))
	}
	if hint := f.Outcome.Hint; !strings.Contains(f.Message, hint) {
		texts = append(texts, hint)
	}
	return texts
}

func orRoot(pointer string) string {
	if pointer == "" {
		return "the arguments"
	}
	return pointer
}
