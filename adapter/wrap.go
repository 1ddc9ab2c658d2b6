package adapter

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"strings"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/bound"
)

// A Handler runs a tool that was written for an SDK. The adapter converts the
// call and the result.
//
// A declared [contract.Failure] is returned to the caller as such. Any other
// error is returned as [contract.Builder.OtherErrors] declares; without
// OtherErrors it becomes internal_error. [Refusal] makes an error with one of
// the guard's codes. An [RPCError] reaches the caller as a JSON-RPC error.
type Handler func(ctx context.Context, call HandlerCall) (*HandlerResult, error)

// A HandlerCall is the call that a [Handler] gets.
type HandlerCall struct {
	// Name is the name of the definition.
	Name string
	// Arguments are the validated arguments, as the caller sent them. With
	// [WrapConfig.Defaults] they have the defaults of the schema.
	Arguments json.RawMessage
	// Meta is [Request.Meta], and Header that of the [Caller]. Both belong to
	// the request: the handler must not change them. Nil: there is none, or the
	// call did not come through a [Table].
	Meta   map[string]any
	Header http.Header
	// Agreement is set if a person approved the call and that approval answers
	// the handler's own confirmation. The adapter then accepts each request of
	// the handler for which [Agreement.Content] returns content. Nil: the
	// client answers all of them.
	Agreement *Agreement
	// State and Responses come from the previous round: the handler's state,
	// and the client's responses to exactly its requests, by key. They are
	// empty in the first round.
	State     string
	Responses map[string]json.RawMessage
}

// A HandlerResult is the result of a [Handler].
type HandlerResult struct {
	// Content has the items that could be read.
	Content []contract.Content
	// Structured is the structured content. Nil: there is none.
	Structured json.RawMessage
	// Meta is the _meta of the result. Nil: there is none.
	Meta map[string]any
	// IsError means that the call failed.
	IsError bool
	// Failure is what a result with IsError stands for: a [contract.Failure] or a
	// [contract.Error]. Nil: the texts of the content describe the failure, and
	// callers get them unless a [wrap.Rule] masks them.
	Failure error
	// FromError means that the SDK made the result from an error that the handler
	// returned. Without a Failure, it then counts as an undeclared error.
	FromError bool
	// Unread is why a part of the result could not be read. With IsError, that
	// part is left out and logged. Otherwise the call is output_invalid. Nil:
	// all of it was read.
	Unread error
	// Requests asks the client for input that the handler needs to go on: a
	// JSON object of requests by key. The next round gets State and the
	// responses. Both are empty for a final result.
	Requests json.RawMessage
	State    string
}

// A WrapConfig configures [Wrap]. The zero value is a handler that reads all
// integers exactly and never asks the client for input.
type WrapConfig struct {
	// Integers are those that the handler reads exactly.
	Integers Integers
	// Rounds is how often the handler may ask the client for input in one call,
	// from 1 to 10. Each round runs the handler again. Nil: never.
	Rounds *int
	// Defaults means that the defaults of the input schema are filled in.
	Defaults bool
	// Verbatim is that of [wrap.Settings].
	Verbatim bool
	// Agreement answers the handler's own confirmation if a person approved the
	// call. Nil: the client answers it.
	Agreement *Agreement
	// Sensitive and Secret are the JSON Pointers of members whose values are
	// hidden; see [wrap.WithSensitive] and [wrap.WithSecret].
	Sensitive, Secret []string
	// Package is the name of the adapter's package in the errors of Wrap. Empty
	// means "adapter".
	Package string
	// Mistakes are what the adapter found wrong with the tool or its options.
	// Build reports them under the tool's name.
	Mistakes []*contract.DeclarationError
	// Function is the function that the tool author wrote: the SDK's handler.
	// Tests that check source code name it. Nil means the handler passed to
	// Wrap.
	Function any

	input reflect.Type // that of [wrap.Settings]
}

// WrapConfigOf returns the configuration of options, for a handler that by
// default reads integers as float64. The error mapper has the adapter's type M
// and is the zero value if the options have none. Mistakes in the options
// become mistakes of the configuration.
func WrapConfigOf[M any](opts []wrap.Option) (c WrapConfig, errorMapper M) {
	c.Integers = Float64Integers
	var s wrap.Settings
	for _, opt := range opts {
		if opt == nil {
			c.Mistakes = append(c.Mistakes, &contract.DeclarationError{
				Rule: "serve.option", Where: "Wrap", Message: "an option is nil", Remedy: "leave it out",
			})
			continue
		}
		opt(&s)
	}
	if s.ExactIntegers || s.Input != nil && !mayRound(s.Input, map[reflect.Type]bool{}) {
		c.Integers = Int64Integers
	}
	c.Verbatim, c.Function, c.input = s.Verbatim, s.Function, s.Input
	c.Rounds = s.Rounds
	c.Defaults = s.Defaults
	if s.AnsweredConfirmation {
		c.Agreement = &Agreement{fields: s.ConfirmationFields}
	}
	c.Sensitive, c.Secret = s.Sensitive, s.Secret
	if s.ErrorMapper != nil {
		var ok bool
		if errorMapper, ok = s.ErrorMapper.(M); !ok {
			c.Mistakes = append(c.Mistakes, &contract.DeclarationError{
				Rule: "serve.option", Where: "WithErrorMapper", Message: "the error mapper is for another SDK",
				Remedy: "use WithErrorMapper of the package that wraps the tool",
			})
		}
	}
	return c, errorMapper
}

// maxRounds caps how often a client may be asked during one call.
const maxRounds = 10

// Wrap starts a contract for a tool that was written for an SDK. It takes the
// name (which needs no dot), the title, the description and the schemas from d,
// and runs the handler. Server authors declare the other clauses with the verbs
// of the builder.
//
// The schemas are published as they are written, except that older drafts
// become draft 2020-12, see [contract.Builder.InputSchema]. Arguments must fit
// the input schema. Some that fit it are refused too, because the handler would
// read something other than what was checked and shown to a person: a member
// whose name differs only in case from a declared one, or from another member
// of its object; and integers that [WrapConfig.Integers] excludes. Build
// refuses a schema with x-secret, x-sensitive or x-review.
//
// The handler gets what the caller sent: a default in the schema only describes
// what the handler does without the member, unless [WrapConfig.Defaults] is
// set.
//
// Titles are listed where they were written. A hint of d is listed unchanged,
// unless a declared clause decides it: the effect decides readOnlyHint and
// destructiveHint, the idempotency decides idempotentHint, and what a call
// reads, sends or reaches decides openWorldHint. A hint that d lacks follows
// from the contract.
//
// The result is checked and sanitised as for any tool. A result with IsError
// that maps to no failure reaches the caller with its text, as the failure
// tool_retry. Unless the tool is read-only, native or atomic, that failure may
// follow an effect. [contract.Builder.OtherErrors] replaces that code. A result
// with IsError keeps its content and structured content, unless it becomes
// internal_error; structured content that does not fit the output schema
// becomes text. A call without a result is internal_error, and so is a result
// with Requests if Rounds is nil.
//
// A nil handler is an error of Build.
func Wrap(d Definition, handler Handler, c WrapConfig) *wrap.Builder {
	w := &wrappedTool{adapter: c.Package, name: d.Name, handler: handler, asks: c.Rounds != nil, agreement: c.Agreement}
	run := w.run
	if handler == nil {
		run = nil
	}
	b := contract.New(d.Name, run).FlatName()
	if c.Function != nil {
		bound.SetHandler(b, c.Function)
	}
	if d.Description != "" { // a Base may have one
		b.Description(d.Description)
	}
	if title := d.title(); title != "" {
		b.Title(title)
	}
	bound.SetWritten(b, bound.Written{
		Title: d.Title, AnnotationsTitle: d.Annotations.Title, ReadOnly: d.Annotations.ReadOnlyHint,
		Destructive: d.Annotations.DestructiveHint, Idempotent: d.Annotations.IdempotentHint, OpenWorld: d.Annotations.OpenWorldHint,
		Input: c.input,
	})
	switch {
	case c.Rounds == nil:
	case *c.Rounds < 1 || *c.Rounds > maxRounds:
		bound.Report(b, bound.Mistake{Rule: "serve.rounds", Where: "WithRounds", Message: "the number of rounds is not from 1 to 10",
			Remedy: "correct it"})
	default:
		bound.AllowRounds(b, *c.Rounds)
	}
	for _, m := range c.Mistakes {
		bound.Report(b, bound.Mistake{Rule: m.Rule, Where: m.Where, Message: m.Message, Remedy: m.Remedy})
	}
	b.InputSchema(d.InputSchema)
	if !c.Defaults {
		bound.LeaveArguments(b)
	}
	for _, pointer := range c.Sensitive {
		bound.Protect(b, bound.Protection{Pointer: pointer})
	}
	for _, pointer := range c.Secret {
		bound.Protect(b, bound.Protection{Pointer: pointer, Secret: true})
	}
	bound.PassReported(b, true)
	bound.KeepReported(b, c.Verbatim)
	bound.CheckArguments(b, newSpelling(d.InputSchema).check)
	bound.CheckArguments(b, c.Integers.check)
	if d.OutputSchema != nil {
		b.OutputSchema(d.OutputSchema)
	}
	return b
}

// Refusal returns an error that ends a [Handler]'s call with code, one of the
// guard's own such as [contract.CodeInvalidInput], whatever the contract
// declares for undeclared errors. An adapter returns it if it cannot convert
// the call or the result. The reason goes only to the audit log.
func Refusal(code string, reason error) error {
	return &bound.HandlerError{Kind: bound.Refused, Code: code, Err: reason}
}

// A wrappedTool is a handler behind a contract.
type wrappedTool struct {
	adapter string // the name of its package
	name    string
	handler Handler
	asks    bool // the handler may ask the client for input
	// agreement answers the handler's own confirmation if a person approved the
	// call. Nil: the client answers it.
	agreement *Agreement
}

var (
	errNoResult     = &Error{Reason: "the wrapped handler returned no result"}
	errAsksForInput = &Error{Reason: "the wrapped handler asked the client for input, which a contract does not allow"}
)

func (w *wrappedTool) run(ctx context.Context, arguments json.RawMessage) (contract.Reply[json.RawMessage], error) {
	var none contract.Reply[json.RawMessage]
	call := w.call(ctx, arguments)
	result, err := w.handler(ctx, call)
	for n := 0; n < maxRounds && call.Agreement != nil && err == nil && result != nil; n++ {
		answers := call.Agreement.answers(result.Requests)
		if answers == nil {
			break
		}
		call.State, call.Responses = result.State, answers
		result, err = w.handler(ctx, call)
	}
	switch {
	case err != nil:
		if e, ok := err.(*RPCError); ok && e != nil { //nolint:errorlint // a wrapped one is an error of something else
			err = &bound.HandlerError{Kind: bound.Protocol, Err: e}
		}
		return none, err
	case result == nil:
		return none, w.internalError(errNoResult)
	case result.Requests != nil || result.State != "":
		if !w.asks {
			return none, w.internalError(errAsksForInput)
		}
		return none, &bound.HandlerError{Kind: bound.InputRequired, Requests: result.Requests, State: result.State}
	case result.IsError:
		return none, result.failure()
	case result.Unread != nil:
		return none, Refusal(contract.CodeOutputInvalid, result.Unread)
	}
	return contract.Reply[json.RawMessage]{Out: result.Structured, Content: result.Content, Meta: result.Meta}, nil
}

func (w *wrappedTool) internalError(reason error) error {
	return Refusal(contract.CodeInternalError, In(w.adapter, reason))
}

func (w *wrappedTool) call(ctx context.Context, arguments json.RawMessage) HandlerCall {
	caller, _ := CallerFrom(ctx)
	round := bound.RoundFrom(ctx)
	call := HandlerCall{
		Name: w.name, Arguments: arguments, Meta: metaFrom(ctx), Header: caller.Header,
		State: round.State, Responses: round.Responses,
	}
	if round.Approved {
		call.Agreement = w.agreement
	}
	return call
}

// failure returns the error that a result with IsError stands for.
func (r *HandlerResult) failure() error {
	err := r.Failure
	none := isNone(err)
	if none {
		err = errors.New(r.errorText())
	}
	return &bound.HandlerError{Kind: bound.Reported, Err: err, Own: none && !r.FromError,
		Content: r.Content, Structured: r.Structured, Unread: r.Unread}
}

// errorText returns the text items of a result with IsError.
func (r *HandlerResult) errorText() string {
	var texts []string
	for _, item := range r.Content {
		if t, ok := item.(contract.TextContent); ok {
			texts = append(texts, t.Text)
		}
	}
	if len(texts) == 0 {
		return "the tool gave no reason"
	}
	return strings.Join(texts, "\n")
}

// isNone reports whether there is no failure: nil, or a nil pointer to one,
// which would make the call a success.
func isNone(err error) bool {
	switch e := err.(type) { //nolint:errorlint // a wrapped nil is not returned by mistake
	case nil:
		return true
	case *contract.Error:
		return e == nil
	case *contract.Failure:
		return e == nil
	}
	return false
}
