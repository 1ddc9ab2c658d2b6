package engine

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/contract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/contract/guard/internal/oplog"
	"github.com/toolcontract/toolcontract/contract/guard/internal/running"
	"github.com/toolcontract/toolcontract/risk"
)

// reserve takes the slot of the handler. From low-risk-write up, the handler
// does not end when the caller disconnects, unless the contract is Cancellable,
// because a disconnect is not a decision.
func reserve(u understood) (*running.Slot, *answer.Answer) {
	ctx := u.ctx
	if u.isDetached() {
		ctx = context.WithoutCancel(ctx)
	}
	if !u.key.IsZero() {
		ctx = running.WithIdempotencyKey(ctx, u.key)
	}
	s, refused := u.engine.running.Take(ctx, u.tool.slots, u.tool.Doc.Timeout > 0 || u.req.Isolate)
	if refused != nil {
		return nil, answer.Refuse(refused)
	}
	return s, nil
}

func (u *understood) isDetached() bool {
	return u.doc.Effect != risk.ReadOnly && !u.tool.Doc.Cancellable
}

// timeLimit returns how long the handler may run. Zero: as long as its caller
// waits.
func (u *understood) timeLimit() time.Duration {
	if limit := u.tool.Doc.Timeout; limit > 0 {
		return limit
	}
	if u.isDetached() {
		return running.DetachedDeadline
	}
	return 0
}

// run calls the handler.
func run(u understood, s *running.Slot, of running.Outlived) (running.Execution, *answer.Answer) {
	j := running.Job{Tool: u.tool.Half, In: u.args.In, Limit: u.timeLimit(), Progress: u.req.Progress}
	if oplog.From(u.ctx).ID != u.log.ID() { // the call continues an earlier one
		j.Call = &oplog.Call{Tool: u.tool.Tool, ID: u.log.ID(), Args: u.args}
	}
	if u.round != nil {
		round := u.round.responses(u.req)
		j.Round = &round
	}
	ex, refused := u.engine.running.Run(s, j, of)
	if refused != nil {
		return ex, answer.Refuse(refused)
	}
	return ex, nil
}
