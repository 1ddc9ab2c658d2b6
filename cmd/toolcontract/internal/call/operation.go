package call

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/contract"
)

// lookupTool is the default name of the tool that looks up operations.
const lookupTool = "operations_get"

// lookedUp is what became of an earlier call, as -json prints it.
type lookedUp struct {
	OperationID  string    `json:"operationId"`
	State        string    `json:"state"`
	Tool         string    `json:"tool,omitempty"`
	StartedAt    time.Time `json:"startedAt,omitzero"`
	EndedAt      time.Time `json:"endedAt,omitzero"`
	RetryAfterMs int64     `json:"retryAfterMs,omitempty"`
	// Advice is what to do next, in words.
	Advice string `json:"advice"`
}

// lookUp prints what became of an earlier call. The status is [cli.Bad] if that
// is not known yet.
func lookUp(ctx context.Context, a *agent.Agent, id string, t *cli.Terminal) (cli.Status, error) {
	found, err := a.Operation(ctx, id)
	if err != nil {
		return cli.Failed, errors.New("the operation cannot be looked up: " + cli.OneLine(endOf(nil, err, agent.Tool{}).Message))
	}
	tool, _ := a.Tool(found.Tool)
	l := lookedUp{
		OperationID: found.ID, State: found.State, Tool: found.Tool, StartedAt: found.StartedAt, EndedAt: found.EndedAt,
		RetryAfterMs: found.RetryAfter.Milliseconds(), Advice: next(found, tool.Contract),
	}
	text := []string{found.State}
	if found.Tool != "" {
		text = append(text, "  tool     "+cli.OneLine(found.Tool))
	}
	const layout = "2006-01-02 15:04:05 MST"
	if at := found.StartedAt; !at.IsZero() {
		text = append(text, "  started  "+at.UTC().Format(layout))
	}
	if at := found.EndedAt; !at.IsZero() {
		text = append(text, "  ended    "+at.UTC().Format(layout))
	}
	if err := t.Print(l, strings.Join(text, "\n")); err != nil {
		return cli.Failed, err
	}
	if !t.JSON {
		t.Note("next: %s", l.Advice)
	}
	if found.State == "running" || found.State == "unknown" {
		return cli.Bad, nil
	}
	return cli.OK, nil
}

// next returns advice about an operation. The contract is that of its tool, or
// zero.
func next(o agent.Operation, c contract.Document) string {
	const same = "repeat the same call, with its -key if it had one"
	switch o.State {
	case "succeeded":
		return "it had its effect, so do not start over; for its result, " + same
	case "ended":
		return "it may have had its effect; for its result, " + same
	case "failed":
		return "it had no effect; for the reason, " + same
	case "did_not_happen":
		return "it has had no effect; repeat the call if you still want it"
	case "running":
		return "look again in " + max(o.RetryAfter, time.Second).Round(time.Second).String()
	}
	switch {
	case o.Tool == "":
		return "check the id and the caller: a server tells callers only about their own calls, and only while it remembers them"
	case c.Reconcile != nil:
		return same + ": the server then finds out, and does not have the effect twice"
	}
	return "check whether the call had its effect before you repeat it"
}
