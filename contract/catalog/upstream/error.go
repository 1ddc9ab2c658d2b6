package upstream

import (
	"errors"
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
)

// ErrUnavailable is the failure of a call that has not reached its server.
// Nothing was done, so the call can be repeated. Contracts whose handler is
// [Client.Handler] declare it.
var ErrUnavailable = contract.Retryable("upstream_unavailable", "The server of the tool cannot be reached. Nothing was done.")

// ErrClosed is the error of a client that is closed, and of requests whose
// connection ended before their answer.
var ErrClosed = errors.New("upstream: the connection is closed")

// A ServerError is an error with which a server answers a request.
type ServerError struct {
	// Code is the code of JSON-RPC.
	Code int
	// Message is the text of the server, without characters that hide or
	// reorder text, and cut to a bounded length.
	Message string
}

// Error returns the code and the message.
func (e *ServerError) Error() string {
	return fmt.Sprintf("upstream: the server answered with error %d: %s", e.Code, e.Message)
}

// An UnansweredError is the error of a call by [Client.Handler] that has
// reached its server and got no answer, so its effect is unknown. A call that
// its context ended has the error of the context.
type UnansweredError struct {
	// Cause is why there is no answer.
	Cause error
}

// Error returns the cause.
func (e *UnansweredError) Error() string { return "upstream: no answer: " + e.Cause.Error() }

// Unwrap returns the cause.
func (e *UnansweredError) Unwrap() error { return e.Cause }

// A ListError means that a list exceeds a bound or cannot be read. None of the
// list counts.
type ListError struct {
	// Rule is a stable identifier, such as "list.pages".
	Rule string
	// Message is what is wrong, and Remedy is advice. Remedy may be empty.
	Message, Remedy string
}

// Error returns a form such as "upstream: [list.pages] …".
func (e *ListError) Error() string {
	text := "upstream: [" + e.Rule + "] " + e.Message
	if e.Remedy != "" {
		text += "; " + e.Remedy
	}
	return text
}

// The rules of a [ListError].
const (
	ruleListForm     = "list.form"
	ruleListPages    = "list.pages"
	ruleListCursor   = "list.cursor"
	ruleListTools    = "list.tools"
	ruleListBytes    = "list.bytes"
	ruleListChanging = "list.changing"
)

// errTooLarge means that a server sent a message beyond [MaxMessageBytes].
var errTooLarge = fmt.Errorf("upstream: the server sent a message of more than %d bytes", MaxMessageBytes)
