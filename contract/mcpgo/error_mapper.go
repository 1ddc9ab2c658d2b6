package mcpgo

import (
	"errors"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
)

// An ErrorMapper returns the declared failure for a result with isError: a
// [contract.Failure], or a [contract.Error] that a failure made. Nil means that
// the result is an undeclared error. The request is the one that the handler
// got.
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
// run under the same key. Default: each such result is an undeclared error. Nil
// is an error of Build.
func WithErrorMapper(mapper ErrorMapper) WrapOption {
	if mapper == nil {
		return nil
	}
	return wrapOptionFunc(func(w *wrapped) { w.mapper = mapper })
}

// failure returns the error for a result with isError.
func (w *wrapped) failure(request mcp.CallToolRequest, result *mcp.CallToolResult) error {
	var err error
	if w.mapper != nil {
		err = w.mapper(request, result)
	}
	if isNone(err) {
		err = errors.New(errorText(result))
	}
	return reportedError(result, err)
}

// reportedError returns err with the content of a result with isError.
func reportedError(result *mcp.CallToolResult, err error) error {
	structured, unread := structuredContent(result)
	var items []contract.Content
	for _, item := range result.Content {
		c, err := readContent(item)
		if err != nil {
			unread = errors.Join(unread, err)
			continue
		}
		items = append(items, c)
	}
	return &bound.ReportedError{Err: err, Content: items, Structured: structured, Unread: unread}
}

// isNone reports whether a mapper returned no error: nil, or a nil pointer to a
// failure, which would make the call a success.
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
