package engine

import (
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/rounds"
	"github.com/toolcontract/toolcontract/internal/bound"
)

// needInput answers with what the handler needs from its client.
func (c *call) needInput(asks *bound.HandlerError) *answer.Ending {
	if asks.Question != nil {
		if refused := c.engine.people.RefuseInput(c.ctx, c.subject()); refused != nil {
			return answer.Refuse(refused)
		}
	}
	a := c.engine.rounds.Ask(&rounds.HandlerCall{
		View: c.view(), Header: c.header(), Before: c.round, Approved: c.approved, TakesInput: c.request.TakesInput,
	}, asks)
	if a.Result != nil && c.request.InCall {
		var refused *answer.Refusal
		if a.Result.WhileWaiting, refused = c.engine.people.AwaitInput(c.ctx, c.subject()); refused != nil {
			return answer.Refuse(refused)
		}
	}
	return a
}
