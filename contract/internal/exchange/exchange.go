// Package exchange holds what passes between the engine of a guard and an
// adapter of an MCP SDK: a call, its result, and the other operations of a set
// of tools. The package is internal, so that no handler can be reached around
// the adapters.
package exchange

import (
	"encoding/json"
	"errors"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/people"
)

// A Request is one call as a transport received it. Package guard documents its
// fields; a conversion between both types needs the same fields.
type Request struct {
	Tool           string
	Arguments      json.RawMessage
	IdempotencyKey *string
	State          string
	Answers        map[string]json.RawMessage
	Rounds         bool
	Ask            people.Asker
	RoundsURL      bool
	AskURL         people.Asker
	TakesInput     func(requests json.RawMessage) bool
	Session        string
	Server         string
	Task           bool
	Isolate        bool
	Progress       func(done, total float64, note string)
}

// A Result is the answer to one call. Package guard documents its fields; a
// conversion between both types needs the same fields.
type Result struct {
	Text       string
	Content    []contract.Content
	Structured json.RawMessage
	IsError    bool
	Outcome    contract.Outcome
	Question   *people.Question
	Requests   json.RawMessage
	State      string
	Meta       map[string]any
}

// The errors of calls that have no result. Package guard documents them.
var (
	ErrNoServer = errors.New("guard: the request has no server name, and other servers may have the sealing keys; " +
		"set Request.Server, or pass guard.WithNamespace to guard.New")
	ErrUnknownTool   = errors.New("guard: unknown tool")
	ErrRejectedState = errors.New("guard: the request state is not valid for this call")
)
