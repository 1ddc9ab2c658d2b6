package client

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ErrUnsent means that no part of a request reached the server, so nothing was
// done. The error that wraps it gives the reason.
var ErrUnsent = errors.New("client: the request was not sent")

// ErrMessageTooLarge means that the server sent a message of more than
// [MaxMessageBytes]. The connection is then unusable.
var ErrMessageTooLarge = fmt.Errorf("client: the server sent a message of more than %d MiB", MaxMessageBytes>>20)

// errClosed is the error of a client that is closed, and of requests whose
// connection ended before their answer.
var errClosed = errors.New("client: the connection is closed")

// A ServerError is an error with which a server answers a request.
type ServerError struct {
	// Code is the JSON-RPC error code.
	Code int
	// Message is the server's text, without characters that hide or reorder
	// text, and cut to a bounded length. It can contain values of the request.
	Message string
	// Data is the error's data member as the server sent it. Nil: there is
	// none.
	Data json.RawMessage
}

// Error returns the code. It omits the server's text, which can contain values
// of the request.
func (e *ServerError) Error() string {
	return fmt.Sprintf("the server answered with the JSON-RPC error %d", e.Code)
}

// A ListError means that a list exceeds a bound or cannot be read. None of the
// list counts.
type ListError struct {
	// Rule is a stable identifier, such as "list.pages".
	Rule string
	// Message says what is wrong, and Remedy what to do. Remedy may be empty.
	Message, Remedy string
}

// Error returns a form such as "client: [list.pages] …".
func (e *ListError) Error() string {
	text := "client: [" + e.Rule + "] " + e.Message
	if e.Remedy != "" {
		text += "; " + e.Remedy
	}
	return text
}

// The rules of a [ListError].
const (
	ruleListForm     = "list.form"     // a list that is not of the form that the protocol defines
	ruleListPages    = "list.pages"    // a list with too many pages
	ruleListCursor   = "list.cursor"   // a cursor that leads back to an earlier page
	ruleListTools    = "list.tools"    // a list with too many tools
	ruleListBytes    = "list.bytes"    // a list with too many bytes
	ruleListChanging = "list.changing" // a list that changes each time that it is read
)
