package mcpgo

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/mcpgo/internal/native"
	"github.com/toolcontract/toolcontract/mcpgo/internal/session"
)

// Wrap starts the contract of a tool that was written for mcp-go. It takes the
// name (which needs no dot), the title, the description and the schemas from
// tool, and runs handler. Declare the other clauses with the verbs of the
// builder: version, effect, trust, permissions. Pass the tool that Build
// returns to [Register] or [NewServer], with [WithTools].
//
// Requests: the schemas are published as they are written, except that older
// drafts become draft 2020-12, see [contract.Builder.InputSchema]. Arguments
// must fit the input schema. Two kinds of arguments are refused although they
// fit it, because the handler would read something other than what was checked
// and shown to a person:
//
//   - A member whose name differs from a declared one, or from another member
//     of its object, only in case. A handler that binds with encoding/json
//     takes both for one.
//   - An integer that no float64 holds, such as 2^53+1, because mcp-go's
//     Arguments have each number as a float64. [wrap.WithExactIntegers] accepts
//     them.
//
// Build refuses a schema with x-secret, x-sensitive or x-review, because a
// wrapped handler has no fields whose tags could protect anything. Declare such
// members with [wrap.WithSecret] and [wrap.WithSensitive].
//
// A schema of mcp.WithNumber also accepts fractions and numbers beyond int64,
// such as 1e20. GetInt of mcp-go cuts these without an error, so a handler that
// calls GetInt needs the type integer and a range in its schema.
//
// The handler gets the caller's name, header and _meta. Arguments and
// RawArguments are the validated arguments, as the caller sent them. Defaults
// of the schema are filled in only with [wrap.WithDefaults]. There is no task.
// There are inputResponses and a requestState only with [wrap.WithRounds].
//
// Results: content items with their annotations, structured content and _meta
// pass, checked and sanitised as for any tool. Structured content also passes
// if the tool has no output schema. Its JSON becomes the text of a result
// without one. A value that is not an object passes only as a text, because
// clients of 2025-11-25 accept only objects. RawStructuredContent takes
// precedence, as in mcp-go; a different StructuredContent is output_invalid,
// and so is content of an unknown type or with invalid base64. A lastModified
// passes if it is a time of RFC 3339 or a date, which becomes its first moment
// in UTC; any other is left out.
//
// Errors: a declared [contract.Failure] is returned as such, and so is a result
// with isError that [WithErrorMapper] maps to one. Any other result with
// isError reaches the caller with its text, as the failure tool_retry. Unless
// the tool is read-only, native or atomic, that failure may follow an effect.
// The text is sanitised and delimited as the contract demands, and values of
// secret and sensitive arguments are removed. A Go error becomes internal_error
// without its text. [contract.Builder.OtherErrors] replaces both. A Go error
// that is an mcp.URLElicitationRequiredError reaches the client as mcp-go sends
// it. If there is no result, or without [wrap.WithRounds] a result that asks
// the client for input, the call is internal_error.
//
// A result with isError keeps its images, sounds, links, resources and
// structured content, checked and sanitised like those of other results, unless
// it becomes internal_error. Structured content that breaks the output schema
// becomes a text, because some clients discard an error that has it. A part
// that cannot be returned is left out and logged.
//
// Keys: a managed call that failed does not hold its key, so that the corrected
// call runs under it; see [contract.Idempotency]. A result with isError means
// that the call failed. An undeclared Go error means this only with
// OtherErrors; otherwise the outcome of the call is unknown.
//
// A tool can have a dry run, whose function takes the validated arguments as
// JSON. The control members are then added to the input schema, and the schema
// of the preview to the output schema, if there is one.
//
// Build reports what is wrong with tool: a task support (rule serve.task), two
// schemas in one place, or texts with hidden characters (rule text.form), which
// [CleanTexts] removes from the tool of an upstream. Other members of tool are
// not used; [Register] keeps the icons and _meta of a tool that it replaces.
// mcp-go's WithStrictInputSchemaDefault does not reach the schema, so declare
// additionalProperties in it.
func Wrap(tool mcp.Tool, handler server.ToolHandlerFunc, opts ...wrap.Option) *wrap.Builder {
	c, mapper := adapter.WrapConfigOf[ErrorMapper](opts)
	w := &wrappedHandler{handler: handler, exact: c.Integers == adapter.Int64Integers, mapper: mapper}
	d, mistakes := native.Definition(tool)
	if d.InputSchema == nil {
		d.InputSchema = json.RawMessage(`{"type":"object"}`) // one mistake is enough
	}
	if runsAsTask(tool) {
		mistakes = append(mistakes, errTask(""))
	}
	c.Package = packageName
	if c.Function == nil {
		c.Function = handler
	}
	c.Mistakes = append(mistakes, c.Mistakes...)
	if handler == nil {
		return adapter.Wrap(d, nil, c)
	}
	return adapter.Wrap(d, w.run, c)
}

// A wrappedHandler is a handler written for mcp-go behind a contract.
type wrappedHandler struct {
	handler server.ToolHandlerFunc
	exact   bool        // Arguments hold large integers as int
	mapper  ErrorMapper // nil: there is none
}

func (w *wrappedHandler) run(ctx context.Context, call adapter.HandlerCall) (*adapter.HandlerResult, error) {
	req, err := w.request(call)
	if errors.Is(err, errResponse) {
		return nil, adapter.Refusal(contract.CodeInvalidInput, err)
	}
	if err != nil {
		return nil, adapter.Refusal(contract.CodeInternalError, err)
	}
	if call.Agreement != nil {
		withAnswers, end := session.WithAnswers(ctx, call.Agreement)
		defer end()
		ctx = withAnswers
	}
	result, err := w.handler(ctx, req)
	if result == nil || err != nil {
		return nil, native.OwnError(err)
	}
	read, err := native.HandlerResult(result)
	if err != nil {
		return nil, adapter.Refusal(contract.CodeInternalError, err)
	}
	if read.IsError && w.mapper != nil {
		read.Failure = w.mapper(req, result)
	}
	return read, nil
}

// request returns the request that the handler gets. A call that did not come
// through mcp-go has only arguments.
func (w *wrappedHandler) request(call adapter.HandlerCall) (mcp.CallToolRequest, error) {
	req := mcp.CallToolRequest{Request: mcp.Request{Method: string(mcp.MethodToolsCall)}, Header: call.Header}
	if call.Meta != nil {
		req.Params.Meta = mcp.NewMetaFromMap(maps.Clone(call.Meta))
	}
	req.Params.Name = call.Name
	req.Params.RawArguments = call.Arguments
	err := json.Unmarshal(call.Arguments, &req.Params.Arguments)
	if err == nil && w.exact {
		req.Params.Arguments, err = native.ExactArguments(call.Arguments)
	}
	return req, errors.Join(err, resume(call, &req.Params))
}

var errResponse = errors.New("mcpgo: a response of the client cannot be read")

// resume adds to a request the answers to what the handler asked for in the
// round before, and the state that the handler gave it.
func resume(call adapter.HandlerCall, params *mcp.CallToolParams) error {
	params.RequestState = call.State
	for key, raw := range call.Responses {
		var response mcp.InputResponse
		if err := json.Unmarshal(raw, &response); err != nil {
			return errResponse
		}
		if params.InputResponses == nil {
			params.InputResponses = mcp.InputResponses{}
		}
		params.InputResponses[key] = response
	}
	return nil
}

// A wrapper wraps tools by rules. It is safe for concurrent use.
type wrapper struct {
	*adapter.Wrapper
	contracts sync.Map // of the name of a wrapped tool to its *contract.Tool
}

// has reports whether this wrapper made a contract of the server.
func (w *wrapper) has(t *contract.Tool) bool {
	own, ok := w.contracts.Load(t.Name())
	return ok && own == t
}

// wrap wraps one tool by its rule, and by its hints where the rules declare
// nothing.
func (w *wrapper) wrap(tool mcp.Tool, handler server.ToolHandlerFunc) wrap.Tool {
	d, _ := native.Definition(tool) // Wrap reports the mistakes
	return w.Wrap(d, func(opts []wrap.Option) *wrap.Builder { return Wrap(tool, handler, opts...) })
}

// leaves reports whether a tool without a contract stays as it is.
func (w *wrapper) leaves(name string) bool { return w == nil || w.Leaves(name) }
