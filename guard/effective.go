package guard

import (
	"context"
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/exchange"
)

// ErrUnknownTool is returned for a name that a toolset does not have, and for a
// forbidden tool that an agent calls: the two cannot be distinguished.
var ErrUnknownTool = exchange.ErrUnknownTool

// Effective returns the contract that would apply to a call with these
// arguments, so that a caller can read it before the call. Effect, risk,
// confirmation and permissions are as resolved for these arguments, and a
// confirmation "when" and the bound of [WithSessionBound] are decided. Clauses
// that are only audited stay as declared, and the function of [WithAuthorizer]
// is not called. Nothing runs, nothing is charged, and nothing is written to
// the audit log.
//
// The error is [ErrUnknownTool] if the caller of ctx may not see the tool, and
// an [*ArgumentsError] if the arguments are invalid. If the tool resolves to a
// stricter contract than it declares, the call would be refused, and the error
// is a [*contract.ResolutionError].
func (g *Guard) Effective(ctx context.Context, tool *contract.Tool, arguments json.RawMessage) (contract.Document, error) {
	if tool == nil {
		return contract.Document{}, ErrUnknownTool
	}
	t := g.newTool(tool, false) // the engine decides about the bound of the session
	doc, violations, err := g.engine.Effective(ctx, t, arguments)
	if len(violations) > 0 {
		return contract.Document{}, &ArgumentsError{Violations: violations}
	}
	return doc, err
}

// An ArgumentsError lists where arguments break the input schema.
type ArgumentsError struct {
	// Violations are all the violations. None contains an argument's value.
	Violations []contract.Violation
}

// Error returns a text that does not describe the arguments.
func (e *ArgumentsError) Error() string { return "guard: the arguments do not fit the input schema" }
