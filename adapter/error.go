package adapter

import (
	"errors"

	"github.com/toolcontract/toolcontract/internal/exchange"
)

// An RPCError is a JSON-RPC error that ends the call of a wrapped handler, such
// as the URLElicitationRequiredError of MCP 2025-11-25. A [Handler] returns it
// without wrapping it in another error, whatever the contract declares for
// undeclared errors. [Table.Call] removes hidden characters and the values of
// secret and sensitive arguments from it, and the adapter answers with its
// code, message and data. The audit log has the code protocol_error.
type RPCError = exchange.RPCError

// An Error is an error of this package that is safe to write to an audit log.
// An adapter puts its own package's name into it with [In].
type Error struct {
	// Package is the name with which the text begins. Empty means "adapter".
	Package string
	// Reason is what is wrong.
	Reason string
	// Err is the cause. Nil: there is none.
	Err error
}

// Error returns a text such as "adapter: the Authorization header is not one
// bearer token".
func (e *Error) Error() string {
	text := e.Package + ": " + e.Reason
	if e.Package == "" {
		text = "adapter" + text
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// In returns err with the name of an adapter's package if it is an [Error]. Any
// other error is returned unchanged.
func In(name string, err error) error {
	own, ok := errors.AsType[*Error](err)
	if !ok || error(own) != err { //nolint:errorlint // a wrapped error keeps its name
		return err
	}
	renamed := *own
	renamed.Package = name
	return &renamed
}
