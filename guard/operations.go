package guard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/callctx"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/operation"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// The limits of the lookup tool, for each principal.
const (
	operationsCalls   = 60
	operationsTime    = time.Minute
	operationsTimeout = 30 * time.Second
)

// WithOperations adds a read-only tool to each [Toolset] of the guard, with
// which callers look up what became of a recorded call. Its name is
// operations_get, or the given one. It finds a call by its operation ID, which
// the call's answer has in [contract.Outcome], and its handler gets from
// [OperationID].
//
// The tool returns the state of a call and no result: running, succeeded, failed,
// did_not_happen, unknown, or ended if the call is over and may have had its
// effect. To get the result, the caller repeats the call. That is a replay under
// the permissions, the schema and the trust of that moment. If the outcome is
// unknown and the tool has [contract.Builder.Reconcile], the repeated call also
// finds out what happened.
//
// Callers can look up only their own calls. A malformed or made-up ID, the ID of
// another principal's call, and that of a tool that the caller may no longer
// call get the same answer, unknown, after the same query of the store. The tool
// is listed and runs only for principals that see a tool that writes and records
// its calls. Each principal has 60 lookups a minute, and they are audited like
// any other call. Calls of tools that belong to one session of a server, and
// calls whose key may contain a secret argument, cannot be looked up.
//
// More than one name is an error, and so is an invalid one, or one that a tool
// given to [Guard.Protect] has. If the option is given twice, the later one
// counts. Default: no such tool, except in servers of package program.
func WithOperations(name ...string) Option {
	return optionFunc(func(c *config) error {
		if len(name) > 1 {
			return errors.New("guard: WithOperations: the tool has one name; pass one, or none for " + operation.LookupTool)
		}
		tool, err := operationsTool(append(slices.Clip(name), operation.LookupTool)[0])
		if err != nil {
			return fmt.Errorf("guard: WithOperations: %w", err)
		}
		c.operations = tool
		return nil
	})
}

// operationIn has the arguments of the tool.
type operationIn struct {
	OperationID string `json:"operationId" jsonschema_description:"The operationId in the answer of the earlier call."`
}

// operationsTool returns the tool of [WithOperations]. It serves any guard,
// because its handler asks the guard of its call.
func operationsTool(name string) (*contract.Tool, error) {
	return contract.New(name, lookUpOperation).FlatName().
		Title("Look up an earlier call").
		Description("Tells what became of an earlier call of a tool that changes something. Use it with the operationId in that "+
			"call's answer, before you repeat or report a call that timed out, is still running or has an unknown outcome. It "+
			"tells the state only: to get the result, repeat the call with the same arguments and idempotency key.").
		Version("1.0.0").Effect(risk.ReadOnly).Risk(risk.Low).Trust(trust.Trusted).
		NoPermissions("Callers look up their own calls, and only those of tools that they may call.").
		Reads(contract.PublicData). // names of tools and times, and nobody's words
		AuditEvent(operation.LookupEvent).RateLimit(operationsCalls, operationsTime).Timeout(operationsTimeout).
		Build()
}

// lookUpOperation is the handler of the tool.
func lookUpOperation(ctx context.Context, in operationIn) (contract.Reply[operation.Status], error) {
	var reply contract.Reply[operation.Status]
	call := callctx.RecordsFrom(ctx)
	if call == nil {
		return reply, errors.New("guard: the context is not that of a call")
	}
	found, err := call.LookUp(ctx, in.OperationID)
	if err != nil {
		return reply, &bound.HandlerError{Kind: bound.Refused, Code: contract.CodeUnavailable, Err: err}
	}
	reply.Out = found
	if found.Advice == "" {
		return reply, nil
	}
	raw, err := json.Marshal(reply.Out)
	if err != nil {
		return reply, err
	}
	reply.Content = []contract.Content{contract.TextContent{Text: string(raw)}, contract.TextContent{Text: found.Advice}}
	return reply, nil
}
