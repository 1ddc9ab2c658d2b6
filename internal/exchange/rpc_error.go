package exchange

import (
	"encoding/json"
	"fmt"
)

// An RPCError is a JSON-RPC error that a wrapped handler returned for its
// caller.
type RPCError struct {
	// Code is the JSON-RPC error code.
	Code int64
	// Message is the message of the error.
	Message string
	// Data is the data member, as JSON. Nil: there is none.
	Data json.RawMessage
}

// Error returns the code and the message.
func (e *RPCError) Error() string { return fmt.Sprintf("JSON-RPC error %d: %s", e.Code, e.Message) }

// codeURLRequired is the code of URLElicitationRequiredError (MCP 2025-11-25).
const codeURLRequired = -32042

// AsksForPage reports whether the caller must open a page before the call can
// run, so that nothing has happened yet.
func AsksForPage(e *RPCError) bool { return e != nil && e.Code == codeURLRequired }
