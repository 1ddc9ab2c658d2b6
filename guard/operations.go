package guard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/callctx"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/operation"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// The limit of the tool of [WithOperations] for one principal.
const (
	operationsCalls = 60
	operationsTime  = time.Minute
)

// WithOperations adds a read-only tool to each [Toolset] of the guard, by which
// callers look up what became of a recorded call: operations_get, or the given
// name. A call is found by its operation ID, which its answer has in
// [contract.Outcome] and its handler in [OperationID].
//
// The tool tells the state of a call and nothing else: running, succeeded,
// failed, did_not_happen, ended if the call is over and may have had its effect,
// or unknown. The result comes from the same call, repeated, which is a replay
// under the permissions, the schema and the trust of that moment. For an unknown
// outcome of a tool with [contract.Builder.Reconcile], the repeated call also
// finds out.
//
// Callers look up their own calls only. A malformed or made-up ID, that of
// another principal's call, and that of a tool which the caller may no longer
// call have one answer, unknown, after the same query of the store. The tool is
// listed and runs only for principals that see a tool which writes and records
// its calls. It has a rate limit of its own, and its calls are audited like any
// other. Calls of tools that only one session of a server has, and calls whose
// key may have a secret argument, are not looked up.
//
// A tool of that name among those of [Guard.Protect] is an error, and so is an
// invalid or a second name. Of two options, the later one counts. Default: no
// such tool. Servers of package program have it.
func WithOperations(name ...string) Option {
	return optionFunc(func(c *config) error {
		chosen := operation.LookupTool
		switch len(name) {
		case 0:
		case 1:
			chosen = name[0]
		default:
			return errors.New("guard: WithOperations: the tool has one name; pass one, or none for " + operation.LookupTool)
		}
		tool, err := operationsTool(chosen)
		if err != nil {
			return fmt.Errorf("guard: WithOperations: %w", err)
		}
		c.operations = tool
		return nil
	})
}

// operationIn are the arguments of the tool.
type operationIn struct {
	OperationID string `json:"operationId" jsonschema_description:"The operationId in the answer of the earlier call."`
}

// operationOut is the result of the tool.
type operationOut struct {
	State        string    `json:"state" jsonschema:"enum=running,enum=ended,enum=succeeded,enum=failed,enum=did_not_happen,enum=unknown" jsonschema_description:"running: it has not ended. succeeded: it had its effect. failed: it ended without an effect. did_not_happen: it had no effect, and may run when repeated. ended: it is over, and may have had its effect. unknown: nothing is known for certain."`
	Tool         string    `json:"tool,omitempty" jsonschema_description:"The tool that was called."`
	StartedAt    time.Time `json:"startedAt,omitzero"`
	EndedAt      time.Time `json:"endedAt,omitzero"`
	RetryAfterMs int64     `json:"retryAfterMs,omitempty" jsonschema_description:"When to look again, in milliseconds."`
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
		AuditEvent("operation.looked_up").RateLimit(operationsCalls, operationsTime).
		Build()
}

// lookUpOperation is the handler of the tool.
func lookUpOperation(ctx context.Context, in operationIn) (contract.Reply[operationOut], error) {
	var reply contract.Reply[operationOut]
	call := callctx.RecordsFrom(ctx)
	if call == nil {
		return reply, errors.New("guard: the context is not that of a call")
	}
	found, err := call.LookUp(ctx, in.OperationID)
	if err != nil {
		return reply, &bound.HandlerError{Kind: bound.Refused, Code: contract.CodeUnavailable, Err: err}
	}
	reply.Out = operationOut{
		State: string(found.State), Tool: found.Tool, StartedAt: found.Began, EndedAt: found.Ended,
		RetryAfterMs: found.RetryAfter.Milliseconds(),
	}
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
