package engine

import (
	"log/slog"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/records"
	"github.com/toolcontract/toolcontract/internal/exchange"
)

// endTransaction commits or undoes what the handler of an atomic tool wrote. It
// comes first on the way out, because the transaction may lock the store. If
// another transaction prevents the commit, the handler runs again.
func (c *call) endTransaction(result *exchange.Result) *exchange.Result {
	if result == nil || !c.isAtomic() || !c.execution.Ran {
		return result
	}
	for {
		e := c.entry()
		counted := c.failureCount()
		end := records.End{Execution: c.execution, Result: result}
		refused := c.engine.records.EndTransaction(c.ctx, &e, &c.extras.claim, end, &counted)
		switch {
		case refused == nil:
			c.warnOfOtherWrites(result)
			return result
		case !c.engine.records.RunsAgain(&c.extras.claim, refused):
			return c.resultOf(answer.Refuse(refused))
		}
		result = c.runContained((*call).runAgain)
	}
}

// warnOfOtherWrites logs once that a tool succeeded without its transaction.
// Whatever it wrote was not part of it.
func (c *call) warnOfOtherWrites(result *exchange.Result) {
	lines, name := c.engine.lines, c.tool.Doc.Name
	if result.Outcome.Status != contract.StatusOK || c.atomic().Begun() || !lines.IsFirst(name, "transaction") {
		return
	}
	lines.Logger().LogAttrs(c.ctx, slog.LevelWarn, "toolcontract: an atomic tool succeeded without its transaction, so what it "+
		"wrote is not atomic", slog.String("tool", name), slog.String("callId", c.journal.ID()),
		slog.String("remedy", "write only by sqlstore.Tx in the handler, or remove Atomic from the contract"))
}

// runAgain runs the handler with a slot of its own. It runs on another
// goroutine, because the way out must not end with that of the handler.
func (c *call) runAgain() *answer.Ending {
	if a := c.reserveOn(true); a != nil {
		return a
	}
	if a := c.handle(); a != nil {
		return a
	}
	return c.checkResult()
}
