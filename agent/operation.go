package agent

import (
	"context"
	"regexp"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/operation"
)

// An Operation is what a server says about a call that it has recorded. The agent
// never repeats a call because of it, since a server can lie.
type Operation struct {
	// ID names the operation: the OperationID of a [contract.Outcome]. Empty:
	// no answer has named one.
	ID string
	// State is "running", "succeeded", "failed", "did_not_happen", "unknown", or
	// "ended" if the call is over and may have had its effect. Empty: the
	// operation was not looked up, or the lookup failed.
	//
	// "did_not_happen" is about this operation only. Repeating the call may start
	// another one, which may succeed.
	State string
	// Tool is the listed name of the tool. Empty: it is not known.
	Tool string
	// StartedAt and EndedAt are when the call started and ended. Zero: the time
	// is not known.
	StartedAt, EndedAt time.Time
	// RetryAfter is the delay before a useful repetition of the same call, or
	// of the lookup. Zero: no delay is known.
	RetryAfter time.Duration
}

var states = []string{
	operation.Running, operation.Ended, operation.Succeeded, operation.Failed, operation.NotDone, operation.Unknown,
}

// lookupTime bounds the lookups for one call, including the wait for a running
// operation.
const lookupTime = 30 * time.Second

// operationPattern matches the ids of operations. Hosts store and show them, so
// anything else that a server sends for one is dropped.
var operationPattern = regexp.MustCompile(`^op_[A-Za-z0-9_-]{1,125}$`)

// Operation asks the server what became of a call, with its tool
// operations_get. The answer does not include the call's result: to get it,
// repeat the call with the same key.
//
// The error is a [*RetryError] or a [*FatalError], as for [Agent.Call]. Its
// code is [CodeUnknownTool] if the server lists no such tool that may be called
// without asking a person. That needs a contract by which the tool only reads, or
// such hints and [Options.TrustedHints].
func (a *Agent) Operation(ctx context.Context, id string) (Operation, error) {
	c := &call{agent: a, name: operation.LookupTool, tool: Tool{Name: operation.LookupTool}}
	if !operationPattern.MatchString(id) {
		return Operation{}, c.retry(contract.CodeInvalidInput, "this is not an operation ID, which starts with op_")
	}
	tool, ok := a.Tool(operation.LookupTool)
	if !ok || !a.looksUp(tool) {
		tools := slices.DeleteFunc(a.Tools(), func(t Tool) bool { return !a.looksUp(t) })
		if len(tools) == 0 {
			return Operation{}, c.retry(CodeUnknownTool, "the server lists no tool that looks up operations")
		}
		tool = tools[0]
	}
	r, err := a.Call(ctx, tool.Name, map[string]string{"operationId": id}, ForTool(tool))
	if err != nil {
		return Operation{}, err
	}
	return r.operation(id)
}

// looksUp reports whether a tool looks up operations, and may be called at any
// time without asking anybody.
func (a *Agent) looksUp(t Tool) bool {
	named := t.Name == operation.LookupTool || t.Contract.AuditEvent == operation.LookupEvent
	trusted := a.options.TrustedHints
	if t.hasContract() {
		trusted = !t.mayAsk()
	}
	return named && t.Refusal == "" && t.reads() && trusted
}

// operation reads the answer to a lookup.
func (r *Result) operation(id string) (Operation, error) {
	var found operation.Status
	if r.Structured == nil || readStrict(r.Structured, &found) != nil || !slices.Contains(states, found.State) {
		return Operation{}, r.invalid("the answer does not have the state of an operation")
	}
	return Operation{
		ID: id, State: found.State, Tool: clean(found.Tool), StartedAt: found.StartedAt, EndedAt: found.EndedAt,
		RetryAfter: delayOf(contract.Outcome{RetryAfterMs: found.RetryAfterMs}),
	}, nil
}

// lookUp asks the server what became of a call whose answer was lost, and waits
// while the operation is running. It does nothing if the server has not named the
// operation.
func (c *call) lookUp() {
	if c.operation.ID == "" || c.ctx.Err() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(c.ctx, lookupTime)
	defer cancel()
	for range c.agent.options.Limits.Attempts {
		found, err := c.agent.Operation(ctx, c.operation.ID)
		if err != nil {
			return
		}
		c.operation = found
		wait := max(found.RetryAfter, shortestLag)
		if end, _ := ctx.Deadline(); found.State != operation.Running || wait > min(c.agent.options.Limits.Wait, time.Until(end)) {
			return
		}
		sleep(ctx, wait)
	}
}
