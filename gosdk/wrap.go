package gosdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
)

// An ErrorMapper returns the declared failure for a result with IsError: a
// [contract.Failure], or a [contract.Error] made from one. Nil leaves the
// result as it is. The request is the one that the handler got.
//
// A failure that the contract does not declare is treated like one that a
// handler returns. Any other error is an undeclared error with its own text.
// The text of the failure replaces the texts of the result, and the other
// content of the result is kept. An ErrorMapper runs as part of the handler,
// within its timeout, and must be safe for concurrent use.
type ErrorMapper func(request *mcp.CallToolRequest, result *mcp.CallToolResult) error

// WithErrorMapper maps results with IsError to failures that the contract
// declares, so that callers get a code, a class and a text. If a failed call
// may have had an effect, declare its failure with
// [contract.Failure.EffectPossible]. Otherwise a call with other arguments can
// run under the same key. Default: a result whose SetError got a failure is
// that failure, and callers get the text of any other, as [Wrap] explains. Nil
// is an error of Build.
func WithErrorMapper(mapper ErrorMapper) wrap.Option {
	if mapper == nil {
		return nil
	}
	return func(s *wrap.Settings) { s.ErrorMapper = mapper }
}

// Wrap starts a contract for a tool that was written for the SDK's
// Server.AddTool. It takes the name (which needs no dot), the title, the
// description and the schemas from tool, and runs handler. Declare the other
// clauses with the verbs of the builder: version, effect, trust, permissions.
// Pass the tool that Build returns to [Register] or [NewServer], with
// [WithTools]. [WrapFor] is for handlers of mcp.AddTool.
//
// Requests: the schemas are published as they are written, except that older
// drafts become draft 2020-12, see [contract.Builder.InputSchema]. Arguments
// must fit the input schema, which the SDK does not check for such handlers.
// Two kinds of arguments are refused although they fit it, because the handler
// would read something other than what was checked and shown to a person:
//
//   - A member whose name differs only in case from a declared one, or from
//     another member of its object. A handler that uses encoding/json would
//     treat the two as one.
//   - An integer that no float64 holds, such as 2^53+1, because a handler that
//     decodes into any would round it. [wrap.WithExactIntegers] accepts them.
//
// Build refuses a schema with x-secret, x-sensitive or x-review, because a
// wrapped handler has no fields whose tags could protect anything. Declare such
// members with [wrap.WithSecret] and [wrap.WithSensitive].
//
// The handler gets the call's session, header, token info and _meta. Its
// Arguments are the validated arguments, as the caller sent them. Defaults of
// the schema are filled in only with [wrap.WithDefaults]. InputResponses and
// RequestState are set only with [wrap.WithRounds]. A call that did not come
// through an SDK server, as in a test, has no Session.
//
// Results: content with its annotations, structured content and _meta pass
// through, checked and sanitised as for any tool. Structured content also
// passes if the tool has no output schema. Its JSON becomes the text of a
// result without one. A value that is not an object passes only as text,
// because clients of 2025-11-25 accept only objects. Content of an unknown type
// is output_invalid.
//
// Errors: a declared [contract.Failure] is returned as such, and so is a result
// with IsError that [WithErrorMapper] maps to one. Any other result with
// IsError reaches the caller with its text, as the failure tool_retry. Unless
// the tool is read-only, native or atomic, that failure may follow an effect.
// The text is sanitised and delimited as the contract demands, and values of
// secret and sensitive arguments are removed. A Go error becomes internal_error
// without its text. [contract.Builder.OtherErrors] replaces both. A
// *jsonrpc.Error, such as that of mcp.URLElicitationRequiredError, reaches the
// client as a JSON-RPC error with its code, message and data. A call without a
// result is internal_error, and so is a result that asks the client for input
// without [wrap.WithRounds].
//
// A result with IsError keeps its images, audio, links, resources and
// structured content, unless it becomes internal_error. Structured content that
// does not fit the output schema becomes text. A part that cannot be returned
// is left out and logged.
//
// Keys: a managed call that failed releases its key, so that a corrected call
// can run under it; see [contract.Idempotency]. A result with IsError means
// that the call failed. An undeclared Go error means so only with OtherErrors;
// otherwise the call's outcome is unknown.
//
// A tool can have a dry run, whose function takes the validated arguments as
// JSON. The control members are then added to the input schema, and the
// preview's schema to the output schema, if there is one.
//
// Build reports what is wrong with tool: a schema that is not JSON, or texts
// with hidden characters (rule text.form), which [CleanTexts] removes.
func Wrap(tool *mcp.Tool, handler mcp.ToolHandler, opts ...wrap.Option) *wrap.Builder {
	return newWrapped(handler, opts).builder(tool)
}

// wrapped is an SDK handler behind a contract.
type wrapped struct {
	handler mcp.ToolHandler
	mapper  ErrorMapper // nil: there is none
	config  adapter.WrapConfig
}

func newWrapped(handler mcp.ToolHandler, opts []wrap.Option) *wrapped {
	c, mapper := adapter.WrapConfigOf[ErrorMapper](opts)
	return &wrapped{handler: handler, mapper: mapper, config: c}
}

func (w *wrapped) mistake(m *contract.DeclarationError) {
	w.config.Mistakes = append(w.config.Mistakes, m)
}

// mistakes reports an error that joins declaration errors.
func (w *wrapped) mistakes(err error) {
	for _, m := range contract.DeclarationErrors(err) {
		w.mistake(m)
	}
}

func (w *wrapped) builder(tool *mcp.Tool) *wrap.Builder {
	if tool == nil {
		w.mistake(&contract.DeclarationError{Rule: "serve.nil", Where: "Wrap", Message: "the tool is nil", Remedy: "pass one"})
		tool = &mcp.Tool{}
	}
	return w.define(definitionOf(tool))
}

// define is builder for a tool whose definition has been read already, because
// the SDK's schemas are slow to write as JSON.
func (w *wrapped) define(d adapter.Definition, err error) *wrap.Builder {
	if err != nil {
		w.mistakes(err)
		d.InputSchema = json.RawMessage(`{"type":"object"}`) // one mistake is enough
	}
	run := w.run
	if w.handler == nil {
		run = nil
	}
	if w.config.Function == nil {
		w.config.Function = w.handler
	}
	return adapter.Wrap(d, run, w.config)
}

func (w *wrapped) run(ctx context.Context, call adapter.HandlerCall) (*adapter.HandlerResult, error) {
	req, err := newRequest(ctx, call)
	if err != nil {
		return nil, adapter.Refusal(contract.CodeInvalidInput, err)
	}
	if call.Agreement != nil {
		approved := &approvedCall{agreement: call.Agreement}
		defer approved.over.Store(true)
		ctx = context.WithValue(ctx, approvedKey{}, approved)
	}
	result, err := w.handler(ctx, req)
	if err != nil || result == nil {
		return nil, ownError(err)
	}
	read := handlerResult(result)
	if result.IsError {
		read.Failure = w.failure(req, result)
		_, read.FromError = errors.AsType[returnedError](result.GetError())
	}
	if result.NeedsInput() || result.InputRequests != nil || result.RequestState != "" {
		if read.Requests, err = json.Marshal(result.InputRequests); err != nil {
			return nil, adapter.Refusal(contract.CodeInternalError, fmt.Errorf("gosdk: the requests of the handler: %w", err))
		}
		read.State = result.RequestState
	}
	return read, nil
}

// ownError returns a handler's JSON-RPC error in the form that reaches the
// caller, and any other error as it is. If another error wraps the JSON-RPC
// error, it counts only if it is the request to open a page: any other may come
// from a server that the handler called.
func ownError(err error) error {
	wire, _ := errors.AsType[*jsonrpc.Error](err)
	failed, _ := errors.AsType[*contract.Error](err)
	//nolint:errorlint // see above
	if wire == nil || failed != nil || error(wire) != err && wire.Code != mcp.CodeURLElicitationRequired {
		return err
	}
	return &adapter.RPCError{Code: wire.Code, Message: wire.Message, Data: wire.Data}
}

var errResponse = errors.New("gosdk: a response of the client cannot be read")

// newRequest returns the request that the handler gets.
func newRequest(ctx context.Context, call adapter.HandlerCall) (*mcp.CallToolRequest, error) {
	req := &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{
		Meta: maps.Clone(call.Meta), Name: call.Name, Arguments: call.Arguments, RequestState: call.State,
	}}
	if c := callFrom(ctx); c != nil {
		req.Session, req.Extra = c.req.Session, c.req.Extra
	}
	if len(call.Responses) == 0 {
		return req, nil
	}
	raw, err := json.Marshal(call.Responses)
	if err != nil {
		return nil, errResponse
	}
	if err := json.Unmarshal(raw, &req.Params.InputResponses); err != nil {
		return nil, errResponse
	}
	return req, nil
}

// handlerResult reads a handler's result.
func handlerResult(r *mcp.CallToolResult) *adapter.HandlerResult {
	read := &adapter.HandlerResult{Meta: r.Meta, IsError: r.IsError}
	for _, item := range r.Content {
		c, err := readContent(item)
		if err == nil {
			read.Content = append(read.Content, c)
		}
		read.Unread = errors.Join(read.Unread, err)
	}
	var err error
	if read.Structured, err = structuredContent(r.StructuredContent); err != nil {
		read.Unread = errors.Join(read.Unread, err)
	}
	return read
}

// structuredContent returns the value as JSON, or nil if there is none.
func structuredContent(value any) (json.RawMessage, error) {
	if raw, ok := value.(json.RawMessage); value == nil || ok && len(raw) == 0 {
		return nil, nil
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("gosdk: structured content: %w", err)
	}
	return raw, nil
}

// failure returns the failure that a result with IsError stands for, or nil.
func (w *wrapped) failure(req *mcp.CallToolRequest, result *mcp.CallToolResult) error {
	if w.mapper != nil {
		return w.mapper(req, result)
	}
	err := result.GetError()
	if failed, ok := errors.AsType[*contract.Error](err); ok {
		return failed
	}
	if failure, ok := errors.AsType[*contract.Failure](err); ok {
		return failure
	}
	return nil
}
