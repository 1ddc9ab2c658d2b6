package gosdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
)

// WrapFor starts a contract for a tool that was written for mcp.AddTool. Apart
// from what follows, it works as [Wrap]. Schemas that tool lacks are derived
// from In and Out as mcp.AddTool derives them; an In of any means an object
// with any members.
//
// The handler gets In decoded from the validated arguments with the defaults of
// the schema, which mcp.AddTool fills in too, and the request with the
// arguments as JSON. Its Out becomes the structured content, except for a nil
// Out of type any. An error, unless it is a *jsonrpc.Error, becomes a result
// with IsError, as with mcp.AddTool. It is an undeclared error unless it is a
// [contract.Failure].
//
// Integers beyond 2^53 are accepted if no part of In is a float64, a float32 or
// an interface. The SDK itself would round them if the schema has a default,
// because it decodes the arguments once more (mcp/tool.go:78).
func WrapFor[In, Out any](tool *mcp.Tool, handler mcp.ToolHandlerFor[In, Out], opts ...wrap.Option) *wrap.Builder {
	var run mcp.ToolHandler
	if handler != nil {
		run = func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return runTyped(ctx, req, handler)
		}
	}
	w := newWrapped(run, append(slices.Clip(opts), func(s *wrap.Settings) { s.Input = reflect.TypeFor[In]() }))
	w.config.Function = handler
	w.config.Defaults = true // as mcp.AddTool does
	if tool == nil {
		return w.builder(nil)
	}
	typed := *tool
	var err error
	if typed.InputSchema == nil && reflect.TypeFor[In]() != reflect.TypeFor[any]() {
		typed.InputSchema, err = derive[In]("inputSchema")
		w.mistakes(err)
	}
	if typed.OutputSchema == nil && reflect.TypeFor[Out]() != reflect.TypeFor[any]() {
		typed.OutputSchema, err = derive[Out]("outputSchema")
		w.mistakes(err)
	}
	return w.builder(&typed)
}

// derive returns the schema of a type. It returns nil with an error.
func derive[T any](where string) (any, error) {
	of := reflect.TypeFor[T]()
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	schema, err := jsonschema.ForType(of, &jsonschema.ForOptions{})
	if err != nil {
		return nil, &contract.DeclarationError{
			Rule: "serve.definition", Where: where, Message: fmt.Sprintf("the type has no schema: %v", err),
			Remedy: "give the tool a schema, or change the type",
		}
	}
	return schema, nil
}

func runTyped[In, Out any](ctx context.Context, req *mcp.CallToolRequest,
	handler mcp.ToolHandlerFor[In, Out]) (*mcp.CallToolResult, error) {
	var in In
	if len(req.Params.Arguments) > 0 {
		if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
			return nil, adapter.Refusal(contract.CodeInvalidInput, errArguments)
		}
	}
	result, out, err := handler(ctx, req, in)
	if wire, ok := err.(*jsonrpc.Error); ok { //nolint:errorlint // as mcp.AddTool does
		return nil, wire
	}
	if err != nil {
		failed := &mcp.CallToolResult{}
		failed.SetError(returnedError{err})
		return failed, nil //nolint:nilerr // the result has the error
	}
	written := mcp.CallToolResult{}
	if result != nil {
		written = *result
	}
	if written.InputRequests == nil {
		raw, err := writeOutput(out)
		if err != nil {
			return nil, adapter.Refusal(contract.CodeOutputInvalid, err)
		}
		if raw != nil {
			written.StructuredContent = raw
		}
	}
	return &written, nil
}

// A returnedError is the error of a result that was made from a typed handler's
// error. Its text was not written as a result.
type returnedError struct{ error }

func (e returnedError) Unwrap() error { return e.error }

var errArguments = errors.New("gosdk: the validated arguments do not fit the handler's input type")

// writeOutput returns the output as JSON, or nil if there is none. A nil
// pointer is written as the zero value of its element, because the schema
// describes the element.
func writeOutput(out any) (json.RawMessage, error) {
	if out == nil {
		return nil, nil
	}
	if v := reflect.ValueOf(out); v.Kind() == reflect.Pointer && v.IsNil() {
		out = reflect.Zero(v.Type().Elem()).Interface()
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("gosdk: structured content: %w", err)
	}
	return raw, nil
}
