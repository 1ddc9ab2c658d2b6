package mcpgo

import (
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/adapter/wrap"
)

// An ErrorMapper returns the declared failure for a result with isError: a
// [contract.Failure], or a [contract.Error] that a failure made. Nil leaves the
// result as it is. The request is the one that the handler got.
//
// A failure that the contract does not declare is treated like one that a
// handler returns. Any other error is an undeclared error with its own text.
// The text of the failure replaces the texts of the result, and the other
// content of the result is kept. An ErrorMapper runs as a part of the handler,
// within its timeout, and must be safe for concurrent use.
type ErrorMapper func(request mcp.CallToolRequest, result *mcp.CallToolResult) error

// WithErrorMapper maps results with isError to failures that the contract
// declares, so that callers get a code, a class and a text. If a failed call
// may have had an effect, declare its failure with
// [contract.Failure.EffectPossible]. Otherwise a call with other arguments can
// run under the same key. Default: callers get the text of such a result, as
// [Wrap] explains. Nil is an error of Build.
func WithErrorMapper(mapper ErrorMapper) wrap.Option {
	if mapper == nil {
		return nil
	}
	return func(s *wrap.Settings) { s.ErrorMapper = mapper }
}
