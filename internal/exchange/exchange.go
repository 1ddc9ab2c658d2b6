// Package exchange holds what passes between a guard's engine and an adapter of
// an MCP SDK: a call, its result, and the other operations of a set of tools.
// The package is internal, so that no handler can be reached without an
// adapter.
package exchange

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/bound"
)

// ErrTwoSinks is wrapped by the error that guard.New returns for a second
// WithAudit.
var ErrTwoSinks = errors.New("guard: WithAudit is given twice, so one of the sinks would stay empty; pass one, such as " +
	"audit.Tee(a, b), or leave the flag -audit out if that is the other")

// A Request is one call as a transport received it.
type Request struct {
	Client

	// Tool is the name, or an alias, that was called.
	Tool string
	// Arguments is the raw JSON of the arguments, as sent. Nil means none.
	Arguments json.RawMessage
	// IdempotencyKey is the key that the client sent, 1 to 255 printable ASCII
	// characters. Nil: none. It applies only if the contract takes one.
	IdempotencyKey *string
	// Server is the name of the called server. Answers to another server's
	// questions do not count, nor do its previews. Empty is an error if the
	// guard has sealing keys and no namespace.
	Server string
	// Task means that the caller requested a task. Such a call is refused.
	Task bool
	// Isolate runs the handler on another goroutine even if no timeout is
	// declared, so that a handler calling runtime.Goexit does not end the
	// transport's goroutine. Set it if that goroutine also serves other
	// requests. A caller's own goroutine does not need it.
	Isolate bool
	// Listed returns the form in which the client knows the name of a tool. Nil:
	// the name itself.
	Listed func(name string) string
	// Progress receives what the handler reports with guard.Progress. Nil drops
	// it. It must not block, and is not called after the call is answered.
	Progress func(done, total float64, note string)
	// Caller tells the anonymous callers of a tool without a contract apart. It
	// counts only for limits.
	Caller string
	// Run runs the handler of a tool without a contract. Nil: the tool has one.
	Run func(context.Context) (*bound.Passed, error)
}

// A Client describes how a call's client can answer questions, and holds the
// answers that it sent. The zero value can do nothing.
type Client struct {
	// State is the state of the question, or of the requests of a handler, that
	// this call answers, as the client sent it. Empty: it answers none.
	State string
	// Answers are the client's answers, by input key: raw results of
	// elicitations, or of the other requests of a handler. They count only with
	// a State.
	Answers map[string]json.RawMessage
	// Rounds means that the client can ask a person, accepts a question as a
	// result, and returns the answer in another call (MCP 2026-07-28).
	Rounds bool
	// Ask asks a person through the client within the call. It is used if
	// Rounds is false. Nil: the client cannot.
	Ask people.Asker
	// RoundsURL and AskURL are the same for addresses that a person opens
	// (elicitation in URL mode), to authenticate or to decide: RoundsURL as a
	// result, AskURL within the call.
	RoundsURL bool
	AskURL    people.Asker
	// TakesInput reports whether the client can answer the requests of a
	// handler, a JSON object of requests by key (MCP 2026-07-28,
	// inputRequests). Their answers come with another call, in Answers. Nil:
	// the client cannot.
	TakesInput func(requests json.RawMessage) bool
	// InCall means that the adapter sends the requests of a handler to the
	// client within the call, and then makes the other call itself.
	InCall bool
	// Session identifies the session whose open questions are counted, if Ask
	// or AskURL is used.
	Session string
}

// A Result is the answer to one call, in the terms of the Model Context
// Protocol.
type Result struct {
	// Text is what a model reads first: the structured content as JSON, the
	// tool's text, or an error's "code: message". It is empty if Content has
	// the text.
	Text string
	// Content comes after Text. If Outcome.Status is replayed, its last item is
	// the guard's text with the time of the recorded call.
	Content []contract.Content
	// Structured is the structured content. It is nil for tools whose output is
	// a text or nothing, and for errors, except for an error result of a
	// wrapped handler. If the contract has no output schema, it is sanitized
	// and not checked further.
	Structured json.RawMessage
	// IsError means that the call failed.
	IsError bool
	// Outcome reports the same result to programs.
	Outcome contract.Outcome
	// State and either Question or Requests are set if Outcome.Status is asked:
	// the question for a person, or the requests of a wrapped handler, and the
	// state that the client returns with the answer.
	Question *people.Question
	Requests json.RawMessage
	State    string
	// WhileWaiting runs a function that sends the Requests, with a context that
	// ends when nobody waits for the answers any more. It is set, and must be
	// called once, if the client has InCall.
	WhileWaiting func(send func(context.Context)) `json:"-"`
	// RPC is the JSON-RPC error to answer with instead, if the handler ended its
	// call with one. Nil: it did not.
	RPC *RPCError
	// Meta holds the members that the handler adds to the result's _meta. Nil:
	// none.
	Meta map[string]any
	// Passed is the SDK's own answer, which stands in for all of the above but
	// the outcome. Nil: there is none.
	Passed *bound.Passed
}

// The errors of calls that have no result.
var (
	// ErrNoServer is returned for a request without a server's name, if the
	// guard has sealing keys and no namespace. Another server may have the same
	// keys, and an answer to its questions must not count here.
	ErrNoServer = errors.New("guard: the request has no server name, and other servers may have the sealing keys; " +
		"set Request.Server, or pass guard.WithNamespace to guard.New")
	// ErrUnknownTool is returned for a name that the set does not have, and for
	// a forbidden tool that an agent calls: the two cannot be distinguished.
	ErrUnknownTool = errors.New("guard: unknown tool")
	// ErrRejectedState is returned for a call with a state that no question of
	// this server issued for it: the state was altered or cut, belongs to
	// another principal, or is for other arguments. All causes give the same
	// error.
	ErrRejectedState = errors.New("guard: the request state is not valid for this call")
)
